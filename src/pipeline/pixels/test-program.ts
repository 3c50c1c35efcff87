import type { QuadMemory, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import { type DepthStencilTestState, depthStencilElement, hasDepthStencilWords } from '../merge/index.ts'
import { centerWord, ROW_WORD, sampleDepths, thinSampleDepths } from '../raster/index.ts'
import { parameterWord, quadWords } from './input-program.ts'
import { PARAMETER, QUAD_MEMORY } from './quads.ts'
import { isSampleSet, pixelLayout, targetPixels } from './target-pixels.ts'

/** Depth and stencil tests as a program of quads: what `sample-tests.ts` does with numbers. */

/**
 * The program for quads that were found, or for those that were shaded; undefined for formats that it does not have. `offsets` are x and
 * y of each sample in 1/256 pixel from the center, which the number of samples decides.
 */
export function testProgram(
  which: 'found' | 'shaded',
  state: DepthStencilTestState,
  rowLength: number,
  offsets: Int32Array,
): QuadProgram | undefined {
  const { view } = state
  if (!hasDepthStencilWords(view)) return undefined
  const { bytesPerTexel, sampleCount, format } = view
  const layout = pixelLayout(view)
  const elementWords = bytesPerTexel / 4
  const columns = QUAD_MEMORY[which]
  const [from, to] =
    which === 'found'
      ? [QUAD_MEMORY.found.masks, QUAD_MEMORY.found.passed]
      : [QUAD_MEMORY.shaded.written, QUAD_MEMORY.shaded.written]
  const meaning = <V>(o: ValueOps<V>, m: QuadMemory<V>): void => {
    const { row, x, y, firstX, firstY, laneBytes, choose } = quadWords(o, m, columns, rowLength)
    const masks = m.load(o.i32Add(laneBytes, o.constant(from)), 1)[0]!
    const parameter = (n: number): V => parameterWord(o, m, n)
    const slice = o.i32Mul(row.word(ROW_WORD.slice), parameter(PARAMETER.depthSlice))
    const start = o.i32Add(parameter(PARAMETER.depth), slice)
    const ofRow = o.i32Mul(firstY, o.constant(layout.rowPitch))
    const ofColumn = o.i32Mul(firstX, o.constant(layout.wordCount * 4))
    const pixels = targetPixels(o, m, layout, o.i32Add(start, o.i32Add(ofRow, ofColumn)), masks)
    const [minDepth, maxDepth] = [row.word(ROW_WORD.minDepth), row.word(ROW_WORD.maxDepth)]
    const isFrontFacing = row.word(ROW_WORD.isFrontFacing)
    const reference = parameter(PARAMETER.stencilReference)
    const stored = [...pixels.words]
    const [centerX, centerY] = [centerWord(o, x), centerWord(o, y)]
    const depths = choose(
      row.word(ROW_WORD.isThin),
      () => thinSampleDepths(o, row, centerX, centerY, offsets),
      () => sampleDepths(o, row, centerX, centerY, offsets),
    )
    let passed = o.constant(0)
    for (let s = 0; s < sampleCount; s++) {
      const element = pixels.words.slice(s * elementWords, (s + 1) * elementWords)
      const isCovered = isSampleSet(o, masks, s)
      const sample = { depth: depths[s]!, minDepth, maxDepth, isFrontFacing, reference, element, isCovered }
      const tested = depthStencilElement(o, state, sample)
      tested.element.forEach((word, n) => {
        stored[s * elementWords + n] = o.select(tested.writes, word, element[n]!)
      })
      passed = o.or(passed, o.and(tested.passes, o.constant(1 << s)))
    }
    if (state.writesDepth || state.writesStencil) pixels.store(stored)
    m.store(o.i32Add(laneBytes, o.constant(to)), [passed])
  }
  const { depthStencil, writesDepth, writesStencil, testsStencil } = state
  const states = [depthStencil, writesDepth, writesStencil, testsStencil]
  // Depths are compared as they are, and of a denormal the code is 0.
  return {
    key: JSON.stringify(['tests', which, format.name, sampleCount, layout, rowLength, states]),
    keepsDenormals: true,
    meaning,
  }
}
