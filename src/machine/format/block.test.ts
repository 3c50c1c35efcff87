import { describe, expect, test } from 'vitest'
import { type FormatName, formatNamed } from '../../isa/formats/index.ts'
import { storageOver } from '../memory.ts'
import { codecOf, f32OfBits } from './index.ts'

/** Decodes all 16 texels of a block to floats, texel by texel. */
function decodeBlock(name: FormatName, bytes: readonly number[]): number[][] {
  const s = storageOver({ buffer: new ArrayBuffer(32), byteOffset: 0 }, 32)
  // The block is the second of its row, so that an absolute offset is exercised.
  s.bytes.fill(0x5a)
  s.bytes.set(bytes, 16)
  const out = new Uint32Array(4)
  return Array.from({ length: 16 }, (_, i) => {
    codecOf(formatNamed(name)).decode(s, 16, i, out, 0)
    return [...out].map(f32OfBits)
  })
}
/** Rounded to UNORM8 codes, for blocks whose palette is UNORM8. */
function decode8(name: FormatName, bytes: readonly number[]): number[][] {
  return decodeBlock(name, bytes)
    .map((t) => t.map((v) => v * 255))
    .map((t) =>
      t.map((v) => {
        expect(Math.abs(v - Math.round(v))).toBeLessThan(1e-4)
        return Math.round(v)
      }),
    )
}

/** Puts fields into a block from the first bit on, each least significant bit first. */
function pack(fields: readonly (readonly [value: number, bits: number])[]): number[] {
  const bytes = new Array<number>(16).fill(0)
  let bit = 0
  for (const [value, bits] of fields) {
    for (let i = 0; i < bits; i++, bit++) bytes[bit >> 3]! |= (Math.floor(value / 2 ** i) & 1) << (bit & 7)
  }
  if (bit !== 128) throw new Error(`a block has 128 bits, not ${bit}`)
  return bytes
}
const repeat = (fields: readonly (readonly [number, number])[], n: number): (readonly [number, number])[] =>
  Array.from({ length: n }, () => fields).flat()

describe('BC1 to BC3', () => {
  // Ends red (0xf800) and blue (0x001f); texels 0..3 take codes 0..3, the other rows code 0.
  const RED_BLUE = [0x00, 0xf8, 0x1f, 0x00, 0b11_10_01_00, 0, 0, 0]
  const BLUE_RED = [0x1f, 0x00, 0x00, 0xf8, 0b11_10_01_00, 0, 0, 0]

  test('four colors when the first end is greater: thirds by integer division', () => {
    const texels = decode8('BC1_UNORM', RED_BLUE)
    expect(texels.slice(0, 5)).toEqual([
      [255, 0, 0, 255],
      [0, 0, 255, 255],
      [170, 0, 85, 255],
      [85, 0, 170, 255],
      [255, 0, 0, 255],
    ])
  })

  test('three colors and transparent black otherwise', () => {
    const texels = decode8('BC1_UNORM', BLUE_RED)
    expect(texels.slice(0, 4)).toEqual([
      [0, 0, 255, 255],
      [255, 0, 0, 255],
      [127, 0, 127, 255],
      [0, 0, 0, 0],
    ])
  })

  test('rows of codes: one byte a row, the first texel in the low bits', () => {
    const texels = decode8('BC1_UNORM', [0x00, 0xf8, 0x1f, 0x00, 0, 0b01_00_00_00, 0, 0b00_00_00_01])
    const blue = texels.map((t, i) => (t[2] === 255 ? i : -1)).filter((i) => i >= 0)
    expect(blue).toEqual([7, 12])
  })

  test('5 and 6 bits widen by repeating their top bits', () => {
    // r = 1, g = 1, b = 16: 0b00001_000001_10000
    const [first] = decode8('BC1_UNORM', [0b0011_0000, 0b0000_1000, 0, 0, 0, 0, 0, 0])
    expect(first).toEqual([8, 4, 132, 255])
  })

  test('sRGB linearizes the palette, not A', () => {
    const [, , mixed] = decodeBlock('BC1_UNORM_SRGB', RED_BLUE)
    const linear = (code: number): number => Math.fround(((code / 255 + 0.055) / 1.055) ** 2.4)
    expect(mixed).toEqual([linear(170), 0, linear(85), 1])
  })

  test('BC2: four bits of A, always four colors', () => {
    const alpha = [0x10, 0x32, 0x54, 0x76, 0x98, 0xba, 0xdc, 0xfe]
    const texels = decodeBlock('BC2_UNORM', [...alpha, ...BLUE_RED])
    expect(texels.map((t) => t[3])).toEqual(texels.map((_, i) => Math.fround(i / 15)))
    expect(texels[2]!.slice(0, 3).map((v) => Math.round(v * 255))).toEqual([85, 0, 170])
    expect(texels[3]!.slice(0, 3).map((v) => Math.round(v * 255))).toEqual([170, 0, 85])
  })

  test('BC3: A as BC4, always four colors', () => {
    // 3-bit codes 0..7 for texels 0..7: bits 000 001 010 011 100 101 110 111 from the low end.
    const codes = [0b10_001_000, 0b1_100_011_0, 0b111_110_10]
    const texels = decodeBlock('BC3_UNORM', [255, 0, ...codes, 0, 0, 0, ...BLUE_RED])
    const sevenths = [7, 0, 6, 5, 4, 3, 2, 1].map((n) => Math.fround(n / 7))
    expect(texels.slice(0, 8).map((t) => t[3])).toEqual(sevenths)
    expect(texels[3]!.slice(0, 3).map((v) => Math.round(v * 255))).toEqual([170, 0, 85])
  })
})

