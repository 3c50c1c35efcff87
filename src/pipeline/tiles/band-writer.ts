import type { ElementKernels } from '../../engine/index.ts'
import { copyWords } from '../copy-words.ts'
import type { VertexArray } from '../geometry.ts'
import { type SetupCode, TRIANGLES_OF_A_CALL } from '../pixels/index.ts'
import {
  KNOWN,
  LISTED,
  LISTED_CLIPPED,
  listedWords,
  MAX_SMALL_PIXELS,
  type PixelRect,
  type PrimitiveSetup,
  RECORD,
  RECORD_WORDS,
  type RowShares,
  SCREEN,
  SCREEN_WORDS,
  type SetUpPrimitive,
  type TriangleSource,
} from '../raster/index.ts'
import { type BandChunk, listCapacity, MAX_SCREEN_VERTICES } from './band-chunk.ts'
import { MAX_VERTEX_WORDS } from './chunk.ts'

/** Fills chunks of triangles that have not been set up, listed for shares of rows. */

/** Vertices of a triangle that are copied by themselves at the most, with the leading one. */
const SPARE_VERTICES = 4

export class BandWriter {
  readonly #shares: RowShares
  readonly #kernels: ElementKernels | undefined
  readonly #words: number
  readonly #record = new Int32Array(RECORD_WORDS)
  readonly #floats = new Float32Array(this.#record.buffer)
  /** Triangles that the list of a share has room for; entries of one triangle in it at the most, of any and of a small one. */
  readonly #capacity: number
  readonly #mostBands: number
  readonly #bandsOfSmall: number
  #chunk: BandChunk | undefined
  #vertices: VertexArray | undefined
  #setup: PrimitiveSetup | undefined
  /**
   * Vertices of the array that are copied as a whole, from one up to, not including, another (-1 where no triangle of them has come). Others
   * were made by clipping, or there are more than a slot holds: each triangle has copies of its own of them.
   */
  #low = 0
  #known = -1
  /** The number of the first of them in the chunk; -1 where it has none of them. */
  #first = -1
  #vertexCount = 0
  /** The next byte of each list. */
  readonly #ends: Float64Array

  constructor(shares: RowShares, height: number, kernels: ElementKernels | undefined) {
    this.#kernels = kernels
    this.#shares = shares
    this.#words = listedWords(shares)
    this.#capacity = listCapacity(shares)
    const { count, shift } = shares
    this.#mostBands = Math.ceil(Math.ceil(height / 2 ** shift) / count)
    this.#bandsOfSmall = Math.ceil((((MAX_SMALL_PIXELS - 2) >> shift) + 2) / count)
    this.#ends = new Float64Array(count)
  }

  /** What triangles are of. */
  attach(vertices: VertexArray, setup: PrimitiveSetup): void {
    this.#vertices = vertices
    this.#setup = setup
  }

  get isOpen(): boolean {
    return this.#chunk !== undefined
  }

  open(chunk: BandChunk): void {
    this.#chunk = chunk
    this.#vertexCount = 0
    this.#first = -1
    for (const [share, { byteOffset }] of chunk.lists.entries()) this.#ends[share] = byteOffset
  }

  /** Triangles in the list of a share. */
  #countOf(share: number): number {
    return (this.#ends[share]! - this.#chunk!.lists[share]!.byteOffset) / (this.#words * 4)
  }

  /** Ends the chunk, and notes how much it has. */
  close(): void {
    this.#copyVertices()
    const { counts } = this.#chunk!
    for (let share = 0; share < counts.length; share++) counts[share] = this.#countOf(share)
    this.#chunk = undefined
  }

  /** Vertices are replaced by others of the same numbers. */
  forgetVertices(): void {
    if (this.isOpen) this.#copyVertices()
    this.#known = -1
    this.#low = 0
  }

