/** Size, slices and samples that the targets of a draw have in common, and the depth format; the draw loop needs them before it begins. */
import type { DepthStencilView } from '../../machine/index.ts'
import { type DepthBiasUnit, NO_DEPTH_BUFFER, type PixelRect } from '../raster/index.ts'
import type { DrawResources } from './resources.ts'

/** Pixels of a target's side. */
const MAX_EXTENT = 16384

/** Common size of the targets. */
export interface TargetShape {
  readonly bounds: PixelRect
  readonly sliceCount: number
  readonly sampleCount: number
  readonly hasTargets: boolean
}

export function targetShape(r: DrawResources): TargetShape {
  const views = [...r.renderTargets, r.depthStencil].filter((v) => v !== undefined)
  const least = (of: (v: (typeof views)[number]) => number, otherwise: number): number =>
    views.length === 0 ? otherwise : views.reduce((n, v) => Math.min(n, of(v)), Number.POSITIVE_INFINITY)
  const sampleCount = views[0]?.sampleCount ?? 1
  const bounds = {
    left: 0,
    top: 0,
    right: least((v) => v.width, MAX_EXTENT),
    bottom: least((v) => v.height, MAX_EXTENT),
  }
  return { bounds, sliceCount: least((v) => v.arraySize, 1), sampleCount, hasTargets: views.length > 0 }
}

/** What one unit of depth bias is. */
export function biasUnit(view: DepthStencilView | undefined): DepthBiasUnit {
  const depth = view?.format.components.find((c) => c.name === 'd')
  if (depth === undefined) return NO_DEPTH_BUFFER
  return depth.encoding === 'float' ? { kind: 'float' } : { kind: 'unorm', bits: depth.bitCount }
}
