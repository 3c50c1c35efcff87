import type { QuadKernel, QuadMemory as QuadMemoryWords, QuadProgram } from '../../../engine/index.ts'
import type { ValueOps } from '../../../isa/index.ts'
import {
  type DepthStencilTest,
  type DepthStencilTestState,
  hasDepthStencilWords,
  testStateText,
} from '../../merge/index.ts'
import { JOB_WORDS } from '../../raster/index.ts'
import { parameterWord } from '../input-program.ts'
import { PARAMETER, QUAD_MEMORY, type QuadMemory } from '../quads.ts'
import { layoutText, pixelLayout } from '../target-pixels.ts'
import { drawWords, overQuads, type TriangleSamples, testSamples } from '../triangle-quads.ts'
import type { JobCode } from './job-code.ts'
import { wantedProgram } from './wanted-programs.ts'

/** Small triangles of draws without a pixel shader: compiled code covers and tests them at once. */

/** What the program is made for. */
interface DepthProgramOptions extends TriangleSamples {
  readonly state: DepthStencilTestState
}

/** The program for the jobs of a draw; undefined for formats that it does not have. */
function depthProgram({ state, ...samples }: DepthProgramOptions): QuadProgram | undefined {
  const { view } = state
  if (!hasDepthStencilWords(view)) return undefined
  const meaning = <V>(o: ValueOps<V>, m: QuadMemoryWords<V>): void => {
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
  const states = `${testStateText(state)},${samples.sampleMask}`
  // Depths are compared as they are, and of a denormal the code is 0.
  return {
    key: `["depth","${view.format.name}",${view.sampleCount},${layoutText(pixelLayout(view))},${states}]`,
    keepsDenormals: true,
    meaning,
  }
}

export interface DepthJobs extends JobCode {
  /** Samples that have passed. */
  passedCount: number
}

/** Undefined where quads must be found first. */
export function depthJobs(
  memory: QuadMemory,
  { state }: DepthStencilTest,
  offsets: Int32Array,
  sampleMask: number,
): DepthJobs | undefined {
  const { kernels, parameters, start } = memory
  const all = 2 ** (offsets.length / 2) - 1
  if (state === undefined || kernels === undefined || (sampleMask & all) === 0) return undefined
  const { view } = state
  if (!kernels.reaches(view.storage.buffer) || view.sampleCount * 2 !== offsets.length) return undefined
  const program = depthProgram({ state, offsets, sampleMask: sampleMask & all })
  if (program === undefined) return undefined
  let kernel: QuadKernel | undefined
  return {
    findsQuads: false,
    testsQuads: false,
    passedCount: 0,
    programs() {
      return [
        wantedProgram(
          () => (kernel = kernels.quadKernelFor(program)) !== undefined,
          () => program,
        ),
      ]
    },
    run(count) {
      parameters[PARAMETER.jobs] = count
      parameters[PARAMETER.depth] = view.storage.byteOffset + view.byteOffset - start
      parameters[PARAMETER.stencilReference] = state.reference & 0xff
      kernel!.run(1, start)
      this.passedCount += parameters[PARAMETER.passed]!
    },
  }
}
