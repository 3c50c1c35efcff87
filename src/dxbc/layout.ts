import { alignUp, type ByteWriter, latin1 } from './bytes.ts'

/**
 * Where the parts of a chunk stand when that is not where fxc would put them. fxc writes the parts in one fixed order,
 * each after the last, strings and equal arrays once; the codecs know that order, so a model of an fxc chunk has no
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

export interface FillBytes {
  readonly byteOffset: number
  readonly bytes: Uint8Array
}

/** The key of a part that is shared with every part of the same bytes. */
export function dataKey(data: Uint8Array): string {
  return `data ${latin1(data)}`
}

/** fxc pads what it aligns with this byte. */
export const PAD_BYTE = 0xab

/**
 * Assigns byte offsets to parts in writing order. Encoder and decoder of a chunk walk the model in the same order:
 * the encoder asks `place`, the decoder tells `observe` where the part really stands, and what differs from the
 * prediction becomes the model's layout.
 */
export class Placer {
  readonly #fixed: Map<number, number>
  readonly #shared = new Map<string, number>()
  readonly #deviations: (readonly [number, number])[] = []
  readonly #covered: (readonly [number, number])[] = []
  #part = 0
  #cursor: number

  constructor(start: number, layout?: ChunkLayout) {
    this.#cursor = start
    this.#fixed = new Map(layout?.placements ?? [])
    this.#covered.push([0, start])
  }

  /** End of the last part so far. */
  get cursor(): number {
    return this.#cursor
  }

  get deviations(): readonly (readonly [number, number])[] {
    return this.#deviations
  }

  /** [start, end) of every part placed so far, in writing order. */
  get covered(): readonly (readonly [number, number])[] {
    return this.#covered
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
    const again = key !== undefined && this.#shared.get(key) === byteOffset
    if (key !== undefined && !this.#shared.has(key)) this.#shared.set(key, byteOffset)
    if (!again) this.#covered.push([byteOffset, byteOffset + byteLength])
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
  const fill = strayBytes(bytes, placer.covered, padByte)
  const usual = alignUp(placer.cursor, endAlignment)
  const layout: { -readonly [K in keyof ChunkLayout]: ChunkLayout[K] } = {}
  if (placer.deviations.length > 0) layout.placements = placer.deviations
  if (bytes.length !== usual) layout.byteLength = bytes.length
  if (fill.length > 0) layout.fill = fill
  return Object.keys(layout).length > 0 ? layout : undefined
}

/** The bytes outside every part that are not padding. */
function strayBytes(bytes: Uint8Array, covered: readonly (readonly [number, number])[], padByte: number): FillBytes[] {
  const sorted = [...covered].sort((a, b) => a[0] - b[0])
  const stray: FillBytes[] = []
  let end = 0
  for (const [from, to] of [...sorted, [bytes.length, bytes.length] as const]) {
    const gap = bytes.subarray(end, Math.max(end, from))
    if (gap.some((b) => b !== padByte)) stray.push({ byteOffset: end, bytes: gap.slice() })
    end = Math.max(end, to)
  }
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
