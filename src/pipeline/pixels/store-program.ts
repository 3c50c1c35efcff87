import type { QuadMemory, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import { type RenderTargetView, SRGB8_LEAST_BITS } from '../../machine/index.ts'
import { laneBytesOf } from '../lane-bytes.ts'
import type { StoreProgram } from '../merge/index.ts'
import { parameterWord } from './input-program.ts'
import { PARAMETER, QUAD_MEMORY } from './quads.ts'
import { isSampleSet, pixelLayout, pixelsAt, targetPixels } from './target-pixels.ts'

/** Stores of colors as a program of quads: what `ColorMerge.write` does with numbers. */

const SHADED = QUAD_MEMORY.shaded
/** The upper half of a float32's bits that the first step of sRGB is for. */
const FIRST_STEP = SRGB8_LEAST_BITS >>> 16

/** A word of a table that begins at a place of the memory. */
const tableWord = <V>(o: ValueOps<V>, m: QuadMemory<V>, table: number, index: V): V =>
  m.load(o.i32Add(o.shiftLeft(index, o.constant(2)), o.constant(table >>> 0)), 1)[0]!

/** The colors of the quad that runs, and which samples of its pixels get them. */
interface StoredColors<V> {
  readonly source: readonly V[]
  readonly source1: readonly V[]
  readonly masks: V
  readonly unflushed?: readonly V[]
  readonly zeros?: number
}

const wordOfQuad = <V>(o: ValueOps<V>, m: QuadMemory<V>, column: number): V =>
  m.load(o.i32Add(o.shiftLeft(m.quad, o.constant(2)), o.constant(column)), 1)[0]!

/** Where the slice of the target begins that the quad which runs goes to. */
export const sliceStart = <V>(o: ValueOps<V>, m: QuadMemory<V>): V =>
  o.i32Add(
    parameterWord(o, m, PARAMETER.target),
    o.i32Mul(wordOfQuad(o, m, SHADED.slices), parameterWord(o, m, PARAMETER.targetSlice)),
  )

/** Stores them to a target: to the pixels of the quad that runs, or to those at addresses of their own. */
export function storeColors<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  store: StoreProgram,
  view: RenderTargetView,
  { masks, ...colors }: StoredColors<V>,
  at?: V,
): void {
  const layout = pixelLayout(view)
  const { sampleCount, wordCount } = store
  const parameter = (n: number): V => parameterWord(o, m, n)
  const words = {
    ...colors,
    blendFactor: [0, 1, 2, 3].map((c) => parameter(PARAMETER.blendFactor + c)),
    tables: {
      linearOf: (code: V) => tableWord(o, m, QUAD_MEMORY.srgb.linear, code),
      stepOf: (upper: V) => tableWord(o, m, QUAD_MEMORY.srgb.steps - FIRST_STEP * 4, upper),
    },
    choice: m,
  }
  const ofQuad = (): V => {
    const ofRow = o.i32Mul(wordOfQuad(o, m, SHADED.y), o.constant(layout.rowPitch))
    const ofColumn = o.i32Mul(wordOfQuad(o, m, SHADED.x), o.constant(layout.wordCount * 4))
    return o.i32Add(sliceStart(o, m), o.i32Add(ofRow, ofColumn))
  }
  const pixels = at === undefined ? targetPixels(o, m, layout, ofQuad(), masks) : pixelsAt(o, m, layout, at)
  const stored = Array.from({ length: sampleCount }, (_, s) => {
    const element = pixels.words.slice(s * wordCount, (s + 1) * wordCount)
    const isWritten = isSampleSet(o, masks, s)
    return store.meaning(o, words, element).map((word, n) => o.select(isWritten, word, element[n]!))
  })
  pixels.store(stored.flat())
}

/** `capacity` is that of a batch; `hasSource1` says whether the shader writes o1. */
export function colorProgram(
  store: StoreProgram,
  view: RenderTargetView,
  capacity: number,
  hasSource1: boolean,
): QuadProgram {
  const { readsSource1, keepsDenormals } = store
  const meaning = <V>(o: ValueOps<V>, m: QuadMemory<V>): void => {
    const laneBytes = laneBytesOf(o, m)
    const colors = (first: V): V[] => {
      const at = o.i32Add(first, laneBytes)
      return [0, 1, 2, 3].map((c) => m.load(o.i32Add(at, o.constant(c * capacity * 4)), 1)[0]!)
    }
    const parameter = (n: number): V => parameterWord(o, m, n)
    const zeros = [0, 0, 0, 0].map((word) => o.constant(word))
    storeColors(o, m, store, view, {
      source: colors(parameter(PARAMETER.source)),
      source1: readsSource1 && hasSource1 ? colors(parameter(PARAMETER.source1)) : zeros,
      masks: m.load(o.i32Add(laneBytes, o.constant(SHADED.written)), 1)[0]!,
    })
  }
  return {
    key: JSON.stringify(['colors', store.key, pixelLayout(view), capacity, readsSource1 && hasSource1]),
    keepsDenormals,
    meaning,
  }
}
