import type { Declarations } from '../../engine/index.ts'
import {
  coordinateCount,
  DIMENSION_NUMBER,
  FILE,
  type InstructionRow,
  type OperandRole,
  rowOfOpcode,
  type Semantics,
  type Traits,
} from '../../isa/index.ts'
import {
  componentAt,
  evaluationsOf,
  type Instruction,
  type Operand,
  type OperandIndex,
  type WordRead,
  type WordWrite,
  writtenComponents,
} from '../../program/index.ts'

/**
 * What each statement reads and writes of a thread's own registers, worked out once. Registers are numbered in words:
 * four for each r#, then four for each element of each x#.
 */
export interface WordLayout {
  readonly wordCount: number
  readonly tempCount: number
  /** First word and elements of each x#. */
  readonly indexable: ReadonlyMap<number, { readonly first: number; readonly count: number }>
}

/** A word of a register: fixed, or of an element that a register chooses (`computed`). */
export interface WordReference {
  /** The word, or the first word of x# where computed; -1 for operands that are always defined. */
  readonly word: number
  readonly computed?: { readonly count: number; readonly component: number; readonly operand: Operand }
}

/** One evaluation of an instruction's meaning, with the register words that it takes and writes. */
export interface RegisterEvaluation {
  readonly sources: readonly (WordRead & { readonly from: WordReference })[]
  readonly outputs: readonly (WordWrite & { readonly to: WordReference })[]
  /** The outputs are the results of the meaning, one for one. */
  readonly isPlain: boolean
}

export interface StatementPlan {
  readonly statement: number
  readonly instruction: Instruction
  readonly row: InstructionRow
  readonly traits: Traits
  /** Fixed words read as values, and computed ones. */
  readonly reads: Int32Array
  readonly computedReads: readonly WordReference[]
  readonly writes: Int32Array
  readonly computedWrites: readonly WordReference[]
  /** Words that choose an address, an index or a texel: undefined ones matter at once. */
  readonly addresses: readonly { readonly from: WordReference; readonly use: AddressUse }[]
  readonly addressWords: Int32Array
  /** One of the addresses is an element of x# that a register chooses. */
  readonly hasComputedAddress: boolean
  readonly evaluations: readonly RegisterEvaluation[]
  readonly semantics: Semantics | undefined
  /** The word that a conditional statement tests. */
  readonly tested: WordReference | undefined
  /** Loads and atomics: where the accessed dwords go, in the order of the memory event's entries. */
  readonly loaded: readonly WordReference[]
  /** Stores: the value's words by position; atomics: the value and what it is compared with. */
  readonly stored: readonly { readonly from: WordReference; readonly operand: number }[]
  /** Operands whose registers may be read past their end, where what that gives is followed to where it matters. */
  readonly followed: ReadonlySet<number>
}

export type AddressUse = 'address' | 'index' | 'coordinate'

const DEFINED: WordReference = { word: -1 }

function layoutOf(d: Declarations): WordLayout {
  let wordCount = d.tempCount * 4
  const indexable = new Map<number, { first: number; count: number }>()
  for (const x of d.indexableTemps) {
    indexable.set(x.register, { first: wordCount, count: x.count })
    wordCount += x.count * 4
  }
  return { wordCount, tempCount: d.tempCount, indexable }
}

const immediateIndex = (o: Operand, n: number): number => {
  const index = o.indices[n]
  return index?.kind === 'immediate' ? index.value : -1
}

/** The word of a component of a register operand. */
function wordOf(layout: WordLayout, o: Operand, component: number): WordReference {
  if (o.type === FILE.temp) {
    const register = immediateIndex(o, 0)
    return register >= 0 && register < layout.tempCount ? { word: register * 4 + component } : DEFINED
  }
  if (o.type !== FILE['indexable-temp']) return DEFINED
  const x = layout.indexable.get(immediateIndex(o, 0))
  if (x === undefined) return DEFINED
  const index = o.indices[1]
  if (index?.kind === 'immediate') {
    return index.value < x.count ? { word: x.first + index.value * 4 + component } : DEFINED
  }
  return { word: x.first, computed: { count: x.count, component, operand: o } }
}

const sourceWord = (layout: WordLayout, o: Operand, position: number): WordReference =>
  wordOf(layout, o, componentAt(o, position))

/** Dimensions whose loads name a mip in .w. */
const WITHOUT_MIP: ReadonlySet<number> = new Set([
  DIMENSION_NUMBER.buffer,
  DIMENSION_NUMBER.texture2dms,
  DIMENSION_NUMBER.texture2dmsarray,
])

interface Planning {
  readonly declarations: Declarations
  readonly layout: WordLayout
  readonly instruction: Instruction
  readonly row: InstructionRow
}

