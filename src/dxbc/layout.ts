import { alignUp, type ByteWriter, latin1 } from './bytes.ts'

/**
 * Where the parts of a chunk stand when that is not where fxc would put them. fxc writes the parts in one fixed order,
 * each after the last, strings and equal arrays once; the codecs have that order, so a model of an fxc chunk has no
 * layout at all. Dropping a layout is always allowed: the chunk is then written in fxc's order.
 */
export interface ChunkLayout {
  /** Pairs of a part (counted in writing order, from 0) and its byte offset in the chunk. */
  readonly placements?: readonly (readonly [part: number, byteOffset: number])[]
  /** Length of the chunk where it is not the end of the last part, aligned. */
  readonly byteLength?: number
  /** Bytes that belong to no part and are not the usual padding. */
  readonly fill?: readonly FillBytes[]
}

/** Bytes between the parts of a chunk that are not what fxc fills with. */
export interface FillBytes {
  readonly byteOffset: number
  readonly bytes: Uint8Array
}

/** The key of a part that is shared with every part of the same bytes. Strings are their own keys: they hold no zero. */
export function dataKey(data: Uint8Array): string {
  return `\0${latin1(data)}`
}

/** fxc pads what it aligns with this byte. */
export const PAD_BYTE = 0xab

/**
 * Assigns byte offsets to parts in writing order. Encoder and decoder of a chunk walk the model in the same order:
 * the encoder calls `place`, the decoder passes to `observe` where the part really stands, and what differs from the
 * prediction becomes the model's layout.
 */
export class Placer {
  readonly #fixed: Map<number, number>
  readonly #shared = new Map<string, number>()
  readonly #deviations: (readonly [number, number])[] = []
  readonly #starts: number[]
  readonly #ends: number[]
  #part = 0
  #cursor: number

  constructor(start: number, layout?: ChunkLayout) {
    this.#cursor = start
    this.#fixed = new Map(layout?.placements ?? [])
    this.#starts = [0]
    this.#ends = [start]
  }

  /** End of the last part so far. */
  get cursor(): number {
    return this.#cursor
  }

  get deviations(): readonly (readonly [number, number])[] {
    return this.#deviations
  }

  /** Calls `visit` with the ends of every gap between parts, up to `byteLength`, in ascending order. */
  visitGaps(byteLength: number, visit: (from: number, to: number) => void): void {
    const order = this.#starts.map((_, i) => i)
    if (this.#starts.some((start, i) => i > 0 && start < this.#starts[i - 1]!)) {
      order.sort((a, b) => this.#starts[a]! - this.#starts[b]!)
    }
    let end = 0
    for (const i of order) {
      if (this.#starts[i]! > end) visit(end, this.#starts[i]!)
      end = Math.max(end, this.#ends[i]!)
    }
    if (byteLength > end) visit(end, byteLength)
  }

  /** Offset of the next part. Parts with the same `key` share one place; `usual` is a place that fxc gives it anyway. */
  place(byteLength: number, alignment: number, key?: string, usual?: number): number {
    const predicted = usual ?? this.#predict(alignment, key)
    return this.#settle(this.#fixed.get(this.#part) ?? predicted, byteLength, key)
  }

  /** The decoder's `place`: the next part stands at `actual`. */
  observe(actual: number, byteLength: number, alignment: number, key?: string, usual?: number): void {
    if (actual !== (usual ?? this.#predict(alignment, key))) this.#deviations.push([this.#part, actual])
    this.#settle(actual, byteLength, key)
  }

  #predict(alignment: number, key: string | undefined): number {
    return (key === undefined ? undefined : this.#shared.get(key)) ?? alignUp(this.#cursor, alignment)
  }

  #settle(byteOffset: number, byteLength: number, key: string | undefined): number {
    this.#part++
    const shared = key === undefined ? undefined : this.#shared.get(key)
    if (key !== undefined && shared === undefined) this.#shared.set(key, byteOffset)
    if (shared !== byteOffset) {
      this.#starts.push(byteOffset)
      this.#ends.push(byteOffset + byteLength)
    }
    this.#cursor = Math.max(this.#cursor, byteOffset + byteLength)
    return byteOffset
  }
}

/** The layout that a decoder found, or nothing when the chunk stands as fxc writes it. */
export function observedLayout(
  bytes: Uint8Array,
  placer: Placer,
  endAlignment: number,
  padByte = PAD_BYTE,
): ChunkLayout | undefined {
  const fill = strayBytes(bytes, placer, padByte)
  const usual = alignUp(placer.cursor, endAlignment)
  if (fill.length === 0 && placer.deviations.length === 0 && bytes.length === usual) return undefined
  return {
    ...(placer.deviations.length > 0 ? { placements: placer.deviations } : {}),
    ...(bytes.length !== usual ? { byteLength: bytes.length } : {}),
    ...(fill.length > 0 ? { fill } : {}),
  }
}

/** The bytes outside every part that are not padding. */
function strayBytes(bytes: Uint8Array, placer: Placer, padByte: number): FillBytes[] {
  const stray: FillBytes[] = []
  placer.visitGaps(bytes.length, (from, to) => {
    for (let i = from; i < to; i++) {
      if (bytes[i] !== padByte) {
        stray.push({ byteOffset: from, bytes: bytes.slice(from, to) })
        return
      }
    }
  })
  return stray
}

/** Pads the part to its end, puts the bytes that belong to nothing where they were, and cuts it to a stated length. */
export function finishChunk(
  out: ByteWriter,
  placer: Placer,
  layout: ChunkLayout | undefined,
  endAlignment: number,
): Uint8Array {
  out.reserve(layout?.byteLength ?? alignUp(placer.cursor, endAlignment))
  for (const fill of layout?.fill ?? []) out.set(fill.byteOffset, fill.bytes)
  const bytes = out.finish()
  return layout?.byteLength === undefined ? bytes : bytes.slice(0, layout.byteLength)
}
