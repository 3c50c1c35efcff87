import { availableParallelism } from 'node:os'
import {
  type CheckOptions,
  checkJob,
  DEFAULT_DETECTORS,
  DETECTOR_NAMES,
  type DetectorName,
  type FileReport,
  isClean,
  parseSuppression,
  parseSuppressionFile,
  type Report,
  renderReport,
  reportsToJunit,
  reportsToSarif,
  type Suppression,
  shaderFacts,
} from '../../../src/check/index.ts'

import { appendAll, type Diagnostic, hasErrors } from '../../../src/diagnostic/index.ts'
import type { Engine } from '../../../src/engine/index.ts'
import { overrideJob, prepareJob } from '../../../src/job/index.ts'
import { parseSlot } from '../../../src/machine/index.ts'
import { VERSION } from '../../../src/version.ts'
import { canFork, forkChecks } from '../check-children.ts'
import { DEFAULT_CHECK_ENGINE, openEngine } from '../engines.ts'
import { EXIT, type ExitCode, worse } from '../exit.ts'
import { readBytes, systemReason, writeOutput } from '../files.ts'
import { PAINT_STDOUT, printJson, sayDiagnostics, sayError } from '../say.ts'
import { hostOf, type RunOptions, type Source, sourceOf } from './run.ts'

/** Options as commander gives them. */
export interface CheckVerbOptions extends Omit<RunOptions, 'print' | 'out'> {
  readonly detectors?: string
  readonly numbers?: boolean
  readonly schedules?: boolean
  readonly uninitialisedUavs?: boolean
  readonly zeroBorder?: string
  readonly suppress: readonly string[]
  readonly suppressions?: string
  readonly hints?: boolean
  readonly maxFindings?: string
  readonly maxMemory?: string
  readonly maxTime?: string
  readonly shard?: string
  readonly jobs?: string
  readonly sarif?: string
  readonly junit?: string
}

const MEGABYTE = 2 ** 20

/** What the flags ask for; undefined, said, where they make no sense. */
function checkOptionsOf(options: CheckVerbOptions): CheckOptions | undefined {
  const detectors = detectorsOf(options)
  const suppressions = suppressionsOf(options)
  const maxFindings = countOf('--max-findings', options.maxFindings)
  const maxMemory = countOf('--max-memory', options.maxMemory)
  const maxTime = countOf('--max-time', options.maxTime)
  const bad = [maxFindings, maxMemory, maxTime].includes('bad')
  const zeroBorder = zeroBorderOf(options.zeroBorder)
  if (detectors === undefined || suppressions === undefined || zeroBorder === 'bad' || bad) return undefined
  return {
    detectors,
    suppressions,
    ...(options.uninitialisedUavs === true ? { uninitialisedUavs: true } : {}),
    ...(zeroBorder === undefined ? {} : { zeroBorder }),
    ...(typeof maxFindings === 'number' ? { maxFindings } : {}),
    ...(typeof maxMemory === 'number' ? { maxShadowByteLength: maxMemory * MEGABYTE } : {}),
    ...(typeof maxTime === 'number' ? { maxMilliseconds: maxTime * 1000 } : {}),
  }
}

function countOf(flag: string, text: string | undefined): number | 'bad' | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 1) return value
  sayError(`${flag} takes a whole number of 1 or more; ${JSON.stringify(text)} was given`)
  return 'bad'
}

/** Slots between commas, or all; a number that follows "space" belongs to the slot before it. */
function zeroBorderOf(text: string | undefined): readonly string[] | 'all' | 'bad' | undefined {
  if (text === undefined || text === 'all') return text
  const slots = text.split(/,(?!space)/).map((s) => s.trim())
  const wrong = slots.find((s) => !/^[tu]/.test(parseSlot(s) === undefined ? '' : s))
  if (wrong === undefined) return slots
  sayError(`--zero-border takes slots of loads, as in t0,t1,u0, or all; ${JSON.stringify(wrong)} was given`)
  return 'bad'
}

function detectorsOf(options: CheckVerbOptions): DetectorName[] | undefined {
  const named = options.detectors?.split(',').map((s) => s.trim()) ?? DEFAULT_DETECTORS
  const wrong = named.find((name) => !(DETECTOR_NAMES as readonly string[]).includes(name))
  if (wrong !== undefined) {
    sayError(`there is no detector ${JSON.stringify(wrong)}; there are ${DETECTOR_NAMES.join(', ')}`)
    return undefined
  }
  const asked = new Set(named as readonly DetectorName[])
  if (options.numbers === true) asked.add('numbers')
  if (options.schedules === true) asked.add('schedules')
  return DETECTOR_NAMES.filter((name) => asked.has(name))
}

function suppressionsOf(options: CheckVerbOptions): Suppression[] | undefined {
  const found: Suppression[] = []
  let bad = false
  const refuse = (file: string, diagnostics: readonly Diagnostic[]): void => {
    sayDiagnostics(file, diagnostics)
    bad = true
  }
  for (const text of options.suppress) {
    const parsed = parseSuppression(text)
    if ('message' in parsed) refuse('--suppress', [parsed])
    else found.push(parsed)
  }
  if (options.suppressions !== undefined) {
    try {
      const text = new TextDecoder().decode(readBytes(options.suppressions))
      const { suppressions, diagnostics } = parseSuppressionFile(text)
      appendAll(found, suppressions)
      if (diagnostics.length > 0) refuse(options.suppressions, diagnostics)
    } catch (e) {
      sayError(`cannot read ${options.suppressions}: ${systemReason(e)}`)
      bad = true
    }
  }
  return bad ? undefined : found
}

