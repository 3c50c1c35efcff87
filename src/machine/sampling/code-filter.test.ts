import { describe, expect, it } from 'vitest'
import { formatNamed } from '../../isa/formats/index.ts'
import { decodeTable } from '../format/index.ts'
import { codeOf, codePosition, codeScale, codeWeights, sumScale } from './code-filter.ts'
import { quickHalfLog2 } from './quick-logarithm.ts'

describe('positions', () => {
  it('are half a texel to the left, in steps of 2^-8, nearest even', () => {
    expect(codePosition(0.5, 16, 'wrap')).toBe(8 * 256 - 128)
    // 1.5 and 2.5 steps: both become 2.
    expect(codePosition(1.5 / 4096, 16, 'wrap')).toBe(2 - 128)
    expect(codePosition(2.5 / 4096, 16, 'wrap')).toBe(2 - 128)
    expect(codePosition(-0.25, 16, 'wrap')).toBe(12 * 256 - 128)
    // What is just below 0 is 1 after rounding.
    expect(codePosition(-1e-10, 16, 'wrap')).toBe(16 * 256 - 128)
  })

  it('stay within the texture under clamp', () => {
    expect([-3, 0, 0.5 / 16, 1, 7].map((u) => codePosition(u, 16, 'clamp'))).toEqual([0, 0, 0, 15 * 256, 15 * 256])
  })

  it('are those of 0 for what is no number', () => {
    expect([Number.NaN, Infinity, -Infinity].map((u) => codePosition(u, 8, 'wrap'))).toEqual([-128, -128, -128])
    expect(codePosition(Number.NaN, 8, 'clamp')).toBe(0)
  })
})

it('weights add up to the whole, none is negative, and each is within two steps of the product', () => {
  const weights = [0, 0, 0, 0]
  let farthest = 0
  for (const whole of [0, 1, 100, 8191, 16384]) {
    for (let x = -128; x < 512; x += 7) {
      for (let y = 0; y < 256; y += 5) {
        codeWeights(x, y, whole, weights)
        expect(weights.reduce((a, b) => a + b)).toBe(whole)
        expect(Math.min(...weights)).toBeGreaterThanOrEqual(0)
        const [u, v] = [(x & 255) / 256, y / 256]
        const products = [(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v]
        for (const [n, p] of products.entries()) farthest = Math.max(farthest, Math.abs(weights[n]! - p * whole))
      }
    }
  }
  expect(farthest).toBeLessThan(2)
  expect(farthest).toBeGreaterThan(0.5)
})

describe('codes', () => {
  const floats = (encoding: 'unorm' | 'unorm-srgb'): Float32Array =>
    new Float32Array(decodeTable(encoding, 8).slice().buffer)

  it('of UNORM are those that are stored', () => {
    expect(codeScale(formatNamed('B8G8R8A8_UNORM'))).toBe(255)
    expect([...floats('unorm')].map((v) => codeOf(v, 255))).toEqual(Array.from({ length: 256 }, (_, n) => n))
  })

  it('of sRGB rise with the stored ones, and are the same for products in float32', () => {
    const scale = codeScale(formatNamed('R8G8B8A8_UNORM_SRGB'))
    const linear = [...floats('unorm-srgb')]
    const codes = linear.map((v) => codeOf(v, scale))
    expect(new Set(codes).size).toBe(256)
    expect(codes).toEqual([...codes].sort((a, b) => a - b))
    expect([codes[0], codes[255]]).toEqual([0, 32767])
    const inFloats = linear.map((v) => Math.fround(Math.fround(v * scale) + 1.5 * 2 ** 23) - 1.5 * 2 ** 23)
    expect(inFloats).toEqual(codes)
    const alpha = [...floats('unorm')].map((v) => Math.fround(Math.fround(v * scale) + 1.5 * 2 ** 23) - 1.5 * 2 ** 23)
    expect(alpha).toEqual([...floats('unorm')].map((v) => codeOf(v, scale)))
  })

  it.each(['R8G8B8A8_UNORM', 'R8G8B8A8_UNORM_SRGB'] as const)('%s: texels of 1 give 1', (name) => {
    const format = formatNamed(name)
    expect(Math.fround(codeScale(format) * 2 ** 14 * sumScale(format))).toBe(1)
  })
})

it('half of log2 is within 10^-6 and a half unit of the last place', () => {
  for (let n = -3000; n <= 3000; n++) {
    const x = Math.fround(1.013 ** n)
    if (x < 2 ** -126 || x === Infinity) continue
    const half = Math.log2(x) / 2
    expect(Math.abs(quickHalfLog2(x) - half)).toBeLessThan(1e-7 + Math.abs(half) * 2 ** -23)
  }
  expect(quickHalfLog2(0)).toBeLessThan(-60)
  expect(quickHalfLog2(Infinity)).toBeGreaterThan(60)
})
