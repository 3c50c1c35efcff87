/** What the fixed functions of a draw find, about no statement of a shader, with the moments. */
import { isOfPipeline, NO_STATEMENT, overflowFindings, stageOfPlace } from '../../check/index.ts'
import type { Diagnostic, Severity } from '../../diagnostic/index.ts'
import type { LoadedShader, Observer } from '../../engine/index.ts'
import type { DrawInProgress, Pipeline } from '../../pipeline/index.ts'
import type { DrawFinding, KeptBatch } from './batches.ts'
import { type BatchClock, FactorMoments, type StageMoment, type VertexMoments, vertexMoments } from './stage-moments.ts'

interface PipelineStage {
  readonly stage: string
  readonly loaded: LoadedShader
}

type WatchedDraw = Pick<DrawInProgress, 'diagnostics' | 'streamOutput' | 'firstLeftOut'>

/** What was found when the pipeline was made, and whether streams take its vertices. */
type WatchedPipeline = Pick<Pipeline, 'diagnostics' | 'streamOutput'>

/** A finding with the batch behind which it was there, -1 before all of them; and what an invocation did that made it. */
interface PlacedDiagnostic {
  readonly diagnostic: Diagnostic
  readonly at: number
  readonly statement: number
  readonly cause: StageMoment | undefined
}

/**
 * Watches a draw while it runs. What is wrong with how shaders, state and targets fit together is found at the first statement
 * of the stage that it is about; a factor that is too large where it is written, and a primitive that a full buffer leaves out
 * where its last vertex is complete.
 */
export class PipelineFindings {
  readonly #stages: readonly PipelineStage[]
  readonly #vertices: VertexMoments | undefined
  readonly #factors: FactorMoments | undefined
  #draw: WatchedDraw | undefined
  #count = 0
  readonly #seen: PlacedDiagnostic[] = []
  /** By stream, the batch behind which its buffers were full, and what completed the first primitive that had no room. */
  readonly #full = new Map<number, Pick<PlacedDiagnostic, 'at' | 'cause'>>()

  constructor({ diagnostics, streamOutput }: WatchedPipeline, stages: readonly PipelineStage[], at: BatchClock) {
    this.#stages = stages
    const hull = stages.find((s) => s.stage === 'hull')
    this.#factors = hull && new FactorMoments(hull.loaded, at)
    this.#vertices = streamOutput && this.#feeder && vertexMoments(this.#feeder.loaded, at)
    this.#add(diagnostics, -1)
  }

  /** The stage whose vertices streams take. */
  get #feeder(): PipelineStage | undefined {
    return this.#stages.findLast((s) => s.stage !== 'pixel')
  }

  /** What is to watch a stage beside its detectors. */
  observersOf(stage: string): readonly Observer[] {
    const vertices = stage === this.#feeder?.stage ? this.#vertices : undefined
    const factors = stage === 'hull' ? this.#factors : undefined
    return [vertices, factors].flatMap((m) => m?.observer ?? [])
  }

  #add(diagnostics: readonly Diagnostic[], at: number): void {
    for (const d of diagnostics) {
      if (!isOfPipeline(d)) continue
      // What is found while stages run is of the tessellator.
      const cause = at < 0 ? undefined : this.#factors?.firstExcess()
      this.#seen.push({ diagnostic: d, at, statement: cause?.statement ?? NO_STATEMENT, cause })
    }
  }

  begun(draw: WatchedDraw): void {
    this.#draw = draw
    this.look(-1)
  }

  /** Called between batches, with the number of the one that has ended. */
  look(at: number): void {
    const { diagnostics = [], streamOutput = [], firstLeftOut = [] } = this.#draw ?? {}
    this.#add(diagnostics.slice(this.#count), at)
    this.#count = diagnostics.length
    for (const [stream, { primitivesStorageNeeded, primitivesWritten }] of streamOutput.entries()) {
      if (primitivesStorageNeeded <= primitivesWritten || this.#full.has(stream)) continue
      const vertices = firstLeftOut[stream]
      this.#full.set(stream, {
        at,
        cause: vertices && this.#vertices?.before(vertices.reduce((least, v) => Math.min(least, v))),
      })
    }
  }

  /** All of them, when the draw has ended. */
  found(batches: readonly KeptBatch[]): readonly DrawFinding[] {
    const feeder = this.#feeder
    const { streamOutput = [] } = this.#draw ?? {}
    const streams = streamOutput.map((s) => ({ needed: s.primitivesStorageNeeded, written: s.primitivesWritten }))
    const full = feeder === undefined ? [] : overflowFindings(feeder, streams)
    const ofStreams = full.map((f): PlacedDiagnostic => {
      const { at, cause } = this.#full.get(f.memory?.register ?? 0) ?? { at: -1, cause: undefined }
      const { code, message, severity, notes } = f
      const place = { kind: 'path', path: feeder!.stage } as const
      const statement = cause?.statement ?? f.site.statement
      return { diagnostic: { code, message, severity, notes, place }, at, statement, cause }
    })
    return [...this.#seen, ...ofStreams].map((seen) => this.#findingOf(seen, batches))
  }

  #findingOf({ diagnostic, at, statement, cause }: PlacedDiagnostic, batches: readonly KeptBatch[]): DrawFinding {
    const { code, message, severity } = diagnostic
    const names = this.#stages.map((s) => s.stage)
    const stage = stageOfPlace(diagnostic, names)
    const own = batches.find((b) => b.stage === stage && b.statements > 0) ?? batches[0]!
    const isBefore = at < 0
    const batch = isBefore ? own : batches[Math.min(cause?.batch ?? at, batches.length - 1)]!
    const last = isBefore ? 0 : Math.max(0, batch.statements - 1)
    const thread = cause?.invocation ?? 0
    return {
      code,
      message,
      severity: severity as Severity,
      before: batch.first + (cause?.before ?? last),
      thread: { group: [0, 0, 0], thread },
      statement,
      other: undefined,
      memory: undefined,
      stage: batch.stage,
      ...(cause === undefined ? {} : { invocation: batch.describe(thread) }),
      batch,
      otherBatch: undefined,
    }
  }
}
