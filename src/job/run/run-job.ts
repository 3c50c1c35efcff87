import type { Diagnostic } from '../../diagnostic/index.ts'
import {
  type DispatchOptions,
  type Engine,
  type GroupCounts,
  runInSlices,
  type Stop,
  threadsOf,
} from '../../engine/index.ts'
import type { JobHost } from '../host.ts'
import type { Job } from '../model.ts'
import { type CheckReport, runChecks } from './check.ts'
import { type PreparedJob, prepareJob } from './prepare.ts'
import { recordChecks } from './record.ts'

/** What became of a job. */
export interface JobReport {
  readonly name: string
  /** The engine that ran it. */
  readonly engine: string
  /** Every diagnostic, of the description, the shader and the dispatch. */
  readonly diagnostics: readonly Diagnostic[]
  /** Absent where the job was refused before anything ran. */
  readonly run?: {
    readonly prepared: PreparedJob
    readonly groups: GroupCounts
    readonly threads: readonly [number, number, number]
    readonly milliseconds: number
    /** Absent where the engine does not count. */
    readonly threadInstructionCount?: number
    readonly undefinedCount: number
    readonly stopped?: Stop
    readonly checks: readonly CheckReport[]
  }
}

/** What ends the dispatch of a job from outside. */
export type RunLimits = Pick<DispatchOptions, 'maxMilliseconds' | 'signal' | 'onProgress'>

/**
 * One dispatch of a prepared job, and its checks. A dispatch that was stopped is compared all the same; with `recordTo`
 * one that was not writes the files that its checks name, where they are not as expected.
 */
async function runPrepared(
  prepared: PreparedJob,
  engine: Engine,
  recordTo?: JobHost,
  limits: RunLimits = {},
): Promise<JobReport> {
  const { job, loaded, bindings, groups, options } = prepared
  const start = performance.now()
  const result = await runInSlices(engine, loaded, bindings, groups, { ...options, ...limits })
  const milliseconds = performance.now() - start
  const base = { name: job.name, engine: result.engine ?? engine.name, diagnostics: result.diagnostics }
  if (result.stopped === 'refused') return base
  const { threadInstructionCount, undefinedCount, stopped } = result
  const isRecorded = recordTo !== undefined && stopped === undefined
  const compared = isRecorded
    ? recordChecks(prepared.checks, recordTo)
    : { checks: runChecks(prepared.checks), diagnostics: [] }
  return {
    ...base,
    diagnostics: [...base.diagnostics, ...compared.diagnostics],
    run: {
      prepared,
      groups,
      threads: threadsOf(loaded.declarations),
      milliseconds,
      ...(threadInstructionCount === undefined ? {} : { threadInstructionCount }),
      undefinedCount,
      ...(stopped === undefined ? {} : { stopped }),
      checks: compared.checks,
    },
  }
}

export interface RunOnOptions extends RunLimits {
  /** Writes the files that checks name, where they are missing or not as expected. */
  readonly update?: boolean | undefined
}

/** Prepares and runs a job on an engine. */
export async function runJobOn(
  job: Job,
  host: JobHost,
  engine: Engine,
  { update = false, ...limits }: RunOnOptions = {},
): Promise<JobReport> {
  const prepared = prepareJob(job, host, engine, { isRecording: update })
  if (!prepared.ok) {
    return { name: job.name, engine: engine.name, diagnostics: prepared.diagnostics }
  }
  const report = await runPrepared(prepared.value, engine, update ? host : undefined, limits)
  return { ...report, diagnostics: [...prepared.diagnostics, ...report.diagnostics] }
}
