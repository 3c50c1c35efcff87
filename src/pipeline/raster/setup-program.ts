import type { QuadMemory } from '../../engine/index.ts'
import type { Pair, ValueOps } from '../../isa/index.ts'
import type { RasterizerState } from '../state.ts'
import { doubleWords, floatWord } from './constant-words.ts'
import { JOB, JOB_WORDS, MAX_SMALL_EXTENT } from './cover-program.ts'
import { type DepthBiasUnit, unormStep } from './depth-bias.ts'
import { HALF_PIXEL } from './fixed-point.ts'
import { isThinWord } from './planes.ts'
import { PLAIN_TRIANGLE, RECORD, RECORD_FRONT_FACING, RECORD_THIN, RECORD_WORDS } from './primitive-record.ts'
import { LISTED, LISTED_CLIPPED, listByShares, listedWords, type RowShares } from './row-shares.ts'
import { KNOWN, SCREEN, SCREEN_WORDS } from './screen-vertices.ts'

/**
 * Setup of small triangles as operations on words, four triangles at once: what `PrimitiveSetup.addPlain` does with numbers. Without
 * attributes records get their kind, positions and depths alone. For threads that set triangles up by themselves they are listed instead.
 */

export interface TriangleSetupState {
  readonly rasterizer: Pick<
    RasterizerState,
    'frontCounterClockwise' | 'cullMode' | 'depthBias' | 'depthBiasClamp' | 'slopeScaledDepthBias'
  >
  readonly biasUnit: DepthBiasUnit
  /** Triangles without a pixel's center in their box cover nothing. */
  readonly centersOnly: boolean
}

/** Byte addresses and counts of a call; the same for all triangles. */
interface SetupWords<V> {
  /** Numbers of the vertices of the triangles; of those in the list of a share their band behind them. */
  readonly triangles: V
  /** Triangles come from the list of one of these shares, and are set up in their band alone. */
  readonly listedFor: RowShares | undefined
  readonly count: V
  /** Words of the vertices on the screen. */
  readonly screen: V
  /** Pixels that triangles may have. */
  readonly bounds: { readonly left: V; readonly top: V; readonly right: V; readonly bottom: V }
  /** Where jobs and records are written. */
  readonly jobs: V
  readonly records: V
  /** For whole records: identifiers of the triangles and their instances, and the number that vertex 0 has in them. */
  readonly whole: Identifiers<V> | undefined
  /** Where their vertices begin, for jobs. */
  readonly vertices: V
  /** Instead of records and jobs. */
  readonly lists: ShareLists<V> | undefined
}

interface Identifiers<V> {
  readonly ids: V
  readonly instances: V
  /** From one triangle to the next. */
  readonly bytes: number
  readonly firstVertex: V
}

/** Lists for shares of rows of the triangles that may have pixels, and their next bytes. */
interface ShareLists<V> {
  readonly shares: RowShares
  readonly ends: readonly V[]
  readonly identifiers: Identifiers<V>
}

interface SetupEnd<V> {
  /** The first triangle that was not looked at: of a group of four there is one that is not small and plain. */
  readonly next: V
  /** Jobs that were written. */
  readonly jobs: V
  /** By lane: pixels in the boxes of its triangles. */
  readonly pixels: V
  /** By lane, of whole records: quads of all boxes. */
  readonly quads: readonly V[]
  /** The next bytes of lists. */
  readonly lists: readonly V[]
}

const three = <T>(of: (n: number) => T): readonly [T, T, T] => [of(0), of(1), of(2)]

/** Added to the exponent of a float32 that of a step of its mantissa, as a double. */
const STEP_EXPONENT = 1023 - 127 - 23

