import { describe, expect, test } from 'vitest'
import { BC6H_MODES } from './bc6h.ts'
import { ANCHORS_2, ANCHORS_3_FIRST, ANCHORS_3_SECOND, PARTITIONS_2, PARTITIONS_3, WEIGHTS } from './bptc-tables.ts'

const two = (p: number, i: number): number => (PARTITIONS_2[p]! >>> i) & 1
const three = (p: number, i: number): number => (PARTITIONS_3[p]! >>> (2 * i)) & 3
const rows = (at: (i: number) => number): string[] =>
  [0, 4, 8, 12].map((r) => [0, 1, 2, 3].map((c) => at(r + c)).join(''))

describe('partitions and anchors', () => {
  test('64 of each, texel 0 in subset 0, every anchor in its own subset, all subsets used', () => {
    expect([PARTITIONS_2, PARTITIONS_3, ANCHORS_2, ANCHORS_3_FIRST, ANCHORS_3_SECOND].map((t) => t.length)).toEqual(
      Array.from({ length: 5 }, () => 64),
    )
    for (let p = 0; p < 64; p++) {
      expect([two(p, 0), two(p, ANCHORS_2[p]!)], `two ${p}`).toEqual([0, 1])
      const anchors = [three(p, 0), three(p, ANCHORS_3_FIRST[p]!), three(p, ANCHORS_3_SECOND[p]!)]
      expect(anchors, `three ${p}`).toEqual([0, 1, 2])
      for (let i = 0; i < 16; i++) expect(three(p, i)).toBeLessThan(3)
    }
  })

  test('partitions are different from each other', () => {
    expect(new Set(PARTITIONS_2).size).toBe(64)
    expect(new Set(PARTITIONS_3).size).toBe(64)
  })

  test('some as the tables of 19.5.14.5 and 19.5.14.6 draw them', () => {
    expect(rows((i) => two(0, i))).toEqual(['0011', '0011', '0011', '0011'])
    expect(rows((i) => two(10, i))).toEqual(['0000', '0001', '0111', '1111'])
    expect(rows((i) => two(34, i))).toEqual(['0101', '1010', '0101', '1010'])
    expect(rows((i) => two(63, i))).toEqual(['0100', '0100', '0111', '0111'])
    expect(rows((i) => three(0, i))).toEqual(['0011', '0011', '0221', '2222'])
    expect(rows((i) => three(11, i))).toEqual(['0012', '0012', '0012', '0012'])
    expect(rows((i) => three(63, i))).toEqual(['0111', '2011', '2201', '2220'])
  })

  test('weights run from 0 to 64 and are symmetric', () => {
    for (const bits of [2, 3, 4]) {
      const w = WEIGHTS[bits]!
      expect(w.length).toBe(1 << bits)
      expect(w.map((v) => 64 - v).reverse()).toEqual(w)
    }
  })
})

describe('BC6H headers', () => {
  test('14 modes, each header tiles its bits and gives every endpoint bit once', () => {
    const modes = BC6H_MODES.flatMap((m, number) => (m === undefined ? [] : [{ m, number }]))
    expect(modes.map((x) => x.number)).toEqual([0, 1, 2, 3, 6, 7, 10, 11, 14, 15, 18, 22, 26, 30])
    for (const { m, number } of modes) {
      let next = number < 2 ? 2 : 5
      const seen = new Map<number, number>()
      for (const run of m.runs) {
        expect(run.start, `mode ${number}`).toBe(next)
        next += run.count
        for (let i = 0; i < run.count; i++) {
          const bit = 1 << (run.bit + i * run.step)
          expect((seen.get(run.field) ?? 0) & bit, `mode ${number}`).toBe(0)
          seen.set(run.field, (seen.get(run.field) ?? 0) | bit)
        }
      }
      // Two regions: 82 bits with five of partition; one region: 65.
      expect(next, `mode ${number}`).toBe(m.twoRegions ? 77 : 65)
      for (let c = 0; c < 3; c++) {
        expect(seen.get(c * 4), `mode ${number}`).toBe((1 << m.endpointBits) - 1)
        for (const e of m.twoRegions ? [1, 2, 3] : [1]) {
          expect(seen.get(c * 4 + e), `mode ${number}`).toBe((1 << m.deltaBits[c]!) - 1)
        }
      }
    }
  })
})
