import type { PixelPlace, QuadBatch } from '../../engine/index.ts'
import type { PrimitiveTable } from '../raster/index.ts'
import { EntryRunner, type StageShader } from '../stage-runner.ts'
import type { PixelAttributes } from './attributes.ts'
import { PixelInputs } from './inputs.ts'
import type { TestedWhen } from './jobs/tested-jobs.ts'
import { type WantedProgram, type WantedPrograms, wantedProgram } from './jobs/wanted-programs.ts'
import { JoinedQuads } from './joined-quads.ts'
import { PixelMerge } from './merge.ts'
import { placeOf, type QuadMemory } from './quads.ts'
import type { SampleTests } from './sample-tests.ts'
import type { PixelStageOptions } from './stage-options.ts'
import type { QuadCopies } from './waiting-quads.ts'

/** What shades the quads of a draw, and the programs that it is made of. */

/** What a pixel shader runs with. */
export interface Shading {
  readonly runner: EntryRunner
  readonly inputs: PixelInputs
  readonly merge: PixelMerge
  /** All three at once, for quads of plain triangles. */
  readonly joined: JoinedQuads | undefined
}

interface ShadingParts {
  readonly memory: QuadMemory
  readonly table: PrimitiveTable
  readonly attributes: PixelAttributes
  readonly tests: SampleTests
  readonly quads: QuadBatch
}

export function createShading(
  shader: StageShader,
  o: PixelStageOptions,
  { memory, table, attributes, tests, quads }: ShadingParts,
): Shading {
  const place = (lane: number): PixelPlace => placeOf(memory.shaded, table, lane)
  const { orderOf, capacity } = o
  const order = orderOf && ((lane: number): readonly number[] => [...orderOf(place(lane)), lane & 3])
  const runner = new EntryRunner(shader, (lane) => o.describe(place(lane)), { quads, capacity, orderOf: order })
  const inputs = new PixelInputs(runner, memory, table, attributes, o)
  const merge = new PixelMerge(runner, memory, tests, o)
  const { operations } = shader.execution
  const mayJoin = operations !== undefined && o.testsEarly && !o.isSampleFrequency && !o.hasDiscard
  const joined = mayJoin
    ? new JoinedQuads(memory, { operations, inputs, merge, capacity: runner.batch.capacity })
    : undefined
  return { runner, inputs, merge, joined }
}

/** What a draw does with quads before they are shaded. */
interface QuadsBefore {
  readonly wanted: WantedPrograms
  readonly tests: SampleTests
  /** Undefined where quads are copied once for each of their samples. */
  readonly copies: QuadCopies | undefined
  /** Depth and stencil are tested before: for good, or without a change of anything. */
  readonly when: TestedWhen | undefined
  /** Those of plain triangles are shaded where they are found. */
  readonly isUntested: boolean
}

/** Asks for the programs that shade many quads of plain triangles: once for those of jobs, once for others. */
export class ShadingWants {
  readonly #shading: Shading
  readonly #before: QuadsBefore
  /** Those of jobs have been asked for, and those of others. */
  isForJobs = false
  isForOthers = false

  constructor(shading: Shading, before: QuadsBefore) {
    this.#shading = shading
    this.#before = before
  }

  /** Those that jobs find, and have tested or not. */
  wantForJobs(testsQuads: boolean): void {
    this.isForJobs = true
    const { wanted, when } = this.#before
    const areTested = testsQuads && when === 'early'
    const { joined } = this.#shading
    if (areTested && joined?.mayCompile === true) wanted.want([joined.wantedFor('found')])
    else wanted.want([...this.#copy(areTested), ...this.#shadeWaiting()])
  }

  /** Those of triangles that are no jobs. */
  wantForOthers(): void {
    this.isForOthers = true
    const { wanted, tests, when, isUntested } = this.#before
    const { joined } = this.#shading
    if (when !== undefined) wanted.want([tests.wantedFor(when === 'early' ? 'found' : 'ahead')])
    if (!isUntested) wanted.want(this.#copy(when === 'early'))
    wanted.want(this.#shadeWaiting())
    if (isUntested && joined !== undefined) wanted.want([joined.wantedFor('runs')])
  }

  #copy(areTested: boolean): WantedProgram[] {
    const { copies } = this.#before
    return copies === undefined ? [] : [wantedProgram(() => void copies.prepare(areTested ? 'passed' : 'covered'))]
  }

  #shadeWaiting(): WantedProgram[] {
    const { inputs, merge, joined } = this.#shading
    return joined?.mayCompile === true ? [joined.wantedFor('waiting')] : [inputs.wanted, ...merge.programs()]
  }
}
