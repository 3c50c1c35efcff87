import type { QuadMemory, ShaderOperations } from '../../../engine/index.ts'
import { exactly, type FloatBounds, type Pair, roundingOf, UNBOUNDED, type ValueOps } from '../../../isa/index.ts'
import { type ApproximateStore, floatBits } from '../../merge/index.ts'
import {
  CONSTANT,
  centerWord,
  constantWord,
  linearWords,
  PERSPECTIVE,
  pixelPlaneWords,
  placeOfPlane,
  ROW_WORD,
} from '../../raster/index.ts'
import type { InputProgramOptions, InputSlot, QuadWords } from '../input-program.ts'
import type { PlainTarget } from '../merge.ts'

/**
 * Runs of quads whose colors are computed in float32 beside bounds of how far they are from the exact ones: where all codes of eight pixels
 * are certain they are stored, and else the pixels are shaded exactly ([decision](../../../../docs/decisions/approximate-codes.md)).
 */

/** More than what sums of doubles are off, and than what they leave below 0. */
const DOUBLES = 2 ** -31
/** Float32 numbers are off by this part of themselves at the most. */
const HALF_UNIT = 2 ** -24

/**
 * What a multiple of an attribute is in runs that qualify, where the value at the first pixel and the change are multiplied: the attribute
 * lies between 0 and 1, but for what doubles round. Rounded are the exact attribute, the value at the first pixel, its multiple, the
 * change, its multiple, the product with the distance, and the sum; the last two may be a little above what they are of.
 */
export function linearBounds(by: number): FloatBounds {
  const ofValues = 2 * by * roundingOf(1) + (by === 1 ? 0 : roundingOf(by))
  const ofChange = (by === 1 ? 1 : 2) * by * HALF_UNIT
  const ofSum = 2 * roundingOf(by * (1 + 2 ** -20))
  return { least: -by * DOUBLES, greatest: by, error: ofValues + ofChange + ofSum + 3 * by * DOUBLES }
}
const SAME: FloatBounds = { least: 0, greatest: 1, error: 0 }

/** The most that float32 planes may have at vertex 0: sums of doubles are within 2^-33 then. */
const FIRST_LIMIT = 2 ** 16

/** High words of doubles, with 2^12 below: attributes in the corners of a run lie between about -2^-40 and 1 + 2^-40. */
const LEAST_CORNER = 0xbd700000
const GREATEST_CORNER = 0x3ff00000

/** Quads of a run from which on it pays to look at its attributes. */
const LEAST_QUADS = 8

/** Groups of eight pixels that count for one which is not certain, and how many a run may spend before it is exact to its end. */
const UNCERTAIN_COST = 8
const FIRST_CREDIT = 16

/** Added to a position it says that a loop ends there; more than positions and less than their sum with it. */
const STOPPED = 2 ** 20

export interface ApproximateShading {
  readonly store: ApproximateStore
  /** Attributes that the colors depend on, each once by its slot among the shader's inputs. */
  readonly inputs: ReadonlyMap<number, InputSlot>
  /** The slot of the input that an output is, by the output's slot. */
  readonly copies: ReadonlyMap<number, number>
}

interface ShadingOptions {
  readonly operations: ShaderOperations
  readonly inputs: InputProgramOptions
  readonly capacity: number
  readonly target: PlainTarget
}

function boundsOfInput(slot: InputSlot): FloatBounds {
  const { input } = slot
  if (input.kind === 'zero') return exactly(0)
  if (input.kind !== 'attribute') return UNBOUNDED
  const { at: place } = input
  // All samples are covered: the centroid is the center.
  if (place !== 'center' && place !== 'centroid') return UNBOUNDED
  // Bounds of their own say which input an output is a copy of.
  return input.mode === CONSTANT ? { ...SAME } : linearBounds(1)
}

