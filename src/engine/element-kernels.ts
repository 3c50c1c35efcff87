import type { ValueOps } from '../isa/index.ts'
import type { Storage } from '../machine/index.ts'

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

export interface ElementKernels {
  /** The code of a program for a storage; undefined where there is none. */
  kernelFor(program: ElementProgram, storage: Storage): ElementKernel | undefined
}