/** Dimension of the resource that the statement names, declared or extended; 0 where unknown. */
function dimensionOf(p: Planning): number {
  const at = p.row.operands.findIndex((s) => s.role === 'resource' || s.role === 'memory')
  const o = p.instruction.operands[at]
  if (o === undefined) return 0
  const id = immediateIndex(o, 0)
  const ranges = o.type === FILE.uav ? p.declarations.uavs : p.declarations.resources
  const declared = ranges.find((r) => r.id === id)?.dimension
  const extended = p.instruction.extended.find((e) => e.kind === 'resource-dimension')
  return declared ?? extended?.dimension ?? 0
}

/** Positions of an address operand that the access uses. */
function addressPositions(p: Planning, operand: number): number[] {
  const { traits } = p.row
  const slot = p.row.operands[operand]!
  if (slot.components === 1) return [0]
  const first = (count: number): number[] => [0, 1, 2, 3].slice(0, count)
  const dimension = dimensionOf(p)
  switch (traits.kind) {
    case 'atomic': {
      const o = p.instruction.operands[p.row.operands.findIndex((s) => s.role === 'memory')]!
      if (o.type === FILE.tgsm) {
        return first(
          p.declarations.tgsm.find((t) => t.register === immediateIndex(o, 0))?.shape === 'structured' ? 2 : 1,
        )
      }
      if (dimension === DIMENSION_NUMBER.structuredBuffer) return first(2)
      return first(coordinateCount(dimension) ?? 1)
    }
    case 'load': {
      const o = p.instruction.operands[p.row.operands.findIndex((s) => s.role === 'resource')]!
      const coordinates = first(coordinateCount(dimension) ?? 4)
      const hasMip = o.type !== FILE.uav && !WITHOUT_MIP.has(dimension)
      return hasMip && !coordinates.includes(3) ? [...coordinates, 3] : coordinates
    }
    case 'store':
      return first(coordinateCount(dimension) ?? 4)
    case 'gather':
      return slot.type === 'i32' ? first(2) : first(coordinateCount(dimension) ?? 4)
    default:
      return first(coordinateCount(dimension) ?? 4)
  }
}

/** Operands with the role `source` that steer sampling and are no part of the value: levels of detail, derivatives. */
function steersSampling(row: InstructionRow, operand: number): boolean {
  const slot = row.operands[operand]!
  const comparison = (row.traits.kind === 'sample' || row.traits.kind === 'gather') && row.traits.comparison
  if (row.traits.kind !== 'sample' || slot.role !== 'source') return false
  // Of a comparison sample the first source is the reference value; it is a value like any other.
  const firstSource = row.operands.findIndex((s) => s.role === 'source')
  return !(comparison && operand === firstSource)
}

/** The words that choose where something is: addresses, and the registers inside computed indices of any operand. */
function addressesOf(p: Planning): { from: WordReference; use: AddressUse }[] {
  const { instruction, row, layout } = p
  const found: { from: WordReference; use: AddressUse }[] = []
  const sampling = row.traits.kind === 'sample' || row.traits.kind === 'gather'
  instruction.operands.forEach((o, i) => {
    for (const index of o.indices) {
      if (!('register' in index)) continue
      found.push({ from: sourceWord(layout, index.register, 0), use: 'index' })
      for (const inner of index.register.indices) {
        if ('register' in inner) found.push({ from: sourceWord(layout, inner.register, 0), use: 'index' })
      }
    }
    if (row.operands[i]?.role === 'address') {
      const use = sampling ? 'coordinate' : 'address'
      for (const c of addressPositions(p, i)) found.push({ from: sourceWord(layout, o, c), use })
    } else if (row.operands[i] !== undefined && steersSampling(row, i)) {
      const count = row.operands[i]!.components ?? Math.min(3, coordinateCount(dimensionOf(p)) ?? 3)
      for (let c = 0; c < count; c++) found.push({ from: sourceWord(layout, o, c), use: 'coordinate' })
    }
  })
  return found.filter((f) => f.from.word >= 0)
}

function evaluations(p: Planning): RegisterEvaluation[] {
  const { instruction, row, layout } = p
  return evaluationsOf(instruction, row).map((e) => ({
    sources: e.sources.map((s) => ({ ...s, from: sourceWord(layout, instruction.operands[s.operand]!, s.position) })),
    outputs: e.outputs.map((o) => ({ ...o, to: wordOf(layout, instruction.operands[o.operand]!, o.component) })),
    isPlain: e.outputs.every((o, n) => o.result === n && o.saturated.length === 0),
  }))
}

/** The values that a store or atomic puts into memory. */
function storedWords(p: Planning): StatementPlan['stored'] {
  const { traits } = p.row
  if (traits.kind !== 'store' && traits.kind !== 'atomic') return []
  const sources = p.row.operands.flatMap((s, i) => (s.role === 'source' ? [i] : []))
  const word = (operand: number, position: number) => ({
    from: sourceWord(p.layout, p.instruction.operands[operand]!, position),
    operand,
  })
  if (traits.kind === 'atomic') return sources.map((operand) => word(operand, 0))
  return [0, 1, 2, 3].map((position) => word(sources[0]!, position))
}

