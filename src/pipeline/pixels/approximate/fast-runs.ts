import type { QuadMemory, ShaderOperations } from '../../../engine/index.ts'
import { type FloatBounds, UNBOUNDED, type ValueOps } from '../../../isa/index.ts'
import { floatBits } from '../../merge/index.ts'
import {
  CONSTANT,
  centerWord,
  HALF_PIXEL,
  PLANE_WORD,
  planeWord,
  type RowWords,
  SUBPIXELS,
} from '../../raster/index.ts'
import { type InputProgramOptions, type InputSlot, inputWords, type QuadWords } from '../input-program.ts'
import { holdingPlanes, type OfPrimitive } from '../rows-of-quads.ts'
import type { PixelLayout } from '../target-pixels.ts'

/** Runs of quads with the precision `fast`: loops over eight pixels of both rows. */

/** Quads of a run from which on it pays to look at its colors. */
const LEAST_QUADS = 8

const isConstant = ({ input }: InputSlot): boolean => input.kind === 'attribute' && input.mode === CONSTANT

interface ColorOptions {
  readonly operations: ShaderOperations
  readonly inputs: InputProgramOptions
  /** Invocations of a column of the shader's registers. */
  readonly capacity: number
  /** The slot of the color's first component; negative where there is no color. */
  readonly slot: number
}

/** The components of a color that the shader copies from attributes, with the attributes' slots among its inputs. */
function copiedAttributes<V>(
  m: QuadMemory<V>,
  { operations, inputs, capacity, slot }: ColorOptions,
): ReadonlyMap<number, number> {
  const copied = new Map<number, number>()
  if (slot < 0) return copied
  const slots = new Map<FloatBounds, number>()
  const boundsOf = m.boundsOf(operations, (n) => {
    const input = inputs.slots.find(({ first }) => first === n * capacity)?.input
    if (input?.kind !== 'attribute') return UNBOUNDED
    // Bounds of its own say which input an output is.
    const bounds = { ...UNBOUNDED }
    slots.set(bounds, n)
    return bounds
  })
  for (const c of [0, 1, 2, 3]) {
    const n = slots.get(boundsOf(slot + c))
    if (n !== undefined) copied.set(c, n)
  }
  return copied
}

/**
 * What shades four pixels beside each other and stores them from an address on; `inRange` says by bits which components of their colors are
 * known to lie between 0 and 1.
 */
type TakePixels<V> = (pixels: QuadWords<V>, at: V, inRange: number) => void

interface FastRun<V> {
  readonly quad: QuadWords<V>
  readonly count: V
  /** The place of lane i among four pixels of a row. */
  readonly lane: V
  readonly colors: ColorOptions
  readonly layout: PixelLayout
  /** The address of the quad's first pixel. */
  readonly first: V
  readonly take: TakePixels<V>
}

/** The most that planes may have at vertex 0, and that 1/256 pixel may change them, where no sum of them is infinite or NaN. */
const PLANE_LIMIT = 2 ** 20

/** The row with the planes of attributes clamped to what they were found to be: so it is known that what is made of them is a number. */
function boundedRow<V>(o: ValueOps<V>, row: RowWords<V>, attributes: readonly number[]): RowWords<V> {
  const planes = new Set(attributes.flatMap((n) => [0, 1, 2].map((i) => planeWord(n) + i)))
  const [low, high] = [o.constant(floatBits(-PLANE_LIMIT)), o.constant(floatBits(PLANE_LIMIT))]
  const bounded = (word: V): V => {
    const above = o.select(o.f32Less(low, word), word, low)
    return o.select(o.f32Less(above, high), above, high)
  }
  return { ...row, float: (n) => (planes.has(n) ? bounded(row.float(n)) : row.float(n)) }
}

