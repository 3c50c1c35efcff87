import { type DisassembleOptions, disassembleOutcome } from '../../../src/asm/index.ts'
import type { Diagnostic } from '../../../src/diagnostic/index.ts'
import { eachFile } from '../each-file.ts'
import { EXIT } from '../exit.ts'
import { bytesOfText, type OutputOptions, outputPath, outputsAreApart, writeOutput } from '../files.ts'
import { COMPILED_SHADERS, inputFiles, STANDARD } from '../inputs.ts'
import { exitCodeOf, printDiagnostics, printJson } from '../print-diagnostics.ts'
import { requireContainer } from '../shader-input.ts'
import { hasColors } from '../terminal.ts'
import { terminalColors, withGrayComments } from '../terminal-listing.ts'

type Options = OutputOptions &
  Pick<DisassembleOptions, 'dialect' | 'numbers' | 'offsets' | 'hexLiterals' | 'floatDigits'> & {
    readonly json?: boolean
  }

/** What `--json` prints of a shader. */
interface Listed {
  readonly file: string
  /** Absent where the file has no program. */
  readonly listing?: string
  readonly diagnostics: readonly Diagnostic[]
}

const EXTENSION = '.asm'

/** `heddle dis`. */
export async function dis(files: readonly string[], options: Options): Promise<void> {
  const { output, outDir, json, ...listing } = options
  const all: Listed[] = []
  const inputs = await inputFiles(files, COMPILED_SHADERS)
  if (json !== true && !outputsAreApart(inputs.inputs, EXTENSION, options)) {
    process.exitCode = EXIT.usage
    return
  }
  await eachFile(inputs, (path, bytes, input) => {
    if (!requireContainer(path, bytes)) return EXIT.usage
    const target = outputPath(input, EXTENSION, options)
    const isColored = json !== true && target === STANDARD && hasColors(process.stdout)
    const colored = isColored ? { ...listing, colors: terminalColors() } : listing
    const { value, diagnostics } = disassembleOutcome(bytes, colored)
    if (json === true) {
      all.push({ file: path, ...(value === undefined ? {} : { listing: value }), diagnostics })
      return value === undefined ? EXIT.findings : exitCodeOf(diagnostics)
    }
    printDiagnostics(path, diagnostics)
    if (value === undefined) return EXIT.findings
    const text = isColored ? withGrayComments(value) : value
    return writeOutput(target, bytesOfText(text), options) ? exitCodeOf(diagnostics) : EXIT.usage
  })
  if (json === true) printJson(all)
}
