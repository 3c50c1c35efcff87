import { describe, expect, it } from 'vitest'
import { numberOps } from '../../src/engine/reference/number-ops.ts'
import type { Pair } from '../../src/isa/index.ts'
import {
  exactValue,
  FLOAT32,
  FLOAT64,
  product,
  quotient,
  type Rational,
  round,
  squareRoot,
  sum,
  words,
} from './exact.ts'

/**
 * The reference operations against exact rationals, on random finite values: of all magnitudes, of like magnitude (so
 * that sums cancel), denormal, and with few bits (so that ties occur).
 */
const ops = numberOps({ denormals: 'flush' })
const fused = numberOps({ denormals: 'flush', fma: true })
const COUNT = 4000

function floats(seed: number): () => number {
  const next = words(seed)
  return () => {
    const kind = next() & 3
    const fraction = (next() & 1) === 0 ? next() & 0x7fffff : (next() & 0x7ff) << (next() % 13)
    const sign = next() & 0x80000000
    const exponent =
      kind === 0 ? next() % 255 : kind === 1 ? 120 + (next() % 14) : kind === 2 ? next() % 30 : 225 + (next() % 30)
    return (sign | (exponent << 23) | (fraction & 0x7fffff)) >>> 0
  }
}

function doubles(seed: number): () => bigint {
  const next = words(seed)
  return () => {
    const kind = next() & 3
    const high = (next() & 1) === 0 ? next() & 0xfffff : (next() & 0xff) << (next() % 13)
    const low = (next() & 1) === 0 ? next() : (next() & 3) << (next() % 31)
    const sign = next() & 0x80000000
    const exponent =
      kind === 0 ? next() % 2047 : kind === 1 ? 1000 + (next() % 50) : kind === 2 ? next() % 120 : 1980 + (next() % 67)
    return (BigInt((sign | (exponent << 20) | (high & 0xfffff)) >>> 0) << 32n) | BigInt(low >>> 0)
  }
}

const of32 = (word: number): Rational => exactValue(BigInt(word >>> 0), FLOAT32)
const of64 = (bits: bigint): Rational => exactValue(bits, FLOAT64)
const pair = (bits: bigint): Pair<number> => [Number(BigInt.asIntN(32, bits)), Number(BigInt.asIntN(32, bits >> 32n))]
const joined = (p: Pair<number>): bigint => (BigInt(p[1] >>> 0) << 32n) | BigInt(p[0] >>> 0)
const hex = (bits: bigint | number): string => `0x${(typeof bits === 'bigint' ? bits : bits >>> 0).toString(16)}`

/** Compares where the exact result is not 0: the sign of zero is the vectors' business. */
function check(
  name: string,
  inputs: readonly (number | bigint)[],
  actual: bigint | number,
  exact: Rational,
  format = FLOAT32,
): void {
  if (exact.numerator === 0n) return
  const label = `${name} ${inputs.map(hex).join(' ')}: `
  expect(label + hex(actual)).toBe(label + hex(round(exact, format)))
}

