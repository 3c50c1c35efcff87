import { constantOf, givesDouble, givesFloat, OPS, type Op, type OpGiving, type Value } from '../../ir/index.ts'
import { F32, F64, I32, type ValueType } from '../encode/assembler.ts'
import { BULK, OP, SIMD } from '../encode/opcodes.ts'
import { wordOfProperty } from './descriptor-layout.ts'
import type { Emitter } from './emitter.ts'

/**
 * Operations of a wave's scalars. Words are i32 or f32 locals, by what makes or uses them; doubles are f64. `lane`
 * replaces how operands are read, for the first lane of affine values: then every result is i32.
 */

type Push = (v: Value) => void
type OpcodeOf = { readonly [K in Op]?: number }

const FLOAT_BINARY = {
  f32Add: OP.f32Add,
  f32Sub: OP.f32Sub,
  f32Mul: OP.f32Mul,
  f32Div: OP.f32Div,
} satisfies OpcodeOf
const FLOAT_UNARY = {
  f32Sqrt: OP.f32Sqrt,
  f32RoundNearestEven: OP.f32Nearest,
  f32Floor: OP.f32Floor,
  f32Ceil: OP.f32Ceil,
  f32Trunc: OP.f32Trunc,
} satisfies OpcodeOf
const FLOAT_COMPARE = { f32Equal: OP.f32Eq, f32Less: OP.f32Lt, f32LessEqual: OP.f32Le } satisfies OpcodeOf
const DOUBLE_COMPARE = {
  f64Equal: OP.f64Eq,
  f64Less: OP.f64Lt,
  f64LessEqual: OP.f64Le,
} satisfies OpcodeOf
const DOUBLE_BINARY = { f64Add: OP.f64Add, f64Mul: OP.f64Mul, f64Div: OP.f64Div } satisfies OpcodeOf
const INTEGER_COMPARE = { i32Equal: OP.i32Eq, i32Less: OP.i32LtS, u32Less: OP.i32LtU } satisfies OpcodeOf
const INTEGER_BINARY = {
  i32Add: OP.i32Add,
  i32Sub: OP.i32Sub,
  i32Mul: OP.i32Mul,
  and: OP.i32And,
  or: OP.i32Or,
  xor: OP.i32Xor,
  shiftLeft: OP.i32Shl,
  shiftRightLogical: OP.i32ShrU,
  shiftRightArithmetic: OP.i32ShrS,
} satisfies OpcodeOf
const INTEGER_UNARY = {
  countBits: OP.i32Popcnt,
  countLeadingZeros: OP.i32Clz,
  countTrailingZeros: OP.i32Ctz,
} satisfies OpcodeOf

/** Operations in one of the tables above, so that what is left over is a case of its own in a switch. */
const isIn = <T extends OpcodeOf>(table: T, op: Op): op is Extract<keyof T, Op> => op in table

/** Operations that read their operands as f32. */
const readsFloats = (op: Op): boolean => OPS[op].operands[0] === 'f32'

/** The type of the local of a scalar: by its operation, else by most of its uses. */
export function scalarTypeOf(e: Emitter, v: Value): ValueType {
  if (v.double) return F64
  if (givesFloat(v.op)) return F32
  if (v.op !== 'phi' && v.op !== 'result' && v.op !== 'constantBuffer' && v.op !== 'select' && v.op !== 'descriptor')
    return I32
  const users = e.uses.of(v).flatMap((u) => (u.user === undefined || e.isVarying(u.user) ? [] : [u.user]))
  const floats = users.filter((u) => readsFloats(u.op)).length
  return floats * 2 > users.length ? F32 : I32
}

/** A comparison as 0 or 1; other values as whether any bit is set. `lane` as for emitScalar. */
export function emitCondition(e: Emitter, v: Value, lane?: Push): void {
  const { f } = e
  const { op } = v
  if (lane !== undefined) {
    if (isComparison(op) && !isHeld(e, v)) comparison(e, v, op, lane)
    else lane(v)
  } else if (v.op === 'not' && e.facts(v.args[0]!).mask && !isHeld(e, v)) {
    emitCondition(e, v.args[0]!)
    f.op(OP.i32Eqz)
  } else if (isComparison(v.op) && !isHeld(e, v)) comparison(e, v, v.op, (a) => e.scalarI(a))
  else e.scalarI(v)
}

type Comparison = keyof typeof FLOAT_COMPARE | keyof typeof DOUBLE_COMPARE | keyof typeof INTEGER_COMPARE
const isComparison = (op: Op): op is Comparison => op in FLOAT_COMPARE || op in DOUBLE_COMPARE || op in INTEGER_COMPARE
const isHeld = (e: Emitter, v: Value): boolean => e.isHeld(v)

