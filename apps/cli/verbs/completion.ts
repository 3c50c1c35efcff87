import type { Command } from 'commander'
import { didYouMean } from '../../../src/diagnostic/index.ts'
import { complete } from '../completion/complete.ts'
import { wordsOfLine } from '../completion/line.ts'
import { COMPLETION_SCRIPTS } from '../completion/scripts.ts'
import { SHELLS } from '../completion/values.ts'
import { EXIT } from '../exit.ts'
import { print } from '../print.ts'
import { printError } from '../terminal.ts'

/** `heddle completion`: the script of a shell; or, for the scripts, what may stand at the end of a line. */
export async function completion(
  shell: string | undefined,
  { line }: { readonly line?: string },
  program: Command,
): Promise<void> {
  if (line !== undefined) {
    const { words = [], files, folders } = await complete(program, wordsOfLine(line))
    const kind = files !== undefined ? ['files', ...files].join(' ') : folders === true ? 'folders' : 'none'
    const lines = words.map(({ word, description = '' }) => (description === '' ? word : `${word}\t${description}`))
    print(`${[kind, ...lines].join('\n')}\n`)
    return
  }
  const known = SHELLS.find((s) => s === shell)
  if (known !== undefined) {
    print(COMPLETION_SCRIPTS[known])
    return
  }
  const [near] = shell === undefined ? [] : didYouMean(shell, SHELLS)
  const given =
    shell === undefined ? 'none was named' : `there is none for ${shell}${near === undefined ? '' : `; ${near}`}`
  printError(`scripts are there for ${SHELLS.join(', ')}: ${given}`)
  process.exitCode = EXIT.usage
}