/** Depths with the bias of 15.10, in the order of operations of `depth-bias.ts`; a zero may have another sign. */
function biasedDepths<V>(
  o: ValueOps<V>,
  { rasterizer, biasUnit }: TriangleSetupState,
  x: readonly [V, V, V],
  y: readonly [V, V, V],
  z: readonly [V, V, V],
  area: V,
): readonly [V, V, V] {
  const { depthBias, slopeScaledDepthBias, depthBiasClamp } = rasterizer
  if (depthBias === 0 && slopeScaledDepthBias === 0) return z
  const c = (n: number): V => o.constant(n >>> 0)
  const double = (value: number): Pair<V> => doubleWords(o, value)
  const magnitude = (word: V): V => o.and(word, c(0x7fffffff))
  const larger = (a: V, b: V): V => o.select(o.i32Less(a, b), b, a)
  const unit = (): Pair<V> => {
    if (biasUnit.kind === 'unorm') return double(unormStep(biasUnit.bits))
    const largest = z.map(magnitude).reduce(larger)
    const step = o.shiftLeft(o.i32Add(o.shiftRightLogical(largest, c(23)), c(STEP_EXPONENT)), c(20))
    return [c(0), o.select(o.i32Equal(largest, c(0)), c(0), step)]
  }
  let bias = depthBias === 0 ? c(0) : o.f64ToF32(o.f64Mul(double(Math.fround(depthBias)), unit()))
  if (slopeScaledDepthBias !== 0) {
    const minusZ0 = o.f32ToF64(o.xor(z[0], c(0x80000000)))
    const [dz1, dz2] = [o.f64Add(o.f32ToF64(z[1]), minusZ0), o.f64Add(o.f32ToF64(z[2]), minusZ0)]
    const difference = (a: V, b: V): Pair<V> => o.i32ToF64(o.i32Sub(a, b))
    const slope = (a: Pair<V>, b: Pair<V>): V => {
      const quotient = o.f64Div(o.f64Add(o.f64Mul(dz1, a), o.f64Mul(dz2, b)), o.i32ToF64(area))
      return magnitude(o.f64ToF32(o.f64Mul(quotient, double(256))))
    }
    // Rounding to float32 keeps which one is larger; so do the bits of numbers that are not negative, NaN above all.
    const dx = slope(difference(y[2], y[0]), difference(y[0], y[1]))
    const dy = slope(difference(x[0], x[2]), difference(x[1], x[0]))
    bias = o.f32Add(bias, o.f32Mul(floatWord(o, slopeScaledDepthBias), larger(dx, dy)))
  }
  const clamp = floatWord(o, depthBiasClamp)
  if (depthBiasClamp > 0) bias = o.select(o.f32Less(clamp, bias), clamp, bias)
  else if (depthBiasClamp < 0) bias = o.select(o.f32Less(bias, clamp), clamp, bias)
  return [o.f32Add(z[0], bias), o.f32Add(z[1], bias), o.f32Add(z[2], bias)]
}

/** A vertex of each of four triangles, by its number. */
interface ScreenWords<V> {
  readonly number: V
  readonly x: V
  readonly y: V
  readonly z: V
  readonly flags: V
}

/** Sets up triangles from the first on, and writes a record and a job for each that may have pixels. */
export function setUpTriangles<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  state: TriangleSetupState,
  words: SetupWords<V>,
): SetupEnd<V> {
  const c = (n: number): V => o.constant(n >>> 0)
  const lane = o.i32Add(o.shiftLeft(m.row, c(1)), m.column)
  const lanesBefore = o.i32Sub(o.shiftLeft(c(1), lane), c(1))
  const countsQuads = words.whole !== undefined
  const group = (first: V, jobs: V, pixels: V, rest: readonly V[]): readonly V[] => {
    const triangle = o.i32Add(first, lane)
    const exists = o.i32Less(triangle, words.count)
    // Behind the last triangle there are words of no meaning: the first vertex takes their place.
    const { listedFor } = words
    const stride = listedFor === undefined ? 3 : listedWords(listedFor)
    const loaded = m.load(o.i32Add(words.triangles, o.i32Mul(triangle, c(stride * 4))), Math.min(4, stride))
    const numbers = three((i) => o.and(loaded[i]!, exists))
    const corners = three((i): ScreenWords<V> => {
      const at = o.i32Add(words.screen, o.i32Mul(numbers[i]!, c(SCREEN_WORDS * 4)))
      const [x, y, z, flags] = m.load(at, 4) as [V, V, V, V]
      return { number: numbers[i]!, x, y, z, flags }
    })
    const band = loaded[LISTED.band]!
    const ofBand = listedFor === undefined ? words.bounds : boundsIn(o, words.bounds, band, listedFor.shift)
    const box = boxOf(o, state, corners, ofBand)
    const isWhole = listedFor?.hasPixels === true ? o.i32Less(band, c(LISTED_CLIPPED)) : c(0xffffffff)
    const isPlain = o.or(o.not(exists), o.and(o.and(box.isSmall, isWhole), arePlain(o, corners)))
    const isRest = o.i32Equal(m.signs(isPlain), c(15))
    return m.choose(
      isRest,
      () => {
        const kept = o.and(exists, box.isKept)
        const before = o.countBits(o.and(m.signs(kept), lanesBefore))
        const job = o.i32Add(jobs, before)
        const { lists } = words
        const listed = lists && list(o, m, lists, rest, { corners, triangle, box: { ...box, isKept: kept } })
        if (lists === undefined) writeTriangle(o, m, state, words, { job, corners, box })
        if (words.whole !== undefined) writeRest(o, m, words, words.whole, { job, corners, triangle })
        const size = o.i32Mul(o.i32Sub(box.right, box.left), o.i32Sub(box.bottom, box.top))
        const next = o.i32Add(jobs, o.countBits(m.signs(kept)))
        const counted = listed ?? (countsQuads ? countQuads(o, box, kept, rest) : [])
        return [o.i32Add(first, c(4)), next, o.i32Add(pixels, o.and(size, kept)), words.count, ...counted]
      },
      () => [first, jobs, pixels, c(0), ...rest],
    )
  }
  const ends = m.repeat(
    [c(0), c(0), c(0), words.count, ...(words.lists?.ends ?? (countsQuads ? [c(0)] : []))],
    ([first, , , end]) => o.i32Less(first!, end!),
    ([first, jobs, pixels, , ...rest]) => group(first!, jobs!, pixels!, rest),
  )
  const rest = ends.slice(4)
  const counted = countsQuads ? { quads: rest, lists: [] } : { quads: [], lists: rest }
  return { next: ends[0]!, jobs: ends[1]!, pixels: ends[2]!, ...counted }
}

