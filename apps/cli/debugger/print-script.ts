import { type DebugSession, outputLines, runScript } from '../../../src/session/index.ts'
import { EXIT, type ExitCode } from '../exit.ts'
import { print } from '../print.ts'
import { printDiagnostics } from '../print-diagnostics.ts'
import { colorsFor } from '../terminal.ts'
import { paintOf } from './paint.ts'

/** Runs a script and prints what its commands say; the exit code says whether all of it held. */
export async function printScript(
  session: DebugSession,
  file: string,
  text: string,
  quiet: boolean,
): Promise<ExitCode> {
  const paint = paintOf(colorsFor(process.stdout))
  const listener = quiet
    ? {}
    : {
        line: (line: string) => print(`${paint.strong(`> ${line}`)}\n`),
        output: (outputs: Parameters<NonNullable<Parameters<typeof runScript>[2]>['output'] & object>[0]) =>
          print(
            outputs
              .flatMap((o) => outputLines(o, paint))
              .map((l) => `${l}\n`)
              .join(''),
          ),
      }
  const { diagnostics, stops, expectations, repeated } = await runScript(session, text, listener)
  printDiagnostics(file, diagnostics)
  const failed = diagnostics.length === 0 ? 'all as expected' : `${diagnostics.length} not as expected`
  if (!quiet || diagnostics.length > 0) {
    print(
      `${file}: ${stops} stops forward, ${repeated} of them the same backward, ${expectations} expectations, ${failed}\n`,
    )
  }
  return diagnostics.length === 0 ? EXIT.fine : EXIT.findings
}
