import {
  aNumber,
  anything,
  bytesExpected,
  checkArguments,
  type Diagnostic,
  diagnostic,
  failure,
  hasErrors,
  type Outcome,
  outcomeOf,
} from '../diagnostic/index.ts'
import { allocateStorage, bytesOf, heapMemory, type InitialData, type Memory, type Storage } from './memory.ts'

/** A buffer: bytes, and the stride of its structures where it is a structured buffer (functional spec 5.3.4). */
export interface Buffer {
  readonly kind: 'buffer'
  readonly byteLength: number
  /** Bytes of one structure; absent for a buffer that was not made as a structured buffer. */
  readonly stride?: number
  readonly storage: Storage
}

/** What `createBuffer` takes: a size in bytes or initial data, and a stride for structured buffers. */
export interface BufferOptions {
  /** Size in bytes; may be left out when `data` is given. At least 1. */
  readonly byteLength?: number | undefined
  /** Makes it a structured buffer: a multiple of 4 from 4 to 2048 (D3D11_MISC_BUFFER_STRUCTURED). */
  readonly stride?: number | undefined
  /** Initial contents from the start; the rest is zero. Longer data than `byteLength` is an error. */
  readonly data?: InitialData | undefined
  /** Where the bytes lie; a device gives its own. Default the heap. */
  readonly memory?: Memory | undefined
}

/** Largest structure stride, in bytes (functional spec 5.1.4). */
export const MAX_STRUCTURE_STRIDE = 2048

/** A whole number that is not negative: the only thing a size, count or offset may be. */
export function isCount(n: unknown): n is number {
  return typeof n === 'number' && Number.isSafeInteger(n) && n >= 0
}

function checkStride(stride: number | undefined, byteLength: number): Diagnostic[] {
  if (stride === undefined) return []
  if (!isCount(stride) || stride === 0 || stride % 4 !== 0 || stride > MAX_STRUCTURE_STRIDE) {
    return [
      diagnostic(
        'machine-buffer-stride',
        `A structure stride of ${stride} bytes was given; it must be a multiple of 4 from 4 to ${MAX_STRUCTURE_STRIDE}.`,
      ),
    ]
  }
  if (byteLength % stride === 0) return []
  return [
    diagnostic(
      'machine-buffer-stride',
      `A structured buffer of ${byteLength} bytes does not hold whole structures of ${stride} bytes.`,
    ),
  ]
}

const OPTIONS = { byteLength: aNumber, stride: aNumber, data: bytesExpected, memory: anything }

/** Makes a buffer, zero-filled or with the given contents. */
export function createBuffer(options: BufferOptions): Outcome<Buffer> {
  const wrong = checkArguments('machine-argument', 'a buffer', options, OPTIONS)
  if (wrong.length > 0) return failure(wrong)
  const data = options.data === undefined ? undefined : bytesOf(options.data)
  const byteLength = options.byteLength ?? data?.byteLength
  if (!isCount(byteLength) || byteLength === 0) {
    const given = byteLength === undefined ? 'neither a byteLength nor data' : `a byteLength of ${byteLength}`
    return failure([diagnostic('machine-buffer-size', `A buffer needs at least one byte; ${given} was given.`)])
  }
  const diagnostics = checkStride(options.stride, byteLength)
  if (data !== undefined && data.byteLength > byteLength) {
    diagnostics.push(
      diagnostic(
        'machine-data-size',
        `${data.byteLength} bytes of data were given for a buffer of ${byteLength} bytes.`,
      ),
    )
  }
  if (hasErrors(diagnostics)) return failure(diagnostics)
  const storage = allocateStorage(options.memory ?? heapMemory(), byteLength, 'The buffer')
  if (storage.value === undefined) return failure(storage.diagnostics)
  if (data !== undefined) storage.value.bytes.set(data)
  const base = { kind: 'buffer', byteLength, storage: storage.value } as const
  return outcomeOf(options.stride === undefined ? base : { ...base, stride: options.stride })
}
