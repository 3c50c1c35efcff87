/** Functions of expressions: HLSL's intrinsics that need one lane and no texture. */
import {
  type ArithmeticType,
  HLSL_INTRINSICS,
  type HlslOperation,
  hasHlslOperation,
  hlslDot,
  hlslOperation,
  type ValueOps,
} from '../../isa/index.ts'
import type { ScalarType } from '../type.ts'
import {
  arithmeticType,
  type ComputedValue,
  commonType,
  componentCount,
  componentsOf,
  computed,
  convert,
  negate,
  sameSize,
  truthOf,
} from './computed.ts'
import { fail } from './fault.ts'
import type { Span } from './tree.ts'

type Ops = ValueOps<number>

/** Functions that are one instruction for each component, with the number of their parameters. */
const OPERATIONS: ReadonlyMap<string, readonly [HlslOperation, number]> = new Map(
  Object.entries<readonly [HlslOperation, number]>({
    exp2: ['exp2', 1],
    log2: ['log2', 1],
    frac: ['frac', 1],
    round: ['round', 1],
    floor: ['floor', 1],
    ceil: ['ceil', 1],
    trunc: ['trunc', 1],
    sqrt: ['sqrt', 1],
    rsqrt: ['rsqrt', 1],
    rcp: ['rcp', 1],
    sin: ['sin', 1],
    cos: ['cos', 1],
    countbits: ['countbits', 1],
    reversebits: ['reversebits', 1],
    f32tof16: ['f32tof16', 1],
    f16tof32: ['f16tof32', 1],
    min: ['min', 2],
    max: ['max', 2],
    mad: ['mad', 3],
    fma: ['mad', 3],
  }),
)

const OPERATORS_AMONG_INTRINSICS: ReadonlySet<string> = new Set(['/', '%', 'negate'])
const TYPES: readonly ArithmeticType[] = ['float', 'double', 'uint', 'int']

/** The components of values in one type and size. */
function aligned(o: Ops, values: readonly ComputedValue[], to: ScalarType, span: Span) {
  const [rows, columns] = sameSize(values, span)
  const lists = values.map((v) => {
    const own = componentsOf(v, span).map((c) => convert(o, c, v.scalar, to))
    return own.length === 1 ? Array.from({ length: rows * columns }, () => own[0]!) : own
  })
  return { rows, columns, lists }
}

/** What an operation takes of the type that its operands have: integers become floats for functions of floats. */
function typeFor(fits: (type: ArithmeticType) => boolean, scalar: ScalarType): ScalarType {
  const own = arithmeticType(scalar)
  const plain = scalar === 'bool' ? 'int' : own
  return fits(plain) ? plain : (TYPES.find(fits) ?? 'float')
}

const resultOf: Readonly<Partial<Record<HlslOperation, ScalarType>>> = { f32tof16: 'uint', f16tof32: 'float' }

/** An operation of one instruction, component by component. */
export function componentwise(
  o: Ops,
  name: HlslOperation,
  values: readonly ComputedValue[],
  span: Span,
  result?: ScalarType,
): ComputedValue {
  const common = values.map((v) => v.scalar).reduce(commonType)
  const to = typeFor((type) => hasHlslOperation(name, type), commonType(common, common))
  const { rows, columns, lists } = aligned(o, values, to, span)
  const components = lists[0]!.map((_, i) =>
    hlslOperation(
      o,
      name,
      arithmeticType(to),
      lists.flatMap((list) => list[i]!),
    ),
  )
  return computed(result ?? resultOf[name] ?? to, rows, columns, components)
}

/** An intrinsic of several instructions, component by component. */
export function intrinsic(o: Ops, name: string, values: readonly ComputedValue[], span: Span): ComputedValue {
  const row = HLSL_INTRINSICS[name]!
  const common = values.map((v) => v.scalar).reduce(commonType)
  const to = typeFor((type) => row.types.includes(type), commonType(common, common))
  const { rows, columns, lists } = aligned(o, values, to, span)
  const components = lists[0]!.map((_, i) => [
    row.evaluate(
      o,
      arithmeticType(to),
      lists.map((list) => list[i]![0]!),
    ),
  ])
  return computed(row.result ?? to, rows, columns, components)
}

const floats = (o: Ops, v: ComputedValue, span: Span): readonly number[] =>
  componentsOf(v, span).map((c) => convert(o, c, v.scalar, 'float')[0]!)

const scalarOf = (word: number, scalar: ScalarType = 'float'): ComputedValue => computed(scalar, 1, 1, [[word]])
const vectorOf = (words: readonly number[]): ComputedValue =>
  computed(
    'float',
    1,
    words.length,
    words.map((w) => [w]),
  )

function dot(o: Ops, a: readonly number[], b: readonly number[], span: Span): number {
  if (a.length !== b.length || a.length > 4) {
    return fail('source-type', `a dot product of ${a.length} and ${b.length} components`, span)
  }
  return hlslDot(o, a, b)
}

const operation = (o: Ops, name: HlslOperation, ...words: readonly number[]): number =>
  hlslOperation(o, name, 'float', words)[0]!

const negated = (o: Ops, word: number): number => negate(o, 'float', [word])[0]!

function cross(o: Ops, a: readonly number[], b: readonly number[], span: Span): ComputedValue {
  if (a.length !== 3 || b.length !== 3) fail('source-type', 'cross takes two vectors of 3 components', span)
  return vectorOf(
    [0, 1, 2].map((i) => {
      const [j, k] = [(i + 1) % 3, (i + 2) % 3]
      const behind = operation(o, 'multiply', a[k]!, b[j]!)
      return operation(o, 'mad', a[j]!, b[k]!, negated(o, behind))
    }),
  )
}

