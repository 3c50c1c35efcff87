import { describe, expect, it } from 'vitest'
import { amount, everyNth } from '../support/amount.ts'
import { corpusFiles } from '../support/corpus.ts'
import {
  askEverything,
  expectFixesRemoveFindings,
  expectFormatKeepsBytes,
  expectRenameExchanges,
  MISTAKES,
  numbersFrom,
  randomEdits,
} from '../support/language-sweeps.ts'

const FILES = everyNth(corpusFiles(), 61)

/** All of the corpus takes its time where other work is done beside. */
const LONG = 600_000

describe('editors on listings of the corpus', { timeout: LONG }, () => {
  it('are answered everything, everywhere', () => {
    for (const [i, { listing }] of FILES.entries()) askEverything(listing, i, 12)
  })

  it('are answered everything of damaged texts', () => {
    for (const [i, { listing }] of FILES.entries()) {
      for (let k = 0; k < amount(1, 3); k++) askEverything(randomEdits(listing, 31 * i + k), i, 6)
    }
  })

  it('format without changing the bytes', () => {
    for (const { listing } of FILES) {
      expectFormatKeepsBytes(listing)
      expectFormatKeepsBytes(listing.replaceAll(', ', ',   ').replaceAll(/^ +/gm, '\t'))
    }
  })

  it('rename by exchange', () => {
    const renamed = FILES.filter(({ listing }) => {
      return [
        [0, 1],
        [1, 0],
        [0, 2],
      ]
        .map(([a, b]) => expectRenameExchanges(listing, a!, b!))
        .some((done) => done)
    })
    expect(renamed.length).toBeGreaterThan(FILES.length / 2)
  })

  // Each mistake is made in another part of the corpus.
  it.each(Object.entries(MISTAKES).map(([name, mistake], k) => ({ name, mistake, k })))(
    'offer fixes that remove the finding: $name',
    ({ mistake, k }) => {
      const step = amount(1, 8)
      let fixes = 0
      for (const [i, { listing, synthetic }] of FILES.entries()) {
        if (synthetic || (i + k) % step !== 0) continue
        const broken = mistake(listing.split('\n'), numbersFrom(i + k))
        if (broken !== undefined) fixes += expectFixesRemoveFindings(broken.join('\n'))
      }
      expect(fixes).toBeGreaterThanOrEqual(amount(0, 1))
    },
  )
})
