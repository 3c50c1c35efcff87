import { constantOf, type Op, type Value } from '../../ir/index.ts'
import { I32, V128 } from '../encode/assembler.ts'
import { OP, SIMD } from '../encode/opcodes.ts'
import { noteLeftOut } from './assertions.ts'
import type { Emitter } from './emitter.ts'
import { startsAtZero } from './lane-patterns.ts'
import { type DoubleVectorOp, emitDouble, isDoubleOp } from './vector-doubles.ts'
import { emitDivide, emitLeadingZeros, emitMultiplyHigh, emitTrailingZeros, popcount } from './vector-integers.ts'
import { endPacking } from './vector-pairing.ts'

/** Operations of lanes: part `i` of a word holds lanes 4i to 4i + 3; of a double, lanes 2i and 2i + 1. */

type OpcodeOf = { readonly [K in Op]?: number }

const BINARY = {
  f32Add: SIMD.f32Add,
  f32Sub: SIMD.f32Sub,
  f32Mul: SIMD.f32Mul,
  f32Div: SIMD.f32Div,
  f32Equal: SIMD.f32Eq,
  f32Less: SIMD.f32Lt,
  f32LessEqual: SIMD.f32Le,
  f32PseudoMax: SIMD.f32Pmax,
  f32PseudoMin: SIMD.f32Pmin,
  i32Add: SIMD.i32Add,
  i32Sub: SIMD.i32Sub,
  i32Mul: SIMD.i32Mul,
  i32Equal: SIMD.i32Eq,
  i32Less: SIMD.i32LtS,
  u32Less: SIMD.i32LtU,
  i32Max: SIMD.i32MaxS,
  i32Min: SIMD.i32MinS,
  u32Max: SIMD.i32MaxU,
  u32Min: SIMD.i32MinU,
  and: SIMD.and,
  or: SIMD.or,
  xor: SIMD.xor,
  f64Add: SIMD.f64Add,
  f64Mul: SIMD.f64Mul,
  f64Div: SIMD.f64Div,
} satisfies OpcodeOf
const UNARY = {
  f32Sqrt: SIMD.f32Sqrt,
  f32RoundNearestEven: SIMD.f32Nearest,
  f32Floor: SIMD.f32Floor,
  f32Ceil: SIMD.f32Ceil,
  f32Trunc: SIMD.f32Trunc,
  f32ToI32: SIMD.i32TruncSatF32S,
  f32ToU32: SIMD.i32TruncSatF32U,
  i32ToF32: SIMD.f32ConvertS,
  u32ToF32: SIMD.f32ConvertU,
} satisfies OpcodeOf
const SHIFTS = {
  shiftLeft: SIMD.i32Shl,
  shiftRightLogical: SIMD.i32ShrU,
  shiftRightArithmetic: SIMD.i32ShrS,
} satisfies OpcodeOf
const SCALAR_SHIFTS: Readonly<Record<keyof typeof SHIFTS, number>> = {
  shiftLeft: OP.i32Shl,
  shiftRightLogical: OP.i32ShrU,
  shiftRightArithmetic: OP.i32ShrS,
}
/** Complements of comparisons that are one operation. */
const COMPLEMENTS: OpcodeOf = {
  f32Equal: SIMD.f32Ne,
  i32Equal: SIMD.i32Ne,
  i32Less: SIMD.i32GeS,
  u32Less: SIMD.i32GeU,
}

const isIn = <T extends OpcodeOf>(table: T, op: Op): op is Extract<keyof T, Op> => op in table

/** Operations that V8 does not pack (13.6). */
const UNPACKED: ReadonlySet<Op> = new Set<Op>([
  'f32RoundNearestEven',
  'f32Floor',
  'f32Ceil',
  'f32Trunc',
  'countBits',
  'countLeadingZeros',
  'countTrailingZeros',
])

/** Parts that a value has in locals. */
export function vectorPartsOf(e: Emitter, v: Value): number {
  return v.double ? e.width * 2 : e.width
}

/** Pushes part `i` of a varying value, computed from its operands. */
export function emitVector(e: Emitter, v: Value, i: number): void {
  const { f } = e
  const a = v.args[0]
  const b = v.args[1]
  const { op } = v
  if (isIn(BINARY, op)) {
    if (op === 'and' && emitAndNot(e, v, i)) return
    e.vector(a!, i)
    e.vector(b!, i)
    f.simd(BINARY[op])
  } else if (isIn(UNARY, op)) {
    e.vector(a!, i)
    f.simd(UNARY[op])
  } else if (isIn(SHIFTS, op)) emitShift(e, v, op, i)
  else if (isDoubleOp(op)) emitDouble(e, v, op, i)
  else emitOther(e, v, op, i)
  canonical(e, v)
  if (e.settings.pairs && UNPACKED.has(v.op)) endPacking(e)
}