/** By lane, each an end of a row of a run, all ones or 0: whether attributes have such planes, and lie between 0 and 1 there. */
function fitsRange<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  { quad, count, colors: { inputs, capacity } }: FastRun<V>,
  primitive: OfPrimitive<V>,
  copied: readonly InputSlot[],
): V {
  const c = (n: number): V => o.constant(n >>> 0)
  const all = (): V => c(2 ** (inputs.offsets.length / 2) - 1)
  const last = o.i32Sub(o.shiftLeft(count, c(1)), c(1))
  const x = o.i32Add(quad.firstX, o.i32Mul(m.column, last))
  const ends = { ...quad, ...primitive, x, y: o.i32Add(quad.firstY, m.row), coverage: all, masks: all }
  const words = new Map<number, V>()
  inputWords(o, m, inputs, ends, (first, word) => void words.set(first / capacity, word))
  const within = (word: V, least: number, greatest: number): V =>
    o.and(o.f32LessEqual(c(floatBits(least)), word), o.f32LessEqual(word, c(floatBits(greatest))))
  const fits = copied.flatMap((slot) => {
    const inRange = within(words.get(slot.first / capacity)!, 0, 1)
    if (isConstant(slot)) return [inRange]
    const plane = [0, 1, 2].map((i) => primitive.row.float(planeWord(slot.attribute) + i))
    return [inRange, ...plane.map((word) => within(word, -PLANE_LIMIT, PLANE_LIMIT))]
  })
  return fits.reduce((a, b) => o.and(a, b))
}

/** A loop over the pixels of a run, eight at a time. */
function overPixels<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  { quad, count, lane, colors, layout, first, take }: FastRun<V>,
  ofPrimitive: () => OfPrimitive<V>,
  inRange: number,
): readonly V[] {
  const c = (n: number): V => o.constant(n >>> 0)
  const { firstX, firstY } = quad
  const all = (): V => c(2 ** (colors.inputs.offsets.length / 2) - 1)
  const end = o.i32Add(firstX, o.shiftLeft(count, c(1)))
  const pixelBytes = layout.wordCount * 4
  return m.repeat(
    [firstX, first],
    ([x]) => o.i32Less(x!, end),
    ([x, at]) => {
      const primitive = ofPrimitive()
      const toX0 = o.i32Sub(c(HALF_PIXEL), primitive.row.word(PLANE_WORD.x0))
      // What all lanes have in common is one number, of which the lanes' vector is made last.
      const right = o.i32Add(o.i32Add(o.i32Mul(x!, c(SUBPIXELS)), toX0), o.i32Mul(lane, c(SUBPIXELS)))
      for (const down of [0, 1]) {
        const y = o.i32Add(firstY, c(down))
        const toY0 = o.i32Sub(centerWord(o, y), primitive.row.word(PLANE_WORD.y0))
        const fromVertex = { dx: o.i32ToF32(right), dy: o.i32ToF32(toY0) }
        const pixels = { ...quad, ...primitive, x: o.i32Add(x!, lane), y, coverage: all, masks: all, fromVertex }
        const ofLanes = o.i32Add(at!, o.i32Mul(lane, c(pixelBytes)))
        take(pixels, o.i32Add(ofLanes, c(down * layout.rowPitch)), inRange)
      }
      return [o.i32Add(x!, c(4)), o.i32Add(at!, c(4 * pixelBytes))]
    },
  )
}

/**
 * Takes the pixels of a run, of which all pixels have all samples. Where w is 1 an attribute rises or falls along a whole row of pixels, rounding included: one
 * that lies between 0 and 1 at both ends needs no clamp, and a loop of its own has none.
 */
export function overFastRun<V>(o: ValueOps<V>, m: QuadMemory<V>, run: FastRun<V>): void {
  const { quad, count, colors } = run
  const { inputs, capacity } = colors
  const copied = copiedAttributes(m, colors)
  const inRange = [...copied.keys()].reduce((mask, component) => mask | (1 << component), 0)
  const slots = inputs.slots.filter(({ first }) => [...copied.values()].includes(first / capacity))
  const interpolated = slots.filter((slot) => !isConstant(slot)).map(({ attribute }) => attribute)
  holdingPlanes(quad, inputs, (ofPrimitive, isFlat) => {
    if (!isFlat || copied.size === 0) return overPixels(o, m, run, ofPrimitive, 0)
    const bounded = (): OfPrimitive<V> => {
      const primitive = ofPrimitive()
      return { ...primitive, row: boundedRow(o, primitive.row, interpolated) }
    }
    const [fits] = m.choose(
      o.i32Less(o.constant(LEAST_QUADS - 1), count),
      () => [fitsRange(o, m, run, ofPrimitive(), slots)],
      () => [o.constant(0)],
    )
    return m.choose(
      m.signs(o.not(fits!)),
      () => overPixels(o, m, run, ofPrimitive, 0),
      () => overPixels(o, m, run, bounded, inRange),
    )
  })
}
