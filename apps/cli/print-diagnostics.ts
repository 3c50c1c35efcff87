import { type Diagnostic, hasErrors, renderDiagnostic } from '../../src/diagnostic/index.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { print, printMessage } from './print.ts'
import { paintFor } from './terminal.ts'

/** A file with more is broken from the start, and its first diagnostics show how. */
const MAX_PRINTED = 200

/** Prints diagnostics for people, on standard error. */
export function printDiagnostics(file: string, diagnostics: readonly Diagnostic[]): void {
  const paint = paintFor(process.stderr)
  for (const d of diagnostics.slice(0, MAX_PRINTED)) printMessage(`${renderDiagnostic(d, file, paint)}\n`)
  const more = diagnostics.length - MAX_PRINTED
  if (more > 0) printMessage(`${file}: and ${more} more\n`)
}

/** What assembling found without its hints: literals of few decimals, which nearly always are what they say. */
export function withoutHints(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.filter((d) => d.severity !== 'hint')
}

/** Of each warning this many are printed where a text can have hundreds of one kind. */
const FEW = 4

/** As printDiagnostics, but of each kind of warning only the first few, and how many more there are. */
export function printDiagnosticsBriefly(file: string, diagnostics: readonly Diagnostic[]): void {
  const counts = new Map<string, number>()
  const shown = diagnostics.filter((d) => {
    const count = (counts.get(d.code) ?? 0) + 1
    counts.set(d.code, count)
    return d.severity === 'error' || count <= FEW
  })
  printDiagnostics(file, shown)
  for (const [code, count] of counts) {
    const more = count - shown.filter((d) => d.code === code).length
    if (more > 0) printMessage(`${file}: and ${more} more of ${code} (--all-warnings prints them)\n`)
  }
}

/** Findings make the exit code 1 when one of them is an error. */
export function exitCodeOf(diagnostics: readonly Diagnostic[]): ExitCode {
  return hasErrors(diagnostics) ? EXIT.findings : EXIT.fine
}

export function printJson(value: unknown): void {
  print(`${JSON.stringify(value, null, 2)}\n`)
}
