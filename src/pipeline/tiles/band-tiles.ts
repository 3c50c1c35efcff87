import { newPrimitiveArray, newVertexArray, type VertexArray } from '../geometry.ts'
import { TRIANGLES_OF_A_CALL } from '../pixels/index.ts'
import { type BandChunk, ROW_CLIPPED, ROW_MASK } from './band-chunk.ts'
import type { Board } from './board.ts'
import type { RasterStage } from './raster-stage.ts'
import type { TakenTile, TileRunner, TileWork } from './tile-runner.ts'

const EVERY_COLUMN = 1 << 15

/**
 * Bands of chunks of triangles with their rows: a thread goes through all triangles of a chunk, and sets up those that touch its band, as one
 * thread does, in the pixels of the band.
 */
export class BandTiles implements TileRunner {
  readonly #board: Board
  readonly #chunks: readonly BandChunk[]
  /** Logarithm of a tile's height. */
  readonly #shift: number
  readonly #raster: RasterStage
  /** Triangles that touch the band, and the first of them that has not been taken by the rasterizer. */
  readonly #selected = newPrimitiveArray(3, TRIANGLES_OF_A_CALL)
  #from = 0
  readonly #member: number
  /** The chunks of which its own band, and any that others have not taken, comes next. */
  #own = 1
  #other = 1
  /** What has begun: the chunk, the rows, and the next triangle. */
  #chunk: BandChunk | undefined
  #top = 0
  #bottom = 0
  #next = 0

  constructor(
    board: Board,
    chunks: readonly BandChunk[],
    { bands }: Pick<TileWork, 'bands'>,
    rasterOf: (vertices: VertexArray) => RasterStage,
  ) {
    this.#board = board
    this.#member = board.join()
    this.#chunks = chunks
    this.#shift = bands!.shift
    // Depth alone: nothing of vertices is read but their places on the screen.
    this.#raster = rasterOf(newVertexArray(0))
  }

  #wordsOf(chunk: number): BandChunk {
    return this.#chunks[this.#board.slotOf(chunk)]!
  }

  /** A thread has the same band of each chunk, so that most of the targets that it has stay in its cache; another's where it has none. */
  take(): TakenTile | undefined {
    const board = this.#board
    while (this.#own <= board.published) {
      const chunk = this.#own++
      const index = board.takeBand(chunk, this.#member)
      if (index >= 0) return { chunk, index }
    }
    for (; this.#other <= board.published; this.#other++) {
      const index = board.takeBand(this.#other)
      if (index >= 0) return { chunk: this.#other, index }
    }
    return undefined
  }

  get isThrough(): boolean {
    return Math.min(this.#own, this.#other) > this.#board.published
  }

  isReady({ chunk, index }: TakenTile): boolean {
    return this.#board.isBandReady(this.#wordsOf(chunk), index)
  }

  awaitReady(): void {
    this.#board.awaitChange(1)
  }

  begin({ chunk, index }: TakenTile): void {
    const words = this.#wordsOf(chunk)
    const shift = this.#shift
    this.#chunk = words
    this.#top = words.bands[index * 2]! << shift
    this.#bottom = words.bands[index * 2 + 1]! << shift
    this.#next = 0
    this.#from = 0
    this.#selected.count = 0
    this.#raster.openPart(words.screen, { left: 0, right: EVERY_COLUMN, top: this.#top, bottom: this.#bottom })
  }

  run(pause: number): boolean {
    const selected = this.#selected
    const raster = this.#raster
    const count = this.#chunk!.counts[1]!
    for (;;) {
      if (this.#from < selected.count || raster.isWaiting) {
        this.#from = raster.add(selected, this.#from, selected.count)
      } else if (this.#next < count) this.#select(count)
      else return true
      if (performance.now() >= pause) return false
    }
  }

  /** Finds the triangles that come next, up to one that was clipped. */
  #select(count: number): void {
    const { rows, triangles, ids, instances, leading } = this.#chunk!
    const selected = this.#selected
    const { vertices: toVertices } = selected
    const [top, bottom] = [this.#top, this.#bottom]
    let found = 0
    let n = this.#next
    for (; n < count && found < TRIANGLES_OF_A_CALL; n++) {
      const word = rows[n]!
      if ((word & ROW_MASK) >= bottom || word >>> 16 <= top) continue
      if ((word & ROW_CLIPPED) !== 0) break
      const [from, to] = [n * 3, found * 3]
      toVertices[to] = triangles[from]!
      toVertices[to + 1] = triangles[from + 1]!
      toVertices[to + 2] = triangles[from + 2]!
      found++
    }
    selected.count = found
    this.#from = 0
    this.#next = n
    if (found > 0 || n === count) return
    this.#raster.addClipped(triangles.subarray(n * 3, n * 3 + 3), leading[n]!, ids[n]!, instances[n]!)
    this.#next = n + 1
  }

  setDone({ chunk, index }: TakenTile): void {
    this.#board.setBandDone(this.#wordsOf(chunk), index, chunk)
  }
}
