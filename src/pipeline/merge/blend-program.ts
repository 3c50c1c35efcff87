import type { ElementProgram } from '../../engine/index.ts'
import type { Format } from '../../isa/formats/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import type { RenderTargetView } from '../../machine/index.ts'
import type { TargetBlend } from '../state.ts'
import { blendWords, type ClampRange } from './blend-words.ts'
import { type FormatField, fieldsOf } from './element.ts'
import { unormCodeWord } from './element-words.ts'

/** Stores to a render target as programs of elements, for engines that compile them: of the common formats. */

const ONE = 0x3f800000

/** Whole words of float32, or of UNORM components of up to 16 bits. */
function isCommon(format: Format): boolean {
  const isWords = format.layout === 'linear' && format.blockByteLength % 4 === 0
  const isKnown = ({ source, bitCount }: FormatField): boolean =>
    (source.encoding === 'unorm' && bitCount <= 16) || (source.encoding === 'float' && bitCount === 32)
  return isWords && fieldsOf(format).every(isKnown)
}

const bitsOf = ({ bitCount, shift }: FormatField): number =>
  (bitCount === 32 ? 0xffffffff : (2 ** bitCount - 1) * 2 ** shift) >>> 0

/** The component of an element as a float32 word (functional specification 3.2.3): the quotient is rounded once. */
function decodeField<V>(o: ValueOps<V>, { word, shift, bitCount, source }: FormatField, element: readonly V[]): V {
  if (source.encoding === 'float') return element[word]!
  const greatest = 2 ** bitCount - 1
  const code = o.and(o.shiftRightLogical(element[word]!, o.constant(shift)), o.constant(greatest))
  return o.f32Div(o.u32ToF32(code), o.u32ToF32(o.constant(greatest)))
}

/** The words of an element with components replaced. */
function encodeFields<V>(
  o: ValueOps<V>,
  fields: readonly FormatField[],
  colors: readonly V[],
  element: readonly V[],
): V[] {
  return element.map((word, n) => {
    let [kept, result] = [0xffffffff, o.constant(0)]
    for (const field of fields) {
      if (field.word !== n) continue
      const { shift, bitCount, component, source } = field
      const color = colors[component]!
      const code = source.encoding === 'float' ? color : unormCodeWord(o, color, bitCount)
      result = o.or(result, o.shiftLeft(code, o.constant(shift)))
      kept = (kept & ~bitsOf(field)) >>> 0
    }
    return o.or(result, o.and(word, o.constant(kept)))
  })
}

/** What decides about a store beside the target's format. */
export interface StoreState {
  readonly blend: TargetBlend
  readonly range: ClampRange
}

/** What four columns of a program hold. */
export type ColumnKind = 'source' | 'source1' | 'factor'

export interface StoreProgram extends ElementProgram {
  /** Four columns each, in this order. */
  readonly kinds: readonly ColumnKind[]
}

/** What a store reads beside the target. The factor is a column, not a constant: draws may change it with every frame. */
function kindsOf({ blend }: StoreState): ColumnKind[] {
  const { srcBlend, destBlend, srcBlendAlpha, destBlendAlpha } = blend
  const factors: readonly string[] = [srcBlend, destBlend, srcBlendAlpha, destBlendAlpha]
  const kinds: ColumnKind[] = ['source']
  if (factors.some((f) => f.includes('SRC1'))) kinds.push('source1')
  if (factors.some((f) => f.includes('BLEND_FACTOR'))) kinds.push('factor')
  return kinds
}

/** The program of a target; undefined for formats that are not common. */
export function storeProgram(view: RenderTargetView, state: StoreState): StoreProgram | undefined {
  const { format, sampleCount } = view
  if (!isCommon(format)) return undefined
  const { blend, range } = state
  const kinds = kindsOf(state)
  const present = fieldsOf(format)
  const written = present.filter((f) => (blend.renderTargetWriteMask & (1 << f.component)) !== 0)
  return {
    key: JSON.stringify([format.name, sampleCount, blend, range]),
    kinds,
    columnCount: kinds.length * 4,
    wordCount: format.blockByteLength / 4,
    sampleCount,
    meaning<V>(o: ValueOps<V>, columns: readonly V[], element: readonly V[]) {
      const four = (kind: ColumnKind): readonly V[] => {
        const n = kinds.indexOf(kind)
        return n < 0 ? [0, 0, 0, 0].map((word) => o.constant(word)) : columns.slice(n * 4, n * 4 + 4)
      }
      const source = four('source')
      const destination = [0, 1, 2, 3].map((c) => {
        const field = present.find((f) => f.component === c)
        return field === undefined ? o.constant(c === 3 ? ONE : 0) : decodeField(o, field, element)
      })
      const registers = { source, source1: four('source1'), destination, blendFactor: four('factor') }
      const words = blendWords(o, blend, range, registers)
      return encodeFields(o, written, words, element)
    },
  }
}
