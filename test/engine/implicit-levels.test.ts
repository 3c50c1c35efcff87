import { expect, it } from 'vitest'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { compareStage } from '../support/differential-stages.ts'
import type { SlotHint } from '../support/random-bindings.ts'
import { programOf } from '../support/run-text.ts'

/**
 * Samples whose level of detail comes from the quad's differences, which compiled code works out with a lane for each quad of a wave:
 * quads at random places, so that each has a level of its own, on random textures with random samplers.
 */

const TEXT = `ps_5_0
dcl_globalFlags refactoringAllowed
dcl_sampler s0, mode_default
dcl_sampler s1, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_resource_texture3d (float,float,float,float) t1
dcl_input_ps linear v0.xyzw
dcl_output o0.xyzw
dcl_output o1.xyzw
dcl_output o2.xyzw
dcl_temps 1
mul r0.xyz, v0.xyzx, v0.wwww
sample_indexable(texture2d)(float,float,float,float) o0.xyzw, v0.xyxx, t0.xyzw, s0
sample_indexable(texture2d)(float,float,float,float) o1.xyzw, r0.xyxx, t0.zwxy, s1
sample_indexable(texture3d)(float,float,float,float) o2.xyzw, r0.xyzx, t1.xyzw, s0
ret
`

const SEEDS = 10

/** Most formats and samplers are none of those whose samples are sums of codes. */
const CODES: Readonly<Record<string, SlotHint>> = {
  t0: { formats: ['R8G8B8A8_UNORM', 'R8G8B8A8_UNORM_SRGB', 'B8G8R8A8_UNORM'] },
  s0: { sampler: { filter: 'MIN_MAG_MIP_LINEAR', address: 'WRAP' } },
  s1: { sampler: { filter: 'MIN_MAG_LINEAR_MIP_POINT', address: 'CLAMP', minLod: 0.25 } },
}

it.each([
  [1, 'exact'],
  [2, 'exact'],
  [4, 'exact'],
  [1, 'fast'],
  [4, 'fast'],
] as const)('are those of the reference engine, %i vectors a word, %s', (width, sampling) => {
  const engines = [false, true].map((alwaysDecodes) => createWasmEngineWith({ threads: 1, width, alwaysDecodes }))
  const program = programOf(TEXT)
  const reference = createReferenceEngine({})
  const verdicts = Array.from({ length: SEEDS }, (_, seed) =>
    compareStage(reference, engines[seed & 1]!, program, seed, {
      load: { sampling },
      hints: sampling === 'fast' ? CODES : {},
    }),
  )
  for (const engine of engines) engine.dispose?.()
  expect(verdicts.filter((v) => v.kind !== 'equal')).toEqual([])
})
