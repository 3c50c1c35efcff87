import type { Declarations, OutputTopology } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import { growVertices, newVertexArray, type VertexArray } from '../geometry.ts'
import { BATCH_SIZE, EntryRunner, type StageShader } from '../stage-runner.ts'
import { createStripAssembler, type StripAssembler } from '../streams/index.ts'
import type { PipelineStatistics } from './statistics.ts'

/** The geometry shader: primitives in, strips of up to four streams out (functional specification 13). */

/** A complete primitive of a stream, by vertex of `vertices`; it must be used before the next batch runs. */
export type StreamPrimitiveSink = (stream: number, vertices: readonly number[], primitiveId: number) => void

export class GeometryStage {
  readonly #runner: EntryRunner
  readonly #instanceCount: number
  readonly #strips = new Map<number, StripAssembler>()
  readonly #sink: StreamPrimitiveSink
  readonly #ids = new Int32Array(BATCH_SIZE)
  readonly #statistics: PipelineStatistics
  readonly vertices: VertexArray
  #pending = 0
  #invocation = -1

  constructor(
    shader: StageShader,
    declarations: Declarations,
    statistics: PipelineStatistics,
    describePrimitive: (primitiveId: number) => string,
    sink: StreamPrimitiveSink,
  ) {
    const { stage } = declarations
    if (stage.kind !== 'geometry') throw new Error('the shader of the geometry stage is no geometry shader')
    this.#instanceCount = stage.instanceCount
    this.#sink = sink
    this.#statistics = statistics
    const describe = (i: number): string => {
      const instance = stage.instanceCount > 1 ? `instance ${i % stage.instanceCount} of ` : ''
      return `${instance}${describePrimitive(this.#ids[i]!)}`
    }
    this.#runner = new EntryRunner(shader, describe, {
      streams: {
        vertex: (invocation, stream, words) => this.#emit(invocation, stream, words),
        cut: (_invocation, stream) => this.#strips.get(stream)?.cut(),
      },
    })
    this.vertices = newVertexArray(this.#runner.registerCount)
    const topologies: ReadonlyMap<number, OutputTopology> = new Map(stage.streams.map((s) => [s.stream, s.topology]))
    for (const [stream, topology] of topologies) {
      this.#strips.set(
        stream,
        createStripAssembler(topology, (v) => this.#complete(stream, v)),
      )
    }
  }

  #complete(stream: number, vertices: readonly number[]): void {
    this.#statistics.gsPrimitives++
    this.#sink(stream, vertices, this.#ids[this.#invocation]!)
  }

  #emit(invocation: number, stream: number, words: Int32Array): void {
    if (invocation !== this.#invocation) this.#endInvocation(invocation)
    const a = this.vertices
    growVertices(a, 1)
    const block = this.#runner.outputBlock(FILE.output)
    const at = a.count * a.registerCount * 4
    a.words.fill(0, at, at + a.registerCount * 4)
    if (block !== undefined) {
      a.words.set(
        words.subarray(block.firstSlot, block.firstSlot + block.registerCount * 4),
        at + block.firstRegister * 4,
      )
    }
    // Counted before it is passed on: clipping appends the vertices that it makes.
    const number = a.count++
    this.#strips.get(stream)?.vertex(number)
  }

  /** The end of an invocation ends its strips (13.4). */
  #endInvocation(next: number): void {
    for (const strip of this.#strips.values()) strip.cut()
    this.#invocation = next
  }

  /** Takes a primitive, adjacent vertices included. */
  add(input: VertexArray, primitive: readonly number[], primitiveId: number): void {
    const block = this.#runner.inputBlock(FILE.input)
    for (let instance = 0; instance < this.#instanceCount; instance++) {
      const lane = this.#pending++
      this.#ids[lane] = primitiveId
      if (block !== undefined) this.#runner.setVertices(block, lane, input, primitive)
      this.#runner.setSingle(FILE['input-primitive-id'], lane, primitiveId)
      this.#runner.setSingle(FILE['gs-instance-id'], lane, instance)
      if (this.#pending === BATCH_SIZE) this.flush()
    }
  }

  flush(): void {
    if (this.#pending === 0) return
    const count = this.#pending
    this.#pending = 0
    this.#invocation = -1
    this.#statistics.gsInvocations += count
    this.#runner.run(count)
    this.#endInvocation(-1)
  }
}
