import type { QuadMemory, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import { type DepthStencilTestState, depthStencilElement, hasDepthStencilWords } from '../merge/index.ts'
import { centerWord, depthWord, placeWords, ROW_WORD } from '../raster/index.ts'
import { parameterWord, quadWords } from './input-program.ts'
import { PARAMETER, QUAD_MEMORY } from './quads.ts'

/** Depth and stencil tests as a program of quads: what `sample-tests.ts` does with numbers. */

/** The program for quads that were found, or for those that were shaded; undefined for formats that it does not have. */
export function testProgram(
  which: 'found' | 'shaded',
  state: DepthStencilTestState,
  rowLength: number,
): QuadProgram | undefined {
  const { view } = state
  if (!hasDepthStencilWords(view)) return undefined
  const { bytesPerTexel, sampleCount, format } = view
  const columns = QUAD_MEMORY[which]
  const [from, to] =
    which === 'found'
      ? [QUAD_MEMORY.found.masks, QUAD_MEMORY.found.passed]
      : [QUAD_MEMORY.shaded.written, QUAD_MEMORY.shaded.written]
  const meaning = <V>(o: ValueOps<V>, m: QuadMemory<V>): void => {
    const { row, x, y, laneBytes } = quadWords(o, m, columns, rowLength)
    const masks = m.load(o.i32Add(laneBytes, o.constant(from)), 1)[0]!
    const parameter = (n: number): V => parameterWord(o, m, n)
    const slice = o.i32Mul(row.word(ROW_WORD.slice), parameter(PARAMETER.depthSlice))
    const start = o.i32Add(parameter(PARAMETER.depth), slice)
    const first = o.i32Add(
      o.i32Add(start, o.i32Mul(y, parameter(PARAMETER.depthRow))),
      o.i32Mul(x, o.constant(bytesPerTexel * sampleCount)),
    )
    const [minDepth, maxDepth] = [row.word(ROW_WORD.minDepth), row.word(ROW_WORD.maxDepth)]
    const isFrontFacing = row.word(ROW_WORD.isFrontFacing)
    const reference = parameter(PARAMETER.stencilReference)
    let passed = o.constant(0)
    for (let s = 0; s < sampleCount; s++) {
      const isCovered = o.shiftRightArithmetic(o.shiftLeft(masks, o.constant(31 - s)), o.constant(31))
      const at = (center: V, axis: number): V =>
        o.i32Add(center, m.load(o.constant(QUAD_MEMORY.offsets + (s * 2 + axis) * 4), 1)[0]!)
      const place = placeWords(o, row, at(centerWord(o, x), 0), at(centerWord(o, y), 1))
      const depth = depthWord(o, row, place)
      const address = o.i32Add(first, o.constant(s * bytesPerTexel))
      // What is outside of the targets is not covered, and is not read.
      const element = m.load(address, bytesPerTexel / 4, isCovered)
      const sample = { depth, minDepth, maxDepth, isFrontFacing, reference, element, isCovered }
      const tested = depthStencilElement(o, state, sample)
      if (state.writesDepth || state.writesStencil) m.store(address, tested.element, tested.writes)
      passed = o.or(passed, o.and(tested.passes, o.constant(1 << s)))
    }
    m.store(o.i32Add(laneBytes, o.constant(to)), [passed])
  }
  const { depthStencil, writesDepth, writesStencil, testsStencil } = state
  const states = [depthStencil, writesDepth, writesStencil, testsStencil]
  return { key: JSON.stringify(['tests', which, format.name, sampleCount, rowLength, states]), meaning }
}
