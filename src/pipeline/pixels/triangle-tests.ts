import type { QuadMemory } from '../../engine/index.ts'
import type { Pair, ValueOps } from '../../isa/index.ts'
import { type DepthStencilTestState, depthStencilElement, type TestedSample } from '../merge/index.ts'
import { parameterWord } from './input-program.ts'
import { PARAMETER } from './quads.ts'
import { pixelLayout, targetPixels } from './target-pixels.ts'
import type { TriangleQuad, TriangleWords } from './triangle-quads.ts'

/** Depth and stencil tests of the quads of small triangles, with depth by their edge functions. */

/** The words of a draw, the same for all its triangles. */
type DrawWords<V> = Pick<TestedSample<V>, 'minDepth' | 'maxDepth' | 'reference'> & { readonly start: V }

export function drawWords<V>(o: ValueOps<V>, m: QuadMemory<V>): DrawWords<V> {
  const parameter = (n: number): V => parameterWord(o, m, n)
  return {
    minDepth: parameter(PARAMETER.minDepth),
    maxDepth: parameter(PARAMETER.maxDepth),
    reference: parameter(PARAMETER.stencilReference),
    start: parameter(PARAMETER.depth),
  }
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
  const inverseArea = o.f64Div(o.f32ToF64(o.constant(0x3f800000)), o.i32ToF64(t.area))
  const [z0, z10, z20] = t.z
  const passes = quad.samples.map(({ sample, edges, inside }) => {
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
    return tested.passes
  })
  if (state.writesDepth || state.writesStencil) pixels.store(stored)
  return passes
}
