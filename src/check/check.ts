import { type Diagnostic, diagnostic } from '../diagnostic/index.ts'
import {
  type ClassInstances,
  type DispatchCounts,
  type DispatchOptions,
  type DispatchResult,
  type Engine,
  type GroupCounts,
  groupCounts,
  type LoadedShader,
  type LoadOptions,
  matchBindings,
  type Progress,
  runInSlices,
  type Stop,
  threadsOf,
} from '../engine/index.ts'
import {
  type Bindings,
  type ResolvedBindings,
  type Schedule,
  saveContents,
  type UndefinedPolicy,
} from '../machine/index.ts'
import type { Program } from '../program/index.ts'
import { readShader, type ShaderFacts, shaderFacts } from '../shader/index.ts'
import { makeBudget } from './budget.ts'
import type { CheckContext, Detector } from './context.ts'
import { checkSchedules, defaultSchedules } from './detectors/schedules.ts'
import { contextOf, makeDetectors } from './make-detectors.ts'
import { combineObservers } from './observers.ts'
import { detectRaces } from './races/races.ts'
import { type FindingSink, makeFindingSink } from './report/finding.ts'
import { missingBarriers } from './report/missing-barriers.ts'
import { foldCauses, sharedCauses } from './report/one-cause.ts'
import {
  DEFAULT_DETECTORS,
  type DetectorName,
  type PartialReason,
  type Report,
  type ReportFinding,
} from './report/report.ts'
import { RANK, reportFinding, withoutEchoes } from './report/report-finding.ts'
import { linesOf, lineText } from './report/source-lines.ts'
import { isSuppressed, type Suppression } from './report/suppressions.ts'

/** What `check` takes beside the dispatch: detectors, schedules, limits, and what reports show. */
export interface CheckOptions {
  /** Name of what is checked, for reports of many. */
  readonly name?: string | undefined
  /** What to look for; default bounds, uninitialized, races, barriers and counters. */
  readonly detectors?: readonly DetectorName[] | undefined
  /** Also report contents of UAVs that the dispatch reads and did not write. */
  readonly uninitializedUavs?: boolean | undefined
  /**
   * Slots (`t0`, `u1,space2`), or all, whose loads out of bounds are meant to give 0, as those of filters at the edge of
   * an image: they are no findings. Stores and atomics out of bounds stay findings.
   */
  readonly zeroBorder?: readonly string[] | 'all' | undefined
  /** How the checked run is scheduled. Findings of races do not depend on it. */
  readonly schedule?: Schedule | undefined
  /** Schedules that the detector `schedules` compares; default several wave widths and orders. */
  readonly schedules?: readonly Schedule[] | undefined
  /** What the checked run does where Direct3D leaves open what happens; default `report`. */
  readonly undefinedPolicy?: UndefinedPolicy | undefined
  /** Default 100 million. */
  readonly maxInstructionsPerThread?: number | undefined
  /** Different findings kept; default 100. */
  readonly maxFindings?: number | undefined
  /** Bytes that the detectors' tables may take; default 2 GiB. */
  readonly maxShadowByteLength?: number | undefined
  /** Milliseconds after which the check stops with what it has; no limit by default. */
  readonly maxMilliseconds?: number | undefined
  /** Stops the check when it is aborted: the report has what was found until then. */
  readonly signal?: AbortSignal | undefined
  /** Is called with how far the checked run is, each time it yields and at its end. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** Findings that are known and left out of the report. */
  readonly suppressions?: readonly Suppression[] | undefined
  /** What interface pointers point to; default those of the shader. */
  readonly classInstances?: ClassInstances | undefined
  /** How the program is loaded, where it is given as bytes or as a Program. */
  readonly load?: LoadOptions | undefined
  /** Text of statements, by program. The public face fills it in. */
  readonly lister?: ((program: Program) => (statement: number) => string | undefined) | undefined
}

