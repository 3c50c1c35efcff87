/**
 * Texels to registers and back: one decoder and one encoder per DXGI format, chosen once, after the conversion rules of
 * functional spec 3.2 and the block formats of 19.5.
 *
 * Invariants: decoding is total and exact (correctly rounded where the spec requires it, sRGB from the ideal curve); encoding rounds
 * toward zero to float formats and to nearest (half up in magnitude) to UNORM and SNORM, each step in float32; integers are
 * clamped; 32-bit data is moved bit for bit. It has no texture layout and checks no bounds.
 */
export { codecOf } from './codec.ts'
export {
  type BitsToCode,
  type CodeToBits,
  componentDecoder,
  componentEncoder,
  decodeTable,
  oneBits,
  outsideBits,
} from './component.ts'
export {
  bitsOfF32,
  bitsToFloat10,
  bitsToFloat11,
  bitsToFloat16,
  f32OfBits,
  float10ToBits,
  float11ToBits,
  float16ToBits,
} from './float-bits.ts'
export {
  floatToSnorm,
  floatToSrgb8,
  floatToUnorm,
  SRGB8_LEAST_BITS,
  SRGB8_TABLES,
  SRGB8_TO_FLOAT,
  snormToFloat,
  unormToFloat,
} from './normalized.ts'
export type { TexelCodec, TexelDecoder, TexelEncoder } from './texel-codec.ts'
