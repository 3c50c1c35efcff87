import { afterAll, describe, expect, it } from 'vitest'
import { parseProgram } from '../../src/asm/index.ts'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/run/engine.ts'
import { amount } from '../support/amount.ts'
import { compareOn } from '../support/differential.ts'

// What is computed before a barrier lies in memory behind it, and its operands do not: code that takes two operations together must not look for them.

/** Instructions of one result, by their operands: `a` and `b` are registers. */
const UNARY = [
  'not',
  'ineg',
  'mov',
  'frc',
  'rsq',
  'sqrt',
  'exp',
  'ftoi',
  'ftou',
  'itof',
  'utof',
  'countbits',
  'bfrev',
] as const
const BINARY = [
  'and',
  'or',
  'xor',
  'iadd',
  'add',
  'mul',
  'min',
  'max',
  'imin',
  'umax',
  'ishl',
  'ishr',
  'ushr',
  'lt',
  'ge',
  'ne',
  'ilt',
  'ieq',
  'ult',
] as const
type Operation = (to: string, a: string, b: string) => string
const OPERATIONS: readonly Operation[] = [
  ...UNARY.map((op) => (to: string, a: string) => `${op} ${to}, ${a}`),
  ...BINARY.map((op) => (to: string, a: string, b: string) => `${op} ${to}, ${a}, ${b}`),
  ...BINARY.map((op) => (to: string, a: string, b: string) => `${op} ${to}, ${b}, ${a}`),
  ...BINARY.map((op) => (to: string, a: string) => `${op} ${to}, ${a}, l(511)`),
  (to, a, b) => `movc ${to}, ${a}, ${b}, l(0)`,
  (to, a, b) => `movc ${to}, ${a}, l(0), ${b}`,
  (to, a, b) => `mad ${to}, ${a}, ${b}, l(1.5)`,
  (to, a) => `add ${to}, |${a}|, -${a}`,
]

const THREADS = 32
const FIRST_RESULT = 5

/** One operation before a barrier, as often as there are operations: each of them has one of the results behind it, which nothing else reads. */
function program(first: Operation) {
  const before = OPERATIONS.flatMap((_, n) => [
    `iadd r3.x, r4.x, l(${n * THREADS * 8})`,
    'ld_raw r0.xy, r3.x, t0.xyxx',
    first(`r${FIRST_RESULT + n}.x`, 'r0.x', 'r0.y'),
  ])
  const behind = OPERATIONS.flatMap((then, n) => [
    then('r3.x', `r${FIRST_RESULT + n}.x`, 'r2.x'),
    `iadd r3.y, r4.y, l(${n * 4})`,
    'store_raw u0.x, r3.y, r3.x',
  ])
  return valueOrThrow(
    parseProgram(
      [
        'cs_5_0',
        'dcl_globalFlags refactoringAllowed',
        'dcl_resource_raw t0',
        'dcl_uav_raw u0',
        'dcl_input vThreadIDInGroupFlattened',
        `dcl_temps ${FIRST_RESULT + OPERATIONS.length}`,
        'dcl_tgsm_raw g0, 256',
        `dcl_thread_group ${THREADS}, 1, 1`,
        'ishl r4.x, vThreadIDInGroupFlattened.x, l(3)',
        `imul null, r4.y, vThreadIDInGroupFlattened.x, l(${OPERATIONS.length * 4})`,
        'ld_raw r2.x, r4.x, t0.x',
        ...before,
        'store_raw g0.x, l(0), l(1)',
        'sync_g_t',
        ...behind,
        'ret',
      ].join('\n'),
    ),
  )
}

const GROUPS = [1, 1, 1] as const
/** As many words as the program reads and writes. */
const HINTS = { t0: { elements: OPERATIONS.length * THREADS * 2 }, u0: { elements: OPERATIONS.length * THREADS } }

const reference = createReferenceEngine({})

describe.each(([1, 2, 4] as const).slice(0, amount(1, 3)))('with %i vectors a word', (width) => {
  const engine = createWasmEngineWith({ threads: 1, width })
  afterAll(() => engine.dispose?.())

  it('operations behind a barrier have the results of those before it', async () => {
    for (const [n, first] of OPERATIONS.entries()) {
      const runnable = {
        program: program(first),
        groups: GROUPS,
        numbers: 'mixed',
        hints: HINTS,
        classInstances: {},
      } as const
      const verdict = await compareOn({ reference, engine, load: {} }, runnable, n)
      expect([first('r1.x', 'r0.x', 'r0.y'), verdict.kind, verdict]).toEqual([
        first('r1.x', 'r0.x', 'r0.y'),
        'equal',
        verdict,
      ])
    }
  })
})
