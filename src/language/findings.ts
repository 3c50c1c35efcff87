/** Findings of a document: what the assembler and the rules of Direct3D say, at their places in the text. */
import { changedPart, type TextRange, textRangeOf } from '../asm/index.ts'
import { type Diagnostic, type DiagnosticCode, diagnostic, type Place, type Severity } from '../diagnostic/index.ts'
import type { Program } from '../program/index.ts'
import { type IncrementalValidation, validateIncrementally } from '../validate/index.ts'
import { rangeOfPlace, type ShaderDocument } from './document.ts'
import { headerDiagnostics } from './header-findings.ts'
import { perDocument, perVersion } from './per-document.ts'
import { unnecessaryRanges } from './unnecessary.ts'

/** Another place in the text that a finding mentions. */
interface RelatedRange {
  readonly range: TextRange
  readonly message: string
}

/** A finding in a text. */
export interface TextFinding {
  readonly code: DiagnosticCode
  readonly severity: Severity
  readonly message: string
  readonly notes: readonly string[]
  readonly range: TextRange
  /** Other places that it mentions, with what is there. */
  readonly related: readonly RelatedRange[]
  /** What the editor may gray out: it has no effect. */
  readonly isUnnecessary: boolean
  /** The finding as it was made. */
  readonly source: Diagnostic
}

/** What fxc's six decimals leave open is said of most lines of a listing: a hint of its own, on request. */
const ABOUT_LITERALS: ReadonlySet<DiagnosticCode> = new Set(['asm-literal-ambiguous', 'asm-literal-inexact'])

/** The line that findings about the whole are shown on: the first that is no comment. */
const firstLine = perDocument(({ text }: ShaderDocument): TextRange => {
  const match = /^(?![ \t]*(?:\/\/|\r?$))[ \t]*(\S[^\r\n]*)/m.exec(text)
  if (match === null) return { start: 0, end: Math.min(text.length, 1) }
  const end = match.index + match[0].length
  return { start: end - match[1]!.length, end }
})

function rangeOf(document: ShaderDocument, place: Place | undefined): TextRange | undefined {
  if (place?.kind === 'text') return rangeOfPlace(document, place)
  return place?.kind === 'statement' ? textRangeOf(document.places, place) : undefined
}

function relatedRanges(document: ShaderDocument, { related = [] }: Diagnostic): readonly RelatedRange[] {
  return related.flatMap(({ place, message }) => {
    const range = rangeOf(document, place)
    return range === undefined ? [] : [{ range: { start: range.start, end: range.end }, message }]
  })
}

/** Diagnostics where they are in a text: of its assembler, of the rules, of a check of the program. */
export function inDocument(document: ShaderDocument, found: readonly Diagnostic[]): readonly TextFinding[] {
  return found.map((source) => {
    const { code, severity, message, notes, place } = source
    const range = rangeOf(document, place) ?? firstLine(document)
    const related = relatedRanges(document, source)
    return { code, severity, message, notes, range, related, isUnnecessary: false, source }
  })
}

/** What the assembler says. */
export const assemblerFindings = perDocument((document: ShaderDocument) =>
  inDocument(
    document,
    document.found.filter((d) => !ABOUT_LITERALS.has(d.code)),
  ),
)

/** A program with a gap at its end stands for one that could not be read whole: rules about what is missing keep still. */
function withGap(program: Program): Program {
  return { ...program, statements: [...program.statements, { kind: 'unknown', dwords: [] }] }
}

const validationOf = perVersion<ShaderDocument, IncrementalValidation | undefined>(({ program, isWhole }, before) =>
  program === undefined ? before : validateIncrementally(isWhole ? program : withGap(program), before),
)

/** What the rules of Direct3D say. */
export const ruleFindings = perDocument((document: ShaderDocument) => {
  const validation = validationOf(document)
  if (document.program === undefined || validation === undefined) return []
  return inDocument(document, [...validation.findings, ...headerDiagnostics(document)])
})

/** What could be left out, as findings that gray it. */
export const unnecessaryFindings = perDocument((document: ShaderDocument): readonly TextFinding[] =>
  unnecessaryRanges(document).map(({ range, message, what }) => {
    const code = what === 'declaration' ? 'language-unused-declaration' : 'language-unused-result'
    const source = diagnostic(code, message)
    return { code, severity: 'hint', message, notes: [], range, related: [], isUnnecessary: true, source }
  }),
)

/** Everything that is said of a document. */
export const allFindings = perDocument((document: ShaderDocument): readonly TextFinding[] => [
  ...assemblerFindings(document),
  ...ruleFindings(document),
  ...unnecessaryFindings(document),
])

/** Findings of an earlier text where they stand in a later one; those of the part that changed are left out. */
export function movedFindings(
  found: readonly TextFinding[],
  before: ShaderDocument,
  after: ShaderDocument,
): readonly TextFinding[] {
  const { start, endBefore: end } = changedPart(before.text, after.text)
  const by = after.text.length - before.text.length
  return found.flatMap((f) => {
    if (f.range.end < start) return [f]
    if (f.range.start <= end) return []
    return [{ ...f, range: { start: f.range.start + by, end: f.range.end + by } }]
  })
}
