/** Views of a frame's resources, and what its draws and dispatches bind, held against what the shaders declare. */
import { present } from '../../diagnostic/index.ts'
import { matchResolvedBindings } from '../../engine/index.ts'
import {
  type Bindings,
  type Bound,
  type Buffer,
  createCbv,
  createDsv,
  createRtv,
  createSampler,
  createSrv,
  createUav,
  type DepthStencilView,
  printSlot,
  type RenderTargetView,
  resolveBindings,
  type Slot,
  type Uav,
} from '../../machine/index.ts'
import { type DrawResources, filledBytes, setFilledBytes, type Viewport } from '../../pipeline/index.ts'
import { labelOf } from '../run/resources.ts'
import type { FrameBinding, FrameBindings, FramePipeline, FrameStage, FrameTarget, NameAt } from './model.ts'
import { GRAPHICS_STAGES } from './model.ts'
import { type Preparation, type PreparedFrameShader, placed, report, take } from './preparation.ts'

/** The buffer of a name; undefined, after a complaint, where it is a texture, or was not made. */
export function bufferOf(p: Preparation, { name, path }: NameAt): Buffer | undefined {
  const resource = p.resources.get(name)?.resource
  if (resource === undefined || resource.kind === 'buffer') return resource
  return report(p.out, 'job-command', path, `a buffer is expected here; ${name} is a texture`)
}

function uavOf(p: Preparation, b: Extract<FrameBinding, { kind: 'view' }>): Uav | undefined {
  const { resource } = p.resources.get(b.resource.name) ?? {}
  if (resource === undefined) return undefined
  const { byteOffset: _offset, byteLength: _length, ...view } = b.view
  if (b.counter === undefined) return take(p.out, createUav(resource, view), b.path, b.resource.name)
  const key = JSON.stringify([b.resource.name, view, b.counter.use])
  const known = p.counted.get(key)
  if (known !== undefined) return known
  const memory = present({ memory: p.engine.memory })
  const options = { ...view, ...memory, counter: b.counter.use }
  const made = take(p.out, createUav(resource, options), b.path, b.resource.name)
  if (made === undefined) return undefined
  p.counted.set(key, made)
  // The view has no initial count: each dispatch and draw would set it again.
  if (made.shape === 'structured' && made.counter !== undefined) {
    made.counter.words[made.counter.index] = b.counter.initialCount
  }
  return made
}

/** The views of a resource with a counter that draws and dispatches of the frame bind. */
export function countedViews(p: Preparation, { name }: NameAt): ReadonlySet<Uav> {
  const bound = [...p.frame.pipelines, ...p.frame.commands].flatMap((c) => ('bindings' in c ? [c.bindings] : []))
  const views = bound
    .flatMap((b) => [...(b.unorderedAccess ?? []), ...(b.stages.compute ?? [])])
    .flatMap((b) => (b.kind === 'view' && b.resource.name === name && b.counter !== undefined ? [uavOf(p, b)] : []))
  return new Set(views.filter((v) => v !== undefined))
}

function boundOf(p: Preparation, b: FrameBinding): Bound | undefined {
  if (b.kind === 'sampler') return take(p.out, createSampler(b.options), b.path, printSlot(b.slot))
  if (b.slot.register === 'u') return uavOf(p, b)
  const { resource } = p.resources.get(b.resource.name) ?? {}
  if (resource === undefined) return undefined
  const { byteOffset, byteLength, ...view } = b.view
  if (b.slot.register === 't') return take(p.out, createSrv(resource, view), b.path, b.resource.name)
  const buffer = bufferOf(p, b.resource)
  const range = present({ byteOffset, byteLength })
  return buffer === undefined ? undefined : take(p.out, createCbv(buffer, range), b.path, b.resource.name)
}