describe('BC4 and BC5', () => {
  const codes = [0b10_001_000, 0b1_100_011_0, 0b111_110_10]
  const block = (e0: number, e1: number): number[] => [e0 & 255, e1 & 255, ...codes, ...codes]
  const reds = (name: FormatName, e0: number, e1: number): number[] =>
    decodeBlock(name, [...block(e0, e1), ...block(0, 0)]).map((t) => t[0]!)

  test('six steps, then 0 and 1, when the first end is not greater', () => {
    const r = reds('BC4_UNORM', 0, 255)
    const fifths = [0, 5, 1, 2, 3, 4].map((n) => Math.fround(n / 5))
    expect(r).toEqual([...fifths, 0, 1, ...fifths, 0, 1])
  })

  test('a precision beyond UNORM8: 254 and 255 have six values between', () => {
    const r = reds('BC4_UNORM', 255, 254)
    for (let code = 2; code < 8; code++) {
      const ideal = ((8 - code) * 255 + (code - 1) * 254) / 7 / 255
      expect(Math.abs(r[code]! - ideal)).toBeLessThan(1e-7)
    }
    expect(new Set(r).size).toBe(8)
  })

  test('signed: -1 for both lowest codes, the lower one still less', () => {
    const six = reds('BC4_SNORM', -128, -127)
    expect(six.slice(0, 8)).toEqual([-1, -1, -1, -1, -1, -1, -1, 1])
    const eight = reds('BC4_SNORM', -127, -128)
    expect(eight.slice(0, 8)).toEqual([-1, -1, -1, -1, -1, -1, -1, -1])
    const wide = reds('BC4_SNORM', 127, -127)
    const steps = [1, -1, 5 / 7, 3 / 7, 1 / 7, -1 / 7, -3 / 7, -5 / 7]
    expect(wide.slice(0, 8).every((v, i) => Math.abs(v - steps[i]!) < 1e-7)).toBe(true)
  })

  test('BC5 is two of them; B is 0 and A is 1', () => {
    const [first, second] = decodeBlock('BC5_UNORM', [...block(255, 0), ...block(51, 255)])
    expect(first).toEqual([1, Math.fround(0.2), 0, 1])
    expect(second).toEqual([0, 1, 0, 1])
  })
})

