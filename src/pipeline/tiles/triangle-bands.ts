import { compileThresholds } from '../compile-thresholds.ts'
import type { VertexArray } from '../geometry.ts'
import { type PixelStage, type RecordList, TRIANGLES_OF_A_CALL } from '../pixels/index.ts'
import {
  isEmpty,
  JOB,
  JOB_WORDS,
  MAX_SMALL_PIXELS,
  type PixelRect,
  RECORD,
  RECORD_WORDS,
  type RecordSink,
  type TriangleSource,
  type VertexSource,
} from '../raster/index.ts'
import { arePartsWorthIt, FEW_PIXELS, MEASURED, SAMPLE_BYTES } from './chunk.ts'
import { FEW_TRIANGLES, rangeOfVertices } from './chunk-sink.ts'
import { type ListWords, PrimitiveLists } from './primitive-lists.ts'

/**
 * Small triangles of a draw that are listed by bands of the targets: the pixels of one band after the other are found, so that its part
 * of the targets stays in the cache. In the order of the draw each line of large targets is read from memory once for every few triangles
 * that lie there, which takes as long as the tests of their samples. Pixels keep their order, since each is in one band.
 */

const SMALLEST_SHIFT = 4

/** How much there is room for. */
interface Room {
  readonly triangles: number
  readonly vertexWords: number
  readonly entries: number
}

/** Logarithm of how many times the room grows at the most: 19 MB then, of targets of 512 MB and more. */
const MOST_GROWTH = 4

/**
 * Triangles lie farther apart in larger targets. More of them are listed there, so that a line of a target still has several triangles, and
 * is read from memory once for all of them.
 */
function roomFor(targetBytes: number): Room {
  const doublings = Math.floor(Math.log2(targetBytes / compileThresholds.bandRoomBytes))
  const growth = 2 ** Math.max(0, Math.min(MOST_GROWTH, doublings))
  // With the records a power of two, as memory is given out.
  const vertexWords = 131_072 * growth - RECORD_WORDS
  return { triangles: 4096 * growth, vertexWords, entries: 32_768 * growth }
}

/** What is done with the list of a band from an entry up to another, the first of it where it is new: the entry that comes next. */
type FindPixels = (list: RecordList, from: number, end: number, band: PixelRect, isNew: boolean) => number

/** What sets triangles up, and the programs that the draw wants. */
type BandPixels = Pick<PixelStage, 'setupCode' | 'wanted'>

type TakeWords = (wordCount: number) => Int32Array

export class TriangleBands implements RecordSink {
  /** Copies of the vertices that listed triangles name. */
  readonly vertices: VertexArray
  readonly words: Int32Array
  readonly floats: Float32Array
  readonly #source: VertexArray
  readonly #bounds: PixelRect
  readonly #shift: number
  readonly #lists: PrimitiveLists
  readonly #listWords: ListWords
  readonly #bandCount: number
  /** Triangles whose boxes have been measured, and the pixels of these. */
  #measured = 0
  #pixels = 0
  /** Nothing is added before all that is listed is done. */
  mustYield = false
  #band = 0
  /** The band whose pixels have been found in part; -1 where it has not begun. */
  #begun = -1
  /** The lists are written. */
  #isListed = false

  readonly #setup: BandPixels['setupCode']
  readonly #wanted: BandPixels['wanted']
  readonly #room: Room

