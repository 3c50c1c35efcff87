import { statementLister } from '../asm/index.ts'
import {
  type CheckTarget,
  createDrawCheck,
  type DrawCheckOptions,
  type DrawOutcome,
  type DrawStage,
  type Report,
  refusedDraw,
} from '../check/index.ts'
import { appendAll, type Diagnostic, ShaderError, valueOrThrow } from '../diagnostic/index.ts'
import { type Engine, matchBindings } from '../engine/index.ts'
import { createReferenceEngine, REFERENCE_ENGINE } from '../engine/reference/index.ts'
import type { Schedule, UndefinedPolicy } from '../machine/index.ts'
import type { DrawResult, Pipeline, PipelineShader, ShaderStage } from '../pipeline/index.ts'
import { shaderFacts } from '../shader/index.ts'
import { containerOf, type DeviceDrawCall, type DeviceDrawResources, runDraw } from './graphics.ts'

/** One draw under the checker: what `checkDraw` of heddle/check does. */

export interface CheckDrawOptions extends DrawCheckOptions {
  readonly schedule?: Schedule
  readonly undefinedPolicy?: UndefinedPolicy
  /** Default 100 million. */
  readonly maxInstructionsPerThread?: number
  /** Stops the check when it is aborted: the report has what was found until then. */
  readonly signal?: AbortSignal
}

const STAGES = ['vertex', 'hull', 'domain', 'geometry', 'pixel'] as const

/** The pipeline with its shaders loaded by the reference engine, which alone reports to observers. */
function onReference(engine: Engine, p: Pipeline): Pipeline {
  const loaded = (s: PipelineShader): PipelineShader => {
    if (s.loaded.engine === REFERENCE_ENGINE) return s
    const { program } = s.loaded.declarations
    return { ...s, loaded: valueOrThrow(engine.load(program, s.loaded.options)) }
  }
  const one = (s: PipelineShader | undefined) => (s === undefined ? undefined : loaded(s))
  const { hull, domain, geometry, pixel } = p
  const others = { hull: one(hull), domain: one(domain), geometry: one(geometry), pixel: one(pixel) }
  return { ...p, vertex: loaded(p.vertex), ...others }
}

/** The shaders that run, with what is bound to them; diagnostics alone where something does not fit. */
function stagesOf(own: Pipeline, given: Pipeline, r: DeviceDrawResources, found: Diagnostic[]): DrawStage[] {
  return STAGES.flatMap((stage): DrawStage[] => {
    const shader = own[stage]
    if (shader === undefined || (stage === 'pixel' && own.rasterizedStream < 0)) return []
    const { declarations } = shader.loaded
    const shared = declarations.uavs.length === 0 ? {} : r.unorderedAccess
    const matched = matchBindings(declarations, { ...r[stage], ...shared })
    if (matched.value === undefined) {
      appendAll(found, matched.diagnostics)
      return []
    }
    const container = containerOf(given[stage]!.loaded)
    const facts = container === undefined ? {} : shaderFacts(container)
    return [{ stage, loaded: shader.loaded, bindings: matched.value, facts }]
  })
}

function outcomeOf(
  { stopped, diagnostics, statistics, streamOutput }: DrawResult,
  stages: readonly DrawStage[],
): DrawOutcome {
  const counts: Readonly<Record<ShaderStage, number>> = {
    vertex: statistics.vsInvocations,
    hull: statistics.hsInvocations,
    domain: statistics.dsInvocations,
    geometry: statistics.gsInvocations,
    pixel: statistics.psInvocations,
  }
  const invocations = Object.fromEntries(stages.map(({ stage }) => [stage, counts[stage as ShaderStage]]))
  const streams = streamOutput.map((s) => ({ needed: s.primitivesStorageNeeded, written: s.primitivesWritten }))
  return { ...(stopped === undefined ? {} : { stopped }), diagnostics, invocations, streamOutput: streams }
}

/**
 * Runs a draw under the checker: `checkDraw(device, pipeline, resources, { vertexCount: 3 })`. The draw writes to its
 * targets and UAVs. What is refused gives a report with `partial: 'refused'` and the reasons in `diagnostics`; nothing
 * rejects for what a shader does.
 */
export async function checkDraw(
  target: CheckTarget,
  pipeline: Pipeline,
  resources: DeviceDrawResources,
  call: DeviceDrawCall,
  options: CheckDrawOptions = {},
): Promise<Report> {
  const given = 'engine' in target ? target.engine : target
  const engine = given.name === REFERENCE_ENGINE ? given : createReferenceEngine({})
  const { schedule, undefinedPolicy, maxInstructionsPerThread, signal, ...checkOptions } = options
  const withLister = { lister: statementLister, ...checkOptions }
  const found: Diagnostic[] = []
  const own = onReference(engine, pipeline)
  const stages = stagesOf(own, pipeline, resources, found)
  if (found.length > 0) return refusedDraw(withLister, found)
  const check = createDrawCheck(stages, withLister)
  const watched = {
    maxDiagnostics: 0,
    observerOf: check.observerOf,
    ...(schedule === undefined ? {} : { schedule }),
    ...(undefinedPolicy === undefined ? {} : { undefinedPolicy }),
    ...(maxInstructionsPerThread === undefined ? {} : { maxInstructionsPerThread }),
    ...(signal === undefined ? {} : { signal }),
  }
  try {
    return check.report(outcomeOf(await runDraw(engine, own, resources, call, watched), stages))
  } catch (e) {
    if (e instanceof ShaderError) return refusedDraw(withLister, e.diagnostics)
    const partial = check.reasonOf(e)
    if (partial === undefined) throw e
    return check.report({ diagnostics: [], invocations: {}, streamOutput: [] }, partial)
  }
}
