import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, parse, resolve } from 'node:path'
import { readPart, writeReason } from '../../src/host/node/files/index.ts'
import { type Input, STANDARD } from './inputs.ts'
import { print } from './print.ts'
import { printError } from './terminal.ts'

/** Far more than any shader, listing or run description has. */
const MAX_INPUT_BYTES = 2 ** 28

/** The bytes of a file, or of standard input for `-`. Throws with the system's reason. */
export function readBytes(path: string): Uint8Array {
  return readPart(path === STANDARD ? 0 : path, { byteOffset: 0 }, MAX_INPUT_BYTES)
}

export function bytesOfText(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

export interface OutputOptions {
  /** One file, or `-` for standard output. */
  readonly output?: string
  /** A folder that gets a file for each input. */
  readonly outDir?: string
}

/**
 * Where the result for an input goes: `--output`, a file in `--out-dir` with the new extension, or standard output. Files
 * found in a folder or by a pattern keep their folders below it.
 */
export function outputPath(input: Input, extension: string, options: OutputOptions): string {
  if (options.output !== undefined) return options.output
  if (options.outDir === undefined) return STANDARD
  const { dir, name } = parse(input.path === STANDARD ? 'stdin' : input.name)
  return join(options.outDir, dir, name + extension)
}

/** Writes a result, with the folders on its way. False, with a sentence on standard error, where the system refuses. */
export function writeOutput(path: string, bytes: Uint8Array, options: OutputOptions = {}): boolean {
  if (path === STANDARD) {
    print(bytes)
    return true
  }
  try {
    if (options.outDir !== undefined) mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, bytes)
    return true
  } catch (e) {
    printError(`cannot write ${path}: ${writeReason(e)}`)
    return false
  }
}

/** File systems of these platforms take names that differ in case alone for the same. */
const SAME_CASE_PLATFORMS = ['win32', 'darwin']

/** Two inputs whose results would go to the same file. */
function collision(inputs: readonly Input[], extension: string, options: OutputOptions): readonly Input[] | undefined {
  const known = new Map<string, Input>()
  for (const input of inputs) {
    const path = resolve(outputPath(input, extension, options))
    const key = SAME_CASE_PLATFORMS.includes(process.platform) ? path.toLowerCase() : path
    const other = known.get(key)
    if (other !== undefined) return [other, input]
    known.set(key, input)
  }
  return undefined
}

/** Whether each input has a place for its result; where not, that is reported before anything is written. */
export function outputsAreApart(inputs: readonly Input[], extension: string, options: OutputOptions): boolean {
  if (options.output !== undefined && inputs.length > 1) {
    printError(`--output takes one input, here are ${inputs.length}; use --out-dir for several`)
    return false
  }
  if (options.outDir === undefined) return true
  const [a, b] = collision(inputs, extension, options) ?? []
  if (a === undefined || b === undefined) return true
  printError(
    `${a.path} and ${b.path} would both be written to ${outputPath(a, extension, options)}; nothing was written. ` +
      `Name a folder or a pattern in quotes (heddle VERB "shaders/**/*.dxbc" --out-dir FOLDER): its folders are kept`,
  )
  return false
}

export { systemReason, writeReason } from '../../src/host/node/files/index.ts'
