import { expect, test } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { batchCapacity, type Engine, isOfBatches, type LoadOptions, matchBindings } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { nextWaveCounts } from '../../src/engine/wasm/flow/next-wave.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { createSampler, createSrv, createTexture } from '../../src/machine/index.ts'
import { quadsOf } from '../support/batches.ts'
import { programOf } from '../support/run-text.ts'

// Levels of detail that a wave finds for the one behind it (engine/wasm/flow/next-wave.ts): batches of any number of waves, one behind the
// other, on the reference engine and in compiled code.

/** Two samples; of the quads in which a pixel is below 0 nothing is discarded but that pixel. */
const TEXT = `ps_5_0
dcl_globalFlags refactoringAllowed
dcl_sampler s0, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_input_ps linear v0.xyz
dcl_output o0.xyzw
dcl_temps 3
mul r0.xy, v0.xyxx, l(3.0, 5.0, 0, 0)
sample_indexable(texture2d)(float,float,float,float) r1.xyzw, v0.xyxx, t0.xyzw, s0
lt r0.z, v0.z, l(0.0)
discard_nz r0.z
sample_indexable(texture2d)(float,float,float,float) r2.xyzw, r0.xyxx, t0.wzyx, s0
mad o0.xyzw, r1.xyzw, r2.xyzw, r2.wzyx
ret
`

const SIZE = 64
const TEXELS = Uint8Array.from({ length: (4 * (SIZE * SIZE * 4 - 1)) / 3 }, (_, i) => (i * 7919 + (i >> 5)) & 255)

/** Coordinates whose steps differ from quad to quad by powers of two, so that the words of one wave serve no other. */
function coordinates(capacity: number, count: number, seed: number): Int32Array {
  const words = new Int32Array(capacity * 3)
  const floats = new Float32Array(words.buffer)
  for (let i = 0; i < count; i++) {
    const quad = i >> 2
    const step = 2 ** (((quad * 5 + seed) % 13) - 8) * (1 + ((quad * 37 + seed) % 29) / 29)
    const begin = ((quad * 97 + seed * 13) % 101) / 101
    floats[i] = begin + (i & 1) * step
    floats[capacity + i] = begin * 3 - ((i >> 1) & 1) * step * 0.7
    floats[2 * capacity + i] = (i + seed) % 11 === 0 ? -1 : 1
  }
  return words
}

/** What batches of so many pixels leave, one after the other. */
function outputsOf(engine: Engine, counts: readonly number[], load: LoadOptions): number[][] {
  const own = engine.memory === undefined ? {} : { memory: engine.memory }
  const shader = valueOrThrow(engine.load(programOf(TEXT), load))
  const data = TEXELS.slice(0, ((SIZE * SIZE * 4 - 1) / 3) * 4)
  const texture = valueOrThrow(
    createTexture({
      ...own,
      dimension: 'texture2d',
      format: 'R8G8B8A8_UNORM',
      width: SIZE,
      height: SIZE,
      mipLevels: 0,
      data,
    }),
  )
  const sampler = createSampler({ filter: 'MIN_MAG_MIP_LINEAR', address: 'WRAP' })
  const bound = { t0: valueOrThrow(createSrv(texture)), s0: valueOrThrow(sampler) }
  const bindings = valueOrThrow(matchBindings(shader.declarations, bound))
  const execution = valueOrThrow(engine.begin(shader, bindings, { kind: 'batches' }))
  if (!isOfBatches(execution)) throw new Error('the engine began no execution of batches')
  const capacity = batchCapacity(shader.declarations)
  const columns = execution.columns?.(0, capacity) ?? {
    capacity,
    inputs: new Int32Array(execution.layouts[0]!.inputs.slotCount * capacity),
    outputs: new Int32Array(execution.layouts[0]!.outputs.slotCount * capacity),
  }
  return counts.map((count, n) => {
    columns.inputs.fill(-1)
    columns.inputs.set(coordinates(columns.capacity, count, n))
    const quads = quadsOf(count)
    execution.start({ entry: 0, count, ...columns, quads, describe: String })
    const forever = Number.POSITIVE_INFINITY
    expect(execution.run({ time: forever, deadline: forever })?.stopped).toBeUndefined()
    return [0, 1, 2, 3].flatMap((c) =>
      Array.from(columns.outputs.subarray(c * columns.capacity, c * columns.capacity + count)).map((word, i) =>
        quads.discarded[i] === 1 ? 0 : word,
      ),
    )
  })
}

test.each<LoadOptions>([{}, { denormals: 'keep' }, { sampling: 'fast', denormals: 'keep' }])(
  'batches of any number of waves: %o',
  (load) => {
    const capacity = batchCapacity(valueOrThrow(createReferenceEngine({}).load(programOf(TEXT), load)).declarations)
    const counts = [4, 16, 20, 12, 84, capacity, 8, capacity - 4]
    const expected = outputsOf(createReferenceEngine({}), counts, load)
    for (const width of [1, 2, 4] as const) {
      for (const alwaysDecodes of [false, true]) {
        const { programs } = nextWaveCounts
        const engine = createWasmEngineWith({ width, threads: 1, alwaysDecodes })
        expect(outputsOf(engine, counts, load), `${width} vectors a word`).toEqual(expected)
        expect(nextWaveCounts.programs).toBeGreaterThan(programs)
      }
    }
  },
)
