import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amount } from '../../../test/support/amount.ts'
import { numberOps } from '../../engine/reference/number-ops.ts'
import { INSTRUCTIONS, type Semantics } from '../../isa/index.ts'
import { type Bits, UNDEFINED_BITS_OPS, undefinedWord } from './bits.ts'

/** Words with up to four undefined bits, so that every way to fill them can be tried. */
const word = fc
  .record({
    value: fc.oneof(fc.constantFrom(0, 1, -1, 31, 0x7fffffff, -0x80000000, 0x3f800000, 8), fc.integer()),
    bits: fc.uniqueArray(fc.integer({ min: 0, max: 31 }), { maxLength: 3 }),
  })
  .map(({ value, bits }) => ({ value, mask: bits.reduce((m, b) => m | (1 << b), 0) }))

function* fillings(value: number, mask: number): Generator<number> {
  let subset = 0
  do {
    yield (value & ~mask) | subset
    subset = (subset - mask) & mask
  } while (subset !== 0)
}

/** Every combination of fillings of several words. */
function* combinations(words: readonly { value: number; mask: number }[]): Generator<number[]> {
  const [first, ...rest] = words
  if (first === undefined) {
    yield []
    return
  }
  for (const v of fillings(first.value, first.mask)) for (const others of combinations(rest)) yield [v, ...others]
}

const NUMBERS = numberOps({ denormals: 'keep' })

const rows = INSTRUCTIONS.flatMap((row) => {
  const { traits } = row
  if (traits.kind !== 'alu' || traits.lanes !== 'componentwise') return []
  const count = row.operands.filter((o) => o.role !== 'dest').length
  return [{ name: row.mnemonic, semantics: traits.semantics, count }]
})

function check(semantics: Semantics, words: readonly { value: number; mask: number }[]): void {
  const flow = semantics(
    UNDEFINED_BITS_OPS,
    words.map((w): Bits => undefinedWord(w.value, w.mask)),
  )
  let first: readonly number[] | undefined
  for (const filled of combinations(words)) {
    const results = semantics(NUMBERS, filled).map((n) => n | 0)
    first ??= results
    results.forEach((r, i) => {
      const differs = (r ^ first![i]!) & ~flow[i]!.undefinedBits
      expect(differs).toBe(0)
    })
  }
}

describe('undefined bits', () => {
  it('a bit that is called defined has one value however undefined bits are filled, in every instruction', () => {
    expect(rows.length).toBeGreaterThan(60)
    for (const { semantics, count } of rows) {
      fc.assert(
        fc.property(fc.array(word, { minLength: count, maxLength: count }), (words) => check(semantics, words)),
        { numRuns: amount(8, 25) },
      )
    }
  })

  it('defined words give defined results, in every instruction', () => {
    for (const { semantics, count } of rows) {
      fc.assert(
        fc.property(fc.array(fc.integer(), { minLength: count, maxLength: count }), (values) => {
          const results = semantics(
            UNDEFINED_BITS_OPS,
            values.map((v) => undefinedWord(v, 0)),
          )
          for (const r of results) expect(r.undefinedBits).toBe(0)
        }),
        { numRuns: amount(8, 20) },
      )
    }
  })
})
