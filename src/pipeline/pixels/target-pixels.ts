import type { QuadKernel, QuadMemory, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import type { TargetView } from '../../machine/index.ts'
import type { PixelRect } from '../raster/index.ts'
import { PARAMETER, QUAD_MEMORY, type QuadMemory as QuadMemoryWords } from './quads.ts'

/** The pixels of a quad in a target, as programs of quads read and write them: whole pixels with all their samples. */

/** What addresses depend on beside parameters of a call. */
export interface PixelLayout {
  readonly rowPitch: number
  /** Words of all samples of a pixel. */
  readonly wordCount: number
  /** Every quad lies in the target as a whole. */
  readonly hasWholeQuads: boolean
}

export function pixelLayout({ rowPitch, bytesPerTexel, sampleCount, width, height }: TargetView): PixelLayout {
  const hasWholeQuads = width % 2 === 0 && height % 2 === 0
  return { rowPitch, wordCount: (bytesPerTexel * sampleCount) / 4, hasWholeQuads }
}

/** A layout as JSON, for keys of programs. */
export const layoutText = ({ rowPitch, wordCount, hasWholeQuads }: PixelLayout): string =>
  `[${rowPitch},${wordCount},${hasWholeQuads}]`

interface TargetPixels<V> {
  readonly words: readonly V[]
  /** Replaces all of them. One thread has a quad at a time: words that stay the same may be written too. */
  store(words: readonly V[]): void
}

/** Words of one access. */
const MOST_WORDS = 4

/** Reads the pixels of a quad whose first pixel is at `first`. Pixels without a covered sample may lie outside of the target. */
export function targetPixels<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  layout: PixelLayout,
  first: V,
  masks: V,
): TargetPixels<V> {
  const { rowPitch, wordCount, hasWholeQuads } = layout
  const inQuad = o.i32Add(o.i32Mul(m.row, o.constant(rowPitch)), o.i32Mul(m.column, o.constant(wordCount * 4)))
  const valid = hasWholeQuads ? undefined : o.not(o.i32Equal(masks, o.constant(0)))
  return pixelsAt(o, m, layout, o.i32Add(first, inQuad), valid)
}

/** Reads pixels at addresses of their own; where `valid` is given, those for which it is 0 are not there. */
export function pixelsAt<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  { wordCount }: PixelLayout,
  at: V,
  valid?: V,
): TargetPixels<V> {
  const parts = Array.from({ length: Math.ceil(wordCount / MOST_WORDS) }, (_, n) => ({
    address: o.i32Add(at, o.constant(n * MOST_WORDS * 4)),
    from: n * MOST_WORDS,
    to: Math.min(wordCount, (n + 1) * MOST_WORDS),
  }))
  return {
    words: parts.flatMap(({ address, from, to }) => m.load(address, to - from, valid)),
    store(words) {
      for (const { address, from, to } of parts) m.store(address, words.slice(from, to), valid)
    },
  }
}

/** Bytes of a line of the cache, and lines that are read in a round. */
const LINE_BYTES = 64
const LINES = 4

/** Reads a word of each line of a range, which then is in the cache: one line after the other, as processors read ahead. */
const READ_AHEAD: QuadProgram = {
  key: '["read ahead"]',
  meaning<V>(o: ValueOps<V>, m: QuadMemory<V>): void {
    const c = (n: number): V => o.constant(n)
    const parameter = (n: number): V => m.load(c(QUAD_MEMORY.parameters + n * 4), 1)[0]!
    const end = parameter(PARAMETER.readTo)
    const [, read] = m.repeat(
      [parameter(PARAMETER.readFrom), c(0)],
      ([at]) => o.i32Less(at!, end),
      ([at, before]) => {
        const words = Array.from({ length: LINES }, (_, n) => m.load(o.i32Add(at!, c(n * LINE_BYTES)), 1)[0]!)
        return [o.i32Add(at!, c(LINES * LINE_BYTES)), words.reduce((a, b) => o.or(a, b), before as V)]
      },
    )
    m.store(c(QUAD_MEMORY.parameters + PARAMETER.read * 4), [read!])
  },
}

/** Pixels of a triangle's box from which it is counted on: each of its lines is needed soon. */
const COUNTED_PIXELS = 128

/** Parts of targets that many triangles lie in, read before these: what waits for one line of memory after the other waits longer. */
export class ReadAhead {
  readonly #memory: QuadMemoryWords
  readonly #views: readonly TargetView[]
  #kernel: QuadKernel | undefined

  /** The views lie in the memory that programs reach. */
  constructor(memory: QuadMemoryWords, views: readonly (TargetView | undefined)[]) {
    this.#memory = memory
    this.#views = views.filter((view) => view !== undefined)
  }

  /** Reads the rows of a part in the first slice, where so many triangles of it come next, and it has most of each row. */
  read({ left, top, right, bottom }: PixelRect, count: number): void {
    const { parameters, start, kernels } = this.#memory
    if (count * COUNTED_PIXELS < (right - left) * (bottom - top)) return
    this.#kernel ??= kernels?.quadKernelFor(READ_AHEAD)
    for (const { storage, byteOffset, rowPitch, width, height } of this.#views) {
      if ((Math.min(right, width) - left) * 2 < width) continue
      const from = storage.byteOffset + byteOffset + top * rowPitch - start
      // A round does not go beyond the end.
      const rounds = Math.floor(((Math.min(bottom, height) - top) * rowPitch) / (LINES * LINE_BYTES))
      parameters[PARAMETER.readFrom] = from
      parameters[PARAMETER.readTo] = from + rounds * LINES * LINE_BYTES
      this.#kernel?.run(1, start)
    }
  }
}

/** All ones where sample `s` of a pixel's mask is set. */
export const isSampleSet = <V>(o: ValueOps<V>, masks: V, s: number): V =>
  o.shiftRightArithmetic(o.shiftLeft(masks, o.constant(31 - s)), o.constant(31))
