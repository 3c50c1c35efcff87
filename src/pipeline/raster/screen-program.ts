import type { QuadMemory } from '../../engine/index.ts'
import type { Pair, ValueOps } from '../../isa/index.ts'
import type { Viewport } from '../state.ts'
import { type ClipPlanes, SMALLEST_W } from './clip.ts'
import { doubleWords, floatWord } from './constant-words.ts'
import { LEAST_POSITION, MOST_POSITION, SUBPIXELS } from './fixed-point.ts'
import { KNOWN, SCREEN, SCREEN_WORDS } from './screen-vertices.ts'

/** Vertices to the screen as operations on words, four vertices at once: what `screen-vertices.ts` does with numbers. */

export interface ScreenProgramState {
  readonly viewport: Viewport
  readonly planes: ClipPlanes
  /** Bytes of a vertex. */
  readonly vertexBytes: number
}

/** Byte addresses and counts of a call. */
interface ScreenCall<V> {
  /** Position of the first vertex, and its words on the screen. */
  readonly positions: V
  readonly screen: V
  /** Vertices, a multiple of 4. */
  readonly count: V
}

/** Whether arithmetic in float32 gives what doubles rounded after each step give. */
export const isOfFloats = ({ topLeftX, topLeftY, width, height, minDepth }: Viewport): boolean =>
  [topLeftX, topLeftY, width, height, minDepth].every((n) => Math.fround(n) === n)

/** Places vertices that lie inside of all planes; of the others the flags are 0, as if they had not been looked at. */
export function placeVertices<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  { viewport, planes, vertexBytes }: ScreenProgramState,
  call: ScreenCall<V>,
): void {
  const c = (n: number): V => o.constant(n >>> 0)
  const float = (n: number): V => floatWord(o, n)
  const lane = o.i32Add(o.shiftLeft(m.row, c(1)), m.column)
  const { topLeftX, topLeftY, width, height, minDepth, maxDepth } = viewport
  const snapped = (pixels: V): V => {
    const scaled = o.f32Mul(pixels, float(SUBPIXELS))
    const low = o.select(o.f32Less(scaled, float(LEAST_POSITION)), float(LEAST_POSITION), scaled)
    const within = o.select(o.f32Less(float(MOST_POSITION), low), float(MOST_POSITION), low)
    return o.f32ToI32(o.f32RoundNearestEven(within))
  }
  const placed = (n: V, size: number, from: number): V =>
    o.f32Add(o.f32Mul(o.f32Mul(n, float(size)), float(0.5)), float(from))
  const round = ([vertex]: readonly V[]): readonly V[] => {
    const number = o.i32Add(vertex!, lane)
    const [x, y, z, w] = m.load(o.i32Add(call.positions, o.i32Mul(number, c(vertexBytes))), 4) as [V, V, V, V]
    const px = placed(o.f32Add(o.f32Div(x, w), float(1)), width, topLeftX)
    const py = placed(o.f32Sub(float(1), o.f32Div(y, w)), height, topLeftY)
    const depth = o.f32Add(float(minDepth), o.f32Mul(o.f32Div(z, w), float(maxDepth - minDepth)))
    const at = o.i32Add(call.screen, o.i32Mul(number, c(SCREEN_WORDS * 4)))
    const flags = o.and(isInside(o, planes, [x, y, z, w]), c(KNOWN))
    m.store(at, [snapped(px), snapped(py), depth, flags])
    m.store(o.i32Add(at, c(SCREEN.w * 4)), [w, px, py, c(0)])
    return [o.i32Add(vertex!, c(4))]
  }
  m.repeat([c(0)], ([vertex]) => o.i32Less(vertex!, call.count), round)
}

/** All ones where a position is finite and inside of all planes, as `insideBy` has it. */
function isInside<V>(o: ValueOps<V>, planes: ClipPlanes, [x, y, z, w]: readonly [V, V, V, V]): V {
  const infinite = o.constant(0x7f800000)
  const hasNumber = (word: V): V => o.i32Less(o.and(word, o.constant(0x7fffffff)), infinite)
  const double = (n: number): Pair<V> => doubleWords(o, n)
  const zero = double(0)
  const term = (factor: number, word: V): readonly Pair<V>[] => {
    if (factor === 0) return []
    return [factor === 1 ? o.f32ToF64(word) : o.f64Mul(double(factor), o.f32ToF64(word))]
  }
  const tests = planes.map((p) => {
    // The sum with the least w is not rounded away: a comparison is the same.
    if (p.constant !== 0) return o.f64LessEqual(double(SMALLEST_W), o.f32ToF64(w))
    const terms = [...term(p.x, x), ...term(p.y, y), ...term(p.z, z), ...term(p.w, w)]
    return o.f64LessEqual(
      zero,
      terms.reduce((a, b) => o.f64Add(a, b)),
    )
  })
  return [x, y, z, w].map(hasNumber).reduce(
    (a, b) => o.and(a, b),
    tests.reduce((a, b) => o.and(a, b)),
  )
}
