import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  checkDispatch,
  checkSchedule,
  DEFAULT_SCHEDULE,
  permutation,
  type Schedule,
  seedState,
  xorshift32,
} from './index.ts'

describe('orders', () => {
  test('forward and reverse', () => {
    expect([...permutation(4, 'forward')]).toEqual([0, 1, 2, 3])
    expect([...permutation(4, 'reverse')]).toEqual([3, 2, 1, 0])
    expect(permutation(0, { seed: 1 })).toHaveLength(0)
  })
  test('seeded: a permutation, the same each time, another for another seed or salt', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 200 }), fc.integer(), fc.nat(1000), (count, seed, salt) => {
        const p = permutation(count, { seed }, salt)
        expect([...p].sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i))
        expect(permutation(count, { seed }, salt)).toEqual(p)
      }),
    )
    const at = (seed: number, salt: number): string => permutation(32, { seed }, salt).join()
    expect(new Set([at(1, 0), at(2, 0), at(1, 1), at(2, 1)]).size).toBe(4)
  })
  test('the shuffle favors no place', () => {
    const counts = new Array<number>(4).fill(0)
    for (let seed = 0; seed < 4000; seed++) counts[permutation(4, { seed })[0]!]!++
    for (const n of counts) expect(Math.abs(n - 1000)).toBeLessThan(150)
  })
  test('xorshift32 as published: 1 gives 270369', () => {
    expect(xorshift32(1)).toBe(270369)
    expect(xorshift32(270369)).toBe(67634689)
    for (const seed of [0, 1, -1, 0x9e3779b9, 2 ** 32 - 1]) expect(seedState(seed)).toBeGreaterThan(0)
  })
})

describe('checks', () => {
  test('schedules', () => {
    expect(checkSchedule(DEFAULT_SCHEDULE)).toEqual([])
    expect(checkSchedule({ waveWidth: 64, order: { seed: -5 }, groupsInFlight: 3 })).toEqual([])
    const bad = { waveWidth: 7, order: 'sideways', groupsInFlight: 0 } as unknown as Schedule
    expect(checkSchedule(bad).map((d) => d.code)).toEqual(['machine-schedule', 'machine-schedule', 'machine-schedule'])
    expect(checkSchedule({ ...DEFAULT_SCHEDULE, order: { seed: Number.NaN } })).toHaveLength(1)
    expect(checkSchedule({ ...DEFAULT_SCHEDULE, order: null } as unknown as Schedule)).toHaveLength(1)
  })
  test('dispatches', () => {
    expect(checkDispatch([65535, 0, 1])).toEqual([])
    expect(checkDispatch([1, 1, 2], 1).map((d) => d.code)).toEqual(['machine-dispatch-size'])
    expect(checkDispatch([65536, -1, 1.5]).map((d) => d.message)).toEqual([
      expect.stringContaining('X is 65536'),
      expect.stringContaining('Y is -1'),
      expect.stringContaining('Z is 1.5'),
    ])
  })
})
