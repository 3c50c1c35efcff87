/** Pairs of small programs, one with a fault and one without, and how the tests beside this file check them. */

import { expect, it } from 'vitest'
import { parseSuppression, type Report, type ReportFinding, type ReportSite } from '../../../src/check/index.ts'
import type { Bindings } from '../../../src/machine/index.ts'
import { type CheckTextOptions, checkText, rawUav } from '../../support/check-text.ts'

/**
 * A program of which only the instructions are given. A line may end with a name, as in `sync_g_t //@fence`, by which
 * expected findings call it. r7.x is four times the thread's index in its group, r7.y four times that in the dispatch.
 */
export interface Sample {
  readonly body: string
  readonly declarations?: string
  readonly threads?: readonly [number, number, number]
  readonly bindings?: () => Bindings
  readonly options?: CheckTextOptions
}

export interface Pair extends Omit<Sample, 'body'> {
  readonly faulty: string
  /** Programs that must stay silent: the corrected one, or those that look alike and are right. */
  readonly silent: string | readonly string[]
  /**
   * Each finding that is not a hint: `code place other xN`, with the names of its place and of the other one, and how
   * often it happened. Further pairs of places that the same cause concerns follow as `+ place other`.
   */
  readonly finds: readonly string[]
}

const PROLOGUE = ['ishl r7.x, vThreadIDInGroupFlattened.x, l(2)', 'ishl r7.y, vThreadID.x, l(2)']

const named = /\s*\/\/@(\w+)\s*$/

const hasUav = (declarations: string, n: number): boolean =>
  new RegExp(`^dcl_uav\\S* .*\\bu${n}\\b`, 'm').test(declarations)

/** The whole program, and the names of its instructions by number. */
function programOf(sample: Sample): { text: string; names: ReadonlyMap<number, string> } {
  const { declarations = 'dcl_tgsm_raw g0, 256', threads = [16, 1, 1] } = sample
  const lines = [...PROLOGUE, ...sample.body.split('\n').map((l) => l.trim()), 'ret'].filter((l) => l !== '')
  const names = new Map<number, string>()
  const instructions = lines.map((line, n) => {
    const name = named.exec(line)?.[1]
    if (name !== undefined) names.set(n, name)
    return line.replace(named, '')
  })
  const uavs = [0, 1].filter((n) => !hasUav(declarations, n)).map((n) => `dcl_uav_raw u${n}`)
  const text = [
    'cs_5_0',
    'dcl_globalFlags refactoringAllowed',
    ...uavs,
    ...declarations.split('\n').map((l) => l.trim()),
    'dcl_input vThreadIDInGroupFlattened',
    'dcl_input vThreadIDInGroup.xyz',
    'dcl_input vThreadGroupID.xyz',
    'dcl_input vThreadID.xyz',
    'dcl_temps 8',
    `dcl_thread_group ${threads.join(', ')}`,
    ...instructions,
  ]
  return { text: text.filter((l) => l !== '').join('\n'), names }
}

/** Runs a sample under the checker; u0 and u1 are raw buffers of 1024 bytes unless it binds others. */
export async function checkSample(sample: Sample): Promise<{ report: Report; textOf: (f: ReportFinding) => string }> {
  const { text, names } = programOf(sample)
  const bindings = { u0: rawUav(1024), u1: rawUav(1024), ...sample.bindings?.() }
  const report = await checkText(text, bindings, sample.options)
  const nameOf = ({ instruction: n }: ReportSite): string => (n === undefined ? '' : (names.get(n) ?? `#${n}`))
  const pairOf = ({ site, other }: Pick<ReportFinding, 'site' | 'other'>): string =>
    [site, ...(other === undefined ? [] : [other])].map(nameOf).join(' ')
  const textOf = (f: ReportFinding): string =>
    [`${f.code} ${pairOf(f)} x${f.count}`, ...(f.places ?? []).map(pairOf)].join(' + ')
  return { report, textOf }
}

/** Each finding that is not a hint, as `Pair.finds` has it, in alphabetical order. */
export async function findingsOf(sample: Sample): Promise<string[]> {
  const { report, textOf } = await checkSample(sample)
  expect(report.partial).toBeUndefined()
  return report.findings
    .filter((f) => f.severity !== 'hint')
    .map(textOf)
    .sort()
}

/** One test a pair: what is found in the faulty program, and that nothing is found in the others. */
export function pairs(all: Readonly<Record<string, Pair>>): void {
  for (const [title, pair] of Object.entries(all)) {
    it(title, async () => {
      const { faulty, silent, finds, ...common } = pair
      expect(await findingsOf({ ...common, body: faulty })).toEqual([...finds].sort())
      for (const body of [silent].flat()) expect([body, await findingsOf({ ...common, body })]).toEqual([body, []])
    })
  }
}

/** What is found when findings at a named place with a code are suppressed. */
export async function findingsWithout(sample: Sample, code: string, name: string): Promise<string[]> {
  const { names } = programOf(sample)
  const at = [...names].find(([, n]) => n === name)![0]
  const suppression = parseSuppression(`${code}@${at}`)
  if (!('code' in suppression) || 'message' in suppression) throw new Error(`${code}@${at} is no suppression`)
  return findingsOf({ ...sample, options: { ...sample.options, suppressions: [suppression] } })
}
