import type { QuadMemory, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import { laneBytesOf } from '../lane-bytes.ts'
import { type DepthStencilTestState, depthStencilElement, hasDepthStencilWords, testStateText } from '../merge/index.ts'
import { centerWord, loadDepthPlane, ROW_WORD, sampleDepths, thinSampleDepths } from '../raster/index.ts'
import { parameterWord, type QuadPixels, type QuadWords } from './input-program.ts'
import { PARAMETER, QUAD_MEMORY } from './quads.ts'
import { eachQuad } from './rows-of-quads.ts'
import { isSampleSet, layoutText, pixelLayout, targetPixels } from './target-pixels.ts'

/** Depth and stencil tests as a program of quads: what `sample-tests.ts` does with numbers. */

/** Quads that were found, or those that were shaded. */
export type TestedQuads = 'found' | 'shaded'

/** Columns of samples that are tested, and of those that pass. */
const SAMPLE_COLUMNS = {
  found: [QUAD_MEMORY.found.masks, QUAD_MEMORY.found.passed],
  shaded: [QUAD_MEMORY.shaded.written, QUAD_MEMORY.shaded.written],
} as const

/**
 * The program for quads; undefined for formats that it does not have. `offsets` are x and y of each sample in 1/256 pixel from the center,
 * which the number of samples decides.
 */
export function testProgram(
  which: TestedQuads,
  state: DepthStencilTestState,
  rowLength: number,
  offsets: Int32Array,
): QuadProgram | undefined {
  const { view } = state
  if (!hasDepthStencilWords(view)) return undefined
  const { bytesPerTexel, sampleCount, format } = view
  const layout = pixelLayout(view)
  const elementWords = bytesPerTexel / 4
  const columns = QUAD_MEMORY[which === 'found' ? 'found' : 'shaded']
  const [from, to] = SAMPLE_COLUMNS[which]
  const meaning = <V>(o: ValueOps<V>, m: QuadMemory<V>): void => {
    const parameter = (n: number): V => parameterWord(o, m, n)
    const reference = parameter(PARAMETER.stencilReference)
    const counts = o.constant(QUAD_MEMORY.parameters + PARAMETER.counted * 4)
    const counted = o.i32Add(laneBytesOf(o, m, o.constant(0)), counts)
    m.store(counted, [o.constant(0)])
    /** What the quads of a primitive have in common, and those of a row of quads. */
    const begin = ({ row, firstY }: QuadWords<V>) => {
      const slice = o.i32Mul(row.word(ROW_WORD.slice), parameter(PARAMETER.depthSlice))
      const ofRow = o.i32Mul(firstY, o.constant(layout.rowPitch))
      const start = o.i32Add(o.i32Add(parameter(PARAMETER.depth), slice), ofRow)
      const [minDepth, maxDepth] = [row.word(ROW_WORD.minDepth), row.word(ROW_WORD.maxDepth)]
      return { start, minDepth, maxDepth, isFrontFacing: row.word(ROW_WORD.isFrontFacing), reference }
    }
    const test = (
      { firstX, laneBytes }: QuadPixels<V>,
      { start, ...common }: ReturnType<typeof begin>,
      depths: readonly V[],
    ): void => {
      const masks = m.load(o.i32Add(laneBytes, o.constant(from)), 1)[0]!
      const ofColumn = o.i32Mul(firstX, o.constant(layout.wordCount * 4))
      const pixels = targetPixels(o, m, layout, o.i32Add(start, ofColumn), masks)
      const stored = [...pixels.words]
      let passed = o.constant(0)
      let passing: V = m.load(counted, 1)[0]!
      for (let s = 0; s < sampleCount; s++) {
        const element = pixels.words.slice(s * elementWords, (s + 1) * elementWords)
        const isCovered = isSampleSet(o, masks, s)
        const tested = depthStencilElement(o, state, { ...common, depth: depths[s]!, element, isCovered })
        tested.element.forEach((word, n) => {
          stored[s * elementWords + n] = o.select(tested.writes, word, element[n]!)
        })
        passed = o.or(passed, o.and(tested.passes, o.constant(1 << s)))
        // All ones, which is -1, where the sample passes.
        passing = o.i32Sub(passing, tested.passes)
      }
      if (state.writesDepth || state.writesStencil) pixels.store(stored)
      m.store(o.i32Add(laneBytes, o.constant(to)), [passed])
      m.store(counted, [passing])
    }
    const centers = ({ x, y }: QuadPixels<V>): readonly [V, V] => [centerWord(o, x), centerWord(o, y)]
    const one = (quad: QuadWords<V>): void => {
      const { row, choose } = quad
      const common = begin(quad)
      const depths = choose(
        row.word(ROW_WORD.isThin),
        () => thinSampleDepths(o, row, ...centers(quad), offsets),
        () => sampleDepths(o, row, ...centers(quad), offsets),
      )
      test(quad, common, depths)
    }
    eachQuad(o, m, { columns, rowLength }, one, (first, loop) => {
      const common = begin(first)
      loadDepthPlane(first.row)
      return loop((quad) => test(quad, common, sampleDepths(o, first.row, ...centers(quad), offsets)))
    })
  }
  // Depths are compared as they are, and of a denormal the code is 0.
  return {
    key: `["tests","${which}","${format.name}",${sampleCount},${layoutText(layout)},${rowLength},${testStateText(state)}]`,
    keepsDenormals: true,
    meaning,
  }
}
