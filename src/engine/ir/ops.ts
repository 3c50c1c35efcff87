import { BITS, type OperandType, type OperationRow, PRIMITIVES } from '../../isa/index.ts'
import type { Op } from './value.ts'

/**
 * One row for each operation of values: what the builder, the analyses and the emitters need of it. The primitives of
 * `ValueOps` have their rows in isa; here are those that only the intermediate language has. Costs are the backends'.
 */
interface OpRow extends OperationRow {
  /** What makes the value differ between threads: its operands alone, the number of the group or of the thread, or what a batch gives it. */
  readonly variesBy: 'operands' | 'group' | 'thread' | 'invocation'
  /** It is made of the operand's words in all lanes of the wave. */
  readonly isOfWave: boolean
}

const LEAF = { ...BITS, operands: [], result: 'word', variesBy: 'operands' } as const

/** Direct3D's max and min: one of the operands. */
const f32Extreme = {
  ...BITS,
  operands: ['f32', 'f32'],
  result: 'f32',
  nanBits: 'as-result',
  zeroSign: 'as-result',
  denormal: 'as-operands',
} as const
const integerExtreme = { ...BITS, result: 'word', commutative: true } as const
const i32Extreme = { ...integerExtreme, operands: ['i32', 'i32'] } as const
const u32Extreme = { ...integerExtreme, operands: ['u32', 'u32'] } as const

/** Of a comparison with a NaN the first operand is the result. */
const f32PseudoExtreme = { ...f32Extreme, nanBits: 'by-operands' } as const

/** A word of another lane. */
const moved = { ...BITS, operands: ['word'], result: 'word', nanBits: 'as-result', zeroSign: 'as-result' } as const

/** Operations that patterns of primitives are recognized as, halves of doubles, inputs, and the results of items. */
const OTHERS = {
  f32Max: f32Extreme,
  f32Min: f32Extreme,
  f32PseudoMax: f32PseudoExtreme,
  f32PseudoMin: f32PseudoExtreme,
  i32Max: i32Extreme,
  i32Min: i32Extreme,
  u32Max: u32Extreme,
  u32Min: u32Extreme,

  f64Pack: { ...BITS, operands: ['word', 'word'], result: 'f64' },
  f64Low: { ...BITS, operands: ['f64'], result: 'word' },
  f64High: { ...BITS, operands: ['f64'], result: 'word' },

  threadInGroup: { ...LEAF, result: 'u32', variesBy: 'thread' },
  groupId: { ...LEAF, result: 'u32', variesBy: 'group' },
  input: { ...LEAF, variesBy: 'invocation' },
  descriptor: LEAF,
  constantBuffer: { ...BITS, operands: ['u32'], result: 'word' },
  quadSwizzle: moved,
  packQuads: moved,
  unpackQuads: moved,
  anyLane: { ...BITS, operands: ['word'], result: 'word', isOfWave: true },
  quadSigns: { ...BITS, operands: ['word'], result: 'word', isOfWave: true },
  immediateConstant: { ...BITS, operands: ['u32'], result: 'word' },

  // The inputs of a merge and the operands of an item stand in the item.
  phi: LEAF,
  result: LEAF,
} as const satisfies Readonly<Record<Exclude<Op, keyof typeof PRIMITIVES>, OperationRow & Partial<OpRow>>>

const ROWS: Readonly<Record<Op, OperationRow & Partial<OpRow>>> = { ...PRIMITIVES, ...OTHERS }

/** A row with all its properties in one order: code that reads rows of many operations finds them in the same places. */
const inOrder = (row: OperationRow & Partial<OpRow>): OpRow => ({
  operands: row.operands,
  result: row.result,
  commutative: row.commutative,
  makesNan: row.makesNan,
  nanBits: row.nanBits,
  zeroSign: row.zeroSign,
  denormal: row.denormal,
  variesBy: row.variesBy ?? 'operands',
  isOfWave: row.isOfWave ?? false,
})

/** The row of every operation. */
export const OPS: Readonly<Record<Op, OpRow>> = Object.fromEntries(
  Object.entries(ROWS).map(([op, row]) => [op, inOrder(row)]),
) as Readonly<Record<Op, OpRow>>

type Rows = typeof PRIMITIVES & typeof OTHERS

/** Operations with a result of a type. */
export type OpGiving<T extends OperandType> = { [K in Op]: Rows[K]['result'] extends T ? K : never }[Op]

export const givesDouble = (op: Op): op is OpGiving<'f64'> => OPS[op].result === 'f64'
export const givesFloat = (op: Op): op is OpGiving<'f32'> => OPS[op].result === 'f32'
