import type { JoinedExecution, Stop, WorkThread } from '../../engine/index.ts'
import type { PixelPlace, PixelStage } from '../pixels/index.ts'
import { sampleOffsets } from '../raster/index.ts'
import { DrawStopped } from '../stage-runner.ts'
import { BOARD_WORDS, Board } from './board.ts'
import { type ChunkWords, chunksOf, type TileGrid } from './chunk.ts'
import { ChunkReader } from './chunk-reader.ts'
import { colorMergeOf, createPixelStage, type PixelSetup } from './pixel-setup.ts'
import { RasterStage, type RasterState } from './raster-stage.ts'

/** One of the threads of a draw: takes tiles of chunks, and finds, shades and merges their pixels. */

/** What all threads of a draw are given. */
export interface TileWork {
  /** Bytes of the memory that the threads share. */
  readonly memoryLength: number
  readonly pixels: PixelSetup
  readonly raster: RasterSetup
  readonly grid: TileGrid
  /** Bytes from the start of the memory. */
  readonly board: number
  readonly chunks: number
  readonly slotCount: number
  /** As `SharedShader.description`; null where no pixel shader is bound. */
  readonly shader: unknown
}

export interface RasterSetup extends RasterState {
  readonly modes: ArrayLike<number>
  readonly registerCount: number
}

/** What a thread leaves at its end. */
export interface TileThreadLeft {
  readonly invocations: number
  readonly samplesPassed: number
  readonly undefinedWrites: number
  readonly tileCount: number
  /** Why it stopped the draw. */
  readonly stopped?: Stop | undefined
  /** Of its shader, for `SharedShader.collect`. */
  readonly shader?: unknown
}

/** A tile of a chunk, and the chunk that had it before. */
interface TakenTile {
  readonly tile: number
  readonly chunk: number
  readonly before: number
}

/** Tiles that a thread keeps for later at the most, while others have them. */
const MOST_DEFERRED = 6

/** Milliseconds after which a tile is left for a look at what else there is: the time, a stop, the host. */
const PAUSE_MS = 5

/** Where a pixel stands in its draw: primitives in their order, quads by rows, samples. */
const orderOf = ({ x, y, sample, sequence }: PixelPlace): readonly number[] => [sequence, y >> 1, x >> 1, sample]

export const boardOf = (
  buffer: ArrayBufferLike,
  { board, slotCount }: { readonly board: number; readonly slotCount: number },
): Board => new Board(new Int32Array(buffer, board, BOARD_WORDS), slotCount)

export class TileThread {
  readonly board: Board
  readonly #work: TileWork
  readonly #isLost: () => boolean
  readonly #chunks: readonly ChunkWords[]
  readonly #execution: JoinedExecution | undefined
  readonly pixels: PixelStage
  readonly #raster: RasterStage
  readonly #reader: ChunkReader
  /** The chunk that tiles are taken of. */
  #chunk = 1
  /** Tiles whose pixels wait for the shader, with their chunks. */
  readonly #waiting: number[] = []
  readonly #deferred: TakenTile[] = []
  /** The tile that has begun, its chunk, the next entry of its list, and where it ends: there where none has begun. */
  #tile = 0
  #tileChunk = 0
  #entry = 0
  #end = 0
  #tileCount = 0
  #stopped: Stop | undefined

  /** Its shader may leave findings. */
  get mayReport(): boolean {
    return this.#execution?.mayReport === true
  }

