import { CODES, type Diagnostic, diagnostic, didYouMean, FORMER_CODES, withSlashes } from '../../diagnostic/index.ts'
import type { ReportFinding, ReportLine } from './report.ts'

/**
 * Findings that the user has judged. One suppression is `CODE`, `CODE@N` with the number of an instruction as
 * `heddle dis --numbers` prints it, or `CODE@FILE:LINE` with a line of HLSL. In a file each stands on a line of its own;
 * `#` begins a comment; a line `[NAME]` limits what follows to reports of that name until the next one.
 */
export interface Suppression {
  readonly code: string
  readonly instruction?: number
  readonly source?: { readonly file: string; readonly line: number }
  /** Only in reports of this name. */
  readonly report?: string
}

const FORM = /^([a-z][a-z0-9-]*)(?:@(?:(\d+)|(.+):(\d+)))?$/

/** One suppression; a diagnostic where the text is none. */
export function parseSuppression(text: string, report?: string): Suppression | Diagnostic {
  const m = FORM.exec(text.trim())
  if (m === null) {
    return diagnostic(
      'check-suppression',
      `${JSON.stringify(text)} is no suppression; write CODE, CODE@N or CODE@FILE:LINE`,
    )
  }
  const code = Object.hasOwn(FORMER_CODES, m[1]!) ? FORMER_CODES[m[1]!]! : m[1]!
  if (!Object.hasOwn(CODES, code)) {
    const near = didYouMean(code, Object.keys(CODES))
    const notes = near.length > 0 ? near : ['heddle explain lists them all']
    return diagnostic('check-suppression', `there is no code ${code}`, undefined, notes)
  }
  return {
    code,
    ...(m[2] === undefined ? {} : { instruction: Number(m[2]) }),
    ...(m[3] === undefined ? {} : { source: { file: m[3], line: Number(m[4]) } }),
    ...(report === undefined ? {} : { report }),
  }
}

/** The suppressions of a file's text; diagnostics name lines. */
export function parseSuppressionFile(text: string): { suppressions: Suppression[]; diagnostics: Diagnostic[] } {
  const suppressions: Suppression[] = []
  const diagnostics: Diagnostic[] = []
  let report: string | undefined
  text.split(/\r?\n/).forEach((full, at) => {
    const line = full.replace(/#.*$/, '').trim()
    if (line === '') return
    const section = /^\[(.*)\]$/.exec(line)
    if (section !== null) {
      report = section[1] === '' ? undefined : section[1]
      return
    }
    const parsed = parseSuppression(line, report)
    if (!('message' in parsed)) suppressions.push(parsed)
    else {
      const place = {
        kind: 'text',
        line: at + 1,
        column: 1,
        length: Math.max(1, full.length),
        sourceLine: full,
      } as const
      diagnostics.push({ ...parsed, place })
    }
  })
  return { suppressions, diagnostics }
}

function names(line: ReportLine | undefined, s: Suppression): boolean {
  if (line === undefined) return false
  if (s.instruction !== undefined) return line.instruction === s.instruction
  if (s.source === undefined) return true
  const { source } = line
  return (
    source !== undefined &&
    source.line === s.source.line &&
    (source.file === s.source.file || withSlashes(source.file).endsWith(`/${s.source.file}`))
  )
}

/** Accesses that are judged as those out of bounds are. */
const OTHER_ACCESSES: ReadonlySet<string> = new Set(['check-misaligned', 'check-unbound', 'check-format'])

/**
 * Whether suppressions take a finding away: one that names its code and one of its two places. An undefined value that
 * matters at several statements is judged at its first place, or at all the others. A load out of bounds is judged at the
 * load alone: where its result matters, another access may be out of bounds by itself.
 */
export function isSuppressed(
  f: ReportFinding,
  suppressions: readonly Suppression[],
  report: string | undefined,
): boolean {
  const apply = suppressions.filter((s) => s.code === f.code && (s.report === undefined || s.report === report))
  const isNamed = (line: ReportLine | undefined): boolean => apply.some((s) => names(line, s))
  if (isNamed(f.site)) return true
  if (f.code.startsWith('check-bounds-') || OTHER_ACCESSES.has(f.code)) return false
  return f.uses === undefined ? isNamed(f.other) : f.uses.length > 0 && f.uses.every(isNamed)
}
