import { type Diagnostic, DiagnosticCollector, diagnostic, type Outcome } from '../../diagnostic/index.ts'
import type { Declarations, EntryDeclaration, IoDeclaration, StageDeclaration } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import type { RasterizerInputs } from '../geometry.ts'
import { createInputLayout, type InputLayout, type Topology, topologyOf } from '../input/index.ts'
import type { PipelineShader } from '../shader.ts'
import {
  type BlendState,
  DEFAULT_BLEND,
  DEFAULT_DEPTH_STENCIL,
  DEFAULT_RASTERIZER,
  DEFAULT_TARGET_BLEND,
  type DepthStencilState,
  type InputElement,
  type PrimitiveTopology,
  type RasterizerState,
  type StreamOutputState,
  type TargetBlend,
} from '../state.ts'
import { type StreamOutputLayout, streamOutputLayout } from '../streams/index.ts'
import { checkNames, linkPixelShader, type PixelLinkage, rasterizerInputs } from './link.ts'

/** A pipeline: shaders and state checked against each other once, so that draws can run (functional specification 4, 15.1). */

export interface PipelineDescription {
  readonly vertex: PipelineShader
  readonly hull?: PipelineShader | undefined
  readonly domain?: PipelineShader | undefined
  readonly geometry?: PipelineShader | undefined
  readonly pixel?: PipelineShader | undefined
  readonly inputLayout?: readonly InputElement[] | undefined
  readonly topology: PrimitiveTopology
  readonly rasterizer?: Partial<RasterizerState> | undefined
  readonly depthStencil?: Partial<DepthStencilState> | undefined
  readonly blend?: BlendDescription | undefined
  /** Default 0xffffffff. */
  readonly sampleMask?: number | undefined
  readonly streamOutput?: Partial<StreamOutputState> | undefined
  /** Whether the cut index also acts on lists, as the functional specification has it (8.12). Default true. */
  readonly cutOnLists?: boolean | undefined
}

export interface BlendDescription {
  readonly alphaToCoverageEnable?: boolean | undefined
  readonly independentBlendEnable?: boolean | undefined
  readonly renderTarget?: readonly Partial<TargetBlend>[] | undefined
}

export interface Pipeline {
  readonly vertex: PipelineShader
  readonly hull: PipelineShader | undefined
  readonly domain: PipelineShader | undefined
  readonly geometry: PipelineShader | undefined
  readonly pixel: PipelineShader | undefined
  readonly inputLayout: InputLayout
  readonly topology: Topology
  readonly rasterizer: RasterizerState
  readonly depthStencil: DepthStencilState
  readonly blend: BlendState
  readonly sampleMask: number
  readonly streamOutput: StreamOutputLayout | undefined
  readonly cutOnLists: boolean
  /** What the last stage before the rasterizer writes, and where the rasterizer finds what it needs. */
  readonly rasterizerInputs: RasterizerInputs
  readonly linkage: PixelLinkage
  /** Stream that is rasterized, -1 where the rasterizer is off (15.2). */
  readonly rasterizedStream: number
  readonly diagnostics: readonly Diagnostic[]
}

const STAGE_SLOTS = ['vertex', 'hull', 'domain', 'geometry', 'pixel'] as const
type StageSlot = (typeof STAGE_SLOTS)[number]

const entryOf = (shader: PipelineShader): EntryDeclaration => shader.loaded.declarations.entries[0]!

function stageOf<K extends StageDeclaration['kind']>(
  d: Declarations,
  kind: K,
): Extract<StageDeclaration, { kind: K }> | undefined {
  return d.stage.kind === kind ? (d.stage as Extract<StageDeclaration, { kind: K }>) : undefined
}

function checkStages(d: PipelineDescription, topology: Topology, found: DiagnosticCollector): void {
  const report = (text: string, path: StageSlot): void =>
    found.push(diagnostic('pipeline-stage', text, { kind: 'path', path }))
  for (const slot of STAGE_SLOTS) {
    const shader = d[slot]
    if (shader === undefined) continue
    const { kind } = shader.loaded.declarations.stage
    if (kind !== slot) report(`the shader is a ${kind} shader; the slot takes a ${slot} shader`, slot)
  }
  if ((d.hull === undefined) !== (d.domain === undefined)) {
    const [there, missing] = d.hull === undefined ? (['domain', 'hull'] as const) : (['hull', 'domain'] as const)
    report(`a ${there} shader needs a ${missing} shader (11.8)`, missing)
  }
  if (d.hull !== undefined && topology.kind !== 'patch') {
    report(`the topology is ${topology.name}; a hull shader takes patch lists`, 'hull')
  }
  const readsPatches =
    d.geometry !== undefined && stageOf(d.geometry.loaded.declarations, 'geometry')?.input.kind === 'patch'
  if (topology.kind === 'patch' && d.hull === undefined && !readsPatches && d.streamOutput === undefined) {
    report('patches cannot be rasterized; a hull and a domain shader are needed (11.8.1)', 'hull')
  }
  checkTessellation(d, topology, found)
  checkGeometryInput(d, topology, found)
}

