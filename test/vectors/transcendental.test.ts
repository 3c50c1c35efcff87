import { describe, expect, it } from 'vitest'
import { numberOps } from '../../src/engine/reference/number-ops.ts'
import { rowOfMnemonic } from '../../src/isa/index.ts'
import { amount } from '../support/amount.ts'
import { words } from './exact.ts'
import { floatOf, float as word } from './vector.ts'

/**
 * Instructions with a tolerance, swept over their range against double arithmetic. The bounds are the specification's,
 * or tighter ones that the comments in the code promise.
 */
const ops = numberOps({ denormals: 'flush' })

function run(mnemonic: string, x: number): number[] {
  const row = rowOfMnemonic(mnemonic)!
  if (row.traits.kind !== 'alu') throw new Error(mnemonic)
  return row.traits.semantics(ops, [word(x) | 0]).map(floatOf)
}

/** Floats of all magnitudes in [min, max], evenly over their bit patterns; both of one sign. */
function* patterns(min: number, max: number, count: number, seed: number): Generator<number> {
  const [low, high] = [word(Math.min(Math.abs(min), Math.abs(max))), word(Math.max(Math.abs(min), Math.abs(max)))]
  const sign = max <= 0 ? -1 : 1
  yield Math.fround(min)
  yield Math.fround(max)
  const next = words(seed)
  for (let i = 0; i < count; i++) yield sign * floatOf(low + (next() % (high - low + 1)))
}

/** Floats in [min, max], evenly over the line. */
function* spread(min: number, max: number, count: number, seed: number): Generator<number> {
  const next = words(seed)
  for (let i = 0; i < count; i++) yield Math.fround(min + (next() / 2 ** 32) * (max - min))
}

const SMALLEST_NORMAL = 2 ** -126
const TOLERANCE = 2 ** -21
const relativeError = (actual: number, exact: number): number => Math.abs(actual / exact - 1)

/** The worst of errors and where it is. */
function worst(inputs: Iterable<number>, error: (x: number) => number): { error: number; at: number } {
  let max = { error: 0, at: Number.NaN }
  for (const x of inputs) {
    const e = error(x)
    if (!(e <= max.error)) max = { error: e, at: x }
  }
  return max
}

describe('exp (22.10.6)', () => {
  it('is within a relative error of 2^-21, and of 2^-23 promised', () => {
    const error = (x: number): number => relativeError(run('exp', x)[0]!, 2 ** x)
    expect(worst(spread(-125.99, 127.999, 60000, 1), error).error).toBeLessThan(2 ** -23)
    expect(worst(patterns(2 ** -30, 127.99999, 30000, 2), error).error).toBeLessThan(2 ** -23)
    expect(worst(patterns(-125.99999, -(2 ** -30), 30000, 3), error).error).toBeLessThan(2 ** -23)
    expect(2 ** -23).toBeLessThan(TOLERANCE)
  })

  it('is exact for integers', () => {
    for (let n = -126; n < 128; n++) expect(run('exp', n)[0]).toBe(2 ** n)
  })

  it('flushes every denormal result and overflows from 128 on', () => {
    for (const x of spread(-300, -126.0001, 2000, 4)) expect(Object.is(run('exp', x)[0], 0)).toBe(true)
    for (const x of spread(128, 1e9, 2000, 5)) expect(run('exp', x)[0]).toBe(Number.POSITIVE_INFINITY)
    for (const x of patterns(-(2 ** 127), -127, 2000, 6)) expect(run('exp', x)[0]).toBe(0)
  })
})

