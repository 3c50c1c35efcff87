import { expect, test } from 'vitest'
import { alphaToCoverage } from './index.ts'

test.each([1, 2, 4, 8, 16])('alpha covers none to all of %i samples, the first ones, more with more', (n) => {
  for (const alpha of [0, -0, -1, NaN, -Infinity]) expect(alphaToCoverage(alpha, n)).toBe(0)
  for (const alpha of [1, 1.5, Infinity]) expect(alphaToCoverage(alpha, n)).toBe(2 ** n - 1)
  let before = 0
  for (let i = 0; i <= 64; i++) {
    const mask = alphaToCoverage(i / 64, n)
    const covered = mask.toString(2).replaceAll('0', '').length
    expect(mask).toBe(2 ** covered - 1)
    expect(Math.abs(covered - (i / 64) * n)).toBeLessThanOrEqual(0.5)
    expect(covered).toBeGreaterThanOrEqual(before)
    before = covered
  }
})
