import type { QuadMemory, QuadProgram } from '../../engine/index.ts'
import type { Pair, ValueOps } from '../../isa/index.ts'
import {
  type DepthStencilTestState,
  depthStencilElement,
  hasDepthStencilWords,
  type TestedSample,
} from '../merge/index.ts'
import { centerWord, JOB, JOB_WORDS, RECORD, RECORD_FRONT_FACING } from '../raster/index.ts'
import { parameterWord } from './input-program.ts'
import { PARAMETER, QUAD_MEMORY } from './quads.ts'
import { pixelLayout, targetPixels } from './target-pixels.ts'

/**
 * Small triangles that no pixel shader follows, as one program: coverage, depth and the tests of their quads. Edge functions, which
 * are whole numbers, say which samples are covered and, over the area, how much of each vertex's depth a sample has.
 */

/** What of a triangle does not depend on the pixel. Edge i lies opposite to vertex i, and is positive inside. */
interface TriangleWords<V> {
  /** Changes of an edge function by 1/256 pixel down, and to the left. */
  readonly down: readonly [V, V, V]
  readonly left: readonly [V, V, V]
  /** -1 where a sample on the edge is not covered, else 0. */
  readonly least: readonly [V, V, V]
  /** Twice the area, positive. */
  readonly area: V
  /** Edge functions of the second and third vertex at a place in 1/256 pixel. */
  edgesAt(x: V, y: V): readonly [V, V]
  /** Depth at the first vertex, and the differences of the others. */
  readonly z: readonly [Pair<V>, Pair<V>, Pair<V>]
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
  const front = o.constant(RECORD_FRONT_FACING)
  const minusZ0 = o.f32ToF64(o.xor(z0, o.constant(0x80000000)))
  return {
    down,
    left,
    least: [0, 1, 2].map((i) => leastOf(down[i]!, left[i]!)) as [V, V, V],
    area: turned(signed),
    edgesAt: (px, py) => [edgeAt(1, px, py, x2, y2), edgeAt(2, px, py, x0, y0)],
    isFrontFacing: o.i32Equal(o.and(kind, front), front),
    z: [o.f32ToF64(z0), o.f64Add(o.f32ToF64(z1), minusZ0), o.f64Add(o.f32ToF64(z2), minusZ0)],
  }
}

/** What the program is made for. */
interface DepthProgramOptions {
  readonly state: DepthStencilTestState
  /** x and y of each sample in 1/256 pixel from the center. */
  readonly offsets: Int32Array
  /** Samples that are not in it are never covered. */
  readonly sampleMask: number
}

/** A sample of the four pixels of a quad. */
interface SampleWords<V> {
  readonly sample: number
  /** Edge functions of the second and third vertex. */
  readonly edges: readonly [V, V]
  /** Negative where it is not covered. */
  readonly inside: V
}

function sampleWords<V>(
  o: ValueOps<V>,
  t: TriangleWords<V>,
  [e1, e2]: readonly [V, V],
  inBox: V,
  { offsets, sampleMask }: DepthProgramOptions,
): readonly SampleWords<V>[] {
  const samples = Array.from({ length: offsets.length / 2 }, (_, s) => s).filter((s) => (sampleMask & (1 << s)) !== 0)
  return samples.map((sample) => {
    const [right, down] = [offsets[sample * 2]!, offsets[sample * 2 + 1]!]
    const moved = (e: V, i: 1 | 2): V => {
      if (right === 0 && down === 0) return e
      const [byX, byY] = [o.i32Mul(t.left[i], o.constant(right >>> 0)), o.i32Mul(t.down[i], o.constant(down >>> 0))]
      return o.i32Add(e, o.i32Sub(byY, byX))
    }
    const edges = [moved(e1, 1), moved(e2, 2)] as const
    const all = [o.i32Sub(o.i32Sub(t.area, edges[0]), edges[1]), ...edges].map((e, i) => o.i32Add(e, t.least[i]!))
    return { sample, edges, inside: all.reduce((a, b) => o.or(a, b), inBox) }
  })
}

/** The words of a draw, the same for all its triangles. */
type DrawWords<V> = Pick<TestedSample<V>, 'minDepth' | 'maxDepth' | 'reference'> & { readonly start: V }

/** Tests the samples of a quad, and adds those that pass to a count. */
function testQuad<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  { view, ...state }: DepthStencilTestState,
  draw: DrawWords<V>,
  t: TriangleWords<V>,
  quad: { readonly x: V; readonly y: V; readonly samples: readonly SampleWords<V>[]; readonly isCovered: V },
  count: V,
): V {
  const layout = pixelLayout(view)
  const elementWords = view.bytesPerTexel / 4
  const ofRow = o.i32Mul(quad.y, o.constant(layout.rowPitch))
  const ofColumn = o.i32Mul(quad.x, o.constant(layout.wordCount * 4))
  const pixels = targetPixels(o, m, layout, o.i32Add(draw.start, o.i32Add(ofRow, ofColumn)), quad.isCovered)
  const stored = [...pixels.words]
  const inverseArea = o.f64Div(o.f32ToF64(o.constant(0x3f800000)), o.i32ToF64(t.area))
  const [z0, z10, z20] = t.z
  let passed = count
  for (const { sample, edges, inside } of quad.samples) {
    const [l1, l2] = edges.map((e) => o.f64Mul(o.i32ToF64(e), inverseArea)) as [Pair<V>, Pair<V>]
    const depth = o.f64ToF32(o.f64Add(o.f64Add(z0, o.f64Mul(z10, l1)), o.f64Mul(z20, l2)))
    const first = sample * elementWords
    const element = pixels.words.slice(first, first + elementWords)
    const isCovered = o.shiftRightArithmetic(o.not(inside), o.constant(31))
    const { isFrontFacing } = t
    const tested = depthStencilElement(o, { view, ...state }, { ...draw, depth, isFrontFacing, element, isCovered })
    tested.element.forEach((word, n) => {
      stored[first + n] = o.select(tested.writes, word, element[n]!)
    })
    passed = o.i32Add(passed, o.countBits(m.signs(tested.passes)))
  }
  if (state.writesDepth || state.writesStencil) pixels.store(stored)
  return passed
}

