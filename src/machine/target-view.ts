/** Views that the output merger draws through: render target views and depth-stencil views of buffers and textures. */
import {
  aBoolean,
  aNumber,
  anything,
  aText,
  checkArguments,
  type Diagnostic,
  diagnostic,
  failure,
  hasErrors,
  type Outcome,
  outcomeOf,
} from '../diagnostic/index.ts'
import { canCast, type Format } from '../isa/formats/index.ts'
import type { Buffer } from './buffer.ts'
import { type BufferViewOptions, elementRange } from './buffer-view.ts'
import { notAResource } from './make-view.ts'
import { resolveFormat, type Texture } from './texture.ts'
import { checkDimension, checkFaces, defaultDimension, defaultSlices, subRange, viewFormat } from './texture-view.ts'
import type { DepthStencilView, RenderTargetView, ViewDimension } from './view.ts'
import { fail } from './view-failure.ts'

/** D3D11_RENDER_TARGET_VIEW_DESC of a texture. */
export interface TextureRtvOptions {
  /** A DXGI format by name or number; default the texture's own. Typeless textures need one. */
  readonly format?: string | number | undefined
  /** Default the texture's, as an array where it has more than one slice. */
  readonly dimension?: ViewDimension | undefined
  /** The mip that is drawn to; default 0. */
  readonly mipSlice?: number | undefined
  /** First slice or face; the first depth slice of a Texture3D. */
  readonly firstArraySlice?: number | undefined
  /** Slices, faces or depth slices; default (or -1) all that follow. */
  readonly arraySize?: number | undefined
}

/** D3D11_DEPTH_STENCIL_VIEW_DESC. */
export interface DsvOptions extends TextureRtvOptions {
  /** Draws test depth and do not write it (D3D11_DSV_READ_ONLY_DEPTH). Default false. */
  readonly readOnlyDepth?: boolean | undefined
  /** Draws test stencil and do not write it (D3D11_DSV_READ_ONLY_STENCIL). Default false. */
  readonly readOnlyStencil?: boolean | undefined
}

/** D3D11_RENDER_TARGET_VIEW_DESC of a buffer: its elements are pixels of one row. */
export type BufferRtvOptions = Pick<BufferViewOptions, 'format' | 'firstElement' | 'elementCount'>

const TEXTURE_OPTIONS = {
  ...{ format: anything, dimension: aText, mipSlice: aNumber, firstArraySlice: aNumber, arraySize: aNumber },
}
const RTV_OPTIONS = {
  texture: TEXTURE_OPTIONS,
  buffer: { format: anything, firstElement: aNumber, elementCount: aNumber },
}
const DSV_OPTIONS = { ...TEXTURE_OPTIONS, readOnlyDepth: aBoolean, readOnlyStencil: aBoolean }

function unsupported(format: Format, what: string, resource: Texture | Buffer): Diagnostic {
  const cast = resource.kind === 'texture' && resource.format.typeless
  const notes = cast ? ['Name a typed format of the same family in the view.'] : []
  return diagnostic('machine-format-support', `${format.name} cannot be ${what}.`, undefined, notes)
}

function cannotCast(texture: Texture, format: Format): Diagnostic {
  const notes = [`It can be viewed as the typed formats of ${texture.format.family}.`]
  const text = `A texture of format ${texture.format.name} cannot be viewed as ${format.name}.`
  return diagnostic('machine-view-format', text, undefined, notes)
}

function checkTargetFormat(texture: Texture, format: Format, kind: 'rtv' | 'dsv'): Diagnostic[] {
  const { renderTarget, depthStencil } = format.capabilities
  if (!canCast(texture.format, format, false)) return [cannotCast(texture, format)]
  if (kind === 'rtv') {
    if (renderTarget === 'none') return [unsupported(format, 'a render target view', texture)]
    return texture.format.depthStencil ? [cannotCast(texture, format)] : []
  }
  if (depthStencil === 'none') return [unsupported(format, 'a depth-stencil view', texture)]
  // Depth comes in textures made for it: of a depth format or typeless.
  return texture.format === format || texture.format.typeless ? [] : [cannotCast(texture, format)]
}

type TargetParts = Omit<RenderTargetView, 'kind'> & { readonly resource: Texture; readonly dimension: ViewDimension }

