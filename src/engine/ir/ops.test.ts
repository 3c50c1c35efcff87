import { describe, expect, it } from 'vitest'
import { foldConstants } from './fold.ts'
import { OPS } from './ops.ts'
import type { Op } from './value.ts'

/** What the rows claim of operations, held against exact arithmetic on words where claims go wrong first. */

const NANS = [0x7fc00000, 0xffc00000, 0x7fc12345, 0x7f800001]
const WORDS = [
  ...[0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000],
  ...[0x3f000001, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0xffffffff, 2, 31, 33, 0x40490fdb, 0x1f000000],
  ...NANS,
]

const isNan = (w: number): boolean => (w & 0x7fffffff) > 0x7f800000
const isZero = (w: number): boolean => (w & 0x7fffffff) === 0
const isDenormal = (w: number): boolean => !isZero(w) && (w & 0x7f800000) === 0

const foldable = (Object.keys(OPS) as Op[]).filter(
  (op) => OPS[op].operands.length > 0 && foldConstants(op, [1, 1, 1]) !== undefined,
)

function* operandsOf(op: Op): Iterable<readonly number[]> {
  const count = OPS[op].operands.length
  for (const a of WORDS) {
    if (count === 1) yield [a]
    else
      for (const b of WORDS)
        if (count === 2) yield [a, b]
        else for (const c of WORDS) yield [a, b, c]
  }
}

const fold = (op: Op, words: readonly number[]): number => foldConstants(op, words)!

/** Which claims of a row do not hold for some operands. */
function brokenClaims(op: Op, words: readonly number[]): string[] {
  const row = OPS[op]
  const result = fold(op, words)
  const broken: string[] = []
  if (row.result === 'mask' && result !== 0 && result !== 0xffffffff) broken.push('result')
  const mayBe = row.denormal === 'possible' || (row.denormal === 'as-operands' && words.some(isDenormal))
  if (!mayBe && isDenormal(result)) broken.push('denormal')
  if (row.commutative && !isNan(result) && fold(op, [words[1]!, words[0]!]) !== result) broken.push('commutative')
  words.forEach((word, i) => {
    const changed = (w: number): number => fold(op, words.with(i, w))
    for (const nan of isNan(word) ? NANS : []) {
      const other = changed(nan)
      const isSame = other === result || (row.nanBits === 'as-result' && isNan(other) && isNan(result))
      if ((row.nanBits === 'never' || row.nanBits === 'as-result') && !isSame) broken.push('nanBits')
    }
    if (!isZero(word)) return
    const other = changed((word ^ 0x80000000) >>> 0)
    const isSame = other === result || (row.zeroSign === 'as-result' && isZero(other) && isZero(result))
    if ((row.zeroSign === 'never' || row.zeroSign === 'as-result') && !isSame) broken.push('zeroSign')
  })
  return broken
}

describe('rows of operations', () => {
  it('are there for every operation that is folded', () => expect(foldable.length).toBeGreaterThan(40))

  it.each(foldable)('%s', (op) => {
    const wrong: string[] = []
    for (const words of operandsOf(op)) {
      const broken = brokenClaims(op, words)
      if (broken.length > 0) wrong.push(`${words.map((w) => `0x${w.toString(16)}`).join(', ')}: ${broken.join(', ')}`)
    }
    expect(wrong).toEqual([])
  })

  it('say that an operation varies by its operands, or why it does without any', () => {
    for (const [op, row] of Object.entries(OPS)) {
      if (row.variesBy !== 'operands') expect(row.operands, op).toEqual([])
    }
  })
})
