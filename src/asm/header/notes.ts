import { appendAll } from '../../diagnostic/index.ts'
import { type FeatureInfo, SHADER_FEATURES } from '../../dxbc/index.ts'
import type { HeaderFacts } from './facts.ts'

/** Not a bit of SFI0: bit 1 there means raw and structured buffers in 4.x, which fxc does not print. */
const EARLY_DEPTH_STENCIL = SHADER_FEATURES.computeWithRawAndStructured

/** In the order in which fxc prints them (synthetic/global_flags has most of them at once). */
export const NOTES: readonly (readonly [bit: number, text: string])[] = [
  [SHADER_FEATURES.doubles, 'Double-precision floating point'],
  [EARLY_DEPTH_STENCIL, 'Early depth-stencil'],
  [SHADER_FEATURES.uavsAtEveryStage, 'UAVs at every shader stage'],
  [SHADER_FEATURES.uav64, '64 UAV slots'],
  [SHADER_FEATURES.minimumPrecision, 'Minimum-precision data types'],
  [SHADER_FEATURES.doubleExtensions11_1, 'Double-precision extensions for 11.1'],
  [SHADER_FEATURES.shaderExtensions11_1, 'Shader extensions for 11.1'],
  [SHADER_FEATURES.level9ComparisonFiltering, 'Comparison filtering for feature level 9'],
  [SHADER_FEATURES.tiledResources, 'Tiled resources'],
  [SHADER_FEATURES.stencilRef, 'PS Output Stencil Ref'],
  [SHADER_FEATURES.innerCoverage, 'PS Inner Coverage'],
  [SHADER_FEATURES.typedUavLoadAdditionalFormats, 'Typed UAV Load Additional Formats'],
  [SHADER_FEATURES.rovs, 'Raster Ordered UAVs'],
  [
    SHADER_FEATURES.viewportOrArrayIndexFromAnyShader,
    'SV_RenderTargetArrayIndex or SV_ViewportArrayIndex from any shader feeding rasterizer',
  ],
]

function requirements(features: FeatureInfo | undefined, { globalFlags: flags }: HeaderFacts): number {
  const stated = (features?.low ?? 0) & ~SHADER_FEATURES.computeWithRawAndStructured
  return (
    stated |
    (flags.enableDoublePrecisionFloatOps ? SHADER_FEATURES.doubles : 0) |
    (flags.forceEarlyDepthStencil ? EARLY_DEPTH_STENCIL : 0) |
    (flags.enableMinimumPrecision ? SHADER_FEATURES.minimumPrecision : 0) |
    (flags.enable11_1DoubleExtensions ? SHADER_FEATURES.doubleExtensions11_1 : 0) |
    (flags.enable11_1ShaderExtensions ? SHADER_FEATURES.shaderExtensions11_1 : 0)
  )
}

/**
 * The notes about what the shader needs. fxc takes the one about the debug layer from the container's signature: it goes
 * away when the same program is signed in the ordinary way (synthetic/debug_break).
 */
export function noteLines(features: FeatureInfo | undefined, facts: HeaderFacts, debugLayerOnly: boolean): string[] {
  const lines: string[] = []
  if (debugLayerOnly) lines.push('// Note: SHADER WILL ONLY WORK WITH THE DEBUG SDK LAYER ENABLED.', '//', '//')
  const required = requirements(features, facts)
  const texts = NOTES.filter(([bit]) => (required & bit) !== 0).map(([, text]) => `//       ${text}`)
  if (texts.length > 0) appendAll(lines, ['// Note: shader requires additional functionality:', ...texts, '//', '//'])
  return lines
}