/** What both views of a texture have: one mip, a range of its slices, and where they lie. */
function textureTarget(texture: Texture, o: TextureRtvOptions, kind: 'rtv' | 'dsv'): Outcome<TargetParts> {
  const format = viewFormat(texture, o.format)
  if (format.value === undefined) return failure(format.diagnostics)
  const dimension = o.dimension ?? defaultDimension(texture, 'target')
  const mipSlice = o.mipSlice ?? 0
  const firstArraySlice = o.firstArraySlice ?? 0
  const inDepth = texture.dimension === 'texture3d'
  const available = inDepth ? (texture.mips[mipSlice]?.depth ?? 0) : texture.arraySize
  const wanted = o.arraySize ?? (inDepth ? undefined : defaultSlices(dimension))
  const slices = subRange(firstArraySlice, wanted, available, inDepth ? 'depth slices' : 'slices')
  const diagnostics = [
    ...checkDimension(texture, dimension, 'target'),
    ...checkTargetFormat(texture, format.value, kind),
    ...subRange(mipSlice, 1, texture.mipLevels, 'mips').diagnostics,
    ...slices.diagnostics,
    ...(inDepth ? [] : checkFaces(dimension, slices.value ?? 1)),
  ]
  const mip = texture.mips[mipSlice]
  if (hasErrors(diagnostics) || mip === undefined || slices.value === undefined) return failure(diagnostics)
  const slicePitch = inDepth ? mip.slicePitch : texture.arrayPitch
  const value = {
    resource: texture,
    dimension,
    format: format.value,
    byteOffset: mip.byteOffset + firstArraySlice * slicePitch,
    rowPitch: mip.rowPitch,
    slicePitch,
    bytesPerTexel: format.value.blockByteLength,
    mipSlice,
    firstArraySlice,
    arraySize: slices.value,
    sampleCount: texture.sampleCount,
    width: mip.width,
    height: mip.height,
    storage: texture.storage,
  }
  return outcomeOf(value, diagnostics)
}

function bufferTarget(buffer: Buffer, o: BufferRtvOptions): Outcome<RenderTargetView> {
  if (o.format === undefined) return fail('machine-view-kind', 'A render target view of a buffer needs a format.')
  const format = resolveFormat(o.format)
  if (format.value === undefined) return failure(format.diagnostics)
  const { resources, renderTarget } = format.value.capabilities
  if (resources.buffer === 'none' || renderTarget === 'none') {
    return failure([unsupported(format.value, 'a render target view of a buffer', buffer)])
  }
  const bytes = format.value.blockByteLength
  const range = elementRange(buffer, o, bytes, `render target (${format.value.name})`)
  if (range.value === undefined) return failure(range.diagnostics)
  const { byteOffset, count } = range.value
  const value: RenderTargetView = {
    kind: 'rtv',
    resource: buffer,
    dimension: 'buffer',
    format: format.value,
    byteOffset,
    rowPitch: count * bytes,
    slicePitch: count * bytes,
    bytesPerTexel: bytes,
    ...{ mipSlice: 0, firstArraySlice: 0, arraySize: 1, sampleCount: 1, width: count, height: 1 },
    storage: buffer.storage,
  }
  return outcomeOf(value)
}

/** A render target view of one mip of a texture, or of a buffer with a format. */
export function createRtv(resource: Buffer, options?: BufferRtvOptions): Outcome<RenderTargetView>
export function createRtv(resource: Texture, options?: TextureRtvOptions): Outcome<RenderTargetView>
export function createRtv(
  resource: Buffer | Texture,
  options?: BufferRtvOptions & TextureRtvOptions,
): Outcome<RenderTargetView>
export function createRtv(
  resource: Buffer | Texture,
  options: BufferRtvOptions & TextureRtvOptions = {},
): Outcome<RenderTargetView> {
  const wrong = notAResource(resource)
  if (wrong !== undefined) return wrong
  const what = `a render target view of a ${resource.kind}`
  const diagnostics = checkArguments('machine-argument', what, options, RTV_OPTIONS[resource.kind])
  if (diagnostics.length > 0) return failure(diagnostics)
  if (resource.kind === 'buffer') return bufferTarget(resource, options)
  const parts = textureTarget(resource, options, 'rtv')
  if (parts.value === undefined) return failure(parts.diagnostics)
  return outcomeOf({ kind: 'rtv', ...parts.value }, parts.diagnostics)
}

/** A depth-stencil view of one mip of a texture. */
export function createDsv(texture: Texture, options: DsvOptions = {}): Outcome<DepthStencilView> {
  const wrong = notAResource(texture)
  if (wrong !== undefined) return wrong
  if (texture.kind !== 'texture') {
    return fail('machine-view-kind', 'A depth-stencil view needs a texture; a buffer was given.')
  }
  const unknown = checkArguments('machine-argument', 'a depth-stencil view', options, DSV_OPTIONS)
  if (unknown.length > 0) return failure(unknown)
  const { readOnlyDepth = false, readOnlyStencil = false } = options
  const parts = textureTarget(texture, options, 'dsv')
  if (parts.value === undefined) return failure(parts.diagnostics)
  return outcomeOf({ kind: 'dsv', ...parts.value, readOnlyDepth, readOnlyStencil }, parts.diagnostics)
}
