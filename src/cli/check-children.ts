import { spawn } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FileReport } from '../check/index.ts'
import { sayError } from './say.ts'

/** Further processes of this command line that check a part of the files each and answer in JSON. */

const HERE = fileURLToPath(import.meta.url)
const MAIN = fileURLToPath(new URL(`./main${extname(HERE)}`, import.meta.url))

/** Whether this process is the command line itself, started in a way that can be repeated. */
export function canFork(): boolean {
  return process.argv[1] !== undefined && process.env['HEDDLE_CHECK_CHILD'] === undefined && isMain(process.argv[1])
}

function isMain(path: string): boolean {
  return path === MAIN || (extname(HERE) === '.js' && /(^|[/\\])heddle(\.cmd)?$/.test(path))
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

function checkInChild(files: readonly string[], own: readonly string[]): Promise<readonly FileReport[]> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...process.execArgv, MAIN, ...childArguments(files, own)], {
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

/** Reports in the order of the files; undefined where a file could not be read or its process failed. */
export async function forkChecks(files: readonly string[], workers: number): Promise<(FileReport | undefined)[]> {
  const parts = Array.from({ length: workers }, (_, w) => files.filter((_, i) => i % workers === w))
  const answers = await Promise.all(parts.map((own) => checkInChild(files, own)))
  const byFile = new Map(answers.flat().map((r) => [r.file, r]))
  return files.map((file) => byFile.get(file))
}
