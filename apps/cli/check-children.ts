import { spawn } from 'node:child_process'
import type { FileReport } from '../../src/check/index.ts'
import { sayError } from './say.ts'

/** Further processes of this command line that check a part of the files each and answer in JSON. */

/** Whether this process is the command line itself, started in a way that can be repeated. */
export function canFork(): boolean {
  const main = process.argv[1]
  return (
    main !== undefined &&
    process.env.HEDDLE_CHECK_CHILD === undefined &&
    /(^|[/\\])(main\.[jt]s|heddle(\.cmd)?)$/.test(main)
  )
}

/** The arguments of this process without its files and without what only the parent does. */
function childArguments(files: readonly string[], own: readonly string[]): string[] {
  const dropped = new Set(files)
  const args = process.argv.slice(2)
  const kept: string[] = []
  const withValue = new Set(['--sarif', '--junit', '--shard', '--jobs'])
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!
    const name = arg.split('=')[0]!
    if (withValue.has(name)) {
      if (!arg.includes('=')) i++
    } else if (arg !== '--json' && !dropped.has(arg)) kept.push(arg)
  }
  return [...kept, '--jobs', '1', '--json', '--', ...own]
}

function checkInChild(all: readonly string[], own: readonly string[]): Promise<readonly FileReport[]> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...process.execArgv, process.argv[1]!, ...childArguments(all, own)], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, HEDDLE_CHECK_CHILD: '1' },
    })
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', (e) => {
      sayError(`a checking process cannot be started: ${e.message}`)
      resolve([])
    })
    child.on('close', () => {
      try {
        resolve(JSON.parse(Buffer.concat(chunks).toString('utf8')) as FileReport[])
      } catch {
        sayError(`a checking process ended without an answer for ${own.join(', ')}`)
        resolve([])
      }
    })
  })
}

/**
 * Reports in the order of `files`, which are some of those on the command line (`all`); undefined where a file could not
 * be read or its process failed.
 */
export async function forkChecks(
  all: readonly string[],
  files: readonly string[],
  workers: number,
): Promise<(FileReport | undefined)[]> {
  const parts = Array.from({ length: workers }, (_, w) => files.filter((_, i) => i % workers === w))
  const answers = await Promise.all(parts.map((own) => checkInChild(all, own)))
  const byFile = new Map(answers.flat().map((r) => [r.file, r]))
  return files.map((file) => byFile.get(file))
}
