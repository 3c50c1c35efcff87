import { assemble } from '../../asm/index.ts'
import { type Diagnostic, hasErrors } from '../../diagnostic/index.ts'
import { validate } from '../../validate/index.ts'
import { eachFile } from '../each-file.ts'
import { textOfBytes } from '../files.ts'
import { exitCodeOf, printJson, sayDiagnostics } from '../say.ts'
import { isContainer } from '../shader-file.ts'

interface Options {
  readonly json?: boolean
  readonly quiet?: boolean
}

/** A compiled shader is checked as it is; text is assembled first, and its errors are findings too. */
function findingsOf(bytes: Uint8Array): readonly Diagnostic[] {
  if (isContainer(bytes)) return validate(bytes)
  const { value, diagnostics } = assemble(textOfBytes(bytes))
  return value === undefined || hasErrors(diagnostics) ? diagnostics : [...diagnostics, ...validate(value)]
}

function summary(findings: readonly Diagnostic[]): string {
  if (findings.length === 0) return 'no findings'
  const errors = findings.filter((d) => d.severity === 'error').length
  return `${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}, ${errors} of them ${errors === 1 ? 'an error' : 'errors'}`
}

/** `heddle validate`. */
export async function validateFiles(files: readonly string[], options: Options): Promise<void> {
  const all: { file: string; findings: readonly Diagnostic[] }[] = []
  await eachFile(files, (path, bytes) => {
    const findings = findingsOf(bytes)
    all.push({ file: path, findings })
    if (options.json !== true) {
      sayDiagnostics(path, findings)
      if (options.quiet !== true || findings.length > 0) process.stdout.write(`${path}: ${summary(findings)}\n`)
    }
    return exitCodeOf(findings)
  })
  if (options.json === true) printJson(all)
}
