/** Values that expressions compute with, and how one type becomes another: all by instructions. */
import { type ArithmeticType, applyModifier, hlslOperation, type ValueOps } from '../../isa/index.ts'
import type { SourceValue, WordPlace } from '../model.ts'
import type { ScalarType } from '../type.ts'
import { fail } from './fault.ts'
import type { Span } from './tree.ts'

/** A scalar, vector or matrix. */
export interface ComputedValue {
  readonly kind: 'computed'
  readonly scalar: ScalarType
  readonly rows: number
  readonly columns: number
  /** By rows; two words a component of doubles, low word first. Undefined: not available. */
  readonly words: readonly (number | undefined)[]
  /** Where each word is, of a value that was read and not computed: what can be written. */
  readonly places?: readonly (WordPlace | undefined)[]
  /** The lane it was read for. */
  readonly lane?: number
}

/** A structure, an array or a resource: its parts have values. */
export interface TreeValue {
  readonly kind: 'tree'
  readonly value: SourceValue
  readonly lane: number
}

export type ExpressionValue = ComputedValue | TreeValue

/** A component's words, all of them available. */
export type Component = readonly number[]

export const isDouble = (scalar: ScalarType): boolean => scalar === 'double'
export const wordCount = (scalar: ScalarType): number => (isDouble(scalar) ? 2 : 1)
export const componentCount = (v: ComputedValue): number => v.rows * v.columns

/** What instructions take a scalar type for; bool is an integer there. */
export function arithmeticType(scalar: ScalarType): ArithmeticType {
  switch (scalar) {
    case 'float':
    case 'min16float':
    case 'min10float':
      return 'float'
    case 'double':
      return 'double'
    case 'uint':
    case 'min16uint':
      return 'uint'
    case 'int':
    case 'min16int':
    case 'min12int':
    case 'bool':
      return 'int'
  }
}

/** The components of a value; fails where one is not available. */
export function componentsOf(v: ComputedValue, span: Span): readonly Component[] {
  const size = wordCount(v.scalar)
  return Array.from({ length: componentCount(v) }, (_, i) => {
    const words = v.words.slice(i * size, (i + 1) * size)
    if (words.some((w) => w === undefined)) {
      fail('source-unavailable', 'the value is not available here', span)
    }
    return words as readonly number[]
  })
}

export function computed(
  scalar: ScalarType,
  rows: number,
  columns: number,
  components: readonly Component[],
): ComputedValue {
  return { kind: 'computed', scalar, rows, columns, words: components.flat() }
}

type Ops = ValueOps<number>

const FLOAT_ONE = 0x3f800000
const DOUBLE_ONE_HIGH = 0x3ff00000

/** True is all ones as comparisons give it; any bit counts as true. */
function fromBool(o: Ops, [word]: Component, to: ArithmeticType): Component {
  const one = to === 'float' ? FLOAT_ONE : 1
  if (to === 'double') return [0, o.select(word!, o.constant(DOUBLE_ONE_HIGH), o.constant(0))]
  return [o.select(word!, o.constant(one), o.constant(0))]
}

/** All ones where a component is not zero, else 0. */
export function truthOf(o: Ops, scalar: ScalarType, component: Component): number {
  if (scalar === 'bool') return o.select(component[0]!, o.constant(0xffffffff), o.constant(0))
  const type = arithmeticType(scalar)
  const zero = component.map(() => o.constant(0))
  return hlslOperation(o, 'notEqual', type, [...component, ...zero])[0]!
}

function convertNumber(o: Ops, c: Component, from: ArithmeticType, to: ArithmeticType): Component {
  if (from === to) return c
  if (from === 'double') {
    const name = to === 'float' ? 'doubleToFloat' : to === 'int' ? 'doubleToInt' : 'doubleToUint'
    return hlslOperation(o, name, 'double', c)
  }
  if (from === 'float') {
    const name = to === 'double' ? 'floatToDouble' : to === 'int' ? 'floatToInt' : 'floatToUint'
    return hlslOperation(o, name, 'float', c)
  }
  if (to === 'float' || to === 'double') {
    return hlslOperation(o, to === 'float' ? 'intToFloat' : 'intToDouble', from, c)
  }
  return c
}

/** A component of another type. */
export function convert(o: Ops, c: Component, from: ScalarType, to: ScalarType): Component {
  if (to === 'bool') return [truthOf(o, from, c)]
  if (from === 'bool') return fromBool(o, c, arithmeticType(to))
  return convertNumber(o, c, arithmeticType(from), arithmeticType(to))
}

const STRENGTH: Readonly<Record<ArithmeticType, number>> = { int: 0, uint: 1, float: 2, double: 3 }
const PLAIN: Readonly<Record<ArithmeticType, ScalarType>> = {
  int: 'int',
  uint: 'uint',
  float: 'float',
  double: 'double',
}

/** The type in which an operator computes: the stronger of both, at full precision. */
export function commonType(a: ScalarType, b: ScalarType): ScalarType {
  const [left, right] = [arithmeticType(a), arithmeticType(b)]
  return PLAIN[STRENGTH[left] >= STRENGTH[right] ? left : right]
}

/** The sign changed, as a source modifier does it. */
export function negate(o: Ops, type: ArithmeticType, c: Component): Component {
  const NEGATE = 1
  switch (type) {
    case 'double':
      return [c[0]!, applyModifier(o, 'f64', NEGATE, c[1]!)]
    case 'float':
      return [applyModifier(o, 'f32', NEGATE, c[0]!)]
    case 'int':
    case 'uint':
      return [applyModifier(o, 'i32', NEGATE, c[0]!)]
  }
}

const shapeText = (v: ComputedValue): string =>
  v.rows > 1 ? `${v.scalar}${v.rows}x${v.columns}` : v.columns > 1 ? `${v.scalar}${v.columns}` : v.scalar

/** Values made the same size: scalars stand for each component. */
export function sameSize(values: readonly ComputedValue[], span: Span): readonly [rows: number, columns: number] {
  const whole = values.filter((v) => componentCount(v) > 1)
  const first = whole[0]
  if (first === undefined) return [1, 1]
  const other = whole.find((v) => v.rows !== first.rows || v.columns !== first.columns)
  if (other !== undefined) {
    const fewer = Math.min(first.columns, other.columns)
    const note = `choose the components that are meant, as in v.${'xyzw'.slice(0, fewer)}`
    fail('source-type', `${shapeText(first)} and ${shapeText(other)} have different sizes`, span, note)
  }
  return [first.rows, first.columns]
}

export { shapeText }
