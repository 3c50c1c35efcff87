import type { Diagnostic } from '../../src/diagnostic/index.ts'
import {
  type ClassInstances,
  type DispatchOptions,
  type Engine,
  type LoadOptions,
  matchBindings,
  type Stop,
} from '../../src/engine/index.ts'
import type { Schedule } from '../../src/machine/index.ts'
import type { Program } from '../../src/program/index.ts'
import type { Numbers } from './random/random.ts'
import { randomBindings, type SlotHint } from './random-bindings.ts'
import { type Assembled, withText } from './random-program.ts'

/** Runs of random programs on engines, and how runs are compared. Free of the host: it runs in browsers too. */

export interface NamedWords {
  readonly name: string
  readonly words: Uint32Array
}

/** A program with what its dispatch needs; the contents of its bindings come from a seed. */
export interface Runnable {
  readonly program: Program
  readonly groups: readonly [number, number, number]
  readonly numbers: Numbers
  readonly hints?: Readonly<Record<string, SlotHint>>
  readonly classInstances: ClassInstances
  /** Part of the inputs that are small integers, for programs that use them as addresses and counts. */
  readonly integers?: number
}

/** What one run left behind. */
export interface Run {
  readonly outputs: readonly NamedWords[]
  readonly stopped: Stop | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/** Why there is no run: the code of the refusal and what it says. */
export interface Refusal {
  readonly refused: string
  /** The engine says that it does not compile this; another engine has to run it. */
  readonly notCompiled: boolean
}

const isRefusal = (run: Run | Refusal): run is Refusal => 'refused' in run

function refusal(diagnostics: readonly Diagnostic[]): Refusal {
  return {
    refused: diagnostics.map((d) => `${d.code}: ${d.message}`).join('; '),
    // Both leave the program to the reference engine: no code for it, or too much of it.
    notCompiled: diagnostics.some((d) => d.code === 'engine-not-compiled' || d.code === 'engine-code-size'),
  }
}

/** Programs end by themselves; those that take longer than this are not worth the time of a comparison. */
const MAX_INSTRUCTIONS = 200_000
/** One in this many slots is left unbound. */
const UNBOUND = 1 / 12

/** Runs a program on an engine, with inputs that depend on the seed alone. */
export async function runProgram(
  engine: Engine,
  p: Runnable,
  seed: number,
  load: LoadOptions,
  dispatch: DispatchOptions = {},
): Promise<Run | Refusal> {
  const loaded = engine.load(p.program, load)
  if (loaded.value === undefined) return refusal(loaded.diagnostics)
  const { numbers, hints = {}, classInstances, integers = 0 } = p
  const fill = { numbers, hints, integers, memory: engine.memory, unbound: UNBOUND }
  const made = randomBindings(loaded.value.declarations, seed, fill)
  const matched = matchBindings(loaded.value.declarations, made.bindings)
  if (matched.value === undefined) throw new Error(matched.diagnostics.map((d) => d.message).join('; '))
  const options = { maxInstructionsPerThread: MAX_INSTRUCTIONS, classInstances, ...dispatch }
  const result = await engine.dispatch(loaded.value, matched.value, p.groups, options)
  const outputs = made.outputs.map((o) => ({ name: o.name, words: o.words() }))
  made.release()
  if (result.stopped === 'refused') return refusal(result.diagnostics)
  return { outputs, stopped: result.stopped, diagnostics: result.diagnostics }
}

/** Words that a random program left in its outputs, in the order of its declarations. */
export type Outputs = readonly Uint32Array[]

const hex = (word: number | undefined): string =>
  word === undefined ? 'nothing' : `0x${word.toString(16).padStart(8, '0')}`

/** The first word that differs, or undefined. */
export function differingWord(want: readonly NamedWords[], got: readonly NamedWords[]): string | undefined {
  for (const [n, { name, words }] of want.entries()) {
    const other = got[n]!.words
    const at = words.findIndex((word, i) => word !== other[i])
    if (at >= 0) return `${name}[${at}] is ${hex(words[at])} on the reference engine, ${hex(other[at])} here`
  }
  return undefined
}

/** Findings without their counts: which codes at which statements. */
function findingsOf(run: Run): string[] {
  const place = (d: Diagnostic): string => (d.place?.kind === 'statement' ? String(d.place.index) : '')
  return [...new Set(run.diagnostics.map((d) => `${d.code} at statement ${place(d)}`))].sort()
}

export type Verdict =
  | { readonly kind: 'equal' }
  /** The reference engine gave up, so that there is nothing to compare with. */
  | { readonly kind: 'too-long' }
  | { readonly kind: 'not-compiled'; readonly text: string }
  | { readonly kind: 'differs'; readonly text: string }

/** Holds a run against the reference engine's. */
export function compareRuns(want: Run | Refusal, got: Run | Refusal, findings = false): Verdict {
  if (isRefusal(want)) return { kind: 'differs', text: `the reference engine refuses: ${want.refused}` }
  if (want.stopped === 'budget') return { kind: 'too-long' }
  if (isRefusal(got)) return { kind: got.notCompiled ? 'not-compiled' : 'differs', text: got.refused }
  if (want.stopped !== got.stopped) return { kind: 'differs', text: `stopped: ${want.stopped} / ${got.stopped}` }
  const word = differingWord(want.outputs, got.outputs)
  if (word !== undefined) return { kind: 'differs', text: word }
  if (!findings) return { kind: 'equal' }
  const [a, b] = [findingsOf(want), findingsOf(got)]
  const missing = a.filter((x) => !b.includes(x))
  const added = b.filter((x) => !a.includes(x))
  if (missing.length + added.length === 0) return { kind: 'equal' }
  return { kind: 'differs', text: `findings: missing ${missing.join(', ')}; added ${added.join(', ')}` }
}

export interface Comparison {
  readonly reference: Engine
  readonly engine: Engine
  readonly load: LoadOptions
  readonly dispatch?: DispatchOptions
  readonly findings?: boolean
}

/** Runs on the engine and holds it against a run of the reference engine. An exception is a difference. */
export async function compareWith(
  want: Run | Refusal,
  c: Omit<Comparison, 'reference'>,
  p: Runnable,
  seed: number,
): Promise<Verdict> {
  try {
    return compareRuns(want, await runProgram(c.engine, p, seed, c.load, c.dispatch), c.findings)
  } catch (e) {
    return { kind: 'differs', text: `threw ${String(e)}` }
  }
}

export async function compareOn(c: Comparison, p: Runnable, seed: number): Promise<Verdict> {
  return compareWith(await runProgram(c.reference, p, seed, c.load, c.dispatch), c, p, seed)
}

/** Narrow and wide waves in other orders, and the waves of compiled code. */
const SCHEDULES: readonly Schedule[] = [
  { waveWidth: 1, order: 'reverse', groupsInFlight: 2 },
  { waveWidth: 64, order: 'reverse', groupsInFlight: 2 },
  { waveWidth: 16, order: { seed: 7 }, groupsInFlight: 3 },
  ...([4, 8, 16] as const).map((waveWidth) => ({ waveWidth, order: 'forward', groupsInFlight: 1 }) as const),
]

/** Runs on the reference engine with other schedules: programs whose results depend on them are no test of an engine. */
export async function isRacy(reference: Engine, p: Runnable, seed: number, load: LoadOptions): Promise<boolean> {
  const forward = await runProgram(reference, p, seed, load)
  if (isRefusal(forward)) return false
  for (const schedule of SCHEDULES) {
    const other = await runProgram(reference, p, seed, load, { schedule })
    if (isRefusal(other) || differingWord(forward.outputs, other.outputs) !== undefined) return true
  }
  return false
}

const OPENS = /^(if_|loop|switch)/
const CLOSES = /^(endif|endloop|endswitch)/
/** Lines that others need: declarations, labels, and the thread's own numbers. */
const KEPT = /^([cvhdgp]s_|dcl_|label|ret$)|^\w+ r7\.[xyw]/

/** Whether lines can go together: whole blocks, and nothing that must stay. */
function removable(lines: readonly string[]): boolean {
  let depth = 0
  for (const line of lines) {
    if (KEPT.test(line)) return false
    if (OPENS.test(line)) depth++
    if (CLOSES.test(line) && --depth < 0) return false
  }
  return depth === 0
}

/** A smaller program for which `differs` still holds: runs of lines go, the longest first. */
export async function shrink<P extends Assembled>(p: P, differs: (p: P) => boolean | Promise<boolean>): Promise<P> {
  let best = p
  for (let size = 64; size >= 1; size = size > 8 ? size >> 1 : size - 1) {
    let lines = best.text.split('\n').filter((line) => line !== '')
    for (let at = 0; at + size <= lines.length; ) {
      const rest = [...lines.slice(0, at), ...lines.slice(at + size)]
      const candidate = removable(lines.slice(at, at + size)) ? withText(best, rest.join('\n')) : undefined
      if (candidate !== undefined && (await differs(candidate))) {
        best = candidate
        lines = rest
      } else at++
    }
  }
  return best
}
