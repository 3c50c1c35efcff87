import type { Format } from '../isa/formats/index.ts'
import type { Buffer } from './buffer.ts'
import type { Storage } from './memory.ts'
import type { Texture } from './texture.ts'

/** How a shader sees a texture, in the words of `dcl_resource` and `dcl_uav_typed`. */
export type ViewDimension =
  | 'texture1d'
  | 'texture1darray'
  | 'texture2d'
  | 'texture2darray'
  | 'texture2dms'
  | 'texture2dmsarray'
  | 'texture3d'
  | 'texturecube'
  | 'texturecubearray'

/** One mip of a view, ready for addressing. Offsets count from the start of the texture's storage. */
export interface ViewLevel {
  /** Of the view's first array slice (of its first depth slice, for a UAV with a depth range). */
  readonly byteOffset: number
  readonly rowPitch: number
  readonly slicePitch: number
  readonly width: number
  readonly height: number
  readonly depth: number
}

/** What reading and writing texels needs; the common part of SRV and UAV of a texture. */
export interface TexelView {
  readonly resource: Texture
  readonly dimension: ViewDimension
  readonly format: Format
  /** `levels[0]` is the view's most detailed mip. At least one; exactly one for a UAV. */
  readonly levels: readonly ViewLevel[]
  /** Slices of an array view, faces of a cube view; 1 for the rest. */
  readonly arraySize: number
  readonly arrayPitch: number
  readonly sampleCount: number
  /** `resource.minLod` counted in the view's mips, 0 or more (functional spec 5.8.3). */
  readonly minLod: number
  readonly storage: Storage
}

/** What accesses to a buffer need; the common part of SRV and UAV of a buffer. */
interface BufferRange {
  readonly resource: Buffer
  /** First byte of the view, from the start of the buffer. */
  readonly byteOffset: number
  /** Bytes of the view, cut to whole elements. */
  readonly byteLength: number
  /** Typed elements, structures, or bytes for a raw view: what `bufinfo` answers. */
  readonly elementCount: number
  readonly storage: Storage
}

/** Which texels of a buffer a typed view shows. */
export interface TypedBufferRange extends BufferRange {
  readonly shape: 'typed'
  readonly format: Format
  /** Bytes of one element. */
  readonly stride: number
}

/** Which bytes of a buffer a raw view shows. */
export interface RawBufferRange extends BufferRange {
  readonly shape: 'raw'
}

/** Which structures of a buffer a structured view shows. */
export interface StructuredBufferRange extends BufferRange {
  readonly shape: 'structured'
  /** Bytes of one structure. */
  readonly stride: number
}

/** A view of a buffer as texels of a format. */
export type TypedBufferSrv = TypedBufferRange & { readonly kind: 'srv' }

/** A view of a buffer as bytes (ByteAddressBuffer). */
export type RawBufferSrv = RawBufferRange & { readonly kind: 'srv' }

/** A view of a buffer as structures (StructuredBuffer). */
export type StructuredBufferSrv = StructuredBufferRange & { readonly kind: 'srv' }

/** A view of mips and slices of a texture. */
export type TextureSrv = TexelView & {
  readonly kind: 'srv'
  readonly shape: 'texture'
  readonly mostDetailedMip: number
  readonly firstArraySlice: number
}

/** A shader resource view: plain data that names a resource and what of it a shader sees. Made by `srv`. */
export type Srv = TypedBufferSrv | RawBufferSrv | StructuredBufferSrv | TextureSrv

/** What the hidden counter of a structured UAV may be used for (functional spec 5.3.10). */
export type CounterUse = 'counter' | 'append'

/**
 * The hidden counter of a structured UAV: one 32-bit word, shared between workers when the memory is. It belongs to the
 * view, not to the buffer: two views of one buffer count apart.
 */
export interface Counter {
  readonly use: CounterUse
  readonly words: Int32Array
  /** Index of the counter's word in `words`. */
  readonly index: number
  /** Set at each dispatch and draw; undefined keeps the current value, as -1 does in Direct3D. */
  readonly initialValue?: number
}

/** A read-write view of a buffer as texels of a format. */
export type TypedBufferUav = TypedBufferRange & { readonly kind: 'uav' }

/** A read-write view of a buffer as bytes (RWByteAddressBuffer). */
export type RawBufferUav = RawBufferRange & { readonly kind: 'uav' }

/** A read-write view of a buffer as structures, with a hidden counter if chosen. */
export type StructuredBufferUav = StructuredBufferRange & { readonly kind: 'uav'; readonly counter?: Counter }

/** A read-write view of one mip of a texture. */
export type TextureUav = TexelView & {
  readonly kind: 'uav'
  readonly shape: 'texture'
  readonly mipSlice: number
  /** First array slice, or first depth slice of a Texture3D. */
  readonly firstArraySlice: number
}

/**
 * An unordered access view: plain data that names a resource and what of it a shader reads and writes. Made by `uav`.
 */
export type Uav = TypedBufferUav | RawBufferUav | StructuredBufferUav | TextureUav

/** Where the elements of a render target or a depth buffer lie: `targetOffset` has the formula. */
interface TargetRange {
  readonly format: Format
  /** Of the view's first slice, from the start of the resource's storage. */
  readonly byteOffset: number
  readonly rowPitch: number
  /** Bytes from one slice of the view to the next: array slices, or depth slices of a Texture3D. */
  readonly slicePitch: number
  /** Bytes of one sample. */
  readonly bytesPerTexel: number
  readonly mipSlice: number
  /** First array slice, or first depth slice of a Texture3D. */
  readonly firstArraySlice: number
  /** Slices that the view shows: array slices, cube faces or depth slices. */
  readonly arraySize: number
  readonly sampleCount: number
  /** Of the mip; elements and 1 for a buffer. */
  readonly width: number
  readonly height: number
  readonly storage: Storage
}

/** What the output merger writes colors to. */
export type RenderTargetView = TargetRange & {
  readonly kind: 'rtv'
  readonly resource: Texture | Buffer
  readonly dimension: ViewDimension | 'buffer'
}

/** What the output merger tests depth and stencil against. */
export type DepthStencilView = TargetRange & {
  readonly kind: 'dsv'
  readonly resource: Texture
  readonly dimension: ViewDimension
  /** D3D11_DSV_READ_ONLY_DEPTH and D3D11_DSV_READ_ONLY_STENCIL: never written through this view (17.13). */
  readonly readOnlyDepth: boolean
  readonly readOnlyStencil: boolean
}

export type TargetView = RenderTargetView | DepthStencilView

/** Byte of a sample of a pixel, from the start of the resource's storage. Coordinates are those of the view, in bounds. */
export function targetOffset(view: TargetView, x: number, y: number, slice: number, sample: number): number {
  const texel = (x * view.sampleCount + sample) * view.bytesPerTexel
  return view.byteOffset + slice * view.slicePitch + y * view.rowPitch + texel
}

/** A constant buffer as it is bound. */
export interface Cbv {
  readonly kind: 'cbv'
  readonly storage: Storage
  /** First byte, a multiple of 16. */
  readonly byteOffset: number
  /** Bytes that hold data; reads past them give 0 (semantics of offsets: functional spec 5.3.4.3.2). */
  readonly byteLength: number
  /** Constants of 16 bytes that the shader may name: `byteLength` rounded up, at most 4096. */
  readonly constantCount: number
}

/** The counter's value as an unsigned number. */
export function counterValue(counter: Counter): number {
  return counter.words[counter.index]! >>> 0
}
