import { type Assembled, assemble, inText } from '../../../src/asm/index.ts'
import { type Diagnostic, hasErrors } from '../../../src/diagnostic/index.ts'
import { isContainer } from '../../../src/dxbc/index.ts'
import { validate } from '../../../src/validate/index.ts'
import { eachFile } from '../each-file.ts'
import { EXIT, type ExitCode } from '../exit.ts'
import { type OutputOptions, outputPath, outputsAreApart, readBytes, systemReason, writeOutput } from '../files.ts'
import { ASSEMBLY_TEXTS, inputFiles, STANDARD } from '../inputs.ts'
import { exitCodeOf, printDiagnostics, printDiagnosticsBriefly, printJson, withoutHints } from '../print-diagnostics.ts'
import { listingText } from '../shader-input.ts'
import { printError } from '../terminal.ts'

interface Options extends OutputOptions {
  readonly base?: string
  readonly strip?: boolean
  readonly allWarnings?: boolean
  readonly validate?: boolean
  readonly recoverLiterals?: boolean
  readonly json?: boolean
}

/** The base shader's bytes; undefined, after reporting why, if it cannot be read. */
function baseBytes(path: string): Uint8Array | undefined {
  try {
    return readBytes(path)
  } catch (e) {
    printError(`cannot read the base shader ${path}: ${systemReason(e)}`)
    return undefined
  }
}

const EXTENSION = '.dxbc'

/** What `--json` prints of a text. */
interface AssembledFile {
  readonly file: string
  /** What assembling found, and what the rules of Direct3D say of the shader. */
  readonly diagnostics: readonly Diagnostic[]
  readonly findings: readonly Diagnostic[]
  /** Where the shader was written; without a file the shader itself in base64. */
  readonly output?: string
  readonly shader?: string
}

/** `heddle asm`. Nothing is written for a text with errors. */
export async function asm(files: readonly string[], options: Options): Promise<void> {
  const base = options.base === undefined ? undefined : baseBytes(options.base)
  if (options.recoverLiterals === true && options.base === undefined) {
    printError('--recover-literals takes literals from a base: give it with --base')
    process.exitCode = EXIT.usage
    return
  }
  const inputs = await inputFiles(files, ASSEMBLY_TEXTS)
  const isApart = outputsAreApart(inputs.inputs, EXTENSION, options)
  if (!isApart || (options.base !== undefined && base === undefined)) {
    process.exitCode = EXIT.usage
    return
  }
  const all: AssembledFile[] = []
  await eachFile(inputs, (path, bytes, input) => {
    if (isContainer(bytes)) {
      printError(`${path} is a compiled shader already; heddle dis lists it`)
      return EXIT.usage
    }
    const text = listingText(bytes)
    if (text.value === undefined) {
      printDiagnostics(path, text.diagnostics)
      return EXIT.usage
    }
    const { strip, recoverLiterals } = options
    const assembled = assemble(text.value, { base, strip, recoverLiterals })
    const target = outputPath(input, EXTENSION, options)
    if (options.json !== true) return finishText(path, target, assembled, options)
    const { exit, result } = finishJson(path, target, assembled, options)
    all.push(result)
    return exit
  })
  if (options.json === true) printJson(all)
}

/** Writes a shader and prints what was found, for people. */
function finishText(path: string, target: string, assembled: Assembled, options: Options): ExitCode {
  const { value, diagnostics, places } = assembled
  if (options.allWarnings === true) printDiagnostics(path, diagnostics)
  else printDiagnosticsBriefly(path, withoutHints(diagnostics))
  if (value === undefined || hasErrors(diagnostics)) return EXIT.findings
  if (target === STANDARD && process.stdout.isTTY === true) {
    printError('a compiled shader is not for a terminal: give --output FILE or --out-dir FOLDER, or pipe it')
    return EXIT.usage
  }
  if (!writeOutput(target, value, options)) return EXIT.usage
  if (options.validate === false) return EXIT.fine
  const findings = inText(places, validate(value))
  printDiagnostics(path, findings)
  if (!hasErrors(findings)) return EXIT.fine
  printError(`${target === STANDARD ? 'the shader' : target} was written, and Direct3D will refuse it`)
  return EXIT.findings
}

/** Writes a shader where it has a file of its own, and gives what `--json` prints. */
function finishJson(
  path: string,
  target: string,
  { value, diagnostics, places }: Assembled,
  options: Options,
): { readonly exit: ExitCode; readonly result: AssembledFile } {
  if (value === undefined || hasErrors(diagnostics)) {
    return { exit: EXIT.findings, result: { file: path, diagnostics, findings: [] } }
  }
  const findings = options.validate === false ? [] : inText(places, validate(value))
  const result = { file: path, diagnostics, findings }
  if (target === STANDARD) {
    const shader = Buffer.from(value).toString('base64')
    return { exit: exitCodeOf(findings), result: { ...result, shader } }
  }
  const isWritten = writeOutput(target, value, options)
  return {
    exit: isWritten ? exitCodeOf(findings) : EXIT.usage,
    result: isWritten ? { ...result, output: target } : result,
  }
}
