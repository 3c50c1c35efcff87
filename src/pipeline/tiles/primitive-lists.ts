import type { RecordList } from '../pixels/index.ts'
import { BOX_PLAIN } from '../pixels/index.ts'
import { JOB, JOB_WORDS } from '../raster/index.ts'
import { FEW_PIXELS, MEASURED } from './chunk.ts'

/**
 * Lists of the primitives whose boxes touch each part of the targets. Boxes are collected first; then the lists are written one behind the
 * other, so that what reads one goes through memory in order.
 */

/** How targets are divided. */
interface Division {
  /** Logarithms of a part's width and height. */
  readonly widthShift: number
  readonly heightShift: number
  readonly columns: number
  readonly rows: number
}

/** Where lists are written. */
export interface ListWords extends Pick<RecordList, 'boxes' | 'entries'> {
  /** By part the first entry of its list, and the one behind the last. */
  readonly heads: Int32Array
  readonly ends: Int32Array
}

export class PrimitiveLists {
  readonly #division: Division
  /** By part how many primitives touch it. */
  readonly #counts: Int32Array
  #words: ListWords | undefined
  count = 0
  /** Entries of all lists. */
  entryCount = 0

  constructor(division: Division) {
    this.#division = division
    this.#counts = new Int32Array(division.columns * division.rows)
  }

  /** Begins lists of no primitives. */
  open(words: ListWords): void {
    this.#words = words
    this.#counts.fill(0)
    this.count = 0
    this.entryCount = 0
  }

  /** Adds the next primitive, with the pixels that it may have: some, and none beyond 16384. */
  add(isPlain: boolean, left: number, top: number, right: number, bottom: number): void {
    const { boxes } = this.#words!
    const counts = this.#counts
    const { widthShift, heightShift, columns } = this.#division
    const at = this.count++ * 2
    boxes[at] = left | (right << 16) | (isPlain ? BOX_PLAIN : 0)
    boxes[at + 1] = top | (bottom << 16)
    const lastRow = (bottom - 1) >> heightShift
    const first = left >> widthShift
    const last = (right - 1) >> widthShift
    for (let row = top >> heightShift; row <= lastRow; row++) {
      for (let part = row * columns + first; part <= row * columns + last; part++) counts[part]!++
    }
    this.entryCount += (lastRow - (top >> heightShift) + 1) * (last - first + 1)
  }

  /** Adds plain primitives with the boxes of jobs. */
  addPlain(jobs: Int32Array, count: number): void {
    for (let n = 0, job = 0; n < count; n++, job += JOB_WORDS) {
      this.add(true, jobs[job + JOB.left]!, jobs[job + JOB.top]!, jobs[job + JOB.right]!, jobs[job + JOB.bottom]!)
    }
  }

  /** Whether boxes have many pixels in the mean, of the first ones. */
  get hasMuch(): boolean {
    const { boxes } = this.#words!
    const count = Math.min(MEASURED, this.count)
    let pixels = 0
    for (let n = 0; n < count; n++) {
      const [xs, ys] = [boxes[n * 2]!, boxes[n * 2 + 1]!]
      pixels += (((xs >>> 16) & 0x7fff) - (xs & 0xffff)) * (((ys >>> 16) & 0x7fff) - (ys & 0xffff))
    }
    return pixels >= count * FEW_PIXELS
  }

  /** Writes the lists. */
  close(): void {
    const { boxes, entries, heads, ends } = this.#words!
    const counts = this.#counts
    const { widthShift, heightShift, columns } = this.#division
    let next = 0
    for (let part = 0; part < counts.length; part++) {
      heads[part] = next
      ends[part] = next
      next += counts[part]!
    }
    for (let n = 0; n < this.count; n++) {
      const [xs, ys] = [boxes[n * 2]!, boxes[n * 2 + 1]!]
      const lastRow = (((ys >>> 16) & 0x7fff) - 1) >> heightShift
      const first = (xs & 0xffff) >> widthShift
      const last = (((xs >>> 16) & 0x7fff) - 1) >> widthShift
      for (let row = (ys & 0xffff) >> heightShift; row <= lastRow; row++) {
        for (let part = row * columns + first; part <= row * columns + last; part++) {
          const end = ends[part]!
          entries[end] = n
          ends[part] = end + 1
        }
      }
    }
  }
}
