import { CodeTooLarge } from '../../ir/index.ts'
import { Unsupported } from '../../lower/index.ts'

/**
 * The stages of draws are compiled in two tiers. A shader begins with baseline code, which is made in a third of the time; once that has run about as
 * long as optimized code takes to make, that is made, in parts between batches, and takes its place. Both leave the same bits, findings and statistics.
 */

/**
 * Milliseconds that baseline code runs first for each value of a program, and for any program. Optimized code takes 0.01 to 0.02 to make for a value once
 * the host has compiled the compiler, and several times that in a new process; of the time of baseline code it saves a half or two thirds.
 */
const MS_PER_VALUE = 0.03
const LEAST_MS = 4

/** Milliseconds of baseline code between two parts of the making of optimized code: a draw looks at the clock in them, and gives way to its host. */
export const REST_MS = 10

/** Milliseconds that baseline code of so many values runs before optimized code pays. */
export const enoughFor = (valueCount: number): number => LEAST_MS + valueCount * MS_PER_VALUE

/** What is known of baseline code beside the code itself. */
export class Baseline<Code> {
  /** Milliseconds that it has run, in all draws. */
  ranMs = 0
  readonly #enoughMs: number
  readonly #parts: Generator<void, Code>
  readonly #restMs: number
  /** Time (performance.now) of the next part. */
  #nextPartAt = 0
  #optimized: { readonly code: Code | undefined } | undefined
  /** A fault of the compiler. */
  #fault: unknown

  /** `parts` make optimized code, with so many milliseconds between two of them; with 0 all are made together. */
  constructor(enoughMs: number, parts: Generator<void, Code>, restMs: number) {
    this.#enoughMs = enoughMs
    this.#parts = parts
    this.#restMs = restMs
  }

  get hasRunEnough(): boolean {
    return this.ranMs > this.#enoughMs
  }

  /**
   * Makes the next part of the optimized code where it is time for it; all of it is there when the last one is. Undefined until then, and
   * where the host does not take it, which has more bytes and locals.
   */
  advance(): Code | undefined {
    if (this.#restMs === 0) return this.finish()
    if (this.#optimized === undefined && performance.now() >= this.#nextPartAt) {
      this.#makePart()
      this.#nextPartAt = performance.now() + this.#restMs
    }
    return this.#optimized?.code
  }

  /** As `advance`, of all parts that are left. */
  finish(): Code | undefined {
    while (this.#optimized === undefined) this.#makePart()
    return this.#optimized.code
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

/** The code to run from now on in place of `code`: optimized where baseline code has run long enough, or where `isLong` says that it will. */
export function currentCode<Code extends { readonly baseline: Baseline<Code> | undefined }>(
  code: Code,
  isLong = false,
): Code {
  const { baseline } = code
  if (baseline === undefined) return code
  if (isLong) return baseline.finish() ?? code
  return (baseline.hasRunEnough ? baseline.advance() : undefined) ?? code
}
