/** The inputs of a verb: files, folders and patterns as they stand on the command line. */
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { isContainer } from '../../src/dxbc/index.ts'
import { dividePattern, isPattern } from './paths.ts'
import { printError } from './terminal.ts'

/** The name by which standard input and output go. */
export const STANDARD = '-'

export interface Input {
  readonly path: string
  /** The path below the folder or the fixed part of the pattern that it was found by; else the file's name. */
  readonly name: string
}

export interface Inputs {
  readonly inputs: readonly Input[]
  /** False where a pattern or a folder had no file; that was reported. */
  readonly allFound: boolean
}

/** Which files of a folder a verb takes, and how a message calls them. Files that are named are always taken. */
export interface InputKind {
  readonly plural: string
  readonly accepts: (path: string) => boolean
}

/** Whether a file begins as a container does; false where it cannot be read. */
function beginsAsContainer(path: string): boolean {
  const start = new Uint8Array(4)
  try {
    const file = openSync(path, 'r')
    try {
      readSync(file, start, 0, start.length, 0)
    } finally {
      closeSync(file)
    }
  } catch {
    return false
  }
  return isContainer(start)
}

const isText = (path: string): boolean => path.toLowerCase().endsWith('.asm')

export const COMPILED_SHADERS: InputKind = { plural: 'compiled shaders', accepts: beginsAsContainer }
export const ASSEMBLY_TEXTS: InputKind = { plural: 'assembly texts (.asm)', accepts: isText }
export const RUN_DESCRIPTIONS: InputKind = {
  plural: 'run descriptions (.job.json)',
  accepts: (path) => path.toLowerCase().endsWith('.job.json'),
}
export const SHADERS: InputKind = {
  plural: 'compiled shaders or assembly texts (.asm)',
  accepts: (path) => isText(path) || beginsAsContainer(path),
}

function kindOf(path: string): 'file' | 'folder' | 'none' {
  try {
    return statSync(path).isDirectory() ? 'folder' : 'file'
  } catch {
    return 'none'
  }
}

async function filesBelow(folder: string, pattern: string): Promise<readonly Input[]> {
  // Loaded only where it is needed: most calls name files.
  const { glob } = await import('tinyglobby')
  const names = await glob(pattern, { cwd: resolve(folder), followSymbolicLinks: false, expandDirectories: false })
  return names.sort((a, b) => (a < b ? -1 : 1)).map((name) => ({ path: join(folder, name), name }))
}

async function filesOf(argument: string, kind: InputKind): Promise<readonly Input[]> {
  if (argument === STANDARD) return [{ path: argument, name: argument }]
  const found = kindOf(argument)
  if (found === 'folder') return (await filesBelow(argument, '**/*')).filter(({ path }) => kind.accepts(path))
  // A missing file without special characters is reported when it is read, with the reason of the system.
  if (found === 'file' || !isPattern(argument)) return [{ path: argument, name: basename(argument) }]
  const { folder, pattern } = dividePattern(argument)
  return filesBelow(folder, pattern)
}

/** The files that the arguments of a verb stand for, in their order and each once. Quoted patterns are expanded here. */
export async function inputFiles(args: readonly string[], kind: InputKind): Promise<Inputs> {
  const inputs = new Map<string, Input>()
  let allFound = true
  for (const argument of args) {
    const files = await filesOf(argument, kind)
    if (files.length === 0) {
      allFound = false
      const isFolder = kindOf(argument) === 'folder'
      printError(isFolder ? `${argument} has no ${kind.plural}` : `no file matches ${argument}`)
    }
    for (const file of files) if (!inputs.has(file.path)) inputs.set(file.path, file)
  }
  return { inputs: [...inputs.values()], allFound }
}
