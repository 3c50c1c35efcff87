import { type Diagnostic, diagnostic, failure, hasErrors, type Outcome, outcomeOf } from '../diagnostic/index.ts'
import { canCast, type Format } from '../isa/formats/index.ts'
import { isCount } from './buffer.ts'
import { resolveFormat, type Texture, type TextureDimension } from './texture.ts'
import type { Srv, TexelView, Uav, ViewDimension, ViewLevel } from './view.ts'
import { fail } from './view-failure.ts'

/**
 * Which mips and slices of a texture a shader resource view shows, as what dimension and format; default all, as the
 * texture is.
 */
export interface TextureSrvOptions {
  /** A DXGI format by name or number; default the texture's own. Typeless textures need one. */
  readonly format?: string | number | undefined
  /** Default the texture's, as an array where it has more than one slice. */
  readonly dimension?: ViewDimension | undefined
  /** Finest mip that the view shows; default 0. */
  readonly mostDetailedMip?: number | undefined
  /** Mips from the most detailed on; default (or -1) all that follow. */
  readonly mipLevels?: number | undefined
  /** First slice, or first face of a cube view. */
  readonly firstArraySlice?: number | undefined
  /** Slices (faces: a multiple of 6 for a cube view); default all that follow. */
  readonly arraySize?: number | undefined
}

/** Which mip and slices of a texture an unordered access view shows; default mip 0 with all slices. */
export interface TextureUavOptions {
  /** A DXGI format by name or number; default the texture's own. Typeless textures need one. */
  readonly format?: string | number | undefined
  /** Default the texture's, as an array where it has more than one slice. */
  readonly dimension?: ViewDimension | undefined
  /** The mip that the view shows; default 0. */
  readonly mipSlice?: number | undefined
  /** First slice; the first depth slice of a Texture3D. */
  readonly firstArraySlice?: number | undefined
  /** Slices; the depth slices of a Texture3D. */
  readonly arraySize?: number | undefined
}

/** The dimension a view has when none is named: an array view exactly where the resource has more than one. */
export function defaultDimension(texture: Texture, as: 'srv' | 'uav' | 'target'): ViewDimension {
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
      if (as !== 'srv') return 'texture2darray'
      return texture.arraySize > 6 ? 'texturecubearray' : 'texturecube'
  }
}

const VIEWS_OF: Readonly<Record<TextureDimension, readonly ViewDimension[]>> = {
  texture1d: ['texture1d', 'texture1darray'],
  texture2d: ['texture2d', 'texture2darray', 'texture2dms', 'texture2dmsarray'],
  texture3d: ['texture3d'],
  texturecube: ['texturecube', 'texturecubearray', 'texture2d', 'texture2darray'],
}

const VIEW_NAMES = { srv: 'an SRV', uav: 'a UAV', target: 'a render or depth-stencil target' } as const

export function checkDimension(texture: Texture, dimension: ViewDimension, as: 'srv' | 'uav' | 'target'): Diagnostic[] {
  const multisample = dimension === 'texture2dms' || dimension === 'texture2dmsarray'
  const cube = dimension === 'texturecube' || dimension === 'texturecubearray'
  const possible = VIEWS_OF[texture.dimension].includes(dimension) && multisample === texture.sampleCount > 1
  if (possible && !(as === 'uav' && multisample) && !(as !== 'srv' && cube)) return []
  return [
    diagnostic(
      'machine-view-kind',
      `A ${texture.dimension} of ${texture.sampleCount} sample(s) cannot be seen as ${dimension} by ${VIEW_NAMES[as]}.`,
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
export function subRange(first: number, count: number | undefined, available: number, what: string): Outcome<number> {
  const n = count === undefined || count === -1 ? available - first : count
  if (isCount(first) && isCount(n) && n >= 1 && first + n <= available) return outcomeOf(n)
  return fail(
    'machine-view-range',
    `A view of ${n} ${what} from ${first} on was requested; the texture has ${available}.`,
  )
}

function isArray(dimension: ViewDimension): boolean {
  return dimension.endsWith('array') || dimension === 'texturecube'
}

/** Slices a view of this dimension takes when none are named. */
export function defaultSlices(dimension: ViewDimension): number | undefined {
  if (dimension === 'texturecube') return 6
  return isArray(dimension) ? undefined : 1
}

export function checkFaces(dimension: ViewDimension, slices: number): Diagnostic[] {
  if (dimension === 'texturecube' && slices === 6) return []
  if (dimension === 'texturecubearray' && slices % 6 === 0) return []
  if (!dimension.startsWith('texturecube')) {
    if (isArray(dimension) || slices === 1) return []
    return [diagnostic('machine-view-range', `A ${dimension} view shows one slice; ${slices} were requested.`)]
  }
  return [
    diagnostic('machine-view-range', `A ${dimension} view of ${slices} faces was requested; faces come in sixes.`),
  ]
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

export function viewFormat(texture: Texture, given: string | number | undefined): Outcome<Format> {
  return given === undefined ? outcomeOf(texture.format) : resolveFormat(given)
}

/** A shader resource view of a texture. */
export function textureSrv(texture: Texture, o: TextureSrvOptions): Outcome<Srv> {
  const format = viewFormat(texture, o.format)
  if (format.value === undefined) return failure(format.diagnostics)
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
  if (hasErrors(diagnostics)) return failure(diagnostics)
  // A Texture3D SRV always shows the whole depth: 0 slices keeps each mip's own.
  const shown = texture.dimension === 'texture3d' ? 0 : slices.value!
  const range = { firstMip, mipCount: mips.value!, firstSlice, slices: shown }
  const view = texelView(texture, dimension, format.value, range)
  return outcomeOf(
    { kind: 'srv', shape: 'texture', mostDetailedMip: firstMip, firstArraySlice: firstSlice, ...view },
    diagnostics,
  )
}

/** An unordered access view of one mip of a texture. */
export function textureUav(texture: Texture, o: TextureUavOptions): Outcome<Uav> {
  const format = viewFormat(texture, o.format)
  if (format.value === undefined) return failure(format.diagnostics)
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
  if (hasErrors(diagnostics)) return failure(diagnostics)
  const range = { firstMip: mipSlice, mipCount: 1, firstSlice, slices: slices.value! }
  // 5.8: the per-resource clamp is for shader resource views only.
  const view = { ...texelView(texture, dimension, format.value, range), minLod: 0 }
  return outcomeOf({ kind: 'uav', shape: 'texture', mipSlice, firstArraySlice: firstSlice, ...view }, diagnostics)
}
