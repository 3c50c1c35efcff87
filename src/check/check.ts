import { type Diagnostic, diagnostic, hasErrors } from '../diagnostic/index.ts'
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
  threadCountOf,
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
import type { CheckContext, Detector, DetectorFactory } from './context.ts'
import { detectBarriers } from './detectors/barriers.ts'
import { detectCounters } from './detectors/counters.ts'
import { detectNumbers } from './detectors/numbers.ts'
import { checkSchedules, defaultSchedules } from './detectors/schedules.ts'
import { detectTgsmStructures } from './detectors/tgsm-structures.ts'
import { combineObservers } from './observers.ts'
import { detectRaces } from './races/races.ts'
import { type FindingSink, type FoldedFinding, type MemoryPlace, makeFindingSink, type Site } from './report/finding.ts'
import { foldMissingBarriers } from './report/missing-barriers.ts'
import { placeText } from './report/names.ts'
import {
  DEFAULT_DETECTORS,
  type DetectorName,
  type PartialReason,
  type Report,
  type ReportFinding,
  type ReportMemory,
  type ReportSite,
} from './report/report.ts'
import { type Lines, linesOf, lineText } from './report/source-lines.ts'
import { isSuppressed, type Suppression } from './report/suppressions.ts'
import { detectUndefinedValues } from './undefined/flow.ts'
import { zeroBorderOf } from './zero-border.ts'

export interface CheckOptions {
  /** Name of what is checked, for reports of many. */
  readonly name?: string
  /** What to look for; default bounds, uninitialised, races, barriers and counters. */
  readonly detectors?: readonly DetectorName[]
  /** Also report contents of UAVs that the dispatch reads and did not write. */
  readonly uninitialisedUavs?: boolean
  /**
   * Slots (`t0`, `u1,space2`), or all, whose loads out of bounds are meant to give 0, as those of filters at the edge of
   * an image: they are no findings. Stores and atomics out of bounds stay findings.
   */
  readonly zeroBorder?: readonly string[] | 'all'
  /** How the checked run is scheduled. Findings of races do not depend on it. */
  readonly schedule?: Schedule
  /** Schedules that the detector `schedules` compares; default several wave widths and orders. */
  readonly schedules?: readonly Schedule[]
  readonly undefinedPolicy?: UndefinedPolicy
  /** Default 100 million. */
  readonly maxInstructionsPerThread?: number
  /** Different findings kept; default 100. */
  readonly maxFindings?: number
  /** Bytes that the detectors' tables may take; default 2 GiB. */
  readonly maxShadowByteLength?: number
  /** Milliseconds after which the check stops with what it has; no limit by default. */
  readonly maxMilliseconds?: number
  /** Stops the check when it is aborted: the report has what was found until then. */
  readonly signal?: AbortSignal
  /** Is called with how far the checked run is, each time it gives way and at its end. */
  readonly onProgress?: (progress: Progress) => void
  readonly suppressions?: readonly Suppression[]
  readonly classInstances?: ClassInstances
  readonly load?: LoadOptions
  /** Text of statements, by program. The public face fills it in. */
  readonly lister?: (program: Program) => (statement: number) => string | undefined
}

/** A device, or an engine by itself. */
export type CheckTarget = Engine | { readonly engine: Engine }
/** A container's bytes, a program, or what a device or engine made of one. */
export type CheckShader =
  | Uint8Array
  | Program
  | LoadedShader
  | { readonly loaded: LoadedShader; readonly classInstances?: ClassInstances }

const MAX_FINDINGS = 100
const MAX_SHADOW_BYTES = 2 ** 31

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
  const outcome = engine.load(program, { ...options.load, progress, ...(listing === undefined ? {} : { listing }) })
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

const FACTORIES: Readonly<Record<'races' | 'barriers' | 'counters' | 'numbers', DetectorFactory>> = {
  races: detectRaces,
  barriers: detectBarriers,
  counters: detectCounters,
  numbers: detectNumbers,
}

function makeDetectors(names: readonly DetectorName[], options: CheckOptions, context: CheckContext): Detector[] {
  const factories: DetectorFactory[] = []
  const bounds = names.includes('bounds')
  const uninitialised = names.includes('uninitialised')
  const uavContents = options.uninitialisedUavs === true
  if (bounds || uninitialised || uavContents) {
    const hasZeroBorder = zeroBorderOf(options.zeroBorder, context.declarations)
    factories.push(detectUndefinedValues({ bounds, uninitialised, uavContents, hasZeroBorder }))
  }
  if (bounds) factories.push(detectTgsmStructures)
  for (const name of ['races', 'barriers', 'counters', 'numbers'] as const) {
    if (names.includes(name)) factories.push(FACTORIES[name])
  }
  return factories.map((make) => make(context))
}

