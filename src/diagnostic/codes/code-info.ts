export type Severity = 'error' | 'warning' | 'hint'

export interface CodeInfo {
  readonly severity: Severity
  /** A few words, no full stop. */
  readonly title: string
  /** A paragraph: why Direct3D cares, what happens, what to do. */
  readonly explanation: string
  /** Section of the functional specification or page that says so. */
  readonly source?: string
}
