import { statementLister } from '../../src/asm/index.ts'
import { check, DEFAULT_DETECTORS, type DetectorName, type Report } from '../../src/check/index.ts'
import { type DispatchResult, matchBindings } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import type { Schedule, UndefinedPolicy } from '../../src/machine/index.ts'
import { type Kernel, outcomeOf, prepareKernel, readKernel } from '../support/kernel.ts'
import type { Mutant } from './mutate.ts'

/**
 * What a mutant really does, found by running it many ways, and what the checker says of it.
 * - `misbehaves`: two runs of it differ, undefined contents show, or an operation is undefined or out of bounds.
 * - `other-result`: every run gives the same, which is not what the kernel gives: wrong, but nothing that a checker of
 *   memory can know.
 * - `equivalent`: every run gives what the kernel gives.
 */
export type Truth = 'misbehaves' | 'other-result' | 'equivalent'

export interface Verdict {
  readonly mutant: Mutant
  readonly truth: Truth
  /** How it was shown to misbehave. */
  readonly proof?: string
  readonly found: boolean
  /** One of the codes expected of this kind of fault is among those reported. */
  readonly rightCode: boolean
  /** One of the findings names a statement of the changed text, or one that touches the same memory. */
  readonly rightLine: boolean
  readonly codes: readonly string[]
}

const ENGINE = createReferenceEngine({})
const MAX_INSTRUCTIONS = 40_000

const SCHEDULES: readonly (Schedule & { readonly policy?: UndefinedPolicy })[] = [
  { waveWidth: 32, order: 'forward', groupsInFlight: 1 },
  { waveWidth: 64, order: 'reverse', groupsInFlight: 1 },
  { waveWidth: 1, order: { seed: 1 }, groupsInFlight: 3 },
  { waveWidth: 1, order: 'reverse', groupsInFlight: 2 },
  { waveWidth: 4, order: 'forward', groupsInFlight: 1 },
  { waveWidth: 8, order: { seed: 5 }, groupsInFlight: 4 },
  { waveWidth: 16, order: 'reverse', groupsInFlight: 1 },
  { waveWidth: 32, order: 'forward', groupsInFlight: 1, policy: 'poison' },
]

type Outcome = Record<string, Uint8Array>

function sameOutcome(a: Outcome, b: Outcome): boolean {
  return Object.keys(a).every((key) => {
    const [x, y] = [a[key]!, b[key]!]
    return x.length === y.length && x.every((byte, i) => byte === y[i])
  })
}

/** Nodes that a list may have before it is taken to have no end. */
const MAX_NODES = 10_000

/** For each head the payloads of its list in ascending order, as text; a list that leaves the buffer or never ends says so. */
function listTexts(heads: Uint32Array, nodes: Uint32Array, stride: number): string[] {
  const words = stride / 4
  return [...heads].map((head) => {
    const payloads: string[] = []
    for (let at = head; at !== 0xffffffff; at = nodes[at * words]!) {
      if ((at + 1) * words > nodes.length || payloads.length > MAX_NODES) return 'broken'
      payloads.push(nodes.subarray(at * words + 1, (at + 1) * words).join(' '))
    }
    return payloads.sort().join(', ')
  })
}

/** What a run left, in a form that does not depend on the order in which lists were built. */
function outcome(kernel: Kernel, run: ReturnType<typeof prepareKernel>): Outcome {
  const lists = kernel.description.check.find((c) => c.compare === 'lists')
  if (lists === undefined) return outcomeOf(kernel, run)
  const wordsOf = (slot: string): Uint32Array => new Uint32Array(run.resources.get(slot)!.storage.bytes.slice().buffer)
  const texts = listTexts(wordsOf(lists.heads!), wordsOf(lists.nodes!), lists.stride!)
  return { lists: new TextEncoder().encode(texts.join('\n')) }
}

function runOnce(
  kernel: Kernel,
  program: Kernel['program'],
  s: (typeof SCHEDULES)[number],
): { result: DispatchResult; left: Outcome } | undefined {
  const loaded = ENGINE.load(program).value
  if (loaded === undefined) return undefined
  const run = prepareKernel(kernel)
  const bindings = matchBindings(loaded.declarations, run.bindings).value!
  const { policy, ...schedule } = s
  const result = ENGINE.dispatch(loaded, bindings, kernel.dispatch, {
    schedule,
    maxDiagnostics: 20,
    maxInstructionsPerThread: MAX_INSTRUCTIONS,
    ...(policy === undefined ? {} : { undefinedPolicy: policy }),
  }) as DispatchResult
  return { result, left: outcome(kernel, run) }
}

