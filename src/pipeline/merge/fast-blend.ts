import { saturateFloat, type ValueOps } from '../../isa/index.ts'
import type { BlendFactor, TargetBlend } from '../state.ts'
import { type BlendRegisters, FACTORS } from './blend-numbers.ts'
import { type BlendWords, equationOf, factorWord, fillsRest, isInverse, staysInRange } from './blend-words.ts'
import type { FormatField } from './element.ts'
import { changeWord, floatBits, nearestWhole, wholeWord } from './fast-codes.ts'

/**
 * Sums of blending with the precision `fast`, in units of a code: what a UNORM target holds is never divided by its greatest code and
 * multiplied with it again. As operations on words, for compilers, and with numbers.
 */

const greatestOf = ({ bitCount }: FormatField): number => 2 ** bitCount - 1

/** Whether a component is blended so: by a sum that lies between 0 and the greatest code, but for what rounding adds. */
export const blendsInCodes = ({ source, bitCount, component }: FormatField, blend: TargetBlend): boolean =>
  source.encoding === 'unorm' &&
  bitCount <= 16 &&
  equationOf(blend, component)[0] === 'ADD' &&
  staysInRange(blend, component)

/** A sum that makes a component's code: a float32 of which the lowest bits are the code, or by how much the code changes. */
interface CodeSum<V> {
  readonly sum: V
  readonly isChange: boolean
}

/** How much a component changes: by the part `by` of the difference between the code and what it goes to. */
interface Change {
  readonly by: BlendFactor
  /** It goes to the greatest code, else to the source. */
  readonly toGreatest: boolean
}

/**
 * What is a mean of both with weights, or fills up the rest, is the code and a part of what it differs by: the code itself is exact, and a part
 * between 0 and 1 never leads beyond what it goes to, however it is rounded.
 */
function changeOf(blend: TargetBlend, c: number): Change | undefined {
  const [, sf, df] = equationOf(blend, c)
  if (isInverse(sf, df)) return { by: sf, toGreatest: false }
  return fillsRest(blend, c) ? { by: 'SRC_COLOR', toGreatest: true } : undefined
}

/** The sum for a component, of which `code` is there; `inRange` says by bits which components of the source lie between 0 and 1. */
export function codeSumWord<V>(
  o: ValueOps<V>,
  blend: TargetBlend,
  field: FormatField,
  inputs: BlendWords<V>,
  code: V,
  inRange = 0,
): CodeSum<V> {
  const { component: c } = field
  const clamp = (words: readonly V[], mask = 0): readonly V[] =>
    words.map((w, n) => ((mask & (1 << n)) === 0 ? saturateFloat(o, w) : w))
  const { destination } = inputs
  const [source, source1, blendFactor] = [
    clamp(inputs.source, inRange),
    clamp(inputs.source1),
    clamp(inputs.blendFactor),
  ]
  const factor = (f: BlendFactor): V => factorWord(o, f, c, { source, source1, destination, blendFactor })
  const greatest = o.constant(floatBits(greatestOf(field)))
  const there = o.i32ToF32(code)
  const change = changeOf(blend, c)
  if (change !== undefined) {
    const to = change.toGreatest ? greatest : o.f32Mul(source[c]!, greatest)
    return { sum: changeWord(o, o.f32Mul(factor(change.by), o.f32Sub(to, there))), isChange: true }
  }
  const [, sf, df] = equationOf(blend, c)
  const terms: V[] = []
  if (sf !== 'ZERO') terms.push(o.f32Mul(source[c]!, sf === 'ONE' ? greatest : o.f32Mul(factor(sf), greatest)))
  if (df !== 'ZERO') terms.push(df === 'ONE' ? there : o.f32Mul(there, factor(df)))
  const sum = terms.length === 0 ? o.constant(0) : terms.reduce((a, b) => o.f32Add(a, b))
  return { sum: wholeWord(o, sum), isChange: false }
}

const { fround } = Math

/** The same with numbers, of components whose sources are clamped; what is there counts as the code that is nearest. */
export function codeSums(blend: TargetBlend, fields: readonly FormatField[]): (x: BlendRegisters) => void {
  const sums = fields.map((field) => {
    const { component: c } = field
    const greatest = greatestOf(field)
    const there = (x: BlendRegisters): number => Math.round(x.destination.floats[c]! * greatest)
    const change = changeOf(blend, c)
    if (change !== undefined) {
      const by = FACTORS[change.by]
      return (x: BlendRegisters): void => {
        const code = there(x)
        const to = change.toGreatest ? greatest : fround(x.source.floats[c]! * greatest)
        x.result.floats[c] = code + nearestWhole(fround(by(x, c) * fround(to - code)))
      }
    }
    const [, sf, df] = equationOf(blend, c)
    const [ofSource, ofDestination] = [FACTORS[sf], FACTORS[df]]
    return (x: BlendRegisters): void => {
      const s = fround(x.source.floats[c]! * fround(ofSource(x, c) * greatest))
      x.result.floats[c] = s + fround(there(x) * ofDestination(x, c))
    }
  })
  return (x) => {
    for (let i = 0; i < sums.length; i++) sums[i]!(x)
  }
}
