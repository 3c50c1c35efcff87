import type { Severity } from './codes/code-info.ts'
import { CODES, type DiagnosticCode } from './codes/index.ts'
import type { Place } from './place.ts'

export type { Severity } from './codes/code-info.ts'

/** One finding: what is wrong, where, and what to do. Plain data, safe to send over a wire. */
export interface Diagnostic {
  readonly code: DiagnosticCode
  readonly severity: Severity
  /** One sentence: what was found, what was expected, in the words of Direct3D. */
  readonly message: string
  /** Where; absent only when the finding is about the whole input. */
  readonly place?: Place
  /** Further facts: what to do, "did you mean", the other end of a pair. */
  readonly notes: readonly string[]
}

/** What parse, decode and validate return: a value where there is one, and everything that was found. */
export interface Outcome<T> {
  readonly value?: T
  readonly diagnostics: readonly Diagnostic[]
}

/** Makes a diagnostic; the severity comes from the registry unless given. */
export function diagnostic(
  code: DiagnosticCode,
  message: string,
  place?: Place,
  notes: readonly string[] = [],
  severity: Severity = CODES[code].severity,
): Diagnostic {
  return place === undefined ? { code, severity, message, notes } : { code, severity, message, place, notes }
}

/** True when at least one of the diagnostics is an error. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((d) => d.severity === 'error')
}

/** What the `OrThrow` twins throw: one error that carries every diagnostic. */
export class ShaderError extends Error {
  override readonly name = 'ShaderError'
  readonly diagnostics: readonly Diagnostic[]

  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map((d) => `${d.code}: ${d.message}`).join('\n') || 'unknown shader error')
    this.diagnostics = diagnostics
  }
}

/** The value of an outcome. Throws ShaderError when there is none, or when any diagnostic is an error. */
export function valueOrThrow<T>(outcome: Outcome<T>): T {
  if (outcome.value === undefined || hasErrors(outcome.diagnostics)) throw new ShaderError(outcome.diagnostics)
  return outcome.value
}

/** Ends an exhaustive switch: the compiler refuses it while a case is missing. */
export function assertNever(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`)
}