function checkTessellation(d: PipelineDescription, topology: Topology, found: DiagnosticCollector): void {
  const hull = d.hull && stageOf(d.hull.loaded.declarations, 'hull')
  const domain = d.domain && stageOf(d.domain.loaded.declarations, 'domain')
  if (hull === undefined || domain === undefined) return
  if (hull.domain !== domain.domain) {
    const text = `the hull shader's domain is ${hull.domain}, the domain shader's ${domain.domain}`
    found.push(diagnostic('pipeline-linkage', text, { kind: 'path', path: 'domain' }))
  }
  if (topology.kind === 'patch' && hull.inputControlPointCount !== topology.vertexCount) {
    const text = `patches have ${topology.vertexCount} control points, the hull shader reads ${hull.inputControlPointCount}; missing ones read 0`
    found.push(diagnostic('pipeline-undefined', text, { kind: 'path', path: 'hull' }))
  }
  const written = hull.outputControlPointCount
  if (domain.controlPointCount !== written && written !== 0) {
    const text = `the hull shader writes ${written} control points, the domain shader reads ${domain.controlPointCount}`
    found.push(diagnostic('pipeline-linkage', text, { kind: 'path', path: 'domain' }))
  }
}

/** What a geometry shader is given: the topology's primitives, or what the tessellator puts out. */
function primitiveBefore(d: PipelineDescription, topology: Topology): string {
  const hull = d.hull && stageOf(d.hull.loaded.declarations, 'hull')
  if (hull !== undefined) {
    return hull.outputPrimitive === 'point' ? 'point' : hull.outputPrimitive === 'line' ? 'line' : 'triangle'
  }
  if (topology.kind === 'patch') return `patch of ${topology.vertexCount}`
  return topology.hasAdjacency ? `${topology.kind}_adj` : topology.kind
}

function checkGeometryInput(d: PipelineDescription, topology: Topology, found: DiagnosticCollector): void {
  const geometry = d.geometry && stageOf(d.geometry.loaded.declarations, 'geometry')
  if (geometry === undefined) return
  const reads = geometry.input.kind === 'patch' ? `patch of ${geometry.input.vertexCount}` : geometry.input.kind
  const given = primitiveBefore(d, topology)
  if (reads === given) return
  const text = `the geometry shader reads primitives of kind ${reads}, and gets ${given}`
  found.push(diagnostic('pipeline-linkage', text, { kind: 'path', path: 'geometry' }))
}

/** Registers that one stage reads and the stage before it does not write. */
function checkRegisters(
  from: PipelineShader,
  to: PipelineShader,
  outputs: readonly IoDeclaration[],
  inputs: readonly IoDeclaration[],
  found: DiagnosticCollector,
): void {
  const stages = [from, to].map((s) => s.loaded.declarations.stage.kind)
  const seen = new Set<number>()
  for (const input of inputs) {
    const mask = outputs.filter((o) => o.register === input.register).reduce((m, o) => m | o.mask, 0)
    const missing = input.mask & ~mask
    const generated = input.systemValue === 6 || input.systemValue === 7 || input.systemValue === 8
    if (missing === 0 || generated || seen.has(input.register)) continue
    seen.add(input.register)
    const components = [...'xyzw'].filter((_, c) => (missing & (1 << c)) !== 0).join('')
    const text = `the ${stages[1]} shader reads v${input.register}.${components}, which the ${stages[0]} shader does not write; it reads 0`
    found.push(diagnostic('pipeline-linkage-missing', text, { kind: 'path', path: stages[1]! }))
  }
}

