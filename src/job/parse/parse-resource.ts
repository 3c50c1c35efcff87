import { present } from '../../diagnostic/index.ts'
import {
  FILTERS,
  MAX_RESOURCE_BYTE_LENGTH,
  MAX_STRUCTURE_STRIDE,
  type SamplerOptions,
  type Slot,
  type TextureDimension,
  type ViewDimension,
} from '../../machine/index.ts'
import type { BufferResource, Contents, JobCounter, JobResource, SamplerResource, TextureResource } from '../model.ts'
import { type Fields, memberPath } from './fields.ts'
import { hasOwnLength, parseContents, valueBytes } from './parse-contents.ts'
import { slotField } from './parse-slot.ts'

const U32_MAX = 0xffffffff
/** Numbers that are checked when the resource is made; here they just have to be counts. */
const MAX_COUNT = 0xffffffff

/** How a kind of the description is made and seen: array and multisample kinds name their view. */
const TEXTURE_KINDS: Readonly<Record<ViewDimension, TextureDimension>> = {
  texture1d: 'texture1d',
  texture1darray: 'texture1d',
  texture2d: 'texture2d',
  texture2darray: 'texture2d',
  texture2dms: 'texture2d',
  texture2dmsarray: 'texture2d',
  texture3d: 'texture3d',
  texturecube: 'texturecube',
  texturecubearray: 'texturecube',
}
export const TEXTURE_KIND_NAMES = Object.keys(TEXTURE_KINDS) as readonly ViewDimension[]
export const RESOURCE_KINDS = [
  'structured',
  'raw',
  'typed',
  'cbuffer',
  'sampler',
  'same',
  ...TEXTURE_KIND_NAMES,
] as const
type ResourceKind = (typeof RESOURCE_KINDS)[number]

/** Registers that a kind may stand in. */
function registersOf(kind: ResourceKind): string {
  if (kind === 'cbuffer') return 'b'
  if (kind === 'sampler') return 's'
  return kind === 'same' ? 'tub' : 'tu'
}

/** `counter: 0`, or `counter: { initial, use }`. */
export function parseCounter(f: Fields): JobCounter | undefined {
  if (!f.has('counter')) return undefined
  if (typeof f.raw('counter') === 'number') {
    return { use: 'counter', initialCount: f.whole('counter', 0, U32_MAX) ?? 0 }
  }
  const o = f.object('counter')
  if (o === undefined) return undefined
  const counter = {
    use: o.word('use', ['counter', 'append']) ?? 'counter',
    initialCount: o.whole('initial', 0, U32_MAX) ?? 0,
  } as const
  o.done()
  return counter
}

/** Only UAVs of structured buffers have a hidden counter. */
function counterField(f: Fields, slot: Slot): { counter?: JobCounter } {
  const counter = parseCounter(f)
  if (counter === undefined) return {}
  if (slot.register !== 'u') f.report('job-slot', 'counter', 'only an unordered access view (u#) has a counter')
  return { counter }
}

export function elementRange(f: Fields | undefined) {
  return present({
    firstElement: f?.whole('firstElement', 0, MAX_COUNT),
    elementCount: f?.whole('elementCount', 0, MAX_COUNT),
  })
}

function parseBuffer(f: Fields, slot: Slot, kind: 'structured' | 'raw' | 'typed'): BufferResource {
  const byteLength = f.whole('size', 0, Number.MAX_SAFE_INTEGER)
  const contents = parseContents(f.object('init'))
  const init = f.has('init')
  if (!f.has('size') && !hasOwnLength(contents)) {
    const why = init ? 'the initial contents do not say how many bytes there are' : 'nor are there initial contents'
    f.report('job-missing-field', 'size', `the field is missing, and ${why}`)
  }
  const stride = kind === 'structured' ? f.require('stride', f.whole('stride', 0, MAX_COUNT)) : undefined
  const format = kind === 'typed' ? f.require('format', f.text('format')) : undefined
  const view = f.object('view')
  const shown = { ...elementRange(view), ...(kind === 'raw' ? { raw: true } : present({ format })) }
  view?.done()
  const counter = kind === 'structured' ? counterField(f, slot) : {}
  const size = present({ byteLength, stride })
  return { kind: 'buffer', slot, path: f.path, contents, view: shown, ...size, ...counter }
}

