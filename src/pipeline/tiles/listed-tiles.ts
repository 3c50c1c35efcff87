import type { VertexArray } from '../geometry.ts'
import type { PixelRect } from '../raster/index.ts'
import type { Board } from './board.ts'
import type { ChunkWords, TileGrid } from './chunk.ts'
import { ChunkReader } from './chunk-reader.ts'
import type { RasterStage } from './raster-stage.ts'
import type { TakenTile, TileRunner, TileWork } from './tile-runner.ts'

/** Tiles of chunks of primitives that have been set up: each has a list of its own. */
export class ListedTiles implements TileRunner {
  readonly #board: Board
  readonly #chunks: readonly ChunkWords[]
  readonly #grid: TileGrid
  readonly #reader: ChunkReader
  readonly #raster: RasterStage
  /** The chunk that tiles are taken of. */
  #chunk = 1
  /** The tile that has begun, its chunk, the next entry of its list, and where it ends. */
  #tile = 0
  #tileChunk = 0
  #entry = 0
  #end = 0

  constructor(
    board: Board,
    chunks: readonly ChunkWords[],
    { raster: r, grid }: Pick<TileWork, 'raster' | 'grid'>,
    rasterOf: (vertices: VertexArray) => RasterStage,
  ) {
    this.#board = board
    this.#chunks = chunks
    this.#grid = grid
    this.#reader = new ChunkReader(r.viewports, r.inputs.clipDistances, r.registerCount)
    this.#raster = rasterOf(this.#reader.vertices)
  }

  #wordsOf(chunk: number): ChunkWords {
    return this.#chunks[this.#board.slotOf(chunk)]!
  }

  /** The tile, and the chunk that had it before. */
  #placeOf({ chunk, index }: TakenTile): readonly [tile: number, before: number] {
    const { tiles } = this.#wordsOf(chunk)
    return [tiles[index * 2]!, tiles[index * 2 + 1]!]
  }

  take(): TakenTile | undefined {
    for (; this.#chunk <= this.#board.published; this.#chunk++) {
      const index = this.#board.take(this.#chunk)
      if (index >= 0) return { chunk: this.#chunk, index }
    }
    return undefined
  }

  get isThrough(): boolean {
    return this.#chunk > this.#board.published
  }

  isReady(taken: TakenTile): boolean {
    const [tile, before] = this.#placeOf(taken)
    return this.#board.isTileDone(tile, before)
  }

  awaitReady(taken: TakenTile): void {
    const [tile, before] = this.#placeOf(taken)
    this.#board.awaitTile(tile, before)
  }

  begin(taken: TakenTile): void {
    const words = this.#wordsOf(taken.chunk)
    const [tile] = this.#placeOf(taken)
    this.#reader.open(words)
    this.#tile = tile
    this.#tileChunk = taken.chunk
    this.#entry = words.heads[tile]!
    this.#end = words.ends[tile]!
    this.#raster.beginPart(this.#part, this.#end - this.#entry)
  }

  /** The pixels of the tile that has begun. */
  get #part(): PixelRect {
    const { widthShift, heightShift, columns } = this.#grid
    const left = (this.#tile % columns) << widthShift
    const top = Math.floor(this.#tile / columns) << heightShift
    return { left, top, right: left + (1 << widthShift), bottom: top + (1 << heightShift) }
  }

  run(pause: number): boolean {
    const chunk = this.#wordsOf(this.#tileChunk)
    const part = this.#part
    while (this.#entry < this.#end) {
      const entry = this.#raster.addListed(chunk, this.#entry, this.#end, part)
      if (entry === this.#entry) {
        this.#reader.read(chunk.entries[entry]!)
        this.#raster.rasterizeIn(this.#reader, part)
        this.#entry++
      } else this.#entry = entry
      if (this.#entry < this.#end && performance.now() >= pause) return false
    }
    return true
  }

  setDone(taken: TakenTile): void {
    this.#board.setTileDone(this.#placeOf(taken)[0], taken.chunk)
  }
}