/** A device, or an engine by itself. */
export type CheckTarget = Engine | { readonly engine: Engine }
/** A container's bytes, a program, or what a device or engine made of one. */
export type CheckShader =
  | Uint8Array
  | Program
  | LoadedShader
  | { readonly loaded: LoadedShader; readonly classInstances?: ClassInstances }

export const MAX_FINDINGS = 100
export const MAX_SHADOW_BYTES = 2 ** 31
/** Pairs of statements are kept until those of one cause have become one finding. */
const PAIRS_PER_FINDING = 16

interface Loading {
  readonly loaded?: LoadedShader
  readonly facts: ShaderFacts
  readonly classInstances?: ClassInstances
  readonly diagnostics: readonly Diagnostic[]
}

function loadBytes(engine: Engine, bytes: Uint8Array, options: CheckOptions, progress: () => void): Loading {
  const { value: shader, diagnostics } = readShader(bytes)
  if (shader === undefined) return { facts: {}, diagnostics }
  const loading = loadProgram(engine, shader.program, options, progress)
  return { ...loading, facts: shaderFacts(shader.container), diagnostics: [...diagnostics, ...loading.diagnostics] }
}

function loadProgram(engine: Engine, program: Program, options: CheckOptions, progress: () => void): Loading {
  const listing = options.lister?.(program)
  const outcome = engine.load(program, { ...options.load, progress, listing })
  const { value, diagnostics } = outcome
  return { facts: {}, diagnostics, ...(value === undefined ? {} : { loaded: value }) }
}

function load(engine: Engine, shader: CheckShader, options: CheckOptions, progress: () => void): Loading {
  if (shader instanceof Uint8Array) return loadBytes(engine, shader, options, progress)
  if ('statements' in shader) return loadProgram(engine, shader, options, progress)
  if ('declarations' in shader) return { loaded: shader, facts: {}, diagnostics: [] }
  const { classInstances } = shader
  return {
    loaded: shader.loaded,
    facts: {},
    diagnostics: [],
    ...(classInstances === undefined ? {} : { classInstances }),
  }
}

export function partialOf(result: { readonly stopped?: Stop | undefined }): PartialReason | undefined {
  switch (result.stopped) {
    case undefined:
      return undefined
    case 'budget':
      return 'instructions'
    case 'refused':
      return 'refused'
    case 'time':
    case 'canceled':
      return result.stopped
    case 'trap':
    case 'abort':
    case 'lost':
      return 'stopped'
  }
}

function dispatchOptions(options: CheckOptions, classInstances: ClassInstances | undefined): DispatchOptions {
  const { schedule, undefinedPolicy, maxInstructionsPerThread, signal } = options
  return { maxDiagnostics: 0, schedule, undefinedPolicy, maxInstructionsPerThread, classInstances, signal }
}

/** The first findings up to a limit; hints have one of their own. */
function firstFindings(all: readonly ReportFinding[], limit: number): { kept: ReportFinding[]; dropped: number } {
  const room = { hints: limit, others: limit }
  const kept = all.filter((f) => room[f.severity === 'hint' ? 'hints' : 'others']-- > 0)
  return { kept, dropped: Math.max(0, -room.others) }
}

/** A loaded shader with its bindings matched: what `check` comes down to, and what a host with its own loading calls. */
export interface CheckJob {
  readonly engine: Engine
  readonly loaded: LoadedShader
  readonly bindings: ResolvedBindings
  readonly groups: GroupCounts
  readonly facts: ShaderFacts
  readonly classInstances?: ClassInstances
  /** What was found on the way here. */
  readonly diagnostics?: readonly Diagnostic[]
  /** When the check stops with what it has, as of `Date.now()`; default `maxMilliseconds` from now. */
  readonly deadline?: number
}

const deadlineOf = (options: CheckOptions): number => Date.now() + (options.maxMilliseconds ?? Number.POSITIVE_INFINITY)

interface Observed {
  readonly result?: DispatchResult
  readonly partial?: PartialReason
  readonly shadowByteLength: number
}