const VIEW_COUNTS = ['mostDetailedMip', 'mipLevels', 'mipSlice', 'firstArraySlice', 'arraySize'] as const

export function textureView(f: Fields | undefined): TextureResource['view'] {
  if (f === undefined) return {}
  const counts = Object.fromEntries(VIEW_COUNTS.map((name) => [name, f.whole(name, 0, MAX_COUNT)]))
  return present({ ...counts, format: f.text('format'), dimension: f.word('dimension', TEXTURE_KIND_NAMES) })
}

/** How the contents of a texture are read: descriptions of later versions have more kinds. */
type ContentsReader<C> = (f: Fields | undefined) => C

function parsePart<C>(f: Fields, contentsOf: ContentsReader<C>) {
  const mip = f.whole('mip', 0, 31) ?? 0
  const slice = f.whole('slice', 0, MAX_COUNT) ?? 0
  f.require('init', f.raw('init'))
  const contents = contentsOf(f.object('init'))
  f.done()
  return { mip, slice, contents }
}

/** Extents, format and contents of a texture. */
export function textureFields<C extends { readonly kind: string }>(
  f: Fields,
  kind: ViewDimension,
  contentsOf: ContentsReader<C>,
) {
  const contents = contentsOf(f.object('init'))
  const width = f.whole('width', 0, MAX_COUNT)
  if (contents.kind !== 'png') f.require('width', width)
  const dimension = TEXTURE_KINDS[kind]
  const extents = present({
    width,
    height: f.whole('height', 0, MAX_COUNT),
    depth: dimension === 'texture3d' ? f.whole('depth', 0, MAX_COUNT) : undefined,
    arraySize: dimension === 'texture3d' ? undefined : f.whole('arraySize', 0, MAX_COUNT),
    mipLevels: f.whole('mipLevels', 0, 31),
    sampleCount: dimension === 'texture2d' ? f.whole('sampleCount', 0, MAX_COUNT) : undefined,
    minLod: f.number('minLod'),
  })
  if (dimension !== 'texture1d' && dimension !== 'texturecube' && contents.kind !== 'png')
    f.require('height', extents.height)
  if (dimension === 'texture3d') f.require('depth', extents.depth)
  const format = f.require('format', f.text('format')) ?? ''
  const parts = f.objects('subresources').map((p) => parsePart(p, contentsOf))
  return { options: { dimension, format, ...extents }, contents, parts }
}

function parseTexture(f: Fields, slot: Slot, kind: ViewDimension): TextureResource {
  const { options, contents, parts } = textureFields(f, kind, parseContents)
  const view = f.object('view')
  const shown = textureView(view)
  view?.done()
  const named = kind === options.dimension ? {} : { dimension: kind }
  return { kind: 'texture', slot, path: f.path, options, contents, parts, view: { ...named, ...shown } }
}

/** A constant buffer by words, floats, variables of the reflection, or any initial contents: exactly one of them. */
function constantContents(f: Fields): Contents {
  const given = ['words', 'floats', 'values', 'init'].filter((name) => f.has(name))
  if (given.length !== 1) {
    const what = given.length === 0 ? 'none was given' : `${given.join(' and ')} were given`
    f.report('job-missing-field', given.at(-1) ?? 'words', `one of words, floats, values and init is expected; ${what}`)
    f.ignore(...given)
    return { kind: 'zero' }
  }
  const values = f.raw('values')
  if (values !== undefined) return { kind: 'variables', values, path: memberPath(f.path, 'values') }
  for (const [name, type] of [
    ['words', 'u32'],
    ['floats', 'f32'],
  ] as const) {
    const bytes = valueBytes(f, name, type)
    if (bytes !== undefined) return { kind: 'bytes', bytes, path: memberPath(f.path, name) }
  }
  return parseContents(f.object('init'))
}

