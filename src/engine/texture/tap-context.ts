import type { Format } from '../../isa/formats/index.ts'
import type { Sampler, TextureSrv } from '../../machine/index.ts'
import type { Builder, Value } from '../ir/index.ts'

/** What finding, fetching and blending the taps of an access share. */

/** What stays the same over the taps of one access. */
export interface TapContext {
  readonly o: Builder
  readonly statement: number
  readonly binding: number
  readonly view: TextureSrv
  readonly sampler: Sampler
  /** The format that texels have where code reads them. */
  readonly stored: Format
  readonly axes: 1 | 2 | 3
  /** Normalized coordinates, as many as there are axes; of the face for cubes. */
  readonly coordinates: readonly Value[]
  readonly offsets: readonly Value[]
  /** First array slice of the access, or of the cube. */
  readonly slice: Value
  readonly face: Value | undefined
  /** Components that are wanted; of comparisons the first alone. */
  readonly wanted: readonly boolean[]
  /** What a texel's R becomes when it is compared. */
  readonly compare: ((texel: Value) => Value) | undefined
}

/** Where the taps of an access on a mip are: byte offsets from the view's base, and what is special about them. */
export interface TapPlaces {
  readonly offsets: readonly Value[]
  readonly weights: readonly Value[]
  /** Lanes whose tap takes the border color; undefined where none does. */
  readonly outside: readonly (Value | undefined)[]
  /** Lanes whose second texel in u stands right behind the first in memory; undefined where that is not known. */
  readonly neighbors: Value | undefined
  /** Lanes of a cube whose tap is the corner that does not exist, by tap; undefined without a cube or a filter. */
  readonly corners: readonly Value[] | undefined
}
