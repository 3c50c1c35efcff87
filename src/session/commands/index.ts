/** The commands of the debugger, for terminals, scripts and the console of editors. */
import { diagnostic, didYouMean, failure, type Outcome, outcomeOf, ShaderError } from '../../diagnostic/index.ts'
import {
  type Command,
  type CommandContext,
  type CommandResult,
  counted,
  refuse,
  TOPICS,
  type Topic,
  tableOf,
  text,
} from './command.ts'
import { DISPLAYS } from './displays.ts'
import { DRAWING } from './drawing.ts'
import { HABITS_COMMAND, inOwnWords, isHabit } from './habits.ts'
import { LOOKING } from './looking.ts'
import { MEMORY } from './memory.ts'
import { MOVING } from './moving.ts'
import { POINTS } from './points.ts'

const OTHER: readonly Command[] = [
  {
    name: 'info',
    topic: 'other',
    summary: 'what is debugged, and what the recording takes',
    run: ({ session }) => {
      const { run, timeLine } = session
      const { checkpoints, checkpointBytes, indexBytes } = timeLine.size
      const { map } = run
      const { draw } = run
      const stages = session.programs.flatMap((p) => p.stage ?? []).join(', ')
      const size =
        draw === undefined
          ? `${run.source.groups.join(' x ')} groups, ${run.program.statements.length} statements`
          : `a draw (${stages}) of ${counted(draw.line.batches.length, 'batch', 'batches')}, ends at clock ${draw.line.end}`
      return text(
        `${run.name}: ${size}`,
        `source: ${map.origin === 'listing' ? 'the listing (no debug data)' : `${map.files.map((f) => f.name).join(', ')} (${map.origin})`}`,
        `recording: ${counted(checkpoints, 'checkpoint')} of ${checkpointBytes} bytes, index of ${indexBytes} bytes`,
      )
    },
  },
  {
    name: 'help',
    aliases: ['?'],
    usage: '[COMMAND]',
    topic: 'other',
    summary: 'lists commands, or explains one',
    run: (_, rest) => help(rest.trim()),
  },
  HABITS_COMMAND,
  {
    name: 'quit',
    aliases: ['q', 'exit'],
    topic: 'other',
    summary: 'ends the session',
    run: () => ({ outputs: [], isQuit: true }),
  },
]

/** All commands, in the order in which the help lists them. */
export const COMMANDS: readonly Command[] = [
  ...[...MOVING, ...POINTS, ...DRAWING, ...LOOKING, ...DISPLAYS, ...MEMORY, ...OTHER],
]

const BY_NAME: ReadonlyMap<string, Command> = new Map(
  COMMANDS.flatMap((c) => [c.name, ...(c.aliases ?? [])].map((n) => [n, c])),
)

/** The command that a text begins with. */
export function commandOf(line: string): Command | undefined {
  return BY_NAME.get(/^\s*(\S+)/.exec(line)?.[1] ?? '')
}

const titleOf = ({ name, usage }: Command): string => (usage === undefined ? name : `${name} ${usage}`)

const FIRST_STEPS = [
  'A run is a line of moments: go both ways on it, and look at any thread at any of them.',
  'First steps: findings lists what is wrong, go finding 0 goes there, go finding 0 other to the other side of a race;',
  'history u0+0 says who wrote a word, back is one step back, grid shows the whole group. help COMMAND says more.',
  'Of a draw: pixel 10,20 says what happened to a pixel, fragment 0 goes to the shader that made it, vertex 3 to a vertex.',
]

function help(name: string): CommandResult {
  if (name !== '') {
    const command = commandOf(name) ?? unknown(name)
    const aliases =
      command.aliases === undefined || command.aliases.length === 0 ? [] : [`short: ${command.aliases.join(', ')}`]
    return text(
      titleOf(command),
      `  ${command.summary}`,
      ...[...(command.details ?? []), ...aliases].map((l) => `  ${l}`),
    )
  }
  const topics = Object.keys(TOPICS) as Topic[]
  return {
    outputs: [
      { kind: 'text', lines: FIRST_STEPS },
      ...topics.map((topic) => {
        const own = COMMANDS.filter((c) => c.topic === topic)
        return tableOf(
          [TOPICS[topic], 'short', ''],
          own.map((c) => [c.name, (c.aliases ?? []).join(' '), c.summary]),
        )
      }),
    ],
  }
}

function unknown(name: string): never {
  const [near = 'help lists all commands'] = didYouMean(name, BY_NAME.keys())
  return refuse(`there is no command ${name}; ${near}`)
}

/** Whether a line begins with a command, or with one of another debugger that has another name here. */
export const isCommand = (line: string): boolean => commandOf(line) !== undefined || isHabit(line)

const SHOWS_VALUES: ReadonlySet<Topic> = new Set(['look', 'lanes', 'memory'])

/** Carries out one line. Bad commands are diagnostics, and change nothing. */
export async function runCommand(c: CommandContext, given: string): Promise<Outcome<CommandResult>> {
  try {
    const line = inOwnWords(given) ?? given
    const m = /^\s*(\S+)\s*(.*?)\s*$/s.exec(line)
    if (m === null || m[1]!.startsWith('#')) return outcomeOf({ outputs: [] })
    const command = BY_NAME.get(m[1]!) ?? unknown(m[1]!)
    if (SHOWS_VALUES.has(command.topic)) await c.session.followUndefined(c.options)
    return outcomeOf(await command.run(c, m[2]!))
  } catch (e) {
    if (e instanceof ShaderError) return failure(e.diagnostics)
    if (e instanceof RangeError) return failure([diagnostic('session-command', e.message)])
    throw e
  }
}

export type { Command, CommandContext, CommandOutput, CommandResult, SourceLine } from './command.ts'
export { inOwnWords } from './habits.ts'
export { gridOutput } from './looking.ts'
export { findingRow, historyRow, unwrittenText } from './memory.ts'
export { stopLines, whereLines } from './moving.ts'
export { dataPlace as placeOfData } from './targets.ts'