/** The files of one shard of several: every nth, so that neighbours of like size are divided evenly. */
function shardOf(files: readonly string[], shard: string | undefined): readonly string[] | undefined {
  if (shard === undefined) return files
  const m = /^(\d+)\/(\d+)$/.exec(shard)
  const [part, of] = [Number(m?.[1]), Number(m?.[2])]
  if (m === null || part < 1 || part > of) {
    sayError(`--shard takes i/n with i from 1 to n; ${JSON.stringify(shard)} was given`)
    return undefined
  }
  return files.filter((_, i) => i % of === part - 1)
}

/** A report that nothing ran. */
function refusedReport(name: string, diagnostics: readonly Diagnostic[], options: CheckOptions): Report {
  return {
    name,
    findings: [],
    partial: 'refused',
    diagnostics,
    stats: {
      groups: [0, 0, 0],
      threads: [0, 0, 0],
      threadInstructions: 0,
      shadowByteLength: 0,
      droppedFindings: 0,
      suppressed: 0,
      detectors: options.detectors ?? DEFAULT_DETECTORS,
    },
  }
}

async function checkSource(
  source: Source,
  flags: CheckVerbOptions,
  options: CheckOptions,
  engine: Engine,
): Promise<Report> {
  const runFlags: RunOptions = { ...flags, print: [], out: [] }
  const parsed = source.job.value === undefined ? source.job : overrideJob(source.job.value, runFlags)
  const said = parsed === source.job ? parsed.diagnostics : [...source.job.diagnostics, ...parsed.diagnostics]
  if (parsed.value === undefined || hasErrors(said)) return refusedReport(source.file, said, options)
  const prepared = prepareJob(parsed.value, hostOf(source, runFlags), engine)
  // Nothing is compared here, so a description need not say what is expected.
  const all = [...said, ...prepared.diagnostics].filter((d) => d.code !== 'job-nothing-to-compare')
  if (prepared.value === undefined) return refusedReport(parsed.value.name, all, options)
  const { loaded, bindings, groups, shader, job } = prepared.value
  const { schedule, undefinedPolicy, maxInstructionsPerThread, classInstances } = prepared.value.options
  return checkJob(
    {
      engine,
      loaded,
      bindings,
      groups,
      facts: shaderFacts(shader.container),
      diagnostics: all,
      ...(classInstances === undefined ? {} : { classInstances }),
    },
    {
      ...options,
      name: job.name,
      ...(schedule === undefined ? {} : { schedule }),
      ...(undefinedPolicy === undefined ? {} : { undefinedPolicy }),
      ...(maxInstructionsPerThread === undefined ? {} : { maxInstructionsPerThread }),
    },
  )
}

/** Refused jobs are bad input; errors, warnings and checks cut short are findings. */
function exitOf(report: Report): ExitCode {
  if (report.partial === 'refused') return EXIT.usage
  return isClean(report) ? EXIT.fine : EXIT.findings
}

function sayReport({ file, report }: FileReport, flags: CheckVerbOptions): void {
  if (flags.quiet === true && exitOf(report) === EXIT.fine) return
  sayDiagnostics(file, report.diagnostics)
  const quietHints = flags.hints === false
  process.stdout.write(`${renderReport({ ...report, diagnostics: [] }, { paint: PAINT_STDOUT, quietHints })}\n\n`)
}

function writeResult(path: string | undefined, text: string): ExitCode {
  return path === undefined || writeOutput(path, Buffer.from(text)) ? EXIT.fine : EXIT.usage
}

function sayTotals(reports: readonly FileReport[]): void {
  const clean = reports.filter((r) => exitOf(r.report) === EXIT.fine).length
  const text = clean === reports.length ? 'all clean' : `${clean} clean, ${reports.length - clean} not`
  process.stdout.write(`${reports.length} checks: ${text}\n`)
}

/** Checks jobs one after the other in this process. */
async function checkHere(
  files: readonly string[],
  flags: CheckVerbOptions,
  options: CheckOptions,
): Promise<(FileReport | undefined)[]> {
  const { value: engine, diagnostics } = await openEngine(flags.engine ?? DEFAULT_CHECK_ENGINE)
  if (engine === undefined) {
    sayDiagnostics('--engine', diagnostics)
    return files.map(() => undefined)
  }
  const reports: (FileReport | undefined)[] = []
  for (const file of files) {
    const source = sourceOf(file, { ...flags, print: [], out: [] })
    const report = source === undefined ? undefined : await checkSource(source, flags, options, engine)
    reports.push(report === undefined ? undefined : { file, report })
  }
  engine.dispose?.()
  return reports
}

/** `heddle check`. */
export async function check(files: readonly string[], flags: CheckVerbOptions): Promise<void> {
  const options = checkOptionsOf(flags)
  const mine = shardOf(files, flags.shard)
  const jobs = countOf('--jobs', flags.jobs)
  if (options === undefined || mine === undefined || jobs === 'bad') {
    process.exitCode = EXIT.usage
    return
  }
  const workers = Math.min(mine.length, jobs ?? availableParallelism())
  const isParallel = workers > 1 && canFork() && !mine.includes('-')
  const reports = isParallel ? await forkChecks(files, mine, workers) : await checkHere(mine, flags, options)
  let worst: ExitCode = EXIT.fine
  for (const r of reports) worst = worse(worst, r === undefined ? EXIT.usage : exitOf(r.report))
  const found = reports.filter((r) => r !== undefined)
  const isJson = flags.json === true
  if (isJson) printJson(found)
  else {
    for (const r of found) sayReport(r, flags)
    if (found.length > 1) sayTotals(found)
  }
  worst = worse(worst, writeResult(flags.sarif, `${JSON.stringify(reportsToSarif(found, VERSION), null, 2)}\n`))
  worst = worse(worst, writeResult(flags.junit, reportsToJunit(found)))
  process.exitCode = worst
}
