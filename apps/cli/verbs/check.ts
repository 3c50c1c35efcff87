import { availableParallelism } from 'node:os'
import type { Command } from 'commander'
import { unicodeText } from '../../../src/asm/index.ts'
import {
  type CheckOptions,
  commandText,
  DEFAULT_DETECTORS,
  DETECTOR_NAMES,
  type DetectorName,
  type FileReport,
  isClean,
  mapReportPaths,
  NO_STATEMENT,
  namedLine,
  type PathMapping,
  parsePathMapping,
  parseSuppression,
  parseSuppressionFile,
  type ReportFinding,
  refusedReport,
  renderReport,
  reportsToJunit,
  reportsToSarif,
  type Suppression,
  whoText,
} from '../../../src/check/index.ts'
import {
  type Annotation,
  appendAll,
  type Diagnostic,
  diagnostic,
  githubAnnotation,
  placedMessage,
  type ShardMark,
} from '../../../src/diagnostic/index.ts'
import type { Engine } from '../../../src/engine/index.ts'
import { checkParsed } from '../../../src/host/index.ts'
import { parseSlot } from '../../../src/machine/index.ts'
import { VERSION } from '../../../src/version.ts'
import { answerParent, canFork, forkFiles, optionWords } from '../children.ts'
import { DEFAULT_CHECK_ENGINE, openEngine } from '../engines.ts'
import { EXIT, type ExitCode, worse } from '../exit.ts'
import { readBytes, systemReason, writeOutput } from '../files.ts'
import { inputFiles, RUN_DESCRIPTIONS } from '../inputs.ts'
import { isChild } from '../is-child.ts'
import { checkSummary } from '../jobs/lines.ts'
import { countOf } from '../jobs/select.ts'
import { shardOf } from '../jobs/shard.ts'
import { describedBy, hostOf, type RunOptions, type Source, sourceOf } from '../jobs/source.ts'
import { print } from '../print.ts'
import { printDiagnostics, printJson } from '../print-diagnostics.ts'
import { progressThrough } from '../progress.ts'
import { paintFor, printError } from '../terminal.ts'

/** Options as commander gives them. */
interface CheckVerbOptions extends Omit<RunOptions, 'print' | 'out'> {
  readonly detectors?: string
  readonly numbers?: boolean
  readonly schedules?: boolean
  readonly uninitializedUavs?: boolean
  readonly zeroBorder?: string
  readonly suppress: readonly string[]
  readonly pathMap?: readonly string[]
  readonly suppressions?: string
  readonly maxFindings?: string
  readonly maxMemory?: string
  readonly maxTime?: string
  /** Compares contents with what the description expects, too. */
  readonly compare?: boolean
  /** Prints a short history of the memory that findings are about. */
  readonly trace?: boolean
}

const MEGABYTE = 2 ** 20

/** What the flags request; undefined, after reporting why, if they contradict each other. */
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
    ...(options.uninitializedUavs === true ? { uninitializedUavs: true } : {}),
    ...(zeroBorder === undefined ? {} : { zeroBorder }),
    ...(typeof maxFindings === 'number' ? { maxFindings } : {}),
    ...(typeof maxMemory === 'number' ? { maxShadowByteLength: maxMemory * MEGABYTE } : {}),
    ...(typeof maxTime === 'number' ? { maxMilliseconds: maxTime * 1000 } : {}),
  }
}

/** Slots between commas, or all; a number that follows "space" belongs to the slot before it. */
function zeroBorderOf(text: string | undefined): readonly string[] | 'all' | 'bad' | undefined {
  if (text === undefined || text === 'all') return text
  const slots = text.split(/,(?!space)/).map((s) => s.trim())
  const wrong = slots.find((s) => !/^[tu]/.test(parseSlot(s) === undefined ? '' : s))
  if (wrong === undefined) return slots
  printError(`--zero-border takes slots of loads, as in t0,t1,u0, or all; ${JSON.stringify(wrong)} was given`)
  return 'bad'
}

