import { describe, expect, it } from 'vitest'
import { everyNth } from '../../../../test/support/amount.ts'
import { parseProgram } from '../../../asm/index.ts'
import { valueOrThrow } from '../../../diagnostic/index.ts'
import {
  FILE,
  INSTRUCTIONS,
  type InstructionRow,
  type OperandSlot,
  SATURATE,
  saturate,
  withControl,
} from '../../../isa/index.ts'
import { createBuffer, createSrv, createUav, resolveBindings } from '../../../machine/index.ts'
import {
  COMPONENTS_4,
  type Instruction,
  type Operand,
  type Program,
  SELECT_MASK,
  SELECT_SWIZZLE,
} from '../../../program/index.ts'
import type { DispatchResult, LoadOptions } from '../../contract.ts'
import { numberOps } from '../number-ops.ts'
import { createReferenceEngine } from '../run/engine.ts'

/**
 * Every pure instruction through the engine's kernels against its row's meaning over single numbers: all lanes active and
 * every other lane, denormals flushed and kept, mad fused and not. The two share nothing but the row.
 */

const LANES = 64
const SPECIALS = [
  0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000, 0x3effffff, 0x3f000000,
  0x4b000000, 0x4b000001, 0x4f000000, 0xcf000000, 0x4f800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000,
  0xffc00000, 0x7f800001, 0x7fffffff, 0xffffffff, 31, 32, 33, 0x3ff00000, 0x40490fdb, 0x477fe000, 0x33800000,
]

/** A word for each lane and component: specials and noise. */
function words(seed: number): Uint32Array {
  let x = seed
  return Uint32Array.from({ length: LANES * 4 }, () => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0
    const kind = x >>> 28
    if (kind < 9) return SPECIALS[(x >>> 8) % SPECIALS.length]!
    // Ordinary floats, so that not all arithmetic ends in specials.
    return kind < 13 ? ((x & 0x00ffffff) | ((0x3e + ((x >>> 24) & 3)) << 24)) >>> 0 : x
  })
}

const SOURCES = [words(1), words(2), words(3), words(4)]

function temp(register: number, mode: number, selection: number): Operand {
  return {
    type: FILE.temp,
    components: COMPONENTS_4,
    mode,
    selection,
    indices: [{ kind: 'immediate', value: register }],
    modifier: 0,
    minPrecision: 0,
    nonUniform: false,
    values: [],
  }
}

const IDENTITY = 0xe4

/** Sources r0 to r3 from t0 to t3, destinations r4 and r5 preset and stored to u0 and u1. */
function frame(masked: boolean): Program {
  const slots = [0, 1, 2, 3]
  const text = `cs_5_0
dcl_globalFlags refactoringAllowed
${slots.map((i) => `dcl_resource_structured t${i}, 16`).join('\n')}
dcl_uav_structured u0, 16
dcl_uav_structured u1, 16
dcl_input vThreadIDInGroupFlattened
dcl_temps 7
dcl_thread_group 64, 1, 1
${slots.map((i) => `ld_structured r${i}.xyzw, vThreadIDInGroupFlattened.x, l(0), t${i}.xyzw`).join('\n')}
mov r4.xyzw, l(0x1111, 0x1111, 0x1111, 0x1111)
mov r5.xyzw, l(0x1111, 0x1111, 0x1111, 0x1111)
and r6.x, vThreadIDInGroupFlattened.x, l(1)
${masked ? 'if_nz r6.x\nnop\nendif' : 'nop'}
store_structured u0.xyzw, vThreadIDInGroupFlattened.x, l(0), r4.xyzw
store_structured u1.xyzw, vThreadIDInGroupFlattened.x, l(0), r5.xyzw
ret
`
  return valueOrThrow(parseProgram(text))
}

const FRAMES = { full: frame(false), masked: frame(true) }
const NOP = INSTRUCTIONS.find((r) => r.traits.kind === 'nop')!.opcode

function destinations(row: InstructionRow): number {
  return row.operands.filter((o) => o.role === 'dest').length
}

function instructionOf(row: InstructionRow, controls: number): Instruction {
  let source = 0
  let dest = 4
  const operand = (o: OperandSlot): Operand =>
    o.role === 'dest' ? temp(dest++, SELECT_MASK, 15) : temp(source++, SELECT_SWIZZLE, IDENTITY)
  // A double compared or converted gives one word a pair: the mask has two components.
  const operands = row.operands.map(operand)
  const traits = row.traits
  const narrow = traits.kind === 'alu' && traits.lanes === 'pairs' && row.operands[0]!.type !== 'f64'
  const first = narrow ? { ...operands[0]!, selection: 3 } : operands[0]!
  return {
    kind: 'instruction',
    opcode: row.opcode,
    controls,
    extended: [],
    operands: [first, ...operands.slice(1)],
    parameters: [],
  }
}

function withStatement(program: Program, instruction: Instruction): Program {
  const statements = program.statements.map((s) => (s.kind === 'instruction' && s.opcode === NOP ? instruction : s))
  return { ...program, statements }
}

const ENGINE = createReferenceEngine({})

