/** Further processes of this command line that do a part of the files each; they answer with a line of JSON a file. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Command } from 'commander'
import { CHILD_VARIABLE, isChild } from './is-child.ts'
import { print } from './print.ts'
import { printError } from './terminal.ts'

/** Sends the outcome of a file to the parent process. */
export function answerParent(result: { readonly file: string }): void {
  print(`${JSON.stringify(result)}\n`)
}

/** Whether this process is the command line itself, started in a way that can be repeated. */
export function canFork(): boolean {
  const main = process.argv[1]
  return main !== undefined && !isChild() && /(^|[/\\])(main\.[jt]s|heddle(\.cmd)?)$/.test(main)
}

/** The options that a verb was called with, as words, but for those that only the parent heeds. */
export function optionWords(command: Command, dropped: ReadonlySet<string>): string[] {
  return command.options.flatMap((option) => {
    const name = option.attributeName()
    const value: unknown = command.getOptionValue(name)
    const flag = option.long ?? ''
    if (dropped.has(name) || command.getOptionValueSource(name) === 'default' || value === undefined) return []
    if (option.negate) return value === false ? [flag] : []
    if (value === true) return [flag]
    if (value === false) return []
    return (Array.isArray(value) ? value : [value]).map((v) => `${flag}=${String(v)}`)
  })
}

/** What `forkFiles` needs of the verb. */
interface ForkedVerb {
  readonly name: string
  /** Options of the children, as words. */
  readonly words: readonly string[]
}

function startChild(verb: ForkedVerb, files: readonly string[]): ChildProcess {
  const args = [...process.execArgv, process.argv[1]!, verb.name, ...verb.words, '--', ...files]
  return spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, [CHILD_VARIABLE]: '1' },
  })
}

/** Characters that the names of files may take in a command: Windows takes 32,767 with all else that stands there. */
const MAX_NAME_CHARACTERS = 24_000

/** Files in parts that one command can name; a name that is too long has a part of its own. */
export function commandParts(files: readonly string[], most = MAX_NAME_CHARACTERS): string[][] {
  const parts: string[][] = []
  let left = 0
  for (const file of files) {
    // Quotes and a space stand around a name.
    const length = file.length + 3
    if (parts.length === 0 || length > left) {
      parts.push([])
      left = most
    }
    parts.at(-1)!.push(file)
    left -= length
  }
  return parts
}

/**
 * Divides files among processes and passes on each answer as it comes; all processes are stopped when `take` gives false.
 * Files of a process that fails get no answer, and that is printed.
 */
export async function forkFiles<T extends { readonly file: string }>(
  verb: ForkedVerb,
  files: readonly string[],
  workers: number,
  take: (result: T) => boolean,
): Promise<void> {
  const children: ChildProcess[] = []
  let isStopped = false
  const stop = (): void => {
    isStopped = true
    for (const child of children) child.kill()
  }
  const runPart = async (own: readonly string[]): Promise<void> => {
    for (const files of commandParts(own)) if (!isStopped) await runFiles(files)
  }
  const runFiles = async (own: readonly string[]): Promise<void> => {
    const missing = new Set(own)
    const child = startChild(verb, own)
    children.push(child)
    child.on('error', (e) => printError(`a process for ${verb.name} cannot be started: ${e.message}`))
    for await (const line of createInterface({ input: child.stdout! })) {
      const result = parseAnswer<T>(line)
      if (result === undefined || isStopped) continue
      missing.delete(result.file)
      if (!take(result)) stop()
    }
    if (missing.size > 0 && !isStopped) printError(`a process ended without an answer for ${[...missing].join(', ')}`)
  }
  const parts = Array.from({ length: workers }, (_, w) => files.filter((_, i) => i % workers === w))
  await Promise.all(parts.map(runPart))
}

function parseAnswer<T>(line: string): T | undefined {
  try {
    return JSON.parse(line) as T
  } catch {
    return undefined
  }
}
