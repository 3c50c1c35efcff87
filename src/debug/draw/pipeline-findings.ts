/** What the fixed functions of a draw find, about no statement of a shader, with the moments. */
import { isOfPipeline, NO_STATEMENT, overflowFindings, stageOfPlace } from '../../check/index.ts'
import type { Diagnostic, Severity } from '../../diagnostic/index.ts'
import type { LoadedShader } from '../../engine/index.ts'
import type { DrawInProgress } from '../../pipeline/index.ts'
import type { DrawFinding, KeptBatch } from './batches.ts'

interface PipelineStage {
  readonly stage: string
  readonly loaded: LoadedShader
}

/** A finding with the batch behind which it was there; -1 before all of them. */
interface Seen {
  readonly diagnostic: Diagnostic
  readonly at: number
  readonly statement: number
}

/**
 * Watches a draw while it runs. What is wrong with how shaders, state and targets fit together is found at the first statement
 * of the stage that it is about; what happens between two batches at the end of the first of them.
 */
export class PipelineFindings {
  readonly #stages: readonly PipelineStage[]
  #draw: Pick<DrawInProgress, 'diagnostics' | 'streamOutput'> | undefined
  #count = 0
  readonly #seen: Seen[] = []
  /** By stream, the batch behind which its buffers were full. */
  readonly #fullAt = new Map<number, number>()

  /** `ofPipeline`: what was found when the pipeline was made. */
  constructor(stages: readonly PipelineStage[], ofPipeline: readonly Diagnostic[]) {
    this.#stages = stages
    this.#add(ofPipeline, -1)
  }

  #add(diagnostics: readonly Diagnostic[], at: number): void {
    for (const d of diagnostics) {
      if (isOfPipeline(d)) this.#seen.push({ diagnostic: d, at, statement: NO_STATEMENT })
    }
  }

  begun(draw: Pick<DrawInProgress, 'diagnostics' | 'streamOutput'>): void {
    this.#draw = draw
    this.look(-1)
  }

  /** Called between batches, with the number of the one that has ended. */
  look(at: number): void {
    const { diagnostics = [], streamOutput = [] } = this.#draw ?? {}
    this.#add(diagnostics.slice(this.#count), at)
    this.#count = diagnostics.length
    for (const [stream, { primitivesStorageNeeded, primitivesWritten }] of streamOutput.entries()) {
      if (primitivesStorageNeeded > primitivesWritten && !this.#fullAt.has(stream)) this.#fullAt.set(stream, at)
    }
  }

  /** All of them, when the draw has ended. */
  found(batches: readonly KeptBatch[]): readonly DrawFinding[] {
    const feeder = this.#stages.findLast((s) => s.stage !== 'pixel')
    const { streamOutput = [] } = this.#draw ?? {}
    const streams = streamOutput.map((s) => ({ needed: s.primitivesStorageNeeded, written: s.primitivesWritten }))
    const full = feeder === undefined ? [] : overflowFindings(feeder, streams)
    const ofStreams = full.map((f): Seen => {
      const at = this.#fullAt.get(f.memory?.register ?? 0) ?? -1
      const { code, message, severity, notes } = f
      const place = { kind: 'path', path: feeder!.stage } as const
      return { diagnostic: { code, message, severity, notes, place }, at, statement: f.site.statement }
    })
    return [...this.#seen, ...ofStreams].map((seen) => this.#findingOf(seen, batches))
  }

  #findingOf({ diagnostic, at, statement }: Seen, batches: readonly KeptBatch[]): DrawFinding {
    const { code, message, severity } = diagnostic
    const names = this.#stages.map((s) => s.stage)
    const stage = stageOfPlace(diagnostic, names)
    const own = batches.find((b) => b.stage === stage && b.statements > 0) ?? batches[0]!
    const isBefore = at < 0
    const batch = isBefore ? own : batches[Math.min(at, batches.length - 1)]!
    return {
      code,
      message,
      severity: severity as Severity,
      before: isBefore ? batch.first : batch.first + Math.max(0, batch.statements - 1),
      thread: { group: [0, 0, 0], thread: 0 },
      statement,
      other: undefined,
      memory: undefined,
      stage: batch.stage,
      batch,
      otherBatch: undefined,
    }
  }
}
