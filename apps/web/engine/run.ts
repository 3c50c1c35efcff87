/** Runs and checks of run descriptions, with the engines of this package. */
import { parseSuppressionFile, refusedReport, renderReport } from '../../../src/check/index.ts'
import { CODES, type Diagnostic } from '../../../src/diagnostic/index.ts'
import { checkParsed, ENGINES, engineNamed } from '../../../src/host/index.ts'
import {
  type Description,
  descriptionTemplate,
  descriptionText,
  type FrameReport,
  type JobReport,
  type JobTemplate,
  loadShader,
  parseDescriptionText,
  runFrameOn,
  runJobOn,
} from '../../../src/job/index.ts'
import type { CallContext } from '../model/calls.ts'
import type { CheckAnswer, CheckRequest, NamedFile, RunAnswer, RunRequest, TemplateAnswer } from '../model/run.ts'
import { hostOf } from './host.ts'
import { keepFrame, keepJob } from './outputs.ts'

/** Instructions that a thread may execute where a description says nothing: an endless loop ends after seconds. */
const MAX_INSTRUCTIONS = 4_000_000

const times = (ms: number): string => (ms < 10 ? ms.toFixed(1) : ms.toFixed(0))

function refusal(diagnostics: readonly Diagnostic[]): RunAnswer {
  return { name: '', engine: '', diagnostics, summary: undefined, outputs: [], checks: [] }
}

function jobAnswer(report: JobReport): RunAnswer {
  const { run } = report
  const { name, engine, diagnostics } = report
  if (run === undefined) return { ...refusal(diagnostics), name, engine }
  const stopped = run.stopped === undefined ? '' : `, stopped: ${run.stopped}`
  const summary = `${run.groups.join(' x ')} groups of ${run.threads.join(' x ')} threads, ${times(run.milliseconds)} ms${stopped}`
  return { name, engine, diagnostics, summary, outputs: keepJob(report), checks: run.checks }
}

function frameAnswer(report: FrameReport): RunAnswer {
  const { run } = report
  const { name, engine, diagnostics } = report
  if (run === undefined) return { ...refusal(diagnostics), name, engine }
  const stopped = run.stopped === undefined ? '' : `, stopped: ${run.stopped}`
  const summary = `${run.commands.length} commands, ${times(run.milliseconds)} ms${stopped}`
  return { name, engine, diagnostics, summary, outputs: keepFrame(report), checks: run.checks }
}

/** A budget for descriptions that have none: a page must end. */
export function withBudget(description: Description): Description {
  const limited = { maxInstructionsPerThread: MAX_INSTRUCTIONS }
  if (description.kind === 'job') {
    const { job } = description
    return { kind: 'job', job: { ...job, options: { ...limited, ...job.options } } }
  }
  const { frame } = description
  return { kind: 'frame', frame: { ...frame, options: { ...limited, ...frame.options } } }
}

/** Runs a description and keeps what it left. */
export async function run({ job, files, engine: wanted }: RunRequest, c: CallContext): Promise<RunAnswer> {
  const { value, diagnostics } = parseDescriptionText(job)
  if (value === undefined) return refusal(diagnostics)
  const description = withBudget(value)
  const options = description.kind === 'job' ? description.job.options : description.frame.options
  const { value: create, diagnostics: unknown } = engineNamed(options.engine ?? wanted)
  if (create === undefined) return refusal([...diagnostics, ...unknown])
  const engine = create({ threads: options.threads })
  const limits = {
    signal: c.signal,
    onProgress: ({ done, total }: { readonly done: number; readonly total: number }) => c.progress(done, total),
  }
  try {
    const host = hostOf(files)
    const answer =
      description.kind === 'job'
        ? jobAnswer(await runJobOn(description.job, host, engine, limits))
        : frameAnswer(await runFrameOn(description.frame, host, engine, limits))
    return { ...answer, diagnostics: [...diagnostics, ...answer.diagnostics] }
  } finally {
    engine.dispose?.()
  }
}

/** Runs a description under the detectors. */
export async function check({ job, files, suppressions: text }: CheckRequest, c: CallContext): Promise<CheckAnswer> {
  const { value, diagnostics } = parseDescriptionText(job)
  const { suppressions, diagnostics: wrong } = parseSuppressionFile(text)
  const engine = ENGINES.reference({})
  const options = { suppressions, signal: c.signal }
  const report =
    value === undefined
      ? refusedReport(options, [0, 0, 0], [])
      : (await checkParsed(withBudget(value), hostOf(files), engine, options)).report
  const whole = { ...report, diagnostics: [...diagnostics, ...wrong, ...report.diagnostics] }
  const explanations = Object.fromEntries(report.findings.map(({ code }) => [code, CODES[code].explanation]))
  return { report: whole, text: renderReport(whole), explanations }
}

/** A run description of what shaders declare: of one compute shader, or of the shaders of a pipeline. */
export function template({ shaders }: { readonly shaders: readonly NamedFile[] }): TemplateAnswer {
  const found: Diagnostic[] = []
  const loaded = shaders.flatMap((file) => {
    const source = { file: file.name, entry: 'main', profile: 'cs_5_0', path: '$.shader' }
    const { value, diagnostics } = loadShader(source, hostOf(shaders))
    if (value === undefined) found.push(...diagnostics)
    return value === undefined ? [] : [{ file, shader: value }]
  })
  if (loaded.length === 0) return { job: undefined, diagnostics: found }
  const name = loaded[0]!.file.name.replace(/\.\w+$/, '')
  const named = loaded.map(({ file, shader }) => ({ shader, file: file.name }))
  const { value, diagnostics } = descriptionTemplate(named, name)
  const job: JobTemplate | undefined = value
  return { job: job && descriptionText(job), diagnostics: [...found, ...diagnostics] }
}