function comparison(e: Emitter, v: Value, op: Comparison, integer: Push): void {
  const { f } = e
  const [a, b] = v.args as readonly [Value, Value]
  if (isIn(FLOAT_COMPARE, op)) {
    e.scalarF(a)
    e.scalarF(b)
    f.op(FLOAT_COMPARE[op])
  } else if (isIn(DOUBLE_COMPARE, op)) {
    e.scalarD(a)
    e.scalarD(b)
    f.op(DOUBLE_COMPARE[op])
  } else {
    integer(a)
    integer(b)
    f.op(INTEGER_COMPARE[op])
  }
}

/** All ones or 0 of a 0 or 1 on the stack. */
function asMask(e: Emitter): void {
  const { f } = e
  const t = f.temp(I32)
  f.set(t).i32(0).get(t).op(OP.i32Sub)
  f.release(I32, t)
}

/** Where NaN bits will be seen, makes a NaN on the stack the canonical one. */
function canonical(e: Emitter, v: Value): void {
  if (!e.uses.needsCanonicalNan(v) || e.isNumber(v)) return
  const { f } = e
  const t = f.temp(F32)
  f.tee(t).f32Bits(0x7fc00000).get(t).get(t).op(OP.f32Eq).op(OP.select)
  f.release(F32, t)
}

function canonicalDouble(e: Emitter): void {
  const { f } = e
  const t = f.temp(F64)
  f.tee(t)
  f.f64(Number.NaN)
  f.get(t).get(t).op(OP.f64Eq).op(OP.select)
  f.release(F64, t)
}

/** Pushes a scalar in its own type (i32 with `lane`). */
export function emitScalar(e: Emitter, v: Value, lane?: Push): void {
  const integer: Push = lane ?? ((a) => e.scalarI(a))
  const { op } = v
  if (isComparison(op)) {
    comparison(e, v, op, integer)
    asMask(e)
  } else if (isIn(INTEGER_BINARY, op)) {
    for (const a of v.args) integer(a)
    e.f.op(INTEGER_BINARY[op])
  } else if (isIn(INTEGER_UNARY, op)) {
    integer(v.args[0]!)
    e.f.op(INTEGER_UNARY[op])
  } else if (givesFloat(op)) {
    emitFloat(e, v, op)
    canonical(e, v)
  } else if (givesDouble(op)) emitDouble(e, v, op)
  else emitOther(e, v, op, integer, lane)
}

function emitFloat(e: Emitter, v: Value, op: OpGiving<'f32'>): void {
  const { f } = e
  const [a, b, c] = v.args
  switch (op) {
    case 'i32ToF32':
      e.scalarI(a!)
      f.op(OP.f32ConvertI32S)
      return
    case 'u32ToF32':
      e.scalarI(a!)
      f.op(OP.f32ConvertI32U)
      return
    case 'f64ToF32':
      e.scalarD(a!)
      f.op(OP.f32DemoteF64)
      return
    case 'f32Mad':
      if (e.settings.relaxed) {
        // There is no relaxed operation on scalars; two roundings are as good there.
        e.scalarF(a!)
        e.scalarF(b!)
        f.op(OP.f32Mul)
        e.scalarF(c!)
        f.op(OP.f32Add)
        return
      }
      e.scalarF(a!)
      f.op(OP.f64PromoteF32)
      e.scalarF(b!)
      f.op(OP.f64PromoteF32)
      e.scalarF(c!)
      f.op(OP.f64PromoteF32)
      f.call('fusedFloat').op(OP.f32DemoteF64)
      return
    case 'f32Max':
    case 'f32Min':
    case 'f32PseudoMax':
    case 'f32PseudoMin':
      extreme(e, v)
      return
    default:
      for (const x of v.args) e.scalarF(x)
      f.op(isIn(FLOAT_BINARY, op) ? FLOAT_BINARY[op] : FLOAT_UNARY[op])
  }
}

function extreme(e: Emitter, v: Value): void {
  const { f } = e
  const [x, y] = [f.temp(F32), f.temp(F32)]
  e.scalarF(v.args[0]!)
  f.set(x)
  e.scalarF(v.args[1]!)
  f.set(y)
  const isMax = v.op === 'f32Max' || v.op === 'f32PseudoMax'
  const less = (): void => void (isMax ? f.get(x).get(y) : f.get(y).get(x)).op(OP.f32Lt)
  if (v.op === 'f32PseudoMax' || v.op === 'f32PseudoMin') {
    f.get(y).get(x)
    less()
    f.op(OP.select)
  } else {
    // select(x == y, x & y or x | y, select(less, y, select(x == x, x, y)))
    f.get(x).op(OP.i32ReinterpretF32).get(y).op(OP.i32ReinterpretF32)
    f.op(isMax ? OP.i32And : OP.i32Or).op(OP.f32ReinterpretI32)
    f.get(y).get(x).get(y).get(x).get(x).op(OP.f32Eq).op(OP.select)
    less()
    f.op(OP.select)
    f.get(x).get(y).op(OP.f32Eq).op(OP.select)
  }
  f.release(F32, x, y)
}

