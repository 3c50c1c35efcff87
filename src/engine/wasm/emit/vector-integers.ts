import type { Value } from '../../ir/index.ts'
import { V128 } from '../encode/assembler.ts'
import { SIMD } from '../encode/opcodes.ts'
import type { Emitter } from './emitter.ts'

/** Integer operations of lanes that machines of 128 bits do not have whole. */

export function emitMultiplyHigh(e: Emitter, a: Value, b: Value, i: number, signed: boolean): void {
  const { f } = e
  const x = e.repeatable(a, i)
  const y = e.repeatable(b, i)
  x.push()
  y.push()
  f.simd(signed ? SIMD.i64ExtmulLowS : SIMD.i64ExtmulLowU)
  x.push()
  y.push()
  f.simd(signed ? SIMD.i64ExtmulHighS : SIMD.i64ExtmulHighU)
  f.shuffle(1, 3, 5, 7)
  y.done()
  x.done()
}

/** Quotients of doubles are exact enough: both operands have 32 bits, a double 53. */
export function emitDivide(e: Emitter, v: Value, i: number): void {
  const { f } = e
  const x = e.repeatable(v.args[0]!, i)
  const y = e.repeatable(v.args[1]!, i)
  const half = (high: boolean): void => {
    for (const operand of [x, y]) {
      operand.push()
      if (high) {
        operand.push()
        f.shuffle(2, 3, 2, 3)
      }
      f.simd(SIMD.f64ConvertLowU)
    }
    f.simd(SIMD.f64Div).simd(SIMD.i32TruncSatF64UZero)
  }
  const remainder = v.op === 'u32Rem'
  if (remainder) x.push()
  half(false)
  half(true)
  f.shuffle(0, 1, 4, 5)
  if (remainder) {
    y.push()
    f.simd(SIMD.i32Mul).simd(SIMD.i32Sub)
  }
  y.push()
  e.pushConstant(0)
  f.simd(SIMD.i32Eq).simd(SIMD.or)
  y.done()
  x.done()
}

/** Bits set in each lane of the vector on the stack. */
export function popcount(e: Emitter): void {
  e.f.simd(SIMD.i8Popcnt).simd(SIMD.i16ExtaddU).simd(SIMD.i32ExtaddU)
}

export function emitLeadingZeros(e: Emitter, a: Value, i: number): void {
  const { f } = e
  const t = f.temp(V128)
  e.vector(a, i)
  for (const shift of [1, 2, 4, 8, 16]) f.tee(t).get(t).i32(shift).simd(SIMD.i32ShrU).simd(SIMD.or)
  f.simd(SIMD.not)
  popcount(e)
  f.release(V128, t)
}

/** Bits of (x & -x) - 1; for 0 that is all 32. */
export function emitTrailingZeros(e: Emitter, a: Value, i: number): void {
  const { f } = e
  const x = e.repeatable(a, i)
  x.push()
  e.pushConstant(0)
  x.push()
  f.simd(SIMD.i32Sub).simd(SIMD.and)
  e.pushConstant(0xffffffff)
  f.simd(SIMD.i32Add)
  popcount(e)
  x.done()
}