/** The granule in which each resource is watched: the smallest texel of its views, at most 4 bytes. */
function granules(bindings: ResolvedBindings): Map<object, number> {
  const found = new Map<object, number>()
  for (const view of [...bindings.u.values(), ...bindings.t.values()]) {
    const bytes = 'format' in view ? view.format.blockByteLength : 4
    found.set(view.resource, Math.min(found.get(view.resource) ?? 4, bytes, 4))
  }
  return found
}

function contextOf(
  loaded: LoadedShader,
  bindings: ResolvedBindings,
  groups: GroupCounts,
  maxFindings: number,
): CheckContext {
  const bytes = granules(bindings)
  return {
    declarations: loaded.declarations,
    sink: makeFindingSink(maxFindings),
    threadCount: threadCountOf(loaded.declarations),
    groups,
    granuleOf: (resource) => bytes.get(resource) ?? 4,
    writable: new Set([...bindings.u.values()].map((view) => view.resource)),
  }
}

/** How findings become what people read. */
interface Reporting {
  readonly loaded: LoadedShader
  readonly facts: ShaderFacts
  readonly lines: Lines
}

function reportSite(r: Reporting, site: Site): ReportSite {
  const [x, y] = threadsOf(r.loaded.declarations)
  const { thread } = site
  return {
    ...r.lines.lineOf(site.statement),
    group: site.group,
    thread: [thread % x, Math.floor(thread / x) % y, Math.floor(thread / (x * y))],
    threadFlattened: thread,
    access: site.access,
    ...(site.deed === undefined ? {} : { deed: site.deed }),
    ...(site.value === undefined ? {} : { value: site.value }),
    ...(site.barriers === undefined ? {} : { barriers: site.barriers.map((s) => r.lines.lineOf(s)) }),
  }
}

function reportMemory(r: Reporting, memory: MemoryPlace): ReportMemory {
  return { ...memory, text: placeText(memory, r.loaded.declarations, r.facts.reflection, r.facts.debug) }
}

function reportFinding(r: Reporting, f: FoldedFinding): ReportFinding {
  return {
    code: f.code,
    severity: f.severity,
    message: f.message,
    count: f.count,
    site: reportSite(r, f.site),
    ...(f.other === undefined ? {} : { other: reportSite(r, f.other) }),
    ...(f.memory === undefined ? {} : { memory: reportMemory(r, f.memory) }),
    ...(f.barriersBetween === undefined || f.barriersBetween.length === 0
      ? {}
      : { barriersBetween: f.barriersBetween.map((s) => r.lines.lineOf(s)) }),
    ...(f.related === undefined
      ? {}
      : { related: f.related.map(({ label, statement }) => ({ ...r.lines.lineOf(statement), label })) }),
    ...(f.uses === undefined ? {} : { uses: [...f.uses].map((s) => r.lines.lineOf(s)) }),
    notes: f.notes,
  }
}

const RACES: ReadonlySet<string> = new Set(['check-race', 'check-race-across-groups', 'check-race-barrier-scope'])

/** Threads that wrote the same value by chance add nothing to the race of the same two statements. */
function withoutEchoes(findings: readonly FoldedFinding[]): FoldedFinding[] {
  const pairOf = ({ site, other, memory }: FoldedFinding): string => {
    const pair = [site.statement, other?.statement ?? -1].sort((a, b) => a - b)
    return [...pair, memory?.space, memory?.register].join(' ')
  }
  const racing = new Set(findings.filter((f) => RACES.has(f.code)).map(pairOf))
  return findings.filter((f) => f.code !== 'check-race-same-value' || !racing.has(pairOf(f)))
}

const RANK = { error: 0, warning: 1, hint: 2 } as const

function partialOf(result: DispatchResult): PartialReason | undefined {
  switch (result.stopped) {
    case undefined:
      return undefined
    case 'budget':
      return 'instructions'
    case 'refused':
      return 'refused'
    case 'time':
    case 'cancelled':
      return result.stopped
    case 'trap':
    case 'abort':
    case 'lost':
      return 'stopped'
  }
}

function dispatchOptions(options: CheckOptions, classInstances: ClassInstances | undefined): DispatchOptions {
  const { schedule, undefinedPolicy, maxInstructionsPerThread, signal } = options
  return {
    maxDiagnostics: 0,
    ...(schedule === undefined ? {} : { schedule }),
    ...(undefinedPolicy === undefined ? {} : { undefinedPolicy }),
    ...(maxInstructionsPerThread === undefined ? {} : { maxInstructionsPerThread }),
    ...(classInstances === undefined ? {} : { classInstances }),
    ...(signal === undefined ? {} : { signal }),
  }
}

