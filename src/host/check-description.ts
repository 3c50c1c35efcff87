import {
  type CheckOptions,
  type CommandCheck,
  checkJob,
  DEFAULT_DETECTORS,
  frameReport,
  isOfPipeline,
  MAX_FINDINGS,
  type PartialReason,
  partialOf,
  type Report,
  type ReportCommand,
  refusedReport,
  suppressionsOf,
} from '../check/index.ts'
import { appendAll, type Diagnostic, diagnostic, present } from '../diagnostic/index.ts'
import { type Engine, restIfDue } from '../engine/index.ts'
import { createReferenceEngine } from '../engine/reference/index.ts'
import {
  type CheckReport,
  type Description,
  type DispatchWork,
  type DrawWork,
  type FrameJob,
  frameCheckReport,
  type Job,
  type JobHost,
  NO_FILES,
  type PreparedFrame,
  parseDescription,
  parseDescriptionText,
  prepareFrameInTasks,
  prepareJob,
  runChecks,
  subjectOf,
} from '../job/index.ts'
import type { ShaderStage } from '../pipeline/index.ts'
import { shaderFacts } from '../shader/index.ts'
import { watchDraw, watchedStages } from './check-draw.ts'

/** Run descriptions under the checker: one dispatch, or the draws and dispatches of a frame, one after the other. */

export interface CheckDescriptionOptions extends CheckOptions {
  /** Also compares contents with what the description expects; default false. */
  readonly compare?: boolean | undefined
}

/** What checking a run description gave. */
export interface DescriptionCheck {
  readonly report: Report
  /** Contents that are not as expected, where they were compared. */
  readonly differences: readonly CheckReport[]
}

const refused = (options: CheckOptions, name: string, found: readonly Diagnostic[]): DescriptionCheck => ({
  report: refusedReport({ ...options, name }, [0, 0, 0], found),
  differences: [],
})

/** Options that a description may have; those of the check count where it says nothing of them. */
type Given = Pick<CheckOptions, 'schedule' | 'undefinedPolicy' | 'maxInstructionsPerThread' | 'classInstances'>

function givenOf({ schedule, undefinedPolicy, maxInstructionsPerThread, classInstances }: Given): Given {
  return present({ schedule, undefinedPolicy, maxInstructionsPerThread, classInstances })
}

async function checkOne(
  job: Job,
  host: JobHost,
  engine: Engine,
  { compare = false, ...options }: CheckDescriptionOptions,
): Promise<DescriptionCheck> {
  // What is not compared need not be there.
  const { value: prepared, diagnostics } = prepareJob(compare ? job : { ...job, checks: [] }, host, engine)
  if (prepared === undefined) return refused(options, job.name, diagnostics)
  const { loaded, bindings, groups, shader } = prepared
  const { classInstances, ...given } = givenOf(prepared.options)
  const instances = classInstances === undefined ? {} : { classInstances }
  const facts = shaderFacts(shader.container)
  const work = { engine, loaded, bindings, groups, facts, diagnostics, ...instances }
  const report = await checkJob(work, { ...options, name: job.name, ...given })
  const isRefused = report.partial === 'refused'
  return { report, differences: isRefused ? [] : runChecks(prepared.checks).filter((c) => !c.passed) }
}

function checkDrawWork(work: DrawWork, options: CheckOptions, limits: Limits): Promise<Report> | Report {
  const r = work.resources()
  const bindingsOf = (stage: ShaderStage) => r.bindings[stage] ?? {}
  const stages = watchedStages(work.pipeline, bindingsOf, r.unorderedAccess, (stage) => work.containers[stage])
  if (!stages.ok) return refusedReport(options, [0, 0, 0], stages.diagnostics)
  const { classInstances: _none, ...defaults } = givenOf(options)
  return watchDraw(stages.value, options, async (watch) => {
    const result = await work.run(limits, { ...watch, defaults })
    return { ...result, diagnostics: [...work.found.filter(isOfPipeline), ...result.diagnostics] }
  })
}

function checkDispatchWork(work: DispatchWork, engine: Engine, options: CheckOptions): Promise<Report> {
  const { loaded, bindings, container } = work
  const facts = shaderFacts(container)
  return checkJob({ engine, loaded, bindings, groups: work.groups(), facts }, { ...options, ...givenOf(work.options) })
}

type Limits = Pick<CheckOptions, 'maxMilliseconds' | 'signal'>

interface FrameRun {
  readonly checks: CommandCheck[]
  readonly diagnostics: Diagnostic[]
  readonly partial?: PartialReason
}

/** What ended the frame early, and where. */
function endedAt(partial: PartialReason, path: string, left: number): Diagnostic {
  const rest = left === 0 ? '' : `; ${left} ${left === 1 ? 'command was' : 'commands were'} not carried out`
  const message = `the frame was checked up to this command (${partial})${rest}`
  return diagnostic('check-stopped', message, { kind: 'path', path })
}

