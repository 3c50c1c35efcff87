import { type Diagnostic, diagnostic, hasErrors, type Outcome } from '../diagnostic/index.ts'
import { canCast, type Format } from '../isa/formats/index.ts'
import { type Buffer, isCount } from './buffer.ts'
import { allocateStorage, bytesOf, heapMemory, type InitialData, type Memory, storageOver } from './memory.ts'
import { resolveFormat, type Texture, type TextureDimension } from './texture.ts'
import type {
  Cbv,
  Counter,
  CounterUse,
  RawBufferRange,
  Srv,
  StructuredBufferRange,
  TexelView,
  TypedBufferRange,
  Uav,
  ViewDimension,
  ViewLevel,
} from './view.ts'

/** Range of a buffer view, and how the shader sees it. */
export interface BufferViewOptions {
  /** Makes it a typed view. */
  readonly format?: string | number
  /** Makes it a raw view (of bytes): D3D11_BUFFEREX_SRV_FLAG_RAW and D3D11_BUFFER_UAV_FLAG_RAW. */
  readonly raw?: boolean
  /** Makes it a structured view with this stride; the buffer's own stride when left out. */
  readonly stride?: number
  /** In elements: of the format, structures, or 4-byte words of a raw view. Default 0. */
  readonly firstElement?: number
  /** In the same elements. Default: all that follow. */
  readonly elementCount?: number
}

export interface TextureSrvOptions {
  readonly format?: string | number
  readonly dimension?: ViewDimension
  readonly mostDetailedMip?: number
  /** Mips from the most detailed on; default (or -1) all that follow. */
  readonly mipLevels?: number
  /** First slice, or first face of a cube view. */
  readonly firstArraySlice?: number
  /** Slices (faces: a multiple of 6 for a cube view); default all that follow. */
  readonly arraySize?: number
}

export interface TextureUavOptions {
  readonly format?: string | number
  readonly dimension?: ViewDimension
  readonly mipSlice?: number
  /** First slice; the first depth slice of a Texture3D. */
  readonly firstArraySlice?: number
  /** Slices; the depth slices of a Texture3D. */
  readonly arraySize?: number
}

export interface UavCounterOptions {
  /** 'counter' or 'append': gives a structured view a hidden counter. */
  readonly counter?: CounterUse
  /** Counter value at each dispatch, 0 to 2^32-1; default 0 at the first and kept after. -1 keeps it. */
  readonly initialCount?: number
  /** Where the counter lives; default the heap, shared when the buffer is. */
  readonly memory?: Memory
}

export interface CbvOptions {
  /** First byte, a multiple of 16. Default 0. */
  readonly byteOffset?: number
  /** Bytes bound; default all that follow. */
  readonly byteLength?: number
  /** Where plain data is copied to; default the heap. */
  readonly memory?: Memory
}

/** Constants of 16 bytes that a shader can see of one constant buffer (functional spec 5.3.4.3). */
export const MAX_CONSTANT_COUNT = 4096

function fail(code: 'machine-view-range' | 'machine-view-kind', message: string): { diagnostics: Diagnostic[] } {
  return { diagnostics: [diagnostic(code, message)] }
}

// ---- buffers -------------------------------------------------------------------------------------------------------

interface ElementRange {
  readonly byteOffset: number
  readonly count: number
}

function elementRange(buffer: Buffer, o: BufferViewOptions, elementBytes: number, what: string): Outcome<ElementRange> {
  const available = Math.floor(buffer.byteLength / elementBytes)
  const first = o.firstElement ?? 0
  const count = o.elementCount ?? available - first
  if (!isCount(first) || !isCount(count) || count === 0 || first + count > available) {
    return fail(
      'machine-view-range',
      `A ${what} view of elements ${first} to ${first + count - 1} was asked of a buffer of ${buffer.byteLength} bytes, which holds ${available} elements of ${elementBytes} bytes.`,
    )
  }
  return { value: { byteOffset: first * elementBytes, count }, diagnostics: [] }
}

