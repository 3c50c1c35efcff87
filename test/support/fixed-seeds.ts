import type { LoadOptions } from '../../src/engine/index.ts'
import { optionsOf, type RandomOptions, VALUE_ROWS } from './random-program.ts'

/** A random program and how it is loaded; the seed gives its inputs too. */
export interface SeededProgram {
  readonly seed: number
  readonly options: RandomOptions
  readonly load: LoadOptions
}

export interface SeedSet {
  readonly name: string
  readonly seeds: readonly SeededProgram[]
}

function seedSet(
  name: string,
  first: number,
  count: number,
  optionsOfSeed: (seed: number) => RandomOptions,
  load: LoadOptions = {},
): SeedSet {
  const seeds = Array.from({ length: count }, (_, n) => first + n)
  return { name, seeds: seeds.map((seed) => ({ seed, options: optionsOfSeed(seed), load })) }
}

const oneRow = (seed: number): RandomOptions => ({
  statements: 6,
  rows: [VALUE_ROWS[seed % VALUE_ROWS.length]!],
  flow: false,
  memory: false,
  barriers: false,
  numbers: 'special',
})

/** The fixed seeds of every run of the tests, in Node and in browsers; `scripts/differential.ts` goes through others. */
export const FIXED_SEEDS: readonly SeedSet[] = [
  seedSet('every value instruction on special operands', 1, VALUE_ROWS.length * 2, oneRow),
  seedSet('random programs of everything', 1000, 60, optionsOf),
  seedSet('random programs that keep denormals', 5000, 40, optionsOf, { denormals: 'keep' }),
]
