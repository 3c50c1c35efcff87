import { dirname } from 'node:path'
import { type Diagnostic, hasErrors } from '../../../src/diagnostic/index.ts'
import type { Engine, Stop } from '../../../src/engine/index.ts'
import { createHost } from '../../../src/host/node/job-host.ts'
import { findFormat } from '../../../src/isa/formats/index.ts'
import {
  type CheckReport,
  checkFlags,
  type Job,
  type JobHost,
  type JobReport,
  jobOfFlags,
  type OverrideFlags,
  overrideJob,
  type ParsedJob,
  type Printed,
  parseJobText,
  printResource,
  printTable,
  type QuickFlags,
  runJobOn,
  tableLines,
  writeOutputs,
} from '../../../src/job/index.ts'
import { isTuningAsked, openEngine } from '../engines.ts'
import { EXIT, type ExitCode, worse } from '../exit.ts'
import { readBytes, STANDARD, systemReason } from '../files.ts'
import { printJson, sayDiagnostics, sayError } from '../say.ts'

/** Options as commander gives them. */
export interface RunOptions extends OverrideFlags, Omit<QuickFlags, 'shader'> {
  readonly hlslCompiler?: string
  readonly allowOutside?: boolean
  readonly tune?: boolean
  readonly json?: boolean
  readonly quiet?: boolean
}

/** Options that describe a quick run, by what they are called on the command line. */
const QUICK_OPTIONS = ['dispatch', 'srv', 'uav', 'cbv', 'sampler', 'unbound', 'entry', 'profile'] as const

/** Descriptions are JSON objects; no shader begins as they do. */
function isDescription(bytes: Uint8Array): boolean {
  const start = bytes[0] === 0xef && bytes[1] === 0xbb ? 3 : 0
  const first = bytes.subarray(start).find((b) => b !== 0x20 && b !== 0x09 && b !== 0x0a && b !== 0x0d)
  return first === 0x7b
}

/** A file of the command line as a job. */
export interface Source {
  readonly file: string
  readonly job: ParsedJob
  /** Where its files are. */
  readonly folder: string
  readonly isQuick: boolean
}

function quickUsed(options: RunOptions): string | undefined {
  return QUICK_OPTIONS.find((name) => {
    const value = options[name]
    return Array.isArray(value) ? value.length > 0 : value !== undefined
  })
}

/** A description, or the job that the flags describe for a shader. Undefined, said, where it cannot be read. */
export function sourceOf(file: string, options: RunOptions): Source | undefined {
  let bytes: Uint8Array
  try {
    bytes = readBytes(file)
  } catch (e) {
    sayError(`cannot read ${file}: ${systemReason(e)}`)
    return undefined
  }
  if (!isDescription(bytes) && !/\.json$/i.test(file)) {
    const flags: QuickFlags = { ...options, shader: file }
    return { file, job: jobOfFlags(flags, (name) => findFormat(name)?.blockByteLength), folder: '.', isQuick: true }
  }
  const used = quickUsed(options)
  if (used !== undefined) {
    sayError(`--${used} is for shaders; ${file} is a run description, which says such things itself`)
    return undefined
  }
  const job = parseJobText(new TextDecoder().decode(bytes))
  return { file, job, folder: file === STANDARD ? '.' : dirname(file), isQuick: false }
}

const STOP_TEXTS: Readonly<Record<Stop, string>> = {
  trap: 'stopped at the first undefined operation (policy trap)',
  budget: 'stopped: the budget of instructions is used up',
  abort: 'stopped: the shader executed abort',
  refused: 'refused',
}

function plural(n: number, word: string): string {
  return `${n.toLocaleString('en-US')} ${word}${n === 1 ? '' : 's'}`
}

function checkLines(check: CheckReport): string[] {
  const head = `  ${check.label}  ${check.how}: `
  if (check.problem !== undefined) return [`${head}WRONG: ${check.problem}`]
  if (check.passed) {
    const but = check.different > 0 ? `, ${check.different} of them outliers (${check.allowed} allowed)` : ''
    return [`${head}as expected, ${check.total} ${check.unit}${but}`]
  }
  const allowed = check.allowed > 0 ? ` (${check.allowed} allowed)` : ''
  const count =
    check.total === 1 ? 'DIFFERENT' : `DIFFERENT, ${check.different} of ${check.total} ${check.unit}${allowed}`
  const rows = check.first.map((d) => [d.where, d.type, d.got, d.expected])
  const table = tableLines({ heads: ['element', 'type', 'got', 'expected'], rows }).map((line) => `  ${line}`)
  return [`${head}${count}`, ...table]
}

function runLine(report: JobReport & { run: NonNullable<JobReport['run']> }): string {
  const { run } = report
  const count = run.threadInstructionCount
  const counted = count === undefined ? '' : `, ${plural(count, 'thread-instruction')}`
  const undefinedText = run.undefinedCount > 0 ? `, ${plural(run.undefinedCount, 'undefined operation')}` : ''
  const groups = `${run.groups.join(' x ')} groups of ${run.threads.join(' x ')} threads`
  const time = run.milliseconds < 10 ? run.milliseconds.toFixed(1) : run.milliseconds.toFixed(0)
  return `${report.name}: ${groups}${counted}${undefinedText}, ${time} ms (${report.engine})`
}

function isPassed(report: JobReport): boolean {
  return report.run !== undefined && report.run.stopped === undefined && report.run.checks.every((c) => c.passed)
}

/** Refused descriptions count as bad input; stopped dispatches and differences are findings. */
function exitOf(report: JobReport): ExitCode {
  if (report.run === undefined) return EXIT.usage
  return isPassed(report) ? EXIT.fine : EXIT.findings
}