/** Blend of 19.5.14.3. */
const mix = (e0: number, e1: number, weight: number): number => ((64 - weight) * e0 + weight * e1 + 32) >> 6
const W2 = [0, 21, 43, 64]
const W3 = [0, 9, 18, 27, 37, 46, 55, 64]
const W4 = [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64]

describe('BC7', () => {
  test('mode 6: 7.7.7.7.1 ends, 4-bit indices', () => {
    // R 0..255, G 255..0, B 2..2, A 128..129: seven bits and a P bit per end (0 for the first, 1 for the second).
    const block = pack([
      [1 << 6, 7],
      [0, 7],
      [127, 7],
      [127, 7],
      [0, 7],
      [1, 7],
      [1, 7],
      [64, 7],
      [64, 7],
      [0, 1],
      [1, 1],
      [3, 3],
      ...Array.from({ length: 15 }, (_, i) => [i + 1, 4] as const),
    ])
    const texels = decode8('BC7_UNORM', block)
    const index = [3, ...Array.from({ length: 15 }, (_, i) => i + 1)]
    texels.forEach((t, i) => {
      const w = W4[index[i]!]!
      expect(t, `texel ${i}`).toEqual([mix(0, 255, w), mix(254, 1, w), mix(2, 3, w), mix(128, 129, w)])
    })
  })

  test('mode 5: separate A, and each rotation', () => {
    for (let rotation = 0; rotation < 4; rotation++) {
      // Color ends (0, 0, 0) and (127, 64, 32) of 7 bits; A 10 and 200 of 8 bits; indices 2 bits, A's reversed.
      const block = pack([
        [1 << 5, 6],
        [rotation, 2],
        [0, 7],
        [127, 7],
        [0, 7],
        [64, 7],
        [0, 7],
        [32, 7],
        [10, 8],
        [200, 8],
        [1, 1],
        ...Array.from({ length: 15 }, (_, i) => [(i + 1) & 3, 2] as const),
        [0, 1],
        ...Array.from({ length: 15 }, (_, i) => [3 - ((i + 1) & 3), 2] as const),
      ])
      const texels = decode8('BC7_UNORM', block)
      texels.forEach((t, i) => {
        const c = W2[i === 0 ? 1 : i & 3]!
        const a = W2[i === 0 ? 0 : 3 - (i & 3)]!
        // 7 bits to 8: the top bit again below. 64 -> 129, 32 -> 64.
        const plain = [mix(0, 255, c), mix(0, 129, c), mix(0, 64, c), mix(10, 200, a)]
        const swapped = [...plain]
        if (rotation > 0) [swapped[rotation - 1], swapped[3]] = [plain[3]!, plain[rotation - 1]!]
        expect(t, `rotation ${rotation}, texel ${i}`).toEqual(swapped)
      })
    }
  })

  test('mode 4: the selector says which indices have 3 bits', () => {
    for (const selector of [0, 1]) {
      const block = pack([
        [1 << 4, 5],
        [0, 2],
        [selector, 1],
        [0, 5],
        [31, 5],
        [31, 5],
        [0, 5],
        [16, 5],
        [16, 5],
        [0, 6],
        [63, 6],
        [1, 1],
        ...Array.from({ length: 15 }, (_, i) => [(i + 1) & 3, 2] as const),
        [2, 2],
        ...Array.from({ length: 15 }, (_, i) => [(i + 1) & 7, 3] as const),
      ])
      const texels = decode8('BC7_UNORM', block)
      texels.forEach((t, i) => {
        const two = W2[i === 0 ? 1 : i & 3]!
        const three = W3[i === 0 ? 2 : i & 7]!
        const [c, a] = selector === 0 ? [two, three] : [three, two]
        // 16 of 5 bits is 10000_100 = 132.
        expect(t, `selector ${selector}, texel ${i}`).toEqual([mix(0, 255, c), mix(255, 0, c), 132, mix(0, 255, a)])
      })
    }
  })

  test('mode 1: two subsets with a shared P bit each, 3-bit indices, A is 1', () => {
    // Partition 13 is the upper and the lower half; its second anchor is texel 15.
    const block = pack([
      [1 << 1, 2],
      [13, 6],
      // R of ends 0..3, then G, then B, 6 bits each.
      [0, 6],
      [63, 6],
      [63, 6],
      [0, 6],
      [10, 6],
      [10, 6],
      [20, 6],
      [20, 6],
      [0, 6],
      [0, 6],
      [63, 6],
      [63, 6],
      [0, 1],
      [1, 1],
      [2, 2],
      ...Array.from({ length: 14 }, (_, i) => [(i + 1) & 7, 3] as const),
      [1, 2],
    ])
    const texels = decode8('BC7_UNORM', block)
    const wide = (six: number, p: number): number => {
      const seven = (six << 1) | p
      return (seven << 1) | (seven >> 6)
    }
    texels.forEach((t, i) => {
      const w = W3[i === 0 ? 2 : i === 15 ? 1 : i & 7]!
      const want =
        i < 8
          ? [mix(wide(0, 0), wide(63, 0), w), wide(10, 0), wide(0, 0), 255]
          : [mix(wide(63, 1), wide(0, 1), w), wide(20, 1), wide(63, 1), 255]
      expect(t, `texel ${i}`).toEqual(want)
    })
  })

  test('mode 3: a P bit per end, 2-bit indices; partition 1 has its last column apart', () => {
    const block = pack([
      [1 << 3, 4],
      [1, 6],
      [0, 7],
      [127, 7],
      [127, 7],
      [127, 7],
      [0, 7],
      [0, 7],
      [50, 7],
      [50, 7],
      [100, 7],
      [0, 7],
      [0, 7],
      [0, 7],
      [0, 1],
      [1, 1],
      [0, 1],
      [1, 1],
      [1, 1],
      ...Array.from({ length: 14 }, () => [2, 2] as const),
      [1, 1],
    ])
    const texels = decode8('BC7_UNORM', block)
    texels.forEach((t, i) => {
      const w = W2[i === 0 || i === 15 ? 1 : 2]!
      const want =
        i % 4 === 3
          ? [mix(254, 255, w), mix(100, 101, w), mix(0, 1, w), 255]
          : [mix(0, 255, w), mix(0, 1, w), mix(200, 1, w), 255]
      expect(t, `texel ${i}`).toEqual(want)
    })
  })

  test('mode 7: A in the ends, P bits, 2-bit indices', () => {
    const block = pack([
      [1 << 7, 8],
      [13, 6],
      [0, 5],
      [31, 5],
      [16, 5],
      [16, 5],
      [0, 5],
      [0, 5],
      [31, 5],
      [31, 5],
      [31, 5],
      [31, 5],
      [0, 5],
      [0, 5],
      [0, 5],
      [31, 5],
      [31, 5],
      [0, 5],
      [0, 1],
      [1, 1],
      [1, 1],
      [0, 1],
      [0, 1],
      ...Array.from({ length: 14 }, (_, i) => [(i + 1) & 3, 2] as const),
      [0, 1],
    ])
    const wide = (five: number, p: number): number => {
      const six = (five << 1) | p
      return (six << 2) | (six >> 4)
    }
    decode8('BC7_UNORM', block).forEach((t, i) => {
      const w = W2[i === 0 || i === 15 ? 0 : i & 3]!
      const m = (a: number, b: number): number =>
        i < 8 ? mix(wide(a, 0), wide(b, 1), w) : mix(wide(a, 1), wide(b, 0), w)
      const want = i < 8 ? [m(0, 31), m(0, 0), m(31, 31), m(0, 31)] : [m(16, 16), m(31, 31), m(0, 0), m(31, 0)]
      expect(t, `texel ${i}`).toEqual(want)
    })
  })

  // Partition 8 of three subsets is bands: rows 0 and 1, row 2, row 3; its anchors are texels 8 and 15.
  test('mode 0: three subsets, 4.4.4.1 ends, 16 partitions, 3-bit indices', () => {
    const block = pack([
      [1, 1],
      [8, 4],
      [0, 4],
      [15, 4],
      [15, 4],
      [0, 4],
      [8, 4],
      [8, 4],
      ...repeat([[0, 4]], 6),
      ...repeat([[15, 4]], 6),
      [0, 1],
      [1, 1],
      [1, 1],
      [0, 1],
      [0, 1],
      [1, 1],
      ...Array.from({ length: 16 }, (_, i) =>
        i === 0 || i === 8 || i === 15 ? ([3, 2] as const) : ([i & 7, 3] as const),
      ),
    ])
    const wide = (four: number, p: number): number => {
      const five = (four << 1) | p
      return (five << 3) | (five >> 2)
    }
    decode8('BC7_UNORM', block).forEach((t, i) => {
      const w = W3[i === 0 || i === 8 || i === 15 ? 3 : i & 7]!
      const subset = i < 8 ? 0 : i < 12 ? 1 : 2
      const [p0, p1] = [
        [0, 1],
        [1, 0],
        [0, 1],
      ][subset] as [number, number]
      const [r0, r1] = [
        [0, 15],
        [15, 0],
        [8, 8],
      ][subset] as [number, number]
      const want = [
        mix(wide(r0, p0), wide(r1, p1), w),
        mix(wide(0, p0), wide(0, p1), w),
        mix(wide(15, p0), wide(15, p1), w),
      ]
      expect(t, `texel ${i}`).toEqual([...want, 255])
    })
  })

  test('mode 2: three subsets, 5.5.5 ends without P bits, 2-bit indices', () => {
    const block = pack([
      [1 << 2, 3],
      [8, 6],
      [0, 5],
      [31, 5],
      [31, 5],
      [0, 5],
      [16, 5],
      [16, 5],
      ...repeat([[31, 5]], 6),
      ...repeat([[0, 5]], 6),
      ...Array.from({ length: 16 }, (_, i) =>
        i === 0 || i === 8 || i === 15 ? ([1, 1] as const) : ([i & 3, 2] as const),
      ),
    ])
    decode8('BC7_UNORM', block).forEach((t, i) => {
      const w = W2[i === 0 || i === 8 || i === 15 ? 1 : i & 3]!
      const red = i < 8 ? mix(0, 255, w) : i < 12 ? mix(255, 0, w) : 132
      expect(t, `texel ${i}`).toEqual([red, 255, 0, 255])
    })
  })

  test('the reserved mode is all zero, A too', () => {
    expect(decode8('BC7_UNORM', [0, ...new Array<number>(15).fill(0xff)])).toEqual(
      Array.from({ length: 16 }, () => [0, 0, 0, 0]),
    )
  })
})