function emitDouble(e: Emitter, v: Value, op: OpGiving<'f64'>): void {
  const { f } = e
  const [a, b] = v.args
  switch (op) {
    case 'f64Pack':
      e.scalarI(a!)
      f.op(OP.i64ExtendI32U)
      e.scalarI(b!)
      f.op(OP.i64ExtendI32U)
      f.code.byte(0x42).signed(32)
      f.op(OP.i64Shl).op(OP.i64Or).op(OP.f64ReinterpretI64)
      return
    case 'f64Fma':
      for (const x of v.args) e.scalarD(x)
      f.call('fusedDouble')
      return
    case 'f32ToF64':
      e.scalarF(a!)
      f.op(OP.f64PromoteF32)
      return
    case 'i32ToF64':
      e.scalarI(a!)
      f.op(OP.f64ConvertI32S)
      return
    case 'u32ToF64':
      e.scalarI(a!)
      f.op(OP.f64ConvertI32U)
      return
    default:
      e.scalarD(a!)
      e.scalarD(b!)
      f.op(DOUBLE_BINARY[op])
  }
}

type OtherOp = Exclude<
  Op,
  Comparison | keyof typeof INTEGER_BINARY | keyof typeof INTEGER_UNARY | OpGiving<'f32'> | OpGiving<'f64'>
>

function emitOther(e: Emitter, v: Value, op: OtherOp, integer: Push, lane: Push | undefined): void {
  const { f } = e
  const [a, b] = v.args
  switch (op) {
    case 'not':
      integer(a!)
      f.i32(-1).op(OP.i32Xor)
      return
    case 'select':
      select(e, v, integer, lane)
      return
    case 'flushDenormal':
      flush(e, a!)
      return
    case 'i32Max':
    case 'i32Min':
    case 'u32Max':
    case 'u32Min':
      integerExtreme(e, v, integer)
      return
    case 'i32MulHigh':
    case 'u32MulHigh': {
      const extend = v.op === 'i32MulHigh' ? OP.i64ExtendI32S : OP.i64ExtendI32U
      integer(a!)
      f.op(extend)
      integer(b!)
      f.op(extend).op(OP.i64Mul)
      f.code.byte(0x42).signed(32)
      f.op(OP.i64ShrU).op(OP.i32WrapI64)
      return
    }
    case 'u32Div':
    case 'u32Rem':
      divide(e, v, integer)
      return
    case 'f32ToI32':
    case 'f32ToU32':
      e.scalarF(a!)
      f.bulk(v.op === 'f32ToI32' ? BULK.i32TruncSatF32S : BULK.i32TruncSatF32U)
      return
    case 'f64ToI32':
    case 'f64ToU32':
      e.scalarD(a!)
      f.bulk(v.op === 'f64ToI32' ? BULK.i32TruncSatF64S : BULK.i32TruncSatF64U)
      return
    case 'f64Low':
    case 'f64High':
      e.scalarD(a!)
      canonicalDouble(e)
      f.op(OP.i64ReinterpretF64)
      if (v.op === 'f64High') {
        f.code.byte(0x42).signed(32)
        f.op(OP.i64ShrU)
      }
      f.op(OP.i32WrapI64)
      return
    case 'quadSwizzle':
    case 'packQuads':
    case 'unpackQuads':
      // What is the same in every lane is so in every quad.
      e.scalarI(a!)
      if (e.scalarType(v) === F32) f.op(OP.f32ReinterpretI32)
      return
    case 'quadSigns':
      e.vector(a!, 0)
      f.simd(SIMD.i32Bitmask)
      return
    case 'anyLane':
      anyLane(e, a!)
      if (e.scalarType(v) === F32) f.op(OP.f32ReinterpretI32)
      return
    case 'groupId':
      f.get(e.group[v.imm]!)
      return
    case 'threadInGroup':
      e.threadNumber(v.imm)
      return
    case 'descriptor':
      f.get(e.descriptorLocal(wordOfProperty(v.imm)))
      if (e.scalarType(v) === F32) f.op(OP.f32ReinterpretI32)
      return
    case 'constantBuffer':
      constantBuffer(e, v, integer)
      return
    case 'immediateConstant':
      immediateConstant(e, v, integer)
      return
    case 'constant':
    case 'phi':
    case 'result':
    case 'input':
      throw new Error(`scalar ${op} is not computed from operands`)
    default:
      op satisfies never
  }
}

