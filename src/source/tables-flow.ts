/**
 * Where the scalars of an SDBG part are before each instruction. The part says what each instruction's result becomes,
 * and nothing of how long that holds: so the results are followed along every path of the program. A scalar that two paths
 * leave in different places, and one whose register was written since, is not available.
 */
import {
  DEBUG_REGISTER_SET,
  type DebugInput,
  type DebugInstruction,
  type DebugOutput,
  type DebugTables,
  NO_DEBUG_ROW,
} from '../dxbc/index.ts'
import type { Declarations } from '../engine/index.ts'
import { type RegisterFileName, registerFile, rowOfOpcode } from '../isa/index.ts'
import { type BasicBlock, controlFlow, type Program, writtenComponents } from '../program/index.ts'
import type { WordPlace } from './model.ts'
import { type ScalarRows, scalarRows, scalarsIn } from './tables-scalars.ts'

/** Place of each scalar, by row of the scalars. */
export type ScalarPlaces = ReadonlyMap<number, WordPlace>

/** Registers without a number have a negative one in 30 bits: what it stands for. */
const NUMBERLESS: ReadonlyMap<number, RegisterFileName> = new Map([
  [-2, 'input-primitive-id'],
  [-3, 'output-control-point-id'],
  [-5, 'thread-id'],
  [-6, 'thread-id-in-group'],
  [-7, 'thread-group-id'],
  [-8, 'thread-id-in-group-flattened'],
  [-10, 'gs-instance-id'],
])
const NUMBER_BITS = 30

const register = (file: RegisterFileName, indices: readonly number[], component: number): WordPlace => {
  return { kind: 'register', file, indices, component }
}

function inputPlace({ registerSet, bank, register: number, component, value }: DebugInput): WordPlace | undefined {
  if (registerSet === DEBUG_REGISTER_SET.literal) return { kind: 'literal', bits: value }
  if (component > 3) return undefined
  if (registerSet === DEBUG_REGISTER_SET.constantBuffer) return register('constant-buffer', [bank, number], component)
  if (registerSet !== DEBUG_REGISTER_SET.input) return undefined
  if (number < 2 ** (NUMBER_BITS - 1)) return register('input', [number], component)
  const file = NUMBERLESS.get(number - 2 ** NUMBER_BITS)
  return file === undefined ? undefined : register(file, [], component)
}

/** The register that an output writes at one component; undefined for what the program does not have. */
function outputPlace(o: DebugOutput, component: number, d: Declarations): WordPlace | undefined {
  switch (o.registerSet) {
    case DEBUG_REGISTER_SET.output:
      return register('output', [o.register], component)
    // Of stores and atomics, output 0 names a temp behind those that the program declares.
    case DEBUG_REGISTER_SET.temp:
      return o.register < d.tempCount ? register('temp', [o.register], component) : undefined
    case DEBUG_REGISTER_SET.indexableTemp:
      return register('indexable-temp', [o.arrayRegister, o.register], component)
    default:
      return undefined
  }
}

const keyOf = (p: WordPlace): string =>
  p.kind === 'register' ? `${p.file} ${p.indices.join(' ')}.${p.component}` : p.kind === 'literal' ? `${p.bits}` : ''

const WRITABLE: ReadonlySet<RegisterFileName> = new Set(['temp', 'indexable-temp', 'output'])

/** Scalars with their places, and the other way round. */
class Places {
  readonly byScalar: Map<number, WordPlace>
  readonly #scalars = new Map<string, Set<number>>()

  constructor(from: ScalarPlaces = new Map()) {
    this.byScalar = new Map()
    for (const [scalar, place] of from) this.put(scalar, place)
  }