/** What can be shaded so; undefined where colors depend on more than attributes, or would be uncertain too often. */
export function approximateShading<V>(m: QuadMemory<V>, o: ShadingOptions): ApproximateShading | undefined {
  const { slots, coverage, primitiveId, helpers, precision } = o.inputs
  // Draws with several samples a pixel have no runs.
  if (precision !== 'exact' || o.target.store.program.sampleCount > 1) return undefined
  const others = [coverage, primitiveId, helpers]
  const inputs = new Map<number, InputSlot>()
  const ofInputs = new Map<FloatBounds, number>()
  const boundsOf = m.boundsOf(o.operations, (slot) => {
    const first = slot * o.capacity
    if (others.includes(first)) return UNBOUNDED
    const found = slots.find((s) => s.first === first)
    if (found === undefined) return exactly(0)
    const bounds = boundsOfInput(found)
    if (found.input.kind === 'attribute') {
      inputs.set(slot, found)
      ofInputs.set(bounds, slot)
    }
    return bounds
  })
  const copies = new Map<number, number>()
  const boundsFrom =
    (first: number) =>
    (c: number): FloatBounds => {
      if (first < 0) return exactly(0)
      const bounds = boundsOf(first + c)
      const copied = ofInputs.get(bounds)
      if (copied !== undefined) copies.set(first + c, copied)
      return bounds
    }
  const { store, slot, slot1 } = o.target
  const source = boundsFrom(slot)
  const scaled = (c: number, by: number): FloatBounds | undefined => {
    source(c)
    const copied = inputs.get(copies.get(slot + c) ?? -1)
    return copied === undefined || isConstant(copied) ? undefined : linearBounds(by)
  }
  const approximate = store.program.approximate({ source, source1: boundsFrom(slot1), scaled })
  return approximate && { store: approximate, inputs, copies }
}

/** The place among four pixels of a row that a quad's lane stands for. */
export const laneOfRow = <V>(o: ValueOps<V>, m: QuadMemory<V>): V =>
  o.i32Add(m.column, o.shiftLeft(m.row, o.constant(1)))

/** The inputs of four pixels, and those of which only a multiple is wanted. */
export interface ApproximateInputs<V> {
  readonly inputOf: (slot: number) => V
  readonly scaledInputOf: (slot: number, by: number) => V
}

interface ApproximateCodes<V> {
  /** Sign set where a pixel's codes are not certain. */
  readonly doubt: V
  readonly store: () => void
}

export interface RunOptions<V> {
  readonly quad: QuadWords<V>
  readonly count: V
  /** The place of lane i among eight pixels: so far right of the first. */
  readonly lane: V
  readonly end: V
  readonly shading: ApproximateShading
  /** Codes of eight pixels of both rows from x on. */
  readonly codes: (x: V, inputs: readonly ApproximateInputs<V>[]) => ApproximateCodes<V>
  /** Shades the pixels from one place of the row up to another. */
  readonly exactly: (from: V, to: V) => void
}

/** An attribute in a run, float32: at the first pixel of both rows, and what a pixel to the right adds. Of one that is constant twice itself. */
interface RunValues<V> {
  readonly rows: readonly [V, V]
  readonly right: V | undefined
}

const isConstant = ({ input }: InputSlot): boolean => input.kind === 'attribute' && input.mode === CONSTANT

/** Words of the attributes in a run, one or three each; the first says, all ones or 0, whether all of them are as bounds have them. */
export function runWords<V>(o: ValueOps<V>, m: QuadMemory<V>, run: RunOptions<V>): readonly V[] {
  const c = (n: number): V => o.constant(n >>> 0)
  const { quad, count, shading } = run
  const { row, firstX, firstY } = quad
  const within = (word: V, least: number, greatest: number): V =>
    o.and(o.f32LessEqual(c(floatBits(least)), word), o.f32LessEqual(word, c(floatBits(greatest))))
  // As doubles: a little above 1 float32 has no number that would show it.
  const isNearRange = (value: Pair<V>): V => {
    const [low, high] = [c(LEAST_CORNER), c(GREATEST_CORNER)].map((word): Pair<V> => [c(2 ** 12), word]) as [
      Pair<V>,
      Pair<V>,
    ]
    return o.and(o.f64LessEqual(low, value), o.f64LessEqual(value, high))
  }
  // Lane i is a corner of the run.
  const last = o.i32Sub(o.shiftLeft(count, c(1)), c(1))
  const corner = placeOfPlane(
    o,
    row,
    centerWord(o, o.i32Add(firstX, o.i32Mul(m.column, last))),
    centerWord(o, o.i32Add(firstY, m.row)),
  )
  const starts = [0, 1].map((down) =>
    placeOfPlane(o, row, centerWord(o, firstX), centerWord(o, o.i32Add(firstY, c(down)))),
  )
  const made: V[] = []
  const fits: V[] = []
  for (const slot of shading.inputs.values()) {
    const { attribute: n, input } = slot
    if (isConstant(slot)) {
      const word = constantWord(row, n)
      fits.push(within(word, 0, 1))
      made.push(word)
      continue
    }
    if (input.kind === 'attribute' && input.mode === PERSPECTIVE) fits.push(row.word(ROW_WORD.isFlat))
    const { first, down, right } = pixelPlaneWords(o, row, n)
    fits.push(within(first, -FIRST_LIMIT, FIRST_LIMIT), within(down, -1, 1), within(right, -1, 1))
    fits.push(isNearRange(linearWords(o, row, n, corner)))
    for (const at of starts) made.push(o.f64ToF32(linearWords(o, row, n, at)))
    made.push(right)
  }
  const fit = fits.reduce((a, b) => o.and(a, b), c(-1))
  return [o.i32Equal(m.signs(fit), c(15)), ...made]
}

