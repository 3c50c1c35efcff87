import { decodeTable } from './component.ts'
import { bitsOfF32 } from './float-bits.ts'
import { snormToFloat, unormToFloat } from './normalized.ts'
import type { TexelDecoder } from './texel-codec.ts'

const fround = Math.fround
const ONE = 0x3f800000

/** 5 or 6 bits to 8 by repeating the top bits below (functional spec 19.5.3). */
function promote5(code: number): number {
  return (code << 3) | (code >>> 2)
}
function promote6(code: number): number {
  return (code << 2) | (code >>> 4)
}

/**
 * One component of a color block: both ends promoted to UNORM8, the palette in UNORM8 by integer division, which is
 * the reference of 19.5.6 (the other conforming results differ by one code).
 */
function blend(a: number, b: number, index: number, fourColors: boolean): number {
  if (index === 0) return a
  if (index === 1) return b
  if (!fourColors) return index === 2 ? (a + b) >> 1 : 0
  return index === 2 ? Math.trunc((2 * a + b) / 3) : Math.trunc((a + 2 * b) / 3)
}

/** Decodes the color half of BC1, BC2 and BC3 into out[at..at+2]; answers whether the texel is transparent black. */
function color(
  halves: Uint16Array,
  byteOffset: number,
  inBlock: number,
  alwaysFour: boolean,
  table: Uint32Array,
  out: Uint32Array,
  at: number,
): boolean {
  const h = byteOffset >>> 1
  const c0 = halves[h]!
  const c1 = halves[h + 1]!
  const index = (halves[h + 2 + (inBlock >>> 3)]! >>> ((inBlock & 7) * 2)) & 3
  const four = alwaysFour || c0 > c1
  out[at] = table[blend(promote5(c0 >>> 11), promote5(c1 >>> 11), index, four)]!
  out[at + 1] = table[blend(promote6((c0 >>> 5) & 63), promote6((c1 >>> 5) & 63), index, four)]!
  out[at + 2] = table[blend(promote5(c0 & 31), promote5(c1 & 31), index, four)]!
  return !four && index === 3
}

/** Palettes are linearized after interpolation, as UNORM8_SRGB texels are (19.5.6). */
function colorTable(srgb: boolean): Uint32Array {
  return decodeTable(srgb ? 'unorm-srgb' : 'unorm', 8)
}

export function bc1Decoder(srgb: boolean): TexelDecoder {
  const table = colorTable(srgb)
  return (s, o, inBlock, out, at) => {
    out[at + 3] = color(s.halves, o, inBlock, false, table, out, at) ? 0 : ONE
  }
}

export function bc2Decoder(srgb: boolean): TexelDecoder {
  const table = colorTable(srgb)
  const alpha = decodeTable('unorm', 4)
  return (s, o, inBlock, out, at) => {
    color(s.halves, o + 8, inBlock, true, table, out, at)
    out[at + 3] = alpha[(s.bytes[o + (inBlock >>> 1)]! >>> ((inBlock & 1) * 4)) & 15]!
  }
}

/** The 3-bit code of a texel in the 48 bits that follow the two ends of a BC4 block. */
function alphaCode(bytes: Uint8Array, byteOffset: number, inBlock: number): number {
  const bit = inBlock * 3
  const first = byteOffset + 2 + (bit >>> 3)
  // The codes of texels 2, 5, 10 and 13 straddle bytes; those never start in the block's last byte.
  const pair = bytes[first]! | ((bit & 7) > 5 ? bytes[first + 1]! << 8 : 0)
  return (pair >>> (bit & 7)) & 7
}

/** (w0 * e0 + w1 * e1) / sum in float32, each product, the sum and the quotient rounded (19.5.9, 19.5.10). */
function weighted(e0: number, w0: number, e1: number, w1: number): number {
  return fround(fround(fround(w0 * e0) + fround(w1 * e1)) / (w0 + w1))
}

function singleComponent(e0: number, e1: number, eight: boolean, code: number, low: number): number {
  if (code === 0) return e0
  if (code === 1) return e1
  if (eight) return weighted(e0, 8 - code, e1, code - 1)
  if (code < 6) return weighted(e0, 6 - code, e1, code - 1)
  return code === 6 ? low : 1
}

/** One texel of a BC4 block as float32 bits; the ends are compared as stored, -128 below -127. */
function unsignedTexel(bytes: Uint8Array, o: number, inBlock: number): number {
  const c0 = bytes[o]!
  const c1 = bytes[o + 1]!
  const code = alphaCode(bytes, o, inBlock)
  return bitsOfF32(singleComponent(unormToFloat(c0, 8), unormToFloat(c1, 8), c0 > c1, code, 0))
}
function signedTexel(bytes: Uint8Array, o: number, inBlock: number): number {
  const c0 = (bytes[o]! << 24) >> 24
  const c1 = (bytes[o + 1]! << 24) >> 24
  const code = alphaCode(bytes, o, inBlock)
  return bitsOfF32(singleComponent(snormToFloat(c0, 8), snormToFloat(c1, 8), c0 > c1, code, -1))
}

export function bc3Decoder(srgb: boolean): TexelDecoder {
  const table = colorTable(srgb)
  return (s, o, inBlock, out, at) => {
    color(s.halves, o + 8, inBlock, true, table, out, at)
    out[at + 3] = unsignedTexel(s.bytes, o, inBlock)
  }
}

export function bc4Decoder(signed: boolean): TexelDecoder {
  const texel = signed ? signedTexel : unsignedTexel
  return (s, o, inBlock, out, at) => {
    out[at] = texel(s.bytes, o, inBlock)
    out[at + 1] = 0
    out[at + 2] = 0
    out[at + 3] = ONE
  }
}

export function bc5Decoder(signed: boolean): TexelDecoder {
  const texel = signed ? signedTexel : unsignedTexel
  return (s, o, inBlock, out, at) => {
    out[at] = texel(s.bytes, o, inBlock)
    out[at + 1] = texel(s.bytes, o + 8, inBlock)
    out[at + 2] = 0
    out[at + 3] = ONE
  }
}
