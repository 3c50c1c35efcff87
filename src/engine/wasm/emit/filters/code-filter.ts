import { POSITION_BITS, WEIGHT_BITS } from '../../../../machine/index.ts'
import type { EffectItem, FilterTaps } from '../../../ir/index.ts'
import { I32, V128 } from '../../encode/assembler.ts'
import { OP, SIMD } from '../../encode/opcodes.ts'
import type { Emitter } from '../emitter.ts'

/**
 * Filters that sum texels in whole numbers (machine/sampling/code-filter.ts). A texel of the copy has each component beside that of the
 * texel below it, so that one multiplication of pairs weighs two texels in all components; those on the right stand behind them.
 */

type Filter = Extract<EffectItem, { kind: 'filter' }>

/** Slots of a mip: the address of the first texel, and weights in pairs of the texels on the left and on the right. */
interface MipSlots {
  readonly address: number
  readonly left: number
  readonly right: number
}
const NEAR: MipSlots = { address: 0, left: 1, right: 2 }
const FAR: MipSlots = { address: 3, left: 4, right: 5 }

/** Stores addresses and weights of a mip, whose weights come to `whole`; `offsetOf` is of a slot. */
function keepMip(
  e: Emitter,
  { taps, u, v }: FilterTaps,
  i: number,
  whole: number,
  slots: MipSlots,
  offsetOf: (slot: number) => number,
): void {
  const { f } = e
  const [x, product, lower, pairs] = [0, 1, 2, 3].map(() => f.temp(V128)) as [number, number, number, number]
  const shift = (by: number, op: number): void => void f.i32(by).simd(op)
  const store = (slot: number, push: () => void): void => {
    f.get(e.scratch)
    push()
    f.simdMemory(SIMD.store, 4, offsetOf(slot))
  }
  const pushFraction = (value: FilterTaps['u']): void => {
    e.vector(value, i)
    e.pushConstant(2 ** POSITION_BITS - 1)
    f.simd(SIMD.and)
  }
  store(slots.address, () => e.vector(taps[0]!, i))
  // Products of 16-bit lanes in pairs: what is above a number of 14 bits is 0, in one factor of each at least.
  pushFraction(v)
  f.get(whole).simd(SIMD.i32DotI16).tee(product)
  shift(POSITION_BITS, SIMD.i32ShrU)
  f.set(lower)
  f.get(whole).get(lower).simd(SIMD.i32Sub).get(product)
  shift(16 - POSITION_BITS, SIMD.i32Shl)
  f.blendHalves().set(pairs)
  pushFraction(u)
  f.tee(x).get(pairs).simd(SIMD.i32DotI16)
  shift(POSITION_BITS, SIMD.i32ShrU)
  f.get(x).get(lower).simd(SIMD.i32DotI16)
  shift(16 - POSITION_BITS, SIMD.i32Shl)
  f.blendHalves().set(product)
  store(slots.right, () => void f.get(product))
  store(slots.left, () => void f.get(pairs).get(product).simd(SIMD.i32Sub))
  f.release(V128, x, product, lower, pairs)
}

/** Stores addresses and weights of vector `i`. */
export function keepCodes(e: Emitter, item: Filter, i: number, offsetOf: (slot: number) => number): void {
  const { f } = e
  const { far } = item
  const whole = f.temp(V128)
  e.pushConstant(1 << WEIGHT_BITS)
  if (far !== undefined) {
    e.vector(far.fraction, i)
    f.simd(SIMD.i32Sub)
  }
  f.set(whole)
  keepMip(e, item, i, whole, NEAR, offsetOf)
  if (far !== undefined) {
    e.vector(far.fraction, i)
    f.set(whole)
    keepMip(e, far, i, whole, FAR, offsetOf)
  }
  f.release(V128, whole)
}

/** Locals of the weights of all lanes of a mip. */
interface MipWeights {
  readonly slots: MipSlots
  readonly left: number
  readonly right: number
}

/** Pushes the sum of a mip for one lane. */
function pushMip(
  e: Emitter,
  bits: 8 | 16,
  { slots, left, right }: MipWeights,
  lane: number,
  offsetOf: (slot: number) => number,
): void {
  const { f } = e
  const from = f.temp(I32)
  f.get(e.scratch)
    .memory(OP.i32Load, 2, offsetOf(slots.address) + lane * 4)
    .set(from)
  for (const [n, weights] of [left, right].entries()) {
    f.get(from).simdMemory(bits === 8 ? SIMD.load8x8U : SIMD.load, 0, n * bits)
    f.get(weights).get(weights).shuffle(lane, lane, lane, lane).simd(SIMD.i32DotI16)
  }
  f.simd(SIMD.i32Add)
  f.release(I32, from)
}

/** Stores the sums of all lanes, each in a row that begins at `rowOf` it; `offsetOf` is of a slot. */
export function sumCodes(
  e: Emitter,
  { far, codeBits }: Filter,
  offsetOf: (slot: number) => number,
  rowOf: (lane: number) => number,
): void {
  const { f } = e
  const load = (slot: number): number => {
    const local = f.temp(V128)
    f.get(e.scratch).simdMemory(SIMD.load, 4, offsetOf(slot)).set(local)
    return local
  }
  const mips = (far === undefined ? [NEAR] : [NEAR, FAR]).map(
    (slots): MipWeights => ({ slots, left: load(slots.left), right: load(slots.right) }),
  )
  for (let lane = 0; lane < 4; lane++) {
    f.get(e.scratch)
    mips.forEach((mip, n) => {
      pushMip(e, codeBits!, mip, lane, offsetOf)
      if (n > 0) f.simd(SIMD.i32Add)
    })
    f.simdMemory(SIMD.store, 4, rowOf(lane))
  }
  for (const { left, right } of mips) f.release(V128, left, right)
}