describe('float32', () => {
  it('adds, subtracts, multiplies, divides to nearest', () => {
    const next = floats(1)
    for (let i = 0; i < COUNT; i++) {
      const a = next()
      const b = next()
      const x = of32(a)
      const y = of32(b)
      check('add', [a, b], ops.f32Add(a | 0, b | 0), sum(x, y))
      check('sub', [a, b], ops.f32Sub(a | 0, b | 0), sum(x, product(y, { numerator: -1n, denominator: 1n })))
      check('mul', [a, b], ops.f32Mul(a | 0, b | 0), product(x, y))
      if (y.numerator !== 0n) check('div', [a, b], ops.f32Div(a | 0, b | 0), quotient(x, y))
    }
  })

  it('takes square roots to nearest', () => {
    const next = floats(2)
    for (let i = 0; i < COUNT; i++) {
      const a = next() & 0x7fffffff
      if (a !== 0) check('sqrt', [a], ops.f32Sqrt(a), squareRoot(of32(a)))
    }
  })

  it('multiplies and adds with one rounding or two, as asked', () => {
    const next = floats(3)
    for (let i = 0; i < COUNT; i++) {
      const a = next()
      const b = next()
      const p = product(of32(a), of32(b))
      if (p.numerator === 0n) continue
      const rounded = round(p, FLOAT32)
      // Half of the addends cancel most of the product.
      const c = (i & 1) === 0 ? next() : ((Number(rounded) ^ 0x80000000) + (next() % 5)) >>> 0
      if ((c & 0x7f800000) === 0x7f800000) continue
      check('fused mad', [a, b, c], fused.f32Mad(a | 0, b | 0, c | 0), sum(p, of32(c)))
      if ((rounded & 0x7f800000n) === 0x7f800000n) continue
      const twice = sum(exactValue(rounded, FLOAT32), of32(c))
      check('mad', [a, b, c], ops.f32Mad(a | 0, b | 0, c | 0), twice)
    }
  })

  it('converts integers to nearest', () => {
    const next = words(4)
    for (let i = 0; i < COUNT; i++) {
      const a = next() >>> (next() % 32)
      check('u32ToF32', [a], ops.u32ToF32(a | 0), { numerator: BigInt(a), denominator: 1n })
      check('i32ToF32', [a], ops.i32ToF32(a | 0), { numerator: BigInt(a | 0), denominator: 1n })
    }
  })

  it('rounds to integral values', () => {
    const next = floats(5)
    const parity = (n: bigint): bigint => n & 1n
    for (let i = 0; i < COUNT; i++) {
      const a = next()
      const { numerator: n, denominator: d } = of32(a)
      const floor = n >= 0n ? n / d : -((-n + d - 1n) / d)
      const ceil = n % d === 0n ? floor : floor + 1n
      const twice = 2n * (n - floor * d)
      const even = twice < d ? floor : twice > d ? ceil : parity(floor) === 0n ? floor : ceil
      const whole = (v: bigint): Rational => ({ numerator: v, denominator: 1n })
      check('floor', [a], ops.f32Floor(a | 0), whole(floor))
      check('ceil', [a], ops.f32Ceil(a | 0), whole(ceil))
      check('trunc', [a], ops.f32Trunc(a | 0), whole(n < 0n ? ceil : floor))
      check('nearest', [a], ops.f32RoundNearestEven(a | 0), whole(even))
      const clamp = (v: bigint, min: bigint, max: bigint): bigint => (v < min ? min : v > max ? max : v)
      const towardsZero = n < 0n ? ceil : floor
      expect(BigInt(ops.f32ToI32(a | 0))).toBe(clamp(towardsZero, -(2n ** 31n), 2n ** 31n - 1n))
      expect(BigInt(ops.f32ToU32(a | 0) >>> 0)).toBe(clamp(towardsZero, 0n, 2n ** 32n - 1n))
    }
  })
})

describe('float64', () => {
  it('adds, multiplies, divides to nearest', () => {
    const next = doubles(6)
    for (let i = 0; i < COUNT / 2; i++) {
      const a = next()
      const b = next()
      const x = of64(a)
      const y = of64(b)
      check('f64Add', [a, b], joined(ops.f64Add(pair(a), pair(b))), sum(x, y), FLOAT64)
      check('f64Mul', [a, b], joined(ops.f64Mul(pair(a), pair(b))), product(x, y), FLOAT64)
      if (y.numerator !== 0n) check('f64Div', [a, b], joined(ops.f64Div(pair(a), pair(b))), quotient(x, y), FLOAT64)
    }
  })

  it('multiplies and adds with one rounding', () => {
    const next = doubles(7)
    for (let i = 0; i < COUNT; i++) {
      const a = next()
      const b = next()
      const p = product(of64(a), of64(b))
      if (p.numerator === 0n) continue
      const near = round(p, FLOAT64) ^ (1n << 63n)
      // Addends: anything, what nearly cancels the product, and one far below its last bit.
      const c = [next(), near + (next() % 5n), near - ((next() % 60n) << 52n)][i % 3]! & ((1n << 64n) - 1n)
      if ((c & (0x7ffn << 52n)) === 0x7ffn << 52n) continue
      check('f64Fma', [a, b, c], joined(ops.f64Fma(pair(a), pair(b), pair(c))), sum(p, of64(c)), FLOAT64)
    }
  })

  it('converts to float32 to nearest', () => {
    const next = doubles(8)
    for (let i = 0; i < COUNT; i++) {
      const random = next()
      const exponent = 860n + (((random >> 52n) & 0x7ffn) % 320n)
      const a = (random & ~(0x7ffn << 52n)) | (exponent << 52n)
      check('f64ToF32', [a], ops.f64ToF32(pair(a)), of64(a))
    }
  })
})
