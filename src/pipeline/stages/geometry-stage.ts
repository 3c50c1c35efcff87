import {
  BATCH_SIZE,
  type Declarations,
  EMITTED_STREAM_BITS,
  type EmittedVertices,
  type RegisterBlock,
} from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import type { EmittedByInvocation } from '../column-code.ts'
import { growVertices, newVertexArray, type PrimitiveArray, type VertexArray } from '../geometry.ts'
import { EntryRunner, type StageShader } from '../stage-runner.ts'
import { StripAssembler, type WordRun } from '../streams/index.ts'
import type { VertexMemory } from '../vertex-memory.ts'
import { type LastStage, MOST_VERTICES, type PrimitiveConsumer } from './consumer.ts'
import type { PipelineStatistics } from './statistics.ts'
import type { ShadedInstances } from './vertex-stage.ts'

const STREAM_MASK = (1 << EMITTED_STREAM_BITS) - 1

/** The geometry shader: primitives in, strips of up to four streams out (functional specification 13). */

/** What the stage depends on of its shader. */
export type GeometryDeclarations = Pick<Declarations, 'stage'> & { readonly uavs: readonly unknown[] }

interface GeometryOptions {
  readonly shader: StageShader
  readonly declarations: GeometryDeclarations
  readonly statistics: PipelineStatistics
  /** The vertices that its primitives are numbers of. */
  readonly input: VertexArray
  /** The stream that reaches the rasterizer. */
  readonly rasterizedStream: number
  readonly describePrimitive: (primitiveId: number, instance: number) => string
  /** Where its vertices lie. */
  readonly vertexMemory: VertexMemory | undefined
  /** What takes its primitives. */
  readonly next: (vertices: VertexArray) => LastStage
}

/** Vertices that all invocations emitted. */
function emittedCount({ words, counts, invocationCount }: EmittedVertices): number {
  let count = 0
  for (let i = counts; i < counts + invocationCount; i++) count += words[i]!
  return count
}

export class GeometryStage implements PrimitiveConsumer {
  readonly #o: GeometryOptions
  readonly #runner: EntryRunner
  readonly #inputs: RegisterBlock | undefined
  readonly #outputs: RegisterBlock | undefined
  /** Words from where an emitted vertex begins to its register 0. */
  readonly #toRegisters: number
  readonly #instanceCount: number
  /** By stream. */
  readonly #strips: (StripAssembler | undefined)[] = []
  readonly #next: LastStage
  /** What it emitted. */
  readonly #vertices: VertexArray
  /** By invocation that waits: its primitive, the instance that this is of, and the invocation's own instance. */
  readonly #ids = new Int32Array(BATCH_SIZE)
  readonly #drawInstances = new Int32Array(BATCH_SIZE)
  readonly #instances = new Int32Array(BATCH_SIZE)
  /** By invocation that is filled: where its primitive's vertices stand. */
  readonly #places = new Int32Array(BATCH_SIZE)
  #pending = 0
  #isFirst = true
  /** All streams are of points that nothing but stream output takes: they go there from where the shader left them. */
  readonly #areWrittenPoints: boolean
  /** What a batch emitted, of those. */
  #emitted: EmittedVertices | undefined
  #placesOfPoints = new Int32Array(BATCH_SIZE)
  /** The invocation whose strips are assembled. */
  #invocation = -1

  constructor(o: GeometryOptions) {
    const { stage } = o.declarations
    if (stage.kind !== 'geometry') throw new Error('the shader of the geometry stage is no geometry shader')
    this.#o = o
    this.#instanceCount = stage.instanceCount
    const { uavs } = o.declarations
    // Shaders that write memory run one invocation at a time.
    this.#areWrittenPoints =
      o.rasterizedStream < 0 && uavs.length === 0 && stage.streams.every((s) => s.topology === 'pointlist')
    const describe = (i: number): string => {
      const instance = stage.instanceCount > 1 ? `instance ${this.#instances[i]} of ` : ''
      return `${instance}${o.describePrimitive(this.#ids[i]!, this.#drawInstances[i]!)}`
    }
    this.#runner = new EntryRunner(o.shader, describe, { streams: this })
    this.#inputs = this.#runner.inputBlock(FILE.input)
    const outputs = this.#runner.outputBlock(FILE.output)
    this.#outputs = outputs
    this.#toRegisters = 1 + (outputs === undefined ? 0 : outputs.firstSlot - outputs.firstRegister * 4)
    this.#vertices = newVertexArray(this.#runner.registerCount, 0, o.vertexMemory)
    for (const { stream, topology } of stage.streams) this.#strips[stream] = new StripAssembler(topology)
    this.#next = o.next(this.#vertices)
  }

  vertex(invocation: number, stream: number, words: Int32Array): void {
    this.#emit(invocation, stream, words, 0)
  }

  cut(_invocation: number, stream: number): void {
    this.#strips[stream]?.cut()
  }