/** What a command binds: its own slots before those of the pipeline. */
export function mergeBindings(of: FrameBindings, own: FrameBindings): FrameBindings {
  const stages: Partial<Record<FrameStage, readonly FrameBinding[]>> = { ...of.stages }
  for (const [stage, bindings] of Object.entries(own.stages) as [FrameStage, readonly FrameBinding[]][]) {
    const replaced = new Set(bindings.map((b) => printSlot(b.slot)))
    stages[stage] = [...(of.stages[stage] ?? []).filter((b) => !replaced.has(printSlot(b.slot))), ...bindings]
  }
  return { ...of, ...own, stages }
}

function bindingsOf(p: Preparation, list: readonly FrameBinding[] | undefined): Bindings {
  const made = (list ?? []).map((b) => [printSlot(b.slot), boundOf(p, b)] as const)
  return Object.fromEntries(made.filter(([, bound]) => bound !== undefined))
}

function slotOf(name: string): Slot | undefined {
  const m = /^([tubs])(\d+)(?:,space(\d+))?$/.exec(name)
  return m === null ? undefined : { register: m[1] as Slot['register'], index: Number(m[2]), space: Number(m[3] ?? 0) }
}

/** Holds the bindings of one shader against its declarations. */
function matchShader(
  p: Preparation,
  shader: PreparedFrameShader,
  described: FramePipeline,
  list: readonly FrameBinding[],
  bindings: Bindings,
  path: string,
): void {
  const resolved = resolveBindings(bindings)
  if (resolved.value === undefined) return
  const places = new Map(list.map((b) => [printSlot(b.slot), b.path]))
  const unbound = new Set(described.unbound.map(printSlot))
  for (const d of matchResolvedBindings(shader.loaded.declarations, resolved.value)) {
    const name = d.place?.kind === 'path' ? d.place.path : ''
    const slot = slotOf(name)
    const label = slot === undefined ? name : labelOf(shader.source.reflection, slot)
    if (d.code !== 'machine-binding-missing') {
      p.out.push(placed({ ...d, message: d.message.replace(`${name}:`, `${label}:`) }, places.get(name) ?? path))
    } else if (!unbound.has(name) && !places.has(name)) {
      const note = `to run with nothing bound there, list "${name}" in "unbound" of the pipeline`
      report(
        p.out,
        'job-missing-resource',
        path,
        `${label} is declared by the ${shader.loaded.declarations.stage.kind} shader and nothing is bound there`,
        [note],
      )
    }
  }
}

/** Bindings of a dispatch, resolved; undefined after complaints. */
export function dispatchBindings(
  p: Preparation,
  shader: PreparedFrameShader,
  described: FramePipeline,
  b: FrameBindings,
  path: string,
) {
  const before = p.out.errorCount
  const list = [...(b.stages.compute ?? []), ...(b.unorderedAccess ?? [])]
  const bindings = bindingsOf(p, list)
  if (p.out.errorCount === before) matchShader(p, shader, described, list, bindings, path)
  return p.out.errorCount > before ? undefined : resolveBindings(bindings).value
}

export function renderTargetOf(p: Preparation, t: FrameTarget): RenderTargetView | undefined {
  const made = p.resources.get(t.resource.name)
  if (made === undefined) return undefined
  const { resource: _resource, path, readOnlyDepth, readOnlyStencil, ...options } = t
  for (const [name, value] of Object.entries({ readOnlyDepth, readOnlyStencil })) {
    if (value !== undefined)
      report(p.out, 'job-unknown-field', path, `${name} is for depth-stencil views; this is a render target`)
  }
  return take(p.out, createRtv(made.resource, options), path, t.resource.name)
}

export function depthStencilOf(p: Preparation, t: FrameTarget): DepthStencilView | undefined {
  const made = p.resources.get(t.resource.name)
  if (made === undefined) return undefined
  const { resource: _resource, path, ...options } = t
  if (made.resource.kind === 'buffer') {
    return report(p.out, 'job-command', path, `a depth-stencil view shows a texture; ${t.resource.name} is a buffer`)
  }
  return take(p.out, createDsv(made.resource, options), path, t.resource.name)
}

