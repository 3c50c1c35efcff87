import type { VertexArray } from '../geometry.ts'
import type { SetupCode } from '../pixels/index.ts'
import {
  KNOWN,
  type PixelRect,
  type PrimitiveSetup,
  RECORD,
  RECORD_WORDS,
  SCREEN,
  SCREEN_WORDS,
  type SetUpPrimitive,
} from '../raster/index.ts'
import {
  type BandChunk,
  type BandPlan,
  MAX_SCREEN_VERTICES,
  MAX_TRIANGLES,
  ROW_CLIPPED,
  ROW_MASK,
} from './band-chunk.ts'

/** Fills chunks of triangles with their rows, and divides the rows into bands of about as much work. */

/** What a triangle takes beside its rows, in rows of it. */
const TRIANGLE_COST = 6
/** One of so many triangles is looked at for their costs: those beside it are much like it. */
const SAMPLED = 4
/** Triangles of a band at the least. */
const FEW_TRIANGLES = 128
/** More than targets have. */
const MOST_ROWS = 1 << 15
/** Vertices of a triangle that are copied by themselves at the most, with the leading one. */
const SPARE_VERTICES = 4

export class BandWriter {
  readonly #plan: BandPlan
  readonly #costs: Float64Array
  readonly #record = new Int32Array(RECORD_WORDS)
  readonly #floats = new Float32Array(this.#record.buffer)
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
  /** Rows that triangles touch. */
  #top = 0
  #bottom = 0
  count = 0

  constructor(plan: BandPlan) {
    this.#plan = plan
    this.#costs = new Float64Array(plan.tileCount)
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
    this.count = 0
    this.#vertexCount = 0
    this.#first = -1
    this.#top = MOST_ROWS
    this.#bottom = 0
  }

  #widen(top: number, bottom: number): void {
    this.#top = Math.min(this.#top, top)
    this.#bottom = Math.max(this.#bottom, bottom)
  }

  /** Ends the chunk, and notes how much it has. */
  close(): void {
    const chunk = this.#chunk!
    this.#copyVertices()
    chunk.counts[0] = this.#divide(chunk)
    chunk.counts[1] = this.count
    this.#chunk = undefined
  }

  /** Vertices are replaced by others of the same numbers. */
  forgetVertices(): void {
    if (this.isOpen) this.#copyVertices()
    this.#known = -1
    this.#low = 0
  }

  /** Whether one more triangle fits for certain. */
  get hasSpace(): boolean {
    this.#begin()
    const ofArray = this.#first < 0 ? this.#known - this.#low : 0
    return this.count < MAX_TRIANGLES && this.#vertexCount + ofArray + SPARE_VERTICES <= MAX_SCREEN_VERTICES
  }

  /** Triangles of the vertices that there are now come for the first time. */
  #begin(): void {
    if (this.#known < 0) this.#know(0)
  }

  /** From now on the vertices from `low` on are copied as a whole, where a slot has room. */
  #know(low: number): void {
    const { count } = this.#vertices!
    this.#low = low
    this.#known = count - low + SPARE_VERTICES <= MAX_SCREEN_VERTICES ? count : low
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

  /** Triangles of known vertices that fit. */
  get space(): number {
    return MAX_TRIANGLES - this.count
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
    const { screen } = this.#chunk!
    screen.set(this.#setup!.screenWords.subarray(low * SCREEN_WORDS, known * SCREEN_WORDS), first * SCREEN_WORDS)
  }

  /** Runs code over triangles, as many as fit; answers the first that it has not set up. */
  addByCode(
    code: SetupCode,
    source: Parameters<SetupCode['run']>[0],
    range: readonly [number, number],
    bounds: PixelRect,
  ) {
    const { triangles, rows } = this.#chunk!
    const firstVertex = this.#firstVertex()
    const byteOffset = triangles.byteOffset + this.count * 12
    const place = { byteOffset, firstVertex, columns: rows.byteOffset + this.count * 4 }
    const next = code.run(source, range[0], range[1], bounds, place)
    this.count += code.count
    this.#widen(code.firstRow, code.endRow)
    return next
  }

  /** Adds a triangle by its record, with the rows that its pixels may be in. */
  addRecord(record: Int32Array, top: number, bottom: number): void {
    const { triangles, rows, ids, instances, leading } = this.#chunk!
    const first = this.#firstVertex()
    const isKnown = this.#isKnown(record)
    const n = this.count++
    for (let i = 0; i < 3; i++) {
      const vertex = record[RECORD.vertices + i]!
      triangles[n * 3 + i] = isKnown ? first + vertex : this.#copyVertex(vertex)
    }
    rows[n] = top | (bottom << 16) | (isKnown ? 0 : ROW_CLIPPED)
    ids[n] = record[RECORD.primitiveId]!
    instances[n] = record[RECORD.instance]!
    this.#widen(top, bottom)
    if (isKnown) return
    const vertex = record[RECORD.leading]!
    leading[n] = this.#isWithin(vertex) ? first + vertex : this.#copyVertex(vertex)
  }

  #isWithin(vertex: number): boolean {
    return vertex >= this.#low && vertex < this.#known
  }

  /** Whether the vertices of a record are copied as they are, inside of all planes. */
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

  /** Copies one vertex behind the others; its number in the chunk. */
  #copyVertex(vertex: number): number {
    const { screen } = this.#chunk!
    const number = this.#vertexCount++
    const from = vertex * SCREEN_WORDS
    screen.set(this.#setup!.screenWords.subarray(from, from + SCREEN_WORDS), number * SCREEN_WORDS)
    screen[number * SCREEN_WORDS + SCREEN.flags] = KNOWN
    return number
  }

  /** Divides the rows that triangles touch; how many bands there are. */
  #divide({ rows, bands }: BandChunk): number {
    if (this.count === 0) return 0
    const { shift, bandCount } = this.#plan
    const total = this.#findCosts(rows)
    const most = Math.min(bandCount, Math.ceil(this.count / FEW_TRIANGLES))
    const end = ((this.#bottom - 1) >> shift) + 1
    let [count, first, sum] = [0, this.#top >> shift, 0]
    for (let tile = first; tile < end; tile++) {
      sum += this.#costs[tile]!
      const isCut = count + 1 < most && sum * most >= total * (count + 1)
      if (!isCut && tile + 1 < end) continue
      bands[count * 2] = first
      bands[count * 2 + 1] = tile + 1
      count++
      first = tile + 1
    }
    return count
  }

  /** What the tiles cost, by some of the triangles; the sum. */
  #findCosts(rows: Int32Array): number {
    const { shift } = this.#plan
    const costs = this.#costs.fill(0)
    let total = 0
    for (let n = 0; n < this.count; n += SAMPLED) {
      const word = rows[n]!
      const [top, bottom] = [word & ROW_MASK, (word >>> 16) & ROW_MASK]
      const last = (bottom - 1) >> shift
      for (let tile = top >> shift; tile <= last; tile++) {
        const height = Math.min(bottom, (tile + 1) << shift) - Math.max(top, tile << shift)
        costs[tile]! += height + TRIANGLE_COST
        total += height + TRIANGLE_COST
      }
    }
    return total
  }
}
