import type { QuadMemory } from '../../engine/index.ts'
import { type Pair, type ValueOps, wordsOf } from '../../isa/index.ts'
import { type DepthStencilTestState, depthStencilElement, type TestedSample } from '../merge/index.ts'
import {
  centerWord,
  changeDownWords,
  changeRightWords,
  depthAtOffset,
  factorWords,
  farthestSample,
  HALF_PIXEL,
  inverseWords,
  JOB,
  LONG_ROW,
  type OffsetDepth,
  offsetDepth,
  type PlaneWords,
  planeWords,
  RECORD,
  RECORD_FRONT_FACING,
  RECORD_THIN,
  touchedQuads,
} from '../raster/index.ts'
import { parameterWord } from './input-program.ts'
import { PARAMETER, QUAD_MEMORY } from './quads.ts'
import { pixelLayout, targetPixels } from './target-pixels.ts'

/**
 * The quads of small triangles and their tests, for programs that do both at once. Edge functions, which are whole numbers, say which
 * samples are covered. Depths are a plane, and in thin triangles, over the area, how much of each vertex's depth a sample has.
 */

/** What of a triangle does not depend on the pixel. Edge i lies opposite to vertex i, and is positive inside. */
export interface TriangleWords<V> {
  /** Changes of an edge function by 1/256 pixel down, and to the left. */
  readonly down: readonly [V, V, V]
  readonly left: readonly [V, V, V]
  /** -1 where a sample on the edge is not covered, else 0. */
  readonly least: readonly [V, V, V]
  /** Twice the area, positive. */
  readonly area: V
  /** Edge functions at a place in 1/256 pixel, each less 1 where a sample on the edge is not covered. */
  edgesAt(x: V, y: V): readonly V[]
  /** float32 at the vertices. */
  readonly depths: readonly [V, V, V]
  /** Depths of the other vertices less that of the first. */
  readonly differences: readonly [Pair<V>, Pair<V>]
  /** Depth of a triangle that is not thin, by how far a place is from the first vertex. */
  readonly plane: PlaneWords<V>
  readonly x0: V
  readonly y0: V
  /** All ones where it is thin. */
  readonly isThin: V
  readonly isFrontFacing: V
}

function triangleWords<V>(o: ValueOps<V>, m: QuadMemory<V>, record: V): TriangleWords<V> {
  const zero = o.constant(0)
  const three = (word: number): readonly V[] => m.load(o.i32Add(record, o.constant(word * 4)), 3)
  const [x0, x1, x2] = three(RECORD.x) as [V, V, V]
  const [y0, y1, y2] = three(RECORD.y) as [V, V, V]
  const [z0, z1, z2] = three(RECORD.z) as [V, V, V]
  const [x02, y02, x10, y10] = [o.i32Sub(x0, x2), o.i32Sub(y0, y2), o.i32Sub(x1, x0), o.i32Sub(y1, y0)]
  const signed = o.i32Sub(o.i32Mul(x02, y10), o.i32Mul(x10, y02))
  const isOther = o.shiftRightArithmetic(signed, o.constant(31))
  // Counterclockwise triangles have all edge functions, and the area, with their signs changed.
  const turned = (v: V): V => o.i32Sub(o.xor(v, isOther), isOther)
  const [down1, left1, down2, left2] = [turned(x02), turned(y02), turned(x10), turned(y10)]
  const down = [o.i32Sub(zero, o.i32Add(down1, down2)), down1, down2] as const
  const left = [o.i32Sub(zero, o.i32Add(left1, left2)), left1, left2] as const
  const leastOf = (dx: V, dy: V): V =>
    o.not(o.or(o.i32Less(dy, zero), o.and(o.i32Equal(dy, zero), o.i32Less(zero, dx))))
  const edgeAt = (i: 1 | 2, px: V, py: V, x: V, y: V): V =>
    o.i32Sub(o.i32Mul(down[i], o.i32Sub(py, y)), o.i32Mul(left[i], o.i32Sub(px, x)))
  const kind = m.load(o.i32Add(record, o.constant(RECORD.kind * 4)), 1)[0]!
  const flag = (bit: number): V => o.i32Equal(o.and(kind, o.constant(bit)), o.constant(bit))
  const minusZ0 = o.f32ToF64(o.xor(z0, o.constant(0x80000000)))
  const least = [0, 1, 2].map((i) => leastOf(down[i]!, left[i]!)) as [V, V, V]
  const area = turned(signed)
  const [z10, z20] = [o.f64Add(o.f32ToF64(z1), minusZ0), o.f64Add(o.f32ToF64(z2), minusZ0)]
  // All with their signs changed or none: changes are the same.
  const factors = factorWords(o, down1, left1, down2, left2, area)
  return {
    down,
    left,
    least,
    area,
    edgesAt: (px, py) => {
      const [e1, e2] = [edgeAt(1, px, py, x2, y2), edgeAt(2, px, py, x0, y0)]
      return [o.i32Sub(o.i32Sub(area, e1), e2), e1, e2].map((e, i) => o.i32Add(e, least[i]!))
    },
    isFrontFacing: flag(RECORD_FRONT_FACING),
    isThin: flag(RECORD_THIN),
    depths: [z0, z1, z2],
    differences: [z10, z20],
    plane: {
      first: o.f32ToF64(z0),
      right: changeRightWords(o, factors, z10, z20),
      down: changeDownWords(o, factors, z10, z20),
    },
    x0,
    y0,
  }
}

