import { parseProgram, statementLister } from '../../src/asm/index.ts'
import type { DiagnosticCode } from '../../src/diagnostic/index.ts'
import { ShaderError } from '../../src/diagnostic/index.ts'
import type { Program, Statement } from '../../src/program/index.ts'

/** A program with one fault put in. */
export interface Mutant {
  readonly kernel: string
  /** What was done: `barrier-removed`. */
  readonly kind: string
  /** Index of the changed statement in the original program. */
  readonly statement: number
  /** The statement before and after, as text. */
  readonly before: string
  readonly after: string
  readonly program: Program
  /**
   * What the mutant may behave like where the machine is weaker than an engine that keeps memory in order: a barrier of
   * other memory orders no more than none at all.
   */
  readonly weakest?: Program
  /** Codes of which one at least should be reported where the mutant misbehaves. */
  readonly codes: readonly DiagnosticCode[]
}

const RACES: readonly DiagnosticCode[] = [
  'check-race',
  'check-race-atomic',
  'check-race-barrier-scope',
  'check-race-across-groups',
  'check-race-same-value',
]
const BOUNDS: readonly DiagnosticCode[] = [
  'check-bounds-structure-index',
  'check-bounds-raw',
  'check-bounds-element',
  'check-bounds-texel',
  'check-bounds-tgsm',
  'check-bounds-indexable-temp',
  'check-bounds-constant-buffer',
  'check-bounds-immediate-constants',
]
const UNINITIALIZED: readonly DiagnosticCode[] = [
  'check-uninitialized-temp',
  'check-uninitialized-indexable-temp',
  'check-uninitialized-tgsm',
]
const OFFSETS: readonly DiagnosticCode[] = [
  'check-bounds-structure-offset',
  'check-bounds-tgsm-structure',
  'check-misaligned',
]

/** The program's listing and what mutators need to splice new text into it. */
interface Subject {
  readonly kernel: string
  readonly program: Program
  readonly lines: readonly string[]
  readonly version: string
  readonly tempCount: number
  readonly tempStatement: number
}

function statementsOf(s: Subject, text: readonly string[]): readonly Statement[] {
  const outcome = parseProgram(`${s.version}\n${text.join('\n')}\n`)
  if (!outcome.ok) throw new ShaderError(outcome.diagnostics)
  return outcome.value.statements
}

/** The program with the statements from `at` on replaced by assembled text; `temps` more registers than before. */
function splice(s: Subject, at: number, count: number, text: readonly string[], temps = 0): Program {
  const statements = [...s.program.statements]
  statements.splice(at, count, ...statementsOf(s, text))
  if (temps > 0) statements[s.tempStatement] = statementsOf(s, [`dcl_temps ${s.tempCount + temps}`])[0]!
  return { ...s.program, statements }
}

/** Operands of a line: what stands between commas outside brackets. */
function operandsOf(line: string): { head: string; operands: string[] } {
  const m = /^(\S+?(?:\s*\([^)]*\))*)\s+(.*)$/.exec(line)
  if (m === null) return { head: line.trim(), operands: [] }
  const operands: string[] = []
  let depth = 0
  let current = ''
  for (const c of m[2]!) {
    if (c === '(' || c === '[') depth++
    if (c === ')' || c === ']') depth--
    if (c === ',' && depth === 0) {
      operands.push(current.trim())
      current = ''
    } else current += c
  }
  if (current.trim() !== '') operands.push(current.trim())
  return { head: m[1]!, operands }
}

const joined = (head: string, operands: readonly string[]): string => `${head} ${operands.join(', ')}`

