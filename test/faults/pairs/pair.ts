/** Pairs of small programs, one with a fault and one without, and how the tests beside this file check them. */

import { expect, it } from 'vitest'
import { parseSuppression, type Report, type ReportFinding } from '../../../src/check/index.ts'
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
  /** Each finding that is not a hint: the code and the names of its one or two places, in alphabetical order. */
  readonly finds?: readonly string[]
  /** Instead of `finds`, where one fault makes several pairs of accesses race: codes and places that findings have. */
  readonly among?: { readonly codes: readonly string[]; readonly places: readonly string[] }
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
export async function checkSample(sample: Sample): Promise<{ report: Report; places: (f: ReportFinding) => string }> {
  const { text, names } = programOf(sample)
  const bindings = { u0: rawUav(1024), u1: rawUav(1024), ...sample.bindings?.() }
  const report = await checkText(text, bindings, sample.options)
  const nameOf = (n: number | undefined): string => (n === undefined ? '' : (names.get(n) ?? `#${n}`))
  const places = (f: ReportFinding): string => {
    const all = [nameOf(f.site.instruction), ...(f.other === undefined ? [] : [nameOf(f.other.instruction)])]
    return [...new Set(all)].sort().join(' ')
  }
  return { report, places }
}

/** Code and places of each finding that is not a hint, in alphabetical order. */
export async function findingsOf(sample: Sample): Promise<string[]> {
  const { report, places } = await checkSample(sample)
  expect(report.partial).toBeUndefined()
  const counted = report.findings.filter((f) => f.severity !== 'hint')
  return counted.map((f) => `${f.code} ${places(f)}`).sort()
}

/** One test a pair: what is found in the faulty program, and that nothing is found in the others. */
export function pairs(all: Readonly<Record<string, Pair>>): void {
  for (const [title, pair] of Object.entries(all)) {
    it(title, async () => {
      const { faulty, silent, finds, among, ...common } = pair
      const found = await findingsOf({ ...common, body: faulty })
      if (finds !== undefined) expect(found).toEqual([...finds].sort())
      if (among !== undefined) {
        expect(found).not.toEqual([])
        const [codes, places] = [new Set<string>(), new Set<string>()]
        for (const [code, ...at] of found.map((f) => f.split(' '))) {
          codes.add(code!)
          for (const place of at) places.add(place)
        }
        expect([...codes].sort()).toEqual([...among.codes].sort())
        expect(among.places).toEqual(expect.arrayContaining([...places]))
      }
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