/** A sample of the four pixels of a quad. */
interface SampleWords<V> {
  readonly sample: number
  /** Edge functions of the second and third vertex, for code where they are needed. */
  edges(): readonly [Pair<V>, Pair<V>]
  /** What the plane of depth has there beyond the center. */
  readonly offset: OffsetDepth<V>
  /** All ones where it is covered. */
  readonly isCovered: V
}

/** What programs of triangles are made for. */
export interface TriangleSamples {
  /** x and y of each sample in 1/256 pixel from the center. */
  readonly offsets: Int32Array
  /** Samples that are not in it are never covered. */
  readonly sampleMask: number
}

/** How far an edge function is at a sample from that at the center. */
function movedBy<V>(o: ValueOps<V>, t: TriangleWords<V>, i: number, [right, down]: readonly [number, number]): V {
  const [byX, byY] = [o.i32Mul(t.left[i]!, o.constant(right >>> 0)), o.i32Mul(t.down[i]!, o.constant(down >>> 0))]
  return o.i32Sub(byY, byX)
}

function samplePlaces({ offsets, sampleMask }: TriangleSamples): { sample: number; place: [number, number] }[] {
  return Array.from({ length: offsets.length / 2 }, (_, sample) => ({
    sample,
    place: [offsets[sample * 2]!, offsets[sample * 2 + 1]!] as [number, number],
  })).filter(({ sample }) => (sampleMask & (1 << sample)) !== 0)
}

/** The edge functions of the second and third vertex at a sample, by those at the centers with what was subtracted. */
function exactEdges<V>(
  o: ValueOps<V>,
  t: TriangleWords<V>,
  edges: readonly V[],
  place: readonly [number, number],
  { offsets }: TriangleSamples,
): readonly [Pair<V>, Pair<V>] {
  const edge = (i: 1 | 2): Pair<V> => {
    const move = o.i32Sub(movedBy(o, t, i, place), t.least[i])
    // Whole numbers, of which sums of doubles are exact: of several samples the edge functions at the center are made doubles once.
    return offsets.length > 2
      ? o.f64Add(o.i32ToF64(edges[i]!), o.i32ToF64(move))
      : o.i32ToF64(o.i32Add(edges[i]!, move))
  }
  return [edge(1), edge(2)]
}

/** A quad of which a sample is covered. */
export interface TriangleQuad<V> {
  /** Its first pixel. */
  readonly x: V
  readonly y: V
  readonly samples: readonly SampleWords<V>[]
  /** Depth of the plane at the centers of its pixels. */
  center(): Pair<V>
  /** All ones in pixels of which a sample is covered. */
  readonly isCovered: V
}

