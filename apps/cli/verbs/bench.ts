import { hasErrors } from '../../../src/diagnostic/index.ts'
import type { Engine } from '../../../src/engine/index.ts'
import { threadCountOf } from '../../../src/engine/index.ts'
import { overrideJob, prepareJob, snapshotResources } from '../../../src/job/index.ts'
import { isTuningAsked, openEngine } from '../engines.ts'
import { EXIT, type ExitCode, worse } from '../exit.ts'
import { inputFiles, RUN_DESCRIPTIONS } from '../inputs.ts'
import { hostOf, type RunOptions, sourceOf } from '../jobs/source.ts'
import { printJson, sayDiagnostics, sayError } from '../say.ts'

interface BenchOptions extends RunOptions {
  readonly runs?: string
  readonly warmup?: string
}

/** Times of one job, in milliseconds. */
interface Timing {
  readonly name: string
  readonly engine: string
  /** From the shader's bytes and the description to a shader that can be dispatched. */
  readonly prepare: number
  readonly first: number
  readonly minimum: number
  readonly median: number
  readonly maximum: number
  readonly runs: number
  /** Threads dispatched a second, by the median. */
  readonly threadsPerSecond: number
}

const DEFAULT_RUNS = 10
const DEFAULT_WARMUP = 2

function countOf(text: string | undefined, fallback: number, least: number): number | undefined {
  const n = text === undefined ? fallback : Number(text)
  return Number.isInteger(n) && n >= least && n <= 100_000 ? n : undefined
}

/** Prepares and times one job; undefined, said, where it cannot run. */
async function timeJob(
  file: string,
  options: BenchOptions,
  engine: Engine,
  runs: number,
  warmup: number,
): Promise<Timing | undefined> {
  const source = sourceOf(file, options)
  const host = hostOf(source, options)
  const job =
    source.job.value === undefined || source.isQuick
      ? source.job
      : overrideJob(source.job.value, { ...options, print: [], out: [] })
  const start = performance.now()
  const prepared = job.value === undefined ? job : prepareJob(job.value, host, engine)
  const prepare = performance.now() - start
  sayDiagnostics(
    file,
    [...source.job.diagnostics, ...prepared.diagnostics].filter((d) => d.severity === 'error'),
  )
  if (prepared.value === undefined || hasErrors(prepared.diagnostics) || !('loaded' in prepared.value)) return undefined
  const { loaded, bindings, groups, options: dispatch, resources } = prepared.value
  const restore = snapshotResources(resources)
  const times: number[] = []
  let ranOn = engine.name
  for (let i = 0; i <= warmup + runs; i++) {
    restore()
    const from = performance.now()
    const result = await engine.dispatch(loaded, bindings, groups, dispatch)
    times.push(performance.now() - from)
    ranOn = result.engine ?? engine.name
    if (result.stopped !== undefined) {
      sayDiagnostics(file, result.diagnostics)
      sayError(`${file}: the dispatch was stopped (${result.stopped}); it cannot be timed`)
      return undefined
    }
  }
  const counted = times.slice(warmup + 1).sort((a, b) => a - b)
  const median = counted[counted.length >> 1]!
  const threads = groups.reduce((a, b) => a * b, 1) * threadCountOf(loaded.declarations)
  return {
    name: prepared.value.job.name,
    engine: ranOn,
    prepare,
    first: times[0]!,
    minimum: counted[0]!,
    median,
    maximum: counted.at(-1)!,
    runs,
    threadsPerSecond: (threads / median) * 1000,
  }
}

const number = (n: number): string => (n < 10 ? n.toFixed(2) : n < 100 ? n.toFixed(1) : n.toFixed(0))

function line(t: Timing): string {
  const rate = `${number(t.threadsPerSecond / 1e6)} million threads/s`
  return `${t.name} (${t.engine}): prepared in ${number(t.prepare)} ms, first dispatch ${number(t.first)} ms, median ${number(t.median)} ms of ${t.runs} (${number(t.minimum)} to ${number(t.maximum)}), ${rate}\n`
}

/** `heddle bench`. Every dispatch starts from the same contents; restoring them is not timed. */
export async function bench(files: readonly string[], options: BenchOptions): Promise<void> {
  const runs = countOf(options.runs, DEFAULT_RUNS, 1)
  const warmup = countOf(options.warmup, DEFAULT_WARMUP, 0)
  if (runs === undefined || warmup === undefined) {
    sayError('--runs takes a whole number from 1, --warmup one from 0, to 100000')
    process.exitCode = EXIT.usage
    return
  }
  const opened = await openEngine(options.engine, {
    threads: options.threads === undefined ? undefined : Number(options.threads),
    tune: isTuningAsked(options.tune),
  })
  sayDiagnostics('heddle bench', opened.diagnostics)
  const engine = opened.value
  let worst: ExitCode = engine === undefined ? EXIT.usage : EXIT.fine
  const all: Timing[] = []
  const { inputs, allFound } = await inputFiles(files, RUN_DESCRIPTIONS)
  if (!allFound) worst = EXIT.usage
  for (const { path: file } of engine === undefined ? [] : inputs) {
    const timing = await timeJob(file, options, engine!, runs, warmup)
    worst = worse(worst, timing === undefined ? EXIT.usage : EXIT.fine)
    if (timing === undefined) continue
    all.push(timing)
    if (options.json !== true) process.stdout.write(line(timing))
  }
  if (options.json === true) printJson(all)
  engine?.dispose?.()
  process.exitCode = worst
}
