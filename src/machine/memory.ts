import {
  type Diagnostic,
  diagnostic,
  failure,
  type Outcome,
  outcomeOf,
  ShaderError,
  showValue,
} from '../diagnostic/index.ts'

/**
 * Where resources live. An engine that needs every resource inside one WebAssembly.Memory brings its own; the default
 * gives each resource its own ArrayBuffer or SharedArrayBuffer.
 */
export interface Memory {
  /** True when allocations are SharedArrayBuffers, so that several workers can see them. */
  readonly shared: boolean
  /**
   * A zero-filled range of at least `byteLength` bytes that starts at a multiple of 16, or undefined when there is no
   * room. The range ends at a multiple of 16 too, so that word views cover it.
   */
  allocate(byteLength: number): Allocation | undefined
  /** Gives a range back; optional, resources of the default memory are collected with their buffers. */
  release?(allocation: Allocation): void
}

/** A range of bytes in a buffer. */
export interface Allocation {
  readonly buffer: ArrayBufferLike
  readonly byteOffset: number
}

/**
 * The bytes of a resource, with the views that the texel codecs read through. `bytes` has exactly `byteLength` bytes;
 * `halves` and `words` reach to the end of the 16-byte padded allocation and must be bounded by `byteLength`.
 */
export interface Storage {
  readonly buffer: ArrayBufferLike
  /** Multiple of 16. */
  readonly byteOffset: number
  readonly byteLength: number
  readonly bytes: Uint8Array
  readonly halves: Uint16Array
  readonly words: Uint32Array
}

/** Typed arrays that a resource can be read as, without a copy. */
export interface ElementArrays {
  readonly u8: Uint8Array
  readonly i8: Int8Array
  readonly u16: Uint16Array
  readonly i16: Int16Array
  readonly u32: Uint32Array
  readonly i32: Int32Array
  readonly f32: Float32Array
  readonly f64: Float64Array
}
export type ElementKind = keyof ElementArrays

/** Bytes of the largest resource that the machine makes: 2 GiB - 16, well above what Direct3D 11 promises (chapter 21). */
export const MAX_RESOURCE_BYTE_LENGTH = 2 ** 31 - 16

/** Rounds up to a multiple of 16. */
export function align16(byteLength: number): number {
  return Math.ceil(byteLength / 16) * 16
}

/** A memory that gives each resource a buffer of its own. */
export function heapMemory(shared = false): Memory {
  return {
    shared,
    allocate(byteLength) {
      const size = Math.max(16, align16(byteLength))
      try {
        return { buffer: shared ? new SharedArrayBuffer(size) : new ArrayBuffer(size), byteOffset: 0 }
      } catch {
        // The host's own limit: a RangeError is how JavaScript says "out of memory".
        return undefined
      }
    },
  }
}

/** The storage over a range that a Memory gave. */
export function storageOver(allocation: Allocation, byteLength: number): Storage {
  const { buffer, byteOffset } = allocation
  const padded = Math.max(16, align16(byteLength))
  return {
    buffer,
    byteOffset,
    byteLength,
    bytes: new Uint8Array(buffer, byteOffset, byteLength),
    halves: new Uint16Array(buffer, byteOffset, padded / 2),
    words: new Uint32Array(buffer, byteOffset, padded / 4),
  }
}

/** Allocates zero-filled storage, or reports what was requested. `what` names the resource in the message. */
export function allocateStorage(memory: Memory, byteLength: number, what: string): Outcome<Storage> {
  if (byteLength > MAX_RESOURCE_BYTE_LENGTH) {
    return failure([tooLarge(what, byteLength, `the limit is ${MAX_RESOURCE_BYTE_LENGTH} bytes`)])
  }
  const allocation = memory.allocate(byteLength)
  if (allocation === undefined) return failure([tooLarge(what, byteLength, 'the host has no room for it')])
  return outcomeOf(storageOver(allocation, byteLength))
}

function tooLarge(what: string, byteLength: number, why: string): Diagnostic {
  return diagnostic('machine-out-of-memory', `${what} needs ${byteLength} bytes; ${why}.`)
}

const ARRAYS: { readonly [K in ElementKind]: new (b: ArrayBufferLike, o: number, n: number) => ElementArrays[K] } = {
  u8: Uint8Array,
  i8: Int8Array,
  u16: Uint16Array,
  i16: Int16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  f64: Float64Array,
}
const ELEMENT_BYTES: Readonly<Record<ElementKind, number>> = {
  u8: 1,
  i8: 1,
  u16: 2,
  i16: 2,
  u32: 4,
  i32: 4,
  f32: 4,
  f64: 8,
}

/**
 * A view of the storage's own bytes as whole elements of a kind; nothing is copied, a rest shorter than an element is left
 * out. Throws ShaderError for a kind that there is not.
 */
export function viewStorage<K extends ElementKind>(storage: Storage, kind: K): ElementArrays[K] {
  if (!Object.hasOwn(ARRAYS, kind)) {
    const text = `elements of kind ${showValue(kind)} were requested; there are ${Object.keys(ARRAYS).join(', ')}`
    throw new ShaderError([diagnostic('machine-argument', text)])
  }
  const count = Math.floor(storage.byteLength / ELEMENT_BYTES[kind])
  return new ARRAYS[kind](storage.buffer, storage.byteOffset, count)
}

/** What callers may give as initial contents: any buffer or view; its bytes are copied. */
export type InitialData = ArrayBufferLike | ArrayBufferView

/** The bytes of initial data, without a copy. */
export function bytesOf(data: InitialData): Uint8Array {
  return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data)
}
