import type { Format } from '../../isa/formats/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import type { RenderTargetView } from '../../machine/index.ts'
import type { Precision, TargetBlend } from '../state.ts'
import { stateText } from '../state-text.ts'
import { type ApproximateStore, approximateStore } from './approximate-store.ts'
import type { SourceBounds } from './approximate-sums.ts'
import { addsSource, blendWords, type ClampRange, staysInRange } from './blend-words.ts'
import { codeWord, decodeField, fieldCode, type SrgbTables } from './component-words.ts'
import { type FormatField, fieldsOf } from './element.ts'
import { blendsInCodes, codeSumWord } from './fast-blend.ts'
import { aboveWhole, fastWholeWord } from './fast-codes.ts'
import { areHalves, encodeHalves, positiveHalf, type QuadChoice } from './half-floats.ts'

/** Stores to the elements of a render target, for engines that compile them: of the common formats. */

const ONE = 0x3f800000

/** Whole words, of components that have both conversions here; of those that replace what is there one is enough. */
function isCommon(format: Format, blends: boolean): boolean {
  const isWords = format.layout === 'linear' && format.blockByteLength % 4 === 0
  const isKnown = ({ source: { encoding }, bitCount }: FormatField): boolean => {
    switch (encoding) {
      case 'unorm':
      case 'snorm':
        return bitCount <= 16
      case 'float':
      case 'unorm-srgb':
        return true
      case 'uint':
      case 'sint':
        return !blends
      default:
        return false
    }
  }
  return isWords && fieldsOf(format).every(isKnown)
}

const bitsOf = ({ bitCount, shift }: FormatField): number =>
  (bitCount === 32 ? 0xffffffff : (2 ** bitCount - 1) * 2 ** shift) >>> 0

/** Bits of elements that no component has. */
const keptBits = (fields: readonly FormatField[], wordCount: number): number =>
  Array.from({ length: wordCount }, (_, n) =>
    fields.filter((f) => f.word === n).reduce((bits, f) => bits & ~bitsOf(f), -1),
  ).reduce((a, b) => a | b)

/** A component's bits: alone, or as the lowest of a float32 of 2^23 and more, which may be by how much those that are there change. */
interface EncodedField<V> {
  readonly code?: V
  readonly whole?: V
  readonly change?: V
}

/** The words of an element with components replaced. */
function encodeFields<V>(
  o: ValueOps<V>,
  fields: readonly FormatField[],
  element: readonly V[],
  encode: (field: FormatField) => EncodedField<V>,
): V[] {
  return element.map((word, n) => {
    const ofWord = fields.filter((field) => field.word === n)
    const encoded = ofWord.map(encode)
    const bitsLeft = (left: readonly FormatField[]): number =>
      left.reduce((bits, field) => bits & ~bitsOf(field), 0xffffffff) >>> 0
    const placed = (value: V, { shift }: FormatField): V => o.shiftLeft(value, o.constant(shift))
    const areSums = encoded.every(({ code }) => code === undefined)
    const kept = bitsLeft(ofWord.filter((_, i) => encoded[i]!.change === undefined))
    if (areSums && (kept === 0 || encoded.some(({ change }) => change !== undefined))) {
      // What lies above the bits of each is subtracted from their sum at once.
      const sums = encoded.map(({ whole, change }, i) => placed((change ?? whole)!, ofWord[i]!))
      const above = encoded.map(({ change }, i) => aboveWhole(change !== undefined) << ofWord[i]!.shift)
      const all = kept === 0 ? sums : [...sums, o.and(word, o.constant(kept))]
      return o.i32Sub(
        all.reduce((a, b) => o.i32Add(a, b)),
        o.constant(above.reduce((a, b) => (a + b) >>> 0, 0)),
      )
    }
    const codeOf = ({ code, whole, change }: EncodedField<V>, field: FormatField): V => {
      if (code !== undefined) return code
      const sum = change === undefined ? whole! : o.i32Add(fieldCode(o, field, element), change)
      return o.and(sum, o.constant(2 ** field.bitCount - 1))
    }
    const codes = encoded.map((e, i) => placed(codeOf(e, ofWord[i]!), ofWord[i]!))
    return codes.reduceRight((result, code) => o.or(result, code), o.and(word, o.constant(bitsLeft(ofWord))))
  })
}

/** What decides about a store beside the target's format. */
interface StoreState {
  readonly blend: TargetBlend
  /** Blending is on, and the format can. */
  readonly blends: boolean
  readonly range: ClampRange
  readonly precision: Precision
}

