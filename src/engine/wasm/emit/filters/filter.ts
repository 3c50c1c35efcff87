import { type EffectItem, FILTER_NEEDS_EXACT, type FilterTaps, type Value } from '../../../ir/index.ts'
import { I32, V128 } from '../../encode/assembler.ts'
import { OP, SIMD } from '../../encode/opcodes.ts'
import { F32 } from '../../encode/writer.ts'
import type { Emitter } from '../emitter.ts'
import { transposeInto } from '../transpose.ts'
import { loadSplat } from '../vector-pairing.ts'
import { keepCodes, sumCodes } from './code-filter.ts'

/**
 * Bilinear filters of texels of four floats, lane by lane: four loads of whole texels, three blends of their components
 * together, and one transposition of the results, where component by component it would be one for each texel. The lanes
 * are done one after the other in a loop, their addresses and weights come from scratch memory: written out one after the other, V8 would
 * load the texels of all lanes before it blends any, and spill them.
 */

type Filter = Extract<EffectItem, { kind: 'filter' }>

/** Words of lanes in scratch memory: addresses of the taps, weights, results. */
const ADDRESSES = 0
const WEIGHTS = 4
const ROWS = 6
/** Of the second mip, two addresses and two weights. */
const FAR = 10
export const FILTER_SLOTS = 14

/** Twice the bits (so without the sign) of 2^-30, and from there to infinity: see lower/filter-code.ts. */
const LEAST = 0x61000000
const REACH = 0xff000000 - LEAST

/** Locals of a lane's texels and weights. */
interface Lane {
  readonly taps: readonly number[]
  readonly u: number
  readonly v: number
}

/** Sets `row` to lerp(lerp(a, b, u), lerp(c, d, u), v), each a + (b - a) * t. */
function blend(e: Emitter, { taps, u, v }: Lane, row: number): void {
  const { f } = e
  const [a, b, c, d] = taps as readonly [number, number, number, number]
  const far = f.temp(V128)
  const mix = (from: number, to: number, t: number): void =>
    void f.get(from).get(to).get(from).simd(SIMD.f32Sub).get(t).simd(SIMD.f32Mul).simd(SIMD.f32Add)
  mix(c, d, u)
  f.set(far)
  mix(a, b, u)
  f.set(row)
  mix(row, far, v)
  f.set(row)
  f.release(V128, far)
}

/** Raises `most` where a result may differ from one with flushes: not those of moderate size, nor those of four texels of +0. */
function raiseUncertainty(e: Emitter, { taps }: Lane, row: number, most: number): void {
  const { f } = e
  f.get(most).get(row).i32(1).simd(SIMD.i32Shl)
  e.pushConstant(LEAST)
  f.simd(SIMD.i32Sub)
  taps.forEach((t, n) => {
    f.get(t)
    if (n > 0) f.simd(SIMD.or)
  })
  e.pushConstant(0)
  f.simd(SIMD.i32Eq).simd(SIMD.andnot).simd(SIMD.i32MaxU).set(most)
}

/** The loop over lanes: from their addresses and weights to their rows. */
function filterLanes(e: Emitter, most: number): void {
  const { f } = e
  const slot = e.width * 16
  const [word, at, end] = [f.temp(I32), f.temp(I32), f.temp(I32)]
  const taps = [0, 1, 2, 3].map(() => f.temp(V128))
  const [u, v, row] = [f.temp(V128), f.temp(V128), f.temp(V128)]
  f.get(e.scratch).i32(e.settings.callOffset).op(OP.i32Add).tee(word).tee(at)
  f.i32(slot).op(OP.i32Add).set(end)
  f.loop((again) => {
    taps.forEach((t, n) => {
      f.get(word).memory(OP.i32Load, 2, (ADDRESSES + n) * slot)
      f.simdMemory(SIMD.load, 2).set(t)
    })
    for (const [n, w] of [u, v].entries()) {
      f.get(word)
      loadSplat(e, (WEIGHTS + n) * slot)
      f.set(w)
    }
    const lane = { taps, u, v }
    blend(e, lane, row)
    raiseUncertainty(e, lane, row, most)
    f.get(at)
      .get(row)
      .simdMemory(SIMD.store, 4, ROWS * slot)
    f.get(at).i32(16).op(OP.i32Add).set(at)
    f.get(word).i32(4).op(OP.i32Add).tee(word).get(end).op(OP.i32LtU).brIf(again)
  })
  f.release(V128, u, v, row, ...taps)
  f.release(I32, word, at, end)
}