function printedOf(report: JobReport): Printed[] {
  const { run } = report
  return (run?.prepared.job.print ?? []).flatMap((request) => {
    const r = run!.prepared.resources.find(
      (x) =>
        x.slot.register === request.slot.register &&
        x.slot.index === request.slot.index &&
        x.slot.space === request.slot.space,
    )
    return (r === undefined ? undefined : printResource(r, request)) ?? []
  })
}

function sayReport(report: JobReport, options: RunOptions): void {
  const { run } = report
  if (run === undefined) {
    process.stdout.write(`${report.name}: not run\n`)
    return
  }
  const passed = isPassed(report)
  if (options.quiet === true && passed) return
  const lines = [
    runLine({ ...report, run }),
    ...(run.stopped === undefined ? [] : [`  ${STOP_TEXTS[run.stopped]}`]),
    ...run.checks.flatMap(checkLines),
    ...printedOf(report).flatMap((p) => ['', ...printTable(p)]),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

/** A report as programs read it. */
function jsonReport(file: string, report: JobReport): unknown {
  const { name, engine, diagnostics, run } = report
  const printed = printedOf(report).map(({ slot, label, what, values, first, total }) => ({
    slot,
    label,
    what,
    first,
    total,
    values,
  }))
  if (run === undefined) return { file, name, engine, ran: false, passed: false, diagnostics }
  const { groups, threads, milliseconds, threadInstructionCount, undefinedCount, stopped, checks } = run
  const counted = threadInstructionCount === undefined ? {} : { threadInstructionCount }
  const figures = { groups, threads, milliseconds, ...counted, undefinedCount }
  return {
    ...{ file, name, engine, ran: true, passed: isPassed(report) },
    ...(stopped === undefined ? {} : { stopped }),
    ...{ ...figures, checks, printed, diagnostics },
  }
}

/** Slots that a quick run shows where nobody says what to show: everything the shader can write. */
function withDefaultPrints(job: Job): Job {
  if (job.print.length > 0 || job.outputs.length > 0) return job
  const written = job.resources.filter((r) => r.slot.register === 'u')
  return { ...job, print: written.map((r) => ({ slot: r.slot, path: r.path })) }
}

/** Engines by what was asked for, so that several jobs share one. */
function enginePool(tune: boolean) {
  const open = new Map<string, Engine>()
  return {
    async get(job: Job): Promise<{ engine?: Engine; diagnostics: readonly Diagnostic[] }> {
      const { engine: name, threads } = job.options
      const key = `${name} ${threads}`
      const known = open.get(key)
      if (known !== undefined) return { engine: known, diagnostics: [] }
      const { value, diagnostics } = await openEngine(name, { threads, tune })
      if (value === undefined) return { diagnostics }
      open.set(key, value)
      return { engine: value, diagnostics }
    },
    close(): void {
      for (const engine of open.values()) engine.dispose?.()
    },
  }
}

type EnginePool = ReturnType<typeof enginePool>

/** The system as a job sees it: files beside its description, the compiler that the user named. */
export function hostOf(source: Source, options: RunOptions): JobHost {
  const compiler = options.hlslCompiler ?? process.env.HEDDLE_HLSL_COMPILER
  // What a command line names is the user's own choice; what a description names may not be.
  const allowOutside = source.isQuick || options.allowOutside === true
  return createHost({ folder: source.folder, allowOutside, ...(compiler ? { compiler } : {}) })
}

async function runSource(source: Source, options: RunOptions, engines: EnginePool): Promise<JobReport> {
  const refused = (name: string, diagnostics: readonly Diagnostic[]): JobReport => ({ name, engine: '', diagnostics })
  const described = source.job.value
  const parsed: ParsedJob =
    described === undefined ? { diagnostics: checkFlags(options) } : overrideJob(described, options)
  const said = [...source.job.diagnostics, ...parsed.diagnostics]
  if (parsed.value === undefined) return refused(source.file, said)
  const job = source.isQuick ? withDefaultPrints(parsed.value) : parsed.value
  const { engine, diagnostics } = await engines.get(job)
  if (engine === undefined) return refused(job.name, [...said, ...diagnostics])
  const host = hostOf(source, options)
  const report = await runJobOn(job, host, engine)
  // Files named by flags are relative to where the user is, not to the description.
  const outputs = writeOutputs(report, host, createHost({ folder: '.', allowOutside: true }))
  return { ...report, diagnostics: [...said, ...diagnostics, ...report.diagnostics, ...outputs] }
}

function sayTotals(outcomes: readonly boolean[]): void {
  const passed = outcomes.filter((o) => o).length
  const wrong = outcomes.length - passed
  const text = wrong === 0 ? `all ${passed} as expected` : `${passed} as expected, ${wrong} not`
  process.stdout.write(`\n${plural(outcomes.length, 'run')}: ${text}\n`)
}

/** `heddle run`. */
export async function run(files: readonly string[], options: RunOptions): Promise<void> {
  const engines = enginePool(isTuningAsked(options.tune))
  // Reports hold their resources, so that only what became of each run is kept.
  const outcomes: boolean[] = []
  const json: unknown[] = []
  let worst: ExitCode = EXIT.fine
  for (const file of files) {
    const source = sourceOf(file, options)
    if (source === undefined) {
      worst = EXIT.usage
      continue
    }
    const report = await runSource(source, options, engines)
    outcomes.push(isPassed(report))
    worst = worse(worst, hasErrors(report.diagnostics) ? worse(exitOf(report), EXIT.findings) : exitOf(report))
    if (options.json === true) json.push(jsonReport(file, report))
    else {
      sayDiagnostics(file, report.diagnostics)
      sayReport(report, options)
    }
  }
  engines.close()
  if (options.json === true) printJson(json)
  else if (outcomes.length > 1) sayTotals(outcomes)
  process.exitCode = worst
}
