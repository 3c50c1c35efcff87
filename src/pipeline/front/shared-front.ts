import { type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import type { SharedShader, SharedWork, Stop, WorkInProgress } from '../../engine/index.ts'
import type { Allocation } from '../../machine/index.ts'
import type { PixelCounts } from '../pixels/index.ts'
import { arePlainInputs, type ClipCounts } from '../raster/index.ts'
import { DrawStopped } from '../stage-runner.ts'
import {
  drawParts,
  elementCount,
  keepsBatches,
  type PartPlan,
  type PartSource,
  type PipelineStatistics,
  partPlan,
  type StageShaders,
  type StageState,
} from '../stages/index.ts'
import type { StreamBuffer, StreamOutput, StreamOutputLayout } from '../streams/index.ts'
import {
  type Board,
  beginTiles,
  lostWorker,
  newBoard,
  type OwnTiles,
  type PlannedTiles,
  parsePlain,
  planTiles,
  printPlain,
  reachesTargets,
  type SharedKind,
  sharedCounts,
  type ThreadLeft,
  type TileOptions,
  type TileThreadLeft,
} from '../tiles/index.ts'
import { type FrontLeft, FrontThread } from './front-thread.ts'
import { FRONT_STAGES, type FrontPlace, type FrontStage, type FrontWork, plainFront, storagesOf } from './front-work.ts'
import { orderWords } from './part-order.ts'
import { OUTPUT_WORDS, STAGED_SLOT_BYTES } from './staged-output.ts'

/**
 * A draw whose parts several threads run from their vertices on: each takes a part, runs the stages before the rasterizer, and leaves
 * chunks of primitives and what goes to stream output. These are passed on in the order of the parts; tiles of chunks are run as
 * those of any shared draw.
 */

/** Longest wait of the calling thread, in milliseconds: it sees that another has died. */
const WAIT_MS = 2

interface SharedFrontOptions {
  readonly work: SharedWork
  readonly state: StageState
  readonly source: PartSource
  readonly shaders: StageShaders
  readonly output:
    | { readonly layout: StreamOutputLayout; readonly buffers: readonly (StreamBuffer | undefined)[] }
    | undefined
  /** Undefined where nothing is rasterized. */
  readonly tiles: TileOptions | undefined
  readonly deadline: number
}

/** Parts of a draw that is worth sharing, and of one of depth alone, whose parts take so little time that beginning costs as much as many. */
const MIN_SHARED_PARTS = 4
const MIN_DEPTH_PARTS = 16

/** About how many primitives a part leaves, and control points or primitives of it at the least and at the most. */
const PRIMITIVES_OF_PART = 2048
const LEAST_OF_PART = 64

/** Elements of a part, of which the primitives fit a chunk in most draws. */
function elementsOf({ source, state }: SharedFrontOptions): number {
  const size = source.topology.vertexCount
  const { hull, geometry } = state
  const stage = geometry?.stage
  const emitted = stage?.kind === 'geometry' ? stage.maxVertexCount * stage.instanceCount : 1
  const most = hull === undefined ? PRIMITIVES_OF_PART : LEAST_OF_PART
  const usual = size * Math.max(LEAST_OF_PART, Math.ceil(most / Math.max(1, emitted / 2)))
  return Math.min(usual, drawParts.elements)
}

/** What is rasterized. */
function rasterizedKind({ source, state }: SharedFrontOptions): 'point' | 'line' | 'triangle' {
  const { hull, geometry } = state
  if (geometry?.stage.kind === 'geometry') {
    const { topology } = geometry.stage.streams.find((s) => s.stream === state.rasterizedStream) ?? {}
    if (topology !== undefined)
      return topology === 'trianglestrip' ? 'triangle' : topology === 'linestrip' ? 'line' : 'point'
  }
  if (hull?.stage.kind === 'hull') {
    const { outputPrimitive } = hull.stage
    return outputPrimitive === 'point' || outputPrimitive === 'line' ? outputPrimitive : 'triangle'
  }
  const { kind } = source.topology
  return kind === 'patch' ? 'point' : kind
}

/** Triangles of a patch, whose factors are not known. */
const TRIANGLES_OF_PATCH = 64

/** About how many triangles the draw has. */
function triangleCount({ source, state }: SharedFrontOptions): number {
  const { call, topology } = source
  const primitives = (elementCount(call) / topology.vertexCount) * (call.instanceCount ?? 1)
  const { hull, geometry } = state
  const stage = geometry?.stage
  const emitted = stage?.kind === 'geometry' ? Math.max(1, stage.maxVertexCount - 2) * stage.instanceCount : 1
  return primitives * emitted * (hull === undefined ? 1 : TRIANGLES_OF_PATCH)
}

/**
 * Pixels of the targets for each triangle up to which those of draws with pixels are set up by bands: so many are small, unless they lie on
 * each other many times. Larger ones gain by the lists of tiles, of which one after the other is in the cache.
 */
const PIXELS_OF_SMALL = 16

/** Whether threads gain by setting up triangles in their rows. */
function gainsByBands(o: SharedFrontOptions): boolean {
  const { execution, pixels, raster } = o.tiles!
  const { right, bottom } = raster.targetBounds
  if (execution === undefined) return true
  return pixels.sampleCount === 1 && triangleCount(o) * PIXELS_OF_SMALL >= right * bottom
}

/** Whether each thread can set up triangles in its rows, where nothing but their positions decides about them. */
function mayUseBands(o: SharedFrontOptions): boolean {
  const { rasterizer, inputs } = o.tiles!.raster
  const isSolid = rasterizer.fillMode === 'SOLID' && rasterizer.conservativeRaster === 'OFF'
  return isSolid && rasterizedKind(o) === 'triangle' && arePlainInputs(inputs)
}

/** Memory for the order of parts and what they write to stream output, kept from draw to draw. */
const FRONT_MEMORIES = new WeakMap<SharedWork, { readonly allocation: Allocation; readonly byteLength: number }>()

function frontPlace(work: SharedWork, slotCount: number, hasOutput: boolean): FrontPlace | undefined {
  const whole = (n: number): number => Math.ceil(n / 64) * 64
  const [order, words] = [whole(orderWords(slotCount) * 4), whole(OUTPUT_WORDS * 4)]
  const byteLength = order + words + (hasOutput ? slotCount * STAGED_SLOT_BYTES : 0)
  const { memory } = work.thread
  let known = FRONT_MEMORIES.get(work)
  if (known === undefined || known.byteLength < byteLength) {
    if (known !== undefined) memory.release?.(known.allocation)
    FRONT_MEMORIES.delete(work)
    const allocation = memory.allocate(byteLength)
    if (allocation === undefined) return undefined
    known = { allocation, byteLength }
    FRONT_MEMORIES.set(work, known)
  }
  const at = known.allocation.byteOffset
  return { order: at, outputWords: at + order, staged: at + order + words, slotCount }
}

/** What there is once the parts are shared. */
interface Sharing {
  readonly board: Board
  readonly front: FrontThread
  readonly tiles: OwnTiles | undefined
  readonly shaders: ReadonlyMap<FrontStage, SharedShader>
  readonly running: WorkInProgress
}

export class SharedFront {
  readonly #o: SharedFrontOptions
  #setsUpByBands = false
  #sharing: Sharing | undefined
  #isOver = false
  #left: readonly FrontLeft[] = []
  #tilesLeft: readonly TileThreadLeft[] = []
  readonly diagnostics: Diagnostic[] = []
  /** The draw would have been shared if there had been threads. */
  lackedThreads = false

  constructor(o: SharedFrontOptions) {
    this.#o = o
  }

  /** Whether the draw is shared from now on: it is not where it is short, or where its order shows. Yields until its shaders have their code. */
  *begin(): Generator<void, boolean> {
    const { work, state, source, tiles, output } = this.#o
    if (state.hasEffects || state.shadesAll) return false
    const plan = partPlan(source, false, elementsOf(this.#o))
    const isDepthAlone = tiles !== undefined && tiles.execution === undefined
    this.#setsUpByBands = tiles !== undefined && mayUseBands(this.#o) && gainsByBands(this.#o)
    // To list triangles by tiles takes longer than to test their depths.
    if (isDepthAlone && !this.#setsUpByBands && work.sharesAll !== true) return false
    const least = isDepthAlone ? MIN_DEPTH_PARTS : MIN_SHARED_PARTS
    if (plan.total < (work.sharesAll === true ? 2 : least)) return false
    const reaches = storagesOf({ state, source, output }).every((s) => work.thread.reaches(s))
    if (!reaches || (tiles !== undefined && !reachesTargets(tiles))) return false
    this.lackedThreads = work.readyCount === 0
    if (this.lackedThreads) return false
    while (!this.#areShadersReady) yield
    return this.#share(plan)
  }

  get #areShadersReady(): boolean {
    const { shaders, tiles } = this.#o
    let areReady = tiles?.execution?.isReadyToShare?.() !== false
    for (const stage of FRONT_STAGES) if (shaders[stage]?.execution.isReadyToShare?.() === false) areReady = false
    return areReady
  }

  /** What is passed from thread to thread. */
  get #kind(): SharedKind {
    if (this.#setsUpByBands) return 'triangles'
    return rasterizedKind(this.#o) === 'line' ? 'lines' : 'primitives'
  }

  #share(plan: PartPlan): boolean {
    const { work, state, source, output, tiles: options } = this.#o
    const shaders = this.#sharedShaders(plan)
    const made = shaders && newBoard(work)
    const place = made && frontPlace(work, made.place.slotCount, output !== undefined)
    if (shaders === undefined || made === undefined || place === undefined) return false
    const planned = options && planTiles(options, made.place, this.#kind, 'many')
    if (options !== undefined && planned === undefined) return false
    const descriptions = Object.fromEntries([...shaders].map(([stage, s]) => [stage, s.description]))
    const given: FrontWork = { state, source, plan, output, shaders: descriptions, place }
    // The other threads make ready what they run on while this one does.
    const { board } = made
    board.hold()
    const text = printPlain({ place: made.place, tiles: planned?.plain ?? null, front: plainFront(given) })
    const running = work.begin(text)
    if (running === undefined) return false
    if (!this.#beginOwn(given, board, planned, shaders, running)) {
      board.stop()
      running.end(Number.POSITIVE_INFINITY)
      return false
    }
    board.letGo()
    sharedCounts.draws++
    sharedCounts.fronts++
    if (planned?.work.bands != null) sharedCounts.bands++
    return true
  }

  /** Makes what this thread runs on; false where its memory has no room. */
  #beginOwn(
    given: FrontWork,
    board: Board,
    planned: PlannedTiles | undefined,
    shaders: Sharing['shaders'],
    running: WorkInProgress,
  ): boolean {
    const { work, output, tiles: options, deadline } = this.#o
    const isLost = (): boolean => running.isShort
    const tiles = planned && beginTiles(options!, planned, isLost)
    if (planned !== undefined && tiles === undefined) return false
    const ofFront = tiles && { thread: tiles.thread, work: tiles.work }
    const front = FrontThread.create({ work: given, thread: work.thread, board, tiles: ofFront, deadline, isLost })
    if (front === undefined) {
      tiles?.thread.leave()
      return false
    }
    front.order.begin(given.plan.total)
    front.collector?.begin(output?.buffers.map((b) => b?.filled ?? 0) ?? [])
    this.#sharing = { board, front, tiles, shaders, running }
    return true
  }

  /**
   * By stage; undefined where one runs on this thread alone. The first of a finding follows the batches, which parts divide: only
   * those of patches may end where they do on one thread.
   */
  #sharedShaders(plan: PartPlan): ReadonlyMap<FrontStage, SharedShader> | undefined {
    const made = new Map<FrontStage, SharedShader>()
    for (const stage of FRONT_STAGES) {
      const execution = this.#o.shaders[stage]?.execution
      if (execution === undefined) continue
      const shader = execution.share?.()
      if (shader === undefined) return undefined
      const mayShare = stage === 'hull' && keepsBatches(this.#o.source, plan)
      if (shader.mayReport && !mayShare) return undefined
      made.set(stage, shader)
    }
    return made
  }

  /** Runs parts and tiles, yielding to the host after each. */
  *run(): Generator<void, void> {
    const s = this.#sharing!
    yield
    const { board, front, tiles, running } = s
    for (;;) {
      // Read before the look at what there is: what comes behind it ends the wait.
      const { changes } = board
      if ((board.isEnded && board.isDone) || board.isStopped) break
      if (!front.step() && tiles?.thread.step() !== true) {
        board.awaitChange(changes, WAIT_MS)
        if (running.isShort) {
          board.setLostThread()
          // What a thread that has died had taken is not done by another.
          if (running.end(performance.now()) !== undefined) board.stop()
        }
      }
      if (performance.now() >= this.#o.deadline) throw new DrawStopped('time')
      yield
    }
    this.end()
    const stopped = this.#stopped
    if (stopped !== undefined) throw new DrawStopped(stopped)
    if (!board.isEnded || !board.isDone) throw new DrawStopped('lost')
  }

  /** Why a thread stopped the draw: those that were stopped by another say that it was time. */
  get #stopped(): Stop | undefined {
    const all = [...this.#left, ...this.#tilesLeft].flatMap((l) => (l.stopped === undefined ? [] : [l.stopped]))
    return all.find((why) => why !== 'time') ?? all[0]
  }

  /** Ends the draw for all threads, wherever they are, and takes what they leave. */
  end(): void {
    const s = this.#sharing
    if (s === undefined || this.#isOver) return
    this.#isOver = true
    const { board, front, tiles, shaders, running } = s
    const isWhole = board.isDone && board.isEnded
    if (!isWhole) board.stop()
    const end = running.end(Number.POSITIVE_INFINITY)!
    const others = end.texts.map((t) => parsePlain(t) as ThreadLeft<FrontLeft>)
    const own = tiles?.thread.leave()
    this.#left = [front.leave(), ...others.flatMap((l) => l.front ?? [])]
    this.#tilesLeft = [...(own === undefined ? [] : [own]), ...others.flatMap((l) => l.tiles ?? [])]
    for (const { behindCount } of this.#tilesLeft) sharedCounts.tilesBehind += behindCount
    sharedCounts.tilesOfWorkers += others.reduce((n, l) => n + (l.tiles?.tileCount ?? 0), 0)
    sharedCounts.setUpByCode += this.#tilesLeft.reduce((n, l) => n + l.setUpByCode, 0)
    sharedCounts.partsOfWorkers += others.reduce((n, l) => n + (l.front?.partCount ?? 0), 0)
    for (const [stage, shader] of shaders) {
      shader.collect(this.#left.flatMap((l) => (l.shaders[stage] === undefined ? [] : [l.shaders[stage]])))
    }
    tiles?.shader?.collect(this.#tilesLeft.flatMap((l) => (l.shader === undefined ? [] : [l.shader])))
    if (end.lostCount > 0 && !isWhole) this.diagnostics.push(lostWorker())
    this.#takeExcess()
  }

  /** Tessellation factors above what is declared are reported once, of the first patch. */
  #takeExcess(): void {
    const all = this.#left.flatMap((l) => l.excess).sort((a, b) => a.part - b.part)
    if (all[0] !== undefined) this.diagnostics.push(diagnostic('pipeline-undefined', all[0].text))
  }

  /** Adds what all threads counted to the counts of the draw. */
  addTo(statistics: PipelineStatistics, clipCounts: ClipCounts, streamOutput: StreamOutput | undefined): void {
    for (const l of this.#left) {
      for (const name of Object.keys(statistics) as (keyof PipelineStatistics)[]) statistics[name] += l.statistics[name]
      clipCounts.clipperInvocations += l.clipCounts.clipperInvocations
      clipCounts.clipperPrimitives += l.clipCounts.clipperPrimitives
    }
    const collector = this.#sharing?.front.collector
    if (collector === undefined) return
    streamOutput?.statistics.forEach((s, stream) => {
      const { written, needed } = collector.counts(stream)
      s.primitivesWritten += written
      s.primitivesStorageNeeded += needed
    })
    this.#o.output?.buffers.forEach((b, n) => {
      if (b !== undefined) b.filled = collector.filled(n)
    })
  }

  /** Of all threads. */
  get counts(): PixelCounts {
    const sum = (of: (l: TileThreadLeft) => number): number => this.#tilesLeft.reduce((n, l) => n + of(l), 0)
    return {
      invocations: sum((l) => l.invocations),
      samplesPassed: sum((l) => l.samplesPassed),
      undefinedWrites: sum((l) => l.undefinedWrites),
    }
  }
}
