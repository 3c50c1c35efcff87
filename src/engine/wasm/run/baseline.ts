import { CodeTooLarge } from '../../ir/index.ts'
import { Unsupported } from '../../lower/index.ts'

/**
 * The stages of draws are compiled in two tiers. A shader begins with baseline code, which is made in a third of the time; once that has run about as
 * long as optimized code takes to make, that is made, in parts between the steps of a draw, and takes its place. Both leave the same bits, findings and statistics.
 */

/**
 * Milliseconds that baseline code runs first for each value of a program, and for any program. Optimized code takes 0.01 to 0.02 to make for a value once
 * the host has compiled the compiler, and several times that in a new process; of the time of baseline code it saves a half or two thirds.
 */
const MS_PER_VALUE = 0.03
const LEAST_MS = 4

/** Milliseconds for which code is made before a draw looks at what else there is: the time, a stop, its host. */
export const CODE_PART_MS = 10

/** Milliseconds that baseline code of so many values runs before optimized code pays. */
export const enoughFor = (valueCount: number): number => LEAST_MS + valueCount * MS_PER_VALUE

/** What is known of baseline code beside the code itself. */
export class Baseline<Code> {
  /** Milliseconds that it has run, in all draws. */
  ranMs = 0
  readonly #enoughMs: number
  readonly #parts: Generator<void, Code>
  readonly #isAtOnce: boolean
  #isWanted = false
  #optimized: { readonly code: Code | undefined } | undefined
  /** A fault of the compiler. */
  #fault: unknown

  /** `parts` make optimized code: `isAtOnce` says that all of them are made when baseline code has run so long, which is for tests. */
  constructor(enoughMs: number, parts: Generator<void, Code>, isAtOnce: boolean) {
    this.#enoughMs = enoughMs
    this.#parts = parts
    this.#isAtOnce = isAtOnce
  }

  get #hasRunEnough(): boolean {
    return this.#isWanted || this.ranMs > this.#enoughMs
  }

  /** Much is to come: optimized code is made from now on, whatever has run. */
  want(): void {
    this.#isWanted = true
  }

  /** Optimized code has been made, or the host did not take it. */
  get isOver(): boolean {
    return this.#optimized !== undefined
  }

  /** Makes the next part of optimized code, where baseline code has run long enough; false where it has not, or nothing is left to make. */
  makeCode(): boolean {
    if (this.isOver || !this.#hasRunEnough) return false
    this.#makePart()
    return true
  }

  /**
   * The optimized code: undefined where it has not been made, and where the host does not take it, which has more bytes and locals. `isLong` says
   * that it is to be made now.
   */
  optimized(isLong: boolean): Code | undefined {
    if (isLong || (this.#isAtOnce && this.#hasRunEnough)) while (!this.isOver) this.#makePart()
    return this.#optimized?.code
  }

  #makePart(): void {
    // Parts that have thrown have none behind.
    if (this.#fault !== undefined) throw this.#fault
    try {
      const { done, value } = this.#parts.next()
      if (done === true) this.#optimized = { code: value }
    } catch (e) {
      if (!(e instanceof Unsupported || e instanceof CodeTooLarge)) {
        this.#fault = e
        throw e
      }
      this.#optimized = { code: undefined }
    }
  }
}

/** The code to run from now on in place of `code`: optimized where it has been made, or is made now since `isLong` says that much is to come. */
export const currentCode = <Code extends { readonly baseline: Baseline<Code> | undefined }>(
  code: Code,
  isLong = false,
): Code => code.baseline?.optimized(isLong) ?? code