/** Where the quads of a row begin and end that the triangle can touch, by edge functions at the center of the first pixel. */
function rowLimits<V>(
  o: ValueOps<V>,
  t: TriangleWords<V>,
  samples: TriangleSamples,
  edges: readonly V[],
  columns: V,
): readonly V[] {
  const most = edges.map((e, i) => {
    const moves = samplePlaces(samples).map(({ place }) => movedBy(o, t, i, place))
    return o.i32Add(e, farthestSample(o, t.down[i]!, t.left[i]!, moves))
  })
  return touchedQuads(
    o,
    most,
    t.left.map((left) => o.shiftLeft(o.i32Sub(o.constant(0), left), o.constant(9))),
    columns,
  )
}

/** What is done with a quad, and what is carried from quad to quad. */
type TakeQuad<V> = (t: TriangleWords<V>, quad: TriangleQuad<V>, carried: readonly V[]) => readonly V[]

/** A quad with its edge functions at the centers; `inBox` is negative outside of the box. */
interface QuadPlace<V> extends Pick<TriangleQuad<V>, 'x' | 'y' | 'center'> {
  readonly edges: readonly V[]
  readonly inBox: V
}

/**
 * Takes a quad by its edge functions at the centers, negative outside of `inBox`, unless no sample of it is covered. To look first whether
 * all samples are was slower: one more branch that is hard to foresee.
 */
function takeQuad<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  options: TriangleSamples,
  t: TriangleWords<V>,
  { x, y, edges, inBox, center }: QuadPlace<V>,
  before: readonly V[],
  take: TakeQuad<V>,
): readonly V[] {
  const isInside = (word: V): V => o.not(o.shiftRightArithmetic(word, o.constant(31)))
  const places = samplePlaces(options)
  const outside = places.map(({ place }) =>
    edges.map((e, i) => o.i32Add(e, movedBy(o, t, i, place))).reduce((a, b) => o.or(a, b), inBox),
  )
  const nowhere = outside.reduce((a, b) => o.and(a, b))
  const taken = (): readonly V[] => {
    const samples = places.map(({ sample, place }, n) => ({
      sample,
      edges: () => exactEdges(o, t, edges, place, options),
      offset: offsetDepth(o, t.plane, ...place),
      isCovered: isInside(outside[n]!),
    }))
    return take(t, { x, y, samples, center, isCovered: isInside(nowhere) }, before)
  }
  return m.choose(o.i32Equal(m.signs(nowhere), o.constant(15)), () => before, taken)
}

/**
 * Stores what depths are made of, which nothing loads: what is needed in front of a loop is computed there, and not in each of its rounds
 * that takes a quad.
 */
function holdDepths<V>(o: ValueOps<V>, m: QuadMemory<V>, { plane }: TriangleWords<V>, samples: TriangleSamples): void {
  const offsets = samplePlaces(samples).map(({ place }) => offsetDepth(o, plane, ...place))
  const doubles = [plane.first, plane.right, plane.down, ...offsets.filter((d) => d !== undefined)]
  doubles.forEach((d, n) => void m.store(o.constant(QUAD_MEMORY.ofTriangle + n * 8), wordsOf(d)))
}

/** Rows of a job in one row of blocks of the depth buffer: from the first row of quads on, those pixels that lie in the job's box. */
export interface Band<V> {
  readonly y: V
  readonly top: V
  readonly bottom: V
  readonly left: V
  readonly right: V
}

/** Bands of which no quad need be looked at. */
export interface HiddenBands<V> {
  /** Rows of a block. */
  readonly height: number
  isHidden(t: TriangleWords<V>, band: Band<V>): V
  /** In place of its quads: what is carried on. */
  leaveOut(t: TriangleWords<V>, band: Band<V>, carried: readonly V[]): readonly V[]
}

interface OverQuads<V> extends TriangleSamples {
  readonly limitsRows: boolean
  readonly bands?: HiddenBands<V> | undefined
}

