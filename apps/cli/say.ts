import pc from 'picocolors'
import { type Diagnostic, hasErrors, type Paint, renderDiagnostic } from '../../src/diagnostic/index.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { print, printMessage } from './print.ts'

/** What `--color` or `--no-color` asks for; undefined where neither is given. */
let asked: boolean | undefined

/** Takes the choice of the command line, before a verb runs. */
export function chooseColors(choice: boolean | undefined): void {
  asked = choice
}

/** Whether a stream gets colors: where it is a terminal, or where they are asked for (a CI shows them from a pipe too). */
export function hasColors(stream: { readonly isTTY?: boolean }): boolean {
  if (asked !== undefined) return asked
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env
  if (NO_COLOR) return false
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false'
  return stream.isTTY === true && TERM !== 'dumb'
}

/** Colors for a stream; each leaves its text as it is where there are none. */
export function colorsFor(stream: { readonly isTTY?: boolean }): ReturnType<typeof pc.createColors> {
  return pc.createColors(hasColors(stream))
}

/** How diagnostics and reports are painted on a stream. */
export function paintFor(stream: { readonly isTTY?: boolean }): Paint {
  const c = colorsFor(stream)
  return {
    error: (s) => c.bold(c.red(s)),
    warning: (s) => c.bold(c.yellow(s)),
    hint: (s) => c.bold(c.cyan(s)),
    dim: c.dim,
  }
}

/** A file with more is broken from the start, and its first diagnostics show how. */
const MAX_PRINTED = 200

/** Prints diagnostics for people, on standard error. */
export function sayDiagnostics(file: string, diagnostics: readonly Diagnostic[]): void {
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

/** As sayDiagnostics, but of each kind of warning only the first few, and how many more there are. */
export function sayDiagnosticsBriefly(file: string, diagnostics: readonly Diagnostic[]): void {
  const counts = new Map<string, number>()
  const shown = diagnostics.filter((d) => {
    const count = (counts.get(d.code) ?? 0) + 1
    counts.set(d.code, count)
    return d.severity === 'error' || count <= FEW
  })
  sayDiagnostics(file, shown)
  for (const [code, count] of counts) {
    const more = count - shown.filter((d) => d.code === code).length
    if (more > 0) printMessage(`${file}: and ${more} more of ${code} (--all-warnings prints them)\n`)
  }
}

/** Something that is wrong before any shader is looked at. */
export function sayError(message: string): void {
  printMessage(`${paintFor(process.stderr).error('error')}: ${message}\n`)
}

/** Findings make the exit code 1 when one of them is an error. */
export function exitCodeOf(diagnostics: readonly Diagnostic[]): ExitCode {
  return hasErrors(diagnostics) ? EXIT.findings : EXIT.fine
}

export function printJson(value: unknown): void {
  print(`${JSON.stringify(value, null, 2)}\n`)
}
