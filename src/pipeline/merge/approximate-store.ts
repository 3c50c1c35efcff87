import { largest } from '../../diagnostic/index.ts'
import { type FloatBounds, saturateFloat, type ValueOps } from '../../isa/index.ts'
import type { TargetBlend } from '../state.ts'
import { approximateSum, clampOf, type SourceBounds, type SumInputs, sumError, wordSums } from './approximate-sums.ts'
import { fieldCode } from './component-words.ts'
import type { FormatField } from './element.ts'
import { fastUnormWord, floatBits } from './fast-codes.ts'

/**
 * Stores to UNORM targets by sums that are near the exact ones: where none of them is near the middle between two codes, the codes are
 * the same, bit for bit. A float32 of at least 2^n, n the bits of a code, has 23 - n bits of its fraction behind the code.
 */

/** Colors, of which `scaled` may be known without a product. */
interface ApproximateWords<V> {
  source(c: number): V
  source1(c: number): V
  scaled(c: number, by: number): V
  readonly blendFactor: readonly V[]
}

/** What decides whether codes are right: the greatest of fractions, which is at most `limit` where all are. */
export interface Fractions<V> {
  readonly greatest: V
  readonly limit: number
}

export interface ApproximateStore {
  /** The words that an element gets, and fractions, in the same order for all elements. */
  meaning<V>(
    o: ValueOps<V>,
    words: ApproximateWords<V>,
    element: readonly V[],
  ): { readonly words: readonly V[]; readonly fractions: readonly Fractions<V>[] }
}

interface ApproximateState {
  readonly present: readonly FormatField[]
  readonly written: readonly FormatField[]
  /** Undefined where colors replace what is there. */
  readonly blend: TargetBlend | undefined
}

/** The one code of a bit is rounded another way; longer codes leave too few bits of the fraction. */
const isFit = ({ source, bitCount }: FormatField): boolean =>
  source.encoding === 'unorm' && bitCount > 1 && bitCount <= 10

/** Of codes as many may lie so near the middle between two: one in 2^8. */
const RARE = 2 ** -8

/** The error in units of the last bit of a fraction, rounding to it included; what doubles round in finding it is far below the margin. */
const unitsOf = (error: number, fractionBits: number): number =>
  Math.ceil(error * (1 + 2 ** -20) * 2 ** fractionBits + 0.5)

const fractionBitsOf = ({ bitCount }: FormatField): number => 23 - bitCount

const maxWord = <V>(o: ValueOps<V>, a: V, b: V): V => o.select(o.u32Less(a, b), b, a)

/** The sum and the middle between two codes less its error: its bits are the code, and behind it the fraction. */
function placedWord<V>(o: ValueOps<V>, sum: V, { bitCount }: FormatField, units: number): V {
  const middle = 2 ** bitCount + 0.5 - units * 2 ** (bitCount - 23)
  return o.f32Add(sum, o.constant(floatBits(middle)))
}

/** The code of such a word at its place in the element. */
function codeAtPlace<V>(o: ValueOps<V>, placed: V, field: FormatField): V {
  const { bitCount, shift } = field
  const [from, mask] = [fractionBitsOf(field), 2 ** bitCount - 1]
  const code = o.and(placed, o.constant(mask << from))
  if (shift === from) return code
  return shift < from
    ? o.shiftRightLogical(code, o.constant(from - shift))
    : o.shiftLeft(code, o.constant(shift - from))
}

/** The store of a target; undefined where there is none, or where too many sums would be near the middle between two codes. */
export function approximateStore(
  { present, written, blend }: ApproximateState,
  sources: SourceBounds,
): ApproximateStore | undefined {
  if (written.length === 0 || !present.every(isFit)) return undefined
  const fieldOf = (c: number): FormatField | undefined => present.find((f) => f.component === c)
  const units = written.map((f) => unitsOf(sumError(blend, f, sources, fieldOf), fractionBitsOf(f)))
  const isRare = (n: number, f: FormatField): boolean => 2 * n <= RARE * 2 ** fractionBitsOf(f)
  if (!units.every((n, i) => isRare(n, written[i]!))) return undefined
  const counts = [...new Set(written.map(({ bitCount }) => bitCount))]
  const unitsFor = (bitCount: number): number =>
    largest(
      0,
      units.filter((_, i) => written[i]!.bitCount === bitCount),
    )
  return {
    meaning<V>(o: ValueOps<V>, words: ApproximateWords<V>, element: readonly V[]) {
      const x = sumInputs(o, words, sources, (c) => ofTarget(o, fieldOf(c), c, element))
      const placed = written.map((field) => {
        const code = (): V => o.i32ToF32(fieldCode(o, field, element))
        return placedWord(o, approximateSum(wordSums(o), blend, field, x, code), field, unitsFor(field.bitCount))
      })
      const stored = element.map((word, n) => {
        const ofWord = written.filter((field) => field.word === n)
        const kept = ofWord.reduce((bits, f) => bits & ~((2 ** f.bitCount - 1) << f.shift), -1) >>> 0
        const codes = ofWord.map((field) => codeAtPlace(o, placed[written.indexOf(field)]!, field))
        const all = kept === 0 ? codes : [...codes, o.and(word, o.constant(kept))]
        return all.reduce((a, b) => o.or(a, b))
      })
      const fractions = counts.map((bitCount) => {
        const bits = 2 ** (23 - bitCount)
        const own = placed.filter((_, i) => written[i]!.bitCount === bitCount)
        const greatest = own.map((p) => o.and(p, o.constant(bits - 1))).reduce((a, b) => maxWord(o, a, b))
        return { greatest, limit: bits - 2 * unitsFor(bitCount) }
      })
      return { words: stored, fractions }
    },
  }
}

/** What the target has of a component, between 0 and 1. */
function ofTarget<V>(o: ValueOps<V>, field: FormatField | undefined, c: number, element: readonly V[]): V {
  if (field === undefined) return o.constant(floatBits(c === 3 ? 1 : 0))
  return fastUnormWord(o, fieldCode(o, field, element), field.bitCount)
}

function sumInputs<V>(
  o: ValueOps<V>,
  words: ApproximateWords<V>,
  sources: SourceBounds,
  destination: (c: number) => V,
): SumInputs<V> {
  const clamp =
    (bounds: (c: number) => FloatBounds, of: (c: number) => V) =>
    (c: number): V =>
      clampOf(bounds(c)).isClamped ? saturateFloat(o, of(c)) : of(c)
  const source = clamp(sources.source, words.source)
  return {
    source,
    source1: clamp(sources.source1, words.source1),
    scaled: (c, by) =>
      clampOf(sources.source(c)).isClamped ? o.f32Mul(source(c), o.constant(floatBits(by))) : words.scaled(c, by),
    blendFactor: (c) => saturateFloat(o, words.blendFactor[c]!),
    destination,
  }
}

/** Sign set where a fraction is above its limit: fractions of several elements together. */
export function doubtWord<V>(o: ValueOps<V>, all: readonly (readonly Fractions<V>[])[]): V {
  const [first = []] = all
  return first
    .map(({ limit }, i) => {
      const greatest = all.map((of) => of[i]!.greatest).reduce((a, b) => maxWord(o, a, b))
      return o.i32Sub(o.constant(limit), greatest)
    })
    .reduce((a, b) => o.or(a, b))
}