function execute(program: Program, options: LoadOptions): Uint32Array[] {
  const shader = valueOrThrow(ENGINE.load(program, options))
  const outputs = [0, 1].map(() => valueOrThrow(createBuffer({ byteLength: LANES * 16, stride: 16 })))
  const bindings = Object.fromEntries([
    ...SOURCES.map((data, i) => [`t${i}`, createSrv(valueOrThrow(createBuffer({ data, stride: 16 })))] as const),
    ...outputs.map((o, i) => [`u${i}`, createUav(o)] as const),
  ])
  const resolved = valueOrThrow(resolveBindings(bindings))
  const result = ENGINE.dispatch(shader, resolved, [1, 1, 1], {
    schedule: { waveWidth: 64, order: 'forward', groupsInFlight: 1 },
  }) as DispatchResult
  expect(result.diagnostics).toEqual([])
  return outputs.map((o) => o.storage.words.slice(0, LANES * 4))
}

/** The row's meaning over numbers, lane by lane, with the lane rules of row.ts written out again. */
function expected(row: InstructionRow, options: LoadOptions, saturates: boolean): Uint32Array[] {
  if (row.traits.kind !== 'alu') throw new Error(row.mnemonic)
  const { lanes, semantics } = row.traits
  const o = numberOps({ denormals: options.denormals ?? 'flush', fma: options.fma === 'always' })
  const dests = row.operands.filter((x) => x.role === 'dest')
  const sources = row.operands.filter((x) => x.role !== 'dest')
  const out = [0, 1].map(() => new Uint32Array(LANES * 4).fill(0x1111))
  const word = (source: number, lane: number, c: number): number => SOURCES[source]![lane * 4 + c]! | 0
  const put = (dest: number, lane: number, c: number, values: readonly number[], part = 0): void => {
    const type = dests[dest]!.type
    const final = saturates ? saturate(o, type, values) : values
    out[dest]![lane * 4 + c] = final[part]!
  }
  for (let lane = 0; lane < LANES; lane++) {
    if (lanes === 'componentwise') {
      for (let c = 0; c < 4; c++) {
        const results = semantics(
          o,
          sources.map((_, i) => word(i, lane, c)),
        )
        for (const d of dests.keys()) put(d, lane, c, [results[d]!])
      }
    } else if (lanes === 'reduce') {
      const all = sources.flatMap((s, i) => Array.from({ length: s.components! }, (_, c) => word(i, lane, c)))
      const [result] = semantics(o, all)
      for (let c = 0; c < 4; c++) put(0, lane, c, [result!])
    } else {
      for (let p = 0; p < 2; p++) {
        const all = sources.flatMap((s, i) =>
          s.type === 'f64' ? [word(i, lane, p * 2), word(i, lane, p * 2 + 1)] : [word(i, lane, p)],
        )
        const results = semantics(o, all)
        if (dests[0]!.type === 'f64') {
          put(0, lane, p * 2, results, 0)
          put(0, lane, p * 2 + 1, results, 1)
        } else put(0, lane, p, results)
      }
    }
  }
  return out
}

/** Lanes that the `if` leaves out keep what the registers held. */
function withMask(all: Uint32Array[]): Uint32Array[] {
  return all.map((w) => w.map((value, i) => (((i >> 2) & 1) === 1 ? value : 0x1111)))
}

const ALU = INSTRUCTIONS.filter((r) => r.traits.kind === 'alu')
const CONFIGURATIONS: readonly LoadOptions[] = [{}, { denormals: 'keep' }, { fma: 'always' }]

describe('kernels', () => {
  it.each(ALU.map((r) => [r.mnemonic, r] as const))('%s does what its row says', (_name, row) => {
    for (const options of everyNth(CONFIGURATIONS, 3)) {
      for (const saturates of row.controls.includes(SATURATE) ? [false, true] : [false]) {
        const controls = saturates ? withControl(0, SATURATE, 1) : 0
        const statement = instructionOf(row, controls)
        const want = expected(row, options, saturates).slice(0, destinations(row))
        const full = execute(withStatement(FRAMES.full, statement), options).slice(0, destinations(row))
        const label = JSON.stringify({ ...options, saturates })
        expect(full, label).toEqual(want)
        const masked = execute(withStatement(FRAMES.masked, statement), options).slice(0, destinations(row))
        expect(masked, label).toEqual(withMask(want))
      }
    }
  })

  it('read all sources before they write: swizzles of the destination itself', () => {
    const swap = { ...instructionOf(rowWith('mov'), 0) }
    const operands = [temp(4, SELECT_MASK, 15), temp(4, SELECT_SWIZZLE, 0x1b)]
    const load = instructionOf(rowWith('mov'), 0)
    const statements = FRAMES.full.statements.flatMap((s) =>
      s.kind === 'instruction' && s.opcode === NOP
        ? [
            { ...load, operands: [temp(4, SELECT_MASK, 15), temp(0, SELECT_SWIZZLE, IDENTITY)] },
            { ...swap, operands },
          ]
        : [s],
    )
    const [reversed] = execute({ ...FRAMES.full, statements }, {})
    const want = SOURCES[0]!.map((_, i, all) => all[(i & ~3) + (3 - (i & 3))]!)
    expect(reversed).toEqual(want)
  })
})

function rowWith(mnemonic: string): InstructionRow {
  return INSTRUCTIONS.find((r) => r.mnemonic === mnemonic)!
}
