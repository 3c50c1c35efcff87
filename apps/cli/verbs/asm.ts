import { assemble, assemblyText, inText } from '../../../src/asm/index.ts'
import { hasErrors } from '../../../src/diagnostic/index.ts'
import { isContainer } from '../../../src/dxbc/index.ts'
import { validate } from '../../../src/validate/index.ts'
import { eachFile } from '../each-file.ts'
import { EXIT } from '../exit.ts'
import {
  type OutputOptions,
  outputPath,
  outputsAreApart,
  readBytes,
  STANDARD,
  systemReason,
  writeOutput,
} from '../files.ts'
import { ASSEMBLY_TEXTS, inputFiles } from '../inputs.ts'
import { sayDiagnostics, sayDiagnosticsBriefly, sayError, withoutHints } from '../say.ts'

interface Options extends OutputOptions {
  readonly base?: string
  readonly strip?: boolean
  readonly allWarnings?: boolean
  readonly validate?: boolean
  readonly recoverLiterals?: boolean
}

/** The base shader's bytes; undefined, said, when it cannot be read. */
function baseBytes(path: string): Uint8Array | undefined {
  try {
    return readBytes(path)
  } catch (e) {
    sayError(`cannot read the base shader ${path}: ${systemReason(e)}`)
    return undefined
  }
}

const EXTENSION = '.dxbc'

/** `heddle asm`. Nothing is written for a text with errors. */
export async function asm(files: readonly string[], options: Options): Promise<void> {
  const base = options.base === undefined ? undefined : baseBytes(options.base)
  if (options.recoverLiterals === true && options.base === undefined) {
    sayError('--recover-literals takes literals from a base: give it with --base')
    process.exitCode = EXIT.usage
    return
  }
  const inputs = await inputFiles(files, ASSEMBLY_TEXTS)
  const isApart = outputsAreApart(inputs.inputs, EXTENSION, options)
  if (!isApart || (options.base !== undefined && base === undefined)) {
    process.exitCode = EXIT.usage
    return
  }
  await eachFile(inputs, (path, bytes, input) => {
    if (isContainer(bytes)) {
      sayError(`${path} is a compiled shader already; heddle dis lists it`)
      return EXIT.usage
    }
    const { value, diagnostics, places } = assemble(assemblyText(bytes), {
      ...(base === undefined ? {} : { base }),
      ...(options.strip === undefined ? {} : { strip: options.strip }),
      ...(options.recoverLiterals === undefined ? {} : { recoverLiterals: options.recoverLiterals }),
    })
    if (options.allWarnings === true) sayDiagnostics(path, diagnostics)
    else sayDiagnosticsBriefly(path, withoutHints(diagnostics))
    if (value === undefined || hasErrors(diagnostics)) return EXIT.findings
    const target = outputPath(input, EXTENSION, options)
    if (target === STANDARD && process.stdout.isTTY === true) {
      sayError('a compiled shader is not for a terminal: give --output FILE or --out-dir FOLDER, or pipe it')
      return EXIT.usage
    }
    if (!writeOutput(target, value, options)) return EXIT.usage
    if (options.validate === false) return EXIT.fine
    const findings = inText(places, validate(value))
    sayDiagnostics(path, findings)
    if (!hasErrors(findings)) return EXIT.fine
    sayError(`${target === STANDARD ? 'the shader' : target} was written, and Direct3D will refuse it`)
    return EXIT.findings
  })
}
