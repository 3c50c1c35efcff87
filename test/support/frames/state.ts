import type {
  BlendDescription,
  BlendFactor,
  BlendOp,
  ComparisonFunc,
  DepthStencilState,
  LogicOp,
  RasterizerState,
  StencilOp,
  TargetBlend,
} from '../../../src/pipeline/index.ts'
import type { Random } from '../random/random.ts'
import { formatOf } from './formats.ts'

/** Random state of the rasterizer and the output merger: every value that Direct3D has. */

export const COMPARISONS: readonly ComparisonFunc[] = [
  ...(['NEVER', 'LESS', 'EQUAL', 'LESS_EQUAL', 'GREATER', 'NOT_EQUAL', 'GREATER_EQUAL', 'ALWAYS'] as const),
]
export const STENCIL_OPS: readonly StencilOp[] = [
  ...(['KEEP', 'ZERO', 'REPLACE', 'INCR_SAT', 'DECR_SAT', 'INVERT', 'INCR', 'DECR'] as const),
]
/** Factors of alpha, which colors have too. */
const SINGLE_ALPHA_FACTORS: readonly BlendFactor[] = [
  ...(['ZERO', 'ONE', 'SRC_ALPHA', 'INV_SRC_ALPHA', 'DEST_ALPHA', 'INV_DEST_ALPHA', 'SRC_ALPHA_SAT'] as const),
  ...(['BLEND_FACTOR', 'INV_BLEND_FACTOR'] as const),
]
const SINGLE_FACTORS: readonly BlendFactor[] = [
  ...SINGLE_ALPHA_FACTORS,
  ...(['SRC_COLOR', 'INV_SRC_COLOR', 'DEST_COLOR', 'INV_DEST_COLOR'] as const),
]
const SECOND_ALPHAS: readonly BlendFactor[] = ['SRC1_ALPHA', 'INV_SRC1_ALPHA']
export const ALPHA_FACTORS = [...SINGLE_ALPHA_FACTORS, ...SECOND_ALPHAS]
export const FACTORS = [...SINGLE_FACTORS, ...SECOND_ALPHAS, 'SRC1_COLOR', 'INV_SRC1_COLOR'] as const
export const BLEND_OPS: readonly BlendOp[] = ['ADD', 'SUBTRACT', 'REV_SUBTRACT', 'MIN', 'MAX']
export const LOGIC_OPS: readonly LogicOp[] = [
  ...(['CLEAR', 'SET', 'COPY', 'COPY_INVERTED', 'NOOP', 'INVERT', 'AND', 'NAND', 'OR', 'NOR', 'XOR'] as const),
  ...(['EQUIV', 'AND_REVERSE', 'AND_INVERTED', 'OR_REVERSE', 'OR_INVERTED'] as const),
]

/** What the pixel shader of a pipeline allows. */
export interface PixelTraits {
  readonly isSampleFrequency: boolean
  readonly writesDepth: boolean
}

/** A forced sample count goes without a depth buffer and sample frequency (functional specification 3.5.6.2). */
function forcedCount(r: Random, hasDepth: boolean, sampleCount: number, pixel: PixelTraits): number {
  if (hasDepth || pixel.isSampleFrequency || pixel.writesDepth || !r.chance(0.6)) return 0
  return sampleCount === 1 ? r.pick([1, 4, 8, 16]) : 1
}

export function rasterizerOf(
  r: Random,
  hasDepth: boolean,
  sampleCount: number,
  pixel: PixelTraits,
  readsInner: boolean,
): Partial<RasterizerState> {
  const fillMode = r.pick(['SOLID', 'SOLID', 'SOLID', 'WIREFRAME'] as const)
  const isConservative = fillMode === 'SOLID' && r.chance(readsInner ? 0.7 : 0.1)
  return {
    fillMode,
    cullMode: r.pick(['NONE', 'NONE', 'NONE', 'NONE', 'BACK', 'FRONT'] as const),
    frontCounterClockwise: r.chance(0.3),
    depthBias: r.pick([0, 0, 0, 1, -5, 100000]),
    depthBiasClamp: r.pick([0, 0, 0.01, -0.01]),
    slopeScaledDepthBias: r.pick([0, 0, 1.5, -2]),
    depthClipEnable: r.chance(0.8),
    scissorEnable: r.chance(0.2),
    multisampleEnable: r.chance(0.4),
    antialiasedLineEnable: r.chance(0.3),
    forcedSampleCount: forcedCount(r, hasDepth, sampleCount, pixel),
    conservativeRaster: isConservative ? 'ON' : 'OFF',
  }
}

