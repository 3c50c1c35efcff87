import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { amount } from '../../../test/support/amount.ts'
import { FORMATS, type FormatName, formatNamed } from '../../isa/formats/index.ts'
import { storageOver } from '../memory.ts'
import {
  bitsOfF32,
  bitsToFloat10,
  bitsToFloat11,
  bitsToFloat16,
  codecOf,
  f32OfBits,
  float10ToBits,
  float11ToBits,
  float16ToBits,
} from './index.ts'

function storage(byteLength = 16) {
  return storageOver({ buffer: new ArrayBuffer(Math.max(16, byteLength)), byteOffset: 0 }, byteLength)
}
function decodeWords(name: FormatName, words: readonly number[]): number[] {
  const s = storage()
  s.words.set(words)
  const out = new Uint32Array(4)
  codecOf(formatNamed(name)).decode(s, 0, 0, out, 0)
  return [...out]
}
function encodeBits(name: FormatName, bits: readonly number[]): number[] {
  const s = storage()
  codecOf(formatNamed(name)).encode!(s, 0, Uint32Array.from(bits), 0)
  return [...s.words]
}
const floats = (bits: readonly number[]): number[] => bits.map(f32OfBits)
const bitsOf = (...values: number[]): number[] => values.map(bitsOfF32)

/** The value of a small float by the definition of 3.1.5 and 3.1.6. */
function smallFloat(code: number, fractionBits: number): number {
  const e = (code >> fractionBits) & 31
  const f = (code & ((1 << fractionBits) - 1)) / 2 ** fractionBits
  const sign = fractionBits === 10 && code >> 15 === 1 ? -1 : 1
  if (e === 31) return f === 0 ? sign * Infinity : Number.NaN
  return sign * (e === 0 ? 2 ** -14 * f : 2 ** (e - 15) * (1 + f))
}

describe('small floats', () => {
  test.each([
    ['float16', 65536, 10, float16ToBits, bitsToFloat16],
    ['float11', 2048, 6, float11ToBits, bitsToFloat11],
    ['float10', 1024, 5, float10ToBits, bitsToFloat10],
  ] as const)('every code of %s decodes by the definition and comes back', (_, count, fraction, decode, encode) => {
    for (let code = 0; code < count; code++) {
      const bits = decode(code)
      const value = f32OfBits(bits)
      const want = smallFloat(code, fraction)
      if (!Object.is(value, want)) throw new Error(`code ${code}: ${value}, not ${want}`)
      const back = encode(bits)
      if (Number.isNaN(want)) {
        if (!Number.isNaN(smallFloat(back, fraction))) throw new Error(`code ${code}: NaN lost`)
      } else if (back !== code) throw new Error(`code ${code} came back as ${back}`)
    }
  })

  test.each([
    [65504, 0x7bff],
    [65519.996, 0x7bff],
    [65520, 0x7bff],
    [1e38, 0x7bff],
    [-1e38, 0xfbff],
    [Infinity, 0x7c00],
    [-Infinity, 0xfc00],
    [1.00097, 0x3c00],
    [2 ** -24, 0x0001],
    [1.9 * 2 ** -24, 0x0001],
    [2 ** -25, 0x0000],
    [-(2 ** -25), 0x8000],
    [-0, 0x8000],
    [6.0975552e-5, 0x03ff],
  ])('%f rounds toward zero to float16 %i', (value, code) => {
    expect(bitsToFloat16(bitsOfF32(value))).toBe(code)
  })

  test('NaN stays NaN even when its payload is only in the low bits', () => {
    for (const nan of [0x7f800001, 0xff800001, 0x7fc00000, 0x7fffffff]) {
      expect(smallFloat(bitsToFloat16(nan), 10)).toBeNaN()
      expect(smallFloat(bitsToFloat11(nan), 6)).toBeNaN()
      expect(smallFloat(bitsToFloat10(nan), 5)).toBeNaN()
    }
  })

  test('negative numbers are 0 in unsigned floats, -Infinity too', () => {
    for (const v of [-0, -1, -1e-20, -Infinity]) {
      expect(bitsToFloat11(bitsOfF32(v))).toBe(0)
      expect(bitsToFloat10(bitsOfF32(v))).toBe(0)
    }
    expect(bitsToFloat11(bitsOfF32(Infinity))).toBe(31 << 6)
    expect(bitsToFloat11(bitsOfF32(1e30))).toBe((31 << 6) - 1)
    expect(bitsToFloat10(bitsOfF32(1e30))).toBe((31 << 5) - 1)
  })

  test('rounding toward zero: the result is the largest not above in magnitude', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 0xffffffff }), (bits) => {
        const value = f32OfBits(bits)
        if (Number.isNaN(value)) return
        const code = bitsToFloat16(bits)
        const got = Math.abs(smallFloat(code, 10))
        const size = Math.abs(value)
        expect(got <= size).toBe(true)
        if (size < 65504) expect(Math.abs(smallFloat(code + 1, 10)) > size).toBe(true)
        expect(code >>> 15).toBe(bits >>> 31)
      }),
    )
  })
})