/** Runs a dispatch under all detectors; the budget ends it early. */
async function observe(
  { engine, loaded, bindings, groups }: CheckJob,
  base: DispatchOptions,
  detectors: readonly Detector[],
  options: CheckOptions,
  deadline: number,
): Promise<Observed> {
  const shadowBytes = (): number => detectors.reduce((n, d) => n + (d.byteLength?.() ?? 0), 0)
  const budget = makeBudget(shadowBytes, options.maxShadowByteLength ?? MAX_SHADOW_BYTES, deadline)
  const observer = combineObservers([budget.observer, ...detectors.map((d) => d.observer)])
  const onProgress = (progress: Progress): void => {
    if (progress.done < progress.total) budget.look()
    options.onProgress?.(progress)
  }
  try {
    const watching = { ...base, observer, progress: budget.look, onProgress }
    const result = await runInSlices(engine, loaded, bindings, groups, watching)
    const partial = partialOf(result)
    return { result, shadowByteLength: shadowBytes(), ...(partial === undefined ? {} : { partial }) }
  } catch (e) {
    const partial = budget.reasonOf(e)
    if (partial === undefined) throw e
    return { partial, shadowByteLength: shadowBytes() }
  }
}

/** Runs the dispatch under other schedules and compares what they leave; false where that was ended early. */
function compareSchedules(
  { engine, loaded, bindings, groups }: CheckJob,
  base: DispatchOptions,
  contents: ReturnType<typeof saveContents>,
  context: CheckContext,
  options: CheckOptions,
  run: { readonly describe: (statement: number) => string; readonly deadline: number },
): Promise<boolean> {
  // Races that atomics hid by coming in order; what was found before is not counted again.
  const { sink } = context
  const again: FindingSink = {
    ...sink,
    known: (code, at, other, register) => sink.known(code, at, other, register, 0),
  }
  const makeDetector = (): Detector => detectRaces({ ...context, sink: again })
  const hasRaces = (options.detectors ?? DEFAULT_DETECTORS).includes('races')
  const shared = { engine, loaded, bindings, groups, base, contents, context }
  const schedules = options.schedules ?? defaultSchedules()
  return checkSchedules({ ...shared, ...(hasRaces ? { makeDetector } : {}), schedules, ...run })
}

/** Why a report is partial: the run, then the comparison of schedules, then what the detectors could not keep. */
function partialReason(
  ran: Observed,
  isComplete: boolean,
  isFull: boolean,
  signal: AbortSignal | undefined,
): PartialReason | undefined {
  if (ran.partial !== undefined) return ran.partial
  if (!isComplete) return signal?.aborted === true ? 'canceled' : 'time'
  return isFull ? 'findings' : undefined
}

/**
 * Checks one dispatch. It runs on the resources of the bindings, which hold its results afterwards. Findings stand in
 * order of severity; never rejects for what the shader does.
 */
