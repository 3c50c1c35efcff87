import { assemble, inText, statementLister } from '../../../src/asm/index.ts'
import { type Diagnostic, hasErrors } from '../../../src/diagnostic/index.ts'
import { isContainer } from '../../../src/dxbc/index.ts'
import { withNamedPlaces } from '../../../src/program/index.ts'
import { readShader } from '../../../src/shader/index.ts'
import { validate } from '../../../src/validate/index.ts'
import { eachFile } from '../each-file.ts'
import { inputFiles, SHADERS } from '../inputs.ts'
import { print } from '../print.ts'
import { exitCodeOf, printDiagnostics, printJson, withoutHints } from '../print-diagnostics.ts'
import { listingText } from '../shader-input.ts'

interface Options {
  readonly json?: boolean
  readonly quiet?: boolean
}

/** Findings of statements with the statement's text, which the rules themselves do not print. */
function withListing(bytes: Uint8Array, findings: readonly Diagnostic[]): readonly Diagnostic[] {
  const program = readShader(bytes).value?.program
  if (program === undefined) return findings
  return withNamedPlaces(findings, program, statementLister(program))
}

/** A compiled shader is checked as it is; text is assembled first, and its errors are findings too. */
function findingsOf(bytes: Uint8Array): readonly Diagnostic[] {
  if (isContainer(bytes)) return withListing(bytes, validate(bytes))
  const text = listingText(bytes)
  if (text.value === undefined) return text.diagnostics
  const { value, diagnostics, places } = assemble(text.value)
  if (value === undefined || hasErrors(diagnostics)) return diagnostics
  return [...withoutHints(diagnostics), ...inText(places, withListing(value, validate(value)))]
}

function summary(findings: readonly Diagnostic[]): string {
  if (findings.length === 0) return 'no findings'
  const errors = findings.filter((d) => d.severity === 'error').length
  return `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}, ${errors} of them ${errors === 1 ? 'an error' : 'errors'}`
}

/** `heddle validate`. */
export async function validateFiles(files: readonly string[], options: Options): Promise<void> {
  const all: { file: string; findings: readonly Diagnostic[] }[] = []
  await eachFile(await inputFiles(files, SHADERS), (path, bytes) => {
    const findings = findingsOf(bytes)
    all.push({ file: path, findings })
    if (options.json !== true) {
      printDiagnostics(path, findings)
      if (options.quiet !== true || findings.length > 0) print(`${path}: ${summary(findings)}\n`)
    }
    return exitCodeOf(findings)
  })
  if (options.json === true) printJson(all)
}
