import type { VertexArray } from '../geometry.ts'
import type { PixelRect } from '../raster/index.ts'
import type { Board } from './board.ts'
import { type ChunkWords, COUNT, type TileGrid } from './chunk.ts'
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
  readonly #chunksOfGroup: number
  /** Tiles are taken from the last back: so a thread has its part of the targets in its cache. */
  readonly #fromEnd: boolean
  readonly hasOwn = false
  readonly setUpByCode = 0
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
    { raster: r, grid, chunksOfGroup }: Pick<TileWork, 'raster' | 'grid' | 'chunksOfGroup'>,
    rasterOf: (vertices: VertexArray) => RasterStage,
    fromEnd: boolean,
  ) {
    this.#fromEnd = fromEnd
    this.#board = board
    this.#chunks = chunks
    this.#grid = grid
    this.#reader = new ChunkReader(r.viewports, r.inputs.clipDistances, r.registerCount)
    this.#raster = rasterOf(this.#reader.vertices)
    this.#chunksOfGroup = chunksOfGroup
  }

  #wordsOf(chunk: number): ChunkWords {
    return this.#chunks[this.#board.slotOf(chunk)]!
  }

  take(): TakenTile | undefined {
    const board = this.#board
    for (; this.#chunk <= board.published; this.#chunk++) {
      const index = board.take(this.#chunk, this.#wordsOf(this.#chunk), this.#fromEnd)
      if (index >= 0) return { chunk: this.#chunk, index }
    }
    return undefined
  }

  takeBehind({ chunk, index }: TakenTile): TakenTile | undefined {
    if (this.#wordsOf(chunk).counts[COUNT.hasMuch] === 0) return undefined
    const next = this.#chunkBehind(chunk, index)
    return next > 0 && this.#board.claimTile(next, index) ? { chunk: next, index } : undefined
  }

  /** The chunk behind one, of the same group, that has a tile which is not done in the first; 0 where there is none now. */
  #chunkBehind(chunk: number, tile: number): number {
    const board = this.#board
    const { published } = board
    const lastOfGroup = Math.ceil(chunk / this.#chunksOfGroup) * this.#chunksOfGroup
    const last = Math.min(published, lastOfGroup)
    for (let next = chunk + 1; next <= last; next++) {
      const { heads, ends } = this.#wordsOf(next)
      const hasTile = heads[tile] !== ends[tile]
      // A chunk that is done has not had it: something else may lie in its slot.
      if (hasTile && board.isInSlot(next)) return next
    }
    return 0
  }

  get isThrough(): boolean {
    return this.#chunk > this.#board.published
  }

  isReady({ chunk, index }: TakenTile): boolean {
    return this.#board.isTileDone(index, this.#wordsOf(chunk).before[index]!)
  }

  begin({ chunk, index: tile }: TakenTile): void {
    const isElsewhere = this.#tile !== tile || this.#tileChunk === 0
    const words = this.#wordsOf(chunk)
    this.#reader.open(words)
    this.#tile = tile
    this.#tileChunk = chunk
    this.#entry = words.heads[tile]!
    this.#end = words.ends[tile]!
    if (isElsewhere) this.#raster.beginPart(this.#part, this.#countFrom(chunk))
  }

  /** Primitives of the tile that has begun in a chunk and in those behind it that this thread takes next. */
  #countFrom(chunk: number): number {
    let count = this.#end - this.#entry
    for (let next = this.#chunkBehind(chunk, this.#tile); next > 0; next = this.#chunkBehind(next, this.#tile)) {
      const { heads, ends } = this.#wordsOf(next)
      count += ends[this.#tile]! - heads[this.#tile]!
    }
    return count
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
      if (this.#raster.makesProgram()) return false
      const entry = this.#raster.addListed(chunk, this.#entry, this.#end, part)
      if (entry === this.#entry) {
        this.#reader.read(chunk.entries[entry]!)
        if (this.#raster.rasterizeIn(this.#reader, part)) this.#entry++
      } else this.#entry = entry
      if (this.#entry < this.#end && performance.now() >= pause) return false
    }
    return true
  }

  setDone(taken: TakenTile): void {
    this.#board.setTileDone(taken.index, taken.chunk)
  }
}