/**
 * Goes over the covered quads of a job by rows; `take` is called in the code of a quad with what is carried from quad to quad, and
 * answers what is carried on. With `limitsRows` each long row begins and ends where the triangle does.
 */
export function overQuads<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  job: V,
  { limitsRows, bands, ...options }: OverQuads<V>,
  carried: readonly V[],
  take: TakeQuad<V>,
): readonly V[] {
  const [record, , left, top] = m.load(job, 4) as [V, V, V, V]
  const [right, bottom] = m.load(o.i32Add(job, o.constant(JOB.right * 4)), 2) as [V, V]
  const t = triangleWords(o, m, record)
  const [even, two, zero] = [o.constant(0xfffffffe), o.constant(2), o.constant(0)]
  const [firstX, firstY] = [o.and(left, even), o.and(top, even)]
  const first = t.edgesAt(centerWord(o, o.i32Add(firstX, m.column)), centerWord(o, o.i32Add(firstY, m.row)))
  const corner = limitsRows ? t.edgesAt(centerWord(o, firstX), centerWord(o, firstY)) : []
  const beyond = (p: V, from: V, to: V): V => o.or(o.i32Sub(p, from), o.i32Sub(o.i32Sub(to, o.constant(1)), p))
  if (limitsRows) holdDepths(o, m, t, options)
  const toRight = t.left.map((word) => o.shiftLeft(o.i32Sub(zero, word), o.constant(9)))
  const down = t.down.map((word) => o.shiftLeft(word, o.constant(9)))
  const columns = o.shiftRightArithmetic(o.i32Add(o.i32Sub(right, firstX), o.constant(1)), o.constant(1))
  const limitsOf = (ofCorner: readonly V[]): readonly V[] =>
    m.choose(
      o.i32Less(o.constant(LONG_ROW - 1), columns),
      () => rowLimits(o, t, options, ofCorner, columns),
      () => [zero, columns],
    )
  // What is subtracted does not depend on the pixel.
  const fromVertex = (p: V, vertex: V): Pair<V> =>
    o.i32ToF64(o.i32Sub(o.shiftLeft(p, o.constant(8)), o.i32Sub(vertex, o.constant(HALF_PIXEL))))
  const row = (y: V, starts: readonly V[], ofCorner: readonly V[], before: readonly V[]): readonly V[] => {
    const inRows = beyond(o.i32Add(y, m.row), top, bottom)
    const dy = fromVertex(o.i32Add(y, m.row), t.y0)
    const [from, to] = limitsRows ? (limitsOf(ofCorner) as [V, V]) : []
    const moved = from === undefined ? starts : starts.map((e, i) => o.i32Add(e, o.i32Mul(from, toRight[i]!)))
    const begin = from === undefined ? firstX : o.i32Add(firstX, o.shiftLeft(from, o.constant(1)))
    const end = to === undefined ? right : o.i32Add(firstX, o.shiftLeft(to, o.constant(1)))
    const round = ([x, ...rest]: readonly V[]): readonly V[] => {
      const edges = rest.slice(0, 3)
      const inBox = o.or(inRows, beyond(o.i32Add(x!, m.column), left, right))
      const center = (): Pair<V> => planeWords(o, t.plane, fromVertex(o.i32Add(x!, m.column), t.x0), dy)
      const next = takeQuad(o, m, options, t, { x: x!, y, edges, inBox, center }, rest.slice(3), take)
      return [o.i32Add(x!, two), ...edges.map((e, i) => o.i32Add(e, toRight[i]!)), ...next]
    }
    return m.repeat([begin, ...moved, ...before], ([x]) => o.i32Less(x!, end), round).slice(4)
  }
  const edgeCount = 3 + corner.length
  const round = ([y, ...rest]: readonly V[]): readonly V[] => {
    const edges = rest.slice(0, edgeCount)
    const next = row(y!, edges.slice(0, 3), edges.slice(3), rest.slice(edgeCount))
    return [o.i32Add(y!, two), ...edges.map((e, i) => o.i32Add(e, down[i % 3]!)), ...next]
  }
  const rows = (words: readonly V[], end: V): readonly V[] => m.repeat(words, ([y]) => o.i32Less(y!, end), round)
  const start = [firstY, ...first, ...corner, ...carried]
  if (bands === undefined) return rows(start, bottom).slice(1 + edgeCount)
  const bandRound = ([y, ...rest]: readonly V[]): readonly V[] => {
    const next = o.i32Add(o.and(y!, o.constant(-bands.height >>> 0)), o.constant(bands.height))
    const band = { y: y!, top, bottom: o.select(o.i32Less(next, bottom), next, bottom), left, right }
    const edges = rest.slice(0, edgeCount)
    const before = rest.slice(edgeCount)
    const after = m.choose(
      bands.isHidden(t, band),
      () => bands.leaveOut(t, band, before),
      () => rows([y!, ...rest], band.bottom).slice(1 + edgeCount),
    )
    const count = o.shiftRightArithmetic(o.i32Sub(next, y!), o.constant(1))
    return [next, ...edges.map((e, i) => o.i32Add(e, o.i32Mul(count, down[i % 3]!))), ...after]
  }
  return m.repeat(start, ([y]) => o.i32Less(y!, bottom), bandRound).slice(1 + edgeCount)
}

