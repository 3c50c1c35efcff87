import { CodeTooLarge } from '../../ir/index.ts'
import { Unsupported } from '../../lower/index.ts'

/**
 * The stages of draws are compiled in two tiers. A shader begins with baseline code, which is made in a third of the time; once that has run about as
 * long as optimized code takes to make, that takes its place. Both leave the same bits, findings and statistics.
 */

/**
 * Milliseconds that baseline code runs first for each value of a program, and for any program. Optimized code takes 0.01 to 0.02 to make for a value once
 * the host has compiled the compiler, and several times that in a new process; of the time of baseline code it saves a half or two thirds.
 */
const MS_PER_VALUE = 0.03
const LEAST_MS = 4

/** Milliseconds that baseline code of so many values runs before optimized code pays. */
export const enoughFor = (valueCount: number): number => LEAST_MS + valueCount * MS_PER_VALUE

/** What is known of baseline code beside the code itself. */
export class Baseline<Code> {
  /** Milliseconds that it has run, in all draws. */
  ranMs = 0
  readonly #enoughMs: number
  readonly #optimize: () => Code
  #optimized: { readonly code: Code | undefined } | undefined

  constructor(enoughMs: number, optimize: () => Code) {
    this.#enoughMs = enoughMs
    this.#optimize = optimize
  }

  get hasRunEnough(): boolean {
    return this.ranMs > this.#enoughMs
  }

  /** The optimized code; undefined where the host does not take it, which has more bytes and locals. */
  optimized(): Code | undefined {
    this.#optimized ??= { code: this.#make() }
    return this.#optimized.code
  }

  #make(): Code | undefined {
    try {
      return this.#optimize()
    } catch (e) {
      if (e instanceof Unsupported || e instanceof CodeTooLarge) return undefined
      throw e
    }
  }
}

/** The code to run from now on in place of `code`: optimized where baseline code has run long enough, or where `isLong` says that it will. */
export function currentCode<Code extends { readonly baseline: Baseline<Code> | undefined }>(
  code: Code,
  isLong = false,
): Code {
  const { baseline } = code
  if (baseline === undefined || !(isLong || baseline.hasRunEnough)) return code
  return baseline.optimized() ?? code
}
