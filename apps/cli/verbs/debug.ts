import type { Command } from 'commander'
import { unicodeText } from '../../../src/asm/index.ts'
import type { DebugSession } from '../../../src/session/index.ts'
import { type DebugFlags, openDebugger } from '../debugger/open.ts'
import { EXIT } from '../exit.ts'
import { readBytes, systemReason } from '../files.ts'
import { printDiagnostics } from '../print-diagnostics.ts'
import { colorsFor, printError } from '../terminal.ts'

interface DebugVerbOptions extends DebugFlags {
  readonly script?: string
  /** Prints expectations that failed and nothing else. */
  readonly quiet?: boolean
}

async function script(session: DebugSession, file: string, quiet: boolean): Promise<void> {
  let text: string
  try {
    text = unicodeText(readBytes(file))
  } catch (e) {
    printError(`cannot read ${file}: ${systemReason(e)}`)
    process.exitCode = EXIT.usage
    return
  }
  const { printScript } = await import('../debugger/print-script.ts')
  process.exitCode = await printScript(session, file, text, quiet)
}

/** `heddle debug`: a session in the terminal, or a script of one. */
export async function debugVerb(file: string, flags: DebugVerbOptions, _command: Command): Promise<void> {
  const { value: session, diagnostics } = await openDebugger(file, flags)
  printDiagnostics(file, diagnostics)
  if (session === undefined) {
    process.exitCode = EXIT.usage
    return
  }
  try {
    if (flags.script !== undefined) await script(session, flags.script, flags.quiet === true)
    else {
      const { converse } = await import('../debugger/converse.ts')
      await converse(session, colorsFor(process.stdout))
    }
  } finally {
    session.timeLine.dispose()
  }
}