/** One component of a scalar operand in all four places, so that it fits a new instruction. */
const scalar = (operand: string): string =>
  /^l\(/.test(operand) ? operand : operand.includes('.') ? operand.replace(/\.([xyzw])[xyzw]*$/, '.$1') : operand

type Mutator = (s: Subject, at: number, line: string) => (Omit<Mutant, 'kernel' | 'statement' | 'before'> | undefined)[]

function mutant(
  s: Subject,
  kind: string,
  codes: readonly DiagnosticCode[],
  at: number,
  text: readonly string[],
  temps = 0,
) {
  return { kind, codes, after: text.join('; '), program: splice(s, at, 1, text, temps) }
}

const barriers: Mutator = (s, at, line) => {
  if (line !== 'sync_g_t') return []
  const flattened = s.lines.some((l) => /^dcl_input vThreadIDInGroupFlattened/.test(l))
  return [
    mutant(s, 'barrier-removed', RACES, at, ['nop']),
    { ...mutant(s, 'barrier-other-memory', RACES, at, ['sync_uglobal_t']), weakest: splice(s, at, 1, ['nop']) },
    mutant(s, 'barrier-without-waiting', RACES, at, ['sync_g']),
    flattened
      ? mutant(s, 'barrier-divergent', ['check-barrier-divergent', 'check-barrier-different', ...RACES], at, [
          'if_nz vThreadIDInGroupFlattened.x',
          'sync_g_t',
          'endif',
        ])
      : undefined,
  ]
}

/** Index and byte offset of loads and stores of structures, and byte addresses. */
const addresses: Mutator = (s, at, line) => {
  const { head, operands } = operandsOf(line)
  const isLoad = /^ld_(structured|raw)/.test(head)
  const isStore = /^store_(structured|raw)/.test(head)
  if (!isLoad && !isStore) return []
  const temp = `r${s.tempCount}.x`
  const isRaw = /_raw/.test(head)
  const moved = (kind: string, operand: number, by: number) => {
    const changed = operands.map((o, i) => (i === operand ? temp : o))
    const codes = [...BOUNDS, ...RACES, ...UNINITIALIZED, ...OFFSETS]
    return mutant(
      s,
      kind,
      codes,
      at,
      [`iadd ${temp}, ${scalar(operands[operand]!)}, l(${by})`, joined(head, changed)],
      1,
    )
  }
  if (isRaw) return [moved('address-next', 1, 16), moved('address-before', 1, -16), moved('address-misaligned', 1, 2)]
  return [
    moved('index-plus-one', 1, 1),
    moved('index-minus-one', 1, -1),
    moved('byte-offset-past-structure', 2, 64),
    moved('byte-offset-misaligned', 2, 2),
  ]
}

/** Stores to shared memory, and to UAVs by several threads. */
const stores: Mutator = (s, at, line) => {
  const { head, operands } = operandsOf(line)
  if (!/^store_/.test(head)) return []
  const name = operands[0]!
  const found = []
  if (name.startsWith('g')) found.push(mutant(s, 'store-removed', [...UNINITIALIZED, ...RACES], at, ['nop']))
  else {
    const index = /_uav_typed/.test(head) ? 'l(0,0,0,0)' : 'l(0)'
    found.push(
      mutant(s, 'same-place', RACES, at, [
        joined(
          head,
          operands.map((o, i) => (i === 1 ? index : o)),
        ),
      ]),
    )
  }
  return found
}

/** `atomic_iadd` and `imm_atomic_exch` taken apart into a load and a store. */
const atomics: Mutator = (s, at, line) => {
  const { head, operands } = operandsOf(line)
  const [a, b] = [`r${s.tempCount}`, `r${s.tempCount}.x`]
  const codes = [...RACES]
  if (head === 'imm_atomic_alloc') {
    return [
      mutant(s, 'counter-direction', ['check-counter-underflow', 'check-counter-mixed', ...BOUNDS], at, [
        joined('imm_atomic_consume', operands),
      ]),
      mutant(
        s,
        'counter-both',
        ['check-counter-mixed'],
        at,
        [line, joined('imm_atomic_consume', [b, operands[1]!])],
        1,
      ),
    ]
  }
  if (head === 'imm_atomic_exch') {
    const [dest, memory, address, value] = operands as [string, string, string, string]
    const text = [
      `ld_raw ${dest}, ${scalar(address)}, ${memory}.xxxx`,
      `store_raw ${memory}.x, ${scalar(address)}, ${value}`,
    ]
    return [mutant(s, 'atomic-taken-apart', codes, at, text)]
  }
  if (head !== 'atomic_iadd') return []
  const [memory, address, value] = operands as [string, string, string]
  if (memory.startsWith('g')) {
    const index = scalar(address)
    const offset = index.replace(/\.x$/, '.y')
    const text = [
      `ld_structured ${b}, ${index}, ${offset}, ${memory}.xxxx`,
      `iadd ${b}, ${b}, ${value}`,
      `store_structured ${memory}.x, ${index}, ${offset}, ${b}`,
    ]
    return [mutant(s, 'atomic-taken-apart', codes, at, text, 1)]
  }
  const text = [
    `ld_uav_typed_indexable(buffer)(uint,uint,uint,uint) ${a}.xyzw, ${scalar(address).replace(/\.x$/, '.xxxx')}, ${memory}.xyzw`,
    `iadd ${b}, ${b}, ${value}`,
    `store_uav_typed ${memory}.xyzw, ${scalar(address).replace(/\.x$/, '.xxxx')}, ${a}.xxxx`,
  ]
  return [mutant(s, 'atomic-taken-apart', codes, at, text, 1)]
}

/** First values of registers. */
const constants: Mutator = (s, at, line) => {
  if (!/^mov r\d+\.[xyzw]+, l\(/.test(line)) return []
  // A register that held something else before keeps it: then anything may go wrong.
  const codes = [...UNINITIALIZED, ...RACES, ...BOUNDS, 'check-barrier-divergent'] as const
  return [mutant(s, 'initial-value-removed', codes, at, ['nop'])]
}

/** Arrays and shared memory one element too short. */
const sizes: Mutator = (s, at, line) => {
  const tgsm = /^dcl_tgsm_structured (g\d+), (\d+), (\d+)$/.exec(line)
  if (tgsm !== null) {
    const half = Math.floor(Number(tgsm[3]) / 2)
    const text = (count: number): string[] => [`dcl_tgsm_structured ${tgsm[1]}, ${tgsm[2]}, ${count}`]
    return [
      mutant(s, 'tgsm-one-short', ['check-bounds-tgsm'], at, text(Number(tgsm[3]) - 1)),
      mutant(s, 'tgsm-half', ['check-bounds-tgsm'], at, text(half)),
    ]
  }
  const array = /^dcl_indexableTemp (x\d+)\[(\d+)\], (\d)$/.exec(line)
  if (array === null) return []
  const text = [`dcl_indexableTemp ${array[1]}[${Number(array[2]) - 1}], ${array[3]}`]
  return [mutant(s, 'array-one-short', ['check-bounds-indexable-temp'], at, text)]
}

/** Guards: `if x >= count return`, and the one thread that stores a result. */
const guards: Mutator = (s, at, line) => {
  const found = []
  if (/^if_nz /.test(line) && s.lines[at + 1] === 'ret') {
    found.push(mutant(s, 'guard-removed', [...BOUNDS, ...RACES, ...UNINITIALIZED], at, ['if_nz l(0)']))
  }
  if (/^if_z vThreadIDInGroupFlattened\.x/.test(line)) {
    found.push(mutant(s, 'guard-of-one-thread-removed', RACES, at, ['if_nz l(-1)']))
  }
  return found
}

/** The source of a value one register off. */
const registers: Mutator = (s, at, line) => {
  const { head, operands } = operandsOf(line)
  if (!/^(store_structured|store_raw|store_uav_typed)$/.test(head)) return []
  const last = operands.at(-1)!
  if (!/^r\d+\./.test(last)) return []
  const changed = [...operands.slice(0, -1), last.replace(/^r\d+/, `r${s.tempCount}`)]
  return [mutant(s, 'value-never-written', UNINITIALIZED, at, [joined(head, changed)], 1)]
}

const MUTATORS: readonly Mutator[] = [barriers, addresses, stores, atomics, constants, sizes, guards, registers]

function subjectOf(kernel: string, program: Program): Subject {
  const list = statementLister(program)
  const lines = program.statements.map((_, i) => (list(i) ?? '').trim().replace(/\s+/g, ' '))
  const tempStatement = lines.findIndex((l) => l.startsWith('dcl_temps'))
  const tempCount = Number(/\d+/.exec(lines[tempStatement] ?? '0')![0])
  return { kernel, program, lines, version: `cs_${program.major}_${program.minor}`, tempCount, tempStatement }
}

/** All mutants of a program, in the order of its statements. */
export function mutantsOf(kernel: string, program: Program): Mutant[] {
  const subject = subjectOf(kernel, program)
  return subject.lines.flatMap((line, at) =>
    MUTATORS.flatMap((mutate) => mutate(subject, at, line))
      .filter((m) => m !== undefined)
      .map((m) => ({ ...m, kernel, statement: at, before: line })),
  )
}

/** A store whose value comes from registers that nothing wrote: in odd threads, in even ones, in all from two. */
export interface LaneMutants {
  readonly odd: Mutant
  readonly even: Mutant
  readonly both: Mutant
}

/** For each store of a register what threads with odd and even numbers would store undefined; statements are the same. */
export function laneMutantsOf(kernel: string, program: Program): LaneMutants[] {
  const s = subjectOf(kernel, program)
  const thread = s.lines.map((l) => /^dcl_input (vThreadIDInGroupFlattened|vThreadIDInGroup|vThreadID)\b/.exec(l)?.[1])
  const id = thread.find((name) => name !== undefined)
  if (id === undefined) return []
  const chosen = `r${s.tempCount}`
  return s.lines.flatMap((line, at) => {
    const { head, operands } = operandsOf(line)
    const value = operands.at(-1)
    if (!/^store_(structured|raw|uav_typed)$/.test(head) || value === undefined || !/^r\d+\./.test(value)) return []
    const put = (kind: string, odd: string, even: string): Mutant => {
      const text = [
        `and ${chosen}.x, ${id}.x, l(1)`,
        `if_nz ${chosen}.x`,
        `mov ${chosen}.y, ${odd}`,
        'else',
        `mov ${chosen}.y, ${even}`,
        'endif',
        joined(head, [...operands.slice(0, -1), `${chosen}.yyyy`]),
      ]
      return { ...mutant(s, kind, UNINITIALIZED, at, text, 3), kernel, statement: at, before: line }
    }
    const [own, first, second] = [scalar(value), `r${s.tempCount + 1}.x`, `r${s.tempCount + 2}.x`]
    return [
      {
        odd: put('odd-threads-undefined', first, own),
        even: put('even-threads-undefined', own, second),
        both: put('all-threads-undefined', first, second),
      },
    ]
  })
}
