import { type Outcome, outcomeOf } from '../diagnostic/index.ts'
import { ByteReader, ByteWriter } from './bytes.ts'
import { faultOutcome } from './fault.ts'

/** SFI0: a 64-bit set of the optional features that a shader needs (D3D_SHADER_REQUIRES). */
export interface FeatureInfo {
  /** Bits 0 to 31; SHADER_FEATURES names them. */
  readonly low: number
  /** Bits 32 to 63. */
  readonly high: number
}

/** The bits of `FeatureInfo.low`. */
export const SHADER_FEATURES = {
  doubles: 0x1,
  /** Raw and structured buffers in Shader Model 4. */
  computeWithRawAndStructured: 0x2,
  uavsAtEveryStage: 0x4,
  uav64: 0x8,
  minimumPrecision: 0x10,
  doubleExtensions11_1: 0x20,
  shaderExtensions11_1: 0x40,
  level9ComparisonFiltering: 0x80,
  tiledResources: 0x100,
  stencilRef: 0x200,
  innerCoverage: 0x400,
  typedUavLoadAdditionalFormats: 0x800,
  rovs: 0x1000,
  viewportOrArrayIndexFromAnyShader: 0x2000,
} as const

/** SFI0 to its model. */
export function decodeFeatureInfo(data: Uint8Array, fourcc = 'SFI0'): Outcome<FeatureInfo> {
  const reader = new ByteReader(data)
  if (data.length !== 8) reader.fail('value', 0, data.length, `${data.length} bytes instead of 8`)
  const [low = 0, high = 0] = reader.dwords(0, 2, 'the flags')
  if (reader.fault !== undefined) return faultOutcome(fourcc, reader.fault)
  return outcomeOf({ low, high })
}

/** SFI0 from its model. */
export function encodeFeatureInfo(info: FeatureInfo): Uint8Array {
  const out = new ByteWriter()
  out.dwords(0, [info.low, info.high])
  return out.finish()
}
