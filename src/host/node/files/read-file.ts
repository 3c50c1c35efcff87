/** Reads files with limits, for the verbs and for the host of run descriptions: no file without end fills the memory. */
import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import type { FileRange } from '../../../job/index.ts'

const CHUNK_BYTES = 1 << 20
/** So many bytes are read at once behind the length that a file states: those of /proc state none and have more. */
const TAIL_BYTES = 4096
/** Of pipes and devices, whose length is not known before, no more than this is read. */
const MAX_STREAM_BYTES = 2 ** 28

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MB`

function refuseLength(what: string, most: number): never {
  throw new Error(`it has ${what}; at most ${megabytes(most)} are read`)
}

const PAUSE_MILLISECONDS = 10

function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MILLISECONDS)
}

/** How many bytes were read. The end of a pipe is an error on Windows, and a pipe that does not block may have none yet. */
export function countRead(read: () => number, wait = pause): number {
  for (;;) {
    try {
      return read()
    } catch (e) {
      const { code } = e as NodeJS.ErrnoException
      if (code === 'EOF') return 0
      if (code !== 'EAGAIN') throw e
      wait()
    }
  }
}

/**
 * Up to `count` bytes from where a stream stands, or from `position` of a file; fewer where it ends before. A file says that it has
 * `expected` bytes, a stream may have any number: memory is taken for no more at once.
 */
function readUpTo(fd: number, position: number | null, count: number, most: number, expected: number): Uint8Array {
  const chunks: Uint8Array[] = []
  let length = 0
  while (length < count) {
    const likely = length < expected ? expected - length : TAIL_BYTES
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, count - length, likely))
    const at = position === null ? null : position + length
    const got = countRead(() => readSync(fd, chunk, 0, chunk.length, at))
    if (got === 0) break
    chunks.push(got === chunk.length ? chunk : chunk.subarray(0, got))
    length += got
    if (length > most) refuseLength(`more than ${megabytes(most)}`, most)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

/** What is open; nothing of a console, for which Windows has no status. */
function statusOf(fd: number): Stats | undefined {
  try {
    return fstatSync(fd)
  } catch (e) {
    if (fd === 0) return undefined
    throw e
  }
}

function readOpened(fd: number, range: FileRange, most: number): Uint8Array {
  const { byteOffset, byteLength = Number.POSITIVE_INFINITY } = range
  const status = statusOf(fd)
  if (status?.isFile() === true) {
    const wanted = Math.min(status.size - byteOffset, byteLength)
    if (wanted > most) refuseLength(megabytes(wanted), most)
    // Files of /proc state no length, so that a file is read to its end in any case.
    return readUpTo(fd, byteOffset, byteLength, most, Math.max(0, wanted))
  }
  const limit = Math.min(most, MAX_STREAM_BYTES)
  const end = byteOffset + byteLength
  if (Number.isFinite(end) && end > limit) refuseLength(`no known length and ${megabytes(end)} were requested`, limit)
  return readUpTo(fd, null, end, limit, Number.POSITIVE_INFINITY).subarray(byteOffset)
}

/**
 * A part of a file, or of standard input for 0; shorter where the file ends before. Throws with the system's reason, or
 * with a sentence where there would be more than `most` bytes.
 */
export function readPart(path: string | 0, range: FileRange, most: number): Uint8Array {
  if (path === 0) return readOpened(0, range, most)
  const fd = openSync(path, 'r')
  try {
    return readOpened(fd, range, most)
  } finally {
    closeSync(fd)
  }
}
