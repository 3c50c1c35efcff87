import { statementLister } from '../asm/index.ts'
import {
  type CheckTarget,
  createDrawCheck,
  type DrawCheck,
  type DrawCheckOptions,
  type DrawOutcome,
  type DrawStage,
  type Report,
  refusedDraw,
} from '../check/index.ts'
import {
  appendAll,
  type Diagnostic,
  failure,
  type Outcome,
  outcomeOf,
  ShaderError,
  valueOrThrow,
} from '../diagnostic/index.ts'
import type { DxbcContainer } from '../dxbc/index.ts'
import { type Engine, matchBindings } from '../engine/index.ts'
import { createReferenceEngine, REFERENCE_ENGINE } from '../engine/reference/index.ts'
import type { Bindings, Schedule, UndefinedPolicy } from '../machine/index.ts'
import {
  type DrawResult,
  type Pipeline,
  type PipelineShader,
  SHADER_STAGES,
  type ShaderStage,
} from '../pipeline/index.ts'
import { shaderFacts } from '../shader/index.ts'
import { containerOf, type DeviceDrawCall, type DeviceDrawResources, runDraw } from './graphics.ts'

/** One draw under the checker: what `checkDraw` of heddle/check does. */

export interface CheckDrawOptions extends DrawCheckOptions {
  /** How the draw is scheduled. Findings of races do not depend on it. */
  readonly schedule?: Schedule | undefined
  /** What the draw does where Direct3D leaves open what happens; default `report`. */
  readonly undefinedPolicy?: UndefinedPolicy | undefined
  /** Default 100 million. */
  readonly maxInstructionsPerThread?: number | undefined
  /** Stops the check when it is aborted: the report has what was found until then. */
  readonly signal?: AbortSignal | undefined
}

/** The engine that calls observers. */
const referenceOf = (e: Engine): Engine => (e.name === REFERENCE_ENGINE ? e : createReferenceEngine({}))

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
export function watchedStages(
  p: Pipeline,
  bindingsOf: (stage: ShaderStage) => Bindings,
  unorderedAccess: Bindings,
  containerOfStage: (stage: ShaderStage) => DxbcContainer | undefined,
): Outcome<DrawStage[]> {
  const diagnostics: Diagnostic[] = []
  const value = SHADER_STAGES.flatMap((stage): DrawStage[] => {
    const shader = p[stage]
    if (shader === undefined || (stage === 'pixel' && p.rasterizedStream < 0)) return []
    const { declarations } = shader.loaded
    const shared = declarations.uavs.length === 0 ? {} : unorderedAccess
    const matched = matchBindings(declarations, { ...bindingsOf(stage), ...shared })
    if (matched.value === undefined) {
      appendAll(diagnostics, matched.diagnostics)
      return []
    }
    const container = containerOfStage(stage)
    const facts = container === undefined ? {} : shaderFacts(container)
    return [{ stage, loaded: shader.loaded, bindings: matched.value, facts }]
  })
  return diagnostics.length > 0 ? failure(diagnostics) : outcomeOf(value)
}

function drawOutcome(
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
  const engine = referenceOf('engine' in target ? target.engine : target)
  const { schedule, undefinedPolicy, maxInstructionsPerThread, signal, ...checkOptions } = options
  const withLister = { lister: statementLister, ...checkOptions }
  const own = onReference(engine, pipeline)
  const container = (stage: ShaderStage) => containerOf(pipeline[stage]!.loaded)
  const stages = watchedStages(own, (stage) => resources[stage] ?? {}, resources.unorderedAccess ?? {}, container)
  if (!stages.ok) return refusedDraw(withLister, stages.diagnostics)
  const given = { schedule, undefinedPolicy, maxInstructionsPerThread, signal }
  return watchDraw(stages.value, withLister, (watch) => runDraw(engine, own, resources, call, { ...given, ...watch }))
}

/** Runs a draw under the detectors of its stages, and reports. */
export async function watchDraw(
  stages: readonly DrawStage[],
  options: DrawCheckOptions,
  run: (watch: { maxDiagnostics: number; observerOf: DrawCheck['observerOf'] }) => Promise<DrawResult>,
): Promise<Report> {
  const check = createDrawCheck(stages, options)
  try {
    const result = await run({ maxDiagnostics: 0, observerOf: check.observerOf })
    return check.report(drawOutcome(result, stages))
  } catch (e) {
    if (e instanceof ShaderError) return refusedDraw(options, e.diagnostics)
    const partial = check.reasonOf(e)
    if (partial === undefined) throw e
    return check.report({ diagnostics: [], invocations: {}, streamOutput: [] }, partial)
  }
}