function detectorsOf(options: CheckVerbOptions): DetectorName[] | undefined {
  const named = options.detectors?.split(',').map((s) => s.trim()) ?? DEFAULT_DETECTORS
  const wrong = named.find((name) => !(DETECTOR_NAMES as readonly string[]).includes(name))
  if (wrong !== undefined) {
    printError(`there is no detector ${JSON.stringify(wrong)}; there are ${DETECTOR_NAMES.join(', ')}`)
    return undefined
  }
  const detectors = new Set(named as readonly DetectorName[])
  if (options.numbers === true) detectors.add('numbers')
  if (options.schedules === true) detectors.add('schedules')
  return DETECTOR_NAMES.filter((name) => detectors.has(name))
}

function suppressionsOf(options: CheckVerbOptions): Suppression[] | undefined {
  const found: Suppression[] = []
  let bad = false
  const refuse = (file: string, diagnostics: readonly Diagnostic[]): void => {
    printDiagnostics(file, diagnostics)
    bad = true
  }
  for (const text of options.suppress) {
    const parsed = parseSuppression(text)
    if ('message' in parsed) refuse('--suppress', [parsed])
    else found.push(parsed)
  }
  if (options.suppressions !== undefined) {
    try {
      const text = unicodeText(readBytes(options.suppressions))
      const { suppressions, diagnostics } = parseSuppressionFile(text)
      appendAll(found, suppressions)
      if (diagnostics.length > 0) refuse(options.suppressions, diagnostics)
    } catch (e) {
      printError(`cannot read ${options.suppressions}: ${systemReason(e)}`)
      bad = true
    }
  }
  return bad ? undefined : found
}

/** What checking a file gave, and whether its description has contents that were not compared. */
interface Checked extends FileReport {
  readonly isUncompared?: boolean
}

async function checkSource(
  source: Source,
  flags: CheckVerbOptions,
  options: CheckOptions,
  engine: Engine,
): Promise<Checked> {
  const { file } = source
  const { ok, value, diagnostics } = describedBy(source, { ...flags, print: [], out: [] })
  if (!ok) return { file, report: refusedReport({ ...options, name: file }, [0, 0, 0], diagnostics) }
  const compare = flags.compare === true
  const host = hostOf(source, { ...flags, print: [], out: [] })
  const { report, differences: wrong } = await checkParsed(value, host, engine, { ...options, compare })
  const isUncompared = !compare && (value.kind === 'job' ? value.job : value.frame).checks.length > 0
  const differences = wrong.length === 0 ? {} : { differences: wrong.map(checkSummary) }
  const whole = { ...report, diagnostics: [...diagnostics, ...report.diagnostics] }
  return { file, report: whole, ...differences, ...(isUncompared ? { isUncompared } : {}) }
}

/** Refused jobs are bad input; errors, warnings, differences and checks cut short are findings. */
function exitOf({ report, differences = [] }: FileReport): ExitCode {
  if (report.partial === 'refused') return EXIT.usage
  return isClean(report) && differences.length === 0 ? EXIT.fine : EXIT.findings
}

/** Options that change the order in which things happen: a session has to run in the same. */
const ORDER_OPTIONS = { waveWidth: 'wave-width', order: 'order', groupsInFlight: 'groups-in-flight' } as const

