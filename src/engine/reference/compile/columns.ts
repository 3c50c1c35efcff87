import { type Declarations, indexableTempsOf } from '../../declarations.ts'
import { type EntryLayout, entryLayout } from '../../register-layout.ts'
import type { EntryDeclaration } from '../../stage-declarations.ts'

/**
 * Where a wave keeps its registers: columns of one word per lane, one after the other in one array. A column is named by
 * the index of its first element, so all lanes of temp r with component c lie together and a kernel walks them in order.
 */
export interface Columns {
  /** Elements of a column: the wave width. */
  readonly width: number
  /** Elements taken so far. */
  size: number
  /** First column of r0. */
  readonly temps: number
  readonly tempCount: number
  /** First column and element count of each x#. */
  readonly indexableTemps: ReadonlyMap<number, { readonly first: number; readonly count: number }>
  /** Registers of graphics stages: where their inputs and outputs lie, and the first column of each. */
  readonly layout: EntryLayout
  readonly inputs: number
  readonly outputs: number
  /** vThreadID.xyz, vThreadGroupID.xyz, vThreadIDInGroup.xyz, vThreadIDInGroupFlattened. */
  readonly threadId: number
  readonly groupId: number
  readonly threadIdInGroup: number
  readonly flattened: number
  /** Words of all columns above: what a wave's registers are, and what differs from wave to wave between statements. */
  readonly registerWords: number
  /** Columns that hold one constant in every lane. */
  readonly constants: Map<number, number>
  /** Columns that hold one word of a constant buffer or this[] register in every lane, filled once a dispatch. */
  readonly uniforms: Map<string, Uniform & { readonly column: number }>
  /** Columns that statements use for intermediate values; free between statements. */
  readonly scratch: number[]
  /** Steps over columns that statements have been made into so far. */
  steps: number
}

/** A word that is the same for every thread of a dispatch. */
export type Uniform =
  | { readonly kind: 'constant-buffer'; readonly slot: number; readonly constant: number; readonly component: number }
  | { readonly kind: 'this'; readonly index: number; readonly component: number }

const NO_REGISTERS: EntryLayout = { inputs: { blocks: [], slotCount: 0 }, outputs: { blocks: [], slotCount: 0 } }

export function createColumns(d: Declarations, entry: EntryDeclaration, width: number): Columns {
  let size = 0
  const take = (columns: number): number => {
    const first = size
    size += columns * width
    return first
  }
  const temps = take(d.tempCount * 4)
  const indexableTemps = new Map(
    indexableTempsOf(d, entry).map((x) => [x.register, { first: take(x.count * 4), count: x.count }] as const),
  )
  // Compute shaders have system values alone, in columns of their own.
  const layout = d.stage.kind === 'compute' ? NO_REGISTERS : entryLayout(entry)
  const outputs = take(layout.outputs.slotCount)
  const threadId = take(3)
  const groupId = take(3)
  const threadIdInGroup = take(3)
  const flattened = take(1)
  const inputs = take(layout.inputs.slotCount)
  return {
    width,
    size,
    temps,
    tempCount: d.tempCount,
    indexableTemps,
    layout,
    inputs,
    outputs,
    registerWords: size,
    threadId,
    groupId,
    threadIdInGroup,
    flattened,
    constants: new Map(),
    uniforms: new Map(),
    scratch: [],
    steps: 0,
  }
}

function takeColumn(c: Columns): number {
  const column = c.size
  c.size += c.width
  return column
}

/** The column of a constant, made at its first use. */
export function constantColumn(c: Columns, bits: number): number {
  const key = bits | 0
  const known = c.constants.get(key)
  if (known !== undefined) return known
  const column = takeColumn(c)
  c.constants.set(key, column)
  return column
}

/** The column of a uniform word, made at its first use. */
export function uniformColumn(c: Columns, uniform: Uniform): number {
  const key = JSON.stringify(uniform)
  const known = c.uniforms.get(key)
  if (known !== undefined) return known.column
  const column = takeColumn(c)
  c.uniforms.set(key, { ...uniform, column })
  return column
}

/** Scratch column number `index` of a statement. */
export function scratchColumn(c: Columns, index: number): number {
  while (c.scratch.length <= index) c.scratch.push(takeColumn(c))
  return c.scratch[index]!
}
