import type { LiteralStyle } from '../../isa/index.ts'
import type { Program } from '../../program/index.ts'
import { type DwordText, doubleText, type FloatText, floatText, hexText, literalTexts } from '../text/numbers.ts'
import { type Colors, colorsOf } from './colors.ts'
import { floatTextOf, type ListingOptions } from './options.ts'

/** What the choices of a listing come down to; shared by all listings with the same choices. */
export interface Style {
  readonly colors: Colors
  readonly literals: Readonly<Record<LiteralStyle, DwordText>>
  /** `%f` whatever the choice of literals: the largest tessellation factor stays a float in hexadecimal listings. */
  readonly float: DwordText
  /** One 64-bit value of a literal. */
  readonly double: (low: number, high: number) => string
  /** Heads of instructions without extended tokens, by opcode and controls. Bounded: the keys come from the input. */
  readonly heads: Map<number, string>
}

/** What the printers of one program share. */
export interface Context {
  readonly style: Style
  /** Bindings are named by range in SM5.1. */
  readonly isModel51: boolean
}

function styleOf(options: ListingOptions, text: FloatText): Style {
  return {
    colors: colorsOf(options.colors),
    literals: literalTexts(text, options.hexLiterals ?? false),
    float: (bits) => floatText(bits, text),
    double: options.hexLiterals
      ? (low, high) => `${hexText(low)}, ${hexText(high)}`
      : (low, high) => `${doubleText(low, high, text)}l`,
    heads: new Map(),
  }
}

const STYLES = new Map<string, Style>()

export function contextOf(program: Program, options: ListingOptions): Context {
  const text = floatTextOf(options)
  const isModel51 = program.major === 5 && program.minor >= 1
  if (typeof options.colors === 'object') return { style: styleOf(options, text), isModel51 }
  const key = [options.colors ?? 'none', options.hexLiterals ?? false, text.digits, text.ties, text.negativeNan].join()
  let style = STYLES.get(key)
  if (style === undefined) STYLES.set(key, (style = styleOf(options, text)))
  return { style, isModel51 }
}
