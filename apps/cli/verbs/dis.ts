import { type DisassembleOptions, disassembleOutcome } from '../../../src/asm/index.ts'
import { isContainer } from '../../../src/dxbc/index.ts'
import { eachFile } from '../each-file.ts'
import { EXIT } from '../exit.ts'
import { bytesOfText, type OutputOptions, outputPath, outputsAreApart, writeOutput } from '../files.ts'
import { COMPILED_SHADERS, inputFiles } from '../inputs.ts'
import { exitCodeOf, sayDiagnostics, sayError } from '../say.ts'

type Options = OutputOptions &
  Pick<DisassembleOptions, 'dialect' | 'numbers' | 'offsets' | 'hexLiterals' | 'floatDigits'>

const EXTENSION = '.asm'

/** `heddle dis`. */
export async function dis(files: readonly string[], options: Options): Promise<void> {
  const { output, outDir, ...listing } = options
  const inputs = await inputFiles(files, COMPILED_SHADERS)
  if (!outputsAreApart(inputs.inputs, EXTENSION, options)) {
    process.exitCode = EXIT.usage
    return
  }
  await eachFile(inputs, (path, bytes, input) => {
    if (!isContainer(bytes)) {
      sayError(`${path} is no compiled shader: it does not begin with DXBC`)
      return EXIT.usage
    }
    const { value, diagnostics } = disassembleOutcome(bytes, listing)
    sayDiagnostics(path, diagnostics)
    if (value === undefined) return EXIT.findings
    const isWritten = writeOutput(outputPath(input, EXTENSION, options), bytesOfText(value), options)
    return isWritten ? exitCodeOf(diagnostics) : EXIT.usage
  })
}
