/** Programs with two faults at once, for the fault suite: what is found of each, and what a suppression of one leaves. */

import { statementLister } from '../../src/asm/index.ts'
import { check, parseSuppression, type ReportFinding, type Suppression } from '../../src/check/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import type { Program } from '../../src/program/index.ts'
import { prepareKernel, readKernel } from '../support/kernel.ts'
import { laneMutantsOf, type Mutant, mutantsOf } from './mutate.ts'

/** A program with one or two faults, and which statement of the kernel each of its statements stands for. */
interface Faulty {
  readonly program: Program
  readonly original: (statement: number) => number
}

export interface TwoFaults {
  readonly kernel: string
  readonly first: Mutant
  readonly second: Mutant
  /** With the first fault alone, with the second alone, with both. */
  readonly programs: readonly [Faulty, Faulty, Faulty]
}

export type TwoVerdict = 'both' | 'first-alone' | 'second-alone' | 'neither' | 'not-judged'

export interface TwoFaultsVerdict {
  readonly faults: TwoFaults
  /** Which of the faults is found; not judged where one of them is not found by itself, or both look alike. */
  readonly found: TwoVerdict
  /** Findings of one fault that vanish when those of the other are suppressed. */
  readonly hidden: readonly string[]
}

const ENGINE = createReferenceEngine({})
const MAX_INSTRUCTIONS = 40_000

async function findingsOf(
  kernelName: string,
  program: Program,
  suppressions: readonly Suppression[] = [],
): Promise<readonly ReportFinding[]> {
  const kernel = readKernel(kernelName)
  const { bindings } = prepareKernel(kernel)
  const options = { maxInstructionsPerThread: MAX_INSTRUCTIONS, lister: statementLister, suppressions }
  const report = await check(ENGINE, program, bindings, kernel.dispatch, options)
  return report.findings.filter((f) => f.severity !== 'hint')
}

/** The statement of the kernel that one of a mutant stands for: a mutation replaces one statement by one or several. */
function before(mutant: Mutant, length: number): (statement: number) => number {
  const added = mutant.program.statements.length - length
  return (at) => (at <= mutant.statement ? at : Math.max(mutant.statement, at - added))
}

/** A finding by its code and the statements of the kernel, so that it is known again where statements have moved. */
const identity = (f: ReportFinding, original: (statement: number) => number): string => {
  const other = f.other === undefined ? [] : [original(f.other.statement)]
  return [f.code, ...[original(f.site.statement), ...other].sort((x, y) => x - y)].join(' ')
}

const suppressionOf = (f: ReportFinding): string => `${f.code}@${f.site.instruction}`

/** The mutant of the same kind at the same statement, `by` statements further on. */
const sameMutant = (all: readonly Mutant[], wanted: Mutant, by: number): Mutant | undefined =>
  all.find((m) => m.kind === wanted.kind && m.statement === wanted.statement + by && m.before === wanted.before)

/** The second fault is put into a program that has the first already. */
function combined(kernel: string, program: Program, first: Mutant, second: Mutant): TwoFaults | undefined {
  const { length } = program.statements
  const by = first.program.statements.length - length
  const both = sameMutant(mutantsOf(kernel, first.program), second, by)
  if (both === undefined) return undefined
  const fromFirst = before(first, length)
  const fromBoth = before(both, first.program.statements.length)
  return {
    kernel,
    first,
    second,
    programs: [
      { program: first.program, original: fromFirst },
      { program: second.program, original: before(second, length) },
      { program: both.program, original: (at) => fromFirst(fromBoth(at)) },
    ],
  }
}

/** Pairs of mutants of a kernel of different kinds at different statements; about `count` of them, evenly spread. */
export function twoFaultsOf(kernel: string, count: number): TwoFaults[] {
  const { program } = readKernel(kernel)
  const all = mutantsOf(kernel, program)
  const pairs = all.flatMap((first, i) =>
    all
      .slice(i + 1)
      .filter((second) => second.statement > first.statement + 1 && second.kind !== first.kind)
      .map((second) => [first, second] as const),
  )
  const step = Math.max(1, pairs.length / count)
  const found: TwoFaults[] = []
  for (let at = 0; at < pairs.length; at += step) {
    const [first, second] = pairs[Math.floor(at)]!
    const two = combined(kernel, program, first, second)
    if (two !== undefined) found.push(two)
  }
  return found
}

/** Stores of a kernel whose value is undefined for two reasons, one in odd threads and one in even ones. */
export function lanesOf(kernel: string): TwoFaults[] {
  const asItIs = (m: Mutant): Faulty => ({ program: m.program, original: (at) => at })
  return laneMutantsOf(kernel, readKernel(kernel).program).map(({ odd, even, both }) => ({
    kernel,
    first: odd,
    second: even,
    programs: [asItIs(odd), asItIs(even), asItIs(both)],
  }))
}

/** Which findings vanish from `kept` when `suppressed` are suppressed, except those of the same code at the same place. */
async function hiddenBy(
  kernel: string,
  program: Program,
  suppressed: readonly ReportFinding[],
  kept: readonly ReportFinding[],
): Promise<string[]> {
  const texts = new Set(suppressed.map(suppressionOf))
  const suppressions = [...texts].map((t) => parseSuppression(t)).filter((s): s is Suppression => !('message' in s))
  const asIs = (f: ReportFinding): string => identity(f, (at) => at)
  const left = new Set((await findingsOf(kernel, program, suppressions)).map(asIs))
  return kept.filter((f) => !texts.has(suppressionOf(f)) && !left.has(asIs(f))).map(asIs)
}

/** Checks each fault by itself, then both, then both with the findings of one suppressed. */
export async function judgeTwoFaults(faults: TwoFaults): Promise<TwoFaultsVerdict> {
  const { kernel, programs } = faults
  const [first, second, both] = programs
  const identities = async ({ program, original }: Faulty): Promise<ReadonlySet<string>> =>
    new Set((await findingsOf(kernel, program)).map((f) => identity(f, original)))
  const [ofFirst, ofSecond] = [await identities(first), await identities(second)]
  const isOwn = (own: ReadonlySet<string>, other: ReadonlySet<string>): boolean => [...own].some((f) => !other.has(f))
  if (!isOwn(ofFirst, ofSecond) || !isOwn(ofSecond, ofFirst)) return { faults, found: 'not-judged', hidden: [] }
  const together = await findingsOf(kernel, both.program)
  const only = (own: ReadonlySet<string>, other: ReadonlySet<string>): ReportFinding[] =>
    together.filter((f) => own.has(identity(f, both.original)) && !other.has(identity(f, both.original)))
  const [a, b] = [only(ofFirst, ofSecond), only(ofSecond, ofFirst)]
  const found: TwoVerdict =
    a.length > 0 && b.length > 0 ? 'both' : a.length > 0 ? 'first-alone' : b.length > 0 ? 'second-alone' : 'neither'
  const hidden =
    found === 'both'
      ? [...(await hiddenBy(kernel, both.program, a, b)), ...(await hiddenBy(kernel, both.program, b, a))]
      : []
  return { faults, found, hidden }
}
