import {
  aNumber,
  anything,
  appendAll,
  aText,
  bytesExpected,
  checkArguments,
  type Diagnostic,
  diagnostic,
  failure,
  hasErrors,
  type Outcome,
  outcomeOf,
  showValue,
} from '../diagnostic/index.ts'
import { type Format, type FormatResource, findFormat, similarFormats } from '../isa/formats/index.ts'
import { isCount } from './buffer.ts'
import { allocateStorage, bytesOf, heapMemory, type InitialData, type Memory, type Storage } from './memory.ts'

/** What kind of texture a resource is (D3D11_RESOURCE_DIMENSION). */
export type TextureDimension = Exclude<FormatResource, 'buffer'>

/** One mip level of one array slice: where its texels lie and how many there are. Offsets count from the texture's start. */
export interface Subresource {
  readonly byteOffset: number
  readonly byteLength: number
  /** Texels, the virtual size of 19.5.1 for block formats. At least 1. */
  readonly width: number
  readonly height: number
  readonly depth: number
  /** Bytes from one row of blocks to the next; rows are tight. */
  readonly rowPitch: number
  /** Bytes from one depth slice to the next; slices are tight. */
  readonly slicePitch: number
}

/**
 * A texture. Layout: array slice by array slice, in each the mips from the largest on, in each the depth slices, the
 * rows of blocks, the blocks, and of a multisample texel its samples one after the other; no padding anywhere.
 *
 * Depth formats and their typeless forms lie as their names say, from the least significant bit on: D16_UNORM is 2 bytes;
 * D24_UNORM_S8_UINT a 32-bit word with the depth in the low 24 bits and the stencil in the top byte; D32_FLOAT a word;
 * D32_FLOAT_S8X24_UINT two words, the depth and then the stencil in the low byte of the second.
 */
export interface Texture {
  readonly kind: 'texture'
  readonly dimension: TextureDimension
  readonly format: Format
  readonly width: number
  readonly height: number
  /** Depth of mip 0 of a Texture3D; 1 for every other dimension. */
  readonly depth: number
  /** Slices; 6 for each cube. 1 for a Texture3D. */
  readonly arraySize: number
  readonly mipLevels: number
  readonly sampleCount: number
  readonly byteLength: number
  /** Bytes from one array slice to the next. */
  readonly arrayPitch: number
  /** The mips of array slice 0; slice n lies `n * arrayPitch` further. */
  readonly mips: readonly Subresource[]
  /** The per-resource LOD clamp of functional spec 5.8, in mips of the resource; 0 clamps nothing. */
  readonly minLod: number
  readonly storage: Storage
}

/** What `createTexture` takes: the fields of D3D11_TEXTURE*_DESC. Sizes are in texels. */
export interface TextureOptions {
  /** Texture1D, Texture2D, Texture3D or TextureCube. */
  readonly dimension: TextureDimension
  /** DXGI name with or without `DXGI_FORMAT_`, or number. */
  readonly format: string | number
  /** Texels, 1 to 16384 (2048 for a Texture3D). */
  readonly width: number
  /** Texels; 1 for a Texture1D, and the width for a TextureCube, when left out. */
  readonly height?: number | undefined
  /** Depth of a Texture3D, 1 to 2048. */
  readonly depth?: number | undefined
  /** Slices, 1 to 2048; for a TextureCube a multiple of 6 (default 6). */
  readonly arraySize?: number | undefined
  /** 1 when left out; 0 for the full chain down to 1x1x1. */
  readonly mipLevels?: number | undefined
  /** 1, 2, 4, 8 or 16; more than 1 only for a Texture2D with one mip. */
  readonly sampleCount?: number | undefined
  /** Finest mip that is resident (ResourceMinLOD), from 0 to the number of mips. Default 0. */
  readonly minLod?: number | undefined
  /** Initial contents in the documented layout, from the start; the rest is zero. */
  readonly data?: InitialData | undefined
  /** Where the bytes lie; a device gives its own. Default the heap. */
  readonly memory?: Memory | undefined
}

/** Largest extents (functional spec chapter 21): texels for 1D, 2D and cube, texels for 3D, array slices. */
const MAX_TEXTURE_EXTENT = 16384
const MAX_TEXTURE3D_EXTENT = 2048
const MAX_ARRAY_SIZE = 2048

/** Samples a texture can have for which Direct3D defines a standard pattern (19.2.4). */
export const SAMPLE_COUNTS = [1, 2, 4, 8, 16] as const