function parseConstants(f: Fields, slot: Slot): JobResource {
  f.ignore('fields')
  const contents = constantContents(f)
  const byteLength = f.whole('size', 0, Number.MAX_SAFE_INTEGER)
  const view = f.object('view')
  const shown = present({
    byteOffset: view?.whole('byteOffset', 0, MAX_RESOURCE_BYTE_LENGTH),
    byteLength: view?.whole('byteLength', 0, MAX_RESOURCE_BYTE_LENGTH),
  })
  view?.done()
  return { kind: 'cbuffer', slot, path: f.path, contents, view: shown, ...present({ byteLength }) }
}

const ADDRESS_MODES = ['WRAP', 'MIRROR', 'CLAMP', 'BORDER', 'MIRROR_ONCE'] as const
const COMPARISONS = ['NEVER', 'LESS', 'EQUAL', 'LESS_EQUAL', 'GREATER', 'NOT_EQUAL', 'GREATER_EQUAL', 'ALWAYS'] as const

/** The name of a field in the notation of a description, from the one in camelCase. */
type Naming = (name: string) => string

function borderColor(f: Fields, name: string): readonly number[] | undefined {
  const list = f.list(name)
  if (list === undefined) return undefined
  if (list.length === 4 && list.every((n) => typeof n === 'number')) return list as readonly number[]
  f.report('job-wrong-type', name, 'four numbers are expected: red, green, blue, alpha')
  return undefined
}

/** The fields of a sampler state. */
export function samplerFields(f: Fields, n: Naming = (name) => name): SamplerOptions {
  const address = (name: string): string | undefined => f.word(n(name), ADDRESS_MODES, 'D3D11_TEXTURE_ADDRESS_')
  return present({
    filter: f.word(n('filter'), [...FILTERS.keys()], 'D3D11_FILTER_'),
    address: address('address'),
    addressU: address('addressU'),
    addressV: address('addressV'),
    addressW: address('addressW'),
    comparison: f.word(n('comparison'), COMPARISONS, 'D3D11_COMPARISON_'),
    mipLodBias: f.number(n('mipLodBias')),
    minLod: f.number(n('minLod')),
    maxLod: f.number(n('maxLod')),
    maxAnisotropy: f.whole(n('maxAnisotropy'), 0, 16),
    borderColor: borderColor(f, n('borderColor')),
  })
}

function parseSampler(f: Fields, slot: Slot): SamplerResource {
  return { kind: 'sampler', slot, path: f.path, options: samplerFields(f) }
}

function parseSame(f: Fields, slot: Slot): JobResource | undefined {
  const of = f.require('of', slotField(f, 'of', 'tub', 'a resource to view'))
  const view = f.object('view')
  const constants = slot.register === 'b'
  const shown = present({
    ...(constants ? {} : { ...elementRange(view), ...textureView(view) }),
    raw: constants ? undefined : view?.flag('raw'),
    stride: constants ? undefined : view?.whole('stride', 4, MAX_STRUCTURE_STRIDE),
    byteOffset: constants ? view?.whole('byteOffset', 0, MAX_RESOURCE_BYTE_LENGTH) : undefined,
    byteLength: constants ? view?.whole('byteLength', 0, MAX_RESOURCE_BYTE_LENGTH) : undefined,
  })
  view?.done()
  const counter = counterField(f, slot)
  return of === undefined ? undefined : { kind: 'same', slot, path: f.path, of, view: shown, ...counter }
}

/** One resource; undefined, after complaints, where its slot or kind is unknown. */
export function parseResource(f: Fields): JobResource | undefined {
  const kind = f.require('kind', f.word('kind', RESOURCE_KINDS))
  const registers = kind === undefined ? 'tubs' : registersOf(kind)
  const slot = f.require('slot', slotField(f, 'slot', registers, `a resource of kind ${kind}`))
  if (kind === undefined || slot === undefined) return undefined
  f.ignore('comment')
  const resource = resourceOfKind(f, slot, kind)
  f.done()
  return resource
}

function resourceOfKind(f: Fields, slot: Slot, kind: ResourceKind): JobResource | undefined {
  switch (kind) {
    case 'structured':
    case 'raw':
    case 'typed':
      return parseBuffer(f, slot, kind)
    case 'cbuffer':
      return parseConstants(f, slot)
    case 'sampler':
      return parseSampler(f, slot)
    case 'same':
      return parseSame(f, slot)
    default:
      return parseTexture(f, slot, kind)
  }
}
