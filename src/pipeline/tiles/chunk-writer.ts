import type { VertexArray } from '../geometry.ts'
import {
  type CurrentPrimitive,
  isEmpty,
  MAX_SMALL_PIXELS,
  type PixelRect,
  RECORD,
  RECORD_WORDS,
  type SetUpPrimitive,
  type VertexWords,
} from '../raster/index.ts'
import { type ChunkWords, COUNT, MAX_ENTRIES, MAX_PRIMITIVES, MAX_VERTEX_WORDS, type TileGrid } from './chunk.ts'
import { PrimitiveLists } from './primitive-lists.ts'

/** Fills chunks: primitives with the vertices that they name, listed by the tiles that their boxes touch. */

/** Pixels that lines, points and conservative coverage go beyond the box of the positions, at the most. */
const WIDTH = 2

/** Writes a primitive as a record, with the clip distances that cut it, of those that the rasterizer is given. */
export function writeRecord(
  p: SetUpPrimitive,
  clipDistances: readonly number[],
  words: Int32Array,
  floats: Float32Array,
  at: number,
): void {
  p.write(words, floats, at)
  let cutting = 0
  for (const word of p.clipDistances) cutting |= 1 << clipDistances.indexOf(word)
  words[at + RECORD.clipDistances] = cutting
}

export class ChunkWriter {
  readonly #grid: TileGrid
  readonly #clipDistances: readonly number[]
  readonly #margin: number
  #chunk: ChunkWords | undefined
  readonly #lists: PrimitiveLists
  #vertexWords = 0
  tileCount = 0
  /** Numbers in the chunk of vertices, and the turn in which they were given. */
  #numbers = new Int32Array(1024)
  #turns = new Int32Array(1024)
  #turn = 0
  /** Vertices that were copied as a whole: in which turn, from which up to which, and what is added to their numbers in the chunk. */
  #copiedTurn = -1
  #copiedFrom = 0
  #copiedEnd = 0
  #firstVertex = 0

  /** `isExact` says that triangles cover no pixel beyond the box of their positions. */
  constructor(grid: TileGrid, clipDistances: readonly number[], isExact: boolean) {
    this.#grid = grid
    this.#lists = new PrimitiveLists(grid)
    this.#margin = isExact ? 0 : WIDTH
    this.#clipDistances = clipDistances
  }

  /** Whether a chunk is being filled. */
  get isOpen(): boolean {
    return this.#chunk !== undefined
  }

  open(chunk: ChunkWords): void {
    this.#chunk = chunk
    this.#lists.open(chunk)
    this.#vertexWords = 0
    this.forgetVertices()
  }

  /** Writes what the chunk has by tiles. */
  close(): void {
    const { counts, heads, ends, tiles } = this.#chunk!
    counts[COUNT.hasMuch] = this.#lists.hasMuch ? 1 : 0
    this.#lists.close()
    const { columns, rows } = this.#grid
    let count = 0
    for (let tile = 0; tile < columns * rows; tile++) {
      if (heads[tile] !== ends[tile]) tiles[count++] = tile
    }
    this.tileCount = count
    this.#chunk = undefined
  }

  get primitiveCount(): number {
    return this.#lists.count
  }

  /** Vertices have been replaced by others of the same numbers. */
  forgetVertices(): void {
    this.#turn++
  }

  /** Whether a primitive with vertices of so many words fits for certain. */
  hasSpaceFor(vertexWords: number): boolean {
    return (
      this.primitiveCount < MAX_PRIMITIVES &&
      this.#vertexWords + 4 * vertexWords <= MAX_VERTEX_WORDS &&
      this.#lists.entryCount + this.#grid.columns * this.#grid.rows <= MAX_ENTRIES
    )
  }

  get words(): Int32Array {
    return this.#chunk!.primitives
  }

  get floats(): Float32Array {
    return this.#chunk!.primitiveFloats
  }

  /** The element of the next record. */
  get end(): number {
    return this.primitiveCount * RECORD_WORDS
  }

  /** Adds the triangle whose record has been written at the end, with the pixels that it may have. */
  addRecord(vertices: VertexArray, left: number, top: number, right: number, bottom: number): void {
    this.#numberVertices(vertices, this.end)
    this.#lists.add(true, left, top, right, bottom)
  }