export async function checkJob(job: CheckJob, options: CheckOptions = {}): Promise<Report> {
  const { loaded, bindings, groups, facts } = job
  const names = options.detectors ?? DEFAULT_DETECTORS
  const maxFindings = options.maxFindings ?? MAX_FINDINGS
  const context = contextOf(loaded, bindings, groups, makeFindingSink(maxFindings * PAIRS_PER_FINDING))
  const detectors = makeDetectors(names, options, context)
  const base = dispatchOptions(options, job.classInstances)
  const deadline = job.deadline ?? deadlineOf(options)
  const contents = names.includes('schedules') ? saveContents(bindings) : undefined
  const ran = await observe(job, base, detectors, options, deadline)
  if (ran.partial === undefined) for (const d of detectors) d.finish?.()
  const listing = loaded.options.listing ?? options.lister?.(loaded.declarations.program)
  const lines = linesOf(loaded.declarations.program, listing, facts.debug)
  const describe = (statement: number): string => lineText(lines.lineOf(statement))
  const isComplete =
    contents === undefined ||
    ran.partial !== undefined ||
    (await compareSchedules(job, base, contents, context, options, { describe, deadline }))
  const all = withoutEchoes(context.sink.findings()).map((f) => reportFinding({ loaded, facts, lines }, f))
  const left = all.filter((f) => !isSuppressed(f, options.suppressions ?? [], options.name))
  const { program } = loaded.declarations
  const causes = [...missingBarriers(left, program, (s) => lines.lineOf(s)), ...sharedCauses(left)]
  const { kept, dropped } = firstFindings(foldCauses(left, causes), maxFindings)
  const droppedFindings = context.sink.dropped() + dropped
  const isFull = droppedFindings > 0 || detectors.some((d) => d.overflowed?.() === true)
  const partial = partialReason(ran, isComplete, isFull, options.signal)
  return {
    ...(options.name === undefined ? {} : { name: options.name }),
    findings: kept.sort((a, b) => RANK[a.severity] - RANK[b.severity]),
    ...(partial === undefined ? {} : { partial }),
    diagnostics: [...(job.diagnostics ?? []), ...(ran.result?.diagnostics ?? []), ...cutShort(partial)],
    stats: {
      groups,
      threads: threadsOf(loaded.declarations),
      threadInstructions: ran.result?.threadInstructionCount ?? 0,
      shadowByteLength: ran.shadowByteLength,
      droppedFindings,
      suppressed: all.length - left.length,
      detectors: names,
    },
  }
}

/** What ended a check early, where the engine has not reported it already. */
export function cutShort(partial: PartialReason | undefined): Diagnostic[] {
  if (partial === 'time')
    return [diagnostic('check-stopped', 'the time given was used up before all threads had ended')]
  if (partial !== 'memory') return []
  return [diagnostic('check-stopped', 'the tables of the detectors would have taken more memory than allowed')]
}

/** The report of a check that ran nothing. */
export function refusedReport(
  options: CheckOptions,
  groups: GroupCounts,
  diagnostics: readonly Diagnostic[],
  partial: PartialReason = 'refused',
): Report {
  return {
    ...(options.name === undefined ? {} : { name: options.name }),
    findings: [],
    partial,
    diagnostics,
    stats: {
      groups,
      threads: [0, 0, 0],
      threadInstructions: 0,
      shadowByteLength: 0,
      droppedFindings: 0,
      suppressed: 0,
      detectors: options.detectors ?? DEFAULT_DETECTORS,
    },
  }
}

/**
 * Runs a shader under the checker: `check(device, bytes, { u0: uav(buffer) }, [4, 1, 1])`. The dispatch writes to the
 * resources that are bound. Shaders and bindings that cannot run give a report with `partial: 'refused'` and the reasons
 * in `diagnostics`; nothing rejects.
 */
export async function check(
  target: CheckTarget,
  shader: CheckShader,
  bindings: Bindings,
  counts: DispatchCounts,
  options: CheckOptions = {},
): Promise<Report> {
  const engine = 'engine' in target ? target.engine : target
  const deadline = deadlineOf(options)
  const { value: groups, diagnostics: wrongCounts } = groupCounts(counts)
  if (groups === undefined) return refusedReport(options, [0, 0, 0], wrongCounts)
  const budget = makeBudget(() => 0, Number.POSITIVE_INFINITY, deadline)
  let loading: Loading
  try {
    loading = load(engine, shader, options, budget.look)
    budget.look()
  } catch (e) {
    const partial = budget.reasonOf(e)
    if (partial === undefined) throw e
    return refusedReport(options, groups, cutShort(partial), partial)
  }
  const { loaded, facts, classInstances, diagnostics } = loading
  if (loaded === undefined) return refusedReport(options, groups, diagnostics)
  const matched = matchBindings(loaded.declarations, bindings)
  const found = [...diagnostics, ...matched.diagnostics]
  if (!matched.ok) return refusedReport(options, groups, found)
  const instances = options.classInstances ?? classInstances
  return checkJob(
    {
      engine,
      loaded,
      bindings: matched.value,
      groups,
      facts,
      diagnostics: found,
      deadline,
      ...(instances === undefined ? {} : { classInstances: instances }),
    },
    options,
  )
}
