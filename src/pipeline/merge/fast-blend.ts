import { saturateFloat, type ValueOps } from '../../isa/index.ts'
import type { TargetBlend } from '../state.ts'
import { type BlendRegisters, FACTORS } from './blend-numbers.ts'
import { type BlendWords, equationOf, factorWord, staysInRange } from './blend-words.ts'
import type { FormatField } from './element.ts'
import { floatBits } from './fast-codes.ts'

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

/** The sum for a component, of which `code` is there. */
export function codeSumWord<V>(
  o: ValueOps<V>,
  blend: TargetBlend,
  field: FormatField,
  inputs: BlendWords<V>,
  code: V,
): V {
  const { component: c } = field
  const clamp = (words: readonly V[]): readonly V[] => words.map((w) => saturateFloat(o, w))
  const { destination } = inputs
  const [source, source1, blendFactor] = [clamp(inputs.source), clamp(inputs.source1), clamp(inputs.blendFactor)]
  const [, sf, df] = equationOf(blend, c)
  const factor = (f: typeof sf): V => factorWord(o, f, c, { source, source1, destination, blendFactor })
  const greatest = o.constant(floatBits(greatestOf(field)))
  const terms: V[] = []
  if (sf !== 'ZERO') terms.push(o.f32Mul(source[c]!, sf === 'ONE' ? greatest : o.f32Mul(factor(sf), greatest)))
  if (df !== 'ZERO') terms.push(df === 'ONE' ? o.i32ToF32(code) : o.f32Mul(o.i32ToF32(code), factor(df)))
  return terms.length === 0 ? o.constant(0) : terms.reduce((a, b) => o.f32Add(a, b))
}

const { fround } = Math

/** The same with numbers, of components whose sources are clamped; what is there counts as the code that is nearest. */
export function codeSums(blend: TargetBlend, fields: readonly FormatField[]): (x: BlendRegisters) => void {
  const sums = fields.map((field) => {
    const { component: c } = field
    const greatest = greatestOf(field)
    const [, sf, df] = equationOf(blend, c)
    const [ofSource, ofDestination] = [FACTORS[sf], FACTORS[df]]
    return (x: BlendRegisters): void => {
      const code = Math.round(x.destination.floats[c]! * greatest)
      const s = fround(x.source.floats[c]! * fround(ofSource(x, c) * greatest))
      x.result.floats[c] = s + fround(code * ofDestination(x, c))
    }
  })
  return (x) => {
    for (let i = 0; i < sums.length; i++) sums[i]!(x)
  }
}
