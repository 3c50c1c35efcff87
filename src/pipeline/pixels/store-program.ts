import type { QuadMemory, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import { type RenderTargetView, SRGB8_LEAST_BITS } from '../../machine/index.ts'
import { laneBytesOf } from '../lane-bytes.ts'
import type { CompilableStore } from '../merge/index.ts'
import { parameterWord } from './input-program.ts'
import { PARAMETER, QUAD_MEMORY } from './quads.ts'
import { isSampleSet, layoutText, type PixelLayout, pixelLayout, pixelsAt, targetPixels } from './target-pixels.ts'

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
  readonly inRange?: number
}

/** Where pixels go: to addresses of their own, or to those of a quad by its first pixel. */
type StorePlace<V> = { readonly at: V } | { readonly first: V }

/** The address of a pixel in a slice of the target that begins at `start`. */
export function pixelAddress<V>(o: ValueOps<V>, view: RenderTargetView, start: V, x: V, y: V): V {
  const { rowPitch, wordCount } = pixelLayout(view)
  const [ofRow, ofColumn] = [o.i32Mul(y, o.constant(rowPitch)), o.i32Mul(x, o.constant(wordCount * 4))]
  return o.i32Add(start, o.i32Add(ofRow, ofColumn))
}

/** Where the slice of the target begins that the quad which runs, one of those that wait, goes to. */
export function sliceStart<V>(o: ValueOps<V>, m: QuadMemory<V>): V {
  const slice = wordOfQuad(o, m, SHADED.slices)
  return o.i32Add(parameterWord(o, m, PARAMETER.target), o.i32Mul(slice, parameterWord(o, m, PARAMETER.targetSlice)))
}

const wordOfQuad = <V>(o: ValueOps<V>, m: QuadMemory<V>, column: number): V =>
  m.load(o.i32Add(o.shiftLeft(m.quad, o.constant(2)), o.constant(column)), 1)[0]!

/** Stores them to a target. */
export function storeColors<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  { program, view }: Pick<CompilableStore, 'program' | 'view'>,
  { masks, ...colors }: StoredColors<V>,
  place: StorePlace<V>,
): void {
  const layout = pixelLayout(view)
  const { sampleCount, wordCount } = program
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
  const byElements = (): void => {
    const pixels = 'at' in place ? pixelsAt(o, m, layout, place.at) : targetPixels(o, m, layout, place.first, masks)
    const stored = Array.from({ length: sampleCount }, (_, s) => {
      const element = pixels.words.slice(s * wordCount, (s + 1) * wordCount)
      const isWritten = isSampleSet(o, masks, s)
      return program.meaning(o, words, element).map((word, n) => o.select(isWritten, word, element[n]!))
    })
    pixels.store(stored.flat())
  }
  if ('at' in place || !program.replaces || wordCount > 1 || sampleCount % 4 !== 0) {
    byElements()
    return
  }
  const [color] = program.meaning(o, words, [o.constant(0)]) as [V]
  const areWhole = m.signs(o.i32Equal(masks, o.constant(2 ** sampleCount - 1)))
  m.choose(
    o.i32Equal(areWhole, o.constant(15)),
    () => {
      storeWholePixels(o, m, layout, place.first, color)
      return []
    },
    () => {
      byElements()
      return []
    },
  )
}

/** Stores the color of each pixel of a quad to all its samples, whose words lie beside each other: nothing is read. */
function storeWholePixels<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  { rowPitch, wordCount }: PixelLayout,
  first: V,
  color: V,
): void {
  // Words of a vector, which are samples of one pixel here.
  const at = o.i32Add(first, laneBytesOf(o, m, o.constant(0)))
  for (let n = 0; n < 4; n++) {
    const pixel = m.ofPixel(color, n)
    const offset = (n >> 1) * rowPitch + (n & 1) * wordCount * 4
    for (let s = 0; s < wordCount; s += 4) m.store(o.i32Add(at, o.constant(offset + s * 4)), [pixel])
  }
}

/**
 * `capacity` is that of a batch; `hasSource1` says whether the shader writes o1. With `isKept` for the quads of which a pixel was kept: their
 * colors lie by their numbers.
 */
export function colorProgram(
  store: Pick<CompilableStore, 'program' | 'view'>,
  capacity: number,
  hasSource1: boolean,
  isKept = false,
): QuadProgram {
  const { readsSource1, keepsDenormals, key } = store.program
  const meaning = <V>(o: ValueOps<V>, m: QuadMemory<V>): void => {
    const laneBytes = laneBytesOf(o, m)
    const ofColors = isKept ? laneBytesOf(o, m, wordOfQuad(o, m, SHADED.numbers)) : laneBytes
    const colors = (first: V): V[] => {
      const at = o.i32Add(first, ofColors)
      return [0, 1, 2, 3].map((c) => m.load(o.i32Add(at, o.constant(c * capacity * 4)), 1)[0]!)
    }
    const parameter = (n: number): V => parameterWord(o, m, n)
    const zeros = [0, 0, 0, 0].map((word) => o.constant(word))
    const [x, y] = [wordOfQuad(o, m, SHADED.x), wordOfQuad(o, m, SHADED.y)]
    const words = {
      source: colors(parameter(PARAMETER.source)),
      source1: readsSource1 && hasSource1 ? colors(parameter(PARAMETER.source1)) : zeros,
      masks: m.load(o.i32Add(laneBytes, o.constant(SHADED.written)), 1)[0]!,
    }
    storeColors(o, m, store, words, { first: pixelAddress(o, store.view, sliceStart(o, m), x, y) })
  }
  return {
    key: `["colors",${key},${layoutText(pixelLayout(store.view))},${capacity},${readsSource1 && hasSource1},${isKept}]`,
    keepsDenormals,
    meaning,
  }
}
