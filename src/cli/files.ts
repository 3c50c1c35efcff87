import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'

/** The name by which standard input and output go. */
export const STANDARD = '-'

/** The bytes of a file, or of standard input for `-`. Throws with the system's reason. */
export function readBytes(path: string): Uint8Array {
  const buffer = readFileSync(path === STANDARD ? 0 : path)
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
}

/** Text that keeps every byte: the assembly dialects are byte-transparent (names in shaders have no encoding). */
export function textOfBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
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

/** Where the result for `input` goes: `--output`, a file in `--out-dir` with the new extension, or standard output. */
export function outputPath(input: string, extension: string, options: OutputOptions): string {
  if (options.output !== undefined) return options.output
  if (options.outDir === undefined) return STANDARD
  const stem = input === STANDARD ? 'stdin' : basename(input, extname(input))
  return join(options.outDir, stem + extension)
}

export function writeBytes(path: string, bytes: Uint8Array): void {
  if (path === STANDARD) process.stdout.write(bytes)
  else writeFileSync(path, bytes)
}

export function ensureFolder(folder: string | undefined): void {
  if (folder !== undefined) mkdirSync(folder, { recursive: true })
}

/** Why the system refused, in words for people. */
export function systemReason(e: unknown): string {
  const { code, message } = e as NodeJS.ErrnoException
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EISDIR') return 'it is a folder; name the files in it'
  if (code === 'EACCES') return 'permission denied'
  return message
}
