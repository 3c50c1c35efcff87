/** What is wrong with an expression: thrown inside, a diagnostic with its place outside. */
import { type Diagnostic, type DiagnosticCode, diagnostic } from '../../diagnostic/index.ts'
import type { Span } from './tree.ts'

class ExpressionFault {
  readonly code: DiagnosticCode
  readonly message: string
  readonly span: Span
  readonly notes: readonly string[]

  constructor(code: DiagnosticCode, message: string, span: Span, notes: readonly string[]) {
    this.code = code
    this.message = message
    this.span = span
    this.notes = notes
  }
}

type ExpressionCode = 'source-syntax' | 'source-name' | 'source-type' | 'source-unavailable' | 'source-lanes'

export function fail(code: ExpressionCode, message: string, span: Span, ...notes: readonly string[]): never {
  throw new ExpressionFault(code, message, span, notes)
}

function diagnosticOf({ code, message, span, notes }: ExpressionFault, text: string): Diagnostic {
  const length = Math.max(1, span.end - span.start)
  const place = { kind: 'text', line: 1, column: span.start + 1, length, sourceLine: text } as const
  return diagnostic(code, message, place, notes)
}

/** The result of a function that may fail, or what was wrong with the expression `text`. */
export function guarded<T>(text: string, run: () => T): { readonly value: T } | { readonly fault: Diagnostic } {
  try {
    return { value: run() }
  } catch (e) {
    if (e instanceof ExpressionFault) return { fault: diagnosticOf(e, text) }
    throw e
  }
}
