import { type Declarations, type EntryDeclaration, SYSTEM_VALUE_NUMBER } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import { bitsOfF32 } from '../../machine/index.ts'
import { newVertexArray, type VertexArray } from '../geometry.ts'
import { BATCH_SIZE, EntryRunner, type StageShader } from '../stage-runner.ts'
import { domainLocation, tessellate } from '../tessellator/index.ts'
import type { PipelineStatistics } from './statistics.ts'

/** Patches to vertices: the phases of the hull shader, the tessellator, the domain shader (functional specification 10 to 12). */

const SV = SYSTEM_VALUE_NUMBER
/** Patch constants of a patch: 32 registers. */
const PATCH_REGISTERS = 32

/** System values of the factors in the order in which the tessellator takes them. */
const FACTORS = {
  quad: [SV.quadEdgeU0, SV.quadEdgeV0, SV.quadEdgeU1, SV.quadEdgeV1, SV.quadInsideU, SV.quadInsideV],
  triangle: [SV.triangleEdgeU, SV.triangleEdgeV, SV.triangleEdgeW, SV.triangleInside],
  isoline: [SV.lineDetail, SV.lineDensity],
} as const

const FLOAT = new Float32Array(1)
const FLOAT_BITS = new Int32Array(FLOAT.buffer)

function floatOf(bits: number): number {
  FLOAT_BITS[0] = bits
  return FLOAT[0]!
}

/** Primitives that tessellation made, by vertex of `vertices`. */
export type TessellatedSink = (vertices: readonly number[], primitiveId: number) => void

export interface TessellationOptions {
  readonly hull: StageShader
  readonly hullDeclarations: Declarations
  readonly domain: StageShader
  readonly domainDeclarations: Declarations
  readonly describePatch: (primitiveId: number) => string
  /** Takes the first factor that is above what the hull shader declares. */
  readonly onExcess: (message: string) => void
}

export class TessellationStage {
  readonly #stage: Extract<Declarations['stage'], { kind: 'hull' }>
  readonly #points: EntryRunner | undefined
  readonly #phases: readonly { readonly entry: EntryDeclaration; readonly runner: EntryRunner }[]
  readonly #domainRunner: EntryRunner
  readonly #controlPoints: VertexArray
  readonly #constants: VertexArray = newVertexArray(PATCH_REGISTERS, 1)
  /** Register * 4 + component of each factor, -1 where no phase writes it. */
  readonly #factorWords: readonly number[]
  /** What dcl_hs_max_tessfactor says, until a factor was above it. */
  #declaredMost: number
  readonly #o: TessellationOptions
  /** Vertices that the domain shader made. */
  readonly vertices: VertexArray
  #patch = 0
  #pointNames: Int32Array = new Int32Array(0)

