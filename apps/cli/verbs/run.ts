import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type Diagnostic, failure, githubAnnotation, type ShardMark } from '../../../src/diagnostic/index.ts'
import { createHost } from '../../../src/host/node/index.ts'
import {
  checkFlags,
  type FrameReport,
  type Job,
  type JobReport,
  overrideFrame,
  overrideJob,
  type ParsedJob,
  type RunLimits,
  runFrameOn,
  runJobOn,
  writeFrameOutputs,
  writeOutputs,
} from '../../../src/job/index.ts'
import { answerParent, canFork, forkFiles, optionWords } from '../children.ts'
import { isTuningRequested } from '../engines.ts'
import { EXIT, type ExitCode, worse } from '../exit.ts'
import { writeOutput } from '../files.ts'
import { inputFiles, RUN_DESCRIPTIONS, STANDARD } from '../inputs.ts'
import { isChild } from '../is-child.ts'
import { type EnginePool, enginePool } from '../jobs/engine-pool.ts'
import { plural } from '../jobs/lines.ts'
import { exitOf, outcomeOf, type RunOutcome } from '../jobs/outcome.ts'
import { annotationsOf, outcomesToJunit, outcomesToSarif } from '../jobs/results.ts'
import { countOf, matchesPattern } from '../jobs/select.ts'
import { shardOf } from '../jobs/shard.ts'
import { hostOf, type RunOptions, type Source, sourceOf } from '../jobs/source.ts'
import { changedSets, ReadFiles, rememberingHost } from '../jobs/watch.ts'
import { print } from '../print.ts'
import { printDiagnostics } from '../print-diagnostics.ts'
import { progressThrough } from '../progress.ts'
import { printError } from '../terminal.ts'

/** Slots that a quick run shows where nothing states what to show: everything the shader can write. */
function withDefaultPrints(job: Job): Job {
  if (job.print.length > 0 || job.outputs.length > 0) return job
  const written = job.resources.filter((r) => r.slot.register === 'u')
  return { ...job, print: written.map((r) => ({ slot: r.slot, path: r.path })) }
}

/** Seconds that a run may take where nothing else is requested. */
const DEFAULT_SECONDS = 60

/** The limit of `--max-time`; 0 stands for none. */
function limitsOf({ maxTime }: RunOptions): RunLimits {
  const seconds = maxTime === undefined ? DEFAULT_SECONDS : Number(maxTime)
  return seconds > 0 ? { maxMilliseconds: seconds * 1000 } : {}
}

/** Whether `--max-time` is a number of seconds; otherwise it has been reported. */
function checkMaxTime({ maxTime }: RunOptions): boolean {
  const fits = maxTime === undefined || (/^\d+(\.\d+)?$/.test(maxTime) && Number(maxTime) < 1e9)
  if (!fits) printError(`--max-time ${maxTime}: a number of seconds is expected, 0 for no limit`)
  return fits
}

/** As reportOf, of a description of several commands. */
async function frameReportOf(
  source: Source,
  options: RunOptions,
  engines: EnginePool,
  read: ReadFiles | undefined,
): Promise<FrameReport> {
  const { value: frame, diagnostics: described = [] } = source.frame ?? {}
  const parsed = frame === undefined ? { diagnostics: checkFlags(options) } : overrideFrame(frame, options)
  const found = [...described, ...parsed.diagnostics]
  const base = { kind: 'frame', name: frame?.name ?? source.file, engine: '' } as const
  if (!('value' in parsed) || parsed.value === undefined) return { ...base, diagnostics: found }
  const { engine, diagnostics } = await engines.get(parsed.value)
  if (engine === undefined) return { ...base, diagnostics: [...found, ...diagnostics] }
  const host = hostFor(source, options, read)
  const limits = { update: options.update === true, ...limitsOf(options) }
  const report = await runFrameOn(parsed.value, host, engine, limits)
  const outputs = writeFrameOutputs(report, host, createHost({ folder: '.', allowOutside: true }))
  return { ...report, diagnostics: [...found, ...diagnostics, ...report.diagnostics, ...outputs] }
}

function hostFor(source: Source, options: RunOptions, read: ReadFiles | undefined) {
  const own = hostOf(source, options)
  return read === undefined ? own : rememberingHost(own, read, (path) => resolve(source.folder, path))
}

