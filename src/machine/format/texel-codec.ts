/** What reads and writes one texel of a format: the types that `codec.ts` and the decoders of block formats share. */
import type { Storage } from '../memory.ts'

/**
 * Reads one texel into `out[at .. at+3]`: float bits or integers, as the format's `result` says, missing components as
 * 0, 0, 0, 1. `byteOffset` is that of the element or block from the storage's start; `inBlock` is the texel's place in a
 * block, row by row, and ignored by linear formats.
 */
export type TexelDecoder = (storage: Storage, byteOffset: number, inBlock: number, out: Uint32Array, at: number) => void

/** Writes one element from `values[at .. at+3]`. */
export type TexelEncoder = (storage: Storage, byteOffset: number, values: Uint32Array, at: number) => void

export interface TexelCodec {
  readonly decode: TexelDecoder
  /** Absent for block formats, which are never written texel by texel. */
  readonly encode?: TexelEncoder
}
