/** What the draws and dispatches of a frame in the job format bind: views, targets, buffers, viewports. */
import { present } from '../../diagnostic/index.ts'
import { MAX_RESOURCE_BYTE_LENGTH, MAX_STRUCTURE_STRIDE, type Slot } from '../../machine/index.ts'
import { type Fields, memberPath } from '../parse/fields.ts'
import { elementRange, parseCounter, samplerFields, TEXTURE_KIND_NAMES, textureView } from '../parse/parse-resource.ts'
import { slotOfText } from '../parse/parse-slot.ts'
import type {
  FrameBinding,
  FrameBindings,
  FrameIndexBuffer,
  FrameStage,
  FrameStreamTarget,
  FrameTarget,
  FrameVertexBuffer,
  NameAt,
} from './model.ts'
import { GRAPHICS_STAGES } from './model.ts'
import { CAMEL_CASE } from './naming.ts'
import { limitList, parseFour, parseScissors, parseViewports } from './parse-state.ts'

export const MAX_TARGETS = 8
const MAX_VERTEX_BUFFERS = 32
const MAX_STREAM_BUFFERS = 4
const MAX_COUNT = 0xffffffff

/** The name of a resource, shader or pipeline in a field. */
export function nameField(f: Fields, name: string): NameAt | undefined {
  const text = f.text(name)
  return text === undefined ? undefined : { name: text, path: memberPath(f.path, name) }
}

/** A field that is a name, or an object with more; `read` gets its fields. */
function namedOr<T>(
  f: Fields,
  field: string,
  read: (o: Fields, resource: NameAt) => T,
  plain: (n: NameAt) => T,
): T | undefined {
  if (typeof f.raw(field) === 'string') return plain(nameField(f, field)!)
  const o = f.object(field)
  if (o === undefined) return undefined
  const resource = o.require('resource', nameField(o, 'resource'))
  const value = resource === undefined ? undefined : read(o, resource)
  if (resource !== undefined) o.done()
  return value
}

function viewOf(o: Fields, slot: Slot) {
  if (slot.register === 'b') {
    return present({
      byteOffset: o.whole('byteOffset', 0, MAX_RESOURCE_BYTE_LENGTH),
      byteLength: o.whole('byteLength', 0, MAX_RESOURCE_BYTE_LENGTH),
    })
  }
  return present({
    ...elementRange(o),
    ...textureView(o),
    raw: o.flag('raw'),
    stride: o.whole('stride', 4, MAX_STRUCTURE_STRIDE),
  })
}

function parseBinding(f: Fields, name: string, registers: string): FrameBinding | undefined {
  const slot = slotOfText(f, name, name, registers, 'what is bound here')
  f.raw(name)
  if (slot === undefined) return undefined
  const path = memberPath(f.path, name)
  if (slot.register === 's') {
    const o = f.object(name)
    const options = o === undefined ? {} : samplerFields(o)
    o?.done()
    return { kind: 'sampler', slot, path, options }
  }
  const base = { kind: 'view', slot, path } as const
  return namedOr<FrameBinding>(
    f,
    name,
    (o, resource) => {
      const counter = slot.register === 'u' ? parseCounter(o) : undefined
      return { ...base, resource, view: viewOf(o, slot), ...present({ counter }) }
    },
    (resource) => ({ ...base, resource, view: {} }),
  )
}

/** Slots with what stands in them. */
function parseSlots(f: Fields | undefined, registers: string): FrameBinding[] | undefined {
  const found = f?.names().flatMap((name) => parseBinding(f, name, registers) ?? [])
  return found
}

/** A target: a resource, or a view of a part of it. */
export function parseTarget(f: Fields, name: string): FrameTarget | undefined {
  const path = memberPath(f.path, name)
  return namedOr<FrameTarget>(
    f,
    name,
    (o, resource) => ({
      resource,
      path,
      ...present({
        format: o.text('format'),
        dimension: o.word('dimension', TEXTURE_KIND_NAMES),
        mipSlice: o.whole('mipSlice', 0, 31),
        firstArraySlice: o.whole('firstArraySlice', 0, MAX_COUNT),
        arraySize: o.whole('arraySize', 0, MAX_COUNT),
        readOnlyDepth: o.flag('readOnlyDepth'),
        readOnlyStencil: o.flag('readOnlyStencil'),
      }),
    }),
    (resource) => ({ resource, path }),
  )
}

