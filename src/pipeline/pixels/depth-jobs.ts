import type { QuadKernel } from '../../engine/index.ts'
import type { DepthStencilTest } from '../merge/index.ts'
import { depthProgram } from './depth-program.ts'
import { PARAMETER, type QuadMemory } from './quads.ts'
import type { JobCode } from './triangle-jobs.ts'

/** Small triangles of draws without a pixel shader: compiled code covers and tests them at once. */

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
    compile() {
      kernel = kernels.quadKernelFor(program)
      return kernel !== undefined
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
