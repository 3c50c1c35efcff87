import { type AtomicOperation, atomicOperation, atomicResult } from '../../../isa/index.ts'
import { Builder, constantOf, type EffectItem, MAX_VALUES, type Value } from '../../ir/index.ts'
import { I32, V128 } from '../encode/assembler.ts'
import { ATOMIC, OP, SIMD } from '../encode/opcodes.ts'
import { siteOf } from './bounds-check-site.ts'
import type { Emitter } from './emitter.ts'
import type { Mask } from './kernel-layout.ts'
import { laneAddresses } from './lane-address.ts'
import { emitScalar } from './scalar-ops.ts'

/** Atomics. Lanes execute one after the other, in the order of the reference's schedule. */

/** What an operation leaves in memory, as values of its own over the word in memory, the value and the compared one. */
interface ResultCode {
  readonly memory: Value
  readonly value: Value
  readonly compare: Value
  readonly result: Value
}

const RESULT_CODE = new Map<AtomicOperation, ResultCode>()

function resultCodeOf(operation: AtomicOperation): ResultCode {
  const known = RESULT_CODE.get(operation)
  if (known !== undefined) return known
  // The emitter keeps what it knows of values by their numbers: these are none of the program.
  const o = new Builder({ threads: [1, 1, 1], keepDenormals: true, fused: false, firstId: MAX_VALUES })
  const [memory, value, compare] = [o.result(0), o.result(1), o.result(2)]
  const code = { memory, value, compare, result: atomicResult(o, operation, memory, value, compare) }
  RESULT_CODE.set(operation, code)
  return code
}

/** Pushes the new word, given locals of the old one, the value and the compared value. */
function pushAtomicResult(e: Emitter, operation: AtomicOperation, old: number, value: number, compare: number): void {
  const code = resultCodeOf(operation)
  const locals = new Map([
    [code.memory, old],
    [code.value, value],
    [code.compare, compare],
  ])
  const push = (v: Value): void => {
    const local = locals.get(v)
    const constant = constantOf(v)
    if (local !== undefined) e.f.get(local)
    else if (constant !== undefined) e.f.i32(constant | 0)
    else emitScalar(e, v, push)
  }
  push(code.result)
}

/** Operations that WebAssembly has on shared memory; the others load, compute and compare until no other thread wrote between. */
const SHARED_OPS: { readonly [K in AtomicOperation]?: number } = {
  and: ATOMIC.and,
  or: ATOMIC.or,
  xor: ATOMIC.xor,
  add: ATOMIC.add,
  exchange: ATOMIC.exchange,
  'compare-exchange': ATOMIC.compareExchange,
}

/** One atomic on the word at `address`, leaving the word before in `old`. */
function atomicAt(
  e: Emitter,
  operation: AtomicOperation,
  shared: boolean,
  locals: { readonly address: number; readonly value: number; readonly compare: number; readonly old: number },
): void {
  const { f } = e
  const { address, value, compare, old } = locals
  if (!shared) {
    f.get(address).memory(OP.i32Load, 2).set(old)
    f.get(address)
    pushAtomicResult(e, operation, old, value, compare)
    f.memory(OP.i32Store, 2)
    return
  }
  const direct = SHARED_OPS[operation]
  if (direct !== undefined) {
    f.get(address)
    if (atomicOperation(operation).compares) f.get(compare)
    f.get(value).atomic(direct).set(old)
    return
  }
  f.loop((again) => {
    f.get(address).atomic(ATOMIC.load).set(old)
    f.get(address).get(old)
    pushAtomicResult(e, operation, old, value, compare)
    f.atomic(ATOMIC.compareExchange).get(old).op(OP.i32Ne).brIf(again)
  })
}

/** Addresses of part `i` with what must not be touched sent to the dump page, and the lanes that count. */
interface Redirected {
  readonly addresses: number
  readonly valid: number
}

function redirect(e: Emitter, addresses: number, mask: Mask, i: number): Redirected {
  const { f } = e
  const valid = f.temp(V128)
  f.get(addresses)
  e.pushConstant(0)
  f.simd(SIMD.i32Ne)
  if (mask !== 'full') f.get(mask[i]!).simd(SIMD.and)
  f.set(valid)
  f.get(addresses).get(e.dumpSplat).get(valid).simd(SIMD.bitselect).set(addresses)
  return { addresses, valid }
}

/** Atomics of the lanes of part `i`; results into a v128 local where wanted. */
function atomicLanes(
  e: Emitter,
  operation: AtomicOperation,
  shared: boolean,
  target: Redirected,
  operands: { readonly value: Value; readonly compare: Value | undefined; readonly result: number | undefined },
  i: number,
): void {
  const { f } = e
  const locals = { address: f.temp(I32), value: f.temp(I32), compare: f.temp(I32), old: f.temp(I32) }
  const value = e.repeatable(operands.value, i)
  const compare = operands.compare === undefined ? undefined : e.repeatable(operands.compare, i)
  for (let l = 0; l < 4; l++) {
    f.get(target.addresses).lane(SIMD.i32Extract, l).set(locals.address)
    value.push()
    f.lane(SIMD.i32Extract, l).set(locals.value)
    if (compare !== undefined) {
      compare.push()
      f.lane(SIMD.i32Extract, l).set(locals.compare)
    }
    atomicAt(e, operation, shared, locals)
    if (operands.result === undefined) continue
    f.get(operands.result).get(locals.old).lane(SIMD.i32Replace, l).set(operands.result)
  }
  compare?.done()
  value.done()
  if (operands.result !== undefined) f.get(operands.result).get(target.valid).simd(SIMD.and).set(operands.result)
  f.release(I32, locals.address, locals.value, locals.compare, locals.old)
}

export function emitAtomic(e: Emitter, item: Extract<EffectItem, { kind: 'atomic' }>, mask: Mask): void {
  const shared = e.settings.sharedAtomics && item.address.space.kind === 'buffer'
  for (let i = 0; i < e.width; i++) {
    const addresses = laneAddresses(e, siteOf(item, [0]), i)
    const target = redirect(e, addresses, mask, i)
    const result = item.results[0] === undefined ? undefined : e.vectorLocals(item.results[0])[i]!
    atomicLanes(e, item.operation, shared, target, { value: item.value, compare: item.compare, result }, i)
    e.f.release(V128, target.addresses, target.valid)
  }
}
