import { assemble } from '../../asm/index.ts'
import { hasErrors } from '../../diagnostic/index.ts'
import { isContainer } from '../../dxbc/index.ts'
import { eachFile } from '../each-file.ts'
import { EXIT } from '../exit.ts'
import { ensureFolder, type OutputOptions, outputPath, readBytes, STANDARD, textOfBytes, writeBytes } from '../files.ts'
import { sayDiagnostics, sayDiagnosticsBriefly, sayError } from '../say.ts'

interface Options extends OutputOptions {
  readonly base?: string
  readonly strip?: boolean
  readonly allWarnings?: boolean
  readonly recoverLiterals?: boolean
}

/** The base shader's bytes; undefined, said, when it cannot be read. */
function baseBytes(path: string): Uint8Array | undefined {
  try {
    return readBytes(path)
  } catch (e) {
    sayError(`cannot read the base shader ${path}: ${(e as Error).message}`)
    return undefined
  }
}

/** `heddle asm`. Nothing is written for a text with errors. */
export async function asm(files: readonly string[], options: Options): Promise<void> {
  const base = options.base === undefined ? undefined : baseBytes(options.base)
  const severalToOne = options.output !== undefined && files.length > 1
  if (severalToOne) sayError('--output takes one input; use --out-dir for several')
  if (severalToOne || (options.base !== undefined && base === undefined)) {
    process.exitCode = EXIT.usage
    return
  }
  ensureFolder(options.outDir)
  await eachFile(files, (path, bytes) => {
    if (isContainer(bytes)) {
      sayError(`${path} is a compiled shader already; heddle dis lists it`)
      return EXIT.usage
    }
    const { value, diagnostics } = assemble(textOfBytes(bytes), {
      ...(base === undefined ? {} : { base }),
      ...(options.strip === undefined ? {} : { strip: options.strip }),
      ...(options.recoverLiterals === undefined ? {} : { recoverLiterals: options.recoverLiterals }),
    })
    if (options.allWarnings === true) sayDiagnostics(path, diagnostics)
    else sayDiagnosticsBriefly(path, diagnostics)
    if (value === undefined || hasErrors(diagnostics)) return EXIT.findings
    const target = outputPath(path, '.dxbc', options)
    if (target === STANDARD && process.stdout.isTTY === true) {
      sayError('a compiled shader is not for a terminal: give --output FILE or --out-dir FOLDER, or pipe it')
      return EXIT.usage
    }
    writeBytes(target, value)
    return EXIT.fine
  })
}