function typedRange(buffer: Buffer, o: BufferViewOptions, as: 'srv' | 'uav'): Outcome<TypedBufferRange> {
  const found = resolveFormat(o.format!)
  const format = found.value
  if (format === undefined) return { diagnostics: found.diagnostics }
  const { resources, typedUavStore } = format.capabilities
  if (resources.buffer === 'none' || format.result === 'none' || (as === 'uav' && typedUavStore === 'none')) {
    const what = as === 'uav' ? 'an unordered access' : 'a shader resource'
    return { diagnostics: [diagnostic('machine-format-support', `${format.name} cannot be ${what} view of a buffer.`)] }
  }
  const stride = format.blockByteLength
  const range = elementRange(buffer, o, stride, `typed (${format.name})`)
  if (range.value === undefined) return { diagnostics: range.diagnostics }
  const { byteOffset, count } = range.value
  return {
    value: {
      shape: 'typed',
      resource: buffer,
      format,
      stride,
      byteOffset,
      byteLength: count * stride,
      elementCount: count,
      storage: buffer.storage,
    },
    diagnostics: [],
  }
}

function rawRange(buffer: Buffer, o: BufferViewOptions): Outcome<RawBufferRange> {
  const range = elementRange(buffer, o, 4, 'raw')
  if (range.value === undefined) return { diagnostics: range.diagnostics }
  const { byteOffset, count } = range.value
  if (byteOffset % 16 !== 0) {
    // 5.3.9.2: the start of a raw view is 128-bit aligned.
    return fail('machine-view-range', `A raw view starts at byte ${byteOffset}; it must start at a multiple of 16.`)
  }
  return {
    value: {
      shape: 'raw',
      resource: buffer,
      byteOffset,
      byteLength: count * 4,
      elementCount: count * 4,
      storage: buffer.storage,
    },
    diagnostics: [],
  }
}

function structuredRange(buffer: Buffer, o: BufferViewOptions): Outcome<StructuredBufferRange> {
  const stride = o.stride ?? buffer.stride
  if (stride === undefined) {
    return fail(
      'machine-view-kind',
      'A view of a buffer without a stride needs a format, raw: true, or a stride of its own.',
    )
  }
  if (!isCount(stride) || stride === 0 || stride % 4 !== 0 || (buffer.stride ?? stride) !== stride) {
    const own = buffer.stride === undefined ? 'a multiple of 4' : `the buffer's own stride of ${buffer.stride}`
    return fail('machine-view-kind', `A structured view with a stride of ${stride} was asked; it must be ${own}.`)
  }
  const range = elementRange(buffer, o, stride, 'structured')
  if (range.value === undefined) return { diagnostics: range.diagnostics }
  const { byteOffset, count } = range.value
  return {
    value: {
      shape: 'structured',
      resource: buffer,
      stride,
      byteOffset,
      byteLength: count * stride,
      elementCount: count,
      storage: buffer.storage,
    },
    diagnostics: [],
  }
}

function bufferRange(
  buffer: Buffer,
  o: BufferViewOptions,
  as: 'srv' | 'uav',
): Outcome<TypedBufferRange | RawBufferRange | StructuredBufferRange> {
  const asked = [o.format !== undefined, o.raw === true, o.stride !== undefined].filter((x) => x).length
  if (asked > 1)
    return fail('machine-view-kind', 'A buffer view is typed, raw or structured: give one of format, raw and stride.')
  if (o.format !== undefined) return typedRange(buffer, o, as)
  return o.raw === true ? rawRange(buffer, o) : structuredRange(buffer, o)
}

function makeCounter(buffer: Buffer, o: UavCounterOptions): Outcome<Counter> {
  const initial = o.initialCount
  if (initial !== undefined && initial !== -1 && (!isCount(initial) || initial > 0xffffffff)) {
    return fail('machine-view-kind', `An initial count of ${initial} was given; it must be -1 or 0 to 4294967295.`)
  }
  const shared = typeof SharedArrayBuffer !== 'undefined' && buffer.storage.buffer instanceof SharedArrayBuffer
  const storage = allocateStorage(o.memory ?? heapMemory(shared), 4, 'The counter of a view')
  if (storage.value === undefined) return { diagnostics: storage.diagnostics }
  const words = new Int32Array(storage.value.buffer, storage.value.byteOffset, 1)
  const base = { use: o.counter!, words, index: 0 }
  return { value: initial === undefined || initial === -1 ? base : { ...base, initialValue: initial }, diagnostics: [] }
}

// ---- textures ------------------------------------------------------------------------------------------------------

