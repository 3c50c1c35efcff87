import { describe, expect, it } from 'vitest'
import { check, isClean } from '../../src/check/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { KERNEL_NAMES, prepareKernel, readKernel } from '../support/kernel.ts'
import { judge, type Verdict } from './judge.ts'
import { mutantsOf } from './mutate.ts'
import { judgeTwoFaults, lanesOf, type TwoFaults, twoFaultsOf } from './two-faults.ts'

/** Kernels whose runs are short; `scripts/mutants.ts` goes through all of them. */
const QUICK = ['copy', 'saxpy', 'reduce', 'scan', 'histogram', 'oit', 'rawcopy', 'xxhash'] as const
/** How many of the mutants that are judged misbehave, which running them in eight ways shows, without the checker. */
const MISBEHAVING = { copy: 4, saxpy: 5, reduce: 14, scan: 29, histogram: 8, oit: 4, rawcopy: 3, xxhash: 6 } as const

/**
 * What one run cannot show: without the guard of oit the threads past the end take places in the list only where they run
 * before others, and in the usual order they run last.
 */
const BEYOND_ONE_RUN = ['oit guard-removed at 9: ']

describe('kernels without a fault', () => {
  for (const name of KERNEL_NAMES) {
    it(`${name} is clean`, async () => {
      const kernel = readKernel(name)
      const { bindings } = prepareKernel(kernel)
      const report = await check(createReferenceEngine({}), kernel.program, bindings, kernel.dispatch)
      expect([report.partial, report.findings.filter((f) => f.severity !== 'hint')]).toEqual([undefined, []])
      expect(isClean(report)).toBe(true)
    })
  }
})

describe('kernels with one fault each', () => {
  for (const name of QUICK) {
    it(`${name}: what misbehaves is found, with the right code and line`, async () => {
      const verdicts: Verdict[] = []
      // Every third: the kinds repeat from statement to statement.
      for (const mutant of mutantsOf(name, readKernel(name).program).filter((_, i) => i % 3 === 0)) {
        verdicts.push(await judge(mutant))
      }
      const real = verdicts.filter((v) => v.truth === 'misbehaves')
      const missed = real.filter((v) => !v.rightCode || !v.rightLine)
      expect(real.length).toBe(MISBEHAVING[name])
      const texts = missed.map((v) => `${name} ${v.mutant.kind} at ${v.mutant.statement}: ${v.codes.join(' ')}`)
      expect(texts.filter((text) => !BEYOND_ONE_RUN.includes(text))).toEqual([])
    })
  }
})

/**
 * A store that reaches past its structure stores nothing, so the 0 of a load out of bounds before it never matters. Places
 * that are consumed where they should be allocated lie out of bounds by themselves.
 */
const ONE_OF_TWO = [
  'saxpy index-minus-one 9, byte-offset-past-structure 12: second-alone',
  'oit counter-direction 12, index-plus-one 25: first-alone',
]

describe('kernels with two faults', () => {
  const failuresOf = async (all: readonly TwoFaults[]): Promise<{ failures: string[]; both: number }> => {
    const failures: string[] = []
    let both = 0
    for (const faults of all) {
      const { found, hidden } = await judgeTwoFaults(faults)
      const { kernel, first, second } = faults
      const text = `${kernel} ${first.kind} ${first.statement}, ${second.kind} ${second.statement}: ${found}`
      if (found === 'both') both++
      else if (found !== 'not-judged' && !ONE_OF_TWO.includes(text)) failures.push(text)
      for (const f of hidden) failures.push(`${text}, hidden ${f}`)
    }
    return { failures, both }
  }

  // Pairs of which each fault has a finding of its own.
  it.each([
    ['saxpy', 4],
    ['scan', 2],
    ['histogram', 4],
    ['oit', 1],
  ] as const)('%s: both are found, and neither hides the other', async (name, pairs) => {
    const { failures, both } = await failuresOf(twoFaultsOf(name, 4))
    expect(failures).toEqual([])
    expect(both).toBe(pairs)
  })

  it.each(['saxpy', 'copy', 'rawcopy', 'oit'])('%s: of different threads', async (name) => {
    const { failures, both } = await failuresOf(lanesOf(name))
    expect(failures).toEqual([])
    expect(both).toBe(1)
  })
})
