import { DEFAULT_FLOAT_TEXT, type FloatText } from '../text/numbers.ts'
import type { Colors } from './colors.ts'

/** What fxc's listing flags choose, and what its C runtime did. Everything absent is off, or as the corpus has it. */
export interface ListingOptions {
  /** Number of each instruction in front of its line (fxc /Ni). */
  readonly numbers?: boolean | undefined
  /** Byte offset in the code chunk in front of each line (fxc /No). */
  readonly offsets?: boolean | undefined
  /** Literals in hexadecimal (fxc /Lx). */
  readonly hexLiterals?: boolean | undefined
  /** HTML with colors (fxc /Cc), or what to put around the parts instead. */
  readonly colors?: 'none' | 'html' | Colors | undefined
  /** Digits of huge values: all, or 17 significant ones as older Windows listings have. */
  readonly floatDigits?: FloatText['digits'] | undefined
  /** Rounding of values exactly between two texts. */
  readonly floatTies?: FloatText['ties'] | undefined
  /** Which NaN with the sign bit are `-1.#IND00`. */
  readonly negativeNan?: FloatText['negativeNan'] | undefined
}

export function floatTextOf(options: ListingOptions): FloatText {
  return {
    digits: options.floatDigits ?? DEFAULT_FLOAT_TEXT.digits,
    ties: options.floatTies ?? DEFAULT_FLOAT_TEXT.ties,
    negativeNan: options.negativeNan ?? DEFAULT_FLOAT_TEXT.negativeNan,
  }
}