  private constructor(
    work: TileWork,
    thread: WorkThread,
    execution: JoinedExecution | undefined,
    deadline: number,
    isLost: () => boolean,
  ) {
    this.#isLost = isLost
    const { pixels: setup, raster: r } = work
    const buffer = thread.buffer()
    this.#work = work
    this.board = boardOf(buffer, work)
    this.#chunks = chunksOf(buffer, work)
    this.#execution = execution
    const until = { time: deadline, deadline }
    const shader = execution && { execution, until }
    const kernels = thread.elementKernels
    const colors = colorMergeOf(setup)
    this.pixels = createPixelStage(setup, { shader, colors, kernels, deadline, orderOf })
    this.#reader = new ChunkReader(r.viewports, r.inputs.clipDistances, r.registerCount)
    this.#raster = new RasterStage(this.#reader.vertices, r, Uint8Array.from(r.modes), {
      counts: { clipperInvocations: 0, clipperPrimitives: 0 },
      sampleCount: setup.sampleCount,
      offsets: sampleOffsets(setup.sampleCount),
      pixels: this.pixels,
      deadline,
      shared: undefined,
    })
  }

  /** Undefined where the thread's memory has no room for the shader. `isLost` says that another thread has died. */
  static create(work: TileWork, thread: WorkThread, deadline: number, isLost: () => boolean): TileThread | undefined {
    const board = boardOf(thread.buffer(), work)
    const isStopped = (): boolean => board.isStopped || performance.now() > deadline
    const execution = work.shader === null ? undefined : thread.join(work.shader, isStopped)
    if (execution === undefined && work.shader !== null) return undefined
    return new TileThread(work, thread, execution, deadline, isLost)
  }

  /** Runs a tile, or goes on with it for a while; false where there is none now. */
  step(): boolean {
    const { board } = this
    if (board.isStopped) return false
    if (this.#entry < this.#end) {
      this.#guard(() => this.#runEntries())
      return true
    }
    const ready = this.#deferred.findIndex((t) => board.isTileDone(t.tile, t.before))
    if (ready >= 0) {
      const [taken] = this.#deferred.splice(ready, 1)
      this.#guard(() => this.#begin(taken!))
      return true
    }
    while (this.#deferred.length < MOST_DEFERRED && this.#chunk <= board.published && !board.isStopped) {
      const index = board.take(this.#chunk)
      if (index >= 0) {
        this.#take(index)
        return true
      }
      this.#chunk++
    }
    this.#guard(() => this.#waitForDeferred())
    return this.#deferred.length > 0
  }

  /** Begins a tile of the chunk, or keeps it for later where another thread has it in the chunk before. */
  #take(index: number): void {
    const { tiles } = this.#wordsOf(this.#chunk)
    const taken = { tile: tiles[index * 2]!, before: tiles[index * 2 + 1]!, chunk: this.#chunk }
    if (this.board.isTileDone(taken.tile, taken.before)) this.#guard(() => this.#begin(taken))
    else this.#deferred.push(taken)
  }

  #waitForDeferred(): void {
    // Another thread may wait for a tile that waits here.
    this.#flush()
    const first = this.#deferred[0]
    if (first === undefined) return
    if (this.#isLost()) throw new DrawStopped('lost')
    this.board.awaitTile(first.tile, first.before)
  }

  /** Nothing more is published, and all tiles have been taken. */
  get isAtEnd(): boolean {
    return this.board.isEnded && this.#chunk > this.board.published
  }

  /** A stop of this thread is one of the draw. */
  #guard(run: () => void): void {
    try {
      run()
    } catch (e) {
      if (!(e instanceof DrawStopped)) throw e
      this.#stopped = e.stop
      this.board.stop()
    }
  }

  #wordsOf(chunk: number): ChunkWords {
    return this.#chunks[this.board.slotOf(chunk)]!
  }

  /** Begins a tile with which the chunk before is done. */
  #begin({ tile, chunk }: TakenTile): void {
    const words = this.#wordsOf(chunk)
    this.#reader.open(words)
    this.#tile = tile
    this.#tileChunk = chunk
    this.#entry = words.heads[tile]!
    this.#end = words.ends[tile]!
    this.#runEntries()
  }

  /** Runs primitives of the tile that has begun, and pauses after a while. */
  #runEntries(): void {
    const chunk = this.#wordsOf(this.#tileChunk)
    const { widthShift, heightShift, columns } = this.#work.grid
    const left = (this.#tile % columns) << widthShift
    const top = Math.floor(this.#tile / columns) << heightShift
    const part = { left, top, right: left + (1 << widthShift), bottom: top + (1 << heightShift) }
    const pause = performance.now() + PAUSE_MS
    while (this.#entry < this.#end) {
      const entry = this.#raster.addListed(chunk, this.#entry, this.#end, part)
      if (entry === this.#entry) {
        this.#reader.read(chunk.entries[entry]!)
        this.#raster.rasterizeIn(this.#reader, part)
        this.#entry++
      } else this.#entry = entry
      if (this.#entry < this.#end && performance.now() >= pause) return
    }
    this.#tileCount++
    this.#waiting.push(this.#tile, this.#tileChunk)
    // A call of the shader costs as much as some hundred pixels: few pixels wait for those of the next tile.
    const isMuch = this.pixels.waitingCount * 2 >= this.#work.pixels.capacity
    if (isMuch || this.#execution === undefined || this.#execution.mayReport) this.#flush()
  }

  #flush(): void {
    this.pixels.flush()
    for (let i = 0; i < this.#waiting.length; i += 2) {
      this.board.setTileDone(this.#waiting[i]!, this.#waiting[i + 1]!)
    }
    this.#waiting.length = 0
  }

  /** Ends its part: what it counted and found. */
  leave(): TileThreadLeft {
    const { invocations, samplesPassed, undefinedWrites } = this.pixels.counts
    const shader = this.#execution?.leave()
    this.pixels.dispose()
    this.#execution?.dispose()
    return {
      invocations,
      samplesPassed,
      undefinedWrites,
      tileCount: this.#tileCount,
      stopped: this.#stopped,
      shader,
    }
  }
}
