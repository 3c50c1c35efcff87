/** Prepares and runs a frame: everything is checked, then its commands are carried out in order, then resources compared. */
import {
  appendAll,
  type Diagnostic,
  DiagnosticCollector,
  diagnostic,
  failure,
  type Outcome,
  outcomeOf,
} from '../../diagnostic/index.ts'
import { type Engine, restIfDue, runPartsAtOnce, runPartsInTasks, type Stop } from '../../engine/index.ts'
import type { Image, JobHost } from '../host.ts'
import type { CheckReport } from '../run/check.ts'
import type { RunLimits, RunOnOptions } from '../run/run-job.ts'
import { imageOf, type PreparedFrameCheck, prepareFrameChecks, runFrameChecks } from './check-frame.ts'
import type { FrameCommand, FrameJob } from './model.ts'
import type { Preparation, PreparedFrameResource } from './preparation.ts'
import { type CommandResult, type PreparedCommand, prepareCommands } from './prepare-commands.ts'
import { preparePipelines } from './prepare-pipelines.ts'
import { prepareFrameResources, prepareShaders } from './prepare-resources.ts'

/** A frame with everything loaded, made, filled and checked. */
export interface PreparedFrame {
  readonly frame: FrameJob
  readonly resources: ReadonlyMap<string, PreparedFrameResource>
  readonly commands: readonly PreparedCommand[]
  readonly checks: readonly PreparedFrameCheck[]
}

/** What became of a command. */
export interface CommandReport extends Omit<CommandResult, 'diagnostics'> {
  readonly path: string
  readonly kind: FrameCommand['kind']
  /** The pipeline of a draw or dispatch, the resource of another command. */
  readonly of: string
  readonly milliseconds: number
}

/** What became of a frame. */
export interface FrameReport {
  readonly kind: 'frame'
  readonly name: string
  readonly engine: string
  readonly diagnostics: readonly Diagnostic[]
  /** Absent where the frame was refused before anything ran. */
  readonly run?: {
    readonly prepared: PreparedFrame
    readonly milliseconds: number
    readonly commands: readonly CommandReport[]
    readonly threadInstructionCount?: number
    readonly undefinedCount: number
    readonly stopped?: Stop
    /** The command at which it was stopped. */
    readonly stoppedAt?: string
    readonly checks: readonly CheckReport[]
    readonly previews: readonly { readonly name: string; readonly image: Image | string }[]
  }
}

/** Makes everything; nothing runs, and with errors there is no value. It holds the event loop: see `prepareFrameInTasks`. */
export function prepareFrame(
  frame: FrameJob,
  host: JobHost,
  engine: Engine,
  isRecording = false,
): Outcome<PreparedFrame> {
  return runPartsAtOnce(prepareFrameInParts(frame, host, engine, isRecording))
}

/** As `prepareFrame`, with other tasks of the host between shaders, resources and parts of long contents; undefined where it was canceled. */
export function prepareFrameInTasks(
  frame: FrameJob,
  host: JobHost,
  engine: Engine,
  { isRecording = false, signal }: { readonly isRecording?: boolean; readonly signal?: AbortSignal | undefined } = {},
): Promise<Outcome<PreparedFrame> | undefined> {
  return runPartsInTasks(prepareFrameInParts(frame, host, engine, isRecording), signal)
}

function* prepareFrameInParts(
  frame: FrameJob,
  host: JobHost,
  engine: Engine,
  isRecording: boolean,
): Generator<void, Outcome<PreparedFrame>> {
  const p: Preparation = {
    frame,
    host,
    engine,
    out: new DiagnosticCollector(),
    shaders: new Map(),
    resources: new Map(),
    pipelines: new Map(),
    counted: new Map(),
  }
  yield* prepareShaders(p)
  yield* prepareFrameResources(p)
  yield* preparePipelines(p)
  const commands = yield* prepareCommands(p)
  const checks = yield* prepareFrameChecks(p, isRecording)
  const diagnostics = p.out.finish()
  if (p.out.errorCount > 0) return failure(diagnostics)
  return outcomeOf({ frame, resources: p.resources, commands, checks }, diagnostics)
}

/** The pipeline of a draw or dispatch, the resource of another command. */
export function subjectOf(c: FrameCommand): string {
  switch (c.kind) {
    case 'draw':
    case 'dispatch':
      return c.pipeline.name
    case 'clear':
    case 'clearDepthStencil':
      return c.target.resource.name
    case 'copy':
    case 'copyStructureCount':
      return c.to.name
    case 'resolve':
      return c.to.resource.name
    case 'generateMips':
    case 'write':
      return c.resource.name
  }
}

