import type { Declarations } from '../../engine/index.ts'
import {
  controlOf,
  coordinateCount,
  DIMENSION_NUMBER,
  FILE,
  type InstructionRow,
  rowOfOpcode,
  SATURATE,
  type Semantics,
  type Traits,
} from '../../isa/index.ts'
import { componentAt, type Instruction, type Operand, writeMask } from '../../program/index.ts'

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

/** One evaluation of an instruction's meaning: which words it takes and where its results go. */
export interface Evaluation {
  readonly sources: readonly { readonly operand: number; readonly position: number; readonly from: WordReference }[]
  readonly outputs: readonly {
    readonly to: WordReference
    readonly operand: number
    readonly result: number
    /** With `_sat`: positions among the results to saturate together. */
    readonly saturated: readonly number[]
  }[]
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
  readonly evaluations: readonly Evaluation[]
  readonly semantics: Semantics | undefined
  /** The word that a conditional statement tests. */
  readonly tested: WordReference | undefined
  /** Loads and atomics: where the accessed dwords go, in the order of the memory event's entries. */
  readonly loaded: readonly WordReference[]
  /** Stores: the value's words by position; atomics: the value and what it is compared with. */
  readonly stored: readonly WordReference[]
}

export type AddressUse = 'address' | 'index' | 'coordinate'

const DEFINED: WordReference = { word: -1 }

export function layoutOf(d: Declarations): WordLayout {
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

const isNull = (o: Operand): boolean => o.type === FILE.null

/** Components of a destination's mask, ascending. */
function components(o: Operand): number[] {
  if (isNull(o)) return []
  const mask = writeMask(o)
  return [0, 1, 2, 3].filter((c) => (mask >> c) & 1)
}

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

/** Operands with the role `source` that steer sampling rather than carry a value: levels of detail, derivatives. */
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

/** Destinations and sources of a pure instruction, by operand index. */
function split(row: InstructionRow): { dests: number[]; sources: number[] } {
  const dests: number[] = []
  const sources: number[] = []
  row.operands.forEach((s, i) => void (s.role === 'dest' ? dests : sources).push(i))
  return { dests, sources }
}

function isSaturated(p: Planning): boolean {
  return p.row.controls.includes(SATURATE) && controlOf(p.instruction.controls, SATURATE) !== 0
}

function output(p: Planning, operand: number, component: number, result: number, saturated: readonly number[]) {
  return { to: wordOf(p.layout, p.instruction.operands[operand]!, component), operand, result, saturated }
}

function source(p: Planning, operand: number, position: number) {
  return { operand, position, from: sourceWord(p.layout, p.instruction.operands[operand]!, position) }
}

function componentwise(p: Planning): Evaluation[] {
  const { dests, sources } = split(p.row)
  const wanted = [0, 1, 2, 3].filter((c) => dests.some((d) => components(p.instruction.operands[d]!).includes(c)))
  const sat = isSaturated(p)
  return wanted.map((c) => ({
    sources: sources.map((i) => source(p, i, c)),
    outputs: dests.flatMap((d, result) =>
      components(p.instruction.operands[d]!).includes(c) ? [output(p, d, c, result, sat ? [result] : [])] : [],
    ),
  }))
}

function reduced(p: Planning): Evaluation[] {
  const { dests, sources } = split(p.row)
  const sat = isSaturated(p)
  const read = sources.flatMap((i) =>
    Array.from({ length: p.row.operands[i]!.components ?? 1 }, (_, c) => source(p, i, c)),
  )
  const outputs = dests.flatMap((d, result) =>
    components(p.instruction.operands[d]!).map((c) => output(p, d, c, result, sat ? [result] : [])),
  )
  return [{ sources: read, outputs }]
}

/** Doubles lie in .xy and .zw; 32-bit results go to the components of the mask in order (22.15.1). */
function paired(p: Planning): Evaluation[] {
  const { dests, sources } = split(p.row)
  const dest = dests[0]!
  const masked = components(p.instruction.operands[dest]!)
  const toDouble = p.row.operands[dest]!.type === 'f64'
  const pairNumbers = toDouble
    ? [0, 1].filter((n) => masked.some((c) => c >> 1 === n))
    : masked.slice(0, 2).map((_, i) => i)
  return pairNumbers.map((n) => ({
    sources: sources.flatMap((i) =>
      p.row.operands[i]!.type === 'f64' ? [source(p, i, n * 2), source(p, i, n * 2 + 1)] : [source(p, i, n)],
    ),
    outputs: (toDouble ? [n * 2, n * 2 + 1].filter((c) => masked.includes(c)) : [masked[n]!]).map((c) =>
      output(p, dest, c, toDouble ? c & 1 : 0, isSaturated(p) ? (toDouble ? [0, 1] : [0]) : []),
    ),
  }))
}

function evaluationsOf(p: Planning): Evaluation[] {
  if (p.row.traits.kind !== 'alu') return []
  switch (p.row.traits.lanes) {
    case 'componentwise':
      return componentwise(p)
    case 'reduce':
      return reduced(p)
    case 'pairs':
      return paired(p)
  }
}

/** The values that a store or atomic puts into memory. */
function storedWords(p: Planning): WordReference[] {
  const { traits } = p.row
  if (traits.kind !== 'store' && traits.kind !== 'atomic') return []
  const sources = p.row.operands.flatMap((s, i) => (s.role === 'source' ? [i] : []))
  if (traits.kind === 'atomic') return sources.map((i) => sourceWord(p.layout, p.instruction.operands[i]!, 0))
  return [0, 1, 2, 3].map((c) => sourceWord(p.layout, p.instruction.operands[sources[0]!]!, c))
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
  const evaluations = evaluationsOf(p)
  const dests = row.operands.flatMap((s, k) => (s.role === 'dest' ? [k] : []))
  const writes = dests.flatMap((d) => components(i.operands[d]!).map((c) => wordOf(layout, i.operands[d]!, c)))
  const reference = row.operands.flatMap((s, k) =>
    (row.traits.kind === 'sample' || row.traits.kind === 'gather') && s.role === 'source' && !steersSampling(row, k)
      ? [sourceWord(layout, i.operands[k]!, 0)]
      : [],
  )
  const values = [...evaluations.flatMap((e) => e.sources.map((s) => s.from)), ...reference]
  const addresses = addressesOf(p)
  const accesses = row.traits.kind === 'load' || row.traits.kind === 'atomic'
  const loaded =
    accesses && dests.length > 0
      ? components(i.operands[dests[0]!]!).map((c) => wordOf(layout, i.operands[dests[0]!]!, c))
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
    evaluations,
    semantics: row.traits.kind === 'alu' ? row.traits.semantics : undefined,
    tested,
    loaded,
    stored,
  }
}

/** The plans of a program's statements; undefined for those that touch no register. */
export function plansOf(d: Declarations, layout: WordLayout): readonly (StatementPlan | undefined)[] {
  return d.program.statements.map((s, at) => (s.kind === 'instruction' ? planOf(d, layout, s, at) : undefined))
}
