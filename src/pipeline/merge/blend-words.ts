import { addFloat, maxFloat, minFloat, mulFloat, saturateFloat, type ValueOps } from '../../isa/index.ts'
import type { BlendFactor, BlendOp, LogicOp, TargetBlend } from '../state.ts'

/**
 * Blending and logic operations as operations on words (functional specification 17.1 to 17.7): the definition, from which
 * a compiler makes code behind a pixel shader; `blend-numbers.ts` computes the same with numbers,
 * and tests compare the two.
 */

/** Range that a render target clamps to before and after blending (17.5); small floats are not clamped. */
export type ClampRange = 'unorm' | 'snorm' | 'none'

/** Four components each, float32 words. */
export interface BlendWords<V> {
  readonly source: readonly V[]
  /** o1, for dual source factors. */
  readonly source1: readonly V[]
  readonly destination: readonly V[]
  readonly blendFactor: readonly V[]
}

const ONE = 0x3f800000
const MINUS_ONE = 0xbf800000
const SIGN = 0x80000000
const NAN = 0x7fc00000

/** A word clamped to the range of the target; NaN becomes 0 where there is a range. */
function clampToRangeWord<V>(o: ValueOps<V>, range: ClampRange, word: V): V {
  if (range === 'none') return word
  if (range === 'unorm') return saturateFloat(o, word)
  const clamped = maxFloat(o, o.constant(MINUS_ONE), minFloat(o, word, o.constant(ONE)))
  return o.select(o.f32Equal(word, word), clamped, o.constant(0))
}

function oneMinus<V>(o: ValueOps<V>, word: V): V {
  return addFloat(o, o.constant(ONE), o.xor(word, o.constant(SIGN)))
}

/** Weight of one component, 0 to 3. In alpha the color factors are alpha's (17.2 allows no others there). */
export function factorWord<V>(o: ValueOps<V>, factor: BlendFactor, c: number, x: BlendWords<V>): V {
  switch (factor) {
    case 'ZERO':
      return o.constant(0)
    case 'ONE':
      return o.constant(ONE)
    case 'SRC_COLOR':
      return x.source[c]!
    case 'INV_SRC_COLOR':
      return oneMinus(o, x.source[c]!)
    case 'SRC_ALPHA':
      return x.source[3]!
    case 'INV_SRC_ALPHA':
      return oneMinus(o, x.source[3]!)
    case 'DEST_ALPHA':
      return x.destination[3]!
    case 'INV_DEST_ALPHA':
      return oneMinus(o, x.destination[3]!)
    case 'DEST_COLOR':
      return x.destination[c]!
    case 'INV_DEST_COLOR':
      return oneMinus(o, x.destination[c]!)
    case 'SRC_ALPHA_SAT':
      return c === 3 ? o.constant(ONE) : minFloat(o, oneMinus(o, x.destination[3]!), x.source[3]!)
    case 'BLEND_FACTOR':
      return x.blendFactor[c]!
    case 'INV_BLEND_FACTOR':
      return oneMinus(o, x.blendFactor[c]!)
    case 'SRC1_COLOR':
      return x.source1[c]!
    case 'INV_SRC1_COLOR':
      return oneMinus(o, x.source1[c]!)
    case 'SRC1_ALPHA':
      return x.source1[3]!
    case 'INV_SRC1_ALPHA':
      return oneMinus(o, x.source1[3]!)
  }
}

/** The operation and the factors of component `c`. */
export function equationOf(blend: TargetBlend, c: number): readonly [BlendOp, BlendFactor, BlendFactor] {
  return c === 3
    ? [blend.blendOpAlpha, blend.srcBlendAlpha, blend.destBlendAlpha]
    : [blend.blendOp, blend.srcBlend, blend.destBlend]
}

/** Whether one factor is 1 less the other. */
export const isInverse = (a: BlendFactor, b: BlendFactor): boolean => a === `INV_${b}` || b === `INV_${a}`

/** Whether a factor is 1 less component `c` of what the other term is. */
const isRestOf = (factor: BlendFactor, term: 'SRC' | 'DEST', c: number): boolean =>
  factor === `INV_${term}_COLOR` || (c === 3 && factor === `INV_${term}_ALPHA`)

/** Whether component `c` is one of both and what the other adds to the rest of it. */
export function fillsRest(blend: TargetBlend, c: number): boolean {
  const [op, sf, df] = equationOf(blend, c)
  if (op !== 'ADD') return false
  return (sf === 'ONE' && isRestOf(df, 'SRC', c)) || (df === 'ONE' && isRestOf(sf, 'DEST', c))
}

/**
 * Whether component `c` of numbers between 0 and 1 stays between them, but for what rounding adds to 1, which no code shows: the
 * less or greater of two, a mean with weights, a part of one of them, or one and what the other adds to the rest of it.
 */
export function staysInRange(blend: TargetBlend, c: number): boolean {
  const [op, sf, df] = equationOf(blend, c)
  if (op === 'MIN' || op === 'MAX') return true
  if (op !== 'ADD') return false
  return fillsRest(blend, c) || sf === 'ZERO' || df === 'ZERO' || isInverse(sf, df)
}

