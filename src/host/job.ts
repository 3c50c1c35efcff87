import { diagnostic } from '../diagnostic/index.ts'
import {
  type FrameReport,
  type JobHost,
  type JobReport,
  NO_FILES,
  parseDescription,
  parseDescriptionText,
  parseJob,
  parseJobText,
  type RunLimits,
  runFrameOn,
  runJobOn,
} from '../job/index.ts'
import { type EngineName, engineNamed } from './engines.ts'

/**
 * Run descriptions from a program: `import { runJob } from 'heddle/job'`. What `heddle run` reads, runs and compares,
 * without the command line; files come through a `JobHost` (`heddle/job/node` has one over the file system).
 */
export {
  type BufferResource,
  type CheckReport,
  type CommandReport,
  type ConstantsResource,
  type Contents,
  type ContentsCheck,
  type CounterCheck,
  type Description,
  type Difference,
  type FileRange,
  type FrameJob,
  type FrameReport,
  type GreatestDifference,
  type HostFailure,
  type Image,
  type Job,
  type JobCheck,
  type JobClassInstance,
  type JobDispatch,
  type JobHost,
  type JobOptions,
  type JobReport,
  type JobResource,
  type JobWork,
  type ListsCheck,
  type OutputRequest,
  type ParsedJob,
  type PreparedFrame,
  type PreparedJob,
  type PreparedResource,
  type Printed,
  type PrintRequest,
  parseDescription,
  parseDescriptionOrThrow,
  parseDescriptionText,
  parseDescriptionTextOrThrow,
  parseJob,
  parseJobOrThrow,
  parseJobText,
  parseJobTextOrThrow,
  type RunLimits,
  type SameResource,
  type SamplerResource,
  type ShaderSource,
  type Table,
  type TextureResource,
} from '../job/index.ts'

/** What `runJob` and `runFrame` take beside the description. */
export interface RunJobOptions extends RunLimits {
  /** The engine where the description names none. */
  readonly engine?: EngineName | undefined
  /** Writes the files that checks name, where they are missing or not as expected. */
  readonly update?: boolean | undefined
  /** Threads of this computer, where the description says nothing of them. */
  readonly threads?: number | undefined
}

/**
 * Reads a run description (its text, or the same as data), runs it and compares. Whatever is wrong with the description
 * is in the report's `diagnostics`, and then the report has no `run`.
 */
export async function runJob(
  description: unknown,
  host: JobHost = NO_FILES,
  options: RunJobOptions = {},
): Promise<JobReport> {
  const { value: job, diagnostics } =
    typeof description === 'string' ? parseJobText(description) : parseJob(description)
  if (job === undefined) return { name: 'job', engine: '', diagnostics }
  const { value: create, diagnostics: unknown } = engineNamed(job.options.engine ?? options.engine)
  if (create === undefined) return { name: job.name, engine: '', diagnostics: [...diagnostics, ...unknown] }
  const threads = job.options.threads ?? options.threads
  const engine = create({ threads })
  try {
    const { engine: _engine, threads: _threads, ...others } = options
    const report = await runJobOn(job, host, engine, others)
    return { ...report, diagnostics: [...diagnostics, ...report.diagnostics] }
  } finally {
    engine.dispose?.()
  }
}

/**
 * As `runJob`, of a frame: a description of version 2, or one with Direct3D's own names. `prepared.resources` of the report's
 * `run` has what the commands left.
 */
export async function runFrame(
  description: unknown,
  host: JobHost = NO_FILES,
  options: RunJobOptions = {},
): Promise<FrameReport> {
  const isText = typeof description === 'string'
  const { value, diagnostics } = isText ? parseDescriptionText(description) : parseDescription(description)
  const refused = (name: string, found: FrameReport['diagnostics']): FrameReport => {
    return { kind: 'frame', name, engine: '', diagnostics: found }
  }
  if (value === undefined) return refused('frame', diagnostics)
  if (value.kind === 'job') {
    const wrong = diagnostic('job-command', 'this description has one dispatch; runJob runs it')
    return refused(value.job.name, [...diagnostics, wrong])
  }
  const { frame } = value
  const { value: create, diagnostics: unknown } = engineNamed(frame.options.engine ?? options.engine)
  if (create === undefined) return refused(frame.name, [...diagnostics, ...unknown])
  const threads = frame.options.threads ?? options.threads
  const engine = create({ threads })
  try {
    const { engine: _engine, threads: _threads, ...others } = options
    const report = await runFrameOn(frame, host, engine, others)
    return { ...report, diagnostics: [...diagnostics, ...report.diagnostics] }
  } finally {
    engine.dispose?.()
  }
}