function emitAndNot(e: Emitter, v: Value, i: number): boolean {
  for (let n = 0; n < 2; n++) {
    const x = v.args[n]!
    const y = v.args[1 - n]!
    if (y.op !== 'not' || !e.isVarying(y) || COMPLEMENTS[y.args[0]!.op] !== undefined) continue
    if (e.hasVector(y) && !isOnlyInAnds(e, y)) continue
    e.vector(x, i)
    e.vector(y.args[0]!, i)
    e.f.simd(SIMD.andnot)
    return true
  }
  return false
}

/** A complement that has a vector, but is needed by none of its uses: each is one operation without it. One from another part of the code has its operand nowhere. */
const isOnlyInAnds = (e: Emitter, y: Value): boolean =>
  !e.opaque.has(y) && e.hasVector(y.args[0]!) && e.uses.of(y).every(({ user }) => user?.op === 'and')

function canonical(e: Emitter, v: Value): void {
  if (!e.uses.needsCanonicalNan(v) || e.isNumber(v)) return
  const { f } = e
  const t = f.temp(V128)
  f.tee(t)
  e.pushConstant(0x7fc00000)
  f.get(t).get(t).simd(SIMD.f32Eq).simd(SIMD.bitselect)
  f.release(V128, t)
}

function emitShift(e: Emitter, v: Value, op: keyof typeof SHIFTS, i: number): void {
  const { f } = e
  const [a, count] = v.args as readonly [Value, Value]
  if (!e.isVarying(count)) {
    e.vector(a, i)
    e.scalarI(count)
    f.simd(SHIFTS[op])
    return
  }
  lanewise(e, [a, count], i, (push) => {
    push(0)
    push(1)
    f.op(SCALAR_SHIFTS[op])
  })
}

/** Lane by lane in scalars: `body` pushes a lane's result from the lane's operands. */
function lanewise(e: Emitter, args: readonly Value[], i: number, body: (push: (n: number) => void) => void): void {
  const { f } = e
  const operands = args.map((a) => e.repeatable(a, i))
  e.pushConstant(0)
  for (let l = 0; l < 4; l++) {
    body((n) => {
      operands[n]!.push()
      f.lane(SIMD.i32Extract, l)
    })
    f.lane(SIMD.i32Replace, l)
  }
  for (const o of operands) o.done()
}

type OtherOp = Exclude<Op, keyof typeof BINARY | keyof typeof UNARY | keyof typeof SHIFTS | DoubleVectorOp>

function emitOther(e: Emitter, v: Value, op: OtherOp, i: number): void {
  const { f } = e
  const a = v.args[0]
  const b = v.args[1]
  switch (op) {
    case 'not': {
      const complement = COMPLEMENTS[a!.op]
      if (complement !== undefined && e.isVarying(a!) && !e.hasVector(a!)) {
        e.vector(a!.args[0]!, i)
        e.vector(a!.args[1]!, i)
        f.simd(complement)
        return
      }
      e.vector(a!, i)
      f.simd(SIMD.not)
      return
    }
    case 'select':
      emitSelect(e, v, i)
      return
    case 'flushDenormal':
      emitFlush(e, v, i)
      return
    case 'f32Max':
    case 'f32Min':
      emitExtreme(e, v, i)
      return
    case 'f32Mad':
      emitFused(e, v, i)
      return
    case 'i32MulHigh':
    case 'u32MulHigh':
      emitMultiplyHigh(e, a!, b!, i, v.op === 'i32MulHigh')
      return
    case 'u32Div':
    case 'u32Rem':
      emitDivide(e, v, i)
      return
    case 'countBits':
      e.vector(a!, i)
      popcount(e)
      return
    case 'countLeadingZeros':
      emitLeadingZeros(e, a!, i)
      return
    case 'countTrailingZeros':
      emitTrailingZeros(e, a!, i)
      return
    case 'threadInGroup':
      emitThreadNumber(e, v, i)
      return
    case 'quadSwizzle':
      emitQuadSwizzle(e, v, i)
      return
    case 'packQuads':
      emitPackQuads(e, v)
      return
    case 'unpackQuads':
      e.vector(a!, 0)
      splatLane(e, i)
      return
    case 'input':
      e.f.get(e.inputs).simdMemory(SIMD.load, 4, v.imm * e.columnBytes + e.inputOffset + i * 16)
      return
    case 'constantBuffer':
      emitConstantBuffer(e, v, i)
      return
    case 'immediateConstant':
      emitImmediateConstant(e, v, i)
      return
    case 'constant':
    case 'phi':
    case 'result':
    case 'groupId':
    case 'quadSigns':
    case 'anyLane':
    case 'descriptor':
      throw new Error(`${op} is not computed by lanes`)
    default:
      op satisfies never
  }
}