interface Ran {
  readonly reports: CommandReport[]
  readonly diagnostics: Diagnostic[]
  readonly stopped?: Stop
  readonly stoppedAt?: string
}

/** What a command did, for a word on what used up the time. */
function workOf(r: CommandReport): string {
  const counts = Object.entries(r.draw?.statistics ?? {}).filter(([, count]) => count > 0)
  const done = counts.map(([name, count]) => `${name} ${count}`).join(', ')
  return `${r.kind} ${r.of} took ${(r.milliseconds / 1000).toFixed(1)} s${done === '' ? '' : ` (${done})`}`
}

function timeIsUp(reports: readonly CommandReport[], limits: RunLimits): Diagnostic {
  const longest = [...reports].sort((a, b) => b.milliseconds - a.milliseconds)[0]!
  const message = `the frame was stopped: its ${(limits.maxMilliseconds ?? 0) / 1000} s are up; ${workOf(longest)}`
  return diagnostic('pipeline-budget', message, { kind: 'path', path: reports.at(-1)!.path })
}

/** Carries out the commands in order, up to the first that is stopped; they share one limit of time. */
async function runCommands(prepared: PreparedFrame, limits: RunLimits): Promise<Ran> {
  const reports: CommandReport[] = []
  const diagnostics: Diagnostic[] = []
  const deadline = performance.now() + (limits.maxMilliseconds ?? Number.POSITIVE_INFINITY)
  for (const { command, run } of prepared.commands) {
    const start = performance.now()
    const { path } = command
    // A limit must be more than 0; what is left of it may not be.
    const left = Math.max(deadline - start, 1)
    const own = limits.maxMilliseconds === undefined ? {} : { maxMilliseconds: left }
    const result = await run({ ...limits, ...own })
    const { diagnostics: found, ...rest } = result
    appendAll(diagnostics, found)
    reports.push({ path, kind: command.kind, of: subjectOf(command), milliseconds: performance.now() - start, ...rest })
    await restIfDue()
    const isCanceled = limits.signal?.aborted === true
    const isLate = performance.now() >= deadline
    const stopped = result.stopped ?? (isCanceled ? 'canceled' : isLate ? 'time' : undefined)
    if (stopped === 'time') diagnostics.push(timeIsUp(reports, limits))
    if (stopped !== undefined) return { reports, diagnostics, stopped, stoppedAt: path }
  }
  return { reports, diagnostics }
}

function sumOf(reports: readonly CommandReport[], count: (r: CommandReport) => number | undefined): number {
  return reports.reduce((sum, r) => sum + (count(r) ?? 0), 0)
}

/** Prepares and runs a frame on an engine. */
export async function runFrameOn(
  frame: FrameJob,
  host: JobHost,
  engine: Engine,
  { update = false, ...limits }: RunOnOptions = {},
): Promise<FrameReport> {
  const prepared = (await prepareFrameInTasks(frame, host, engine, { isRecording: update }))!
  const base = { kind: 'frame', name: frame.name, engine: engine.name } as const
  if (!prepared.ok) {
    return { ...base, diagnostics: prepared.diagnostics }
  }
  const start = performance.now()
  const ran = await runCommands(prepared.value, limits)
  const milliseconds = performance.now() - start
  const { stopped, stoppedAt, reports } = ran
  const checking = { hasEnded: stopped === undefined, update }
  const compared = (await runPartsInTasks(runFrameChecks(prepared.value.checks, host, checking)))!
  const previews = frame.previews.map(({ name }) => {
    const of = prepared.value!.resources.get(name)!
    return { name, image: imageOf(of, 0, 0, 8) }
  })
  const counted = reports.some((r) => r.threadInstructionCount !== undefined)
  // The engines that ran something; the chosen one where no command needed any.
  const engines = [...new Set(reports.flatMap((r) => r.engine ?? []))].sort().join(' and ')
  return {
    ...base,
    ...(engines === '' ? {} : { engine: engines }),
    diagnostics: [...prepared.diagnostics, ...ran.diagnostics, ...compared.diagnostics],
    run: {
      prepared: prepared.value,
      milliseconds,
      commands: reports,
      undefinedCount: sumOf(reports, (r) => r.undefinedCount),
      ...(counted ? { threadInstructionCount: sumOf(reports, (r) => r.threadInstructionCount) } : {}),
      ...(stopped === undefined ? {} : { stopped }),
      ...(stoppedAt === undefined ? {} : { stoppedAt }),
      checks: compared.checks,
      previews,
    },
  }
}