/** The words again by slot. Clamps change none of them but by what doubles are off, and say that no sum is NaN. */
export function valuesOf<V>(
  o: ValueOps<V>,
  { shading }: RunOptions<V>,
  made: readonly V[],
): ReadonlyMap<number, RunValues<V>> {
  const clamp = (word: V, least: number): V => {
    const [low, high] = [o.constant(floatBits(least)), o.constant(floatBits(1))]
    const above = o.select(o.f32Less(low, word), word, low)
    return o.select(o.f32Less(above, high), above, high)
  }
  let at = 1
  const next = (): V => made[at++]!
  return new Map(
    [...shading.inputs].map(([slot, input]): [number, RunValues<V>] => {
      if (isConstant(input)) {
        const value = clamp(next(), 0)
        return [slot, { rows: [value, value], right: undefined }]
      }
      return [slot, { rows: [clamp(next(), 0), clamp(next(), 0)], right: clamp(next(), -1) }]
    }),
  )
}

/** Values of four pixels of a row, so far right of the first. */
export function inputsOf<V>(
  o: ValueOps<V>,
  values: ReadonlyMap<number, RunValues<V>>,
  down: 0 | 1,
  dx: V,
): ApproximateInputs<V> {
  const ofSlot = (slot: number, scale: (word: V) => V): V => {
    const value = values.get(slot)
    if (value === undefined) return o.constant(0)
    const first = scale(value.rows[down])
    return value.right === undefined ? first : o.f32Add(first, o.f32Mul(dx, scale(value.right)))
  }
  return {
    inputOf: (slot) => ofSlot(slot, (word) => word),
    scaledInputOf: (slot, by) => ofSlot(slot, (word) => o.f32Mul(word, o.constant(floatBits(by)))),
  }
}

/** Shades a run: approximately as long as that is certain, and exactly where not. */
export function approximateRun<V>(o: ValueOps<V>, m: QuadMemory<V>, run: RunOptions<V>): void {
  const c = (n: number): V => o.constant(n >>> 0)
  const { quad, count, lane, end, shading } = run
  const { firstX } = quad
  const wordCount = [...shading.inputs.values()].reduce((sum, slot) => sum + (isConstant(slot) ? 1 : 3), 1)
  const made = m.choose(
    o.i32Less(c(LEAST_QUADS - 1), count),
    () => runWords(o, m, run),
    () => Array.from({ length: wordCount }, () => c(0)),
  )
  const values = valuesOf(o, run, made)
  /** Where pixels are not certain any more, or the end. */
  const certainUntil = (from: V): V => {
    const [x] = m.repeat(
      [from],
      ([at]) => o.i32Less(at!, end),
      ([at]) => {
        const dx = o.i32ToF32(o.and(o.i32Sub(o.i32Add(at!, lane), firstX), c(STOPPED - 1)))
        const { doubt, store } = run.codes(at!, [inputsOf(o, values, 0, dx), inputsOf(o, values, 1, dx)])
        return m.choose(
          m.signs(doubt),
          () => [o.i32Add(at!, c(STOPPED))],
          () => {
            store()
            return [o.i32Add(at!, c(4))]
          },
        )
      },
    )
    return x!
  }
  m.repeat(
    [firstX, o.and(made[0]!, c(FIRST_CREDIT))],
    ([x]) => o.i32Less(x!, end),
    ([x, credit]) => {
      const isTried = o.i32Less(c(0), credit!)
      const until = certainUntil(o.select(isTried, x!, end))
      const from = o.select(isTried, o.and(until, c(STOPPED - 1)), x!)
      const next = o.i32Add(from, c(4))
      const to = o.select(o.and(isTried, o.i32Less(next, end)), next, end)
      run.exactly(from, to)
      const certain = o.shiftRightLogical(o.i32Sub(from, x!), c(2))
      return [to, o.i32Sub(o.i32Add(credit!, certain), c(UNCERTAIN_COST))]
    },
  )
}