  emitted(vertices: EmittedVertices): void {
    if (this.#areWrittenPoints) this.#emitted = vertices
    else this.#emitAll(vertices)
  }

  *add(primitives: PrimitiveArray, from: number, to: number): Generator<void, void> {
    const total = (to - from) * this.#instanceCount
    for (let done = 0; done < total; ) {
      const count = Math.min(BATCH_SIZE - this.#pending, total - done)
      this.#fill(primitives, from, done, count)
      done += count
      if (this.#pending < BATCH_SIZE) continue
      yield* this.#run()
      if (this.#vertices.count >= MOST_VERTICES) yield* this.#clear()
    }
  }

  /** Whether it takes points where the shader before left them, one for each. */
  get takesShaded(): boolean {
    return this.#instanceCount === 1
  }

  /** Takes points that have just been shaded: the number `first` among those of the instances, and those behind it. */
  *addShaded(
    from: EntryRunner,
    { plan, firstInstance }: ShadedInstances,
    firstPrimitive: number,
    first: number,
    count: number,
  ): Generator<void, void> {
    yield* this.#run()
    const runner = this.#runner
    this.#numberShaded(plan.count, firstInstance, firstPrimitive, first, count)
    if (this.#inputs !== undefined) runner.takeOutputs(this.#inputs, from, this.#o.vertexMemory?.kernels)
    // The instances of the shader are 0, as they have been.
    runner.setSingles(FILE['input-primitive-id'], 0, count, this.#ids)
    this.#pending = count
    yield* this.#run()
    if (this.#vertices.count >= MOST_VERTICES) yield* this.#clear()
  }

  /** Sets the primitives and instances of points, of which each instance has so many. */
  #numberShaded(
    perInstance: number,
    firstInstance: number,
    firstPrimitive: number,
    first: number,
    count: number,
  ): void {
    const ids = this.#ids
    let instance = firstInstance + Math.floor(first / perInstance)
    let id = firstPrimitive + (first % perInstance)
    for (let at = 0; at < count; instance++) {
      const end = Math.min(count, at + firstPrimitive + perInstance - id)
      this.#drawInstances.fill(instance, at, end)
      for (; at < end; at++) ids[at] = id++
      id = firstPrimitive
    }
  }

  *flush(): Generator<void, void> {
    yield* this.#run()
    yield* this.#clear()
  }

  /** It has copies of what it reads. */
  clearVertices(): void {}

  *#clear(): Generator<void, void> {
    yield* this.#next.flush()
    this.#vertices.count = 0
    this.#next.clearVertices()
  }

  /** Puts `count` invocations behind those that wait; `done` of the primitives from `from` on are there already. */
  #fill(p: PrimitiveArray, from: number, done: number, count: number): void {
    const first = this.#pending
    const size = p.verticesPerPrimitive
    const instanceCount = this.#instanceCount
    for (let i = 0; i < count; i++) {
      const primitive = from + (instanceCount === 1 ? done + i : Math.floor((done + i) / instanceCount))
      this.#ids[first + i] = p.ids[primitive]!
      this.#drawInstances[first + i] = p.instances[primitive]!
      this.#instances[first + i] = instanceCount === 1 ? 0 : (done + i) % instanceCount
      this.#places[i] = primitive * size
    }
    const runner = this.#runner
    const places = { verticesPerPrimitive: size, numbers: p.vertices, places: this.#places }
    if (this.#inputs !== undefined) runner.setPrimitives(this.#inputs, first, count, this.#o.input, places)
    runner.setSingles(FILE['input-primitive-id'], first, count, this.#ids.subarray(first))
    runner.setSingles(FILE['gs-instance-id'], first, count, this.#instances.subarray(first))
    this.#pending += count
  }

  /** Runs the invocations that wait, and passes on what is complete. */
  *#run(): Generator<void, void> {
    const count = this.#pending
    if (count === 0) return
    this.#pending = 0
    const { statistics, rasterizedStream } = this.#o
    statistics.gsInvocations += count
    this.#runner.run(count)
    if (this.#isFirst) {
      // What comes next compiles programs too.
      this.#isFirst = false
      yield
    }
    if (this.#emitted !== undefined) {
      this.#writePoints(this.#emitted)
      this.#emitted = undefined
      return
    }
    this.#beginInvocation(-1)
    for (let stream = 0; stream < this.#strips.length; stream++) {
      const primitives = this.#strips[stream]?.primitives
      if (primitives === undefined) continue
      const made = primitives.count
      statistics.gsPrimitives += made
      this.#next.writeStream(stream, primitives, 0, made)
      if (stream === rasterizedStream) yield* this.#next.rasterize(primitives, 0, made)
      primitives.count = 0
    }
  }

  /** The end of an invocation ends its strips (13.4). */
  #beginInvocation(invocation: number): void {
    this.#invocation = invocation
    for (let stream = 0; stream < this.#strips.length; stream++) this.#strips[stream]?.cut()
  }

  /** Takes a vertex whose output registers begin at element `at`. */
  #emit(invocation: number, stream: number, words: Int32Array, at: number): void {
    const a = this.#vertices
    growVertices(a, 1)
    const width = a.registerCount * 4
    const to = a.count * width
    const block = this.#outputs
    const before = block === undefined ? width : block.firstRegister * 4
    const { words: into } = a
    for (let w = 0; w < before; w++) into[to + w] = 0
    if (block !== undefined) {
      const from = at + block.firstSlot - before
      for (let w = before; w < width; w++) into[to + w] = words[from + w]!
    }
    this.#append(invocation, stream)
  }

  /** Takes the vertex whose words are behind those of the others. */
  #append(invocation: number, stream: number): void {
    if (invocation !== this.#invocation) this.#beginInvocation(invocation)
    this.#strips[stream]?.vertex(this.#vertices.count++, this.#ids[invocation]!, this.#drawInstances[invocation]!)
  }

  /** Hands points on to stream output, stream by stream. */
  #writePoints(e: EmittedVertices): void {
    for (let stream = 0; stream < this.#strips.length; stream++) {
      if (this.#strips[stream] === undefined) continue
      if (e.onlyStream === undefined) this.#writePlaces(e, stream, this.#findPlaces(e, stream))
      else if (e.onlyStream === stream) this.#writeAll(e, stream)
    }
  }

  #writeAll(e: EmittedVertices, stream: number): void {
    this.#writePlaces(e, stream, emittedCount(e), this.#byInvocation(e))
  }

  #byInvocation({
    counts,
    invocationCount,
    first,
    invocationStride,
    vertexStride,
  }: EmittedVertices): EmittedByInvocation {
    return {
      points: first + this.#toRegisters,
      counts,
      invocationCount,
      endWord: this.#runner.registerCount * 4,
      most: invocationStride / vertexStride,
      invocationStride,
      pointStride: vertexStride,
    }
  }

  /** Hands `count` points of a stream on, of those that `#findPlaces` finds or all that were emitted. */
  #writePlaces(e: EmittedVertices, stream: number, count: number, byInvocation?: EmittedByInvocation): void {
    const { registerCount } = this.#runner
    const block = this.#outputs
    this.#o.statistics.gsPrimitives += count
    const places = (): Int32Array => {
      if (byInvocation !== undefined) this.#findPlaces(e, stream)
      return this.#placesOfPoints
    }
    this.#next.writePoints(stream, {
      words: e.words,
      count,
      firstWord: block === undefined ? registerCount * 4 : block.firstRegister * 4,
      endWord: registerCount * 4,
      places,
      byInvocation,
      code: this.#o.vertexMemory?.code,
    })
  }

