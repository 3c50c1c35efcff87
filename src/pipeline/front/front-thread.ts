import type { JoinedExecution, Stop, WorkThread } from '../../engine/index.ts'
import { codeHistoryOf } from '../code-history.ts'
import type { VertexArray } from '../geometry.ts'
import {
  type ClipCounts,
  type PixelRect,
  type RecordSink,
  type SetUpPrimitive,
  sampleOffsets,
  type VertexWords,
} from '../raster/index.ts'
import { type BatchOrder, DrawStopped, type StageShader } from '../stage-runner.ts'
import { LastStage, newStatistics, PartRunner, type PipelineStatistics, StageChain } from '../stages/index.ts'
import {
  type Board,
  newSlotOutput,
  type PrimitiveSink,
  RasterStage,
  type SlotOutput,
  type Taken,
  type TileThread,
  type TileWork,
} from '../tiles/index.ts'
import { VertexMemory } from '../vertex-memory.ts'
import { FRONT_STAGES, type FrontStage, type FrontWork } from './front-work.ts'
import { orderWords, PartOrder } from './part-order.ts'
import { OUTPUT_WORDS, OutputCollector, StagedOutput } from './staged-output.ts'

/** One of the threads of a draw: takes parts, and runs the stages before the rasterizer and the setup of their primitives. */

/** Longest wait, in milliseconds, until a thread looks whether others live and what time it is. */
const WAIT_MS = 2

/** Slots that are left for the first part, so that it can always go on. */
const KEPT_SLOTS = 2

/** What a thread leaves at its end. */
export interface FrontLeft {
  readonly statistics: PipelineStatistics
  readonly clipCounts: ClipCounts
  readonly partCount: number
  readonly stopped?: Stop | undefined
  /** What the tessellator found, with the part. */
  readonly excess: readonly { readonly part: number; readonly text: string }[]
  /** By stage, for `SharedShader.collect`. */
  readonly shaders: Readonly<Partial<Record<FrontStage, unknown>>>
}

/** What the thread rasterizes with; undefined where nothing is. */
interface FrontTiles {
  readonly thread: TileThread
  readonly work: TileWork
}

interface FrontParts {
  readonly work: FrontWork
  readonly thread: WorkThread
  readonly board: Board
  readonly tiles: FrontTiles | undefined
  /** Time (performance.now) after which the draw ends. */
  readonly deadline: number
  /** Another thread has died. */
  readonly isLost: () => boolean
}

export class FrontThread implements PrimitiveSink {
  readonly order: PartOrder
  readonly collector: OutputCollector | undefined
  readonly #p: FrontParts
  readonly #executions: ReadonlyMap<FrontStage, JoinedExecution>
  readonly #statistics = newStatistics()
  readonly #clipCounts: ClipCounts = { clipperInvocations: 0, clipperPrimitives: 0 }
  readonly #excess: { part: number; text: string }[] = []
  readonly #vertexMemory: VertexMemory | undefined
  readonly #output: StagedOutput | undefined
  /** Where primitives go that are rasterized. */
  readonly #slots: SlotOutput | undefined
  readonly #chain: StageChain
  readonly #runner: PartRunner
  #raster: RasterStage | undefined
  #sink: RecordSink | undefined
  #sinkVertices: VertexArray | undefined
  readonly #order: BatchOrder = { part: 0, batch: 0 }
  #slot = 0
  #running: Generator<void, void> | undefined
  #partCount = 0
  #stopped: Stop | undefined

  private constructor(p: FrontParts, executions: ReadonlyMap<FrontStage, JoinedExecution>) {
    const { work, thread, tiles, deadline } = p
    this.#p = p
    this.#executions = executions
    const buffer = thread.buffer()
    const { order, staged, outputWords, slotCount } = work.place
    this.order = new PartOrder(new Int32Array(buffer, order, orderWords(slotCount)), slotCount)
    const kernels = thread.elementKernels
    this.#vertexMemory = kernels && new VertexMemory(kernels, codeHistoryOf(work.state.inputLayout))
    if (work.output !== undefined) {
      const words = new Int32Array(buffer, outputWords, OUTPUT_WORDS)
      this.#output = new StagedOutput(work.output, buffer, staged, slotCount, () => this.#changeSlot())
      this.collector = new OutputCollector({ work: work.output, kernels }, words, buffer, staged, slotCount)
    }
    this.#slots = tiles && newSlotOutput(buffer, tiles.work, tiles.thread.pixels.setupCode, kernels)
    const until = { time: deadline, deadline }
    const shaderOf = (stage: FrontStage): StageShader | undefined => {
      const execution = executions.get(stage)
      return execution && { execution, until, order: this.#order }
    }
    const onExcess = (text: string): void => {
      this.#excess.push({ part: this.#order.part, text })
    }
    const last = (vertices: VertexArray): LastStage =>
      new LastStage(vertices, this.#output, this.#rasterOf(vertices), undefined)
    this.#chain = new StageChain({
      state: work.state,
      shaders: {
        vertex: shaderOf('vertex')!,
        hull: shaderOf('hull'),
        domain: shaderOf('domain'),
        geometry: shaderOf('geometry'),
      },
      statistics: this.#statistics,
      vertexMemory: this.#vertexMemory,
      onExcess,
      last,
    })
    this.#runner = new PartRunner(work.source, work.plan, this.#chain)
  }