function checkLinks(d: PipelineDescription, found: DiagnosticCollector): void {
  const outputsOf = (s: PipelineShader, kind: EntryDeclaration['kind']): readonly IoDeclaration[] =>
    s.loaded.declarations.entries.filter((e) => e.kind === kind).flatMap((e) => e.outputs)
  const inputsOf = (s: PipelineShader, file: number): readonly IoDeclaration[] =>
    s.loaded.declarations.entries.flatMap((e) => e.inputs).filter((i) => i.file === file)
  const afterVertex = d.hull ?? d.geometry
  if (afterVertex !== undefined) {
    const file = d.hull === undefined ? FILE.input : FILE['input-control-point']
    const reads =
      d.hull === undefined ? inputsOf(d.geometry!, file) : [...inputsOf(d.hull, file), ...inputsOf(d.hull, FILE.input)]
    checkRegisters(d.vertex, afterVertex, outputsOf(d.vertex, 'main'), reads, found)
    found.pushAll(checkNames(d.vertex, afterVertex, d.vertex.outputSignature, afterVertex.inputSignature))
  }
  if (d.domain !== undefined && d.geometry !== undefined) {
    checkRegisters(d.domain, d.geometry, outputsOf(d.domain, 'main'), inputsOf(d.geometry, FILE.input), found)
    found.pushAll(checkNames(d.domain, d.geometry, d.domain.outputSignature, d.geometry.inputSignature))
  }
  const last = d.geometry ?? d.domain ?? d.vertex
  if (d.pixel !== undefined) found.pushAll(checkNames(last, d.pixel, last.outputSignature, d.pixel.inputSignature))
}

function resolveBlend(given: BlendDescription | undefined): BlendState {
  const independent = given?.independentBlendEnable ?? DEFAULT_BLEND.independentBlendEnable
  return {
    alphaToCoverageEnable: given?.alphaToCoverageEnable ?? DEFAULT_BLEND.alphaToCoverageEnable,
    independentBlendEnable: independent,
    renderTarget: DEFAULT_BLEND.renderTarget.map((_, i) => ({
      ...DEFAULT_TARGET_BLEND,
      ...given?.renderTarget?.[independent ? i : 0],
    })),
  }
}

/** The stream that reaches the rasterizer, or -1 where it is off: no pixel shader and neither depth nor stencil (15.2). */
function rasterizedStream(
  d: PipelineDescription,
  depthStencil: DepthStencilState,
  so: StreamOutputLayout | undefined,
): number {
  if (d.pixel === undefined && !depthStencil.depthEnable && !depthStencil.stencilEnable) return -1
  if (so === undefined) return 0
  return so.rasterizedStream ?? -1
}

function streamOutputOf(d: PipelineDescription, found: DiagnosticCollector): StreamOutputLayout | undefined {
  if (d.streamOutput === undefined) return undefined
  const last = d.geometry ?? d.domain ?? d.vertex
  const { declaration = [], strides = [], rasterizedStream: stream = 0 } = d.streamOutput
  const layout = streamOutputLayout({ declaration, strides, rasterizedStream: stream }, last.outputSignature)
  found.pushAll(layout.diagnostics)
  return layout.value
}

/** Checks shaders and state against each other. */
export function createPipeline(d: PipelineDescription): Outcome<Pipeline> {
  const found = new DiagnosticCollector()
  const topology = topologyOf(d.topology)
  found.pushAll(topology.diagnostics)
  if (topology.value === undefined) return { diagnostics: found.finish() }
  checkStages(d, topology.value, found)
  const layout = createInputLayout(d.inputLayout ?? [], d.vertex.inputSignature)
  found.pushAll(layout.diagnostics)
  if (found.errorCount > 0 || layout.value === undefined) return { diagnostics: found.finish() }
  checkLinks(d, found)
  const depthStencil = { ...DEFAULT_DEPTH_STENCIL, ...d.depthStencil }
  const streamOutput = streamOutputOf(d, found)
  if (found.errorCount > 0) return { diagnostics: found.finish() }
  const stream = rasterizedStream(d, depthStencil, streamOutput)
  const last = d.geometry ?? d.domain ?? d.vertex
  const { outputs } = entryOf(last)
  const inputs = rasterizerInputs(outputs, Math.max(0, stream))
  const registerCount = outputs.reduce((most, o) => (o.file === FILE.output ? Math.max(most, o.register + 1) : most), 0)
  const pixelEntry = d.pixel === undefined ? undefined : entryOf(d.pixel)
  const hasGeometryShader = d.geometry !== undefined
  const linkage = linkPixelShader(pixelEntry, outputs, Math.max(0, stream), inputs, hasGeometryShader, registerCount)
  if (stream >= 0) found.pushAll(linkage.diagnostics)
  const diagnostics = found.finish()
  const value: Pipeline = {
    vertex: d.vertex,
    hull: d.hull,
    domain: d.domain,
    geometry: d.geometry,
    pixel: d.pixel,
    inputLayout: layout.value,
    topology: topology.value,
    rasterizer: { ...DEFAULT_RASTERIZER, ...d.rasterizer },
    depthStencil,
    blend: resolveBlend(d.blend),
    sampleMask: (d.sampleMask ?? 0xffffffff) >>> 0,
    streamOutput,
    cutOnLists: d.cutOnLists ?? true,
    rasterizerInputs: inputs,
    linkage,
    rasterizedStream: stream,
    diagnostics,
  }
  return { value, diagnostics }
}
