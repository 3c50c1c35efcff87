/**
 * `error`: Direct3D refuses it or the result is wrong. `warning`: sound and almost surely unintended. `hint`: good to
 * know.
 */
export type Severity = 'error' | 'warning' | 'hint'

/** What the registry says of a diagnostic code; `heddle explain CODE` prints it. */
export interface CodeInfo {
  readonly severity: Severity
  /** A few words, no full stop. */
  readonly title: string
  /** A paragraph: why Direct3D cares, what happens, what to do. */
  readonly explanation: string
  /** Section of the functional specification or page that says so. */
  readonly source?: string
}
