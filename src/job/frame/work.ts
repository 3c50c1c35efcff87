/** The draws and dispatches of a frame, ready to be run, by `heddle run` or under the checker. */
import { type Diagnostic, type Outcome, present } from '../../diagnostic/index.ts'
import type { DxbcContainer } from '../../dxbc/index.ts'
import {
  type DispatchOptions,
  type Engine,
  type GroupCounts,
  type LoadedShader,
  type Observer,
  runPartsInTasks,
} from '../../engine/index.ts'
import type { ResolvedBindings } from '../../machine/index.ts'
import {
  beginDrawInParts,
  type DrawCall,
  type DrawResources,
  type DrawResult,
  type Pipeline,
  refusedDraw,
  runDrawInSlices,
  type ShaderStage,
} from '../../pipeline/index.ts'
import type { PreparedDrawResources } from './prepare-bindings.ts'

export type CommandLimits = Pick<DispatchOptions, 'maxMilliseconds' | 'signal' | 'onProgress'>

/** Observers of a draw's stages, with the options they need. */
interface DrawWatch {
  readonly observerOf: (stage: ShaderStage) => Observer | undefined
  /** Findings of the engine that are kept, beside those of the observers. */
  readonly maxDiagnostics: number
  /** Options that hold where the run description does not set them. */
  readonly defaults: DispatchOptions
}

export interface DrawWork {
  readonly kind: 'draw'
  readonly pipeline: Pipeline
  /** Where the pipeline's shaders came from. */
  readonly containers: Readonly<Partial<Record<ShaderStage, DxbcContainer>>>
  readonly resources: () => DrawResources
  /** What was found of the pipeline and of the draw when the frame was prepared. */
  readonly found: readonly Diagnostic[]
  /** Counts, read when the draw begins. */
  readonly callOf: () => Outcome<DrawCall>
  readonly options: DispatchOptions
  /** What was found when the frame was prepared is not found again. */
  readonly run: (limits: CommandLimits, watch?: DrawWatch) => Promise<DrawResult>
}

export interface DispatchWork {
  readonly kind: 'dispatch'
  readonly loaded: LoadedShader
  readonly container: DxbcContainer
  readonly bindings: ResolvedBindings
  /** Read when the dispatch begins. */
  readonly groups: () => GroupCounts
  readonly options: DispatchOptions
}

export type PreparedWork = DrawWork | DispatchWork

interface DrawParts extends Pick<DrawWork, 'pipeline' | 'containers' | 'found' | 'callOf' | 'options'> {
  readonly engine: Engine
  readonly resources: PreparedDrawResources
}

/** Runs a draw in slices that yield to the host. */
async function runDraw(parts: DrawParts, limits: CommandLimits, watch: DrawWatch | undefined): Promise<DrawResult> {
  const { engine, pipeline, resources, callOf, options } = parts
  const call = callOf()
  if (call.value === undefined) return refusedDraw(call.diagnostics)
  const r = resources.resources()
  const { maxMilliseconds } = limits
  const { defaults, ...watching } = watch ?? {}
  const own = { ...defaults, ...present(options), ...watching, ...present({ maxMilliseconds }) }
  const begun = await runPartsInTasks(beginDrawInParts(engine, pipeline, r, call.value, own), limits.signal)
  if (begun === undefined) return refusedDraw([], 'canceled')
  const before: readonly Diagnostic[] = begun.diagnostics
  if (!begun.ok) return refusedDraw(before)
  const draw = begun.value
  await runDrawInSlices(draw, limits)
  resources.finish(r)
  const result = draw.result()
  return { ...result, diagnostics: result.diagnostics.slice(before.length) }
}

export function drawWork(parts: DrawParts): DrawWork {
  const { pipeline, containers, found, resources, callOf, options } = parts
  const run: DrawWork['run'] = (limits, watch) => runDraw(parts, limits, watch)
  return { kind: 'draw', pipeline, containers, found, resources: resources.resources, callOf, options, run }
}
