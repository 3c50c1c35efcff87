import { type Command, CommanderError } from 'commander'
import { writeReason } from '../../src/host/node/files/index.ts'
import { EXIT } from './exit.ts'
import { printError } from './terminal.ts'

/** What systems call a pipe that its reader has closed: POSIX, Windows. */
const CLOSED = ['EPIPE', 'EOF']

/** A reader that closes the pipe early (`heddle dis x | head`) is no error; a disk that is full is one. */
function endOnOutputErrors(): void {
  if (process.stdout.listenerCount('error') > 0) return
  process.stdout.on('error', (e: NodeJS.ErrnoException) => {
    if (CLOSED.includes(e.code ?? '')) process.exit(process.exitCode ?? EXIT.fine)
    printError(`cannot write to standard output: ${writeReason(e)}`)
    process.exit(EXIT.usage)
  })
  // A closed standard error is no reason to end, and there is nowhere to report it.
  process.stderr.on('error', () => {})
}

/** `--bail` without a number, behind which a file may stand that is none of its values. */
function isBareBail(arg: string, next: string | undefined): boolean {
  return arg === '--bail' && !/^\d+$/.test(next ?? '')
}

/** Arguments without `--help` behind a verb that there is not, which is an error and not a wish for help. */
function withoutHelpOfNothing(program: Command, args: readonly string[]): readonly string[] {
  const words = args.filter((arg) => !arg.startsWith('-'))
  // `heddle help VERB` prints the help of a verb; of one that there is not, the same error as without `help`.
  const verb = words[0] === 'help' ? words[1] : words[0]
  const isKnown = verb === undefined || verb === 'help' || program.commands.some((c) => c.name() === verb)
  if (isKnown) return args
  return args.filter((arg) => arg !== '-h' && arg !== '--help' && (arg !== 'help' || words[0] !== 'help'))
}

/** Parses the arguments and runs a verb; sets the process's exit code and lets standard output drain. */
export async function runCli(program: Command, argv: readonly string[]): Promise<void> {
  endOnOutputErrors()
  try {
    const args = withoutHelpOfNothing(program, argv.slice(2))
    await program.parseAsync(
      args.map((arg, i) => (isBareBail(arg, args[i + 1]) ? '--bail=1' : arg)),
      { from: 'user' },
    )
  } catch (e) {
    if (!(e instanceof CommanderError)) throw e
    // Commander has printed its message; help and version are no errors.
    process.exitCode = e.exitCode === 0 ? EXIT.fine : EXIT.usage
  }
}