async function reportOf(
  source: Source,
  options: RunOptions,
  engines: EnginePool,
  read: ReadFiles | undefined,
): Promise<JobReport> {
  const refused = (name: string, diagnostics: readonly Diagnostic[]): JobReport => ({ name, engine: '', diagnostics })
  const described = source.job.value
  const parsed: ParsedJob = described === undefined ? failure(checkFlags(options)) : overrideJob(described, options)
  const found = [...source.job.diagnostics, ...parsed.diagnostics]
  if (parsed.value === undefined) return refused(source.file, found)
  const job = source.isQuick ? withDefaultPrints(parsed.value) : parsed.value
  const { engine, diagnostics } = await engines.get(job)
  if (engine === undefined) return refused(job.name, [...found, ...diagnostics])
  const host = hostFor(source, options, read)
  const report = await runJobOn(job, host, engine, { update: options.update === true, ...limitsOf(options) })
  // Files named by flags are relative to where the user is, not to the description.
  const outputs = writeOutputs(report, host, createHost({ folder: '.', allowOutside: true }))
  return { ...report, diagnostics: [...found, ...diagnostics, ...report.diagnostics, ...outputs] }
}

async function runFile(file: string, options: RunOptions, engines: EnginePool, read?: ReadFiles): Promise<RunOutcome> {
  const start = performance.now()
  if (file !== STANDARD) read?.add(resolve(file))
  const source = sourceOf(file, options)
  const run = source.frame === undefined ? reportOf : frameReportOf
  const report = await run(source, options, engines, read)
  return outcomeOf(file, report, performance.now() - start, options.verbose === true)
}

/** Prints an outcome for people: nothing of runs as expected with `--quiet`, no hints with `--no-hints`. */
function printOutcome(o: RunOutcome, options: RunOptions): void {
  if (options.quiet === true && o.status === 'passed') return
  const isShown = (d: Diagnostic): boolean => options.hints !== false || d.severity !== 'hint'
  printDiagnostics(o.file, o.diagnostics.filter(isShown))
  print(`${o.lines.join('\n')}\n`)
}