  private constructor(
    source: VertexArray,
    bounds: PixelRect,
    shift: number,
    room: Room,
    { setupCode, wanted }: BandPixels,
    take: TakeWords,
  ) {
    this.#setup = setupCode
    this.#wanted = wanted
    this.#room = room
    // Code that sets triangles up may write behind the last record.
    const recordsWords = (room.triangles + 1) * RECORD_WORDS
    // One range, so that code reaches both or, where there is no memory of the engine, neither.
    const both = take(recordsWords + room.vertexWords)
    const words = both.subarray(0, recordsWords)
    const vertices = both.subarray(recordsWords, recordsWords + room.vertexWords)
    this.#source = source
    this.#bounds = bounds
    this.#shift = shift
    this.words = words
    this.floats = new Float32Array(words.buffer, words.byteOffset, words.length)
    this.vertices = { registerCount: source.registerCount, count: 0, words: vertices, vertexMemory: undefined }
    this.#bandCount = ((bounds.bottom - 1) >> shift) + 1
    this.#lists = new PrimitiveLists({ widthShift: 15, heightShift: shift, columns: 1, rows: this.#bandCount })
    this.#listWords = {
      boxes: take(2 * room.triangles),
      entries: take(room.entries),
      heads: new Int32Array(this.#bandCount),
      ends: new Int32Array(this.#bandCount),
    }
    this.#lists.open(this.#listWords)
  }

  /** For triangles of an array of vertices in the memory of the draw; undefined where targets are small or there is no memory. */
  static create(
    source: VertexArray,
    bounds: PixelRect,
    sampleCount: number,
    pixels: BandPixels,
  ): TriangleBands | undefined {
    const { vertexMemory, registerCount } = source
    const rowBytes = (bounds.right - bounds.left) * sampleCount * SAMPLE_BYTES
    if (vertexMemory === undefined || isEmpty(bounds) || !arePartsWorthIt(bounds, sampleCount)) return
    const room = roomFor(rowBytes * (bounds.bottom - bounds.top))
    if (registerCount * 12 > room.vertexWords) return
    const shift = Math.max(SMALLEST_SHIFT, Math.floor(Math.log2(compileThresholds.bandBytes / rowBytes)))
    return new TriangleBands(source, bounds, shift, room, pixels, (wordCount) => vertexMemory.take(wordCount))
  }

  /** Triangles are so small that bands take longer than they spare. */
  get areTooSmall(): boolean {
    return this.#measured >= MEASURED && this.#pixels < this.#measured * FEW_PIXELS
  }

  /** What is listed is done before more is added. */
  close(): void {
    this.mustYield = this.#lists.count > 0
  }

  begin(): number {
    return this.#lists.count * RECORD_WORDS
  }

  add(left: number, top: number, right: number, bottom: number): void {
    this.#copyVertices(this.#lists.count)
    this.#lists.add(true, left, top, right, bottom)
    this.#measure(left, top, right, bottom)
    if (!this.#hasRoom() || this.areTooSmall) this.mustYield = true
  }

  #measure(left: number, top: number, right: number, bottom: number): void {
    if (this.#measured === MEASURED) return
    this.#measured++
    this.#pixels += (right - left) * (bottom - top)
  }

  setsUp(count: number): boolean {
    return this.#setup.result === 'records' && this.#setup.setsUp(count)
  }

  place(source: VertexSource, from: number, count: number): boolean {
    return this.#setup.place(source, from, count, this.#wanted)
  }

  setUp(source: TriangleSource, from: number, to: number, bounds: PixelRect): number {
    const setup = this.#setup
    if (!setup.isReadyOrWanted(source, this.#wanted)) return from
    const width = this.vertices.registerCount * 4
    const { vertexWords } = this.#room
    const most = Math.min(to - from, TRIANGLES_OF_A_CALL, Math.floor(vertexWords / (3 * width)))
    const count = Math.min(most, this.#space)
    const [first, end] = rangeOfVertices(source, from, from + most)
    const firstVertex = this.vertices.count - first
    const hasRoom = (this.vertices.count + end - first) * width <= vertexWords
    if (count < Math.min(most, FEW_TRIANGLES) || !hasRoom) this.mustYield = this.#lists.count > 0
    if (count < FEW_TRIANGLES || !hasRoom) return from
    this.#copyRange(first, end)
    const byteOffset = this.words.byteOffset + this.begin() * 4
    const next = setup.run(source, from, from + count, bounds, { byteOffset, firstVertex })
    const { boxes: b, count: written } = setup
    this.#lists.addPlain(b, written)
    for (let n = 0; n < Math.min(written, MEASURED); n++) {
      const at = n * JOB_WORDS
      this.#measure(b[at + JOB.left]!, b[at + JOB.top]!, b[at + JOB.right]!, b[at + JOB.bottom]!)
    }
    if (!this.#hasRoom() || this.areTooSmall) this.mustYield = true
    return next
  }

  /** Small triangles that fit for certain, their vertices aside. */
  get #space(): number {
    const bands = Math.min(this.#bandCount, ((MAX_SMALL_PIXELS - 2) >> this.#shift) + 2)
    const { triangles, entries } = this.#room
    return Math.min(triangles - this.#lists.count, Math.floor((entries - this.#lists.entryCount) / bands))
  }

  /** Copies the vertices from one up to another behind those that there are. */
  #copyRange(first: number, end: number): void {
    const { vertices } = this
    const width = vertices.registerCount * 4
    vertices.words.set(this.#source.words.subarray(first * width, end * width), vertices.count * width)
    vertices.count += end - first
  }

  #hasRoom(): boolean {
    const { count, registerCount } = this.vertices
    const { triangles, vertexWords, entries } = this.#room
    const hasVertices = (count + 3) * registerCount * 4 <= vertexWords
    return this.#lists.count < triangles && hasVertices && this.#lists.entryCount + this.#bandCount <= entries
  }

  /** The vertices that a plain triangle names, of which the leading one is the first. */
  #copyVertices(number: number): void {
    const { words, vertices } = this
    const { words: from } = this.#source
    const width = vertices.registerCount * 4
    const at = number * RECORD_WORDS + RECORD.vertices
    const first = vertices.count
    for (let i = 0; i < 3; i++) {
      const [source, target] = [words[at + i]! * width, (first + i) * width]
      for (let n = 0; n < width; n++) vertices.words[target + n] = from[source + n]!
      words[at + i] = first + i
    }
    words[number * RECORD_WORDS + RECORD.leading] = first
    vertices.count = first + 3
  }

  /** Goes on with the lists where they are closed; whether nothing waits now. */
  run(find: FindPixels): boolean {
    if (!this.mustYield) return true
    const { boxes, entries, heads, ends } = this.#listWords
    if (!this.#isListed) this.#lists.close()
    this.#isListed = true
    const list = { primitives: this.words, boxes, entries }
    for (; this.#band < this.#bandCount; this.#band++) {
      const [head, end] = [heads[this.#band]!, ends[this.#band]!]
      if (head === end) continue
      const next = find(list, head, end, this.#rectOf(this.#band), this.#begun !== this.#band)
      this.#begun = this.#band
      heads[this.#band] = next
      if (next < end) return false
    }
    this.#band = 0
    this.#begun = -1
    this.#isListed = false
    this.#lists.open(this.#listWords)
    this.vertices.count = 0
    this.mustYield = false
    return true
  }

  #rectOf(band: number): PixelRect {
    const { left, right, top, bottom } = this.#bounds
    const [from, to] = [band << this.#shift, (band + 1) << this.#shift]
    return { left, right, top: Math.max(top, from), bottom: Math.min(bottom, to) }
  }
}
