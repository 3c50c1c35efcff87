/**
 * HLSL's intrinsics of one component that take several instructions, as compilers make them: each is written in rows, so
 * that denormals, NaN and rounding are those of the instructions. Words are single components.
 */
import { type ArithmeticType, hlslOperation } from './hlsl-operations.ts'
import { dot } from './semantics/float.ts'
import { applyModifier, saturateFloat } from './semantics/modifiers.ts'
import type { ValueOps } from './semantics/value-ops.ts'

/** A function of components that have the same type; its result has this type unless `result` says otherwise. */
export interface HlslIntrinsic {
  readonly parameters: number
  readonly types: readonly ArithmeticType[]
  readonly result?: 'bool' | 'int'
  readonly evaluate: <V>(o: ValueOps<V>, type: ArithmeticType, arguments_: readonly V[]) => V
}

const NEGATE = 1
const ABSOLUTE = 2

const LOG2_E = 0x3fb8aa3b
const LN_2 = 0x3f317218
const LOG10_2 = 0x3e9a209b
const DEGREES = 0x42652ee1
const RADIANS = 0x3c8efa35
const ONE = 0x3f800000
const TWO = 0x40000000
const THREE = 0x40400000

const slot = (type: ArithmeticType) => (type === 'float' ? 'f32' : type === 'int' ? 'i32' : 'u32')

function apply<V>(
  o: ValueOps<V>,
  name: Parameters<typeof hlslOperation>[1],
  type: ArithmeticType,
  ...words: readonly V[]
): V {
  return hlslOperation(o, name, type, words)[0]!
}

function negate<V>(o: ValueOps<V>, type: ArithmeticType, a: V): V {
  return applyModifier(o, slot(type), NEGATE, a)
}

function absolute<V>(o: ValueOps<V>, type: ArithmeticType, a: V): V {
  if (type === 'uint') return a
  if (type === 'int') return apply(o, 'max', 'int', a, negate(o, 'int', a))
  return applyModifier(o, 'f32', ABSOLUTE, a)
}

/** The magnitude of fxc's float remainder is frac(|a / b|) * b, with the sign of the quotient. */
function floatRemainder<V>(o: ValueOps<V>, a: V, b: V): V {
  const quotient = apply(o, 'divide', 'float', a, b)
  const positive = apply(o, 'greaterEqual', 'float', quotient, negate(o, 'float', quotient))
  const fraction = apply(o, 'frac', 'float', absolute(o, 'float', quotient))
  const signed = apply(o, 'select', 'float', positive, fraction, negate(o, 'float', fraction))
  return apply(o, 'multiply', 'float', signed, b)
}

/** Signed division is that of the magnitudes; the sign of a remainder is that of `a`. */
function intDivision<V>(o: ValueOps<V>, name: 'divide' | 'remainder', a: V, b: V): V {
  const magnitude = apply(o, name, 'uint', absolute(o, 'int', a), absolute(o, 'int', b))
  const signs = name === 'divide' ? apply(o, 'xor', 'uint', a, b) : a
  const isNegative = apply(o, 'less', 'int', signs, o.constant(0))
  return apply(o, 'select', 'int', isNegative, negate(o, 'int', magnitude), magnitude)
}

const float = (parameters: number, evaluate: HlslIntrinsic['evaluate']): HlslIntrinsic => ({
  parameters,
  types: ['float'],
  evaluate,
})

const scaled = (name: 'exp2' | 'log2', bits: number, first: boolean): HlslIntrinsic =>
  float(1, (o, _, [a]) =>
    first
      ? apply(o, name, 'float', apply(o, 'multiply', 'float', a!, o.constant(bits)))
      : apply(o, 'multiply', 'float', apply(o, name, 'float', a!), o.constant(bits)),
  )

const product = (bits: number): HlslIntrinsic =>
  float(1, (o, _, [a]) => apply(o, 'multiply', 'float', a!, o.constant(bits)))

const isBits = (bits: number): HlslIntrinsic => ({
  ...float(1, (o, _, [a]) => o.i32Equal(absolute(o, 'float', a!), o.constant(bits))),
  result: 'bool',
})