/** Goes over the quads of a job, and adds the samples that pass to a count. */
function runJob<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  options: DepthProgramOptions,
  draw: DrawWords<V>,
  job: V,
  count: V,
): V {
  const [record, , left, top] = m.load(job, 4) as [V, V, V, V]
  const [right, bottom] = m.load(o.i32Add(job, o.constant(JOB.right * 4)), 2) as [V, V]
  const t = triangleWords(o, m, record)
  const [even, two] = [o.constant(0xfffffffe), o.constant(2)]
  const [firstX, firstY] = [o.and(left, even), o.and(top, even)]
  const first = t.edgesAt(centerWord(o, o.i32Add(firstX, m.column)), centerWord(o, o.i32Add(firstY, m.row)))
  const beyond = (p: V, from: V, to: V): V => o.or(o.i32Sub(p, from), o.i32Sub(o.i32Sub(to, o.constant(1)), p))
  const steps = [1, 2].map((i) => ({
    right: o.shiftLeft(o.i32Sub(o.constant(0), t.left[i]!), o.constant(9)),
    down: o.shiftLeft(t.down[i]!, o.constant(9)),
  }))
  const quad = (x: V, y: V, edges: readonly [V, V], inRows: V, passed: V): V => {
    const inBox = o.or(inRows, beyond(o.i32Add(x, m.column), left, right))
    const samples = sampleWords(o, t, edges, inBox, options)
    const inside = samples.map((s) => s.inside).reduce((a, b) => o.and(a, b))
    const isCovered = o.shiftRightArithmetic(o.not(inside), o.constant(31))
    const isEmpty = o.i32Equal(m.signs(inside), o.constant(15))
    const test = (): V => testQuad(o, m, options.state, draw, t, { x, y, samples, isCovered }, passed)
    return m.choose(
      isEmpty,
      () => [passed],
      () => [test()],
    )[0]!
  }
  const row = (y: V, starts: readonly [V, V], passed: V): V => {
    const inRows = beyond(o.i32Add(y, m.row), top, bottom)
    const round = ([x, e1, e2, n]: readonly V[]): readonly V[] => {
      const next = quad(x!, y, [e1!, e2!], inRows, n!)
      return [o.i32Add(x!, two), o.i32Add(e1!, steps[0]!.right), o.i32Add(e2!, steps[1]!.right), next]
    }
    return m.repeat([firstX, ...starts, passed], ([x]) => o.i32Less(x!, right), round)[3]!
  }
  const round = ([y, e1, e2, n]: readonly V[]): readonly V[] => {
    const next = row(y!, [e1!, e2!], n!)
    return [o.i32Add(y!, two), o.i32Add(e1!, steps[0]!.down), o.i32Add(e2!, steps[1]!.down), next]
  }
  return m.repeat([firstY, ...first, count], ([y]) => o.i32Less(y!, bottom), round)[3]!
}

/** The program for the jobs of a draw; undefined for formats that it does not have. */
export function depthProgram(options: DepthProgramOptions): QuadProgram | undefined {
  const { state, sampleMask } = options
  const { view, depthStencil, writesDepth, writesStencil, testsStencil } = state
  if (!hasDepthStencilWords(view)) return undefined
  const meaning = <V>(o: ValueOps<V>, m: QuadMemory<V>): void => {
    const parameter = (n: number): V => parameterWord(o, m, n)
    const count = parameter(PARAMETER.jobs)
    const draw: DrawWords<V> = {
      minDepth: parameter(PARAMETER.minDepth),
      maxDepth: parameter(PARAMETER.maxDepth),
      reference: parameter(PARAMETER.stencilReference),
      start: parameter(PARAMETER.depth),
    }
    const round = ([n, passed]: readonly V[]): readonly V[] => {
      const job = o.i32Add(o.i32Mul(n!, o.constant(JOB_WORDS * 4)), o.constant(QUAD_MEMORY.jobs))
      return [o.i32Add(n!, o.constant(1)), runJob(o, m, options, draw, job, passed!)]
    }
    const [, passed] = m.repeat([o.constant(0), o.constant(0)], ([n]) => o.i32Less(n!, count), round)
    m.store(o.constant(QUAD_MEMORY.parameters + PARAMETER.passed * 4), [passed!])
  }
  const states = [depthStencil, writesDepth, writesStencil, testsStencil, sampleMask]
  return { key: JSON.stringify(['depth', view.format.name, view.sampleCount, pixelLayout(view), states]), meaning }
}