describe('BC6H', () => {
  const half = (bits: number): number => {
    const e = (bits >> 10) & 31
    const f = (bits & 1023) / 1024
    const magnitude = e === 31 ? Infinity : e === 0 ? 2 ** -14 * f : 2 ** (e - 15) * (1 + f)
    return bits >> 15 === 1 ? -magnitude : magnitude
  }
  const indices4 = [[3, 3] as const, ...Array.from({ length: 15 }, (_, i) => [i + 1, 4] as const)]
  const indexOf = (i: number): number => (i === 0 ? 3 : i)

  test('mode 3: one region, 10-bit ends as they are', () => {
    const block = pack([[3, 5], [0, 10], [1023, 10], [512, 10], [1023, 10], [0, 10], [512, 10], ...indices4])
    // Unsigned ends: 0, the largest is 0xffff, the rest (v << 16 + 0x8000) >> 10.
    const middle = (512 * 65536 + 0x8000) / 1024
    decodeBlock('BC6H_UF16', block).forEach((t, i) => {
      const w = W4[indexOf(i)]!
      const scaled = (a: number, b: number): number => half((Math.floor((a * (64 - w) + b * w + 32) / 64) * 31) >> 6)
      const want = [scaled(0, 0xffff), scaled(0xffff, 0), scaled(middle, middle), 1]
      expect(t, `texel ${i}`).toEqual(want)
    })
  })

  test('mode 3 signed: ends sign-extended, scaled by 31/32', () => {
    // 0x200 of 10 bits is -512, beyond -(2^9 - 1): -0x7fff. 0x1ff is 0x7fff. 1 is (1 << 15 + 0x4000) >> 9 = 96.
    const block = pack([[3, 5], [0x200, 10], [0x1ff, 10], [1, 10], [0x1ff, 10], [0x200, 10], [0x3ff, 10], ...indices4])
    decodeBlock('BC6H_SF16', block).forEach((t, i) => {
      const w = W4[indexOf(i)]!
      const blend = (a: number, b: number): number => Math.floor((a * (64 - w) + b * w + 32) / 64)
      const finish = (v: number): number => half(v < 0 ? 0x8000 | ((-v * 31) >> 5) : (v * 31) >> 5)
      const want = [blend(-0x7fff, 0x7fff), blend(0x7fff, -0x7fff), blend(96, -96)].map(finish)
      expect(t, `texel ${i}`).toEqual([...want, 1])
    })
  })

  test('mode 15: 16-bit base with its high bits reversed, 4-bit differences', () => {
    // Base R 0x1234: low ten bits first, then bits 15 down to 10. Difference -1 (0xf).
    const highReversed = (v: number): number =>
      [15, 14, 13, 12, 11, 10].reduce((bits, from, to) => bits | (((v >> from) & 1) << to), 0)
    const base = [0x1234, 0xabcd, 0x0003]
    const block = pack([
      [15, 5],
      [base[0]! & 1023, 10],
      [base[1]! & 1023, 10],
      [base[2]! & 1023, 10],
      [0xf, 4],
      [highReversed(base[0]!), 6],
      [0x7, 4],
      [highReversed(base[1]!), 6],
      [0x8, 4],
      [highReversed(base[2]!), 6],
      ...indices4,
    ])
    // 3 - 8 wraps within 16 bits.
    const ends = [
      [0x1234, 0x1233],
      [0xabcd, 0xabd4],
      [3, 0xfffb],
    ]
    decodeBlock('BC6H_UF16', block).forEach((t, i) => {
      const w = W4[indexOf(i)]!
      ends.forEach(([a, b], c) => {
        const want = half((Math.floor((a! * (64 - w) + b! * w + 32) / 64) * 31) >> 6)
        expect(t[c], `texel ${i}`).toBe(want)
      })
    })
  })

  test('mode 30: two regions, 6-bit ends as they are, 3-bit indices', () => {
    // Ends by table 2: w of region 0, x; y of region 1, z.
    const [rw, rx, ry, rz] = [0, 63, 32, 1]
    const [gw, gx, gy, gz] = [63, 0, 17, 42]
    const [bw, bx, by, bz] = [5, 9, 62, 33]
    const bit = (v: number, n: number): readonly [number, number] => [(v >> n) & 1, 1]
    const block = pack([
      [30, 5],
      [rw, 6],
      bit(gz, 4),
      bit(bz, 0),
      bit(bz, 1),
      bit(by, 4),
      [gw, 6],
      bit(gy, 5),
      bit(by, 5),
      bit(bz, 2),
      bit(gy, 4),
      [bw, 6],
      bit(gz, 5),
      bit(bz, 3),
      bit(bz, 5),
      bit(bz, 4),
      [rx, 6],
      [gy & 15, 4],
      [gx, 6],
      [gz & 15, 4],
      [bx, 6],
      [by & 15, 4],
      [ry, 6],
      [rz, 6],
      [13, 5],
      [2, 2],
      ...Array.from({ length: 14 }, (_, i) => [(i + 1) & 7, 3] as const),
      [1, 2],
    ])
    const unquantize = (v: number): number => (v === 0 ? 0 : v === 63 ? 0xffff : (v * 65536 + 0x8000) >> 6)
    decodeBlock('BC6H_UF16', block).forEach((t, i) => {
      const w = W3[i === 0 ? 2 : i === 15 ? 1 : i & 7]!
      const ends =
        i < 8
          ? [
              [rw, rx],
              [gw, gx],
              [bw, bx],
            ]
          : [
              [ry, rz],
              [gy, gz],
              [by, bz],
            ]
      ends.forEach(([a, b], c) => {
        const v = Math.floor((unquantize(a!) * (64 - w) + unquantize(b!) * w + 32) / 64)
        expect(t[c], `texel ${i}, component ${c}`).toBe(half((v * 31) >> 6))
      })
    })
  })

  test('mode 0: two regions, differences of 5 bits from a 10-bit base', () => {
    const [rw, rx, ry, rz] = [500, 0x1f, 0x10, 0x0f]
    const [gw, gx, gy, gz] = [0, 1, 2, 0x1e]
    const [bw, bx, by, bz] = [1023, 1, 0, 0x11]
    const bit = (v: number, n: number): readonly [number, number] => [(v >> n) & 1, 1]
    const block = pack([
      [0, 2],
      bit(gy, 4),
      bit(by, 4),
      bit(bz, 4),
      [rw, 10],
      [gw, 10],
      [bw, 10],
      [rx, 5],
      bit(gz, 4),
      [gy & 15, 4],
      [gx, 5],
      bit(bz, 0),
      [gz & 15, 4],
      [bx, 5],
      bit(bz, 1),
      [by & 15, 4],
      [ry, 5],
      bit(bz, 2),
      [rz, 5],
      bit(bz, 3),
      [13, 5],
      [2, 2],
      ...Array.from({ length: 14 }, (_, i) => [(i + 1) & 7, 3] as const),
      [1, 2],
    ])
    const delta = (v: number): number => (v >= 16 ? v - 32 : v)
    const end = (base: number, v: number): number => (base + delta(v)) & 1023
    const unquantize = (v: number): number => (v === 0 ? 0 : v === 1023 ? 0xffff : (v * 65536 + 0x8000) >> 10)
    decodeBlock('BC6H_UF16', block).forEach((t, i) => {
      const w = W3[i === 0 ? 2 : i === 15 ? 1 : i & 7]!
      const ends =
        i < 8
          ? [
              [rw, end(rw, rx)],
              [gw, end(gw, gx)],
              [bw, end(bw, bx)],
            ]
          : [
              [end(rw, ry), end(rw, rz)],
              [end(gw, gy), end(gw, gz)],
              [end(bw, by), end(bw, bz)],
            ]
      ends.forEach(([a, b], c) => {
        const v = Math.floor((unquantize(a!) * (64 - w) + unquantize(b!) * w + 32) / 64)
        expect(t[c], `texel ${i}, component ${c}`).toBe(half((v * 31) >> 6))
      })
    })
  })

  test('the four reserved modes are black and opaque', () => {
    for (const mode of [19, 23, 27, 31]) {
      const block = [mode | 0xe0, ...new Array<number>(15).fill(0xff)]
      expect(decodeBlock('BC6H_SF16', block)).toEqual(Array.from({ length: 16 }, () => [0, 0, 0, 1]))
    }
  })
})
