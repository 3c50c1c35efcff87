import { newPrimitiveArray, newVertexArray, type VertexArray } from '../geometry.ts'
import type { TriangleList } from '../pixels/index.ts'
import { LISTED, LISTED_CLIPPED, listedWords, type PixelRect, type RowShares } from '../raster/index.ts'
import type { BandChunk } from './band-chunk.ts'
import type { Board } from './board.ts'
import type { RasterStage } from './raster-stage.ts'
import type { TakenTile, TileRunner } from './tile-runner.ts'

const EVERY_PIXEL = 1 << 15
const WHOLE: PixelRect = { left: 0, top: 0, right: EVERY_PIXEL, bottom: EVERY_PIXEL }
/** Triangles that code has left are set up one by one, with some of those behind them. */
const FEW_TRIANGLES = 16

/**
 * Shares of the targets' rows, as tiles of chunks of triangles that have not been set up: a thread sets up those that are listed for its share,
 * as one thread does, each in the pixels of a band.
 */
export class BandTiles implements TileRunner {
  readonly #board: Board
  readonly #chunks: readonly BandChunk[]
  readonly #shares: RowShares
  readonly #words: number
  readonly #vertices: VertexArray
  readonly #raster: RasterStage
  readonly #own: number
  /** The list of the share that has begun, its triangles, and the next of them. */
  #list: TriangleList
  #count = 0
  #next = 0
  /** Triangles that code has left, of one band, and the first of them that has not been taken by the rasterizer. */
  readonly #left = newPrimitiveArray(3, FEW_TRIANGLES)
  #from = 0
  /** The rasterizer is limited to a band. */
  #isLimited = false
  setUpByCode = 0

  constructor(
    board: Board,
    chunks: readonly BandChunk[],
    shares: RowShares,
    registerCount: number,
    rasterOf: (vertices: VertexArray) => RasterStage,
  ) {
    this.#board = board
    this.#own = board.join() % shares.count
    this.#chunks = chunks
    this.#shares = shares
    this.#words = listedWords(shares)
    const { screen, vertices, lists } = chunks[0]!
    this.#list = { screen, words: lists[0]!, shares }
    this.#vertices = newVertexArray(registerCount)
    this.#vertices.words = vertices
    this.#raster = rasterOf(this.#vertices)
  }

  get hasOwn(): boolean {
    return this.#board.nextOfShare(this.#own) > 0
  }

  /** A thread has the same share of each chunk, so that its part of the targets stays in its cache; another one where it has nothing else. */
  take(): TakenTile | undefined {
    const { count } = this.#shares
    for (let n = 0; n < count; n++) {
      const index = (this.#own + n) & (count - 1)
      const chunk = this.#board.takeShare(index)
      if (chunk > 0) return { chunk, index }
    }
    return undefined
  }

  takeBehind({ chunk, index }: TakenTile): TakenTile | undefined {
    const next = this.#board.keepShare(index, chunk)
    return next > 0 ? { chunk: next, index } : undefined
  }

  get isThrough(): boolean {
    for (let n = 0; n < this.#shares.count; n++) if (!this.#board.isShareDone(n)) return false
    return true
  }

  /** A share is taken when it is done with the chunk before. */
  isReady(): boolean {
    return true
  }

  begin({ chunk, index }: TakenTile): void {
    const { screen, vertices, lists, counts } = this.#chunks[this.#board.slotOf(chunk)]!
    this.#vertices.words = vertices
    this.#list = { screen, words: lists[index]!, shares: this.#shares }
    this.#count = counts[index]!
    this.#next = 0
    this.#left.count = 0
    this.#from = 0
    this.#isLimited = false
    this.#raster.openPart(screen, WHOLE)
  }

  run(pause: number): boolean {
    const left = this.#left
    const raster = this.#raster
    for (;;) {
      if (this.#from < left.count || raster.isWaiting) this.#from = raster.add(left, this.#from, left.count)
      else if (this.#next < this.#count) this.#setUp()
      else return true
      if (performance.now() >= pause) return false
    }
  }

  #setUp(): void {
    if (this.#isLimited) this.#raster.openPart(this.#list.screen, WHOLE)
    this.#isLimited = false
    this.#left.count = 0
    this.#from = 0
    const next = this.#raster.addByCode(this.#list, this.#next, this.#count)
    this.setUpByCode += next - this.#next
    if (next === this.#next) this.#leave()
    else this.#next = next
  }

  /** Finds the triangles that come next, as far as they are of one band. */
  #leave(): void {
    const left = this.#left
    const { words, screen } = this.#list
    const first = this.#next * this.#words
    const word = words[first + LISTED.band]!
    const band = word & (LISTED_CLIPPED - 1)
    const { shift, hasPixels } = this.#shares
    this.#raster.openPart(screen, { ...WHOLE, top: band << shift, bottom: (band + 1) << shift })
    if (word !== band) {
      const [leading, id, instance] = [
        words[first + LISTED.leading]!,
        words[first + LISTED.id]!,
        words[first + LISTED.instance]!,
      ]
      this.#next++
      this.#raster.addClipped(words.subarray(first, first + 3), leading, id, instance)
      this.#isLimited = true
      return
    }
    const most = Math.min(FEW_TRIANGLES, this.#count - this.#next)
    let n = 0
    for (let at = first; n < most && words[at + LISTED.band] === band; at += this.#words, n++) {
      for (let i = 0; i < 3; i++) left.vertices[n * 3 + i] = words[at + i]!
      if (!hasPixels) continue
      left.ids[n] = words[at + LISTED.id]!
      left.instances[n] = words[at + LISTED.instance]!
    }
    left.count = n
    this.#next += n
    this.#isLimited = true
  }

  setDone({ chunk, index }: TakenTile): void {
    this.#board.setShareDone(index, chunk)
  }
}