/** That a float32 is the correctly rounded quotient of two integers: no neighbor is nearer. All products are exact. */
function isNearest(f: number, n: number, d: number): boolean {
  const error = (x: number): number => Math.abs(x * d - n)
  const bits = bitsOfF32(f)
  return error(f) <= error(f32OfBits(bits + 1)) && (f === 0 || error(f) <= error(f32OfBits(bits - 1)))
}

describe('normalized integers', () => {
  test.each([
    ['R8_UNORM', 8],
    ['R16_UNORM', 16],
  ] as const)('every code of %s is exact to half an ulp and comes back', (name, n) => {
    for (let code = 0; code < 1 << n; code += n > 8 ? amount(7, 1) : 1) {
      const [r, g, b, a] = decodeWords(name, [code])
      if (!isNearest(f32OfBits(r!), code, 2 ** n - 1)) throw new Error(`code ${code}: ${f32OfBits(r!)}`)
      if (g !== 0 || b !== 0 || a !== 0x3f800000) throw new Error('defaults')
      if (encodeBits(name, [r!, 0, 0, 0])[0] !== code) throw new Error(`code ${code} came back differently`)
    }
  })

  test.each([
    ['R8_SNORM', 8],
    ['R16_SNORM', 16],
  ] as const)('every code of %s but the second -1 comes back', (name, n) => {
    const max = 2 ** (n - 1) - 1
    for (let code = -max - 1; code <= max; code += n > 8 ? amount(7, 1) : 1) {
      const stored = code & (2 ** n - 1)
      const value = f32OfBits(decodeWords(name, [stored])[0]!)
      if (code === -max - 1) expect(value).toBe(-1)
      else if (Math.sign(value) !== Math.sign(code) || !isNearest(Math.abs(value), Math.abs(code), max)) {
        throw new Error(`code ${code}: ${value}`)
      }
      const back = encodeBits(name, [bitsOfF32(value), 0, 0, 0])[0]
      const want = code === -max - 1 ? -max & (2 ** n - 1) : stored
      if (back !== want) throw new Error(`code ${code} came back as ${back}`)
    }
  })

  test('all 2^10 codes of each component of R10G10B10A2, and the four of A', () => {
    for (let code = 0; code < 1024; code++) {
      const word = (code | ((1023 - code) << 10) | ((code ^ 0x155) << 20) | ((code & 3) << 30)) >>> 0
      const unorm = decodeWords('R10G10B10A2_UNORM', [word])
      const fields = [code, 1023 - code, code ^ 0x155]
      for (let i = 0; i < 3; i++) expect(isNearest(f32OfBits(unorm[i]!), fields[i]!, 1023)).toBe(true)
      expect(isNearest(f32OfBits(unorm[3]!), code & 3, 3)).toBe(true)
      expect(encodeBits('R10G10B10A2_UNORM', unorm)[0]).toBe(word)
      expect(decodeWords('R10G10B10A2_UINT', [word])).toEqual([...fields, code & 3])
      expect(encodeBits('R10G10B10A2_UINT', [...fields, code & 3])[0]).toBe(word)
    }
  })

  test.each([
    [0.5, 128],
    [0.49803925, 127],
    [0.4999, 127],
    [1.5, 255],
    [Infinity, 255],
    [-1, 0],
    [-Infinity, 0],
    [Number.NaN, 0],
    [0.0019607842, 0],
    [0.0019607844, 1],
  ])('%f to UNORM8 is %i', (value, code) => {
    expect(encodeBits('R8_UNORM', bitsOf(value, 0, 0, 0))[0]).toBe(code)
  })

  test.each([
    [0.5, 64],
    [-0.5, 0xc0],
    [-2, 0x81],
    [2, 0x7f],
    [Number.NaN, 0],
    [-0.003, 0],
    [0.004, 1],
  ])('%f to SNORM8 is %i', (value, code) => {
    expect(encodeBits('R8_SNORM', bitsOf(value, 0, 0, 0))[0]).toBe(code)
  })
})