/** A list whose items are names, objects with more, or null for an empty place. */
export function places<T>(
  f: Fields,
  name: string,
  most: number,
  read: (items: Fields, field: string, i: number) => T | undefined,
): (T | undefined)[] | undefined {
  const items = f.entries(name)
  if (items === undefined) return undefined
  const fields = items.names()
  limitList(f, name, fields.length, most)
  return fields.slice(0, most).map((field, i) => (items.raw(field) === null ? undefined : read(items, field, i)))
}

function parseVertexBuffer(f: Fields, field: string, slot: number): FrameVertexBuffer | undefined {
  const o = f.object(field)
  const buffer = o?.require('buffer', nameField(o, 'buffer'))
  const stride = o?.require('stride', o.whole('stride', 0, 2048)) ?? 0
  const offset = o?.whole('offset', 0, MAX_COUNT) ?? 0
  o?.done()
  return buffer === undefined ? undefined : { slot, buffer, stride, offset }
}

function parseIndexBuffer(o: Fields | undefined): FrameIndexBuffer | undefined {
  if (o === undefined) return undefined
  const buffer = o.require('buffer', nameField(o, 'buffer'))
  const format = o.require('format', o.word('format', ['R16_UINT', 'R32_UINT'] as const, 'DXGI_FORMAT_'))
  const offset = o.whole('offset', 0, MAX_COUNT) ?? 0
  o.done()
  return buffer === undefined ? undefined : { buffer, format: format ?? 'R32_UINT', offset }
}

function streamOffset(o: Fields): number | 'APPEND' {
  if (typeof o.raw('offset') === 'string') return o.word('offset', ['APPEND'] as const) ?? 0
  return o.whole('offset', 0, MAX_COUNT) ?? 0
}

function parseStreamTarget(f: Fields, field: string, slot: number): FrameStreamTarget | undefined {
  if (typeof f.raw(field) === 'string') return { slot, buffer: nameField(f, field)!, offset: 0 }
  const o = f.object(field)
  const buffer = o?.require('buffer', nameField(o, 'buffer'))
  const offset = o === undefined ? 0 : streamOffset(o)
  o?.done()
  return buffer === undefined ? undefined : { slot, buffer, offset }
}

const some = <T>(list: readonly (T | undefined)[] | undefined): T[] | undefined => list?.filter((x) => x !== undefined)

/** Everything that a pipeline or a command binds. */
export function parseBindings(f: Fields | undefined): FrameBindings {
  if (f === undefined) return { stages: {} }
  const stages: Partial<Record<FrameStage, FrameBinding[]>> = {}
  for (const stage of [...GRAPHICS_STAGES, 'compute'] as const) {
    const slots = parseSlots(f.object(stage), stage === 'compute' ? 'tubs' : 'tbs')
    if (slots !== undefined) stages[stage] = slots
  }
  const bindings = present({
    unorderedAccess: parseSlots(f.object('unorderedAccess'), 'u'),
    vertexBuffers: some(places(f, 'vertexBuffers', MAX_VERTEX_BUFFERS, parseVertexBuffer)),
    indexBuffer: parseIndexBuffer(f.object('indexBuffer')),
    streamOutput: some(places(f, 'streamOutput', MAX_STREAM_BUFFERS, parseStreamTarget)),
    renderTargets: places(f, 'renderTargets', MAX_TARGETS, parseTarget),
    depthStencil: parseTarget(f, 'depthStencil'),
    viewports: parseViewports(f, 'viewports', CAMEL_CASE),
    scissors: parseScissors(f, 'scissors', CAMEL_CASE),
    blendFactor: parseFour(f, 'blendFactor', 'red, green, blue, alpha'),
    stencilReference: f.whole('stencilReference', 0, 0xff),
  })
  f.done()
  return { stages, ...bindings }
}