/** Carries out the commands in order, draws and dispatches under the detectors, up to the first that is stopped. */
async function checkCommands(prepared: PreparedFrame, engine: Engine, options: CheckOptions): Promise<FrameRun> {
  const checks: CommandCheck[] = []
  const diagnostics: Diagnostic[] = []
  const deadline = Date.now() + (options.maxMilliseconds ?? Number.POSITIVE_INFINITY)
  const counts = { draw: 0, dispatch: 0 }
  const { signal, suppressions = [] } = options
  for (const [at, { command, run, work }] of prepared.commands.entries()) {
    const { path } = command
    // A limit must be more than 0; what is left of it may not be.
    const left = options.maxMilliseconds === undefined ? undefined : Math.max(deadline - Date.now(), 1)
    const limits: Limits = { maxMilliseconds: left, signal }
    let partial: PartialReason | undefined
    if (work === undefined) {
      const result = await run(limits)
      appendAll(diagnostics, result.diagnostics)
      partial = partialOf(result)
    } else {
      const of: ReportCommand = { kind: work.kind, index: counts[work.kind]++, pipeline: subjectOf(command), path }
      const own = { ...options, ...limits, suppressions: suppressionsOf(suppressions, prepared.frame.name, of) }
      const report = await (work.kind === 'draw'
        ? checkDrawWork(work, own, limits)
        : checkDispatchWork(work, engine, own))
      checks.push({ command: of, report })
      appendAll(diagnostics, report.diagnostics)
      partial = report.partial === 'findings' ? undefined : report.partial
    }
    await restIfDue()
    if (partial === undefined && signal?.aborted === true) partial = 'canceled'
    if (partial === undefined && Date.now() >= deadline) partial = 'time'
    if (partial !== undefined) {
      diagnostics.push(endedAt(partial, path, prepared.commands.length - 1 - at))
      return { checks, diagnostics, partial }
    }
  }
  return { checks, diagnostics }
}

/** Whether what was found of pipelines and draws is a finding of a draw that was checked. */
function isFinding(frame: FrameJob, { checks }: FrameRun, d: Diagnostic): boolean {
  if (!isOfPipeline(d)) return false
  const idle = frame.pipelines.filter((p) => !checks.some((c) => c.command.pipeline === p.name))
  const path = d.place?.kind === 'path' ? d.place.path : ''
  return !idle.some((p) => path === p.path || path.startsWith(`${p.path}.`))
}

async function checkFrame(
  frame: FrameJob,
  host: JobHost,
  engine: Engine,
  { compare = false, ...options }: CheckDescriptionOptions,
): Promise<DescriptionCheck> {
  const made = await prepareFrameInTasks(compare ? frame : { ...frame, checks: [] }, host, engine)
  const { value: prepared, diagnostics } = made!
  if (prepared === undefined) return refused(options, frame.name, diagnostics)
  const ran = await checkCommands(prepared, engine, options)
  const report = frameReport({
    name: frame.name,
    checks: ran.checks,
    diagnostics: [...diagnostics.filter((d) => !isFinding(frame, ran, d)), ...ran.diagnostics],
    partial: ran.partial,
    maxFindings: options.maxFindings ?? MAX_FINDINGS,
    detectors: options.detectors ?? DEFAULT_DETECTORS,
  })
  const differences = prepared.checks.flatMap((c) => frameCheckReport(c) ?? []).filter((c) => !c.passed)
  return { report, differences: ran.partial === 'refused' ? [] : differences }
}

/** Checks a description that has been read. The engine must be one that calls observers. */
export function checkParsed(
  description: Description,
  host: JobHost,
  engine: Engine,
  options: CheckDescriptionOptions = {},
): Promise<DescriptionCheck> {
  return description.kind === 'job'
    ? checkOne(description.job, host, engine, options)
    : checkFrame(description.frame, host, engine, options)
}

/**
 * Checks what a run description says (its text, or the same as data): one dispatch, or all draws and dispatches of a frame,
 * whose findings name their command. Nothing is compared: `runJob` and `runFrame` do that. What is wrong with the description gives `partial: 'refused'` and `diagnostics`.
 */
export async function checkDescription(
  description: unknown,
  host: JobHost = NO_FILES,
  options: CheckOptions = {},
): Promise<Report> {
  const isText = typeof description === 'string'
  const { value, diagnostics } = isText ? parseDescriptionText(description) : parseDescription(description)
  if (value === undefined) return refused(options, options.name ?? 'description', diagnostics).report
  const { report } = await checkParsed(value, host, createReferenceEngine({}), options)
  return { ...report, diagnostics: [...diagnostics, ...report.diagnostics] }
}
