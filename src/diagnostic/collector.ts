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

const noneOfEach = (): Record<Severity, number> => ({ error: 0, warning: 0, hint: 0 })

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
  /** Made where there is something to put in: a draw has several collectors, and most stay empty. */
  #inner: Diagnostic[] | undefined
  #counts: Record<Severity, number> | undefined
  #errors = 0
  #leftOut: Record<Severity, number> | undefined

  push(found: Diagnostic): void {
    if (found.severity === 'error') this.#errors++
    // What an inner collector says of its own findings stays: there are few of them, and their counts are nowhere else.
    if (found.code === 'diagnostics-more') {
      this.#inner ??= []
      this.#inner.push(found)
    } else if (this.#counted(found.severity)) this.#kept.push(found)
  }

  /** Counts a finding; whether it is kept. */
  #counted(severity: Severity): boolean {
    this.#counts ??= noneOfEach()
    if (++this.#counts[severity] <= MAX_DIAGNOSTICS) return true
    this.#leftOut ??= noneOfEach()
    this.#leftOut[severity]++
    return false
  }

  /** A finding whose text is made only where it is kept: damaged input has very many. */
  pushMade(severity: Severity, make: () => Diagnostic): void {
    if (this.#counts === undefined || this.#counts[severity] < MAX_DIAGNOSTICS) {
      this.push(make())
      return
    }
    if (severity === 'error') this.#errors++
    this.#counted(severity)
  }

  pushAll(found: Iterable<Diagnostic>): void {
    for (const d of found) this.push(d)
  }

  /** How many were found, kept or not. */
  get count(): number {
    if (this.#counts === undefined) return 0
    const { error, warning, hint } = this.#counts
    return error + warning + hint
  }

  /** Errors found, kept or not. A reader compares it before and after a part to see whether the part is sound. */
  get errorCount(): number {
    return this.#errors
  }

  /** What was found; the last one says how much was left out. */
  finish(): Diagnostic[] {
    const found = [...this.#kept, ...(this.#inner ?? [])]
    const leftOut = this.#leftOut
    if (leftOut === undefined) return found
    const mostSevere = MOST_SEVERE_FIRST.find((s) => leftOut[s] > 0)!
    const note = `the first ${MAX_DIAGNOSTICS} of each severity are listed`
    found.push(diagnostic('diagnostics-more', describeLeftOut(leftOut), undefined, [note], mostSevere))
    return found
  }
}

/** The findings of one call or of several, bounded. */
export function collectDiagnostics(...lists: readonly (readonly Diagnostic[])[]): Diagnostic[] {
  const collector = new DiagnosticCollector()
  for (const list of lists) collector.pushAll(list)
  return collector.finish()
}
