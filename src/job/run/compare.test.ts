import { describe, expect, it } from 'vitest'
import { compareBytes } from './compare.ts'
import { listWords } from './lists.ts'

const NONE = { abs: 0, rel: 0, ulps: 0 }
const floats = (...values: number[]): Uint8Array => new Uint8Array(Float32Array.from(values).buffer)
const words = (...values: number[]): Uint8Array => new Uint8Array(Uint32Array.from(values).buffer)

function differs(got: number, want: number, bounds: Partial<typeof NONE> = {}): boolean {
  return compareBytes(floats(got), floats(want), { compare: 'f32', ...NONE, ...bounds }).different === 1
}

describe('compareBytes', () => {
  it('finds words that differ, bit for bit, with a rest that is shorter', () => {
    const c = compareBytes(Uint8Array.of(1, 2, 3, 4, 5, 6), Uint8Array.of(1, 2, 3, 4, 5, 7), {
      compare: 'exact',
      ...NONE,
    })
    expect(c).toEqual({ total: 2, different: 1, first: [4], greatest: [] })
    expect(compareBytes(words(0), words(0x80000000), { compare: 'exact', ...NONE }).different).toBe(1)
  })

  it('bounds floats by abs + rel * |want|, ends included', () => {
    expect(differs(1.5, 1, { abs: 0.5 })).toBe(false)
    expect(differs(1.5000001, 1, { abs: 0.5 })).toBe(true)
    expect(differs(-110, -100, { rel: 0.1 })).toBe(false)
    expect(differs(-111, -100, { rel: 0.1 })).toBe(true)
    expect(differs(-111, -100, { rel: 0.1, abs: 1 })).toBe(false)
    expect(differs(0, -0)).toBe(false)
  })

  it('takes any NaN for any NaN, and an infinity for nothing but itself', () => {
    expect(differs(Number.NaN, Number.NaN)).toBe(false)
    expect(differs(Number.NaN, 1, { abs: 1e9 })).toBe(true)
    expect(differs(1, Number.NaN, { abs: 1e9 })).toBe(true)
    expect(differs(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)).toBe(false)
    expect(differs(3e38, Number.POSITIVE_INFINITY, { rel: 1 })).toBe(true)
    expect(differs(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY, { abs: 1e30 })).toBe(true)
  })

  it('counts steps of the type, through zero too', () => {
    const next = (bits: number): number => new Float32Array(Uint32Array.of(bits).buffer)[0]!
    expect(differs(next(0x3f800002), 1, { ulps: 2 })).toBe(false)
    expect(differs(next(0x3f800003), 1, { ulps: 2 })).toBe(true)
    expect(differs(next(0x80000001), next(0x00000001), { ulps: 2 })).toBe(false)
    expect(differs(next(0x80000002), next(0x00000001), { ulps: 2 })).toBe(true)
  })

  it('compares bytes and floats of other sizes', () => {
    expect(compareBytes(Uint8Array.of(1, 5, 9), Uint8Array.of(2, 7, 8), { compare: 'u8', ...NONE, abs: 1 })).toEqual({
      total: 3,
      different: 1,
      first: [1],
      greatest: [{ by: 'abs', difference: 2, at: 1 }],
    })
    const halves = (...bits: number[]): Uint8Array => new Uint8Array(Uint16Array.from(bits).buffer)
    // 0x3c00 is 1 and 0x3c01 the next half, 1 + 2^-10.
    expect(compareBytes(halves(0x3c01), halves(0x3c00), { compare: 'f16', ...NONE, abs: 2 ** -10 }).different).toBe(0)
    expect(compareBytes(halves(0x3c01), halves(0x3c00), { compare: 'f16', ...NONE, abs: 2 ** -11 }).different).toBe(1)
    const doubles = (n: number): Uint8Array => new Uint8Array(Float64Array.of(n).buffer)
    expect(compareBytes(doubles(1 + 2 ** -52), doubles(1), { compare: 'f64', ...NONE }).different).toBe(1)
    expect(compareBytes(doubles(1 + 2 ** -52), doubles(1), { compare: 'f64', ...NONE, ulps: 1 }).different).toBe(0)
  })
})

describe('listWords', () => {
  const END = 0xffffffff
  it('sorts payloads as unsigned words, whatever the links', () => {
    const nodes = words(1, 0x80000000, 7, 2, 3, 9, END, 3, 8)
    expect(listWords(words(0, END, 2), nodes, 12)).not.toBeInstanceOf(Array)
    expect(listWords(words(0, END), nodes, 12)).toEqual([Uint32Array.of(3, 8, 3, 9, 0x80000000, 7), new Uint32Array()])
  })

  it('ends at circles and at links to nowhere', () => {
    expect(listWords(words(0), words(0, 5), 8)).toMatch(/circle/)
    expect(listWords(words(1), words(END, 5), 8)).toMatch(/node 1; there are 1/)
  })
})
