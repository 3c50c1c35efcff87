import type { Value } from '../../ir/index.ts'
import type { Emitter } from '../emit/emitter.ts'
import { F32, F64, I32, V128, type ValueType } from '../encode/assembler.ts'
import { OP, SIMD } from '../encode/opcodes.ts'
import { isPure, type PhiInput, type SegmentValues } from './barrier-segments.ts'
import type { Waves } from './waves.ts'

/** Saves and loads the values of a wave between the segments of its code; both ways of running around barriers use it. */

const LOADS: Partial<Record<ValueType, number>> = { [I32]: OP.i32Load, [F32]: OP.f32Load, [F64]: OP.f64Load }
const STORES: Partial<Record<ValueType, number>> = { [I32]: OP.i32Store, [F32]: OP.f32Store, [F64]: OP.f64Store }

/** The code that moves values between a wave's locals and its frame, for parts of code that waves run one at a time. */
export class Frames {
  readonly e: Emitter
  readonly values: SegmentValues
  readonly waves: Waves

  constructor(e: Emitter, values: SegmentValues, waves: Waves) {
    this.e = e
    this.values = values
    this.waves = waves
  }

  /** Makes values of other parts available in a part: loaded from their slots, or computed again. Answers which. */
  load(part: number, values: Iterable<Value>): Value[] {
    const loaded: Value[] = []
    for (const v of values) this.#bring(part, v, loaded)
    return loaded
  }

  #bring(part: number, v: Value, loaded: Value[]): void {
    const { e, values } = this
    if (v.op === 'constant' || values.available.has(v) || values.madeIn.get(v) === part || loaded.includes(v)) return
    const slot = values.slots.get(v)
    if (slot !== undefined) {
      this.#load(v, slot)
      e.opaque.add(v)
      loaded.push(v)
      return
    }
    if (values.isKept(v) || !isPure(v)) return
    for (const a of v.args) this.#bring(part, a, loaded)
    e.forget(v)
    e.compute(v)
    loaded.push(v)
  }

  /** Values that were loaded for a part are dropped after it: the next wave or part has others. */
  forget(values: Iterable<Value>): void {
    for (const v of values) {
      if (!isPure(v) || v.op === 'constant' || this.values.available.has(v) || this.values.slots.has(v)) continue
      if (!this.values.isKept(v)) this.e.forget(v)
    }
  }

  #load(v: Value, slot: number): void {
    const { e, waves } = this
    if (!e.isVarying(v)) {
      e.f.get(waves.frame).memory(LOADS[e.scalarType(v)]!, 2, slot).set(e.scalarLocal(v))
      e.splatEarly(v)
      return
    }
    this.loadVectors(e.vectorLocals(v), slot)
  }

  /** Stores those of the values that live on after the part. */
  store(values: Iterable<Value>): void {
    const { e, waves } = this
    for (const v of values) {
      const slot = this.values.slots.get(v)
      if (slot === undefined) continue
      if (e.isVarying(v)) this.storeVectors(e.vectors.read(v), slot)
      else e.f.get(waves.frame).get(e.scalarLocal(v)).memory(STORES[e.scalarType(v)]!, 2, slot)
    }
  }

  loadWord(slot: number, local: number): void {
    this.e.f.get(this.waves.frame).memory(OP.i32Load, 2, slot).set(local)
  }
  storeWord(slot: number, local: number): void {
    this.e.f.get(this.waves.frame).get(local).memory(OP.i32Store, 2, slot)
  }

  loadVectors(locals: readonly number[], slot: number): void {
    const { e, waves } = this
    locals.forEach((local, i) => {
      e.f
        .get(waves.frame)
        .simdMemory(SIMD.load, 4, slot + i * 16)
        .set(local)
    })
  }
  storeVectors(locals: readonly number[], slot: number): void {
    const { e, waves } = this
    locals.forEach((local, i) => {
      e.f
        .get(waves.frame)
        .get(local)
        .simdMemory(SIMD.store, 4, slot + i * 16)
    })
  }

  /** Sets merges in the frame, all values read before any is written; for the lanes of a mask only where one is given. */
  merge(pairs: readonly PhiInput[], mask?: readonly number[]): void {
    const stores = pairs
      .filter(([phi, value]) => phi !== value)
      .flatMap(([phi, value]) => this.#stage(phi, value, mask))
    for (const store of stores) store()
  }

  /** Reads a value into locals; what it answers stores them to the merge's slot. */
  #stage(phi: Value, value: Value, mask: readonly number[] | undefined): (() => void)[] {
    const { e, waves } = this
    const { f } = e
    const slot = this.values.slots.get(phi)!
    if (!e.isVarying(phi)) {
      const local = f.local(I32)
      e.scalarI(value)
      f.set(local)
      return [() => void f.get(waves.frame).get(local).memory(OP.i32Store, 2, slot)]
    }
    return Array.from({ length: e.width }, (_, i) => {
      const local = f.local(V128)
      e.vector(value, i)
      if (mask !== undefined) {
        f.get(waves.frame)
          .simdMemory(SIMD.load, 4, slot + i * 16)
          .get(mask[i]!)
          .simd(SIMD.bitselect)
      }
      f.set(local)
      return () =>
        void f
          .get(waves.frame)
          .get(local)
          .simdMemory(SIMD.store, 4, slot + i * 16)
    })
  }
}
