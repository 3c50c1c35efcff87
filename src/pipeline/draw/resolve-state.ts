/** State with Direct3D 11's defaults for what is left out or undefined. */
import { present } from '../../diagnostic/index.ts'
import {
  type BlendState,
  DEFAULT_BLEND,
  DEFAULT_DEPTH_STENCIL,
  DEFAULT_RASTERIZER,
  DEFAULT_STENCIL_FACE,
  DEFAULT_TARGET_BLEND,
  type DepthStencilState,
  type Given,
  type RasterizerState,
  type StencilFace,
} from '../state.ts'
import type { BlendDescription, DepthStencilDescription } from './description.ts'

export const resolveRasterizer = (given: Given<RasterizerState> = {}): RasterizerState => ({
  ...DEFAULT_RASTERIZER,
  ...present(given),
})

const resolveFace = (given: Given<StencilFace> = {}): StencilFace => ({ ...DEFAULT_STENCIL_FACE, ...present(given) })

export function resolveDepthStencil({
  frontFace,
  backFace,
  ...given
}: DepthStencilDescription = {}): DepthStencilState {
  const faces = { frontFace: resolveFace(frontFace), backFace: resolveFace(backFace) }
  return { ...DEFAULT_DEPTH_STENCIL, ...present(given), ...faces }
}

export function resolveBlend({ renderTarget, ...given }: BlendDescription = {}): BlendState {
  const state = { ...DEFAULT_BLEND, ...present(given) }
  const entryOf = (i: number) => renderTarget?.[state.independentBlendEnable ? i : 0] ?? {}
  return {
    ...state,
    renderTarget: DEFAULT_BLEND.renderTarget.map((_, i) => ({ ...DEFAULT_TARGET_BLEND, ...present(entryOf(i)) })),
  }
}