/** Quads up to now with those of the boxes of four triangles that are kept. */
function countQuads<V>(o: ValueOps<V>, box: BoxWords<V>, kept: V, [sum]: readonly V[]): readonly V[] {
  const one = o.constant(1)
  const across = (from: V, to: V): V =>
    o.i32Sub(o.shiftRightLogical(o.i32Add(to, one), one), o.shiftRightLogical(from, one))
  const quads = o.i32Mul(across(box.left, box.right), across(box.top, box.bottom))
  return [o.i32Add(sum!, o.and(kept, quads))]
}

/** The pixels of bounds in a band, by lane. */
function boundsIn<V>(o: ValueOps<V>, bounds: SetupWords<V>['bounds'], band: V, shift: number): SetupWords<V>['bounds'] {
  const c = (n: number): V => o.constant(n >>> 0)
  const top = o.shiftLeft(band, c(shift))
  const bottom = o.shiftLeft(o.i32Add(band, c(1)), c(shift))
  return {
    ...bounds,
    top: o.select(o.i32Less(bounds.top, top), top, bounds.top),
    bottom: o.select(o.i32Less(bottom, bounds.bottom), bottom, bounds.bottom),
  }
}

/** Lists four triangles. */
function list<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  { shares, identifiers: of }: ShareLists<V>,
  ends: readonly V[],
  t: {
    readonly corners: readonly [ScreenWords<V>, ScreenWords<V>, ScreenWords<V>]
    readonly triangle: V
    readonly box: BoxWords<V>
  },
): readonly V[] {
  const wordOf = (column: V): V => m.load(o.i32Add(column, o.shiftLeft(t.triangle, o.constant(2))), 1)[0]!
  const vertices = three((i) => o.i32Add(t.corners[i]!.number, of.firstVertex))
  const identifiers = (): readonly [V, V] => [wordOf(of.ids), wordOf(of.instances)]
  return listByShares(o, m, shares, ends, { vertices, identifiers, ...t.box })
}

function arePlain<V>(o: ValueOps<V>, corners: readonly ScreenWords<V>[]): V {
  return corners.map((v) => o.i32Equal(v.flags, o.constant(KNOWN))).reduce((a, b) => o.and(a, b))
}

interface BoxWords<V> {
  readonly left: V
  readonly top: V
  readonly right: V
  readonly bottom: V
  readonly isSmall: V
  /** It has an area, is not culled, and may have pixels. */
  readonly isKept: V
  readonly isFront: V
  readonly isThin: V
  /** Twice the area, with its sign. */
  readonly area: V
}