/** What a store works with, four words each: colors as the shader left them, and the blend factor clamped to the range. */
export interface StoreWords<V> {
  readonly source: readonly V[]
  readonly source1: readonly V[]
  /** The colors before denormals were flushed, where they were at last. */
  readonly unflushed?: readonly V[]
  /** Bit c: component c of the source is always 0. */
  readonly zeros?: number
  /** Bit c: component c of the source is known to lie between 0 and 1. Only the precision `fast` asks. */
  readonly inRange?: number
  readonly blendFactor: readonly V[]
  readonly tables: SrgbTables<V>
  /** Given where the words are of the pixels of a quad. */
  readonly choice?: QuadChoice<V>
}

export interface StoreProgram {
  /** Programs of one key mean the same. */
  readonly key: string
  readonly readsSource1: boolean
  /** The words are the same where denormals are not flushed. */
  readonly keepsDenormals: boolean
  /** Words of an element. */
  readonly wordCount: number
  readonly sampleCount: number
  /** The same words from sums of float32, of colors with bounds; undefined where they would be uncertain too often. */
  approximate(sources: SourceBounds): ApproximateStore | undefined
  /** What an element has does not matter. */
  readonly replaces: boolean
  /** The words that an element gets. */
  meaning<V>(o: ValueOps<V>, words: StoreWords<V>, element: readonly V[]): readonly V[]
}

/** The program of a target; undefined for formats that are not common. */
export function storeProgram(view: RenderTargetView, state: StoreState): StoreProgram | undefined {
  const { format, sampleCount } = view
  const { blend, blends, range, precision } = state
  if (!isCommon(format, blends)) return undefined
  const { srcBlend, destBlend, srcBlendAlpha, destBlendAlpha } = blend
  const factors: readonly string[] = [srcBlend, destBlend, srcBlendAlpha, destBlendAlpha]
  const present = fieldsOf(format)
  // The least number of a float of 16 bits is 2^-24.
  const isSmall = present.every((f) => f.bitCount <= 16)
  const written = present.filter((f) => (blend.renderTargetWriteMask & (1 << f.component)) !== 0)
  return {
    key: `["${format.name}",${sampleCount},${blends ? stateText(blend) : blend.renderTargetWriteMask},"${range}","${precision}"]`,
    // Between -1 and 1 what a flush takes away is below 2^-126: a sum with it is the other term, or so small that its code is 0.
    keepsDenormals: range !== 'none' || !blends,
    readsSource1: blends && factors.some((f) => f.includes('SRC1')),
    wordCount: format.blockByteLength / 4,
    sampleCount,
    approximate(sources) {
      if (precision === 'fast' || range !== 'unorm') return undefined
      return approximateStore({ present, written, blend: blends ? blend : undefined }, sources)
    },
    replaces: !blends && keptBits(written, format.blockByteLength / 4) === 0,
    meaning<V>(o: ValueOps<V>, words: StoreWords<V>, element: readonly V[]) {
      const encodeColor = (field: FormatField, color: V, isInRange: boolean): EncodedField<V> => {
        const whole = precision === 'fast' ? fastWholeWord(o, field, color, isInRange) : undefined
        return whole ? { whole } : { code: codeWord(o, field, color, words.tables, { precision, isInRange }) }
      }
      const isInRange = (c: number): boolean => ((words.inRange ?? 0) & (1 << c)) !== 0
      if (!blends) {
        return encodeFields(o, written, element, (f) => {
          return encodeColor(f, words.source[f.component]!, range === 'unorm' && isInRange(f.component))
        })
      }
      const ofFields = (decode: (field: FormatField) => V): V[] =>
        [0, 1, 2, 3].map((c) => {
          const field = present.find((f) => f.component === c)
          return field === undefined ? o.constant(c === 3 ? ONE : 0) : decode(field)
        })
      const usual = (): readonly V[] => {
        const destination = ofFields((field) => decodeField(o, field, element, words.tables, precision))
        const inputs = { ...words, destination }
        const colors = blendWords(o, blend, range, inputs, { keepsTiny: isSmall, isEncoded: true })
        return encodeFields(o, written, element, (field) => {
          if (precision === 'fast' && blendsInCodes(field, blend)) {
            const code = fieldCode(o, field, element)
            const { sum, isChange } = codeSumWord(o, blend, field, inputs, code, words.inRange)
            return isChange ? { change: sum } : { whole: sum }
          }
          const { component: c } = field
          return encodeColor(field, colors[c]!, range === 'unorm' && staysInRange(blend, c))
        })
      }
      const { choice, zeros = 0, unflushed: source = words.source } = words
      const changed = written.filter(({ component: c }) => (zeros & (1 << c)) === 0 || !addsSource(blend, c))
      if (choice === undefined || !areHalves(present) || changed.length === 0) return usual()
      const destination = ofFields((field) => positiveHalf(o, field, element))
      const inputs = { ...words, source, destination }
      const colors = blendWords(o, blend, range, inputs, { keepsTiny: true, arePositive: true })
      return encodeHalves(o, changed, colors, element, choice, usual)
    },
  }
}