/** What opens the debugger where a finding was made. Shaders whose run the flags describe have none. */
function debugCommandOf(file: string, f: ReportFinding, flags: CheckVerbOptions): string | undefined {
  const { instruction, stage } = f.site
  // What fixed functions of a draw find has no instruction, and a moment all the same.
  const isOfDraw = f.command?.kind === 'draw' && f.severity === 'warning'
  if ((instruction === undefined && !isOfDraw) || f.severity === 'hint' || !/\.json$/i.test(file)) return undefined
  const command = /^\$\.commands\[(\d+)\]/.exec(f.command?.path ?? '')
  const words = ['heddle', 'debug', /[\s"'$]/.test(file) ? JSON.stringify(file) : file]
  if (command !== null) words.push('--command', command[1]!)
  for (const [key, name] of Object.entries(ORDER_OPTIONS) as [keyof typeof ORDER_OPTIONS, string][]) {
    const value = flags[key]
    if (value !== undefined) words.push(`--${name}`, `${value}`)
  }
  const place = stage === undefined ? `${instruction}` : `${stage}:${instruction}`
  return [...words, '--finding', instruction === undefined ? f.code : `${f.code}@${place}`].join(' ')
}

function printReport(checked: FileReport, flags: CheckVerbOptions): void {
  if (flags.quiet === true && exitOf(checked) === EXIT.fine) return
  const { file, report, differences = [] } = checked
  printDiagnostics(file, report.diagnostics)
  const quietHints = flags.hints === false
  const debugCommand = (f: ReportFinding): string | undefined => debugCommandOf(file, f, flags)
  const text = renderReport(
    { ...report, diagnostics: [] },
    { paint: paintFor(process.stdout), quietHints, debugCommand },
  )
  print(`${[...differences.map((d) => `contents: ${d}`), text].join('\n')}\n\n`)
}

function writeResult(path: string | undefined, text: string): ExitCode {
  return path === undefined || writeOutput(path, Buffer.from(text)) ? EXIT.fine : EXIT.usage
}

function printTotals(reports: readonly Checked[], flags: CheckVerbOptions): void {
  const clean = reports.filter((r) => exitOf(r) === EXIT.fine).length
  const text = clean === reports.length ? 'all clean' : `${clean} clean, ${reports.length - clean} not`
  if (reports.length > 1) print(`${reports.length} checks: ${text}\n`)
  const uncompared = reports.filter((r) => r.isUncompared === true && r.report.partial !== 'refused').length
  if (uncompared === 0 || flags.quiet === true) return
  const what = uncompared === 1 ? 'one description' : `${uncompared} descriptions`
  print(`expected contents of ${what} were not compared: --compare does, and so does heddle run\n`)
}

/** Checks jobs one after the other in this process; false where there is no such engine. */
async function checkHere(
  files: readonly string[],
  flags: CheckVerbOptions,
  options: CheckOptions,
  take: (checked: Checked) => boolean,
): Promise<boolean> {
  const { value: engine, diagnostics } = await openEngine(flags.engine ?? DEFAULT_CHECK_ENGINE)
  if (engine === undefined) {
    printDiagnostics('--engine', diagnostics)
    return false
  }
  for (const file of files) {
    const start = performance.now()
    const source = sourceOf(file, { ...flags, print: [], out: [] })
    const checked = await checkSource(source, flags, options, engine)
    take({ ...checked, milliseconds: performance.now() - start })
  }
  engine.dispose?.()
  return true
}

/** Options that only the process heeds that others were started by. */
const PARENT_OPTIONS = new Set(['trace', 'jobs', 'shard', 'sarif', 'junit', 'github', 'json', 'quiet'])

function annotationsOf({ file, report, differences = [] }: FileReport): Annotation[] {
  const found = report.findings.filter((f) => f.severity !== 'hint')
  const refusals = report.diagnostics.filter((d) => d.severity === 'error')
  return [
    ...found.map(({ code, severity, message, site, command }) => {
      const place = site.source === undefined ? { file } : { file: site.source.file, line: site.source.line }
      const who = command === undefined ? [] : [`${whoText(site, command)}: ${commandText(command)}`]
      const line = site.statement === NO_STATEMENT ? [] : [namedLine(site)]
      const where = [...line, ...who].join(', ')
      return { severity, title: code, message: where === '' ? message : `${message} (${where})`, ...place }
    }),
    ...refusals.map((d) => ({ severity: d.severity, title: d.code, message: placedMessage(d), file })),
    ...differences.map((message) => ({ severity: 'error', title: 'job-difference', message, file }) as const),
  ]
}

function writeResults(found: readonly FileReport[], flags: CheckVerbOptions, mark?: ShardMark): ExitCode {
  if (flags.github === true) {
    for (const a of found.flatMap(annotationsOf)) print(`${githubAnnotation(a)}\n`)
  }
  const sarif = writeResult(flags.sarif, `${JSON.stringify(reportsToSarif(found, VERSION, mark), null, 2)}\n`)
  return worse(sarif, writeResult(flags.junit, reportsToJunit(found, mark)))
}

/** The mappings of paths; undefined, after a message, where one makes no sense. */
function pathMappings(texts: readonly string[] = []): PathMapping[] | undefined {
  const wrong = texts.find((text) => parsePathMapping(text) === undefined)
  if (wrong === undefined) return texts.flatMap((text) => parsePathMapping(text) ?? [])
  printError(`--path-map takes FROM=TO, as Z:\\build=src; ${JSON.stringify(wrong)} was given`)
  return undefined
}

/** Reports options of engines that a check takes, as `run` does, and does not use. */
function printUnusedOptions({ engine, threads }: CheckVerbOptions): void {
  const unused = [
    ...(engine === undefined || engine === DEFAULT_CHECK_ENGINE ? [] : [`--engine ${engine}`]),
    ...(threads === undefined || threads === '1' ? [] : [`--threads ${threads}`]),
  ]
  if (unused.length === 0 || isChild()) return
  const message = `a check runs on the reference engine, on one thread: ${unused.join(' and ')} ${unused.length === 1 ? 'has' : 'have'} no effect`
  printDiagnostics('heddle check', [diagnostic('check-engine', message)])
}

/** `heddle check`. */
export async function check(args: readonly string[], flags: CheckVerbOptions, command: Command): Promise<void> {
  const options = checkOptionsOf(flags)
  const { inputs, allFound } = await inputFiles(args, RUN_DESCRIPTIONS)
  const files = inputs.map((i) => i.path)
  const shard = shardOf('check', files, flags.shard)
  const jobs = countOf('--jobs', flags.jobs)
  const mappings = pathMappings(flags.pathMap)
  if (options === undefined || mappings === undefined || shard === undefined || jobs === 'bad') {
    process.exitCode = EXIT.usage
    return
  }
  const { files: mine, mark } = shard
  printUnusedOptions(flags)
  const workers = canFork() && !mine.includes('-') ? Math.min(mine.length, jobs ?? availableParallelism()) : 1
  const progress = progressThrough(mine.length, 2)
  progress.show(0, mine[0] ?? '')
  const reports = new Map<string, Checked>()
  const take = (checked: Checked): boolean => {
    reports.set(checked.file, checked)
    progress.show(reports.size, mine[reports.size] ?? checked.file)
    if (isChild()) answerParent(checked)
    return true
  }
  const verb = { name: 'check', words: optionWords(command, PARENT_OPTIONS) }
  let isStarted = true
  if (workers > 1) await forkFiles<Checked>(verb, mine, workers, take)
  else isStarted = await checkHere(mine, flags, options, take)
  progress.end()
  const found = mine
    .flatMap((file) => reports.get(file) ?? [])
    .map((r) => ({ ...r, report: mapReportPaths(r.report, mappings) }))
  const isWhole = allFound && isStarted && found.length === mine.length
  const worst = found.reduce<ExitCode>((w, r) => worse(w, exitOf(r)), isWhole ? EXIT.fine : EXIT.usage)
  if (isChild()) {
    process.exitCode = worst
    return
  }
  if (flags.json === true) printJson(mark === undefined ? found : found.map((r) => ({ ...r, shard: mark })))
  else {
    for (const r of found) {
      printReport(r, flags)
      if (flags.trace === true) await (await import('../debugger/trace.ts')).printTrace(r, flags)
    }
    printTotals(found, flags)
  }
  process.exitCode = worse(worst, writeResults(found, flags, mark))
}
