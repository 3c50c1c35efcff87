import { ShaderError } from '../../src/diagnostic/index.ts'
import { EXIT, type ExitCode, worse } from './exit.ts'
import { readBytes, systemReason } from './files.ts'
import type { Input, Inputs } from './inputs.ts'
import { printDiagnostics } from './print-diagnostics.ts'
import { progressThrough } from './progress.ts'
import { printError } from './terminal.ts'

/** Fewer files are read without a progress line. */
const LONG_WORK = 40

/** Runs one file; a file that cannot be read is reported and counts as bad input, a ShaderError as findings. */
async function oneFile(
  path: string,
  work: (path: string, bytes: Uint8Array) => ExitCode | Promise<ExitCode>,
): Promise<ExitCode> {
  let bytes: Uint8Array
  try {
    bytes = readBytes(path)
  } catch (e) {
    printError(`cannot read ${path}: ${systemReason(e)}`)
    return EXIT.usage
  }
  try {
    return await work(path, bytes)
  } catch (e) {
    if (!(e instanceof ShaderError)) throw e
    printDiagnostics(path, e.diagnostics)
    return EXIT.findings
  }
}

/** Runs `work` on each input in turn, going on after failures, and sets the process's exit code to the worst result. */
export async function eachFile(
  { inputs, allFound }: Inputs,
  work: (path: string, bytes: Uint8Array, input: Input) => ExitCode | Promise<ExitCode>,
): Promise<void> {
  const progress = progressThrough(inputs.length, LONG_WORK)
  let worst: ExitCode = allFound ? EXIT.fine : EXIT.usage
  for (const [i, input] of inputs.entries()) {
    progress.show(i, input.path)
    worst = worse(worst, await oneFile(input.path, (path, bytes) => work(path, bytes, input)))
  }
  progress.end()
  process.exitCode = worst
}