/** The dimension a view has when none is named: an array view exactly where the resource has more than one. */
function defaultDimension(texture: Texture, as: 'srv' | 'uav'): ViewDimension {
  const many = texture.arraySize > 1
  switch (texture.dimension) {
    case 'texture1d':
      return many ? 'texture1darray' : 'texture1d'
    case 'texture2d':
      if (texture.sampleCount > 1) return many ? 'texture2dmsarray' : 'texture2dms'
      return many ? 'texture2darray' : 'texture2d'
    case 'texture3d':
      return 'texture3d'
    case 'texturecube':
      if (as === 'uav') return 'texture2darray'
      return texture.arraySize > 6 ? 'texturecubearray' : 'texturecube'
  }
}

const VIEWS_OF: Readonly<Record<TextureDimension, readonly ViewDimension[]>> = {
  texture1d: ['texture1d', 'texture1darray'],
  texture2d: ['texture2d', 'texture2darray', 'texture2dms', 'texture2dmsarray'],
  texture3d: ['texture3d'],
  texturecube: ['texturecube', 'texturecubearray', 'texture2d', 'texture2darray'],
}

function checkDimension(texture: Texture, dimension: ViewDimension, as: 'srv' | 'uav'): Diagnostic[] {
  const multisample = dimension === 'texture2dms' || dimension === 'texture2dmsarray'
  const cube = dimension === 'texturecube' || dimension === 'texturecubearray'
  const possible = VIEWS_OF[texture.dimension].includes(dimension) && multisample === texture.sampleCount > 1
  if (possible && !(as === 'uav' && (cube || multisample))) return []
  return [
    diagnostic(
      'machine-view-kind',
      `A ${texture.dimension} of ${texture.sampleCount} sample(s) cannot be seen as ${dimension} by ${as === 'uav' ? 'a UAV' : 'an SRV'}.`,
    ),
  ]
}

function checkFormat(texture: Texture, format: Format, as: 'srv' | 'uav'): Diagnostic[] {
  const found: Diagnostic[] = []
  const { load, typedUavStore } = format.capabilities
  if (!canCast(texture.format, format, as === 'uav')) {
    found.push(
      diagnostic(
        'machine-view-format',
        `A texture of format ${texture.format.name} cannot be viewed as ${format.name}.`,
        undefined,
        [`It can be viewed as the typed formats of ${texture.format.family}.`],
      ),
    )
  } else if ((as === 'uav' ? typedUavStore : load) === 'none') {
    const what = as === 'uav' ? 'an unordered access view' : 'a shader resource view'
    const notes = texture.format.typeless ? ['Name a typed format of the same family in the view.'] : []
    found.push(diagnostic('machine-format-support', `${format.name} cannot be ${what} of a texture.`, undefined, notes))
  }
  return found
}

/** First item and count, checked against how many there are; `count` undefined or -1 means all that follow. */
function subRange(first: number, count: number | undefined, available: number, what: string): Outcome<number> {
  const n = count === undefined || count === -1 ? available - first : count
  if (isCount(first) && isCount(n) && n >= 1 && first + n <= available) return { value: n, diagnostics: [] }
  return fail('machine-view-range', `A view of ${n} ${what} from ${first} on was asked; the texture has ${available}.`)
}

function isArray(dimension: ViewDimension): boolean {
  return dimension.endsWith('array') || dimension === 'texturecube'
}

/** Slices a view of this dimension takes when none are named. */
function defaultSlices(dimension: ViewDimension): number | undefined {
  if (dimension === 'texturecube') return 6
  return isArray(dimension) ? undefined : 1
}

function checkFaces(dimension: ViewDimension, slices: number): Diagnostic[] {
  if (dimension === 'texturecube' && slices === 6) return []
  if (dimension === 'texturecubearray' && slices % 6 === 0) return []
  if (!dimension.startsWith('texturecube')) {
    if (isArray(dimension) || slices === 1) return []
    return [diagnostic('machine-view-range', `A ${dimension} view shows one slice; ${slices} were asked.`)]
  }
  return [diagnostic('machine-view-range', `A ${dimension} view of ${slices} faces was asked; faces come in sixes.`)]
}

interface SliceRange {
  readonly firstMip: number
  readonly mipCount: number
  readonly firstSlice: number
  readonly slices: number
}