  /** Vertices that fit a slot. */
  get #mostVertices(): number {
    const width = this.#shares.hasPixels ? this.#vertices!.registerCount * 4 : 0
    return width === 0 ? MAX_SCREEN_VERTICES : Math.min(MAX_SCREEN_VERTICES, Math.floor(MAX_VERTEX_WORDS / width))
  }

  /** Whether one more triangle fits for certain. */
  get hasSpace(): boolean {
    this.#begin()
    const ofArray = this.#first < 0 ? this.#known - this.#low : 0
    return this.#room >= this.#mostBands && this.#vertexCount + ofArray + SPARE_VERTICES <= this.#mostVertices
  }

  /** Entries that each list has room for. */
  get #room(): number {
    let most = 0
    for (let share = 0; share < this.#ends.length; share++) most = Math.max(most, this.#countOf(share))
    return this.#capacity - most
  }

  /** Triangles of the vertices that there are now come for the first time. */
  #begin(): void {
    if (this.#known < 0) this.#know(0)
  }

  /** From now on the vertices from `low` on are copied as a whole, where a slot has room. */
  #know(low: number): void {
    const { count } = this.#vertices!
    this.#low = low
    this.#known = count - low + SPARE_VERTICES <= this.#mostVertices ? count : low
  }

  /** Whether code can take triangles: it does where all their vertices are copied as a whole. */
  takes(vertices: Int32Array, from: number, to: number): boolean {
    this.#begin()
    if (this.#low === 0 && this.#known === this.#vertices!.count) return true
    let [least, most] = [vertices[from * 3]!, 0]
    for (let i = from * 3; i < to * 3; i++) {
      const vertex = vertices[i]!
      if (vertex < least) least = vertex
      if (vertex > most) most = vertex
    }
    if (least >= this.#known) {
      // A geometry shader has made more.
      if (this.isOpen) this.#copyVertices()
      this.#know(this.#known)
    }
    return least >= this.#low && most < this.#known
  }

  /** The number in the chunk that vertex 0 of the array has, or would have. */
  #firstVertex(): number {
    this.#begin()
    if (this.#first < 0) {
      this.#first = this.#vertexCount
      this.#vertexCount += this.#known - this.#low
    }
    return this.#first - this.#low
  }

  /** Copies the vertices that triangles of the chunk name as they are. */
  #copyVertices(): void {
    const first = this.#first
    this.#first = -1
    if (first < 0) return
    const [low, known] = [this.#low, this.#known]
    const { screen, vertices } = this.#chunk!
    const copy = (to: Int32Array, from: Int32Array, width: number): void =>
      copyWords(this.#kernels, to, first * width, from, low * width, known * width)
    copy(screen, this.#setup!.screenWords, SCREEN_WORDS)
    const { words, registerCount } = this.#vertices!
    if (this.#shares.hasPixels) copy(vertices, words, registerCount * 4)
  }

  /** Has code list triangles, as many as fit; answers the first that it has not. */
  addByCode(code: SetupCode, source: TriangleSource, from: number, to: number, bounds: PixelRect): number {
    const most = Math.min(TRIANGLES_OF_A_CALL, Math.floor(this.#room / this.#bandsOfSmall))
    return code.list(source, [from, Math.min(to, from + most)], bounds, this.#ends, this.#firstVertex())
  }

  /** Adds a triangle by its record, with the rows that its pixels may be in. */
  addRecord(record: Int32Array, top: number, bottom: number): void {
    const first = this.#firstVertex()
    const isKnown = this.#isKnown(record)
    const { shift, count } = this.#shares
    const [a, b, c] = [0, 1, 2].map((i) => {
      const vertex = record[RECORD.vertices + i]!
      return isKnown ? first + vertex : this.#copyVertex(vertex)
    }) as [number, number, number]
    const { lists } = this.#chunk!
    const isClipped = this.#shares.hasPixels && !isKnown
    const leading = isClipped ? this.#copyLeading(record[RECORD.leading]!, first) : 0
    const last = (bottom - 1) >> shift
    for (let band = top >> shift; band <= last; band++) {
      const share = band & (count - 1)
      const list = lists[share]!
      const at = (this.#ends[share]! - list.byteOffset) >> 2
      list[at] = a
      list[at + 1] = b
      list[at + 2] = c
      list[at + LISTED.band] = isClipped ? band | LISTED_CLIPPED : band
      this.#ends[share]! += this.#words * 4
      if (!this.#shares.hasPixels) continue
      list[at + LISTED.id] = record[RECORD.primitiveId]!
      list[at + LISTED.instance] = record[RECORD.instance]!
      list[at + LISTED.leading] = leading
    }
  }

  /** Whether the vertices of a record are copied as they are, inside of all planes. */
  #copyLeading(vertex: number, first: number): number {
    return this.#isWithin(vertex) ? first + vertex : this.#copyVertex(vertex)
  }

  #isWithin(vertex: number): boolean {
    return vertex >= this.#low && vertex < this.#known
  }

  #isKnown(record: Int32Array): boolean {
    const words = this.#setup!.screenWords
    for (let i = 0; i < 3; i++) {
      const vertex = record[RECORD.vertices + i]!
      if (!this.#isWithin(vertex) || words[vertex * SCREEN_WORDS + SCREEN.flags] !== KNOWN) return false
    }
    return true
  }

  /** Adds a triangle that has been set up, in the pixels of `bounds`. */
  add(p: SetUpPrimitive, bounds: PixelRect): void {
    const { x, y } = p
    const top = Math.max(bounds.top, Math.min(y[0]!, y[1]!, y[2]!) >> 8)
    const bottom = Math.min(bounds.bottom, (Math.max(y[0]!, y[1]!, y[2]!) >> 8) + 1)
    const isBeside =
      (Math.max(x[0]!, x[1]!, x[2]!) >> 8) + 1 <= bounds.left || Math.min(x[0]!, x[1]!, x[2]!) >> 8 >= bounds.right
    if (top >= bottom || isBeside) return
    p.write(this.#record, this.#floats, 0)
    this.addRecord(this.#record, top, bottom)
  }

  /** Copies one vertex behind the others; its number in the chunk. What was clipped lies inside of all planes. */
  #copyVertex(vertex: number): number {
    const { screen, vertices } = this.#chunk!
    const number = this.#vertexCount++
    const from = vertex * SCREEN_WORDS
    screen.set(this.#setup!.screenWords.subarray(from, from + SCREEN_WORDS), number * SCREEN_WORDS)
    screen[number * SCREEN_WORDS + SCREEN.flags] = KNOWN
    if (this.#shares.hasPixels) {
      const { words, registerCount } = this.#vertices!
      const width = registerCount * 4
      vertices.set(words.subarray(vertex * width, (vertex + 1) * width), number * width)
    }
    return number
  }
}
