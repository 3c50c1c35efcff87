/** The makers of views and samplers that throw, for callers who need no diagnostics. */
import { valueOrThrow } from '../diagnostic/index.ts'
import type { Buffer } from './buffer.ts'
import type { BufferViewOptions, UavCounterOptions } from './buffer-view.ts'
import { createSrv, createUav } from './make-view.ts'
import { createSampler, type Sampler, type SamplerOptions } from './sampler.ts'
import { type BufferRtvOptions, createDsv, createRtv, type DsvOptions, type TextureRtvOptions } from './target-view.ts'
import type { Texture } from './texture.ts'
import type { TextureSrvOptions, TextureUavOptions } from './texture-view.ts'
import type { DepthStencilView, RenderTargetView, Srv, Uav } from './view.ts'

/** As `srv`; throws ShaderError where there cannot be such a view. */
export function srvOrThrow(resource: Buffer, options?: BufferViewOptions): Srv
export function srvOrThrow(resource: Texture, options?: TextureSrvOptions): Srv
export function srvOrThrow(resource: Buffer | Texture, options?: BufferViewOptions & TextureSrvOptions): Srv
export function srvOrThrow(resource: Buffer | Texture, options?: BufferViewOptions & TextureSrvOptions): Srv {
  return valueOrThrow(createSrv(resource, options))
}

type AnyUavOptions = BufferViewOptions & UavCounterOptions & TextureUavOptions

/** As `uav`; throws ShaderError where there cannot be such a view. */
export function uavOrThrow(resource: Buffer, options?: BufferViewOptions & UavCounterOptions): Uav
export function uavOrThrow(resource: Texture, options?: TextureUavOptions): Uav
export function uavOrThrow(
  resource: Buffer | Texture,
  options?: BufferViewOptions & UavCounterOptions & TextureUavOptions,
): Uav
export function uavOrThrow(resource: Buffer | Texture, options?: AnyUavOptions): Uav {
  return valueOrThrow(createUav(resource, options))
}

/** As `rtv`; throws ShaderError where there cannot be such a view. */
export function rtvOrThrow(resource: Buffer, options?: BufferRtvOptions): RenderTargetView
export function rtvOrThrow(resource: Texture, options?: TextureRtvOptions): RenderTargetView
export function rtvOrThrow(resource: Buffer | Texture, options?: BufferRtvOptions & TextureRtvOptions): RenderTargetView
export function rtvOrThrow(
  resource: Buffer | Texture,
  options?: BufferRtvOptions & TextureRtvOptions,
): RenderTargetView {
  return valueOrThrow(createRtv(resource, options))
}

/** As `dsv`; throws ShaderError where there cannot be such a view. */
export function dsvOrThrow(texture: Texture, options?: DsvOptions): DepthStencilView {
  return valueOrThrow(createDsv(texture, options))
}

/** As `sampler`; throws ShaderError where an option is not Direct3D's. */
export function samplerOrThrow(options?: SamplerOptions): Sampler {
  return valueOrThrow(createSampler(options))
}