export function depthStencilOf(r: Random, format: string | undefined): Partial<DepthStencilState> {
  if (format === undefined) return { depthEnable: false }
  const face = () => ({
    stencilFailOp: r.pick(STENCIL_OPS),
    stencilDepthFailOp: r.pick(STENCIL_OPS),
    stencilPassOp: r.pick(STENCIL_OPS),
    stencilFunc: r.chance(0.6) ? 'ALWAYS' : r.pick(COMPARISONS),
  })
  return {
    depthEnable: r.chance(0.8),
    depthWriteMask: r.pick(['ZERO', 'ALL', 'ALL'] as const),
    depthFunc: r.chance(0.4) ? 'ALWAYS' : r.pick(COMPARISONS),
    stencilEnable: r.chance(format.includes('S8') ? 0.6 : 0.1),
    stencilReadMask: r.chance(0.5) ? 255 : r.below(256),
    stencilWriteMask: r.chance(0.5) ? 255 : r.below(256),
    frontFace: face(),
    backFace: face(),
  }
}

const plainTarget = (r: Random): Partial<TargetBlend> => ({ renderTargetWriteMask: r.chance(0.6) ? 15 : r.below(16) })

function targetOf(r: Random, format: string | undefined): Partial<TargetBlend> {
  const blends = format === undefined || formatOf(format).capabilities.blend !== 'none'
  return {
    ...plainTarget(r),
    blendEnable: blends && r.chance(0.6),
    srcBlend: r.pick(SINGLE_FACTORS),
    destBlend: r.pick(SINGLE_FACTORS),
    blendOp: r.pick(BLEND_OPS),
    srcBlendAlpha: r.pick(SINGLE_ALPHA_FACTORS),
    destBlendAlpha: r.pick(SINGLE_ALPHA_FACTORS),
    blendOpAlpha: r.pick(BLEND_OPS),
  }
}

/** Two sources: for the first target alone, of three operations. */
const dualTarget = (r: Random): Partial<TargetBlend> => ({
  ...plainTarget(r),
  blendEnable: true,
  srcBlend: r.pick(FACTORS.filter((f) => f.includes('SRC1'))),
  destBlend: r.pick(FACTORS),
  blendOp: r.pick(BLEND_OPS.slice(0, 3)),
  srcBlendAlpha: r.pick(ALPHA_FACTORS),
  destBlendAlpha: r.pick(ALPHA_FACTORS),
  blendOpAlpha: r.pick(BLEND_OPS.slice(0, 3)),
})

/** The formats that are bound, by target. */
export function blendOf(r: Random, formats: readonly (string | undefined)[]): BlendDescription {
  const alphaToCoverageEnable = r.chance(0.2)
  const bound = formats.filter((f) => f !== undefined)
  const isOf = (test: (name: string) => boolean): boolean => bound.every(test)
  const isLogical = bound.length > 0 && isOf((f) => formatOf(f).capabilities.logicOp !== 'none')
  if (isLogical && r.chance(0.7)) {
    const renderTarget = [{ ...plainTarget(r), logicOpEnable: true, logicOp: r.pick(LOGIC_OPS) }]
    return { alphaToCoverageEnable, renderTarget }
  }
  const blends = isOf((f) => formatOf(f).capabilities.blend !== 'none')
  if (blends && bound.length === 1 && formats[0] !== undefined && r.chance(0.6)) {
    return { alphaToCoverageEnable, renderTarget: [dualTarget(r)] }
  }
  if (blends && r.chance(0.3)) return { alphaToCoverageEnable, renderTarget: [targetOf(r, bound[0])] }
  return { alphaToCoverageEnable, independentBlendEnable: true, renderTarget: formats.map((f) => targetOf(r, f)) }
}