function boxOf<V>(
  o: ValueOps<V>,
  { rasterizer, centersOnly }: TriangleSetupState,
  corners: readonly [ScreenWords<V>, ScreenWords<V>, ScreenWords<V>],
  bounds: SetupWords<V>['bounds'],
): BoxWords<V> {
  const c = (n: number): V => o.constant(n >>> 0)
  const [a, b, d] = corners
  const min = (p: V, q: V): V => o.select(o.i32Less(p, q), p, q)
  const max = (p: V, q: V): V => o.select(o.i32Less(p, q), q, p)
  const [minX, maxX] = [min(min(a.x, b.x), d.x), max(max(a.x, b.x), d.x)]
  const [minY, maxY] = [min(min(a.y, b.y), d.y), max(max(a.y, b.y), d.y)]
  const before = c(centersOnly ? HALF_PIXEL - 1 : 0)
  const behind = c(centersOnly ? HALF_PIXEL : 0)
  const first = (least: V, bound: V): V => max(bound, o.shiftRightArithmetic(o.i32Add(least, before), c(8)))
  const end = (most: V, bound: V): V => min(bound, o.i32Add(o.shiftRightArithmetic(o.i32Sub(most, behind), c(8)), c(1)))
  const [left, top, right, bottom] = [
    first(minX, bounds.left),
    first(minY, bounds.top),
    end(maxX, bounds.right),
    end(maxY, bounds.bottom),
  ]
  const [width, height] = [o.i32Sub(maxX, minX), o.i32Sub(maxY, minY)]
  const tooWide = o.i32Less(c(MAX_SMALL_EXTENT), width)
  const tooHigh = o.i32Less(c(MAX_SMALL_EXTENT), height)
  const area = o.i32Sub(
    o.i32Mul(o.i32Sub(b.x, a.x), o.i32Sub(d.y, a.y)),
    o.i32Mul(o.i32Sub(d.x, a.x), o.i32Sub(b.y, a.y)),
  )
  const { frontCounterClockwise, cullMode } = rasterizer
  const isFront = frontCounterClockwise ? o.i32Less(area, c(0)) : o.i32Less(c(0), area)
  const isOnScreen = o.and(o.i32Less(left, right), o.i32Less(top, bottom))
  const hasArea = o.and(isOnScreen, o.not(o.i32Equal(area, c(0))))
  const isSeen = cullMode === 'NONE' ? hasArea : o.and(hasArea, cullMode === 'FRONT' ? o.not(isFront) : isFront)
  const isSmall = o.not(o.or(tooWide, tooHigh))
  const thin = isThinWord(o, width, height, area)
  return { left, top, right, bottom, isSmall, isKept: isSeen, isFront, isThin: thin, area }
}

/** Writes the records and jobs of four triangles: that of a triangle that is not kept lies where the next one goes. */
function writeTriangle<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  state: TriangleSetupState,
  words: SetupWords<V>,
  t: {
    readonly job: V
    readonly corners: readonly [ScreenWords<V>, ScreenWords<V>, ScreenWords<V>]
    readonly box: BoxWords<V>
  },
): void {
  const c = (n: number): V => o.constant(n >>> 0)
  const { corners, box } = t
  const x = three((i) => corners[i]!.x)
  const y = three((i) => corners[i]!.y)
  const z = biasedDepths(
    o,
    state,
    x,
    y,
    three((i) => corners[i]!.z),
    box.area,
  )
  const flags = o.or(o.and(box.isFront, c(RECORD_FRONT_FACING)), o.and(box.isThin, c(RECORD_THIN)))
  const kind = o.or(c(PLAIN_TRIANGLE), flags)
  const record = o.i32Add(words.records, o.i32Mul(t.job, c(RECORD_WORDS * 4)))
  const store = (word: number, values: readonly V[]): void => m.store(o.i32Add(record, c(word * 4)), values)
  store(RECORD.kind, [kind, ...x])
  store(RECORD.y, [...y, z[0]])
  store(RECORD.z + 1, [z[1], z[2]])
  const job = o.i32Add(words.jobs, o.i32Mul(t.job, c(JOB_WORDS * 4)))
  m.store(job, [record, words.vertices, box.left, box.top])
  m.store(o.i32Add(job, c(JOB.right * 4)), [box.right, box.bottom])
}

/** Writes what records have beside kind, positions and depths: w, vertices, identifiers, and words that are 0 for plain triangles. */
function writeRest<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  { records, screen }: SetupWords<V>,
  { ids, instances, firstVertex, bytes }: Identifiers<V>,
  t: {
    readonly job: V
    readonly corners: readonly [ScreenWords<V>, ScreenWords<V>, ScreenWords<V>]
    readonly triangle: V
  },
): void {
  const c = (n: number): V => o.constant(n >>> 0)
  const record = o.i32Add(records, o.i32Mul(t.job, c(RECORD_WORDS * 4)))
  const store = (word: number, values: readonly V[]): void => m.store(o.i32Add(record, c(word * 4)), values)
  const wordOf = (column: V): V => m.load(o.i32Add(column, o.i32Mul(t.triangle, c(bytes))), 1)[0]!
  const w = t.corners.map(({ number }) => {
    const at = o.i32Add(screen, o.i32Mul(number, c(SCREEN_WORDS * 4)))
    return m.load(o.i32Add(at, c(SCREEN.w * 4)), 1)[0]!
  })
  const [v0, v1, v2] = t.corners.map(({ number }) => o.i32Add(number, firstVertex)) as [V, V, V]
  store(RECORD.w, w)
  store(RECORD.vertices, [v0, v1, v2, v0])
  store(RECORD.primitiveId, [wordOf(ids), wordOf(instances), c(0), c(0)])
  store(RECORD.clipDistances, [c(0), c(0)])
}
