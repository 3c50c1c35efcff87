/** Stages of a pipeline held against each other: slots, primitives and patches. */
import { type DiagnosticCollector, diagnostic } from '../../diagnostic/index.ts'
import type { Declarations, StageDeclaration } from '../../engine/index.ts'
import type { Topology } from '../input/index.ts'
import type { PipelineDescription } from './description.ts'
import { resolveDepthStencil } from './resolve-state.ts'
import { SHADER_STAGES, type ShaderStage } from './resources.ts'

function stageOf<K extends StageDeclaration['kind']>(
  d: Declarations,
  kind: K,
): Extract<StageDeclaration, { kind: K }> | undefined {
  return d.stage.kind === kind ? (d.stage as Extract<StageDeclaration, { kind: K }>) : undefined
}

/** Which stages there are, and whether primitives and patches pass from one to the next (4.1, 8.15, 11.8). */
export function checkStages(d: PipelineDescription, topology: Topology, found: DiagnosticCollector): void {
  const report = (text: string, path: ShaderStage): void =>
    found.push(diagnostic('pipeline-stage', text, { kind: 'path', path }))
  for (const slot of SHADER_STAGES) {
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
  // Stream output takes patches as they are; the rasterizer must be off then.
  if (topology.kind === 'patch' && d.hull === undefined && !readsPatches && rasterizes(d)) {
    report('patches cannot be rasterized; a hull and a domain shader are needed (11.8.1)', 'hull')
  }
  checkTessellation(d, topology, found)
  checkGeometryInput(d, topology, found)
}

/** Whether primitives reach the rasterizer, as far as the state says (15.2, 16.9.1). */
function rasterizes(d: PipelineDescription): boolean {
  const { depthEnable, stencilEnable } = resolveDepthStencil(d.depthStencil)
  if (d.pixel === undefined && !depthEnable && !stencilEnable) return false
  return d.streamOutput?.rasterizedStream !== null
}

function checkTessellation(d: PipelineDescription, topology: Topology, found: DiagnosticCollector): void {
  const hull = d.hull && stageOf(d.hull.loaded.declarations, 'hull')
  const domain = d.domain && stageOf(d.domain.loaded.declarations, 'domain')
  if (hull === undefined || domain === undefined) return
  if (hull.domain !== domain.domain) {
    const text = `the hull shader's domain is ${hull.domain}, the domain shader's ${domain.domain}`
    found.push(diagnostic('pipeline-linkage', text, { kind: 'path', path: 'domain' }))
  }
  const lines = hull.domain === 'isoline'
  if (hull.outputPrimitive !== 'point' && (hull.outputPrimitive === 'line') !== lines) {
    const text = `the hull shader's domain is ${hull.domain} and its output primitive ${hull.outputPrimitive}; ${lines ? 'isolines give points or lines' : 'the domain gives points or triangles'}`
    found.push(diagnostic('pipeline-linkage', text, { kind: 'path', path: 'hull' }))
  }
  if (topology.kind === 'patch' && hull.inputControlPointCount !== topology.vertexCount) {
    const text = `patches have ${topology.vertexCount} control points, the hull shader reads ${hull.inputControlPointCount}; missing ones read 0`
    found.push(diagnostic('pipeline-undefined', text, { kind: 'path', path: 'hull' }))
  }
  const written = hull.outputControlPointCount
  const passes = d.hull?.loaded.declarations.entries.every((e) => e.kind !== 'control-point') === true
  if (passes && written !== 0 && written !== hull.inputControlPointCount) {
    const text = `the hull shader has no control point phase, so its ${hull.inputControlPointCount} control points pass through; it declares ${written} (10.6)`
    found.push(diagnostic('pipeline-linkage', text, { kind: 'path', path: 'hull' }))
  }
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
  // A shader that does not declare adjacent vertices does not get them (20.4.7).
  if (reads === given || `${reads}_adj` === given) return
  const text = `the geometry shader reads primitives of kind ${reads}, and gets ${given}`
  found.push(diagnostic('pipeline-linkage', text, { kind: 'path', path: 'geometry' }))
}