  /** Undefined where the thread's memory has no room for the shaders. */
  static create(p: FrontParts): FrontThread | undefined {
    const executions = new Map<FrontStage, JoinedExecution>()
    const isStopped = (): boolean => p.board.isStopped || performance.now() > p.deadline
    for (const stage of FRONT_STAGES) {
      const shader = p.work.shaders[stage]
      if (shader === undefined) continue
      const execution = p.thread.join(shader, isStopped)
      if (execution === undefined) {
        for (const e of executions.values()) e.dispose()
        return undefined
      }
      executions.set(stage, execution)
    }
    return new FrontThread(p, executions)
  }

  #rasterOf(vertices: VertexArray): RasterStage | undefined {
    const { tiles, deadline } = this.#p
    if (tiles === undefined) return undefined
    const { raster: r, pixels } = tiles.work
    const modes = Uint8Array.from(r.modes)
    this.#raster = new RasterStage(vertices, r, modes, {
      counts: this.#clipCounts,
      sampleCount: pixels.sampleCount,
      offsets: sampleOffsets(pixels.sampleCount),
      pixels: tiles.thread.pixels,
      deadline,
      shared: this,
    })
    this.#slots!.attach(vertices, this.#raster)
    return this.#raster
  }

  /** Runs a piece of a part; false where there is none now. */
  step(): boolean {
    const { board } = this.#p
    if (board.isStopped) return false
    if (this.#running === undefined) {
      // What this thread alone does is done first, so that no other waits for it.
      if (this.#p.tiles?.thread.hasOwn === true) return this.#p.tiles.thread.step()
      const slot = this.order.hasMore ? board.claimSlot(KEPT_SLOTS) : -1
      if (slot < 0) return false
      const part = this.order.take()
      if (part < 0) {
        board.releaseSlot(slot)
        return false
      }
      this.#order.part = part
      this.#order.batch = 0
      this.#partCount++
      this.#open(slot)
      this.#running = this.#run()
    }
    this.#guard(this.#running)
    return true
  }

  /** A stop of this thread is one of the draw. */
  #guard(running: Generator<void, void>): void {
    try {
      if (running.next().done === true) this.#running = undefined
    } catch (e) {
      if (!(e instanceof DrawStopped)) throw e
      this.#stopped = e.stop
      this.#running = undefined
      this.#p.board.stop()
    }
  }

  *#run(): Generator<void, void> {
    yield* this.#runner.run(this.#order.part)
    yield* this.#chain.first.flush()
    this.#slots?.close()
    this.order.end(this.#order.part, this.#slot, this.#passOn)
    if (this.order.isDone) this.#p.board.end()
    else this.#p.board.signalTurn()
  }

  #open(slot: number): void {
    this.#slot = slot
    this.#output?.open(slot)
    this.#slots?.open(slot)
  }

  readonly #passOn = (slot: number): void => {
    const { board } = this.#p
    this.collector?.collect(slot)
    if (this.#slots === undefined) board.releaseSlot(slot)
    else this.#slots.publish(board, slot)
  }

  /** Passes on what the part has so far, when all before it have ended, and goes on in another slot. */
  #changeSlot(): void {
    this.#waitUntil(() => this.order.isFirst(this.#order.part))
    this.#slots?.close()
    this.#waitUntil(() => this.order.passOnFirst(this.#slot, this.#passOn))
    let slot = -1
    this.#waitUntil(() => {
      slot = this.#p.board.claimSlot()
      return slot >= 0
    })
    this.#open(slot)
  }

  /** Does what else there is to do until other threads have gone on. */
  #waitUntil(isMet: () => boolean): void {
    const { board, tiles, deadline, isLost } = this.#p
    for (;;) {
      const { changes } = board
      if (isMet()) return
      if (tiles?.thread.step() !== true) board.awaitChange(changes, WAIT_MS)
      if (isLost()) throw new DrawStopped('lost')
      if (board.isStopped || performance.now() > deadline) throw new DrawStopped('time')
    }
  }

  /** Takes what comes from the rasterizer's setup. */
  readonly isUnshared = false
  readonly hasFewPixels = false

  #ensureSpace(vertices: VertexArray): void {
    if (!this.#slots!.hasSpaceFor(vertices)) this.#changeSlot()
  }

  takeRecords(vertices: VertexArray): RecordSink {
    if (this.#sink === undefined || this.#sinkVertices !== vertices) {
      const ensure = (): void => this.#ensureSpace(vertices)
      const change = (): void => this.#changeSlot()
      this.#sink = this.#slots!.sinkFor(vertices, { ensure, change })
      this.#sinkVertices = vertices
    }
    return this.#sink
  }

  take(p: SetUpPrimitive, vertices: VertexWords, bounds: PixelRect): Taken {
    this.#ensureSpace(vertices.array)
    this.#slots!.add(p, vertices, bounds)
    return 'taken'
  }

  /** A part that needs more than its slot waits where it is. */
  hasRoom(): boolean {
    return true
  }

  tookLong(): boolean {
    return false
  }

  forgetVertices(): void {
    this.#slots?.forgetVertices()
  }

  /** Ends its part: what it counted and found. */
  leave(): FrontLeft {
    const executions = this.#executions
    const shaders = Object.fromEntries([...executions].map(([stage, e]) => [stage, e.leave()]))
    this.#runner.dispose()
    this.#raster?.setup.dispose()
    this.#vertexMemory?.dispose()
    for (const e of executions.values()) e.dispose()
    return {
      statistics: this.#statistics,
      clipCounts: this.#clipCounts,
      partCount: this.#partCount,
      stopped: this.#stopped,
      excess: this.#excess,
      shaders,
    }
  }
}