/** Makes all lanes of the vector on the stack those of one. */
function splatLane(e: Emitter, lane: number): void {
  const t = e.f.temp(V128)
  e.f.tee(t).get(t).shuffle(lane, lane, lane, lane)
  e.f.release(V128, t)
}

/** Lanes of a number of all quads beside each other: by the interleaving shuffles that hosts have. */
function emitPackQuads(e: Emitter, v: Value): void {
  const { f, width } = e
  const [a] = v.args as readonly [Value]
  const lane = v.imm
  const low = lane & 2
  const pair = (i: number): void => {
    e.vector(a, i)
    e.vector(a, i + 1)
    f.shuffle(low, low + 4, low + 1, low + 5)
  }
  if (width === 1) {
    e.vector(a, 0)
    splatLane(e, lane)
    return
  }
  pair(0)
  if (width === 4) pair(2)
  else {
    const t = f.temp(V128)
    f.tee(t).get(t)
    f.release(V128, t)
  }
  if ((lane & 1) === 0) f.shuffle(0, 1, 4, 5)
  else f.shuffle(2, 3, 6, 7)
}

/** Pushes a condition as lanes of all ones or zeros. */
export function pushMask(e: Emitter, condition: Value, i: number): void {
  e.vector(condition, i)
  if (e.facts(condition).mask) return
  e.pushConstant(0)
  e.f.simd(SIMD.i32Ne)
}

function emitSelect(e: Emitter, v: Value, i: number): void {
  const [condition, a, b] = v.args as readonly [Value, Value, Value]
  // One operation where an arm is 0; a general choice is three.
  if (constantOf(a) === 0 || constantOf(b) === 0) {
    const isZeroFirst = constantOf(a) === 0
    e.vector(isZeroFirst ? b : a, i)
    pushMask(e, condition, i)
    e.f.simd(isZeroFirst ? SIMD.andnot : SIMD.and)
    return
  }
  e.vector(a, i)
  e.vector(b, i)
  pushMask(e, condition, i)
  e.f.simd(SIMD.bitselect)
}

/** x & ~((x & exponent) == 0 >>> 1): zeros and denormals keep only their sign. */
function emitFlush(e: Emitter, v: Value, i: number): void {
  const { f } = e
  if (e.fastPath?.elided.has(v) === true) {
    noteLeftOut(e, v, i)
    e.vector(v.args[0]!, i)
    return
  }
  const x = e.repeatable(v.args[0]!, i)
  x.push()
  x.push()
  e.pushConstant(0x7f800000)
  f.simd(SIMD.and)
  e.pushConstant(0)
  f.simd(SIMD.i32Eq)
  if (e.uses.needsZeroSign(v)) f.i32(1).simd(SIMD.i32ShrU)
  f.simd(SIMD.andnot)
  x.done()
}

/** Max and min with a constant that is no zero of the losing sign are one operation. */
function emitExtreme(e: Emitter, v: Value, i: number): void {
  const { f } = e
  const isMax = v.op === 'f32Max'
  const c = constantOf(v.args[1]!)
  if (c !== undefined && c !== (isMax ? 0x80000000 : 0) && (c & 0x7fffffff) <= 0x7f800000) {
    // pmax(c, x) is c < x ? x : c, which is c for NaN and for equal zeros.
    e.vector(v.args[1]!, i)
    e.vector(v.args[0]!, i)
    f.simd(isMax ? SIMD.f32Pmax : SIMD.f32Pmin)
    return
  }
  // Where only the second is known to be a number it goes first: comparisons with NaN fail, and give the first operand.
  const [first, second] =
    e.facts(v.args[1]!).number && !e.facts(v.args[0]!).number ? [v.args[1]!, v.args[0]!] : [v.args[0]!, v.args[1]!]
  const x = e.repeatable(first, i)
  const y = e.repeatable(second, i)
  x.push()
  y.push()
  f.simd(isMax ? SIMD.f32Pmax : SIMD.f32Pmin)
  if (!e.facts(first).number) {
    y.push()
    x.push()
    x.push()
    f.simd(SIMD.f32Eq).simd(SIMD.bitselect)
  }
  // Equal operands differ in the sign of zero alone: +0 is the larger.
  if (e.uses.needsZeroSign(v)) {
    x.push()
    y.push()
    f.simd(SIMD.f32Eq)
    y.push()
    f.simd(isMax ? SIMD.andnot : SIMD.and).simd(isMax ? SIMD.andnot : SIMD.or)
  }
  y.done()
  x.done()
}

