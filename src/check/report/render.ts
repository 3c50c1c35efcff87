import { appendAll, type Paint, renderDiagnostic } from '../../diagnostic/index.ts'
import {
  commandText,
  NO_STATEMENT,
  type Report,
  type ReportCommand,
  type ReportFinding,
  type ReportLine,
  type ReportSite,
  type ReportStats,
  whoText,
} from './report.ts'
import { lineText } from './source-lines.ts'

/** What `renderReport` takes: colors, and how much is shown. */
export interface RenderReportOptions {
  /** Colors; none by default. */
  readonly paint?: Paint | undefined
  /** Leave hints out; default false. */
  readonly quietHints?: boolean | undefined
  /** The command that opens a debugger at the moment of a finding, where there is one. */
  readonly debugCommand?: ((finding: ReportFinding) => string | undefined) | undefined
}

const PLAIN: Paint = { error: (s) => s, warning: (s) => s, hint: (s) => s, dim: (s) => s }

const F32 = new Float32Array(1)
const U32 = new Uint32Array(F32.buffer)

/** Bits as an integer and, where that looks like a number people use, as a float. */
export function valueText(bits: number): string {
  const unsigned = bits >>> 0
  const signed = bits | 0
  U32[0] = unsigned
  const float = F32[0]!
  const exponent = (unsigned >>> 23) & 0xff
  const plausible = exponent > 64 && exponent < 192
  const integer =
    signed < 0 && signed > -65536
      ? `${signed}`
      : unsigned < 65536
        ? `${unsigned}`
        : `0x${unsigned.toString(16).padStart(8, '0')}`
  const rounded = Number(float.toPrecision(7))
  const isPlain = Math.abs(rounded) >= 1e-4 && Math.abs(rounded) < 1e7
  return plausible ? `${integer} (${isPlain ? rounded : rounded.toExponential()} as a float)` : integer
}

/** A statement with where it comes from, and under it the line of HLSL. `before` stands in front of the statement. */
function placeLines(line: ReportLine, before = ''): string[] {
  const { source } = line
  if (line.statement === NO_STATEMENT) return []
  const place = source === undefined ? '' : `  (${source.file}:${source.line})`
  const text = `      ${before}${lineText(line)}${place}`
  return source?.text === undefined ? [text] : [text, `        | ${source.text}`]
}

const VERBS = { load: 'reads', store: 'writes', atomic: 'changes by an atomic', other: '' } as const

/** `reads 5 (…)`, `the value is stored to u0`. */
export function accessText(site: ReportSite): string {
  const value = site.value === undefined ? '' : ` ${valueText(site.value)}`
  if (site.action !== undefined) return `: ${site.action}`
  const verb = VERBS[site.access]
  return verb === '' ? '' : ` ${verb}${value}`
}

function siteLines(label: string, site: ReportSite, command: ReportCommand | undefined): string[] {
  const lines = [`  ${label}${whoText(site, command)}${accessText(site)}`, ...placeLines(site)]
  if (site.barriers !== undefined && site.barriers.length > 0) {
    lines.push(`      after barrier ${site.barriers.map(lineText).join(', ')}`)
  }
  return lines
}

/** Whether a finding is about threads, and not about the program alone. */
function hasThread(f: ReportFinding): boolean {
  if (f.site.statement === NO_STATEMENT) return false
  return f.site.access !== 'other' || f.site.action !== undefined || f.code !== 'check-barrier-needless'
}

/** Further uses of an undefined value, or pairs of a missing barrier, that a report lists. */
const MAX_LISTED = 4