/** The words of a draw, the same for all its triangles. */
export type DrawWords<V> = Pick<TestedSample<V>, 'minDepth' | 'maxDepth' | 'reference'> & { readonly start: V }

export function drawWords<V>(o: ValueOps<V>, m: QuadMemory<V>): DrawWords<V> {
  const parameter = (n: number): V => parameterWord(o, m, n)
  return {
    minDepth: parameter(PARAMETER.minDepth),
    maxDepth: parameter(PARAMETER.maxDepth),
    reference: parameter(PARAMETER.stencilReference),
    start: parameter(PARAMETER.depth),
  }
}

/** Depths of the samples of a quad of a thin triangle, float32. */
function thinDepths<V>(o: ValueOps<V>, t: TriangleWords<V>, quad: TriangleQuad<V>): readonly V[] {
  const inverseArea = inverseWords(o, t.area)
  const [z10, z20] = t.differences
  return quad.samples.map(({ edges }) => {
    const [l1, l2] = edges().map((e) => o.f64Mul(e, inverseArea)) as [Pair<V>, Pair<V>]
    return o.f64ToF32(o.f64Add(o.f64Add(t.plane.first, o.f64Mul(z10, l1)), o.f64Mul(z20, l2)))
  })
}

/** Tests the samples of a quad, and writes what the state says; all ones where they pass, by place among the samples. */
export function testSamples<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  { view, ...state }: DepthStencilTestState,
  draw: DrawWords<V>,
  t: TriangleWords<V>,
  quad: TriangleQuad<V>,
): readonly V[] {
  const layout = pixelLayout(view)
  const elementWords = view.bytesPerTexel / 4
  const ofRow = o.i32Mul(quad.y, o.constant(layout.rowPitch))
  const ofColumn = o.i32Mul(quad.x, o.constant(layout.wordCount * 4))
  const pixels = targetPixels(o, m, layout, o.i32Add(draw.start, o.i32Add(ofRow, ofColumn)), quad.isCovered)
  const stored = [...pixels.words]
  const depths = m.choose(
    t.isThin,
    () => thinDepths(o, t, quad),
    () => {
      const center = quad.center()
      return quad.samples.map(({ offset }) => depthAtOffset(o, center, offset))
    },
  )
  const passes = quad.samples.map(({ sample, isCovered }, n) => {
    const depth = depths[n]!
    const first = sample * elementWords
    const element = pixels.words.slice(first, first + elementWords)
    const { isFrontFacing } = t
    const tested = depthStencilElement(o, { view, ...state }, { ...draw, depth, isFrontFacing, element, isCovered })
    tested.element.forEach((word, n) => {
      stored[first + n] = o.select(tested.writes, word, element[n]!)
    })
    return tested.passes
  })
  if (state.writesDepth || state.writesStencil) pixels.store(stored)
  return passes
}