/** Not 0 where any lane has a word that is not. */
function anyLane(e: Emitter, a: Value): void {
  if (!e.isVarying(a)) {
    e.scalarI(a)
    return
  }
  const parts = e.isPacked(a) ? 1 : e.width
  for (let i = 0; i < parts; i++) {
    e.vector(a, i)
    if (i > 0) e.f.simd(SIMD.or)
  }
  e.f.simd(SIMD.anyTrue)
  if (e.isPacked(a)) passThroughMemory(e)
}

/**
 * The word on the stack by way of memory, so that hosts compute it where it stands: else they compute the level of detail of a sample behind
 * the filters of the one before it, and processors wait for one long chain after the other (`delayFilters`).
 */
function passThroughMemory(e: Emitter): void {
  const { f } = e
  const word = f.temp(I32)
  f.set(word).get(e.scratch).get(word).memory(OP.i32Store, 2, e.settings.exchangeOffset)
  f.get(e.scratch).memory(OP.i32Load, 2, e.settings.exchangeOffset)
  f.release(I32, word)
}

function select(e: Emitter, v: Value, integer: Push, lane: Push | undefined): void {
  const [condition, a, b] = v.args as readonly [Value, Value, Value]
  const asFloat = lane === undefined && e.scalarType(v) === F32
  for (const x of [a, b]) {
    if (asFloat) e.scalarF(x)
    else integer(x)
  }
  emitCondition(e, condition, lane)
  e.f.op(OP.select)
}

function flush(e: Emitter, a: Value): void {
  const { f } = e
  const t = f.temp(I32)
  e.scalarI(a)
  f.tee(t).i32(-0x80000000).op(OP.i32And)
  f.get(t)
  f.get(t).i32(0x7f800000).op(OP.i32And).op(OP.i32Eqz)
  f.op(OP.select)
  f.release(I32, t)
}

function integerExtreme(e: Emitter, v: Value, integer: Push): void {
  const { f } = e
  const [x, y] = [f.temp(I32), f.temp(I32)]
  integer(v.args[0]!)
  f.set(x)
  integer(v.args[1]!)
  f.set(y)
  f.get(x).get(y).get(x).get(y)
  f.op({ i32Max: OP.i32GtS, i32Min: OP.i32LtS, u32Max: OP.i32GtU, u32Min: OP.i32LtU }[v.op as 'i32Max'])
  f.op(OP.select)
  f.release(I32, x, y)
}

function divide(e: Emitter, v: Value, integer: Push): void {
  const { f } = e
  const [a, b] = v.args as readonly [Value, Value]
  const opcode = v.op === 'u32Div' ? OP.i32DivU : OP.i32RemU
  const c = constantOf(b)
  if (c !== undefined) {
    if (c === 0) f.i32(-1)
    else {
      integer(a)
      f.i32(c | 0).op(opcode)
    }
    return
  }
  const [x, y] = [f.temp(I32), f.temp(I32)]
  integer(a)
  f.set(x)
  integer(b)
  f.set(y)
  f.get(x).get(y).i32(1).get(y).op(OP.select).op(opcode)
  f.i32(-1).get(y).op(OP.select)
  f.release(I32, x, y)
}

/** Constants of a copy that is padded with zeros up to what was declared, so constant numbers need no check. */
function constantBuffer(e: Emitter, v: Value, integer: Push): void {
  const { f } = e
  const binding = v.imm >> 2
  const component = v.imm & 3
  const index = v.args[0]!
  const load = e.scalarType(v) === F32 ? OP.f32Load : OP.i32Load
  const c = constantOf(index)
  if (c !== undefined) {
    e.pushDescriptor(binding, 'base')
    f.memory(load, 2, c * 16 + component * 4)
    return
  }
  const t = f.temp(I32)
  integer(index)
  f.tee(t).i32(4).op(OP.i32Shl)
  e.pushDescriptor(binding, 'base')
  f.op(OP.i32Add).i32(0)
  f.get(t)
  e.pushDescriptor(binding, 'elementCount')
  // The zero page at address 0 takes what is out of bounds.
  f.op(OP.i32LtU)
    .op(OP.select)
    .memory(load, 2, component * 4)
  f.release(I32, t)
}

function immediateConstant(e: Emitter, v: Value, integer: Push): void {
  const { f } = e
  const t = f.temp(I32)
  integer(v.args[0]!)
  f.tee(t).i32(4).op(OP.i32Shl).get(e.immediateConstants).op(OP.i32Add).i32(0)
  f.get(t).i32(e.settings.immediateConstantCount).op(OP.i32LtU).op(OP.select)
  f.memory(OP.i32Load, 2, v.imm * 4)
  f.release(I32, t)
}
