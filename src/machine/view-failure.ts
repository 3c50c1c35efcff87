import { type Diagnostic, diagnostic } from '../diagnostic/index.ts'

/** The outcome of a view that cannot be. */
export function fail(code: 'machine-view-range' | 'machine-view-kind', message: string): { diagnostics: Diagnostic[] } {
  return { diagnostics: [diagnostic(code, message)] }
}