/** Byte offset from the scratch memory's begin of slot `n` of vector `i` of lanes, each of which has slots of its own. */
const slotOf = (e: Emitter, i: number, n: number): number => e.settings.callOffset + (i * FILTER_SLOTS + n) * 16

/** Slots of a mip's addresses, and of its weights. */
interface MipSlots {
  readonly addresses: number
  readonly weights: number
}
const NEAR_SLOTS: MipSlots = { addresses: ADDRESSES, weights: WEIGHTS }
const FAR_SLOTS: MipSlots = { addresses: FAR, weights: FAR + 2 }

/** A lane of a vector of the wave. */
interface LaneOfPart {
  readonly part: number
  readonly lane: number
}

/** Sets `row` to what one lane of a filter of rows has of a mip. */
function filterMip(e: Emitter, { part, lane }: LaneOfPart, { addresses, weights }: MipSlots, row: number): void {
  const { f } = e
  const taps = [0, 1, 2, 3].map(() => f.temp(V128))
  const [u, v] = [f.temp(V128), f.temp(V128)]
  const address = f.temp(I32)
  const word = (n: number): number => slotOf(e, part, n) + lane * 4
  for (const row of [0, 1]) {
    f.get(e.scratch)
      .memory(OP.i32Load, 2, word(addresses + row))
      .tee(address)
      .simdMemory(SIMD.load, 2, 0)
      .set(taps[row * 2]!)
    f.get(address)
      .simdMemory(SIMD.load, 2, 16)
      .set(taps[row * 2 + 1]!)
  }
  for (const [n, w] of [u, v].entries()) {
    f.get(e.scratch)
    loadSplat(e, word(weights + n))
    f.set(w)
  }
  blend(e, { taps, u, v }, row)
  f.release(V128, u, v, ...taps)
  f.release(I32, address)
}

/** The row of one lane: of a mip, or of two and the weight of the second. It goes to memory, which also keeps lanes in their order. */
function filterLane(e: Emitter, at: LaneOfPart, pushFraction: ((l: number) => void) | undefined): void {
  const { f } = e
  const row = f.temp(V128)
  filterMip(e, at, NEAR_SLOTS, row)
  if (pushFraction !== undefined) {
    const far = f.temp(V128)
    filterMip(e, at, FAR_SLOTS, far)
    f.get(row).get(far).get(row).simd(SIMD.f32Sub)
    pushFraction(at.lane)
    f.simd(SIMD.f32Mul).simd(SIMD.f32Add).set(row)
    f.release(V128, far)
  }
  f.get(e.scratch)
    .get(row)
    .simdMemory(SIMD.store, 4, slotOf(e, at.part, ROWS + at.lane))
  f.release(V128, row)
}

/** Keeps the weights of the second mip of vector `i`; what pushes that of a lane, for all components. */
function keepFraction(e: Emitter, fraction: Value, i: number): { push: (l: number) => void; done: () => void } {
  const { f } = e
  const local = f.temp(V128)
  e.vector(fraction, i)
  f.set(local)
  const isSame = e.uniformity.isSameInQuads(fraction)
  const push = (l: number): void => {
    f.get(local)
    if (!isSame) f.get(local).shuffle(l, l, l, l)
  }
  return { push, done: () => f.release(V128, local) }
}