/** a * b + c rounded once, lane by lane by the host: relaxed SIMD may or may not fuse, so it cannot promise this. */
function emitFused(e: Emitter, v: Value, i: number): void {
  const { f } = e
  if (e.settings.relaxed) {
    for (const a of v.args) e.vector(a, i)
    f.simd(SIMD.f32RelaxedMadd)
    return
  }
  const operands = v.args.map((a) => e.repeatable(a, i))
  e.pushConstant(0)
  for (let l = 0; l < 4; l++) {
    for (const o of operands) {
      o.push()
      f.lane(SIMD.f32Extract, l).op(OP.f64PromoteF32)
    }
    f.call('fusedFloat').op(OP.f32DemoteF64)
    f.lane(SIMD.f32Replace, l)
  }
  for (const o of operands) o.done()
}

/** A vector is a quad. */
function emitQuadSwizzle(e: Emitter, v: Value, i: number): void {
  const { push, done } = e.repeatable(v.args[0]!, i)
  push()
  push()
  e.f.shuffle(v.imm & 3, (v.imm >> 2) & 3, (v.imm >> 4) & 3, (v.imm >> 6) & 3)
  done()
}

/** The wave's first thread plus the lanes' constant differences, or lane by lane where waves differ. */
function emitThreadNumber(e: Emitter, v: Value, i: number): void {
  const { f } = e
  const { pattern } = e.uniformity.of(v)
  if (pattern !== undefined && startsAtZero(e.facts(v), pattern)) {
    f.get(e.constantLocal([...pattern.subarray(i * 4, i * 4 + 4)]))
    return
  }
  if (pattern !== undefined) {
    e.laneZero(v)
    f.simd(SIMD.i32Splat)
    f.get(e.constantLocal([...pattern.subarray(i * 4, i * 4 + 4)]))
    f.simd(SIMD.i32Add)
    return
  }
  const [x, y] = e.settings.threads
  e.pushConstant(0)
  for (let l = 0; l < 4; l++) {
    f.get(e.firstThread)
      .i32(i * 4 + l)
      .op(OP.i32Add)
    if (v.imm === 0) f.i32(x).op(OP.i32RemU)
    else if (v.imm === 1) f.i32(x).op(OP.i32DivU).i32(y).op(OP.i32RemU)
    else if (v.imm === 2) f.i32(x * y).op(OP.i32DivU)
    f.lane(SIMD.i32Replace, l)
  }
}

/** Words gathered by lane from 16-byte constants; the zero page takes what is out of bounds. */
function gatherConstants(
  e: Emitter,
  index: Value,
  i: number,
  offset: number,
  base: () => void,
  count: () => void,
): void {
  const { f } = e
  const t = f.temp(I32)
  lanewise(e, [index], i, (push) => {
    push(0)
    f.tee(t).i32(4).op(OP.i32Shl)
    base()
    f.op(OP.i32Add).i32(0).get(t)
    count()
    f.op(OP.i32LtU).op(OP.select).memory(OP.i32Load, 2, offset)
  })
  f.release(I32, t)
}

function emitConstantBuffer(e: Emitter, v: Value, i: number): void {
  const binding = v.imm >> 2
  gatherConstants(
    e,
    v.args[0]!,
    i,
    (v.imm & 3) * 4,
    () => e.pushDescriptor(binding, 'base'),
    () => e.pushDescriptor(binding, 'elementCount'),
  )
}

function emitImmediateConstant(e: Emitter, v: Value, i: number): void {
  gatherConstants(
    e,
    v.args[0]!,
    i,
    v.imm * 4,
    () => void e.f.get(e.immediateConstants),
    () => void e.f.i32(e.settings.immediateConstantCount),
  )
}
