import type { JoinedExecution, Stop, WorkThread } from '../../engine/index.ts'
import type { VertexArray } from '../geometry.ts'
import type { PixelPlace, PixelStage } from '../pixels/index.ts'
import { sampleOffsets } from '../raster/index.ts'
import { DrawStopped } from '../stage-runner.ts'
import { bandChunksOf } from './band-chunk.ts'
import { BandTiles } from './band-tiles.ts'
import { BOARD_WORDS, Board } from './board.ts'
import { chunksOf } from './chunk.ts'
import { ListedTiles } from './listed-tiles.ts'
import { colorMergeOf, createPixelStage } from './pixel-setup.ts'
import { RasterStage } from './raster-stage.ts'
import type { TakenTile, TileRunner, TileWork } from './tile-runner.ts'

/** One of the threads of a draw: takes tiles of chunks, and finds, shades and merges their pixels. */

/** What a thread leaves at its end. */
export interface TileThreadLeft {
  readonly invocations: number
  readonly samplesPassed: number
  readonly undefinedWrites: number
  readonly tileCount: number
  /** Tiles that it took right behind the same of another chunk. */
  readonly behindCount: number
  /** Triangles that compiled code has set up in its tiles. */
  readonly setUpByCode: number
  /** Why it stopped the draw. */
  readonly stopped?: Stop | undefined
  /** Of its shader, for `SharedShader.collect`. */
  readonly shader?: unknown
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
  readonly #execution: JoinedExecution | undefined
  readonly pixels: PixelStage
  readonly #runner: TileRunner
  /** Tiles whose pixels wait for the shader. */
  readonly #waiting: TakenTile[] = []
  readonly #deferred: TakenTile[] = []
  /** The tile that has begun. */
  #running: TakenTile | undefined
  #tileCount = 0
  #behindCount = 0
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
    this.#execution = execution
    const until = { time: deadline, deadline }
    const shader = execution && { execution, until }
    const kernels = thread.elementKernels
    const colors = colorMergeOf(setup)
    this.pixels = createPixelStage(setup, { shader, colors, kernels, deadline, orderOf })
    const rasterOf = (vertices: VertexArray): RasterStage =>
      new RasterStage(vertices, r, Uint8Array.from(r.modes), {
        counts: { clipperInvocations: 0, clipperPrimitives: 0 },
        sampleCount: setup.sampleCount,
        offsets: sampleOffsets(setup.sampleCount),
        pixels: this.pixels,
        deadline,
        shared: undefined,
      })
    const { board } = this
    this.#runner =
      work.bands === null
        ? new ListedTiles(board, chunksOf(buffer, work), work, rasterOf, thread.isWorker && work.chunksOfGroup > 1)
        : new BandTiles(board, bandChunksOf(buffer, work, work.bands), work.bands, r.registerCount, rasterOf)
  }

  /** Undefined where the thread's memory has no room for the shader. `isLost` says that another thread has died. */
  static create(work: TileWork, thread: WorkThread, deadline: number, isLost: () => boolean): TileThread | undefined {
    const board = boardOf(thread.buffer(), work)
    const isStopped = (): boolean => board.isStopped || performance.now() > deadline
    const execution = work.shader === null ? undefined : thread.join(work.shader, isStopped)
    if (execution === undefined && work.shader !== null) return undefined
    return new TileThread(work, thread, execution, deadline, isLost)
  }

  /** There is something that this thread does best before it does anything else. */
  get hasOwn(): boolean {
    return this.#runner.hasOwn || (this.#work.bands !== null && this.#running !== undefined)
  }

  /** Runs a tile, or goes on with it for a while; false where there is none now. */
  step(): boolean {
    const { board } = this
    if (board.isStopped) return false
    if (this.#running !== undefined) {
      this.#guard(() => this.#run())
      return true
    }
    const ready = this.#deferred.findIndex((t) => this.#runner.isReady(t))
    if (ready >= 0) {
      const [taken] = this.#deferred.splice(ready, 1)
      this.#guard(() => this.#begin(taken!))
      return true
    }
    const taken = this.#deferred.length < MOST_DEFERRED ? this.#runner.take() : undefined
    if (taken !== undefined) {
      this.#take(taken)
      return true
    }
    // Another thread may wait for a tile that waits here.
    this.#guard(() => this.#flush())
    if (this.#deferred.length > 0 && this.#isLost()) this.#guard(() => this.#stopLost())
    return false
  }

  /** Begins a tile of the chunk, or keeps it for later where another thread has it in the chunk before. */
  #take(taken: TakenTile): void {
    if (this.#runner.isReady(taken)) this.#guard(() => this.#begin(taken))
    else this.#deferred.push(taken)
  }

  /** What a tile that was taken waits for is not done by another thread. */
  #stopLost(): never {
    throw new DrawStopped('lost')
  }

  /** What it can do next may depend on tiles that other threads have. */
  get waitsForTiles(): boolean {
    return this.#deferred.length > 0 || this.#work.bands !== null
  }

  /** Nothing more is published, and all tiles have been taken. */
  get isAtEnd(): boolean {
    return this.board.isEnded && this.#deferred.length === 0 && this.#runner.isThrough
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

  /** Begins a tile with which the chunk before is done. */
  #begin(taken: TakenTile): void {
    this.#runner.begin(taken)
    this.#running = taken
    this.#run()
  }

  /** Goes on with the tile that has begun, and pauses after a while. */
  #run(): void {
    if (!this.#runner.run(performance.now() + PAUSE_MS)) return
    const done = this.#running!
    this.#tileCount++
    this.#waiting.push(done)
    this.#running = this.#runner.takeBehind?.(done)
    if (this.#running !== undefined) {
      this.#behindCount++
      this.#runner.begin(this.#running)
    }
    // A call of the shader costs as much as some hundred pixels: few pixels wait for those of the next tile.
    const isMuch = this.pixels.waitingCount * 2 >= this.#work.pixels.capacity
    if (isMuch || this.#execution === undefined || this.#execution.mayReport) this.#flush()
  }

  #flush(): void {
    this.pixels.flush()
    for (const taken of this.#waiting) this.#runner.setDone(taken)
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
      setUpByCode: this.#runner.setUpByCode,
      behindCount: this.#behindCount,
      stopped: this.#stopped,
      shader,
    }
  }
}