/** The results of vector `i` from the rows of its lanes. */
function transposeRows(e: Emitter, item: Filter, i: number): void {
  const { f } = e
  const rows = [0, 1, 2, 3].map((l) => {
    const row = f.temp(V128)
    f.get(e.scratch)
      .simdMemory(SIMD.load, 4, slotOf(e, i, ROWS + l))
      .set(row)
    return row
  })
  transposeInto(
    e,
    rows,
    item.results.map((r) => e.vectorLocals(r)[i]!),
  )
  f.release(V128, ...rows)
}

/** The same of a filter of codes. */
function beginCodes(e: Emitter, item: Filter, i: number): () => void {
  const at = (n: number): number => slotOf(e, i, n)
  keepCodes(e, item, i, at)
  return () => {
    sumCodes(e, item, at, (lane) => at(ROWS + lane))
    transposeRows(e, item, i)
  }
}

/**
 * A filter of rows of texels whose blends meet no denormals, infinities or -0, of vector `i` of the wave: stores its addresses and weights. What
 * this answers filters, and may come later.
 */
export function beginPlainFilter(e: Emitter, item: Filter, i: number): () => void {
  if (item.codeBits !== undefined) return beginCodes(e, item, i)
  const { f } = e
  const { far } = item
  const store = (v: Value, n: number): void => {
    f.get(e.scratch)
    e.vector(v, i)
    f.simdMemory(SIMD.store, 4, slotOf(e, i, n))
  }
  const storeMip = ({ taps, u, v }: FilterTaps, { addresses, weights }: MipSlots): void => {
    for (const [n, v] of taps.entries()) store(v, addresses + n)
    store(u, weights)
    store(v, weights + 1)
  }
  storeMip(item, NEAR_SLOTS)
  if (far !== undefined) storeMip(far, FAR_SLOTS)
  const fraction = far === undefined ? undefined : keepFraction(e, far.fraction, i)
  return () => {
    for (let lane = 0; lane < 4; lane++) filterLane(e, { part: i, lane }, fraction?.push)
    fraction?.done()
    transposeRows(e, item, i)
  }
}

function emitPlainFilter(e: Emitter, item: Filter): void {
  for (const i of e.parts) beginPlainFilter(e, item, i)()
}

export function emitFilter(e: Emitter, item: Filter): void {
  if (item.results.length === 4) emitPlainFilter(e, item)
  else emitCarefulFilter(e, item)
}

function emitCarefulFilter(e: Emitter, item: Filter): void {
  const { f } = e
  const at = (slot: number, i: number): number => e.settings.callOffset + (slot * e.width + i) * 16
  const operands = [...item.taps, item.u, item.v]
  for (let i = 0; i < e.width; i++) {
    operands.forEach((v, n) => {
      f.get(e.scratch)
      e.vector(v, i)
      f.simdMemory(SIMD.store, 4, at(ADDRESSES + n, i))
    })
  }
  const most = f.temp(V128)
  e.pushConstant(0)
  f.set(most)
  filterLanes(e, most)
  const rows = [0, 1, 2, 3].map(() => f.temp(V128))
  for (let i = 0; i < e.width; i++) {
    rows.forEach((row, l) => {
      const offset = e.settings.callOffset + ROWS * e.width * 16 + (i * 4 + l) * 16
      f.get(e.scratch).simdMemory(SIMD.load, 4, offset).set(row)
    })
    transposeInto(
      e,
      rows,
      [0, 1, 2, 3].map((c) => e.vectorLocals(item.results[c]!)[i]!),
    )
  }
  f.release(V128, ...rows)
  f.get(most)
  e.pushConstant(REACH)
  f.simd(SIMD.i32GeU).simd(SIMD.anyTrue)
  const needsExact = item.results[FILTER_NEEDS_EXACT]!
  if (e.scalarTypeIs(needsExact, F32)) f.op(OP.f32ReinterpretI32)
  f.set(e.scalarLocal(needsExact))
  f.release(V128, most)
}