function texelView(texture: Texture, dimension: ViewDimension, format: Format, r: SliceRange): TexelView {
  const inDepth = texture.dimension === 'texture3d'
  const levels = texture.mips.slice(r.firstMip, r.firstMip + r.mipCount).map((m): ViewLevel => {
    return {
      byteOffset: m.byteOffset + r.firstSlice * (inDepth ? m.slicePitch : texture.arrayPitch),
      rowPitch: m.rowPitch,
      slicePitch: m.slicePitch,
      width: m.width,
      height: m.height,
      depth: inDepth && r.slices > 0 ? r.slices : m.depth,
    }
  })
  return {
    resource: texture,
    dimension,
    format,
    levels,
    arraySize: inDepth ? 1 : r.slices,
    arrayPitch: texture.arrayPitch,
    sampleCount: texture.sampleCount,
    minLod: Math.max(0, Math.fround(texture.minLod - r.firstMip)),
    storage: texture.storage,
  }
}

function viewFormat(texture: Texture, given: string | number | undefined): Outcome<Format> {
  return given === undefined ? { value: texture.format, diagnostics: [] } : resolveFormat(given)
}

function textureSrv(texture: Texture, o: TextureSrvOptions): Outcome<Srv> {
  const format = viewFormat(texture, o.format)
  if (format.value === undefined) return { diagnostics: format.diagnostics }
  const dimension = o.dimension ?? defaultDimension(texture, 'srv')
  const firstMip = o.mostDetailedMip ?? 0
  const firstSlice = o.firstArraySlice ?? 0
  const mips = subRange(firstMip, o.mipLevels, texture.mipLevels, 'mips')
  const slices = subRange(firstSlice, o.arraySize ?? defaultSlices(dimension), texture.arraySize, 'slices')
  const diagnostics = [
    ...checkDimension(texture, dimension, 'srv'),
    ...checkFormat(texture, format.value, 'srv'),
    ...mips.diagnostics,
    ...slices.diagnostics,
    ...checkFaces(dimension, slices.value ?? 1),
  ]
  if (hasErrors(diagnostics)) return { diagnostics }
  // A Texture3D SRV always shows the whole depth: 0 slices keeps each mip's own.
  const shown = texture.dimension === 'texture3d' ? 0 : slices.value!
  const range = { firstMip, mipCount: mips.value!, firstSlice, slices: shown }
  const view = texelView(texture, dimension, format.value, range)
  return {
    value: { kind: 'srv', shape: 'texture', mostDetailedMip: firstMip, firstArraySlice: firstSlice, ...view },
    diagnostics,
  }
}

function textureUav(texture: Texture, o: TextureUavOptions): Outcome<Uav> {
  const format = viewFormat(texture, o.format)
  if (format.value === undefined) return { diagnostics: format.diagnostics }
  const dimension = o.dimension ?? defaultDimension(texture, 'uav')
  const mipSlice = o.mipSlice ?? 0
  const firstSlice = o.firstArraySlice ?? 0
  const mip = subRange(mipSlice, 1, texture.mipLevels, 'mips')
  const inDepth = texture.dimension === 'texture3d'
  const available = inDepth ? (texture.mips[mipSlice]?.depth ?? 0) : texture.arraySize
  const wanted = o.arraySize ?? (inDepth ? undefined : defaultSlices(dimension))
  const slices = subRange(firstSlice, wanted, available, inDepth ? 'depth slices' : 'slices')
  const diagnostics = [
    ...checkDimension(texture, dimension, 'uav'),
    ...checkFormat(texture, format.value, 'uav'),
    ...mip.diagnostics,
    ...slices.diagnostics,
    ...(inDepth ? [] : checkFaces(dimension, slices.value ?? 1)),
  ]
  if (hasErrors(diagnostics)) return { diagnostics }
  const range = { firstMip: mipSlice, mipCount: 1, firstSlice, slices: slices.value! }
  // 5.8: the per-resource clamp is for shader resource views only.
  const view = { ...texelView(texture, dimension, format.value, range), minLod: 0 }
  return { value: { kind: 'uav', shape: 'texture', mipSlice, firstArraySlice: firstSlice, ...view }, diagnostics }
}