/** Accesses that Direct3D drops or answers with 0 count as misbehavior where the result is another one. */
function judgeTruth(kernel: Kernel, mutant: Mutant): { truth: Truth; proof?: string } {
  const original = runOnce(kernel, kernel.program, SCHEDULES[0]!)!
  const usual = new Set(original.result.diagnostics.map((d) => d.code))
  let first: Outcome | undefined
  let dropped = false
  for (const s of SCHEDULES) {
    const run = runOnce(kernel, mutant.weakest ?? mutant.program, s)
    if (run === undefined) return { truth: 'equivalent' }
    if (run.result.undefinedCount > 0)
      return { truth: 'misbehaves', proof: `undefined: ${run.result.diagnostics[0]?.code}` }
    dropped ||= run.result.diagnostics.some((d) => d.code.startsWith('engine-') && !usual.has(d.code))
    if (run.result.stopped !== undefined) return { truth: 'misbehaves', proof: run.result.stopped }
    first ??= run.left
    if (!sameOutcome(first, run.left)) {
      return {
        truth: 'misbehaves',
        proof: `differs under waves of ${s.waveWidth}${s.policy === undefined ? '' : ', poison'}`,
      }
    }
  }
  if (sameOutcome(first!, original.left)) return { truth: 'equivalent' }
  return dropped
    ? { truth: 'misbehaves', proof: 'another result, with accesses out of bounds' }
    : { truth: 'other-result' }
}

/** Statements that the mutation put in, or that touch a register that it touches. */
function isNear(mutant: Mutant, statement: number, list: (at: number) => string | undefined): boolean {
  if (Math.abs(statement - mutant.statement) <= 3) return true
  const registers = new Set(`${mutant.before} ${mutant.after}`.match(/\b[guxr]\d+\b/g) ?? [])
  const named: readonly string[] = (list(statement) ?? '').match(/\b[guxr]\d+\b/g) ?? []
  return registers.size === 0 ? named.some((r) => /^[gu]/.test(r)) : named.some((r) => registers.has(r))
}

function isRightLine(mutant: Mutant, report: Report): boolean {
  const list = statementLister(mutant.program)
  return report.findings.some(
    (f) =>
      (mutant.codes as readonly string[]).includes(f.code) &&
      [f, ...(f.places ?? [])].some(
        ({ site, other }) =>
          isNear(mutant, site.statement, list) || (other !== undefined && isNear(mutant, other.statement, list)),
      ),
  )
}

/** Runs a mutant every way and checks it as a user would: once, and with several schedules where that finds nothing. */
export async function judge(mutant: Mutant): Promise<Verdict> {
  const kernel = readKernel(mutant.kernel)
  const checkWith = (detectors: readonly DetectorName[]): Promise<Report> => {
    const { bindings } = prepareKernel(kernel)
    const options = { maxInstructionsPerThread: MAX_INSTRUCTIONS, detectors }
    return check(ENGINE, mutant.program, bindings, kernel.dispatch, options)
  }
  const told = (report: Report): Report['findings'] => report.findings.filter((f) => f.severity !== 'hint')
  const truth = judgeTruth(kernel, mutant)
  let report = await checkWith(DEFAULT_DETECTORS)
  const isEndless = report.partial === 'instructions'
  // Where the order of a result is open by design, as that of linked lists, differing schedules prove nothing.
  const isOpen = kernel.description.check.some((c) => c.compare === 'lists')
  const needsSchedules = truth.truth === 'misbehaves' && told(report).length === 0 && !isEndless && !isOpen
  if (needsSchedules) report = await checkWith(['schedules'])
  const findings = told(report)
  const codes = [...new Set(findings.map((f) => f.code as string)), ...(isEndless ? ['check-stopped'] : [])]
  const byResult = isEndless || codes.includes('check-schedule')
  return {
    mutant,
    ...truth,
    found: findings.length > 0 || isEndless,
    rightCode: byResult || codes.some((c) => (mutant.codes as readonly string[]).includes(c)),
    rightLine: byResult || isRightLine(mutant, { ...report, findings }),
    codes,
  }
}
