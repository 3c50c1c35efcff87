import type { Engine } from '../../../src/engine/index.ts'
import { threadCountOf } from '../../../src/engine/index.ts'
import { overrideJob, prepareJob, snapshotResources } from '../../../src/job/index.ts'
import { isTuningRequested, openEngine } from '../engines.ts'
import { EXIT, type ExitCode, worse } from '../exit.ts'
import { inputFiles, RUN_DESCRIPTIONS } from '../inputs.ts'
import { hostOf, type RunOptions, sourceOf } from '../jobs/source.ts'
import { print } from '../print.ts'
import { printDiagnostics, printJson } from '../print-diagnostics.ts'
import { printError } from '../terminal.ts'

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
  /** Dispatches after the first that did not count. */
  readonly warmup: number
  /** False where times still changed when warming up was given up; absent where `--warmup` says how many. */
  readonly isStable?: boolean
  readonly minimum: number
  readonly median: number
  readonly maximum: number
  readonly runs: number
  /** Threads dispatched a second, by the median. */
  readonly threadsPerSecond: number
}

const DEFAULT_RUNS = 10

/** Times are stable where the median of a window differs from that of the window before by no more than this part. */
const STABLE_PART = 0.05
const WINDOW = 4
/** Warming up ends without stable times after so many dispatches, or so many milliseconds. */
const MAX_WARMUP = 64
const MAX_WARMUP_MILLISECONDS = 10_000

function medianOf(times: readonly number[]): number {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[sorted.length >> 1]!
}

/** Whether the last times are as those before them: code is compiled, caches are filled. */
export function isStable(times: readonly number[]): boolean {
  if (times.length < 2 * WINDOW) return false
  const [last, before] = [medianOf(times.slice(-WINDOW)), medianOf(times.slice(-2 * WINDOW, -WINDOW))]
  return Math.abs(last - before) <= STABLE_PART * before
}

/** Dispatches until times are stable, or as often as is requested; undefined where a dispatch was stopped. */
async function warmUp(
  timeOne: () => Promise<number | undefined>,
  count: number | undefined,
): Promise<Pick<Timing, 'warmup' | 'isStable'> | undefined> {
  const times: number[] = []
  const until = performance.now() + MAX_WARMUP_MILLISECONDS
  const isDone = (): boolean => {
    if (count !== undefined) return times.length >= count
    return isStable(times) || times.length >= MAX_WARMUP || performance.now() > until
  }
  while (!isDone()) {
    const time = await timeOne()
    if (time === undefined) return undefined
    times.push(time)
  }
  return { warmup: times.length, ...(count === undefined ? { isStable: isStable(times) } : {}) }
}

function countOf(text: string, least: number): number | undefined {
  const n = Number(text)
  return Number.isInteger(n) && n >= least && n <= 100_000 ? n : undefined
}

/** Prepares and times one job; undefined, after reporting why, if it cannot run. */
async function timeJob(
  file: string,
  options: BenchOptions,
  engine: Engine,
  runs: number,
  warmup: number | undefined,
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
  printDiagnostics(
    file,
    [...new Set([...source.job.diagnostics, ...prepared.diagnostics])].filter((d) => d.severity === 'error'),
  )
  if (!prepared.ok || !('loaded' in prepared.value)) return undefined
  const { loaded, bindings, groups, options: dispatch, resources } = prepared.value
  const restore = snapshotResources(resources)
  let ranOn = engine.name
  const timeOne = async (): Promise<number | undefined> => {
    restore()
    const from = performance.now()
    const result = await engine.dispatch(loaded, bindings, groups, dispatch)
    const time = performance.now() - from
    ranOn = result.engine ?? engine.name
    if (result.stopped === undefined) return time
    printDiagnostics(file, result.diagnostics)
    printError(`${file}: the dispatch was stopped (${result.stopped}); it cannot be timed`)
    return undefined
  }
  const first = await timeOne()
  const warm = first === undefined ? undefined : await warmUp(timeOne, warmup)
  if (first === undefined || warm === undefined) return undefined
  const times: number[] = []
  for (let i = 0; i < runs; i++) {
    const time = await timeOne()
    if (time === undefined) return undefined
    times.push(time)
  }
  const sorted = times.sort((x, y) => x - y)
  const median = medianOf(sorted)
  const threads = groups.reduce((x, y) => x * y, 1) * threadCountOf(loaded.declarations)
  return {
    name: prepared.value.job.name,
    engine: ranOn,
    prepare,
    first,
    ...warm,
    minimum: sorted[0]!,
    median,
    maximum: sorted.at(-1)!,
    runs,
    threadsPerSecond: (threads / median) * 1000,
  }
}

const number = (n: number): string => (n < 10 ? n.toFixed(2) : n < 100 ? n.toFixed(1) : n.toFixed(0))

function warmupText({ warmup, isStable: stable }: Timing): string {
  const count = `${warmup} dispatch${warmup === 1 ? '' : 'es'} to warm up`
  return stable === false ? `times not stable after ${count}` : count
}

function line(t: Timing): string {
  const rate = `${number(t.threadsPerSecond / 1e6)} million threads/s`
  return `${t.name} (${t.engine}): prepared in ${number(t.prepare)} ms, first dispatch ${number(t.first)} ms, ${warmupText(t)}, median ${number(t.median)} ms of ${t.runs} (${number(t.minimum)} to ${number(t.maximum)}), ${rate}\n`
}

/** `heddle bench`. Every dispatch starts from the same contents; restoring them is not timed. */
export async function bench(files: readonly string[], options: BenchOptions): Promise<void> {
  const runs = options.runs === undefined ? DEFAULT_RUNS : countOf(options.runs, 1)
  const warmup = options.warmup === undefined ? undefined : countOf(options.warmup, 0)
  if (runs === undefined || (warmup === undefined && options.warmup !== undefined)) {
    const [flag, least, given] = runs === undefined ? ['runs', 1, options.runs] : ['warmup', 0, options.warmup]
    printError(`--${flag} takes a whole number from ${least} to 100000; ${JSON.stringify(given)} was given`)
    process.exitCode = EXIT.usage
    return
  }
  const opened = await openEngine(options.engine, {
    threads: options.threads === undefined ? undefined : Number(options.threads),
    tune: isTuningRequested(options.tune),
  })
  printDiagnostics('heddle bench', opened.diagnostics)
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
    if (options.json !== true) print(line(timing))
  }
  if (options.json === true) printJson(all)
  engine?.dispose?.()
  process.exitCode = worst
}
