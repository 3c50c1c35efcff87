import { type DiagnosticCode, type DiagnosticCollector, diagnostic, type Outcome } from '../../diagnostic/index.ts'
import type { Reflection } from '../../dxbc/index.ts'
import {
  align16,
  type Bound,
  type Buffer,
  createBuffer,
  createCbv,
  createSampler,
  createSrv,
  createTexture,
  createUav,
  type Memory,
  printSlot,
  resolveFormat,
  type Slot,
  type Texture,
} from '../../machine/index.ts'
import type { JobHost } from '../host.ts'
import type { BufferResource, ConstantsResource, JobResource, SameResource, TextureResource } from '../model.ts'
import { constantsShape, elementShape, resourceOfSlot, type Shape } from '../values/shape.ts'
import {
  type ContentsContext,
  contentsLength,
  fillNewBuffer,
  fillNewTexture,
  fillSubresource,
  type ResolvedContents,
  resolveContents,
} from './contents.ts'
import { TotalBytes } from './total-bytes.ts'

/** A slot with what stands in it. */
export interface PreparedResource {
  readonly slot: Slot
  /** JSON path, or flag, that describes it. */
  readonly path: string
  /** `u0`, or `u0 (Result)` where the reflection has its HLSL name. */
  readonly label: string
  readonly name?: string
  readonly bound: Bound
  /** The resource behind the view; absent for samplers. */
  readonly resource?: Buffer | Texture
  /** One structure of a structured buffer, or the whole constant buffer. */
  readonly shape?: Shape
}

/** What making resources needs. */
interface ResourceContext {
  readonly host: JobHost
  readonly out: DiagnosticCollector
  readonly reflection: Reflection | undefined
  readonly memory: Memory | undefined
}

/** The field that a complaint of the machine is about, where the resource's description has it. */
const FIELD_OF: Readonly<Partial<Record<DiagnosticCode, string>>> = {
  'machine-buffer-stride': 'stride',
  'machine-buffer-size': 'size',
  'machine-out-of-memory': 'size',
  'machine-format-unknown': 'format',
  'machine-format-support': 'format',
  'machine-view-range': 'view',
  'machine-view-format': 'view.format',
}

export function labelOf(reflection: Reflection | undefined, slot: Slot): string {
  const name = resourceOfSlot(reflection, slot)?.name
  return name === undefined ? printSlot(slot) : `${printSlot(slot)} (${name})`
}

function sentence(message: string): string {
  return message.replace(/\.$/, '')
}

/** What the machine says, at the description's place and with the slot. The value where there is one. */
function take<T>(c: ResourceContext, r: JobResource, outcome: Outcome<T>, field?: string): T | undefined {
  for (const d of outcome.diagnostics) {
    const at = field ?? FIELD_OF[d.code]
    const path = at === undefined ? r.path : `${r.path}.${at}`
    const message = `${labelOf(c.reflection, r.slot)}: ${sentence(d.message)}`
    c.out.push({ ...d, message, place: { kind: 'path', path } })
  }
  return outcome.ok ? outcome.value : undefined
}

function contentsContext(
  c: ResourceContext,
  r: JobResource,
  shape: Shape | undefined,
  stride?: number,
): ContentsContext {
  const isShaderKnown = c.reflection !== undefined
  return { host: c.host, out: c.out, shape, stride, isShaderKnown, name: labelOf(c.reflection, r.slot) }
}

function finish(
  c: ResourceContext,
  r: JobResource,
  bound: Bound,
  resource?: Buffer | Texture,
  shape?: Shape,
): PreparedResource {
  const name = resourceOfSlot(c.reflection, r.slot)?.name
  return {
    slot: r.slot,
    path: r.path,
    label: labelOf(c.reflection, r.slot),
    bound,
    ...(name === undefined ? {} : { name }),
    ...(resource === undefined ? {} : { resource }),
    ...(shape === undefined ? {} : { shape }),
  }
}

function bufferBound(c: ResourceContext, r: BufferResource | SameResource, buffer: Buffer): Bound | undefined {
  const { view } = r
  if (r.slot.register === 't') return take(c, r, createSrv(buffer, view))
  const counter = { counter: r.counter?.use, initialCount: r.counter?.initialCount }
  return take(c, r, createUav(buffer, { ...view, ...counter, memory: c.memory }))
}

function prepareBuffer(c: ResourceContext, r: BufferResource): PreparedResource | undefined {
  const format = r.view.format === undefined ? undefined : take(c, r, resolveFormat(r.view.format), 'format')
  if (r.view.format !== undefined && format === undefined) return undefined
  const shape = r.stride === undefined ? undefined : elementShape(resourceOfSlot(c.reflection, r.slot), r.stride)
  const context = contentsContext(c, r, shape, r.stride)
  const before = c.out.errorCount
  const contents = resolveContents(context, r.contents)
  if (contents === undefined || c.out.errorCount > before) return undefined
  const byteLength = r.byteLength ?? contentsLength(contents, format) ?? 0
  const buffer = take(c, r, createBuffer({ byteLength, stride: r.stride, memory: c.memory }))
  if (buffer === undefined) return undefined
  fillNewBuffer(context, contents, buffer, format)
  const bound = bufferBound(c, r, buffer)
  return bound === undefined ? undefined : finish(c, r, bound, buffer, shape)
}