  /** Small triangles that fit for certain, their vertices aside. */
  get space(): number {
    const { widthShift, heightShift, columns, rows } = this.#grid
    const touched = (shift: number, most: number): number => Math.min(most, ((MAX_SMALL_PIXELS - 2) >> shift) + 2)
    const entries = touched(widthShift, columns) * touched(heightShift, rows)
    const ofLists = Math.floor((MAX_ENTRIES - this.#lists.entryCount) / entries)
    return Math.min(MAX_PRIMITIVES - this.primitiveCount, ofLists)
  }

  /**
   * Copies vertices of an array as a whole, from one up to another: what is added to their numbers in the array for those in the chunk,
   * undefined where they do not fit.
   */
  copyVertices({ words, registerCount }: VertexArray, from: number, end: number): number | undefined {
    const width = registerCount * 4
    const isNear = this.#copiedTurn === this.#turn && from >= this.#copiedFrom && from <= this.#copiedEnd
    if (isNear && end <= this.#copiedEnd) return this.#firstVertex
    // Those that are missing go behind the others, unless something else has come there.
    const isLast = isNear && (this.#firstVertex + this.#copiedEnd) * width === this.#vertexWords
    const first = isLast ? this.#copiedEnd : from
    const missing = (end - first) * width
    if (this.#vertexWords + missing > MAX_VERTEX_WORDS) return undefined
    if (!isLast) {
      this.#firstVertex = width === 0 ? 0 : this.#vertexWords / width - from
      this.#copiedFrom = from
    }
    this.#chunk!.vertices.set(words.subarray(first * width, end * width), this.#vertexWords)
    this.#vertexWords += missing
    this.#copiedEnd = end
    this.#copiedTurn = this.#turn
    return this.#firstVertex
  }

  /** Adds small triangles whose whole records have been written from the end on, with the boxes of jobs. */
  addWhole(jobs: Int32Array, count: number): void {
    this.#lists.addPlain(jobs, count)
  }

  /** Adds a primitive, in the pixels of `bounds`. */
  add(p: SetUpPrimitive, vertices: VertexWords, bounds: PixelRect): void {
    const box = this.#boxOf(p, bounds)
    if (isEmpty(box)) return
    this.#write(p, vertices, this.end)
    this.#lists.add(false, box.left, box.top, box.right, box.bottom)
  }

  #boxOf({ kind, x, y }: CurrentPrimitive, bounds: PixelRect): PixelRect {
    const last = kind === 'triangle' ? 2 : kind === 'line' ? 1 : 0
    const margin = kind === 'triangle' ? this.#margin : WIDTH
    let [left, right, top, bottom] = [x[0]!, x[0]!, y[0]!, y[0]!]
    for (let i = 1; i <= last; i++) {
      left = Math.min(left, x[i]!)
      right = Math.max(right, x[i]!)
      top = Math.min(top, y[i]!)
      bottom = Math.max(bottom, y[i]!)
    }
    return {
      left: Math.max(bounds.left, (left >> 8) - margin),
      top: Math.max(bounds.top, (top >> 8) - margin),
      right: Math.min(bounds.right, (right >> 8) + 1 + margin),
      bottom: Math.min(bounds.bottom, (bottom >> 8) + 1 + margin),
    }
  }

  #write(p: SetUpPrimitive, vertices: VertexWords, at: number): void {
    const { primitives: w, primitiveFloats: f } = this.#chunk!
    writeRecord(p, this.#clipDistances, w, f, at)
    this.#numberVertices(vertices.array, at)
  }

  /** Gives a record the numbers that its vertices have in the chunk. */
  #numberVertices(vertices: VertexArray, at: number): void {
    const { primitives: w } = this.#chunk!
    for (let i = 0; i < 4; i++) w[at + RECORD.vertices + i] = this.#numberOf(w[at + RECORD.vertices + i]!, vertices)
  }

  /** The number of a vertex in the chunk, which gets its words with the first primitive that names it. */
  #numberOf(vertex: number, array: VertexArray): number {
    const isCopied = this.#copiedTurn === this.#turn && vertex >= this.#copiedFrom && vertex < this.#copiedEnd
    if (isCopied) return this.#firstVertex + vertex
    if (vertex >= this.#numbers.length) this.#grow(vertex + 1)
    if (this.#turns[vertex] === this.#turn) return this.#numbers[vertex]!
    const width = array.registerCount * 4
    const first = this.#vertexWords
    const from = vertex * width
    const { words } = array
    const { vertices } = this.#chunk!
    for (let i = 0; i < width; i++) vertices[first + i] = words[from + i]!
    this.#vertexWords = first + width
    const number = width === 0 ? 0 : first / width
    this.#turns[vertex] = this.#turn
    this.#numbers[vertex] = number
    return number
  }

  #grow(least: number): void {
    const length = Math.max(least, this.#numbers.length * 2)
    const [numbers, turns] = [new Int32Array(length), new Int32Array(length)]
    numbers.set(this.#numbers)
    turns.set(this.#turns)
    this.#numbers = numbers
    this.#turns = turns
  }
}
