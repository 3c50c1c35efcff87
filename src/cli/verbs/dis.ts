import { type DisassembleOptions, disassembleOutcome } from '../../asm/index.ts'
import { isContainer } from '../../dxbc/index.ts'
import { eachFile } from '../each-file.ts'
import { EXIT } from '../exit.ts'
import { bytesOfText, ensureFolder, type OutputOptions, outputPath, writeBytes } from '../files.ts'
import { exitCodeOf, sayDiagnostics, sayError } from '../say.ts'

type Options = OutputOptions &
  Pick<DisassembleOptions, 'dialect' | 'numbers' | 'offsets' | 'hexLiterals' | 'floatDigits'>

/** `heddle dis`. */
export async function dis(files: readonly string[], options: Options): Promise<void> {
  const { output, outDir, ...listing } = options
  ensureFolder(outDir)
  if (output !== undefined && files.length > 1) {
    sayError('--output takes one input; use --out-dir for several')
    process.exitCode = EXIT.usage
    return
  }
  await eachFile(files, (path, bytes) => {
    if (!isContainer(bytes)) {
      sayError(`${path} is no compiled shader: it does not begin with DXBC`)
      return EXIT.usage
    }
    const { value, diagnostics } = disassembleOutcome(bytes, listing)
    sayDiagnostics(path, diagnostics)
    if (value === undefined) return EXIT.findings
    writeBytes(outputPath(path, '.asm', options), bytesOfText(value))
    return exitCodeOf(diagnostics)
  })
}