describe('integers', () => {
  test.each([
    ['R8_UINT', 300, 255],
    ['R8_UINT', 0xffffffff, 255],
    ['R16_UINT', 0x12345, 0xffff],
    ['R8_SINT', 200, 127],
    ['R8_SINT', 0xffffff00, 0x80],
    ['R8_SINT', 0xffffffff, 0xff],
    ['R16_SINT', 0x80000000, 0x8000],
    ['R32_SINT', 0x80000000, 0x80000000],
    ['R32_UINT', 0xdeadbeef, 0xdeadbeef],
  ] as const)('%s stores %i as %i: clamped, not cut', (name, value, code) => {
    expect(encodeBits(name, [value, 0, 0, 0])[0]).toBe(code)
  })

  test('signed components are sign-extended, missing A is integer 1', () => {
    expect(decodeWords('R8G8_SINT', [0x7f80])).toEqual([0xffffff80, 127, 0, 1])
    expect(decodeWords('R16G16B16A16_SINT', [0x8000ffff, 0x00017fff])).toEqual([0xffffffff, 0xffff8000, 0x7fff, 1])
    expect(decodeWords('R32_UINT', [7])).toEqual([7, 0, 0, 1])
    expect(decodeWords('X24_TYPELESS_G8_UINT', [0xab123456])).toEqual([0, 0xab, 0, 1])
    expect(decodeWords('X32_TYPELESS_G8X24_UINT', [0xffffffff, 0xffffff42])).toEqual([0, 0x42, 0, 1])
  })
})

describe('layouts', () => {
  test('32-bit components are moved bit for bit: denormals and NaN payloads', () => {
    const bits = [0x00000001, 0x7f800001, 0xffc12345, 0x80000000]
    expect(decodeWords('R32G32B32A32_FLOAT', bits)).toEqual(bits)
    expect(encodeBits('R32G32B32A32_FLOAT', bits)).toEqual(bits)
    expect(decodeWords('R32G32B32_FLOAT', [1, 2, 3])).toEqual([1, 2, 3, 0x3f800000])
    expect(decodeWords('R32G32_UINT', [1, 2])).toEqual([1, 2, 0, 1])
  })

  test('component order: B first, packed 16-bit formats', () => {
    expect(floats(decodeWords('B8G8R8A8_UNORM', [0x80ff0033]))).toEqual([
      1,
      0,
      Math.fround(0.2),
      Math.fround(128 / 255),
    ])
    expect(floats(decodeWords('B8G8R8X8_UNORM', [0x00ff0000]))).toEqual([1, 0, 0, 1])
    expect(floats(decodeWords('B5G6R5_UNORM', [0xf800]))).toEqual([1, 0, 0, 1])
    expect(floats(decodeWords('B5G6R5_UNORM', [0x07e0]))).toEqual([0, 1, 0, 1])
    expect(floats(decodeWords('B5G5R5A1_UNORM', [0x801f]))).toEqual([0, 0, 1, 1])
    expect(floats(decodeWords('B5G5R5A1_UNORM', [0x7c00]))).toEqual([1, 0, 0, 0])
    expect(floats(decodeWords('B4G4R4A4_UNORM', [0xf0f0]))).toEqual([0, 1, 0, 1])
    expect(floats(decodeWords('A8_UNORM', [0xff]))).toEqual([0, 0, 0, 1])
    expect(floats(decodeWords('A8_UNORM', [0x00]))).toEqual([0, 0, 0, 0])
  })

  test('R11G11B10: bits 0-10, 11-21, 22-31', () => {
    const word = ((15 << 6) | ((16 << 6) << 11) | ((14 << 5) << 22)) >>> 0
    expect(floats(decodeWords('R11G11B10_FLOAT', [word]))).toEqual([1, 2, 0.5, 1])
    expect(encodeBits('R11G11B10_FLOAT', bitsOf(1, 2, 0.5, 9))[0]).toBe(word)
  })

  test('R24_UNORM_X8: the depth of a depth buffer', () => {
    expect(floats(decodeWords('R24_UNORM_X8_TYPELESS', [0xffffffff]))).toEqual([1, 0, 0, 1])
    expect(floats(decodeWords('R24_UNORM_X8_TYPELESS', [0x12800000]))[0]).toBe(Math.fround(0x800000 / 0xffffff))
  })

  test('the shared exponent example of 19.3.2.1, and its limits', () => {
    expect(floats(decodeWords('R9G9B9E5_SHAREDEXP', [0x999320c8]))).toEqual([6.25, 12.5, 3.125, 1])
    expect(encodeBits('R9G9B9E5_SHAREDEXP', bitsOf(6.25, 12.5, 3.125, 1))[0]).toBe(0x999320c8)
    expect(floats(decodeWords('R9G9B9E5_SHAREDEXP', [0xffffffff])).slice(0, 3)).toEqual([65408, 65408, 65408])
    expect(encodeBits('R9G9B9E5_SHAREDEXP', bitsOf(1e9, -1, Number.NaN, 1))[0]).toBe(((31 << 27) | 511) >>> 0)
    expect(encodeBits('R9G9B9E5_SHAREDEXP', bitsOf(2 ** -24, 0, 0, 1))[0]).toBe(1)
    expect(encodeBits('R9G9B9E5_SHAREDEXP', bitsOf(1, 0, 0, 1))[0]).toBe(((16 << 27) | 256) >>> 0)
  })

  test('XR_BIAS: 0x180 is 0, 510 codes further is 1', () => {
    const word = (0x180 | ((0x180 + 510) << 10)) >>> 0
    expect(floats(decodeWords('R10G10B10_XR_BIAS_A2_UNORM', [word]))).toEqual([0, 1, Math.fround(-384 / 510), 0])
    expect(encodeBits('R10G10B10_XR_BIAS_A2_UNORM', bitsOf(0, 1, -9, 0))[0]).toBe(word)
  })

  test('packed 4:2:2 shares R and B between two texels', () => {
    const s = storage()
    const out = new Uint32Array(8)
    s.bytes.set([255, 51, 0, 102])
    const rg = codecOf(formatNamed('R8G8_B8G8_UNORM'))
    rg.decode(s, 0, 0, out, 0)
    rg.decode(s, 0, 1, out, 4)
    expect(floats([...out])).toEqual([1, Math.fround(0.2), 0, 1, 1, Math.fround(0.4), 0, 1])
    const gr = codecOf(formatNamed('G8R8_G8B8_UNORM'))
    gr.decode(s, 0, 1, out, 0)
    expect(floats([...out].slice(0, 4))).toEqual([Math.fround(0.2), 0, Math.fround(0.4), 1])
  })
})