/** Whether component `c` is the sum of both, so that a source of 0 changes nothing but the sign of a 0 and a NaN's payload. */
export function addsSource(blend: TargetBlend, c: number): boolean {
  const [op, sf, df] = equationOf(blend, c)
  return op === 'ADD' && sf === 'ONE' && df === 'ONE'
}

/** What is combined. */
interface Combined<V> {
  readonly source: V
  readonly destination: V
  /** Both lie between -1 and 1. */
  readonly isBounded: boolean
  /** The destination is of a format whose numbers are no denormals, and sums may be. */
  readonly keepsTiny: boolean
  /** So may be what is added. */
  readonly keepsSource: boolean
}

/** MIN and MAX take no factors. Products and sums are rounded each; a factor of 0 is no short cut where there are NaNs. */
function combine<V>(
  o: ValueOps<V>,
  [op, sf, df]: readonly [BlendOp, BlendFactor, BlendFactor],
  { source, destination, isBounded, keepsTiny, keepsSource }: Combined<V>,
  factorOf: (factor: BlendFactor) => V,
): V {
  if (op === 'MIN') return minFloat(o, source, destination)
  if (op === 'MAX') return maxFloat(o, source, destination)
  const product = (value: V, factor: BlendFactor, isFlushed: boolean): V => {
    if (factor === 'ONE') return isFlushed ? value : o.flushDenormal(value)
    if (factor === 'ZERO' && isBounded) return o.constant(0)
    return mulFloat(o, value, factorOf(factor))
  }
  const s = product(source, sf, keepsSource)
  const d = product(destination, df, keepsTiny)
  // Products are flushed already.
  const add = (a: V, b: V): V => (keepsTiny ? o.f32Add(a, b) : addFloat(o, a, b))
  if (op === 'ADD') return add(s, d)
  const minus = o.constant(SIGN)
  return op === 'SUBTRACT' ? add(s, o.xor(d, minus)) : add(d, o.xor(s, minus))
}

/** What of the result counts. */
interface BlendResult {
  readonly keepsTiny?: boolean
  readonly isEncoded?: boolean
  readonly arePositive?: boolean
}

/**
 * The four components after blending, clamped to the range, before conversion to the format. The destination is what the
 * format holds, missing components 0, 0, 0, 1; a NaN is the quiet one. With `keepsTiny` sums may be denormal: for formats in which
 * that is a zero of the same sign. With `isEncoded` the result is not clamped, which the conversion to the format does. With
 * `arePositive` it is right where it is a number without a sign, but that one that is denormal may stand for 0, and what is stored is
 * such a number too: a denormal that is added then changes a zero alone.
 */
export function blendWords<V>(
  o: ValueOps<V>,
  blend: TargetBlend,
  range: ClampRange,
  inputs: BlendWords<V>,
  { keepsTiny = false, isEncoded = false, arePositive = false }: BlendResult = {},
): V[] {
  const clamp = (words: readonly V[]): V[] => words.map((w) => clampToRangeWord(o, range, w))
  const x: BlendWords<V> = {
    source: clamp(inputs.source),
    source1: clamp(inputs.source1),
    destination: inputs.destination,
    blendFactor: clamp(inputs.blendFactor),
  }
  return [0, 1, 2, 3].map((c) => {
    const [source, destination] = [x.source[c]!, x.destination[c]!]
    const combined = { source, destination, isBounded: range !== 'none', keepsTiny, keepsSource: arePositive }
    const result = combine(o, equationOf(blend, c), combined, (factor) => factorWord(o, factor, c, x))
    if (arePositive) return result
    if (range !== 'none') return isEncoded ? result : clampToRangeWord(o, range, result)
    return o.select(o.f32Equal(result, result), result, o.constant(NAN))
  })
}

/** A logic operation on whole words; the caller cuts the result to the bits of the component (17.7). */
export function logicWord<V>(o: ValueOps<V>, op: LogicOp, s: V, d: V): V {
  switch (op) {
    case 'CLEAR':
      return o.constant(0)
    case 'SET':
      return o.constant(0xffffffff)
    case 'COPY':
      return s
    case 'COPY_INVERTED':
      return o.not(s)
    case 'NOOP':
      return d
    case 'INVERT':
      return o.not(d)
    case 'AND':
      return o.and(s, d)
    case 'NAND':
      return o.not(o.and(s, d))
    case 'OR':
      return o.or(s, d)
    case 'NOR':
      return o.not(o.or(s, d))
    case 'XOR':
      return o.xor(s, d)
    case 'EQUIV':
      return o.not(o.xor(s, d))
    case 'AND_REVERSE':
      return o.and(s, o.not(d))
    case 'AND_INVERTED':
      return o.and(o.not(s), d)
    case 'OR_REVERSE':
      return o.or(s, o.not(d))
    case 'OR_INVERTED':
      return o.or(o.not(s), d)
  }
}
