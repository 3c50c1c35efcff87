import type { RecordedFinding, RunOptions } from '../../debug/index.ts'
import { diagnostic, ShaderError } from '../../diagnostic/index.ts'
import type { Table } from '../../job/index.ts'
import type { LaneGrid } from '../lanes.ts'
import type { DebugSession, SessionStop } from '../session.ts'

/** What a command has to say; front ends decide how it looks. */
export type CommandOutput =
  | { readonly kind: 'text'; readonly lines: readonly string[] }
  | { readonly kind: 'table'; readonly table: Table; readonly note?: string }
  /** A cell for each thread: colored by `keys`, with `texts` in it. */
  | {
      readonly kind: 'grid'
      /** In place of the group's name. */
      readonly title?: string
      readonly grid: LaneGrid
      readonly keys: readonly (string | number)[]
      readonly texts: readonly string[]
      readonly legend: readonly { readonly key: string | number; readonly text: string }[]
    }
  /** The source around a place, with a mark at the line. */
  | { readonly kind: 'source'; readonly title: string; readonly lines: readonly SourceLine[] }

export interface SourceLine {
  readonly line: number
  readonly text: string
  readonly isCurrent: boolean
  readonly hasBreakpoint: boolean
}

/** What became of a command. */
export interface CommandResult {
  readonly outputs: readonly CommandOutput[]
  /** Where it came to, of commands that move. */
  readonly stop?: SessionStop
  /** The thread that is looked at, or what it sees, is another one. */
  readonly isChanged?: boolean
  readonly isQuit?: boolean
}

/** What commands share beside the session. */
export interface CommandContext {
  readonly session: DebugSession
  /** Those that were listed last: commands name them by number. */
  findings: readonly RecordedFinding[]
  readonly options?: RunOptions | undefined
}

/** A command as the help teaches it. */
export interface Command {
  readonly name: string
  readonly aliases?: readonly string[]
  /** What stands behind the name. */
  readonly usage?: string
  readonly topic: Topic
  /** One line. */
  readonly summary: string
  /** More, and examples. */
  readonly details?: readonly string[]
  run(c: CommandContext, rest: string): Promise<CommandResult> | CommandResult
}

export const TOPICS = {
  move: 'Moving in time',
  stop: 'Where to stop',
  draw: 'Frames and draws',
  look: 'Looking',
  lanes: 'Threads and lanes',
  memory: 'Memory and its history',
  change: 'Changing the run',
  other: 'Other',
} as const

export type Topic = keyof typeof TOPICS

/** `1 change`, `2 changes`. */
export const counted = (n: number, word: string, more = `${word}s`): string => `${n} ${n === 1 ? word : more}`

export const text = (...lines: readonly string[]): CommandResult => ({ outputs: [{ kind: 'text', lines }] })

export const tableOf = (
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  note?: string,
): CommandOutput => ({
  kind: 'table',
  table: { heads, rows },
  ...(note === undefined ? {} : { note }),
})

/** Ends a command with a message; `runCommand` makes an Outcome of it. */
export function refuse(message: string, ...notes: readonly string[]): never {
  throw new ShaderError([diagnostic('session-command', message, undefined, notes)])
}

/** A whole number, or a refusal that says what was expected. */
export function wholeNumber(word: string | undefined, what: string, least = 0): number {
  const value = Number(word)
  if (word !== undefined && /^(?:0x[0-9a-f]+|\d+)$/i.test(word) && Number.isSafeInteger(value) && value >= least)
    return value
  return refuse(
    `${what} is expected, ${word === undefined || word === '' ? 'nothing' : JSON.stringify(word)} was given`,
  )
}

export const wordsOfText = (rest: string): readonly string[] =>
  rest
    .trim()
    .split(/\s+/)
    .filter((w) => w !== '')
