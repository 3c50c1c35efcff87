import { printFlowGraph, statementLister } from '../../../src/asm/index.ts'
import type { Diagnostic } from '../../../src/diagnostic/index.ts'
import { controlFlow, instructionNumbers } from '../../../src/program/index.ts'
import { eachFile } from '../each-file.ts'
import { EXIT } from '../exit.ts'
import { type OutputOptions, outputPath, outputsAreApart, writeOutput } from '../files.ts'
import { inputFiles, SHADERS } from '../inputs.ts'
import { exitCodeOf, printDiagnostics, printJson } from '../print-diagnostics.ts'
import { readShader, type ShaderInput } from '../shader-input.ts'

interface Options extends OutputOptions {
  readonly json?: boolean
}

const EXTENSION = '.dot'

/** The graph as data: blocks with the texts of their statements. */
function graphData(file: string, { program }: ShaderInput): { data: object; diagnostics: readonly Diagnostic[] } {
  const list = statementLister(program)
  const numbers = instructionNumbers(program)
  const { functions, diagnostics } = controlFlow(program)
  const withTexts = functions.map((f) => ({
    ...f,
    blocks: f.blocks.map((b) => ({
      ...b,
      statements: b.statements.map((index) => ({ index, instruction: numbers[index], text: list(index) ?? '' })),
    })),
  }))
  return { data: { file, functions: withTexts, diagnostics }, diagnostics }
}

/** `heddle cfg`. */
export async function cfg(files: readonly string[], options: Options): Promise<void> {
  const inputs = await inputFiles(files, SHADERS)
  if (options.json !== true && !outputsAreApart(inputs.inputs, EXTENSION, options)) {
    process.exitCode = EXIT.usage
    return
  }
  const all: object[] = []
  await eachFile(inputs, (path, bytes, input) => {
    const { value, diagnostics } = readShader(bytes)
    if (options.json !== true || value === undefined) printDiagnostics(path, diagnostics)
    if (value === undefined) return EXIT.findings
    if (options.json === true) {
      const { data, diagnostics: found } = graphData(path, value)
      all.push(data)
      return exitCodeOf(found)
    }
    const flow = controlFlow(value.program)
    printDiagnostics(path, flow.diagnostics)
    const text = printFlowGraph(input.name, flow, value.program)
    const isWritten = writeOutput(outputPath(input, EXTENSION, options), Buffer.from(text, 'latin1'), options)
    return isWritten ? exitCodeOf(flow.diagnostics) : EXIT.usage
  })
  if (options.json === true) printJson(all)
}