/** The format of a name or number, or a diagnostic that says what was given and what is close to it. */
export function resolveFormat(given: string | number): Outcome<Format> {
  const format = typeof given === 'string' || typeof given === 'number' ? findFormat(given) : undefined
  if (format !== undefined) return outcomeOf(format)
  const similar = typeof given === 'string' ? similarFormats(given) : []
  const notes = similar.length === 0 ? [] : [`Did you mean ${similar.join(', ')}?`]
  return failure([diagnostic('machine-format-unknown', `${showValue(given)} is not a DXGI format.`, undefined, notes)])
}

/** Mips of a full chain: until every extent is 1. */
function fullMipCount(width: number, height: number, depth: number): number {
  return 1 + Math.floor(Math.log2(Math.max(width, height, depth)))
}

/** A TextureOptions with everything that may be left out filled in. */
interface Extents {
  readonly width: number
  readonly height: number
  readonly depth: number
  readonly arraySize: number
  readonly mipLevels: number
  readonly sampleCount: number
}

function fillIn(o: TextureOptions): Extents {
  const height = o.height ?? (o.dimension === 'texturecube' ? o.width : 1)
  const depth = o.depth ?? 1
  const full = fullMipCount(o.width, height, depth)
  return {
    width: o.width,
    height,
    depth,
    arraySize: o.arraySize ?? (o.dimension === 'texturecube' ? 6 : 1),
    mipLevels: o.mipLevels === 0 ? full : (o.mipLevels ?? 1),
    sampleCount: o.sampleCount ?? 1,
  }
}

function range(name: string, value: number, max: number, what: string): Diagnostic[] {
  if (isCount(value) && value >= 1 && value <= max) return []
  return [diagnostic('machine-texture-size', `${what} was given a ${name} of ${value}; it must be 1 to ${max}.`)]
}

function checkExtents(o: TextureOptions, e: Extents, what: string): Diagnostic[] {
  const max = o.dimension === 'texture3d' ? MAX_TEXTURE3D_EXTENT : MAX_TEXTURE_EXTENT
  const found = [
    ...range('width', e.width, max, what),
    ...range('height', e.height, o.dimension === 'texture1d' ? 1 : max, what),
    ...range('depth', e.depth, o.dimension === 'texture3d' ? max : 1, what),
    ...range('arraySize', e.arraySize, o.dimension === 'texture3d' ? 1 : MAX_ARRAY_SIZE, what),
  ]
  if (found.length > 0) return found
  const full = fullMipCount(e.width, e.height, e.depth)
  appendAll(found, range('mipLevels', e.mipLevels, full, what))
  if (o.dimension === 'texturecube' && (e.width !== e.height || e.arraySize % 6 !== 0)) {
    found.push(
      diagnostic(
        'machine-texture-size',
        `${what} has faces of ${e.width}x${e.height} and ${e.arraySize} of them; faces are square and come in sixes.`,
      ),
    )
  }
  return found
}

function checkSamples(o: TextureOptions, e: Extents, what: string): Diagnostic[] {
  if (!(SAMPLE_COUNTS as readonly number[]).includes(e.sampleCount)) {
    const allowed = SAMPLE_COUNTS.join(', ')
    return [
      diagnostic('machine-texture-samples', `${what} was given a sampleCount of ${e.sampleCount}; use ${allowed}.`),
    ]
  }
  if (e.sampleCount === 1 || (o.dimension === 'texture2d' && e.mipLevels === 1)) return []
  return [
    diagnostic(
      'machine-texture-samples',
      `${what} has ${e.sampleCount} samples and ${e.mipLevels} mips; only a Texture2D with one mip can be multisample.`,
    ),
  ]
}

function checkFormat(o: TextureOptions, e: Extents, format: Format, what: string): Diagnostic[] {
  const found: Diagnostic[] = []
  if (format.capabilities.resources[o.dimension] === 'none') {
    found.push(diagnostic('machine-format-support', `${what} cannot have the format ${format.name}.`))
  }
  // 19.4 and 19.5.1: the top mip is whole blocks; smaller mips are padded in memory.
  if (e.width % format.blockWidth !== 0 || e.height % format.blockHeight !== 0) {
    found.push(
      diagnostic(
        'machine-texture-size',
        `${what} of ${e.width}x${e.height} texels is not whole ${format.blockWidth}x${format.blockHeight} blocks of ${format.name}.`,
      ),
    )
  }
  if (e.sampleCount > 1 && format.layout !== 'linear') {
    found.push(diagnostic('machine-texture-samples', `${what} of format ${format.name} cannot be multisample.`))
  }
  return found
}