// ---- the public makers ---------------------------------------------------------------------------------------------

/** A shader resource view of a buffer (typed, raw or structured) or a texture. */
export function createSrv(resource: Buffer, options?: BufferViewOptions): Outcome<Srv>
export function createSrv(resource: Texture, options?: TextureSrvOptions): Outcome<Srv>
export function createSrv(resource: Buffer | Texture, options?: BufferViewOptions & TextureSrvOptions): Outcome<Srv>
export function createSrv(
  resource: Buffer | Texture,
  options: BufferViewOptions & TextureSrvOptions = {},
): Outcome<Srv> {
  if (resource.kind === 'texture') return textureSrv(resource, options)
  const range = bufferRange(resource, options, 'srv')
  if (range.value === undefined) return { diagnostics: range.diagnostics }
  return { value: { kind: 'srv', ...range.value }, diagnostics: range.diagnostics }
}

/** An unordered access view of a buffer (typed, raw or structured, with a counter if asked) or of one mip of a texture. */
export function createUav(resource: Buffer, options?: BufferViewOptions & UavCounterOptions): Outcome<Uav>
export function createUav(resource: Texture, options?: TextureUavOptions): Outcome<Uav>
export function createUav(
  resource: Buffer | Texture,
  options?: BufferViewOptions & UavCounterOptions & TextureUavOptions,
): Outcome<Uav>
export function createUav(
  resource: Buffer | Texture,
  options: BufferViewOptions & UavCounterOptions & TextureUavOptions = {},
): Outcome<Uav> {
  if (resource.kind === 'texture') return textureUav(resource, options)
  const range = bufferRange(resource, options, 'uav')
  if (range.value === undefined) return { diagnostics: range.diagnostics }
  if (options.counter === undefined) return { value: { kind: 'uav', ...range.value }, diagnostics: [] }
  if (range.value.shape !== 'structured') {
    return fail('machine-view-kind', `Only a structured view has a hidden counter; this one is ${range.value.shape}.`)
  }
  const counter = makeCounter(resource, options)
  if (counter.value === undefined) return { diagnostics: counter.diagnostics }
  return { value: { kind: 'uav', ...range.value, counter: counter.value }, diagnostics: [] }
}

/** A constant buffer view of a buffer, or of plain data, which is copied. */
export function createCbv(source: Buffer | InitialData, options: CbvOptions = {}): Outcome<Cbv> {
  const isBuffer = 'kind' in source && source.kind === 'buffer'
  let storage = isBuffer ? (source as Buffer).storage : undefined
  if (storage === undefined) {
    const data = bytesOf(source as InitialData)
    const made = allocateStorage(options.memory ?? heapMemory(), data.byteLength, 'The constant buffer')
    if (made.value === undefined) return { diagnostics: made.diagnostics }
    made.value.bytes.set(data)
    storage = made.value
  }
  const byteOffset = options.byteOffset ?? 0
  if (!isCount(byteOffset) || byteOffset % 16 !== 0) {
    return fail(
      'machine-view-range',
      `A constant buffer is bound from byte ${byteOffset}; it must be a multiple of 16.`,
    )
  }
  const asked = options.byteLength ?? Math.max(0, storage.byteLength - byteOffset)
  if (!isCount(asked)) return fail('machine-view-range', `A constant buffer of ${asked} bytes was asked.`)
  // Constants that fall off the resource read 0 (5.3.4.3.2), so a range that does is legal.
  const byteLength = Math.max(0, Math.min(asked, storage.byteLength - byteOffset, MAX_CONSTANT_COUNT * 16))
  const constantCount = Math.min(MAX_CONSTANT_COUNT, Math.ceil(byteLength / 16))
  return { value: { kind: 'cbv', storage, byteOffset, byteLength, constantCount }, diagnostics: [] }
}

/** A constant buffer view straight over shared bytes, without a copy: for engines that hold constants in one memory. */
export function cbvOver(buffer: ArrayBufferLike, byteOffset: number, byteLength: number): Cbv {
  return {
    kind: 'cbv',
    storage: storageOver({ buffer, byteOffset }, byteLength),
    byteOffset: 0,
    byteLength,
    constantCount: Math.min(MAX_CONSTANT_COUNT, Math.ceil(byteLength / 16)),
  }
}