function defaultViewports(targets: DrawResources['renderTargets'], depth: DepthStencilView | undefined): Viewport[] {
  const first = targets.find((t) => t !== undefined) ?? depth
  if (first === undefined) return []
  return [{ topLeftX: 0, topLeftY: 0, width: first.width, height: first.height, minDepth: 0, maxDepth: 1 }]
}

function vertexBuffersOf(p: Preparation, b: FrameBindings): DrawResources['vertexBuffers'] {
  const bound: { -readonly [K in keyof DrawResources['vertexBuffers']]: DrawResources['vertexBuffers'][K] } = []
  for (const v of b.vertexBuffers ?? []) {
    const buffer = bufferOf(p, v.buffer)
    if (buffer === undefined) continue
    bound[v.slot] = { storage: buffer.storage, byteLength: buffer.byteLength, stride: v.stride, offset: v.offset }
  }
  return Array.from(bound)
}

function indexBufferOf(p: Preparation, b: FrameBindings): DrawResources['indexBuffer'] {
  const { indexBuffer } = b
  const buffer = indexBuffer === undefined ? undefined : bufferOf(p, indexBuffer.buffer)
  if (indexBuffer === undefined || buffer === undefined) return undefined
  const { format, offset } = indexBuffer
  return { storage: buffer.storage, byteLength: buffer.byteLength, format, offset }
}

/** What a draw is run with, made anew for each run: stream output begins where its buffers are filled up to then. */
export interface PreparedDrawResources {
  readonly resources: () => DrawResources
  /** Remembers how far stream output came. */
  readonly finish: (r: DrawResources) => void
}

/** Resources of a draw; undefined after complaints. */
export function drawResources(
  p: Preparation,
  described: Extract<FramePipeline, { kind: 'graphics' }>,
  b: FrameBindings,
  path: string,
): PreparedDrawResources | undefined {
  const before = p.out.errorCount
  const unorderedAccess = bindingsOf(p, b.unorderedAccess)
  const stages = GRAPHICS_STAGES.map((stage) => [stage, bindingsOf(p, b.stages[stage])] as const)
  const renderTargets = (b.renderTargets ?? []).map((t) => (t === undefined ? undefined : renderTargetOf(p, t)))
  const depthStencil = b.depthStencil === undefined ? undefined : depthStencilOf(p, b.depthStencil)
  const streams = (b.streamOutput ?? []).map((s) => ({ ...s, resource: bufferOf(p, s.buffer) }))
  const [vertexBuffers, indexBuffer] = [vertexBuffersOf(p, b), indexBufferOf(p, b)]
  if (p.out.errorCount > before) return undefined
  for (const [stage, bindings] of stages) {
    const shader = p.shaders.get(described.shaders[stage]?.name ?? '')
    if (shader === undefined) continue
    const list = [...(b.stages[stage] ?? []), ...(b.unorderedAccess ?? [])]
    matchShader(p, shader, described, list, { ...bindings, ...unorderedAccess }, path)
  }
  if (p.out.errorCount > before) return undefined
  const ofStages = Object.fromEntries(stages)
  const viewports = b.viewports ?? defaultViewports(renderTargets, depthStencil)
  const { scissors = [], blendFactor = [1, 1, 1, 1], stencilReference = 0 } = b
  const resources = (): DrawResources => {
    const bound: DrawResources['streamOutputBuffers'][number][] = []
    for (const { slot, offset, resource } of streams) {
      if (resource === undefined) continue
      const { storage, byteLength } = resource
      bound[slot] = { storage, byteLength, filled: offset === 'APPEND' ? filledBytes(storage) : offset }
    }
    return {
      bindings: ofStages,
      unorderedAccess,
      vertexBuffers,
      indexBuffer,
      renderTargets,
      depthStencil,
      viewports,
      scissors,
      blendFactor,
      stencilReference,
      streamOutputBuffers: Array.from(bound),
    }
  }
  const finish = (r: DrawResources): void => {
    for (const s of r.streamOutputBuffers) if (s !== undefined) setFilledBytes(s.storage, s.filled)
  }
  return { resources, finish }
}