/** The last lines of several runs: how many went how, and what is wrong with each that did not pass. */
function printTotals(outcomes: readonly RunOutcome[], fileCount: number): void {
  const wrong = outcomes.filter((o) => o.status !== 'passed')
  const passed = outcomes.length - wrong.length
  const text = wrong.length === 0 ? `all ${passed} as expected` : `${passed} as expected, ${wrong.length} not`
  const left = fileCount - outcomes.length
  const rest = left === 0 ? '' : `; ${plural(left, 'more file')} not started (--bail)`
  const lines = wrong.map((o) => {
    const [first = o.status, ...others] = o.problems
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`
    const title = o.name === o.file ? o.file : `${o.file} (${o.name})`
    return `  ${o.status === 'failed' ? 'failed ' : 'not run'}  ${title}: ${first}${more}`
  })
  print(`\n${[`${plural(outcomes.length, 'run')}: ${text}${rest}`, ...lines].join('\n')}\n`)
}

/** An array with a line for each run. */
function printJsonLines(outcomes: readonly RunOutcome[], mark?: ShardMark): void {
  const lines = outcomes.map((o) =>
    JSON.stringify(mark === undefined ? o.json : { ...(o.json as object), shard: mark }),
  )
  print(`[\n${lines.join(',\n')}\n]\n`)
}

function writeResults(outcomes: readonly RunOutcome[], options: RunOptions, mark?: ShardMark): ExitCode {
  const write = (path: string | undefined, text: () => string): ExitCode =>
    path === undefined || writeOutput(path, Buffer.from(text())) ? EXIT.fine : EXIT.usage
  if (options.github === true) {
    for (const a of annotationsOf(outcomes)) print(`${githubAnnotation(a)}\n`)
  }
  return worse(
    write(options.junit, () => outcomesToJunit(outcomes, mark)),
    write(options.sarif, () => `${JSON.stringify(outcomesToSarif(outcomes, mark), null, 2)}\n`),
  )
}

/** Options that only the process heeds that others were started by. */
const PARENT_OPTIONS = new Set([
  'jobs',
  'shard',
  'filter',
  'bail',
  'junit',
  'sarif',
  'github',
  'json',
  'quiet',
  'watch',
])

const nameOf = (source: Source): string => source.job.value?.name ?? source.frame?.value?.name ?? ''

/** What to run, and with how many processes; undefined, after a message, where the options make no sense. */
interface Plan {
  readonly files: readonly string[]
  readonly mark?: ShardMark
  readonly workers: number
  /** Failures after which no more is started. */
  readonly bail: number
}

function planOf(files: readonly string[], options: RunOptions): Plan | undefined {
  const { filter } = options
  const isWanted = (file: string, pattern: string): boolean =>
    matchesPattern(file, pattern) || matchesPattern(nameOf(sourceOf(file, options)), pattern)
  const filtered = filter === undefined ? files : files.filter((f) => isWanted(f, filter))
  if (filtered.length === 0) printError(`no run matches --filter ${filter}`)
  const shard = filtered.length === 0 ? undefined : shardOf('run', filtered, options.shard)
  const jobs = countOf('--jobs', options.jobs)
  const bail = countOf('--bail', options.bail === true ? '1' : options.bail)
  if (shard === undefined || jobs === 'bad' || bail === 'bad') return undefined
  const { files: mine, mark } = shard
  const canDivide = canFork() && !mine.includes(STANDARD) && options.watch !== true
  const workers = canDivide ? Math.min(mine.length, jobs ?? 1, 4 * availableParallelism()) : 1
  return { files: mine, ...(mark === undefined ? {} : { mark }), workers, bail: bail ?? Number.POSITIVE_INFINITY }
}

/** Runs everything; `take` gets each outcome as it comes and gives false to end early. */
async function runPlan(
  plan: Plan,
  options: RunOptions,
  command: Command,
  take: (o: RunOutcome) => boolean,
): Promise<void> {
  if (plan.workers > 1) {
    const verb = { name: 'run', words: optionWords(command, PARENT_OPTIONS) }
    await forkFiles<RunOutcome>(verb, plan.files, plan.workers, take)
    return
  }
  const engines = enginePool(isTuningRequested(options.tune))
  for (const file of plan.files) if (!take(await runFile(file, options, engines))) break
  engines.close()
}

/** Runs jobs again when a file that they were made from changes, until the process is ended. */
async function watch(files: readonly string[], options: RunOptions): Promise<never> {
  const engines = enginePool(isTuningRequested(options.tune))
  const sets = files.map(() => new ReadFiles())
  let due = files.map((_, i) => i)
  for (;;) {
    for (const i of due) {
      const read = new ReadFiles()
      printOutcome(await runFile(files[i]!, options, engines, read), options)
      sets[i] = read
    }
    print('waiting for changes; Ctrl+C ends\n')
    due = await changedSets(sets)
  }
}

/** `heddle run`. */
export async function run(args: readonly string[], options: RunOptions, command: Command): Promise<void> {
  const { inputs, allFound } = await inputFiles(args, RUN_DESCRIPTIONS)
  const files = inputs.map((i) => i.path)
  const plan = checkMaxTime(options) && files.length > 0 ? planOf(files, options) : undefined
  if (plan === undefined) {
    process.exitCode = EXIT.usage
    return
  }
  if (options.watch === true) return watch(plan.files, options)
  const isText = options.json !== true && !isChild()
  const progress = progressThrough(plan.files.length, 2)
  progress.show(0, plan.files[0]!)
  const outcomes = new Map<string, RunOutcome>()
  let failures = 0
  await runPlan(plan, options, command, (o) => {
    outcomes.set(o.file, o)
    if (isChild()) answerParent(o)
    else if (isText && plan.workers === 1) printOutcome(o, options)
    progress.show(outcomes.size, plan.files[outcomes.size] ?? o.file)
    if (o.status !== 'passed') failures++
    return failures < plan.bail
  })
  progress.end()
  const ordered = plan.files.flatMap((file) => outcomes.get(file) ?? [])
  if (isText && plan.workers > 1) for (const o of ordered) printOutcome(o, options)
  const isCut = !allFound || (ordered.length < plan.files.length && failures < plan.bail)
  const worst = ordered.reduce<ExitCode>((w, o) => worse(w, exitOf(o)), isCut ? EXIT.usage : EXIT.fine)
  if (options.json === true && !isChild()) printJsonLines(ordered, plan.mark)
  else if (isText && plan.files.length > 1 && (options.quiet !== true || failures > 0))
    printTotals(ordered, plan.files.length)
  process.exitCode = worse(worst, isChild() ? EXIT.fine : writeResults(ordered, options, plan.mark))
}