describe('log (22.10.8)', () => {
  it('is within 2^-21: absolutely in [0.5, 2], relatively elsewhere', () => {
    const absolute = (x: number): number => Math.abs(run('log', x)[0]! - Math.log2(x))
    const relative = (x: number): number => relativeError(run('log', x)[0]!, Math.log2(x))
    expect(worst(spread(0.5, 2, 60000, 1), absolute).error).toBeLessThan(TOLERANCE)
    expect(worst(patterns(SMALLEST_NORMAL, 0.49999997, 40000, 2), relative).error).toBeLessThan(TOLERANCE)
    expect(worst(patterns(2.0000002, 3.4028234663852886e38, 40000, 3), relative).error).toBeLessThan(TOLERANCE)
  })

  it('is within 2^-21 relatively near 1 too, as promised', () => {
    const relative = (x: number): number => (x === 1 ? 0 : relativeError(run('log', x)[0]!, Math.log2(x)))
    expect(worst(spread(0.5, 2, 40000, 4), relative).error).toBeLessThan(TOLERANCE)
    expect(worst(spread(0.999, 1.001, 40000, 5), relative).error).toBeLessThan(TOLERANCE)
  })

  it('is exact for powers of two', () => {
    for (let n = -126; n < 128; n++) expect(run('log', 2 ** n)[0]).toBe(n)
  })

  it('has NaN for negative numbers', () => {
    for (const x of patterns(-(2 ** 127), -SMALLEST_NORMAL, 2000, 6)) expect(run('log', x)[0]).toBeNaN()
  })
})

describe('rcp (22.10.18) and rsq (22.10.19)', () => {
  it('rcp is within a relative error of 2^-21 where the result is normal', () => {
    const error = (x: number): number => relativeError(run('rcp', x)[0]!, 1 / x)
    expect(worst(patterns(SMALLEST_NORMAL, 2 ** 126, 20000, 1), error).error).toBeLessThan(2 ** -24)
    expect(worst(patterns(-(2 ** 126), -SMALLEST_NORMAL, 20000, 2), error).error).toBeLessThan(2 ** -24)
  })

  it('rsq is within a relative error of 2^-21, and of 2^-23 promised', () => {
    const error = (x: number): number => relativeError(run('rsq', x)[0]!, 1 / Math.sqrt(x))
    expect(worst(patterns(SMALLEST_NORMAL, 3.4028234663852886e38, 40000, 3), error).error).toBeLessThan(2 ** -23)
  })
})

describe('sincos (22.10.20)', () => {
  const error = (x: number): number => {
    const [sine, cosine] = run('sincos', x)
    return Math.max(Math.abs(sine! - Math.sin(x)), Math.abs(cosine! - Math.cos(x)))
  }

  it('is within 0.0008 from -100 pi to 100 pi, and within 2^-23 promised', () => {
    const limit = 100 * Math.PI
    expect(worst(spread(-limit, limit, 60000, 1), error).error).toBeLessThan(2 ** -23)
    expect(2 ** -23).toBeLessThan(0.0008)
  })

  it('keeps what the code promises beyond', () => {
    expect(worst(spread(-12000, 12000, 40000, 2), error).error).toBeLessThan(2 ** -23)
    expect(worst(spread(-1e6, 1e6, 40000, 3), error).error).toBeLessThan(2 ** -15)
  })

  it('has a small relative error for small angles', () => {
    const relative = (x: number): number => relativeError(run('sincos', x)[0]!, Math.sin(x))
    expect(worst(patterns(SMALLEST_NORMAL, 1, 40000, 4), relative).error).toBeLessThan(2 ** -22)
  })

  it('stays in [-1, 1] for every finite angle', () => {
    for (const x of [
      ...patterns(SMALLEST_NORMAL, 3.4028234663852886e38, amount(9000, 60000), 5),
      ...spread(-5e6, 5e6, amount(9000, 60000), 6),
    ]) {
      const [sine, cosine] = run('sincos', x)
      expect(Math.abs(sine!) <= 1 && Math.abs(cosine!) <= 1, `sincos ${x}`).toBe(true)
    }
  })

  it('is odd and even', () => {
    for (const x of spread(0, 1e5, 5000, 7)) {
      const [sine, cosine] = run('sincos', x)
      expect(run('sincos', -x)).toEqual([-sine!, cosine])
    }
  })
})

describe('configurations', () => {
  it('fusing and keeping denormals change no bit of exp, log and sincos', () => {
    const other = numberOps({ denormals: 'keep', fma: true })
    for (const mnemonic of ['exp', 'log', 'sincos']) {
      const row = rowOfMnemonic(mnemonic)!
      if (row.traits.kind !== 'alu') throw new Error(mnemonic)
      const next = words(8)
      for (let i = 0; i < amount(3000, 20000); i++) {
        const source = [next() | 0]
        if ((source[0]! & 0x7f800000) === 0) continue
        expect(row.traits.semantics(other, source)).toEqual(row.traits.semantics(ops, source))
      }
    }
  })
})