/** mul: rows of the left times columns of the right; a vector is a row on the left and a column on the right. */
function multiply(o: Ops, a: ComputedValue, b: ComputedValue, span: Span): ComputedValue {
  if (componentCount(a) === 1 || componentCount(b) === 1) return componentwise(o, 'multiply', [a, b], span)
  const [left, right] = [floats(o, a, span), floats(o, b, span)]
  if (a.rows === 1 && b.rows === 1) return scalarOf(dot(o, left, right, span))
  const [rightRows, rightColumns] = b.rows === 1 ? [b.columns, 1] : [b.rows, b.columns]
  if (a.columns !== rightRows) {
    fail('source-type', `mul of ${a.columns} columns and ${rightRows} rows`, span, 'both have to be the same number')
  }
  const words = Array.from({ length: a.rows * rightColumns }, (_, i) => {
    const [row, column] = [Math.floor(i / rightColumns), i % rightColumns]
    const own = left.slice(row * a.columns, (row + 1) * a.columns)
    return dot(
      o,
      own,
      own.map((_, k) => right[k * rightColumns + column]!),
      span,
    )
  })
  const isVector = a.rows === 1 || rightColumns === 1
  return { ...vectorOf(words), ...(isVector ? {} : { rows: a.rows, columns: rightColumns }) }
}

/** The same words under another type. */
function reinterpret(v: ComputedValue, scalar: ScalarType, span: Span): ComputedValue {
  if (v.scalar === 'double') fail('source-type', 'a double has 64 bits', span, 'convert it with a cast')
  return { ...v, scalar }
}

/** Any or all of a value's components: all ones or 0. */
export function truth(o: Ops, v: ComputedValue, which: 'any' | 'all', span: Span): number {
  const words = componentsOf(v, span).map((c) => truthOf(o, v.scalar, c))
  return words.reduce((a, b) => (which === 'any' ? o.or(a, b) : o.and(a, b)))
}

type Special = (o: Ops, values: readonly ComputedValue[], span: Span) => ComputedValue

/** Functions that do more than one component after the other, with the number of their parameters. */
const SPECIAL: Readonly<Record<string, readonly [number, Special]>> = {
  dot: [2, (o, [a, b], span) => scalarOf(dot(o, floats(o, a!, span), floats(o, b!, span), span))],
  length: [
    1,
    (o, [a], span) => {
      const words = floats(o, a!, span)
      return scalarOf(operation(o, 'sqrt', dot(o, words, words, span)))
    },
  ],
  distance: [
    2,
    (o, [a, b], span) => {
      const [from, to] = [floats(o, a!, span), floats(o, b!, span)]
      if (from.length !== to.length) fail('source-type', 'distance takes two vectors of one size', span)
      const words = from.map((w, i) => operation(o, 'add', w, negated(o, to[i]!)))
      return scalarOf(operation(o, 'sqrt', dot(o, words, words, span)))
    },
  ],
  normalize: [
    1,
    (o, [a], span) => {
      const words = floats(o, a!, span)
      const scale = operation(o, 'rsqrt', dot(o, words, words, span))
      return vectorOf(words.map((w) => operation(o, 'multiply', w, scale)))
    },
  ],
  cross: [2, (o, [a, b], span) => cross(o, floats(o, a!, span), floats(o, b!, span), span)],
  mul: [2, (o, [a, b], span) => multiply(o, a!, b!, span)],
  transpose: [
    1,
    (_, [a], span) => {
      const own = componentsOf(a!, span)
      const { rows, columns, scalar } = a!
      const turned = own.map((_, i) => own[(i % rows) * columns + Math.floor(i / rows)]!)
      return computed(scalar, columns, rows, turned)
    },
  ],
  any: [1, (o, [a], span) => scalarOf(truth(o, a!, 'any', span), 'bool')],
  all: [1, (o, [a], span) => scalarOf(truth(o, a!, 'all', span), 'bool')],
  asfloat: [1, (_, [a], span) => reinterpret(a!, 'float', span)],
  asint: [1, (_, [a], span) => reinterpret(a!, 'int', span)],
  asuint: [1, (_, [a], span) => reinterpret(a!, 'uint', span)],
}

/** Names of all functions, for suggestions. */
export const FUNCTION_NAMES: readonly string[] = [
  ...OPERATIONS.keys(),
  ...Object.keys(HLSL_INTRINSICS).filter((name) => !OPERATORS_AMONG_INTRINSICS.has(name)),
  ...Object.keys(SPECIAL),
]

/** How many arguments a function takes; undefined where there is no function of this name. */
export function parameterCount(name: string): number | undefined {
  if (Object.hasOwn(SPECIAL, name)) return SPECIAL[name]![0]
  const one = OPERATIONS.get(name)
  if (one !== undefined) return one[1]
  return FUNCTION_NAMES.includes(name) ? HLSL_INTRINSICS[name]!.parameters : undefined
}

/** A call of a function that exists, with as many arguments as it takes. */
export function call(o: Ops, name: string, values: readonly ComputedValue[], span: Span): ComputedValue {
  if (Object.hasOwn(SPECIAL, name)) return SPECIAL[name]![1](o, values, span)
  const one = OPERATIONS.get(name)
  return one === undefined ? intrinsic(o, name, values, span) : componentwise(o, one[0], values, span)
}