  constructor(o: TessellationOptions) {
    const { stage, entries } = o.hullDeclarations
    if (stage.kind !== 'hull') throw new Error('the shader of the hull stage is no hull shader')
    this.#stage = stage
    this.#o = o
    this.#declaredMost = stage.maxTessFactor ?? Number.POSITIVE_INFINITY
    const name = (what: string) => (i: number) => `${what} ${i} of ${o.describePatch(this.#patch)}`
    const pointEntry = entries.findIndex((e) => e.kind === 'control-point')
    this.#points =
      pointEntry < 0 ? undefined : new EntryRunner(o.hull, name('control point'), { entry: pointEntry, capacity: 32 })
    this.#phases = entries.flatMap((entry, n) =>
      entry.kind === 'fork' || entry.kind === 'join'
        ? [
            {
              entry,
              runner: new EntryRunner(o.hull, name(`${entry.kind} phase instance`), {
                entry: n,
                capacity: 1,
                keepsOutputs: true,
              }),
            },
          ]
        : [],
    )
    this.#domainRunner = new EntryRunner(
      o.domain,
      (i) => `domain point ${this.#pointNames[i] ?? i} of ${o.describePatch(this.#patch)}`,
    )
    this.#controlPoints = newVertexArray(Math.max(1, this.#points?.registerCount ?? PATCH_REGISTERS), 32)
    this.vertices = newVertexArray(this.#domainRunner.registerCount)
    this.#factorWords = FACTORS[stage.domain].map((systemValue) => {
      const declared = entries.flatMap((e) => e.outputs).find((d) => d.systemValue === systemValue)
      return declared === undefined ? -1 : declared.register * 4 + (31 - Math.clz32(declared.mask & -declared.mask))
    })
  }

  /** Runs one patch; `input` are the shaded vertices, `patch` its control points. */
  run(
    input: VertexArray,
    patch: readonly number[],
    primitiveId: number,
    statistics: PipelineStatistics,
    sink: TessellatedSink,
  ): void {
    this.#patch = primitiveId
    statistics.hsInvocations++
    const points = this.#runControlPoints(input, patch, primitiveId)
    this.#runPhases(input, patch, points, primitiveId)
    const { words } = this.#constants
    const factors = Float32Array.from(this.#factorWords, (w) => (w < 0 ? 0 : floatOf(words[w]!)))
    this.#checkFactors(factors, primitiveId)
    const { domain, partitioning, outputPrimitive } = this.#stage
    const t = tessellate(domain, partitioning, outputPrimitive, factors)
    if (t.culled || t.pointCount === 0) return
    const first = this.#runDomain(t.points, t.pointCount, points, primitiveId, statistics)
    const n = t.verticesPerPrimitive
    for (let i = 0; i < t.primitiveCount; i++) {
      const vertices: number[] = []
      for (let k = 0; k < n; k++) vertices.push(first + t.indices[i * n + k]!)
      sink(vertices, primitiveId)
    }
  }

  /** The compiler's code keeps factors below the declared maximum; beyond it tessellation is undefined (10.13). */
  #checkFactors(factors: Float32Array, primitiveId: number): void {
    const largest = factors.reduce((most, f) => (f > most ? f : most), 0)
    if (largest <= this.#declaredMost) return
    const text = `${this.#o.describePatch(primitiveId)} has the tessellation factor ${largest}; dcl_hs_max_tessfactor declares at most ${this.#declaredMost}. Direct3D leaves that undefined; the factor is used as it is`
    this.#o.onExcess(text)
    this.#declaredMost = Number.POSITIVE_INFINITY
  }

  /** Control points after the first phase; without one they pass through. */
  #runControlPoints(input: VertexArray, patch: readonly number[], primitiveId: number): PatchPoints {
    const runner = this.#points
    if (runner === undefined) return { array: input, numbers: patch }
    const count = this.#stage.outputControlPointCount
    const block = runner.inputBlock(FILE.input) ?? runner.inputBlock(FILE['input-control-point'])
    for (let i = 0; i < count; i++) {
      if (block !== undefined) runner.setVertices(block, i, input, patch)
      runner.setSingle(FILE['output-control-point-id'], i, i)
      runner.setSingle(FILE['input-primitive-id'], i, primitiveId)
    }
    this.#controlPoints.count = 0
    runner.run(count)
    runner.appendOutputs(this.#controlPoints)
    return { array: this.#controlPoints, numbers: Array.from({ length: count }, (_, i) => i) }
  }

  /** Fork and join phases, their instances one after the other, each going on with what was written before. */
  #runPhases(input: VertexArray, patch: readonly number[], points: PatchPoints, primitiveId: number): void {
    this.#constants.count = 1
    this.#constants.words.fill(0)
    for (const { entry, runner } of this.#phases) {
      const inputPoints = runner.inputBlock(FILE['input-control-point'])
      const outputPoints = runner.inputBlock(FILE['output-control-point'])
      const constants = runner.inputBlock(FILE['patch-constant'])
      if (inputPoints !== undefined) runner.setVertices(inputPoints, 0, input, patch)
      if (outputPoints !== undefined) runner.setVertices(outputPoints, 0, points.array, points.numbers)
      if (constants !== undefined) runner.setVertex(constants, 0, 0, this.#constants, 0)
      runner.setSingle(FILE['input-primitive-id'], 0, primitiveId)
      for (let instance = 0; instance < entry.instanceCount; instance++) {
        runner.setSingle(FILE['fork-instance-id'], 0, instance)
        runner.setSingle(FILE['join-instance-id'], 0, instance)
        this.#runInstance(runner)
      }
    }
  }

  #runInstance(runner: EntryRunner): void {
    const block = runner.outputBlock(FILE.output)
    const { words } = this.#constants
    if (block !== undefined) {
      const from = block.firstRegister * 4
      for (let w = 0; w < block.registerCount * 4; w++) runner.batch.outputs[block.firstSlot + w] = words[from + w] ?? 0
    }
    runner.run(1)
    if (block === undefined) return
    const from = block.firstRegister * 4
    for (let w = 0; w < block.registerCount * 4; w++) {
      if (from + w < words.length) words[from + w] = runner.batch.outputs[block.firstSlot + w]!
    }
  }

  /** Number of the first vertex that the domain shader made. */
  #runDomain(
    points: Int32Array,
    count: number,
    controlPoints: PatchPoints,
    primitiveId: number,
    statistics: PipelineStatistics,
  ): number {
    const runner = this.#domainRunner
    const first = this.vertices.count
    const location = runner.inputBlock(FILE['domain-point'])
    const control = runner.inputBlock(FILE['input-control-point'])
    const constants = runner.inputBlock(FILE['patch-constant'])
    const { inputs, capacity } = runner.batch
    for (let done = 0; done < count; done += BATCH_SIZE) {
      const lanes = Math.min(BATCH_SIZE, count - done)
      this.#pointNames = Int32Array.from({ length: lanes }, (_, i) => done + i)
      for (let i = 0; i < lanes; i++) {
        if (location !== undefined) {
          const at = domainLocation(this.#stage.domain, points[(done + i) * 2]!, points[(done + i) * 2 + 1]!)
          for (let c = 0; c < 3; c++) inputs[(location.firstSlot + c) * capacity + i] = bitsOfF32(at[c]!)
        }
        if (control !== undefined) runner.setVertices(control, i, controlPoints.array, controlPoints.numbers)
        if (constants !== undefined) runner.setVertex(constants, i, 0, this.#constants, 0)
        runner.setSingle(FILE['input-primitive-id'], i, primitiveId)
      }
      runner.run(lanes)
      statistics.dsInvocations += lanes
      runner.appendOutputs(this.vertices)
    }
    return first
  }
}

/** Control points of a patch: vertices of an array. */
interface PatchPoints {
  readonly array: VertexArray
  readonly numbers: readonly number[]
}
