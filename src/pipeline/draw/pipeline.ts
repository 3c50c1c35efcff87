import { DiagnosticCollector, diagnostic, failure, type Outcome, outcomeOf } from '../../diagnostic/index.ts'
import type { EntryDeclaration } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import { createInputLayout, topologyOf } from '../input/index.ts'
import { linkPixelShader } from '../pixels/index.ts'
import type { PipelineShader } from '../shader.ts'
import type { DepthStencilState } from '../state.ts'
import { type StreamOutputLayout, streamOutputLayout } from '../streams/index.ts'
import { checkLinks } from './check-links.ts'
import { checkStages } from './check-stages.ts'
import { checkStateRules, checkStateValues } from './check-state.ts'
import type { Pipeline, PipelineDescription } from './description.ts'
import { rasterizerInputs } from './link.ts'
import { pixelShaderOf } from './pixel-shader-of.ts'
import { resolveBlend, resolveDepthStencil, resolveRasterizer } from './resolve-state.ts'

/** A pipeline: shaders and state checked against each other once, so that draws can run (functional specification 4, 15.1). */

const entryOf = (shader: PipelineShader): EntryDeclaration => shader.loaded.declarations.entries[0]!

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
  found.pushAll(checkStateValues(d))
  const topology = topologyOf(d.topology)
  found.pushAll(topology.diagnostics)
  if (topology.value === undefined) return failure(found.finish())
  checkStages(d, topology.value, found)
  const layout = createInputLayout(d.inputLayout ?? [], d.vertex.inputSignature)
  found.pushAll(layout.diagnostics)
  if (found.errorCount > 0 || layout.value === undefined) return failure(found.finish())
  checkLinks(d, found)
  const depthStencil = resolveDepthStencil(d.depthStencil)
  const rasterizer = resolveRasterizer(d.rasterizer)
  found.pushAll(checkStateRules(rasterizer, depthStencil, d.pixel))
  const streamOutput = streamOutputOf(d, found)
  if (found.errorCount > 0) return failure(found.finish())
  const stream = rasterizedStream(d, depthStencil, streamOutput)
  const last = d.geometry ?? d.domain ?? d.vertex
  const { outputs } = entryOf(last)
  const inputs = rasterizerInputs(outputs, Math.max(0, stream))
  const registerCount = outputs.reduce((most, o) => (o.file === FILE.output ? Math.max(most, o.register + 1) : most), 0)
  const pixelEntry = d.pixel === undefined ? undefined : entryOf(d.pixel)
  const hasGeometryShader = d.geometry !== undefined
  const linkage = linkPixelShader(
    pixelEntry,
    outputs,
    Math.max(0, stream),
    inputs,
    hasGeometryShader,
    registerCount,
    last.loaded.declarations.stage.kind,
  )
  if (stream >= 0) {
    found.pushAll(linkage.diagnostics)
    if (inputs.position < 0) {
      const text = `the rasterizer takes stream ${stream} of the ${last.loaded.declarations.stage.kind} shader, which writes no position; nothing is drawn`
      found.push(diagnostic('pipeline-undefined', text))
    }
    if (rasterizer.conservativeRaster === 'ON' && (topology.value.kind === 'line' || topology.value.kind === 'point')) {
      const text = `conservativeRaster is ON for ${topology.value.name}; lines and points are drawn without it`
      found.push(diagnostic('pipeline-undefined', text, { kind: 'path', path: 'rasterizer.conservativeRaster' }))
    }
  }
  const diagnostics = found.finish()
  const value: Pipeline = {
    vertex: d.vertex,
    hull: d.hull,
    domain: d.domain,
    geometry: d.geometry,
    pixel: pixelShaderOf(d),
    inputLayout: layout.value,
    topology: topology.value,
    rasterizer,
    depthStencil,
    blend: resolveBlend(d.blend),
    sampleMask: (d.sampleMask ?? 0xffffffff) >>> 0,
    streamOutput,
    cutOnLists: d.cutOnLists ?? true,
    precision: d.precision ?? 'exact',
    rasterizerInputs: inputs,
    linkage,
    rasterizedStream: stream,
    diagnostics,
  }
  return outcomeOf(value, diagnostics)
}