/** Runs a dispatch under all detectors; the budget ends it early. */
async function observe(
  engine: Engine,
  loaded: LoadedShader,
  bindings: ResolvedBindings,
  groups: GroupCounts,
  base: DispatchOptions,
  detectors: readonly Detector[],
  options: CheckOptions,
  deadline: number,
): Promise<{ result?: DispatchResult; partial?: PartialReason; shadowByteLength: number }> {
  const shadowBytes = (): number => detectors.reduce((n, d) => n + (d.byteLength?.() ?? 0), 0)
  const budget = makeBudget(shadowBytes, options.maxShadowByteLength ?? MAX_SHADOW_BYTES, deadline)
  const observer = combineObservers([budget.observer, ...detectors.map((d) => d.observer)])
  try {
    const { onProgress } = options
    const watching = { ...base, observer, progress: budget.look, ...(onProgress === undefined ? {} : { onProgress }) }
    const result = await runInSlices(engine, loaded, bindings, groups, watching)
    const partial = partialOf(result)
    return { result, shadowByteLength: shadowBytes(), ...(partial === undefined ? {} : { partial }) }
  } catch (e) {
    const partial = budget.reasonOf(e)
    if (partial === undefined) throw e
    return { partial, shadowByteLength: shadowBytes() }
  }
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

/**
 * Checks one dispatch. It runs on the resources of the bindings, which hold its results afterwards. Findings stand in
 * order of severity; never rejects for what the shader does.
 */
export async function checkJob(job: CheckJob, options: CheckOptions = {}): Promise<Report> {
  const { engine, loaded, bindings, groups, facts } = job
  const names = options.detectors ?? DEFAULT_DETECTORS
  const context = contextOf(loaded, bindings, groups, options.maxFindings ?? MAX_FINDINGS)
  const detectors = makeDetectors(names, options, context)
  const base = dispatchOptions(options, job.classInstances)
  const deadline = job.deadline ?? deadlineOf(options)
  const contents = names.includes('schedules') ? saveContents(bindings) : undefined
  const ran = await observe(engine, loaded, bindings, groups, base, detectors, options, deadline)
  if (ran.partial === undefined) for (const d of detectors) d.finish?.()
  const listing = loaded.options.listing ?? options.lister?.(loaded.declarations.program)
  const lines = linesOf(loaded.declarations.program, listing, facts.debug)
  let isComplete = true
  if (contents !== undefined && ran.partial === undefined) {
    const schedules = options.schedules ?? defaultSchedules()
    const describe = (statement: number): string => lineText(lines.lineOf(statement))
    // Races that atomics hid by coming in order; what was found before is not counted again.
    const { sink } = context
    const again: FindingSink = {
      ...sink,
      known: (code, at, other, register) => sink.known(code, at, other, register, 0),
    }
    const lookAgain = (): Detector => detectRaces({ ...context, sink: again })
    const shared = { engine, loaded, bindings, groups, base, contents, context }
    isComplete = await checkSchedules({
      ...shared,
      ...(names.includes('races') ? { lookAgain } : {}),
      schedules,
      describe,
      deadline,
    })
  }
  const all = withoutEchoes(context.sink.findings()).map((f) => reportFinding({ loaded, facts, lines }, f))
  const left = all.filter((f) => !isSuppressed(f, options.suppressions ?? [], options.name))
  const kept = foldMissingBarriers(left, loaded.declarations.program, (s) => lines.lineOf(s))
  const full = context.sink.dropped() > 0 || detectors.some((d) => d.overflowed?.() === true)
  const partial =
    ran.partial ??
    (isComplete ? (full ? 'findings' : undefined) : options.signal?.aborted === true ? 'cancelled' : 'time')
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
      droppedFindings: context.sink.dropped(),
      suppressed: all.length - left.length,
      detectors: names,
    },
  }
}

/** What cut a check short, where the engine has not said it already. */
function cutShort(partial: PartialReason | undefined): Diagnostic[] {
  if (partial === 'time')
    return [diagnostic('check-stopped', 'the time given was used up before all threads had ended')]
  if (partial !== 'memory') return []
  return [diagnostic('check-stopped', 'the tables of the detectors would have taken more memory than allowed')]
}

function refusal(
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
  if (groups === undefined) return refusal(options, [0, 0, 0], wrongCounts)
  const budget = makeBudget(() => 0, Number.POSITIVE_INFINITY, deadline)
  let loading: Loading
  try {
    loading = load(engine, shader, options, budget.look)
    budget.look()
  } catch (e) {
    const partial = budget.reasonOf(e)
    if (partial === undefined) throw e
    return refusal(options, groups, cutShort(partial), partial)
  }
  const { loaded, facts, classInstances, diagnostics } = loading
  if (loaded === undefined) return refusal(options, groups, diagnostics)
  const matched = matchBindings(loaded.declarations, bindings)
  const found = [...diagnostics, ...matched.diagnostics]
  if (matched.value === undefined || hasErrors(matched.diagnostics)) return refusal(options, groups, found)
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
