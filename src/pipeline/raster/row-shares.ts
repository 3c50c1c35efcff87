import type { QuadMemory } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'

/**
 * Rows of the targets divided among threads once for a draw: bands of the targets' whole width, which the shares have by turns. Triangles
 * that have not been set up are listed for each share, once for each of its bands that they touch.
 */
export interface RowShares {
  /** Logarithm of a band's height. */
  readonly shift: number
  /** A power of 2. */
  readonly count: number
  /** Triangles have pixels, which may know which triangle is theirs. */
  readonly hasPixels: boolean
}

/** Words of a triangle in a list: its vertices, then the band; where there are pixels identifier and instance, and of clipped ones the leading vertex. */
export const LISTED = { vertices: 0, band: 3, id: 4, instance: 5, leading: 6 } as const
/** Bit of the band of a triangle that was clipped: its leading vertex may be another than the first. */
export const LISTED_CLIPPED = 1 << 16

export const listedWords = ({ hasPixels }: Pick<RowShares, 'hasPixels'>): number => (hasPixels ? 8 : 4)

/** Shares at the most. */
export const MOST_SHARES = 16

/** Four triangles, by lane. */
interface ListedTriangles<V> {
  /** Numbers of their vertices. */
  readonly vertices: readonly [V, V, V]
  /** Their rows, of those that are kept. */
  readonly top: V
  readonly bottom: V
  readonly isKept: V
  /** Identifiers and instances, where there are pixels. */
  readonly identifiers: () => readonly [V, V]
}

/**
 * Lists four triangles for the shares whose bands they touch: that of one which is not listed lies where the next one goes. Lists lie `listBytes`
 * behind each other; `ends` are their next bytes, and those behind the four are the result.
 */
export function listByShares<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  { shift, count, hasPixels }: RowShares,
  ends: readonly V[],
  { vertices, top, bottom, isKept, identifiers }: ListedTriangles<V>,
): readonly V[] {
  const c = (n: number): V => o.constant(n >>> 0)
  const lane = o.i32Add(o.shiftLeft(m.row, c(1)), m.column)
  const lanesBefore = o.i32Sub(o.shiftLeft(c(1), lane), c(1))
  const bytes = (signs: V): V => o.shiftLeft(o.countBits(signs), c(hasPixels ? 5 : 4))
  const first = o.shiftRightLogical(top, c(shift))
  const last = o.shiftRightArithmetic(o.i32Sub(bottom, c(1)), c(shift))
  const ofTriangle = hasPixels ? identifiers() : []
  /** Of those that are listed the band of each share from one on. */
  const list = (from: V, isListed: V, before: readonly V[]): readonly V[] =>
    before.flatMap((end, share) => {
      const band = o.i32Add(from, o.and(o.i32Sub(c(share), from), c(count - 1)))
      const touches = m.signs(o.and(isListed, o.not(o.i32Less(last, band))))
      const listed = (): readonly V[] => {
        const at = o.i32Add(end, bytes(o.and(touches, lanesBefore)))
        m.store(at, [...vertices, band])
        if (hasPixels) m.store(o.i32Add(at, c(LISTED.id * 4)), ofTriangle)
        return [o.i32Add(end, bytes(touches))]
      }
      // Triangles that follow each other lie near each other: most touch one share.
      return m.choose(o.i32Equal(touches, c(0)), () => [end], listed)
    })
  // One that has two bands of a share comes with both before the next one.
  const isHigh = o.and(isKept, o.not(o.i32Less(last, o.i32Add(first, c(count)))))
  return m.choose(
    o.i32Equal(m.signs(isHigh), c(0)),
    () => list(first, isKept, ends),
    () =>
      m
        .repeat(
          [c(0), c(0), ...ends],
          ([number]) => o.i32Less(number!, c(4)),
          ([number, turns, ...before]) => {
            const from = o.i32Add(first, turns!)
            const isListed = o.and(o.and(isKept, o.i32Equal(lane, number!)), o.not(o.i32Less(last, from)))
            const isOver = o.i32Equal(m.signs(isListed), c(0))
            return [
              o.i32Sub(number!, isOver),
              o.select(isOver, c(0), o.i32Add(turns!, c(count))),
              ...list(from, isListed, before),
            ]
          },
        )
        .slice(2),
  )
}
