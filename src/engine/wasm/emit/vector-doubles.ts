import { constantOf, type DoubleOp, type DoubleToWordOp, OPS, type Op, type Value } from '../../ir/index.ts'
import { V128 } from '../encode/assembler.ts'
import { SIMD } from '../encode/opcodes.ts'
import type { Emitter } from './emitter.ts'

/** Operations of doubles: part `i` of a double holds lanes 2i and 2i + 1. */

/** Those that are not one instruction over whole vectors. */
export type DoubleVectorOp = Exclude<DoubleOp | DoubleToWordOp, 'f64Add' | 'f64Mul' | 'f64Div'>

/** Asked of operations that no table has. */
export const isDoubleOp = <T extends Op>(op: T): op is T & DoubleVectorOp =>
  OPS[op].result === 'f64' || OPS[op].operands[0] === 'f64'

export function emitDouble(e: Emitter, v: Value, op: DoubleVectorOp, i: number): void {
  const { f } = e
  const [a, b, c] = v.args
  const word = i >> 1
  const isHigh = (i & 1) === 1
  /** Words of lanes 2i and 2i + 1 in the low half. */
  const lowHalf = (x: Value): void => {
    e.vector(x, word)
    if (isHigh) {
      const t = f.temp(V128)
      f.tee(t).get(t).shuffle(2, 3, 2, 3)
      f.release(V128, t)
    }
  }
  switch (op) {
    case 'f64Pack':
      e.vector(a!, word)
      e.vector(b!, word)
      if (isHigh) f.shuffle(2, 6, 3, 7)
      else f.shuffle(0, 4, 1, 5)
      return
    case 'f32ToF64':
      lowHalf(a!)
      f.simd(SIMD.f64PromoteLow)
      return
    case 'i32ToF64':
      lowHalf(a!)
      f.simd(SIMD.f64ConvertLowS)
      return
    case 'u32ToF64':
      lowHalf(a!)
      f.simd(SIMD.f64ConvertLowU)
      return
    case 'f64Fma':
      emitDoubleFma(e, [a!, b!, c!], i)
      return
    case 'f64Equal':
    case 'f64Less':
    case 'f64LessEqual': {
      const opcode = { f64Equal: SIMD.f64Eq, f64Less: SIMD.f64Lt, f64LessEqual: SIMD.f64Le }[op]
      for (const part of [2 * i, 2 * i + 1]) {
        e.vector(a!, part)
        e.vector(b!, part)
        f.simd(opcode)
      }
      f.shuffle(0, 2, 4, 6)
      return
    }
    case 'f64Low':
    case 'f64High': {
      for (const part of [2 * i, 2 * i + 1]) {
        e.vector(a!, part)
        if (!isNumber(e, a!)) canonicalDouble(e)
      }
      if (op === 'f64Low') f.shuffle(0, 2, 4, 6)
      else f.shuffle(1, 3, 5, 7)
      return
    }
    case 'f64ToF32':
    case 'f64ToI32':
    case 'f64ToU32': {
      const opcode = {
        f64ToF32: SIMD.f32DemoteF64Zero,
        f64ToI32: SIMD.i32TruncSatF64SZero,
        f64ToU32: SIMD.i32TruncSatF64UZero,
      }[op]
      for (const part of [2 * i, 2 * i + 1]) {
        e.vector(a!, part)
        f.simd(opcode)
      }
      f.shuffle(0, 1, 4, 5)
      return
    }
    default:
      op satisfies never
  }
}

/** A constant double that is finite and not zero. */
function isFiniteConstant(v: Value): boolean {
  const [a, b] = v.args
  if (v.op === 'f64Pack') {
    const high = constantOf(b!)
    return constantOf(a!) !== undefined && high !== undefined && high !== 0 && (high & 0x7ff00000) !== 0x7ff00000
  }
  return (v.op === 'i32ToF64' || v.op === 'u32ToF64') && (constantOf(a!) ?? 0) !== 0
}

/** Whether a double is never NaN: one made of a number, or its product or sum with a constant. */
function isNumber(e: Emitter, v: Value): boolean {
  const [a, b] = v.args
  if (v.op === 'f32ToF64') return e.isNumber(a!)
  if (v.op !== 'f64Mul' && v.op !== 'f64Add') return isFiniteConstant(v)
  return (isFiniteConstant(a!) && isNumber(e, b!)) || (isFiniteConstant(b!) && isNumber(e, a!))
}

function canonicalDouble(e: Emitter): void {
  const { f } = e
  const t = f.temp(V128)
  f.tee(t)
  f.get(e.constantLocal([0, 0x7ff80000, 0, 0x7ff80000]))
  f.get(t).get(t).simd(SIMD.f64Eq).simd(SIMD.bitselect)
  f.release(V128, t)
}

function emitDoubleFma(e: Emitter, args: readonly Value[], i: number): void {
  const { f } = e
  const operands = args.map((a) => e.repeatable(a, i))
  e.pushConstant(0)
  for (let l = 0; l < 2; l++) {
    for (const o of operands) {
      o.push()
      f.lane(SIMD.f64Extract, l)
    }
    f.call('fusedDouble').lane(SIMD.f64Replace, l)
  }
  for (const o of operands) o.done()
}
