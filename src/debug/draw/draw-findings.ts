/** What the detectors of the checker find in a draw, with the moments. */
import { combineObservers, type Finding, watchDrawFindings } from '../../check/index.ts'
import type { LoadedShader, Observer } from '../../engine/index.ts'
import type { ResolvedBindings } from '../../machine/index.ts'
import { type Pipeline, SHADER_STAGES, type ShaderStage } from '../../pipeline/index.ts'
import { rangeOf } from '../findings.ts'
import type { Clock, Thread } from '../model.ts'
import type { Task } from '../task.ts'
import { type BatchChanges, type DrawFinding, invocationNamed, type KeptBatch } from './batches.ts'
import { capturing } from './capture.ts'
import type { RepeatedDraw } from './draw-run.ts'
import { PipelineFindings } from './pipeline-findings.ts'

const NOTHING_BOUND: ResolvedBindings = { t: new Map(), u: new Map(), b: new Map(), s: new Map() }

interface WatchedStage {
  readonly stage: ShaderStage
  readonly loaded: LoadedShader
  readonly bindings: ResolvedBindings
}

/** The stages that run; those without a batch have nothing bound that matters. */
function stagesOf(pipeline: Pipeline, batches: readonly KeptBatch[]): WatchedStage[] {
  return SHADER_STAGES.flatMap((stage) => {
    const shader = pipeline[stage]
    if (shader === undefined || (stage === 'pixel' && pipeline.rasterizedStream < 0)) return []
    const bindings = batches.find((b) => b.stage === stage)?.captured.bindings ?? NOTHING_BOUND
    return [{ stage, loaded: shader.loaded, bindings }]
  })
}

/** The thread of a site: its own number where the name is that invocation's, else the one with the name. */
function threadOf(batch: KeptBatch, { thread, invocation }: Finding['site']): Thread {
  const isOwn = invocation === undefined || batch.describe(thread) === invocation
  const found = isOwn ? thread : (invocationNamed(batch, invocation) ?? thread)
  return { group: [0, 0, 0], thread: found }
}

/** The last batch up to a place that has the other side of a finding. */
function otherBatchOf(
  { site, other }: Finding,
  stage: string,
  batches: readonly KeptBatch[],
  at: number,
): KeptBatch | undefined {
  if (other === undefined) return undefined
  const wanted = other.stage ?? stage
  const name = other.invocation ?? site.invocation
  return batches
    .slice(0, at + 1)
    .findLast((b) => b.stage === wanted && (name === undefined || invocationNamed(b, name) !== undefined))
}

/** Runs the draw under the detectors; undefined where it was canceled. */
export async function drawFindings(
  draw: RepeatedDraw,
  batches: readonly KeptBatch[],
  changes: BatchChanges,
  task: Task,
): Promise<readonly DrawFinding[] | undefined> {
  const found: DrawFinding[] = []
  let at = -1
  let clock = (): Clock => 0
  const add = (finding: Finding, { stage }: WatchedStage): void => {
    const batch = batches[at] ?? batches[0]!
    const { code, message, severity, site, other } = finding
    const otherBatch = otherBatchOf(finding, stage, batches, at)
    found.push({
      code,
      message,
      severity,
      before: batch.first + Math.max(0, clock() - 1),
      thread: threadOf(batch, site),
      statement: site.statement,
      other: other && otherBatch && { ...threadOf(otherBatch, other), statement: other.statement },
      memory: rangeOf(batch.captured, finding.memory),
      stage,
      ...(site.invocation === undefined ? {} : { invocation: site.invocation }),
      batch,
      otherBatch,
    })
  }
  const stages = stagesOf(draw.source.pipeline, batches)
  const watch = watchDrawFindings(stages, add)
  const moment = {
    get batch() {
      return at
    },
    get clock() {
      return clock()
    },
  }
  const ofPipeline = new PipelineFindings(draw.source.pipeline, stages, moment)
  const engine = capturing(draw.source.engine, {
    begins: (_, ofBatch) => {
      ofPipeline.look(at)
      at++
      clock = ofBatch
    },
    changesOf: (n) => changes.get(n) ?? [],
  })
  const observerOf = (stage: string): Observer =>
    combineObservers([watch.observerOf(stage) ?? {}, ...ofPipeline.observersOf(stage)])
  const options = { observerOf, maxDiagnostics: 0 }
  const result = await draw.run(engine, task, { options, begun: (begun) => ofPipeline.begun(begun) })
  draw.rewind()
  if (result === undefined) return undefined
  ofPipeline.look(at)
  watch.finish()
  // Those of the pipeline come behind those of statements at one moment.
  return [...found, ...ofPipeline.found(batches)].sort((a, b) => a.before - b.before)
}