const plural = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`

/** `, also in draws 3 and 5`: further commands of the same kind and pipeline. */
function alsoText({ command, alsoIn = [] }: ReportFinding): string {
  if (command === undefined || alsoIn.length === 0) return ''
  const shown = alsoIn.slice(0, MAX_LISTED).map((c) => `${c.index}`)
  const rest = alsoIn.length - shown.length
  const names = rest > 0 ? [...shown, `${rest} more`] : shown
  const text = names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
  const kinds = command.kind === 'draw' ? 'draws' : 'dispatches'
  return `, also in ${alsoIn.length === 1 ? command.kind : kinds} ${text}`
}

function findingLines(f: ReportFinding, paint: Paint): string[] {
  const times = f.count > 1 ? ` (${f.count} times)` : ''
  const lines = [`${paint[f.severity](f.severity)}: ${f.message}${times} ${paint.dim(`[${f.code}]`)}`]
  if (f.command !== undefined) lines.push(`  in ${commandText(f.command)}${alsoText(f)}`)
  if (f.memory !== undefined) lines.push(`  memory: ${f.memory.text}`)
  if (!hasThread(f)) appendAll(lines, placeLines(f.site))
  else if (f.other === undefined) appendAll(lines, siteLines('', f.site, f.command))
  else {
    // Of two accesses that race the earlier one is `other`; of an undefined value it is the read.
    const isFlow = f.code.startsWith('check-uninitialized') || f.code.startsWith('check-bounds')
    const [first, second] = isFlow ? [f.site, f.other] : [f.other, f.site]
    appendAll(lines, siteLines('first:  ', first, f.command))
    appendAll(lines, siteLines('second: ', second, f.command))
  }
  if (f.barriersBetween !== undefined) {
    lines.push('  between them:')
    for (const b of f.barriersBetween) appendAll(lines, placeLines(b))
  }
  for (const r of f.related ?? []) appendAll(lines, [`  ${r.label}:`, ...placeLines(r)])
  if (f.places !== undefined) {
    const shown = f.places.slice(0, MAX_LISTED)
    lines.push('  the same between:')
    for (const { site, other } of shown) {
      appendAll(lines, [...placeLines(other), ...placeLines(site, 'and ')])
    }
    if (shown.length < f.places.length) lines.push(`      and ${plural(f.places.length - shown.length, 'more pair')}`)
  }
  if (f.uses !== undefined && f.uses.length > 1) {
    const further = f.uses.slice(1, 1 + MAX_LISTED)
    const more = f.uses.length - 1 - further.length
    lines.push('  also used at:')
    for (const u of further) appendAll(lines, placeLines(u))
    if (more > 0) lines.push(`      and at ${plural(more, 'more place')}`)
  }
  for (const n of f.notes) lines.push(`  note: ${n}`)
  return lines
}

const PARTIAL: Readonly<Record<NonNullable<Report['partial']>, string>> = {
  instructions: 'a thread executed more instructions than allowed',
  time: 'the time given was used up',
  canceled: 'the check was canceled',
  memory: 'the tables of the detectors would have taken more memory than allowed',
  findings: 'there was more to find than is kept',
  stopped: 'the shader stopped',
  refused: 'nothing ran',
}

/** How much was checked: groups and threads, invocations of a draw, commands of a frame with their invocations. */
function sizeText({ groups, threads, invocations, commands, threadInstructions }: ReportStats): string {
  if (invocations === undefined) {
    return `${groups.join(' x ')} groups of ${threads.join(' x ')} threads, ${threadInstructions} instructions`
  }
  const ran = Object.entries(invocations).map(([stage, n]) => plural(n, `${stage} invocation`))
  if (commands === undefined) return ran.join(', ')
  const { draws, dispatches } = commands
  const parts = [
    ...(draws > 0 ? [plural(draws, 'draw')] : []),
    ...(dispatches > 0 ? [`${dispatches} dispatch${dispatches === 1 ? '' : 'es'}`] : []),
  ]
  return [...(parts.length === 0 ? ['no draws'] : parts), ...ran].join(', ')
}

function summary(report: Report): string {
  const count = (severity: string): number => report.findings.filter((f) => f.severity === severity).length
  const parts = [
    count('error') > 0 ? plural(count('error'), 'error') : '',
    count('warning') > 0 ? plural(count('warning'), 'warning') : '',
    count('hint') > 0 ? plural(count('hint'), 'hint') : '',
  ].filter((s) => s !== '')
  const found = parts.length === 0 ? 'nothing found' : parts.join(', ')
  const { suppressed, droppedFindings } = report.stats
  const rest = [
    suppressed > 0 ? `${suppressed} suppressed` : '',
    droppedFindings > 0 ? `${droppedFindings} more not shown` : '',
  ].filter((s) => s !== '')
  return `${[found, ...rest].join(', ')} (${sizeText(report.stats)})`
}

/** A report as people read it, without a newline at the end. */
export function renderReport(report: Report, options: RenderReportOptions = {}): string {
  const paint = options.paint ?? PLAIN
  const shown = report.findings.filter((f) => options.quietHints !== true || f.severity !== 'hint')
  const blocks = shown.map((f) => {
    const command = options.debugCommand?.(f)
    const lines = findingLines(f, paint)
    return [...lines, ...(command === undefined ? [] : [paint.dim(`  debug: ${command}`)])].join('\n')
  })
  const refusals = report.diagnostics.map((d) => renderDiagnostic(d, undefined, paint))
  const partial = report.partial === undefined ? [] : [`partial: ${PARTIAL[report.partial]}`]
  const head = report.name === undefined ? '' : `${report.name}: `
  if (report.partial === 'refused') return [...refusals, `${head}not run`].join('\n')
  return [...refusals, ...blocks, ...partial, `${head}${summary(report)}`].join('\n')
}
