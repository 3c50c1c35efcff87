import type { ValueOps } from '../isa/index.ts'
import type { Allocation, Storage } from '../machine/index.ts'

/** What an engine can do for elements of memory beside running shaders: the fixed function as compiled code. */

/**
 * What becomes of elements of a render target: for each pixel its columns, and the words that lie in memory. It is written
 * over `ValueOps` and may not depend on anything that `key` does not tell.
 */
export interface ElementProgram {
  /** Programs of one key mean the same. */
  readonly key: string
  /** Columns of words that each pixel brings. */
  readonly columnCount: number
  /** Words of an element. */
  readonly wordCount: number
  /** Elements of a pixel, one behind the other. */
  readonly sampleCount: number
  /** The words that an element gets. */
  meaning<V>(o: ValueOps<V>, columns: readonly V[], element: readonly V[]): readonly V[]
}

/** A program that is ready. It happens to pixels in their order, except inside of four, which lie at different places. */
export interface ElementKernel {
  /** Pixels at the most. */
  readonly capacity: number
  /** By pixel: where its first element begins, in bytes from the start of the storage. */
  readonly byteOffsets: Int32Array
  /** By pixel: its elements that are written, as bits. */
  readonly masks: Int32Array
  /** The program's columns. */
  readonly columns: readonly Int32Array[]
  /** Writes the first pixels to elements of a storage of the engine. */
  run(count: number, storage: Storage): void
}

/** Memory of the engine as programs of quads see it: addresses in bytes from where it starts, multiples of 4. */
export interface QuadMemory<V> {
  /** Number of the quad; the same for its four pixels. */
  readonly quad: V
  /** Number of the pixel: (0,0) (1,0) (0,1) (1,1). */
  readonly pixel: V
  /** Up to four words. Where `valid` is given, pixels for which it is 0 read words of no meaning from nowhere. */
  load(at: V, wordCount: number, valid?: V): readonly V[]
  /** Where `valid` is given, pixels for which it is 0 store nothing. */
  store(at: V, words: readonly V[], valid?: V): void
}

/**
 * What happens to quads of pixels one after the other: each reads what those before it have stored. The four pixels of a quad run
 * together. It may not depend on anything that `key` does not tell.
 */
export interface QuadProgram {
  /** Programs of one key mean the same. */
  readonly key: string
  meaning<V>(o: ValueOps<V>, memory: QuadMemory<V>): void
}

export interface QuadKernel {
  /** Runs the quads from 0 up to `count`, QUADS_OF_A_CALL at the most. Addresses count from byte `start` of the engine's memory. */
  run(count: number, start: number): void
}

/** Quads of one call. */
export const QUADS_OF_A_CALL = 512

export interface ElementKernels {
  /** The code of a program for a storage; undefined where there is none. */
  kernelFor(program: ElementProgram, storage: Storage): ElementKernel | undefined
  /** The code of a program of quads; undefined where there is none. */
  quadKernelFor(program: QuadProgram): QuadKernel | undefined
  /** Whether a storage lies in the memory that programs reach. */
  reaches(storage: Storage): boolean
  /** A range of that memory with whatever it holds; undefined where there is no room. */
  take(byteLength: number): Allocation | undefined
  /** Gives back a range that `take` gave for this length. */
  give(allocation: Allocation, byteLength: number): void
}
