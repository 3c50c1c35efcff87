/** The debugger in a terminal: a line is a command. */
import { createInterface } from 'node:readline'
import type pc from 'picocolors'
import { renderDiagnostic } from '../../../src/diagnostic/index.ts'
import {
  COMMANDS,
  type CommandContext,
  type DebugSession,
  outputLines,
  runCommand,
} from '../../../src/session/index.ts'
import { print } from '../print.ts'
import { paintFor } from '../terminal.ts'
import { paintOf } from './paint.ts'

/** Commands that are done again by an empty line. */
const REPEATED =
  /^(?:s|step|n|next|si|stepi|ni|nexti|o|out|finish|wave|group|any|c|continue|bk|back|r[csn]i?|reverse-\w+)\b/

/** Names that may follow the last word: commands first, then variables and registers. */
export function completions(session: DebugSession, line: string): readonly [readonly string[], string] {
  const word = /[\w$]*$/.exec(line)?.[0] ?? ''
  const isFirst = line.trimStart() === word
  const { run, statement } = session
  const names = isFirst
    ? COMMANDS.flatMap((c) => [c.name, ...(c.aliases ?? [])])
    : statement === undefined
      ? []
      : [...run.map.variablesAt(statement), ...run.registers(statement)].map((v) => v.name)
  return [[...new Set(names)].filter((n) => n.startsWith(word)), word]
}

/** What a line of the terminal says and changes; false: no further line is read. */
async function answer(
  context: CommandContext,
  line: string,
  colors: ReturnType<typeof pc.createColors>,
): Promise<boolean> {
  const { value, diagnostics } = await runCommand(context, line)
  const paint = paintOf(colors)
  for (const d of diagnostics) print(`${renderDiagnostic(d, undefined, paintFor(process.stdout))}\n`)
  for (const output of value?.outputs ?? []) print(`${outputLines(output, paint).join('\n')}\n`)
  return value?.isQuit !== true
}

/** Reads commands until the input ends or says quit. Ctrl+C ends what runs, or clears the line. */
export async function converse(session: DebugSession, colors: ReturnType<typeof pc.createColors>): Promise<void> {
  const isTerminal = process.stdin.isTTY === true && process.stdout.isTTY === true
  const reader = createInterface({
    input: process.stdin,
    ...(isTerminal ? { output: process.stdout } : {}),
    terminal: isTerminal,
    historySize: 1000,
    removeHistoryDuplicates: true,
    completer: (line: string) => completions(session, line),
  })
  let running: AbortController | undefined
  reader.on('SIGINT', () => {
    if (running === undefined) print('\n(quit or Ctrl+D ends the session)\n')
    else running.abort()
    if (running === undefined) reader.prompt()
  })
  reader.setPrompt(isTerminal ? colors.green('(heddle) ') : '')
  const context: CommandContext & { findings: CommandContext['findings'] } = { session, findings: [] }
  if (isTerminal) print('help lists all commands; steps go forward and backward\n')
  await answer(context, 'info', colors)
  await answer(context, 'where', colors)
  reader.prompt()
  let last = ''
  for await (const line of reader) {
    const text = line.trim() === '' && REPEATED.test(last) ? last : line
    last = text
    running = new AbortController()
    const goesOn = await answer({ ...context, options: { signal: running.signal } }, text, colors)
    running = undefined
    if (!goesOn) break
    reader.prompt()
  }
  reader.close()
}
