import type { QuadMemory, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import type { StoreProgram } from '../merge/index.ts'
import { parameterWord } from './input-program.ts'
import { PARAMETER, QUAD_MEMORY } from './quads.ts'

/** Stores of colors as a program of quads: what `ColorMerge.write` does with numbers. */

const SHADED = QUAD_MEMORY.shaded

/** `capacity` is that of a batch; `hasSource1` says whether the shader writes o1. */
export function colorProgram(store: StoreProgram, capacity: number, hasSource1: boolean): QuadProgram {
  const { readsSource1, sampleCount, wordCount, keepsDenormals } = store
  const meaning = <V>(o: ValueOps<V>, m: QuadMemory<V>): void => {
    const quadBytes = o.shiftLeft(m.quad, o.constant(2))
    const ofQuad = (column: number): V => m.load(o.i32Add(quadBytes, o.constant(column)), 1)[0]!
    const laneBytes = o.i32Add(o.shiftLeft(m.quad, o.constant(4)), o.shiftLeft(m.pixel, o.constant(2)))
    const parameter = (n: number): V => parameterWord(o, m, n)
    const colors = (first: V): V[] => {
      const at = o.i32Add(first, laneBytes)
      return [0, 1, 2, 3].map((c) => m.load(o.i32Add(at, o.constant(c * capacity * 4)), 1)[0]!)
    }
    const zeros = [0, 0, 0, 0].map((word) => o.constant(word))
    const words = {
      source: colors(parameter(PARAMETER.source)),
      source1: readsSource1 && hasSource1 ? colors(parameter(PARAMETER.source1)) : zeros,
      blendFactor: [0, 1, 2, 3].map((c) => parameter(PARAMETER.blendFactor + c)),
    }
    const masks = m.load(o.i32Add(laneBytes, o.constant(SHADED.written)), 1)[0]!
    const start = o.i32Add(
      parameter(PARAMETER.target),
      o.i32Mul(ofQuad(SHADED.slices), parameter(PARAMETER.targetSlice)),
    )
    const ofRow = o.i32Mul(ofQuad(SHADED.y), parameter(PARAMETER.targetRow))
    const ofColumn = o.i32Mul(ofQuad(SHADED.x), o.constant(sampleCount * wordCount * 4))
    const row = o.shiftRightLogical(m.pixel, o.constant(1))
    const column = o.and(m.pixel, o.constant(1))
    const inQuad = o.i32Add(
      o.and(o.i32Sub(o.constant(0), row), parameter(PARAMETER.targetRow)),
      o.i32Mul(column, o.constant(sampleCount * wordCount * 4)),
    )
    const first = o.i32Add(o.i32Add(start, o.i32Add(ofRow, ofColumn)), inQuad)
    for (let s = 0; s < sampleCount; s++) {
      // All ones where the bit of the sample is set.
      const valid = o.shiftRightArithmetic(o.shiftLeft(masks, o.constant(31 - s)), o.constant(31))
      const at = o.i32Add(first, o.constant(s * wordCount * 4))
      const element = m.load(at, wordCount, valid)
      m.store(at, store.meaning(o, words, element), valid)
    }
  }
  return { key: JSON.stringify(['colors', store.key, capacity, readsSource1 && hasSource1]), keepsDenormals, meaning }
}