const INFINITY = 0x7f800000

function smoothstep<V>(o: ValueOps<V>, [low, high, x]: readonly V[]): V {
  const width = apply(o, 'add', 'float', high!, negate(o, 'float', low!))
  const behind = apply(o, 'add', 'float', x!, negate(o, 'float', low!))
  const t = saturateFloat(o, apply(o, 'multiply', 'float', behind, apply(o, 'rcp', 'float', width)))
  const slope = apply(o, 'mad', 'float', t, negate(o, 'float', o.constant(TWO)), o.constant(THREE))
  return apply(o, 'multiply', 'float', apply(o, 'multiply', 'float', t, t), slope)
}

/** By the name in HLSL; `/` and `%` are the operators where they take several instructions. */
export const HLSL_INTRINSICS: Readonly<Record<string, HlslIntrinsic>> = {
  '/': { parameters: 2, types: ['int'], evaluate: (o, _, [a, b]) => intDivision(o, 'divide', a!, b!) },
  '%': {
    parameters: 2,
    types: ['int', 'float'],
    evaluate: (o, type, [a, b]) => (type === 'int' ? intDivision(o, 'remainder', a!, b!) : floatRemainder(o, a!, b!)),
  },
  negate: { parameters: 1, types: ['float', 'int', 'uint'], evaluate: (o, type, [a]) => negate(o, type, a!) },
  abs: { parameters: 1, types: ['float', 'int', 'uint'], evaluate: (o, type, [a]) => absolute(o, type, a!) },
  sign: {
    parameters: 1,
    types: ['float', 'int'],
    result: 'int',
    evaluate: (o, type, [a]) => {
      const zero = o.constant(0)
      const above = apply(o, 'less', type, zero, a!)
      const below = apply(o, 'less', type, a!, zero)
      return apply(o, 'add', 'int', below, negate(o, 'int', above))
    },
  },
  saturate: float(1, (o, _, [a]) => saturateFloat(o, a!)),
  clamp: {
    parameters: 3,
    types: ['float', 'int', 'uint'],
    evaluate: (o, type, [x, low, high]) => apply(o, 'min', type, apply(o, 'max', type, x!, low!), high!),
  },
  lerp: float(3, (o, _, [a, b, t]) => {
    const difference = apply(o, 'add', 'float', b!, negate(o, 'float', a!))
    return apply(o, 'mad', 'float', t!, difference, a!)
  }),
  step: float(2, (o, _, [edge, x]) => o.and(apply(o, 'greaterEqual', 'float', x!, edge!), o.constant(ONE))),
  smoothstep: float(3, (o, _, words) => smoothstep(o, words)),
  exp: scaled('exp2', LOG2_E, true),
  log: scaled('log2', LN_2, false),
  log10: scaled('log2', LOG10_2, false),
  pow: float(2, (o, _, [x, y]) =>
    apply(o, 'exp2', 'float', apply(o, 'multiply', 'float', y!, apply(o, 'log2', 'float', x!))),
  ),
  fmod: float(2, (o, _, [a, b]) => floatRemainder(o, a!, b!)),
  tan: float(1, (o, _, [a]) => apply(o, 'divide', 'float', apply(o, 'sin', 'float', a!), apply(o, 'cos', 'float', a!))),
  degrees: product(DEGREES),
  radians: product(RADIANS),
  isnan: { ...float(1, (o, _, [a]) => apply(o, 'notEqual', 'float', a!, a!)), result: 'bool' },
  isinf: isBits(INFINITY),
  isfinite: {
    ...float(1, (o, _, [a]) => o.u32Less(absolute(o, 'float', a!), o.constant(INFINITY))),
    result: 'bool',
  },
}

/** The dot product of `n` components, as the instruction of that number computes it. */
export function hlslDot<V>(o: ValueOps<V>, a: readonly V[], b: readonly V[]): V {
  if (a.length === 1) return apply(o, 'multiply', 'float', a[0]!, b[0]!)
  return dot(a.length as 2 | 3 | 4)(o, [...a, ...b])[0]!
}