/** The mips of one array slice, and the bytes they take together. */
function layoutMips(format: Format, e: Extents): { mips: Subresource[]; arrayPitch: number } {
  const mips: Subresource[] = []
  let byteOffset = 0
  for (let level = 0; level < e.mipLevels; level++) {
    const width = Math.max(1, e.width >> level)
    const height = Math.max(1, e.height >> level)
    const depth = Math.max(1, e.depth >> level)
    const rowPitch = Math.ceil(width / format.blockWidth) * format.blockByteLength * e.sampleCount
    const slicePitch = rowPitch * Math.ceil(height / format.blockHeight)
    const byteLength = slicePitch * depth
    mips.push({ byteOffset, byteLength, width, height, depth, rowPitch, slicePitch })
    byteOffset += byteLength
  }
  return { mips, arrayPitch: byteOffset }
}

const DIMENSION_NAMES: Readonly<Record<TextureDimension, string>> = {
  texture1d: 'Texture1D',
  texture2d: 'Texture2D',
  texture3d: 'Texture3D',
  texturecube: 'TextureCube',
}

/** Names of what a texture is made from; most values are checked by what they are used for. */
const OPTIONS = {
  ...{ dimension: aText, format: anything, width: aNumber, height: aNumber, depth: aNumber },
  ...{ arraySize: aNumber, mipLevels: aNumber, sampleCount: aNumber, minLod: aNumber },
  ...{ data: bytesExpected, memory: anything },
}

/** SetResourceMinLOD takes 0 to the number of mips. */
function checkMinLod({ minLod = 0 }: TextureOptions, { mipLevels }: Extents, what: string): Diagnostic[] {
  if (typeof minLod === 'number' && minLod >= 0 && minLod <= mipLevels) return []
  const text = `${what} was given a minLod of ${showValue(minLod)}; it must be 0 to its ${mipLevels} mips.`
  return [diagnostic('machine-texture-size', text)]
}

/** Makes a texture, zero-filled or with the given contents. */
export function createTexture(options: TextureOptions): Outcome<Texture> {
  const wrong = checkArguments('machine-argument', 'a texture', options, OPTIONS)
  if (wrong.length > 0) return failure(wrong)
  const isKnown = Object.hasOwn(DIMENSION_NAMES, options.dimension)
  const what = isKnown ? DIMENSION_NAMES[options.dimension] : undefined
  if (what === undefined) {
    const known = Object.keys(DIMENSION_NAMES).join(', ')
    return failure([
      diagnostic('machine-texture-size', `The dimension ${showValue(options.dimension)} is not one of ${known}.`),
    ])
  }
  const format = resolveFormat(options.format)
  if (format.value === undefined) return failure(format.diagnostics)
  const extents = fillIn(options)
  const diagnostics = checkExtents(options, extents, what)
  if (diagnostics.length === 0) {
    appendAll(diagnostics, checkSamples(options, extents, what))
    appendAll(diagnostics, checkFormat(options, extents, format.value, what))
    appendAll(diagnostics, checkMinLod(options, extents, what))
  }
  if (hasErrors(diagnostics)) return failure(diagnostics)
  return allocateTexture(options, extents, format.value, what)
}

function allocateTexture(o: TextureOptions, extents: Extents, format: Format, what: string): Outcome<Texture> {
  const { mips, arrayPitch } = layoutMips(format, extents)
  const byteLength = arrayPitch * extents.arraySize
  const data = o.data === undefined ? undefined : bytesOf(o.data)
  if (data !== undefined && data.byteLength > byteLength) {
    return failure([
      diagnostic('machine-data-size', `${data.byteLength} bytes of data were given for a ${what} of ${byteLength}.`),
    ])
  }
  const storage = allocateStorage(o.memory ?? heapMemory(), byteLength, what)
  if (storage.value === undefined) return failure(storage.diagnostics)
  if (data !== undefined) storage.value.bytes.set(data)
  return outcomeOf({
    kind: 'texture',
    dimension: o.dimension,
    format,
    ...extents,
    byteLength,
    arrayPitch,
    mips,
    minLod: o.minLod ?? 0,
    storage: storage.value,
  })
}

/** The subresource of a mip and slice, its offset counted from the texture's start; undefined out of range. */
export function subresource(texture: Texture, mip: number, arraySlice = 0): Subresource | undefined {
  const level = texture.mips[mip]
  if (level === undefined || !isCount(arraySlice) || arraySlice >= texture.arraySize) return undefined
  return { ...level, byteOffset: level.byteOffset + arraySlice * texture.arrayPitch }
}
