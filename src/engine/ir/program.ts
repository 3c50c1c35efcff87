import type { Declarations } from '../declarations.ts'
import type { BindingTable } from './bindings.ts'
import type { Builder } from './builder.ts'
import type { EffectItem, Region, Value } from './value.ts'

/** A whole program of the compiler, as translation makes it, passes rewrite it and engines emit it. */

/** A statement that reads a computed word of other lanes of its quad, and before which item of a region it stands. */
export interface NeighborRead {
  readonly region: Region
  readonly position: number
  readonly statement: number
}

/** The program as values in structured regions, before or after simplification. */
export interface Lowered {
  readonly declarations: Declarations
  readonly builder: Builder
  readonly root: Region
  readonly bindings: BindingTable
  /** Private arrays: x# registers that are indexed by values, as constants of four words. */
  readonly privateArrays: readonly { readonly register: number; readonly count: number }[]
  /** As translation leaves it; passes move items and do not keep it. */
  readonly neighborReads?: readonly NeighborRead[]
}

/**
 * Code for a texel operation on views whose formats are known: its results (those that are wanted), after the items they
 * need were pushed; undefined where the host is to do it.
 */
export type ExpandTexel = (
  o: Builder,
  item: Extract<EffectItem, { kind: 'texel' }>,
  wanted: readonly boolean[],
) => readonly (Value | undefined)[] | undefined