  #drop(scalar: number): void {
    const place = this.byScalar.get(scalar)
    if (place === undefined) return
    this.byScalar.delete(scalar)
    this.#scalars.get(keyOf(place))?.delete(scalar)
  }

  put(scalar: number, place: WordPlace): void {
    this.#drop(scalar)
    this.byScalar.set(scalar, place)
    if (place.kind !== 'register') return
    const key = keyOf(place)
    const scalars = this.#scalars.get(key) ?? new Set()
    this.#scalars.set(key, scalars.add(scalar))
  }

  /** A subroutine was called, which may write every register that can be written. */
  overwriteAll(): void {
    for (const [scalar, place] of [...this.byScalar]) {
      if (place.kind === 'register' && WRITABLE.has(place.file)) this.#drop(scalar)
    }
  }

  /** A register component was written: what it held is gone. */
  overwrite(place: WordPlace): void {
    for (const scalar of [...(this.#scalars.get(keyOf(place)) ?? [])]) this.#drop(scalar)
  }
}

/** Elements of an array that a write with an index may change. */
const MAX_ELEMENTS = 4096

interface Flow {
  readonly tables: DebugTables
  readonly rows: ScalarRows
  readonly d: Declarations
  /** Steps that are left; damaged data costs no more. */
  left: number
}

/** A write of x# with an index: every element of the array that is nowhere else is in its place in the x#. */
function writeIndexed(f: Flow, places: Places, o: DebugOutput, component: number): void {
  const first = f.tables.scalars[o.variables[component]!]
  const variable = f.tables.scopeVariables[first?.scopeVariable ?? NO_DEBUG_ROW]
  const stride = variable?.strides[0] ?? 0
  const count = Math.min(variable?.elements[0] ?? 0, MAX_ELEMENTS)
  if (first === undefined || stride === 0 || o.registerSet !== DEBUG_REGISTER_SET.indexableTemp) return
  const scalars = scalarsIn(f.rows, first.scopeVariable)
  for (let i = 0; i < count && --f.left > 0; i++) {
    const place = register('indexable-temp', [o.arrayRegister, o.register + i], component)
    const scalar = scalars.get(first.offset + i * stride)
    if (scalar === undefined) continue
    const known = places.byScalar.get(scalar)
    if (known === undefined || keyOf(known) === keyOf(place)) places.put(scalar, place)
  }
}

/** The registers that a statement of the program writes, by destination; those that an index chooses are left out. */
function destinationsOf(program: Program, statement: number): readonly (readonly WordPlace[])[] {
  const s = program.statements[statement]
  const row = s?.kind === 'instruction' ? rowOfOpcode(s.opcode) : undefined
  if (s?.kind !== 'instruction' || row === undefined) return []
  return s.operands.flatMap((o, i) => {
    const file = row.operands[i]?.role === 'dest' ? registerFile(o.type)?.name : undefined
    const indices = o.indices.flatMap((x) => (x.kind === 'immediate' ? [x.value] : []))
    if (file === undefined || indices.length !== o.indices.length) return []
    return [writtenComponents(o).map((component) => register(file, indices, component))]
  })
}

function callsSubroutine(program: Program, statement: number): boolean {
  const s = program.statements[statement]
  const traits = s?.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined
  return traits?.kind === 'flow' && (traits.action === 'call' || traits.action === 'fcall')
}

/** Where an output goes: as the record says; of a temp that is not there, to the statement's own destination. */
function placesOf(o: DebugOutput, d: Declarations, own: readonly WordPlace[] | undefined): (WordPlace | undefined)[] {
  return [0, 1, 2, 3].map((c) => {
    if (o.components[c] === NO_DEBUG_ROW) return undefined
    return outputPlace(o, c, d) ?? (o.registerSet === DEBUG_REGISTER_SET.temp ? own?.[c] : undefined)
  })
}

function execute(f: Flow, places: Places, instruction: DebugInstruction, statement: number): void {
  const destinations = destinationsOf(f.d.program, statement)
  for (const place of destinations.flat()) places.overwrite(place)
  instruction.outputs.forEach((o, i) => {
    f.left -= 5
    if (o.register === NO_DEBUG_ROW) return
    const isIndexed = o.indexRegister !== NO_DEBUG_ROW
    const own = placesOf(o, f.d, destinations[i])
    for (const place of isIndexed ? [] : own) if (place !== undefined) places.overwrite(place)
    own.forEach((place, c) => {
      if (place === undefined || o.variables[c] === NO_DEBUG_ROW) return
      if (isIndexed) writeIndexed(f, places, o, c)
      else places.put(o.variables[c]!, place)
    })
  })
}

/** What both paths agree on; `b` itself where there was nothing before. True where `into` changed. */
function meet(into: Map<number, WordPlace>, b: ScalarPlaces): boolean {
  let changed = false
  for (const [scalar, place] of into) {
    const other = b.get(scalar)
    if (other !== undefined && keyOf(other) === keyOf(place)) continue
    into.delete(scalar)
    changed = true
  }
  return changed
}

const MAX_STEPS = 1 << 23

/** The places before each statement; undefined where the data needs too much. */
interface TablesFlow {
  readonly before: (statement: number) => ScalarPlaces
  readonly isComplete: boolean
}

const NOTHING: ScalarPlaces = new Map()

/** Follows every function of a program; `at` gives the record of a statement. */
export function followTables(
  tables: DebugTables,
  d: Declarations,
  at: (statement: number) => DebugInstruction | undefined,
): TablesFlow {
  const f: Flow = { tables, rows: scalarRows(tables), d, left: MAX_STEPS }
  const blocks = controlFlow(d.program).functions.flatMap((x) => x.blocks)
  const blockOf = new Map<number, BasicBlock>()
  for (const block of blocks) for (const statement of block.statements) blockOf.set(statement, block)
  const starts = new Map<number, Map<number, WordPlace>>()
  const initial = new Places()
  for (const input of tables.inputs) {
    const place = inputPlace(input)
    if (place !== undefined) initial.put(input.variable, place)
  }
  const run = (block: BasicBlock, until = Number.POSITIVE_INFINITY): Places => {
    const places = new Places(starts.get(block.number))
    f.left -= places.byScalar.size + block.statements.length
    for (const statement of block.statements) {
      if (statement >= until || f.left < 0) break
      const instruction = at(statement)
      if (instruction !== undefined) execute(f, places, instruction, statement)
      if (callsSubroutine(d.program, statement)) places.overwriteAll()
    }
    return places
  }
  const due = blocks.length === 0 ? [] : [blocks[0]!]
  if (due.length > 0) starts.set(due[0]!.number, new Map(initial.byScalar))
  const byNumber = new Map(blocks.map((b) => [b.number, b]))
  for (let block = due.pop(); block !== undefined && f.left > 0; block = due.pop()) {
    const after = run(block).byScalar
    for (const { to } of block.edges) {
      const next = typeof to === 'number' ? byNumber.get(to) : undefined
      if (next === undefined) continue
      const known = starts.get(next.number)
      f.left -= after.size
      if (known === undefined) starts.set(next.number, new Map(after))
      else if (!meet(known, after)) continue
      due.push(next)
    }
  }
  const isComplete = f.left > 0
  return {
    isComplete,
    before(statement) {
      const block = blockOf.get(statement)
      if (!isComplete || block === undefined || !starts.has(block.number)) return NOTHING
      f.left = MAX_STEPS
      return run(block, statement).byScalar
    },
  }
}
