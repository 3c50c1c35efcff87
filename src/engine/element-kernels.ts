import type { FloatBounds, ValueOps } from '../isa/index.ts'
import type { Allocation } from '../machine/index.ts'

/** What an engine can do for quads of pixels beside running shaders: the fixed function as compiled code. */

/**
 * A pixel shader that is operations one after the other, each of inputs and of those before it: plain data, so that other threads can
 * be given it. Operations are the engine's own.
 */
export interface ShaderOperations {
  /** Each with the numbers of its operands and what else chooses the result. */
  readonly operations: readonly (readonly [operation: string, operands: readonly number[], choice: number])[]
  /** By slot of the output registers: the number of the operation. */
  readonly outputs: readonly number[]
  /** The same for what becomes an output by a flush of denormals alone. */
  readonly unflushed: readonly number[]
  /** By slot of the output registers: the bits of those that are constant, and null. */
  readonly constants: readonly (number | null)[]
  /** Pixels of a quad read each other's words. */
  readonly comparesPixels: boolean
}

/** Memory of the engine as programs of quads see it: addresses in bytes from where it starts, multiples of 4. */
export interface QuadMemory<V> {
  /** Number of the quad; the same for its four pixels. */
  readonly quad: V
  /** Place of the pixel in the quad: 0 or 1 to the right, and down. */
  readonly column: V
  readonly row: V
  /** Up to four words. Where `valid` is given, pixels for which it is 0 read words of no meaning from nowhere. */
  load(at: V, wordCount: number, valid?: V): readonly V[]
  /** Where `valid` is given, pixels for which it is 0 store nothing. */
  store(at: V, words: readonly V[], valid?: V): void
  /** Words by a condition, all ones or 0, that is the same for the four pixels: only what is chosen is computed. */
  choose(condition: V, taken: () => readonly V[], otherwise: () => readonly V[]): readonly V[]
  /** Words that are carried from round to round, while a condition holds that is the same for the four pixels; those at the end. */
  repeat(
    first: readonly V[],
    condition: (words: readonly V[]) => V,
    round: (words: readonly V[]) => readonly V[],
  ): readonly V[]
  /** Bit i is the sign of pixel i's word: the same for the four pixels. */
  signs(word: V): V
  /** The word that pixel `n` has: the first of a row of pixels, then of the row below. */
  ofPixel(word: V, n: number): V
  /** The outputs of a shader by slot, from its inputs by slot. */
  outputsOf(shader: Pick<ShaderOperations, 'operations' | 'outputs'>, inputOf: (slot: number) => V): readonly V[]
  /**
   * What is known of a shader's outputs by slot, from what is known of its inputs: what the first of two runs leaves lies between the
   * bounds, and the second is off by the error at the most. An output that is an input has the same object.
   */
  boundsOf(shader: ShaderOperations, inputOf: (slot: number) => FloatBounds): (slot: number) => FloatBounds
  /** Makes what stays the same where denormals are not flushed. */
  keepingDenormals(body: () => void): void
}

/**
 * What happens to quads of pixels one after the other: each reads what those before it have stored. The four pixels of a quad run
 * together. It may depend on nothing that `key` does not contain.
 */
export interface QuadProgram {
  /** Programs of one key mean the same. */
  readonly key: string
  /** What is stored is the same where denormals are not flushed. */
  readonly keepsDenormals?: boolean
  meaning<V>(o: ValueOps<V>, memory: QuadMemory<V>): void
}

export interface QuadKernel {
  /** Runs the quads from 0 up to `count`, QUADS_OF_A_CALL at the most. Addresses count from byte `start` of the engine's memory. */
  run(count: number, start: number): void
}

/** Quads of one call. */
export const QUADS_OF_A_CALL = 512

export type Words = Int32Array | Uint32Array

export interface ElementKernels {
  /** How many programs the engine has compiled up to now, shaders among them: draws yield to the host between programs. */
  readonly programCount: number
  /** Whether it has compiled a program of quads, or tried to. */
  has(program: QuadProgram): boolean
  /** Compiles a program of quads in parts that take milliseconds each, so that `quadKernelFor` has its code at once. */
  compileInParts(program: QuadProgram): Generator<void, void>
  /** The code of a program of quads, compiled where it is not there yet; undefined where there is none. */
  quadKernelFor(program: QuadProgram): QuadKernel | undefined
  /** Whether a buffer is the memory that programs reach. */
  reaches(buffer: ArrayBufferLike): boolean
  /**
   * Copies the words of an array from one up to, not including, another to a place in another array, faster than arrays do it themselves; false
   * where it does not reach both, or they end before.
   */
  copy(to: Words, at: number, from: Words, first: number, end: number): boolean
  /** A range of that memory with whatever it holds; undefined where there is no room. */
  allocate(byteLength: number): Allocation | undefined
  /** Frees a range that `allocate` gave for this length. */
  release(allocation: Allocation, byteLength: number): void
}
