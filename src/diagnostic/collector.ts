/** How readers, validators and engines keep what they find: a bounded number of findings, whatever the input. */
import type { Severity } from './codes/code-info.ts'
import { type Diagnostic, diagnostic } from './diagnostic.ts'

/** Findings of each severity that one call keeps. An error is never left out because of a flood of warnings. */
export const MAX_DIAGNOSTICS = 1000

/** Where findings go: an array, or a collector that keeps a bounded number of them. */
export interface DiagnosticSink {
  push(found: Diagnostic): unknown
}

const MOST_SEVERE_FIRST: readonly Severity[] = ['error', 'warning', 'hint']

const PLURAL: Readonly<Record<Severity, string>> = { error: 'errors', warning: 'warnings', hint: 'hints' }

function describeLeftOut(counts: Readonly<Record<Severity, number>>): string {
  const parts = MOST_SEVERE_FIRST.filter((s) => counts[s] > 0).map(
    (s) => `${counts[s]} more ${counts[s] === 1 ? s : PLURAL[s]}`,
  )
  return `and ${parts.join(', ')}`
}

/**
 * Keeps the first `MAX_DIAGNOSTICS` findings of each severity and counts the others. `finish` gives what was kept, with a last diagnostic about what was not.
 */
export class DiagnosticCollector implements DiagnosticSink {
  readonly #kept: Diagnostic[] = []
  readonly #inner: Diagnostic[] = []
  readonly #counts: Record<Severity, number> = { error: 0, warning: 0, hint: 0 }
  #errors = 0
  readonly #leftOut: Record<Severity, number> = { error: 0, warning: 0, hint: 0 }

  push(found: Diagnostic): void {
    if (found.severity === 'error') this.#errors++
    // What an inner collector says of its own findings stays: there are few of them, and their counts are nowhere else.
    if (found.code === 'diagnostics-more') this.#inner.push(found)
    else if (++this.#counts[found.severity] <= MAX_DIAGNOSTICS) this.#kept.push(found)
    else this.#leftOut[found.severity]++
  }

  /** A finding whose text is made only where it is kept: damaged input has very many. */
  pushMade(severity: Severity, make: () => Diagnostic): void {
    if (this.#counts[severity] < MAX_DIAGNOSTICS) {
      this.push(make())
      return
    }
    if (severity === 'error') this.#errors++
    this.#counts[severity]++
    this.#leftOut[severity]++
  }

  pushAll(found: Iterable<Diagnostic>): void {
    for (const d of found) this.push(d)
  }

  /** How many were found, kept or not. */
  get count(): number {
    const { error, warning, hint } = this.#counts
    return error + warning + hint
  }

  /** Errors found, kept or not. A reader compares it before and after a part to see whether the part is sound. */
  get errorCount(): number {
    return this.#errors
  }

  /** What was found; the last one says how much was left out. */
  finish(): Diagnostic[] {
    if (this.#kept.length === 0 && this.#inner.length === 0) return []
    const found = [...this.#kept, ...this.#inner]
    const mostSevere = MOST_SEVERE_FIRST.find((s) => this.#leftOut[s] > 0)
    if (mostSevere === undefined) return found
    const note = `the first ${MAX_DIAGNOSTICS} of each severity are listed`
    found.push(diagnostic('diagnostics-more', describeLeftOut(this.#leftOut), undefined, [note], mostSevere))
    return found
  }
}

/** The findings of one call or of several, bounded. */
export function collectDiagnostics(...lists: readonly (readonly Diagnostic[])[]): Diagnostic[] {
  const collector = new DiagnosticCollector()
  for (const list of lists) collector.pushAll(list)
  return collector.finish()
}
