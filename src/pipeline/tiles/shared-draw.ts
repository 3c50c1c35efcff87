import { type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import type { Stop, WorkInProgress } from '../../engine/index.ts'
import { compileThresholds } from '../compile-thresholds.ts'
import type { VertexArray } from '../geometry.ts'
import type { PixelCounts } from '../pixels/index.ts'
import type { CurrentPrimitive, PixelRect, RecordSink, SetUpPrimitive, VertexWords } from '../raster/index.ts'
import { DrawStopped } from '../stage-runner.ts'
import type { Board } from './board.ts'
import { ChunkSink } from './chunk-sink.ts'
import type { ChunkWriter } from './chunk-writer.ts'
import { parsePlain, printPlain } from './plain-text.ts'
import type { PrimitiveSink, Taken } from './raster-stage.ts'
import type { TileThreadLeft } from './tile-thread.ts'
import {
  beginTiles,
  newBoard,
  newChunkWriter,
  type OwnTiles,
  planTiles,
  reachesTargets,
  type TileOptions,
} from './tile-work.ts'

/**
 * A draw on several threads: the calling one sets primitives up, in their order, and hands them over in chunks; all of them
 * run tiles. Draws begin on the calling thread alone: most end before it would pay to hand over.
 */

/** Pixels, or primitives by what they take, that say how many more there will be. */
const MIN_SAMPLED_PIXELS = 8192
/**
 * Milliseconds of one thread that must be left of a draw for others to gain: to begin takes the calling thread about 0.4 and each other
 * one as long again, while pixels that pass through chunks take a tenth more.
 */
const MIN_LEFT_MS = 1.75
/** What a primitive takes beside its pixels, in pixels. */
const PRIMITIVE_COST = 8
/**
 * Pixels of the mean primitive from which draws without a pixel shader are shared: to hand a primitive over takes as long as to test the
 * depth of so many.
 */
const MIN_DEPTH_PIXELS = 64
/** Primitives whose mean says how many pixels the others have. */
const MIN_SAMPLED_PRIMITIVES = 64
/** Milliseconds of a wait for other threads, after which the draw may yield to the host. */
const WAIT_MS = 2

interface SharedDrawOptions extends TileOptions {
  /** Nanoseconds that one thread takes for a pixel, more or less. */
  readonly pixelNanoseconds: number
  /** Primitives of the draw at the most; undefined where shaders make them. */
  readonly mostPrimitives: number | undefined
  /** Runs the pixels of what was not taken. */
  readonly flush: () => void
}

/**
 * How many draws ran on several threads, and tiles of them by workers; those of which the stages before the rasterizer did, and parts
 * of these by workers; those of which each thread set up the triangles of its bands, and how many triangles code set up there; tiles that a
 * thread took right behind the same of another chunk: for tests, and to see that workers take part.
 */
export const sharedCounts = {
  draws: 0,
  tilesOfWorkers: 0,
  fronts: 0,
  partsOfWorkers: 0,
  bands: 0,
  setUpByCode: 0,
  tilesBehind: 0,
}

/** What a worker leaves; null where it had no part. */
export interface ThreadLeft<Front = unknown> {
  readonly tiles: TileThreadLeft | null
  readonly front: Front | null
}

/** What there is once a draw is shared. */
interface Sharing extends OwnTiles {
  readonly board: Board
  readonly writer: ChunkWriter
  readonly running: WorkInProgress
}

export class SharedDraw implements PrimitiveSink {
  readonly #o: SharedDrawOptions
  #sharing: Sharing | undefined
  /** Cost so far, of the draw or of the chunk that is filled. */
  #cost = 0
  /** Primitives of the draw before it is shared. */
  #primitiveCount = 0
  #isRefused = false
  #sink: ChunkSink | undefined
  /** The slot of the chunk that is filled. */
  #slot = 0
  #lacksThreads = false
  #left: readonly TileThreadLeft[] = []
  #isOver = false
  #helped = false
  readonly diagnostics: Diagnostic[] = []

  constructor(o: SharedDrawOptions) {
    this.#o = o
  }

  /** Whether the draw would have been shared if there had been threads. */
  get lackedThreads(): boolean {
    return this.#lacksThreads
  }

  /** Its triangles so far are so small, and without a shader, that handing them over takes as long. */
  get #isTooSmall(): boolean {
    const isDepthAlone = this.#o.execution === undefined
    return isDepthAlone && this.#cost < this.#primitiveCount * (MIN_DEPTH_PIXELS + PRIMITIVE_COST)
  }

  /** Whether so much is left of the draw that others gain; `cost` is that of the primitive that has come, which is still to be drawn. */
  #hasMuchLeft(cost: number): boolean {
    const { mostPrimitives, pixelNanoseconds } = this.#o
    const seen = this.#primitiveCount
    // Where shaders make primitives their number is unknown: as many as there were so far are assumed to follow.
    const behind = mostPrimitives === undefined ? this.#cost : (this.#cost / seen) * Math.max(0, mostPrimitives - seen)
    return (cost + behind) * pixelNanoseconds >= MIN_LEFT_MS * 1e6
  }

  #isLargeEnough(cost: number): boolean {
    if (this.#o.work.sharesAll === true) return true
    return this.#cost >= MIN_SAMPLED_PIXELS && !this.#isTooSmall && this.#hasMuchLeft(cost)
  }

  /** Vertices have been replaced by others of the same numbers. */
  forgetVertices(): void {
    this.#sharing?.writer.forgetVertices()
  }

  tookLong(): boolean {
    const helped = this.#helped
    this.#helped = false
    return helped
  }

  take(p: SetUpPrimitive, vertices: VertexWords, bounds: PixelRect, mayWait: boolean): Taken {
    if (this.#isRefused) return 'left'
    const cost = PRIMITIVE_COST + areaOf(p, bounds)
    this.#cost += cost
    if (this.#sharing === undefined) {
      this.#primitiveCount++
      if (!this.#isLargeEnough(cost)) return 'left'
      if (mayWait && !this.#isShaderReady) {
        // It is counted when it comes again.
        this.#cost -= cost
        this.#primitiveCount--
        return 'later'
      }
      this.#begin(p)
      if (this.#sharing === undefined) return 'left'
    }
    this.#add(this.#sharing, p, vertices, bounds)
    return 'taken'
  }

  /** Nothing has to be made before the draw can be shared, or it cannot be shared. */
  get #isShaderReady(): boolean {
    const { work, execution } = this.#o
    return work.readyCount === 0 || !reachesTargets(this.#o) || execution?.isReadyToShare?.() !== false
  }

  hasRoom(): boolean {
    const s = this.#sharing
    if (s === undefined || s.writer.isOpen || this.#opensChunk(s)) return true
    this.#help(s, () => s.board.hasFreeSlot())
    return this.#opensChunk(s)
  }

  /** Opens a chunk where there is room for one. */
  #opensChunk({ board, chunks, writer }: Sharing): boolean {
    const slot = board.claimSlot()
    if (slot < 0) return false
    this.#slot = slot
    writer.open(chunks[slot]!)
    return true
  }

  #add(s: Sharing, p: SetUpPrimitive, vertices: VertexWords, bounds: PixelRect): void {
    this.#ensureSpace(s, vertices.array)
    s.writer.add(p, vertices, bounds)
    if (this.#isFull(s)) this.#publish(s)
  }

  /** Whether the chunk that is filled has many pixels. */
  #isFull({ board }: Sharing): boolean {
    const { firstChunkPixels, chunkPixels } = compileThresholds
    return this.#cost >= (board.published === 0 ? firstChunkPixels : chunkPixels)
  }

  /** Opens a chunk with room for a primitive. */
  #ensureSpace(s: Sharing, { registerCount }: VertexArray): void {
    const { writer, board } = s
    if (writer.isOpen && !writer.hasSpaceFor(registerCount * 4)) this.#publish(s)
    if (writer.isOpen) return
    // This thread helps until the oldest chunk is done.
    while (!this.#opensChunk(s)) this.#help(s, () => board.hasFreeSlot())
  }

  /** The draw runs on this thread alone, to its end. */
  get isUnshared(): boolean {
    return this.#isRefused
  }

  get hasFewPixels(): boolean {
    if (this.#sharing !== undefined || this.#o.work.sharesAll === true) return false
    if (this.#primitiveCount < MIN_SAMPLED_PRIMITIVES) return false
    return this.#isTooSmall || (this.#o.mostPrimitives !== undefined && !this.#hasMuchLeft(0))
  }

  /** Takes triangles of these vertices as records; undefined where the draw is not shared. */
  takeRecords(vertices: VertexArray): RecordSink | undefined {
    const s = this.#sharing
    if (s === undefined) return undefined
    const known = this.#sink
    if (known?.vertices === vertices) {
      known.mustYield = false
      return known
    }
    const added = (count: number, pixels: number): boolean => {
      this.#cost += PRIMITIVE_COST * count + pixels
      if (!this.#isFull(s)) return this.#helped && this.tookLong()
      this.#publish(s)
      return !this.#opensChunk(s) || this.tookLong()
    }
    const { setupCode } = s.thread.pixels
    const ensure = (): void => this.#ensureSpace(s, vertices)
    const change = (): void => {
      this.#publish(s)
      ensure()
    }
    this.#sink = new ChunkSink(vertices, setupCode, s.writer, { ensure, change }, added)
    return this.#sink
  }

  #publish({ writer, board, chunks }: Sharing): void {
    this.#cost = 0
    writer.close()
    board.publish(this.#slot, chunks[this.#slot]!, writer.tileCount, writer.primitiveCount)
  }

  /** Runs a tile, or waits a while where other threads have all that there are, unless what it waits for has come. */
  #help({ thread, board, running }: Sharing, hasCome: () => boolean): void {
    this.#helped = true
    const { changes } = board
    if (!hasCome() && !thread.step()) {
      board.awaitChange(changes, WAIT_MS)
      if (running.isShort) {
        board.setLostThread()
        // Tiles of a thread that has died are not done by another: it may have written a part of them.
        if (running.end(performance.now()) !== undefined && !board.isDone) board.stop()
      }
    }
    if (board.isStopped) {
      this.end()
      throw new DrawStopped(this.#stopped ?? 'lost')
    }
    if (performance.now() >= this.#o.deadline) throw new DrawStopped('time')
  }

  /** Why a thread stopped the draw: those that were stopped by another say that it was time. */
  get #stopped(): Stop | undefined {
    const all = this.#left.flatMap((l) => (l.stopped === undefined ? [] : [l.stopped]))
    return all.find((why) => why !== 'time') ?? all[0]
  }

  #begin(p: CurrentPrimitive): void {
    this.#isRefused = true
    const { work, flush } = this.#o
    if (!reachesTargets(this.#o)) return
    this.#lacksThreads = work.readyCount === 0
    if (this.#lacksThreads) return
    const made = newBoard(work)
    if (made === undefined) return
    // What has been rasterized comes before what is shared.
    flush()
    const isLost = (): boolean => this.#sharing?.running.isShort === true
    const planned = planTiles(this.#o, made.place, p.kind === 'line' ? 'lines' : 'primitives', 'few')
    const tiles = planned && beginTiles(this.#o, planned, isLost)
    if (tiles === undefined) return
    const running = work.begin(printPlain({ place: made.place, tiles: tiles.plain, front: null }))
    if (running === undefined) {
      tiles.thread.leave()
      return
    }
    const writer = newChunkWriter(tiles.work)
    const { thread, shader, chunks, work: ofTiles, plain } = tiles
    this.#sharing = { thread, shader, chunks, work: ofTiles, plain, board: made.board, writer, running }
    this.#isRefused = false
    this.#cost = 0
    sharedCounts.draws++
  }

  /** Runs what is left, yielding to the host after each tile. */
  *finish(): Generator<void, void> {
    const s = this.#sharing
    if (s === undefined) return
    if (s.writer.isOpen) this.#publish(s)
    s.board.end()
    while (!s.board.isDone && !s.board.isStopped) {
      this.#help(s, () => s.board.isDone)
      yield
    }
    this.end()
    const stopped = this.#stopped
    if (stopped !== undefined) throw new DrawStopped(stopped)
  }

  /** Ends the draw for all threads, wherever they are, and takes what they leave. */
  end(): void {
    const s = this.#sharing
    if (s === undefined || this.#isOver) return
    this.#isOver = true
    // A thread that has tiles of which the pixels wait ends with them; others stop where they are.
    if (!s.board.isDone || !s.board.isEnded) s.board.stop()
    const end = s.running.end(Number.POSITIVE_INFINITY)!
    const others = end.texts.map((t) => parsePlain(t) as ThreadLeft)
    this.#left = [s.thread.leave(), ...others.flatMap((l) => (l.tiles === null ? [] : [l.tiles]))]
    for (const { tileCount } of this.#left.slice(1)) sharedCounts.tilesOfWorkers += tileCount
    for (const { behindCount } of this.#left) sharedCounts.tilesBehind += behindCount
    s.shader?.collect(this.#left.flatMap((l) => (l.shader === undefined ? [] : [l.shader])))
    if (end.lostCount > 0 && !s.board.isDone) {
      this.diagnostics.push(lostWorker())
    }
  }

  /** Of all threads. */
  get counts(): PixelCounts {
    const sum = (of: (l: TileThreadLeft) => number): number => this.#left.reduce((n, l) => n + of(l), 0)
    return {
      invocations: sum((l) => l.invocations),
      samplesPassed: sum((l) => l.samplesPassed),
      undefinedWrites: sum((l) => l.undefinedWrites),
    }
  }
}

/** What is said of a draw whose worker died in the middle. */
export function lostWorker(): Diagnostic {
  const note = 'the contents of what the draw writes are undefined: write them again before they are used'
  return diagnostic('engine-worker', 'a worker that ran tiles died or failed', undefined, [note])
}

/** About how many pixels a primitive has. */
function areaOf({ kind, x, y, area2 }: CurrentPrimitive, bounds: PixelRect): number {
  const within = (bounds.right - bounds.left) * (bounds.bottom - bounds.top)
  if (kind === 'triangle') return Math.min(within, Math.abs(area2) / 131072)
  if (kind === 'point') return 1
  return Math.min(within, (Math.abs(x[1]! - x[0]!) + Math.abs(y[1]! - y[0]!)) / 256)
}
