import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path'
import type { HostFailure, JobHost } from '../../job/index.ts'
import { MAX_RESOURCE_BYTE_LENGTH } from '../../machine/index.ts'
import { decodePng, encodePng } from '../png/index.ts'
import { readPart, systemReason, writeReason } from './files/index.ts'

/** What `createHost` takes: where files are looked for, and what may be read and written. */
export interface HostOptions {
  /** Folder that relative paths start from. */
  readonly folder: string
  /** Command line of an HLSL compiler with {input}, {output}, {entry} and {profile}. */
  readonly compiler?: string | undefined
  /** After this time a compiler that has not ended is stopped (120,000 where absent). */
  readonly compilerMilliseconds?: number | undefined
  /** Lets paths lead out of the folder. Without it they are refused: a description may come from anywhere. */
  readonly allowOutside?: boolean | undefined
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

/** Why a program did not start. Windows starts files of commands through its shell only. */
function notStarted(program: string, error: Error): HostFailure {
  const notes = /\.(?:cmd|bat)$/i.test(program) ? [`write it as: cmd /c ${program}`] : []
  return { reason: `${program} cannot be started: ${systemReason(error)}`, notes }
}

function compileWith(line: string, values: Placeholders, timeout: number): Uint8Array | HostFailure {
  const words = commandWords(line).map((w) =>
    w.replace(PLACEHOLDER, (_, name: string) => values[name as keyof Placeholders]),
  )
  const [program = '', ...args] = words
  const shown = words.join(' ')
  const limits = { maxBuffer: 1 << 26, timeout, killSignal: 'SIGKILL' } as const
  const result = spawnSync(program, args, { encoding: 'latin1', windowsHide: true, ...limits })
  if (result.error !== undefined && (result.error as NodeJS.ErrnoException).code === 'ETIMEDOUT') {
    const reason = `the compiler was stopped: it had not ended after ${timeout / 1000} s`
    return { reason, notes: [`the command was: ${shown}`] }
  }
  if (result.error !== undefined) return notStarted(program, result.error)
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

const COMPILER_MILLISECONDS = 120_000
/** As much as a resource can hold. */
const MAX_FILE_BYTES = MAX_RESOURCE_BYTE_LENGTH

/** The compiler of a command line; its output goes through a folder of its own, which is removed. */
function compilerOf(line: string, timeout: number, placeOf: PlaceOf): NonNullable<JobHost['compile']> {
  return (path, entry, profile) => {
    if (!/\{input\}/.test(line)) return { reason: 'the command line of the compiler has no {input}' }
    const input = placeOf(path)
    if (typeof input !== 'string') return input
    const folder = mkdtempSync(join(tmpdir(), 'heddle-'))
    try {
      return compileWith(line, { input, output: join(folder, 'shader.dxbc'), entry, profile }, timeout)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/** Chains of links that lead nowhere are followed this far. */
const MAX_LINKS = 40

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** A path with its links followed, also where what it names does not exist yet. */
function realPath(path: string, links = 0): string {
  try {
    return realpathSync(path)
  } catch {
    const above = dirname(path)
    const link = links < MAX_LINKS ? linkOf(path) : undefined
    if (link !== undefined) return realPath(resolve(above, link), links + 1)
    return above === path ? path : join(realPath(above, links), basename(path))
  }
}

/** Where a path of a description leads, or why it is refused. */
type PlaceOf = (path: string) => string | HostFailure

function placesIn(folder: string, allowOutside: boolean): PlaceOf {
  const root = realPath(resolve(folder))
  return (path) => {
    const absolute = resolve(folder, path)
    if (allowOutside) return absolute
    const inside = relative(root, realPath(absolute))
    if (inside !== '..' && !/^\.\.[/\\]/.test(inside) && !isAbsolute(inside)) return absolute
    const reason = 'it lies outside the folder of the description'
    return { reason, notes: ['--allow-outside lets a description reach other folders, where you trust it'] }
  }
}

/** The system as Node has it, for run descriptions: the verbs and `heddle/job/node` have it from here. */
export function createHost(options: HostOptions): JobHost {
  const { compiler, compilerMilliseconds = COMPILER_MILLISECONDS } = options
  const placeOf = placesIn(options.folder, options.allowOutside === true)
  return {
    readFile(path, range = { byteOffset: 0 }) {
      const place = placeOf(path)
      if (typeof place !== 'string') return place
      try {
        return readPart(place, range, MAX_FILE_BYTES)
      } catch (e) {
        return { reason: systemReason(e) }
      }
    },
    writeFile(path, bytes) {
      const place = placeOf(path)
      if (typeof place !== 'string') return place
      try {
        writeFileSync(place, bytes)
        return undefined
      } catch (e) {
        return { reason: writeReason(e) }
      }
    },
    decodePng,
    encodePng,
    ...(compiler === undefined ? {} : { compile: compilerOf(compiler, compilerMilliseconds, placeOf) }),
  }
}
