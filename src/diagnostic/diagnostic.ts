import type { Severity } from './codes/code-info.ts'
import { CODES, type DiagnosticCode } from './codes/index.ts'
import type { Place } from './place.ts'

export type { Severity } from './codes/code-info.ts'

/** Another place that a finding mentions: the first of two declarations, what opens a block. */
export interface RelatedPlace {
  readonly place: Place
  /** What is there, in a few words. */
  readonly message: string
}

/** A change of the text that takes a finding away, for editors; "the place" is the finding's. */
export type Fix =
  /** The text of the place becomes one of these. */
  | { readonly kind: 'replace'; readonly texts: readonly string[] }
  /** One of these lines is added in front of the program. */
  | { readonly kind: 'prepend'; readonly texts: readonly string[] }
  /** This declaration is added, as the listing writes it. */
  | { readonly kind: 'declare'; readonly text: string }
  /** The last number of the declaration with this statement index becomes `to`. */
  | { readonly kind: 'raise'; readonly statement: number; readonly to: number }
  /** The statement of the place is removed. */
  | { readonly kind: 'remove' }
  /** The statement of the place is written without `[precise]`. */
  | { readonly kind: 'drop-precise' }
  /** This statement is added behind the one of the place. */
  | { readonly kind: 'append'; readonly text: string }
  /** This global flag is set. */
  | { readonly kind: 'set-flag'; readonly word: string }

/** What some findings have beside their words, for editors. */
export interface DiagnosticDetails {
  readonly related?: readonly RelatedPlace[]
  /** Each of them alone takes the finding away. */
  readonly fixes?: readonly Fix[]
}

/** One finding: what is wrong, where, and what to do. Plain data, safe to send over a wire. */
export interface Diagnostic extends DiagnosticDetails {
  readonly code: DiagnosticCode
  readonly severity: Severity
  /** One sentence: what was found, what was expected, in the words of Direct3D. */
  readonly message: string
  /** Where; absent only when the finding is about the whole input. */
  readonly place?: Place
  /** Further facts: what to do, "did you mean", the other end of a pair. */
  readonly notes: readonly string[]
}

/** What was read is sound: there is a value, and no diagnostic is an error. */
export interface Success<T> {
  readonly ok: true
  readonly value: T
  /** Warnings and hints. */
  readonly diagnostics: readonly Diagnostic[]
}

/** Something is wrong. `value` is what could be read all the same, where the function says that it gives that. */
export interface Failure<T = never> {
  readonly ok: false
  readonly value?: T | undefined
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * What functions return that read bytes, text or descriptions; they do not throw on bad input. Their `OrThrow` twins return
 * `value` where `ok` is true and throw ShaderError where it is not.
 */
export type Outcome<T> = Success<T> | Failure<T>

/** The outcome with this value, if any, and these findings: `ok` when there is a value and none of them is an error. */
export function outcomeOf<T>(value: T | undefined, diagnostics: readonly Diagnostic[] = []): Outcome<T> {
  if (value === undefined) return failure(diagnostics)
  return { ok: !hasErrors(diagnostics), value, diagnostics }
}

/** The outcome without a value. */
export function failure(diagnostics: readonly Diagnostic[]): Failure {
  return { ok: false, diagnostics }
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

/** A diagnostic with all its places taken through a function; the same one where that changes none. */
export function withPlaces(d: Diagnostic, change: (place: Place) => Place): Diagnostic {
  const place = d.place === undefined ? undefined : change(d.place)
  const related = d.related?.map((r) => ({ ...r, place: change(r.place) }))
  if (place === d.place && related === undefined) return d
  return { ...d, ...(place === undefined ? {} : { place }), ...(related === undefined ? {} : { related }) }
}

/** True when at least one of the diagnostics is an error. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((d) => d.severity === 'error')
}

/** What the `OrThrow` twins throw: one error that carries every diagnostic. */
export class ShaderError extends Error {
  /** For those who cannot use `instanceof`. */
  override readonly name = 'ShaderError'
  /** All that was found, errors and others. */
  readonly diagnostics: readonly Diagnostic[]

  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map((d) => `${d.code}: ${d.message}`).join('\n') || 'unknown shader error')
    this.diagnostics = diagnostics
  }
}

/** The value of an outcome. Throws ShaderError when it is not `ok`. */
export function valueOrThrow<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new ShaderError(outcome.diagnostics)
  return outcome.value
}

/** Ends an exhaustive switch: the compiler refuses it while a case is missing. */
export function assertNever(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`)
}