  /** Finds where the points of a stream begin; answers how many there are. */
  #findPlaces(e: EmittedVertices, stream: number): number {
    const { words, invocationCount, counts, first, invocationStride, vertexStride } = e
    const toRegisters = this.#toRegisters
    let count = 0
    for (let i = 0; i < invocationCount; i++) {
      let at = first + i * invocationStride
      const end = at + words[counts + i]! * vertexStride
      for (; at < end; at += vertexStride) {
        if ((words[at]! & STREAM_MASK) !== stream) continue
        if (count === this.#placesOfPoints.length) this.#growPlaces()
        this.#placesOfPoints[count++] = at + toRegisters
      }
    }
    return count
  }

  #growPlaces(): void {
    const grown = new Int32Array(this.#placesOfPoints.length * 2)
    grown.set(this.#placesOfPoints)
    this.#placesOfPoints = grown
  }

  #emitAll(e: EmittedVertices): void {
    const { words, firstInvocation, invocationCount, counts, first, invocationStride, vertexStride } = e
    const isCopied = this.#copyEmitted(e)
    for (let i = 0; i < invocationCount; i++) {
      let at = first + i * invocationStride
      const end = at + words[counts + i]! * vertexStride
      for (; at < end; at += vertexStride) {
        const header = words[at]!
        const stream = header & STREAM_MASK
        if (header >>> EMITTED_STREAM_BITS !== 0) this.#strips[stream]?.cut()
        if (isCopied) this.#append(firstInvocation + i, stream)
        else this.#emit(firstInvocation + i, stream, words, at + 1)
      }
    }
  }

  /** Copies the words of all vertices that were emitted behind those that there are; false where there is no code for it. */
  #copyEmitted(e: EmittedVertices): boolean {
    const a = this.#vertices
    const { registerCount } = a
    const code = this.#o.vertexMemory?.code
    // Registers before the first output are 0.
    if (code === undefined || this.#outputs?.firstRegister !== 0) return false
    const count = emittedCount(e)
    growVertices(a, count)
    const stride = registerCount * 16
    const runs = (): WordRun[] => Array.from({ length: registerCount }, (_, r) => [r * 16, r * 16, 4])
    const to = { words: a.words, firstByte: a.count * stride, stride }
    return code.copyEmitted(this.#o.declarations, runs, e.words, this.#byInvocation(e), to, count)
  }
}
