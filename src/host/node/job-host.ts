import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import type { HostFailure, JobHost } from '../../job/index.ts'
import { decodePng, encodePng } from './png.ts'
import { systemReason } from './system-reason.ts'

export interface HostOptions {
  /** Folder that relative paths start from. */
  readonly folder: string
  /** Command line of an HLSL compiler with {input}, {output}, {entry} and {profile}. */
  readonly compiler?: string
}

/** A command line as words: quotes of either kind hold a word together, and no shell looks at it. */
export function commandWords(line: string): string[] {
  return [...line.matchAll(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g)].map((m) => m[0].replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))
}

const PLACEHOLDER = /\{(input|output|entry|profile)\}/g
const MAX_NOTES = 40

/** What the compiler printed, by line. */
function printed(...texts: readonly (string | null)[]): string[] {
  const lines = texts.flatMap((t) => (t ?? '').split(/\r?\n/)).filter((line) => line.trim() !== '')
  return lines.length <= MAX_NOTES
    ? lines
    : [...lines.slice(0, MAX_NOTES), `and ${lines.length - MAX_NOTES} more lines`]
}

/** What stands in place of the words in braces. */
interface Placeholders {
  readonly input: string
  readonly output: string
  readonly entry: string
  readonly profile: string
}

function compileWith(line: string, values: Placeholders): Uint8Array | HostFailure {
  const words = commandWords(line).map((w) =>
    w.replace(PLACEHOLDER, (_, name: string) => values[name as keyof Placeholders]),
  )
  const [program = '', ...args] = words
  const shown = words.join(' ')
  const result = spawnSync(program, args, { encoding: 'latin1', maxBuffer: 1 << 26, windowsHide: true })
  if (result.error !== undefined) return { reason: `${program} cannot be started: ${systemReason(result.error)}` }
  const notes = printed(result.stdout, result.stderr)
  if (result.status !== 0) {
    const how = result.status === null ? `was ended by ${result.signal}` : `ended with exit code ${result.status}`
    return { reason: `the compiler ${how}`, notes: [...notes, `the command was: ${shown}`] }
  }
  try {
    return new Uint8Array(readFileSync(values.output))
  } catch {
    return { reason: 'the compiler ended well but wrote no output', notes: [...notes, `the command was: ${shown}`] }
  }
}

/** The compiler of a command line; its output goes through a folder of its own, which is removed. */
function compilerOf(line: string, absolute: (path: string) => string): NonNullable<JobHost['compile']> {
  return (path, entry, profile) => {
    if (!/\{input\}/.test(line)) return { reason: 'the command line of the compiler has no {input}' }
    const folder = mkdtempSync(join(tmpdir(), 'heddle-'))
    try {
      return compileWith(line, { input: absolute(path), output: join(folder, 'shader.dxbc'), entry, profile })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** The system as Node has it, for run descriptions: the verbs and `heddle/job/node` have it from here. */
export function createHost(options: HostOptions): JobHost {
  const absolute = (path: string): string => (isAbsolute(path) ? path : resolve(options.folder, path))
  const { compiler } = options
  return {
    readFile(path) {
      try {
        const buffer = readFileSync(absolute(path))
        return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
      } catch (e) {
        return { reason: systemReason(e) }
      }
    },
    writeFile(path, bytes) {
      try {
        writeFileSync(absolute(path), bytes)
        return undefined
      } catch (e) {
        return { reason: systemReason(e) }
      }
    },
    decodePng,
    encodePng,
    ...(compiler === undefined ? {} : { compile: compilerOf(compiler, absolute) }),
  }
}
