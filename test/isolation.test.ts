import { describe, expect, test } from 'vitest'
import { BIG_LAYOUT, SMALL_LAYOUT } from './support/isolation/arena.ts'
import { edgePrograms } from './support/isolation/edges.ts'
import { IsolationBench } from './support/isolation/isolate.ts'

/** A few seeds of the isolation trials; `npm run isolation` goes through others, and through memory of more than 2 GiB. */

const SEEDS = 80

describe('programs of addresses between canaries', () => {
  for (const width of [1, 2, 4] as const) {
    test(`${width * 4} lanes on one thread`, async () => {
      const bench = new IsolationBench({ width })
      for (let seed = 1; seed <= SEEDS; seed++) {
        expect({ seed, wrong: await bench.trial(seed * 3 + width) }).toEqual({ seed, wrong: undefined })
      }
      expect(bench.finish()).toBeUndefined()
      bench.dispose()
    }, 60_000)
  }

  test('every edge of shared and private memory and of constants', async () => {
    const benches = ([1, 4] as const).map((width) => new IsolationBench({ width }))
    for (const [n, { name, program }] of edgePrograms().entries()) {
      expect({ name, wrong: await benches[n % 2]!.run(program) }).toEqual({ name, wrong: undefined })
    }
  }, 60_000)

  test('8 lanes on two threads, whose groups run in any order', async () => {
    const bench = new IsolationBench({ width: 2, threads: 2 })
    for (let seed = 1; seed <= SEEDS; seed++) {
      expect({ seed, wrong: await bench.trial(seed) }).toEqual({ seed, wrong: undefined })
    }
    bench.dispose()
  }, 60_000)

  test('the layouts are what the trials claim: a megabyte, and more than 2 GiB', () => {
    const bytes = (layout: typeof SMALL_LAYOUT): number =>
      layout.entries.reduce((n, x) => n + (x.kind === 'texture' ? 0 : x.byteLength), 0)
    expect(bytes(SMALL_LAYOUT)).toBeGreaterThan(700_000)
    expect(bytes(BIG_LAYOUT)).toBeGreaterThan(2 ** 31 + 2 ** 28)
  })
})
