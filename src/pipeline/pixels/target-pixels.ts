import type { QuadMemory } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import type { TargetView } from '../../machine/index.ts'

/** The pixels of a quad in a target, as programs of quads read and write them: whole pixels with all their samples. */

/** What addresses depend on beside parameters of a call. */
interface PixelLayout {
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

/** All ones where sample `s` of a pixel's mask is set. */
export const isSampleSet = <V>(o: ValueOps<V>, masks: V, s: number): V =>
  o.shiftRightArithmetic(o.shiftLeft(masks, o.constant(31 - s)), o.constant(31))