describe('sRGB', () => {
  test('all 256 codes follow the ideal curve and come back', () => {
    for (let code = 0; code < 256; code++) {
      const [r, , , a] = decodeWords('R8G8B8A8_UNORM_SRGB', [code | (code << 24)])
      const c = code / 255
      const ideal = c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
      expect(f32OfBits(r!)).toBe(Math.fround(ideal))
      expect(f32OfBits(a!)).toBe(Math.fround(c))
      expect(encodeBits('R8G8B8A8_UNORM_SRGB', [r!, 0, 0, 0])[0]! & 255).toBe(code)
    }
  })

  test('any value encodes within 0.6 of a code of the ideal FLOAT to SRGB curve, ends exact', () => {
    const ideal = (c: number): number => 255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055)
    fc.assert(
      fc.property(fc.float({ min: 0, max: 1, noNaN: true }), (v) => {
        const code = encodeBits('R8G8B8A8_UNORM_SRGB', bitsOf(v, 0, 0, 0))[0]! & 255
        expect(Math.abs(code - ideal(v))).toBeLessThan(0.6)
      }),
    )
    const at = (v: number): number => encodeBits('R8G8B8A8_UNORM_SRGB', bitsOf(v, 0, 0, 0))[0]! & 255
    expect([at(0), at(1), at(2), at(-1), at(Number.NaN), at(Infinity)]).toEqual([0, 255, 255, 0, 0, 255])
  })
})

describe('every format', () => {
  test('that a view can have decodes, and encode writes only its own bytes', () => {
    for (const f of FORMATS.filter((x) => x.result !== 'none')) {
      const codec = codecOf(f)
      const s = storage(64)
      s.bytes.fill(0xa5)
      codec.decode(s, 16, 0, new Uint32Array(4), 0)
      if (codec.encode === undefined) continue
      codec.encode(s, 16, new Uint32Array(4), 0)
      const end = 16 + f.blockByteLength
      expect(
        [...s.bytes].every((b, i) => (i >= 16 && i < end) || b === 0xa5),
        f.name,
      ).toBe(true)
    }
  })

  test('data invertability: random elements come back, but for NaN and the second -1 (19.1.2)', () => {
    const names = ['R8G8B8A8_UNORM', 'R16G16B16A16_UNORM', 'R16G16_UINT', 'B5G6R5_UNORM', 'B5G5R5A1_UNORM'] as const
    for (const name of [...names, 'B4G4R4A4_UNORM', 'R8G8B8A8_SINT', 'B8G8R8A8_UNORM_SRGB', 'R8G8_UINT'] as const) {
      const wide = formatNamed(name).blockByteLength
      fc.assert(
        fc.property(fc.integer({ min: 0, max: 0xffffffff }), fc.integer({ min: 0, max: 0xffffffff }), (x, y) => {
          const words = wide === 2 ? [x & 0xffff, 0] : wide === 4 ? [x, 0] : [x, y]
          expect(encodeBits(name, decodeWords(name, words)).slice(0, 2)).toEqual(words)
        }),
        { numRuns: 50 },
      )
    }
  })
})
