import type { QuadMemory, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import { type DepthStencilTestState, hasDepthStencilWords } from '../merge/index.ts'
import { JOB_WORDS } from '../raster/index.ts'
import { parameterWord } from './input-program.ts'
import { PARAMETER, QUAD_MEMORY } from './quads.ts'
import { pixelLayout } from './target-pixels.ts'
import { drawWords, overQuads, type TriangleSamples, testSamples } from './triangle-quads.ts'

/** Small triangles that no pixel shader follows, as one program: coverage, depth and the tests of their quads. */

/** What the program is made for. */
interface DepthProgramOptions extends TriangleSamples {
  readonly state: DepthStencilTestState
}

/** The program for the jobs of a draw; undefined for formats that it does not have. */
export function depthProgram({ state, ...samples }: DepthProgramOptions): QuadProgram | undefined {
  const { view, depthStencil, writesDepth, writesStencil, testsStencil } = state
  if (!hasDepthStencilWords(view)) return undefined
  const meaning = <V>(o: ValueOps<V>, m: QuadMemory<V>): void => {
    const count = parameterWord(o, m, PARAMETER.jobs)
    const draw = drawWords(o, m)
    const round = ([n, passed]: readonly V[]): readonly V[] => {
      const job = o.i32Add(o.i32Mul(n!, o.constant(JOB_WORDS * 4)), o.constant(QUAD_MEMORY.jobs))
      const ends = overQuads(o, m, job, { ...samples, limitsRows: false }, [passed!], (t, quad, [before]) => {
        const passes = testSamples(o, m, state, draw, t, quad)
        return [passes.reduce((sum, p) => o.i32Add(sum, o.countBits(m.signs(p))), before!)]
      })
      return [o.i32Add(n!, o.constant(1)), ...ends]
    }
    const [, passed] = m.repeat([o.constant(0), o.constant(0)], ([n]) => o.i32Less(n!, count), round)
    m.store(o.constant(QUAD_MEMORY.parameters + PARAMETER.passed * 4), [passed!])
  }
  const states = [depthStencil, writesDepth, writesStencil, testsStencil, samples.sampleMask]
  // Depths are compared as they are, and of a denormal the code is 0.
  return {
    key: JSON.stringify(['depth', view.format.name, view.sampleCount, pixelLayout(view), states]),
    keepsDenormals: true,
    meaning,
  }
}
