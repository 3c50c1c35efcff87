/** What a draw is given and gives back: what draws and the checks of draws share. */
import type { Diagnostic, Outcome } from '../../diagnostic/index.ts'
import type { DispatchOptions, Observer, Stop } from '../../engine/index.ts'
import {
  type Bindings,
  type DepthStencilView,
  type RenderTargetView,
  type ResolvedBindings,
  resolveBindings,
} from '../../machine/index.ts'
import type { BoundIndexBuffer, BoundVertexBuffer } from '../input/index.ts'
import type { PipelineStatistics } from '../stages/index.ts'
import type { ScissorRect, Viewport } from '../state.ts'
import type { StreamBuffer, StreamStatistics } from '../streams/index.ts'

/** The shader stages in their order. */
export const SHADER_STAGES = ['vertex', 'hull', 'domain', 'geometry', 'pixel'] as const

export type ShaderStage = (typeof SHADER_STAGES)[number]

/** What a draw reads and writes. */
export interface DrawResources {
  /** Bindings by stage: t#, b#, s#; u# are shared by all stages. */
  readonly bindings: Readonly<Partial<Record<ShaderStage, Bindings>>>
  readonly unorderedAccess: Bindings
  readonly vertexBuffers: readonly (BoundVertexBuffer | undefined)[]
  readonly indexBuffer: BoundIndexBuffer | undefined
  readonly streamOutputBuffers: readonly (StreamBuffer | undefined)[]
  readonly renderTargets: readonly (RenderTargetView | undefined)[]
  readonly depthStencil: DepthStencilView | undefined
  readonly viewports: readonly Viewport[]
  readonly scissors: readonly ScissorRect[]
  readonly blendFactor: readonly [number, number, number, number]
  readonly stencilReference: number
  /** Bindings that have been resolved: a draw needs them several times. Where this is absent they are resolved each time. */
  readonly resolved?: ResolvedOfDraw
}

/** Bindings of stages, and those of all stages, as far as they have been resolved. */
type ResolvedOfDraw = Partial<Record<ShaderStage | 'unorderedAccess', Outcome<ResolvedBindings>>>

/** What is bound to a stage alone, or to all stages. */
export function resolvedOf(r: DrawResources, which: keyof ResolvedOfDraw): Outcome<ResolvedBindings> {
  const known = r.resolved?.[which]
  if (known !== undefined) return known
  const made = resolveBindings(which === 'unorderedAccess' ? r.unorderedAccess : (r.bindings[which] ?? NO_BINDINGS))
  if (r.resolved !== undefined) r.resolved[which] = made
  return made
}

const NO_BINDINGS: Bindings = {}

/** Class instances belong to the shaders of the pipeline. */
export interface DrawOptions extends Omit<DispatchOptions, 'classInstances'> {
  /** Vertices, instances and patches that one draw may have, multiplied; default 2^26. */
  readonly maxVertices?: number | undefined
  /** Who watches the shader of a stage; in place of `observer`, which is the same for all. */
  readonly observerOf?: ((stage: ShaderStage) => Observer | undefined) | undefined
}

/** What a draw gives: how it ended, what was found, and the counts of D3D11 queries. */
export interface DrawResult {
  /** Absent when the draw ran to its end. */
  readonly stopped?: Stop
  readonly statistics: PipelineStatistics
  /** Samples that passed depth and stencil (D3D11_QUERY_OCCLUSION). */
  readonly samplesPassed: number
  /** By stream: D3D11_QUERY_DATA_SO_STATISTICS. */
  readonly streamOutput: readonly StreamStatistics[]
  readonly diagnostics: readonly Diagnostic[]
  readonly undefinedCount: number
  /** Name of the engine that ran the shaders. */
  readonly engine?: string
}
