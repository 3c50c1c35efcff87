import type { QuadMemory, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'

/**
 * Points that invocations of a geometry shader emitted, each of them some or none, as rows one behind the other: one loop over the
 * invocations, whose four pixels are words of a row.
 */

/** Words that stand beside each other in the source and in the copy: bytes there and here, and how many. */
export type WordRun = readonly [from: number, to: number, count: number]

/** Words of its memory, each by its number: places count in bytes from where the memory starts. */
interface EmittedPlaces {
  /** The first point that the first invocation may have emitted, where its registers begin. */
  readonly points: number
  /** The first row. */
  readonly rows: number
  /** How many the first invocation emitted; those of the others follow. */
  readonly counts: number
  /** How many invocations there are, and how many they emitted together. */
  readonly invocationCount: number
  readonly pointCount: number
}

export interface EmittedShape {
  readonly runs: readonly WordRun[]
  /** Points of an invocation at the most. */
  readonly most: number
  /** Bytes from invocation to invocation, and from point to point. */
  readonly invocationBytes: number
  readonly pointBytes: number
  /** Words of a point that may be read. */
  readonly wordCount: number
  /** Bytes from row to row. */
  readonly stride: number
}

/** Points of an invocation that are copied without a look at how many there are. */
const MOST_AT_ONCE = 4

/** A copy of a word, or of four that stand beside each other. */
interface WordCopy {
  readonly from: number
  readonly to: number
  readonly count: 1 | 4
}

/** Copies of a row, in their order: four words too where a later copy of the row writes those that are too many. */
function wordCopies(runs: readonly WordRun[], wordCount: number): WordCopy[] {
  return runs.flatMap(([from, to, count], n): WordCopy[] => {
    const writtenLater = (byte: number): boolean =>
      runs.slice(n + 1).some(([, first, words]) => byte >= first && byte < first + words * 4)
    const extra = [0, 1, 2, 3].slice(count).map((w) => to + w * 4)
    if (from + 16 <= wordCount * 4 && extra.every(writtenLater)) return [{ from, to, count: 4 }]
    return Array.from({ length: count }, (_, w) => ({ from: from + w * 4, to: to + w * 4, count: 1 }))
  })
}

export function emittedProgram(shape: EmittedShape, places: EmittedPlaces): QuadProgram {
  const { runs, most, invocationBytes, pointBytes, wordCount, stride } = shape
  const copies = wordCopies(runs, wordCount)
  const meaning = <V>(o: ValueOps<V>, m: QuadMemory<V>): void => {
    const c = (n: number): V => o.constant(n)
    const word = (n: number): V => m.load(c(n * 4), 1)[0]!
    const inRow = o.i32Add(o.shiftLeft(m.row, c(3)), o.shiftLeft(m.column, c(2)))
    const copy = (point: V, row: V): void => {
      for (const { from, to, count } of copies) {
        const ofLane = (at: V): V => (count === 4 ? o.i32Add(at, inRow) : at)
        m.store(o.i32Add(ofLane(row), c(to)), m.load(o.i32Add(ofLane(point), c(from)), 1))
      }
    }
    const counts = word(places.counts)
    const end = o.shiftLeft(word(places.invocationCount), c(2))
    const emittedBy = (i: V): V => m.load(o.i32Add(counts, i), 1)[0]!
    let state: readonly V[] = [c(0), word(places.points), word(places.rows), word(places.pointCount)]
    if (most <= MOST_AT_ONCE) {
      // What is copied too much is overwritten by the rows behind.
      state = m.repeat(
        state,
        ([i, , , left]) => o.and(o.i32Less(i!, end), o.not(o.i32Less(left!, c(most)))),
        ([i, point, row, left]) => {
          const emitted = emittedBy(i!)
          for (let n = 0; n < most; n++) copy(o.i32Add(point!, c(n * pointBytes)), o.i32Add(row!, c(n * stride)))
          return [
            o.i32Add(i!, c(4)),
            o.i32Add(point!, c(invocationBytes)),
            o.i32Add(row!, o.i32Mul(emitted, c(stride))),
            o.i32Sub(left!, emitted),
          ]
        },
      )
    }
    m.repeat(
      state.slice(0, 3),
      ([i]) => o.i32Less(i!, end),
      ([i, point, row]) => {
        const bytes = o.i32Mul(emittedBy(i!), c(pointBytes))
        const [, next] = m.repeat(
          [c(0), row!],
          ([at]) => o.i32Less(at!, bytes),
          ([at, to]) => {
            copy(o.i32Add(point!, at!), to!)
            return [o.i32Add(at!, c(pointBytes)), o.i32Add(to!, c(stride))]
          },
        )
        return [o.i32Add(i!, c(4)), o.i32Add(point!, c(invocationBytes)), next!]
      },
    )
  }
  return { key: JSON.stringify(['emitted', shape, places]), keepsDenormals: true, meaning }
}