/** Registers that are named by a literal number and exist, and literals, have no end to be read past. */
const hasEnd = (o: Operand): boolean => o.type !== FILE.temp && o.indices.length > 0

/**
 * Values of pure instructions, stores and atomics that may be read past a register's end. Where an index has a computed index itself, either may be the one that
 * is out of bounds: a value that serves as an index matters at once.
 */
function followedOperands({ instruction, row }: Planning): ReadonlySet<number> {
  const { kind } = row.traits
  if (kind !== 'alu' && kind !== 'store' && kind !== 'atomic') return new Set()
  const isSource = (role: OperandRole): boolean => (kind === 'alu' ? role !== 'dest' : role === 'source')
  const isPlain = (index: OperandIndex): boolean =>
    !('register' in index) || !index.register.indices.some((inner) => 'register' in inner)
  const all = instruction.operands.flatMap((o, i) =>
    row.operands[i] !== undefined && isSource(row.operands[i].role) && hasEnd(o) && o.indices.every(isPlain) ? [i] : [],
  )
  return new Set(all)
}

/** The words that a sample compares with or that a conditional statement tests. */
function testedWord(p: Planning): WordReference | undefined {
  if (p.row.traits.kind !== 'flow') return undefined
  const at = p.row.operands.findIndex((s) => s.role === 'condition' || s.role === 'source')
  const o = p.instruction.operands[at]
  if (o === undefined) return undefined
  const from = sourceWord(p.layout, o, 0)
  return from.word < 0 ? undefined : from
}

const fixed = (words: readonly WordReference[]): Int32Array =>
  Int32Array.from(new Set(words.filter((w) => w.word >= 0 && w.computed === undefined).map((w) => w.word)))
const computed = (words: readonly WordReference[]): WordReference[] => words.filter((w) => w.computed !== undefined)

function planOf(declarations: Declarations, layout: WordLayout, i: Instruction, at: number): StatementPlan | undefined {
  const row = rowOfOpcode(i.opcode)
  if (row === undefined || row.traits.kind === 'declaration' || i.operands.length === 0) return undefined
  const p: Planning = { declarations, layout, instruction: i, row }
  const evaluated = evaluations(p)
  const dests = row.operands.flatMap((s, k) => (s.role === 'dest' ? [k] : []))
  const writes = dests.flatMap((d) => writtenComponents(i.operands[d]!).map((c) => wordOf(layout, i.operands[d]!, c)))
  const reference = row.operands.flatMap((s, k) =>
    (row.traits.kind === 'sample' || row.traits.kind === 'gather') && s.role === 'source' && !steersSampling(row, k)
      ? [sourceWord(layout, i.operands[k]!, 0)]
      : [],
  )
  const values = [...evaluated.flatMap((e) => e.sources.map((s) => s.from)), ...reference]
  const addresses = addressesOf(p)
  const accesses = row.traits.kind === 'load' || row.traits.kind === 'atomic'
  const loaded =
    accesses && dests.length > 0
      ? writtenComponents(i.operands[dests[0]!]!).map((c) => wordOf(layout, i.operands[dests[0]!]!, c))
      : []
  const stored = storedWords(p)
  const tested = testedWord(p)
  if (writes.length + stored.length + addresses.length === 0 && tested === undefined) return undefined
  return {
    statement: at,
    instruction: i,
    row,
    traits: row.traits,
    reads: fixed(values),
    computedReads: computed(values),
    writes: fixed(writes),
    computedWrites: computed(writes),
    addresses,
    addressWords: fixed(addresses.map((a) => a.from)),
    hasComputedAddress: addresses.some((a) => a.from.computed !== undefined),
    evaluations: evaluated,
    semantics: row.traits.kind === 'alu' ? row.traits.semantics : undefined,
    tested,
    loaded,
    stored,
    followed: followedOperands(p),
  }
}

interface PlannedProgram {
  readonly layout: WordLayout
  /** By statement; undefined for those that touch no register. */
  readonly plans: readonly (StatementPlan | undefined)[]
}

/** One shader is often checked with many inputs. */
const PLANNED = new WeakMap<Declarations, PlannedProgram>()

/** The plans of a program's statements. */
export function plannedProgram(d: Declarations): PlannedProgram {
  let planned = PLANNED.get(d)
  if (planned === undefined) {
    const layout = layoutOf(d)
    const plans = d.program.statements.map((s, at) => (s.kind === 'instruction' ? planOf(d, layout, s, at) : undefined))
    planned = { layout, plans }
    PLANNED.set(d, planned)
  }
  return planned
}