/** Width and height of an image where the description leaves them out. */
function imageExtents(contents: ResolvedContents): { width: number; height: number } {
  return contents.kind === 'image'
    ? { width: contents.image.width, height: contents.image.height }
    : { width: 0, height: 1 }
}

function prepareTexture(c: ResourceContext, r: TextureResource): PreparedResource | undefined {
  const context = contentsContext(c, r, undefined)
  const contents = resolveContents(context, r.contents)
  const parts = r.parts.map((p) => ({ ...p, contents: resolveContents(context, p.contents) }))
  if (contents === undefined) return undefined
  const extents = r.options.width === undefined ? imageExtents(contents) : {}
  const options = { width: 0, ...r.options, ...extents, memory: c.memory }
  const texture = take(c, r, createTexture(options))
  if (texture === undefined) return undefined
  fillNewTexture(context, contents, texture, r.path)
  parts.forEach((p, i) => {
    if (p.contents === undefined) return
    fillSubresource(context, p.contents, texture, p.mip, p.slice, `${r.path}.subresources[${i}]`)
  })
  const bound = textureBound(c, r, texture)
  return bound === undefined ? undefined : finish(c, r, bound, texture)
}

function textureBound(c: ResourceContext, r: TextureResource | SameResource, texture: Texture): Bound | undefined {
  return r.slot.register === 't' ? take(c, r, createSrv(texture, r.view)) : take(c, r, createUav(texture, r.view))
}

function prepareConstants(c: ResourceContext, r: ConstantsResource): PreparedResource | undefined {
  const shape = constantsShape(c.reflection, r.slot)
  const context = contentsContext(c, r, shape)
  const before = c.out.errorCount
  const contents = resolveContents(context, r.contents)
  if (contents === undefined || c.out.errorCount > before) return undefined
  const own = contentsLength(contents, undefined) ?? shape?.byteLength ?? 16
  const byteLength = r.byteLength ?? Math.max(16, align16(own))
  const buffer = take(c, r, createBuffer({ byteLength, memory: c.memory }))
  if (buffer === undefined) return undefined
  fillNewBuffer(context, contents, buffer, undefined)
  const bound = take(c, r, createCbv(buffer, r.view))
  return bound === undefined ? undefined : finish(c, r, bound, buffer, shape)
}

function sameBound(c: ResourceContext, r: SameResource, resource: Buffer | Texture): Bound | undefined {
  if (resource.kind === 'texture') return textureBound(c, r, resource)
  return r.slot.register === 'b' ? take(c, r, createCbv(resource, r.view)) : bufferBound(c, r, resource)
}

function prepareSame(
  c: ResourceContext,
  r: SameResource,
  others: ReadonlyMap<string, PreparedResource>,
): PreparedResource | undefined {
  const other = others.get(printSlot(r.of))
  if (other?.resource === undefined) {
    const why = `the resource of ${printSlot(r.of)} is not there yet: it must stand before and be no view itself`
    c.out.push(diagnostic('job-slot', why, { kind: 'path', path: `${r.path}.of` }))
    return undefined
  }
  const { resource } = other
  const bound = sameBound(c, r, resource)
  if (bound === undefined) return undefined
  const stride =
    bound.kind !== 'cbv' && bound.kind !== 'sampler' && bound.shape === 'structured' ? bound.stride : undefined
  const shape =
    bound.kind === 'cbv'
      ? constantsShape(c.reflection, r.slot)
      : stride === undefined
        ? undefined
        : elementShape(resourceOfSlot(c.reflection, r.slot), stride)
  return finish(c, r, bound, resource, shape)
}

function prepareOne(
  c: ResourceContext,
  r: JobResource,
  others: ReadonlyMap<string, PreparedResource>,
): PreparedResource | undefined {
  switch (r.kind) {
    case 'buffer':
      return prepareBuffer(c, r)
    case 'texture':
      return prepareTexture(c, r)
    case 'cbuffer':
      return prepareConstants(c, r)
    case 'same':
      return prepareSame(c, r, others)
    case 'sampler': {
      const sampler = take(c, r, createSampler(r.options))
      return sampler === undefined ? undefined : finish(c, r, sampler)
    }
  }
}

/** Makes and fills every resource and its view; complaints go to `c.out`, what has one is left out. */
export function prepareResources(c: ResourceContext, resources: readonly JobResource[]): PreparedResource[] {
  const made = new Map<string, PreparedResource>()
  const total = new TotalBytes()
  for (const r of resources) {
    const one = prepareOne(c, r, made)
    if (one === undefined) continue
    made.set(printSlot(r.slot), one)
    if (one.resource !== undefined && !total.add(one.resource, r.path, one.label, c.out)) break
  }
  return [...made.values()]
}
