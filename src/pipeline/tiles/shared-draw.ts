import { type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import type { BatchExecution, SharedShader, SharedWork, Stop, WorkInProgress } from '../../engine/index.ts'
import type { Allocation } from '../../machine/index.ts'
import type { VertexArray } from '../geometry.ts'
import type { PixelCounts } from '../pixels/index.ts'
import type { CurrentPrimitive, PixelRect, RecordTaker, SetUpPrimitive, VertexWords } from '../raster/index.ts'
import { DrawStopped } from '../stage-runner.ts'
import { BOARD_WORDS, Board, RING } from './board.ts'
import { CHUNK_WORDS, type ChunkWords, chunkOver, tileGrid } from './chunk.ts'
import { ChunkWriter } from './chunk-writer.ts'
import { type PixelSetup, plainSetup, setupOf } from './pixel-setup.ts'
import { parsePlain, printPlain } from './plain-text.ts'
import type { PrimitiveTaker } from './raster-stage.ts'
import { type RasterSetup, TileThread, type TileThreadLeft, type TileWork } from './tile-thread.ts'

/**
 * A draw on several threads: the calling one sets primitives up, in their order, and hands them over in chunks; all of them
 * run tiles. Draws begin on the calling thread alone: most end before handing over would have paid.
 */

/** Pixels, or primitives by what they take, from which a draw is shared. */
const WORTH_SHARING = 8192
/** What a primitive takes beside its pixels, in pixels. */
const PRIMITIVE_COST = 8
/**
 * Pixels of the mean primitive from which draws without a pixel shader are shared: to hand a primitive over takes as long as to test the
 * depth of so many.
 */
const WORTH_SHARING_DEPTH = 64
/** Primitives whose mean says how many pixels the others have. */
const ENOUGH_TO_JUDGE = 64
/**
 * Pixels of a chunk after which it is published though there is room for more: few of the first, so that other threads begin early, many
 * of those that follow, so that there is much to do in each tile.
 */
const MUCH_OF_FIRST_CHUNK = 65536
const MUCH_OF_A_CHUNK = 524288
/** Milliseconds of a wait for other threads, after which the draw may give way. */
const WAIT_MS = 2

/** Memory for chunks and the board, kept from draw to draw. */
const ROOMS = new WeakMap<SharedWork, Allocation>()
const BOARD_BYTES = Math.ceil((BOARD_WORDS * 4) / 64) * 64

function roomOf(work: SharedWork): Allocation | undefined {
  const known = ROOMS.get(work)
  if (known !== undefined) return known
  const made = work.thread.memory.allocate(BOARD_BYTES + RING * CHUNK_WORDS * 4)
  if (made !== undefined) ROOMS.set(work, made)
  return made
}

interface SharedDrawOptions {
  readonly work: SharedWork
  readonly pixels: PixelSetup
  readonly raster: RasterSetup
  readonly execution: BatchExecution | undefined
  /** Time (performance.now) after which the draw ends. */
  readonly deadline: number
  /** Runs the pixels of what was not taken. */
  readonly flush: () => void
}

/** How many draws ran on several threads, and tiles of them by workers: for tests, and to see that workers take part. */
export const sharedCounts = { draws: 0, tilesOfWorkers: 0 }

/** What there is once a draw is shared. */
interface Sharing {
  readonly thread: TileThread
  readonly board: Board
  readonly chunks: readonly ChunkWords[]
  readonly writer: ChunkWriter
  readonly running: WorkInProgress
  readonly shader: SharedShader | undefined
}

const NO_WORDS = new Int32Array(0)
const NO_FLOATS = new Float32Array(0)

export class SharedDraw implements PrimitiveTaker {
  readonly #o: SharedDrawOptions
  #sharing: Sharing | undefined
  /** Cost so far, of the draw or of the chunk that is filled. */
  #cost = 0
  /** Primitives of the draw before it is shared. */
  #primitiveCount = 0
  #isRefused = false
  #taker: (RecordTaker & { readonly vertices: VertexArray }) | undefined
  #lacksThreads = false
  #left: readonly TileThreadLeft[] = []
  #isOver = false
  #helped = false
  readonly diagnostics: Diagnostic[] = []

  constructor(o: SharedDrawOptions) {
    this.#o = o
  }

  /** Whether the draw would have been shared if there had been threads. */
  get wasAlone(): boolean {
    return this.#lacksThreads
  }

  get #isWorth(): boolean {
    if (this.#o.work.sharesAll === true) return true
    const least = this.#o.execution === undefined ? WORTH_SHARING_DEPTH + PRIMITIVE_COST : 0
    return this.#cost >= Math.max(WORTH_SHARING, this.#primitiveCount * least)
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

  take(p: SetUpPrimitive, vertices: VertexWords, bounds: PixelRect): boolean {
    if (this.#isRefused) return false
    this.#cost += PRIMITIVE_COST + areaOf(p, bounds)
    if (this.#sharing === undefined) {
      this.#primitiveCount++
      if (!this.#isWorth) return false
      this.#begin(p)
      if (this.#sharing === undefined) return false
    }
    this.#add(this.#sharing, p, vertices, bounds)
    return true
  }

  #add(s: Sharing, p: SetUpPrimitive, vertices: VertexWords, bounds: PixelRect): void {
    this.#makeRoom(s, vertices.array)
    s.writer.add(p, vertices, bounds)
    if (this.#isFull(s)) this.#publish(s)
  }

  /** Whether the chunk that is filled has many pixels. */
  #isFull({ board }: Sharing): boolean {
    return this.#cost >= (board.published === 0 ? MUCH_OF_FIRST_CHUNK : MUCH_OF_A_CHUNK)
  }

  /** Opens a chunk with room for a primitive. */
  #makeRoom(s: Sharing, { registerCount }: VertexArray): void {
    const { writer, board, chunks } = s
    if (writer.isOpen && !writer.hasRoomFor(registerCount * 4)) this.#publish(s)
    if (writer.isOpen) return
    // This thread helps until the oldest chunk is done.
    while (!board.hasFreeSlot) this.#help(s)
    const serial = board.published + 1
    writer.open(chunks[(serial - 1) % RING]!, serial)
  }

  /** The draw runs on this thread alone, to its end. */
  get isAlone(): boolean {
    return this.#isRefused
  }

  get hasFewPixels(): boolean {
    if (this.#sharing !== undefined || this.#o.execution !== undefined || this.#o.work.sharesAll === true) return false
    const count = this.#primitiveCount
    return count >= ENOUGH_TO_JUDGE && this.#cost < count * (WORTH_SHARING_DEPTH + PRIMITIVE_COST)
  }

  /** Takes triangles of these vertices as records; undefined where the draw is not shared. */
  takeRecords(vertices: VertexArray): RecordTaker | undefined {
    const s = this.#sharing
    if (s === undefined) return undefined
    const known = this.#taker
    if (known?.vertices === vertices) {
      known.wantsRest = false
      return known
    }
    const { writer } = s
    const taker: RecordTaker & { vertices: VertexArray; words: Int32Array; floats: Float32Array } = {
      vertices,
      wantsRest: false,
      words: NO_WORDS,
      floats: NO_FLOATS,
      begin: (): number => {
        this.#makeRoom(s, vertices)
        taker.words = writer.words
        taker.floats = writer.floats
        return writer.end
      },
      add: (left: number, top: number, right: number, bottom: number): void => {
        writer.addRecord(vertices, left, top, right, bottom)
        this.#cost += PRIMITIVE_COST + ((right - left) * (bottom - top)) / 2
        if (this.#isFull(s)) this.#publish(s)
        if (this.#helped) taker.wantsRest = this.tookLong()
      },
    }
    this.#taker = taker
    return taker
  }

  #publish({ writer, board }: Sharing): void {
    this.#cost = 0
    writer.close()
    board.publish(writer.tileCount)
  }

  /** Runs a tile, or waits a while where other threads have all that there are. */
  #help({ thread, board, running }: Sharing): void {
    this.#helped = true
    if (!thread.step()) {
      board.awaitChange(WAIT_MS)
      // Tiles of a thread that has died are not done by another: it may have written a part of them.
      if (running.isShort && running.end(performance.now()) !== undefined && !board.isDone) board.stop()
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
    const { work, pixels, raster, execution, flush } = this.#o
    const views = [...pixels.renderTargets, pixels.depthStencil]
    if (views.some((v) => v !== undefined && !work.thread.reaches(v.storage))) return
    this.#lacksThreads = work.readyCount === 0
    if (this.#lacksThreads) return
    const shader = execution?.share?.()
    const room = roomOf(work)
    if ((execution !== undefined && shader === undefined) || room === undefined) return
    // What has been rasterized comes before what is shared.
    flush()
    const { targetBounds: b } = raster
    const grid = tileGrid(b.right, b.bottom)
    const chunks = room.byteOffset + BOARD_BYTES
    const buffer = work.thread.buffer()
    const places = { memoryLength: buffer.byteLength, board: room.byteOffset, chunks }
    const given = { ...places, raster, grid, shader: shader?.description ?? null }
    const board = new Board(new Int32Array(buffer, room.byteOffset, BOARD_WORDS))
    board.clear()
    const isLost = (): boolean => this.#sharing?.running.isShort === true
    const thread = TileThread.create({ ...given, pixels }, work.thread, this.#o.deadline, isLost)
    if (thread === undefined) return
    // Pixels of lines come in the order of the line, which the first of a finding follows; those of tiles come by rows.
    const isLines = p.kind === 'line' || raster.rasterizer.fillMode === 'WIREFRAME'
    if (isLines && thread.mayReport) {
      thread.leave()
      return
    }
    const running = work.begin(printPlain({ ...given, pixels: plainSetup(pixels) }))
    if (running === undefined) {
      thread.leave()
      return
    }
    const { fillMode, conservativeRaster } = raster.rasterizer
    // Edges drawn as lines have a width, and conservative coverage goes beyond the triangle.
    const isExact = fillMode === 'SOLID' && conservativeRaster === 'OFF'
    const writer = new ChunkWriter(grid, raster.inputs.clipDistances, isExact)
    const words = Array.from({ length: RING }, (_, n) => chunkOver(buffer, chunks + n * CHUNK_WORDS * 4))
    this.#sharing = { thread, board, chunks: words, writer, running, shader }
    this.#isRefused = false
    this.#cost = 0
    sharedCounts.draws++
  }

  /** Runs what is left, giving way after each tile. */
  *finish(): Generator<void, void> {
    const s = this.#sharing
    if (s === undefined) return
    if (s.writer.isOpen) this.#publish(s)
    s.board.end()
    while (!s.board.isDone && !s.board.isStopped) {
      this.#help(s)
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
    this.#left = [s.thread.leave(), ...end.texts.map((t) => parsePlain(t) as TileThreadLeft)]
    for (const { tileCount } of this.#left.slice(1)) sharedCounts.tilesOfWorkers += tileCount
    s.shader?.collect(this.#left.flatMap((l) => (l.shader === undefined ? [] : [l.shader])))
    if (end.lostCount > 0 && !s.board.isDone) {
      const note = 'the contents of what the draw writes are undefined: write them again before they are used'
      this.diagnostics.push(diagnostic('engine-worker', 'a worker that ran tiles died or failed', undefined, [note]))
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

/** About how many pixels a primitive has. */
function areaOf({ kind, x, y, area2 }: CurrentPrimitive, bounds: PixelRect): number {
  const within = (bounds.right - bounds.left) * (bounds.bottom - bounds.top)
  if (kind === 'triangle') return Math.min(within, Math.abs(area2) / 131072)
  if (kind === 'point') return 1
  return Math.min(within, (Math.abs(x[1]! - x[0]!) + Math.abs(y[1]! - y[0]!)) / 256)
}

/** The part of a worker: it takes tiles until the draw ends, and answers what it leaves as text. */
export function runTiles(thread: SharedWork['thread'], text: string, beat: () => void): string {
  const given = parsePlain(text) as TileWork
  const pixels = setupOf(given.pixels, thread.buffer(given.memoryLength))
  const made = TileThread.create({ ...given, pixels }, thread, Number.POSITIVE_INFINITY, () => false)
  const none: TileThreadLeft = { invocations: 0, samplesPassed: 0, undefinedWrites: 0, tileCount: 0 }
  if (made === undefined) return printPlain(none)
  made.runAll(beat)
  return printPlain(made.leave())
}
