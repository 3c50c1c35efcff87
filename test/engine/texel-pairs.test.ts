import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { type Engine, matchBindings } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import {
  createBuffer,
  createSampler,
  createSrv,
  createTexture,
  createUav,
  type SamplerOptions,
} from '../../src/machine/index.ts'
import { programOf } from '../support/run-text.ts'

/**
 * Filters of compiled code load two texels of a row at once, and find those of sizes that are powers of two by masks: positions at
 * the edges of texels and textures, where the second texel is elsewhere, against the reference engine.
 */

const text = (offset: string): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_sampler s0, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_resource_raw t1
dcl_uav_raw u0
dcl_input vThreadID.x
dcl_temps 3
dcl_thread_group 16, 1, 1
ishl r0.x, vThreadID.x, l(3)
ld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r1.xy, r0.x, t1.xyxx
sample_l${offset}(texture2d)(float,float,float,float) r2.xyzw, r1.xyxx, t0.xyzw, s0, l(0)
ishl r0.x, r0.x, l(1)
store_raw u0.xyzw, r0.x, r2.xyzw
ret
`
const PROGRAMS = ['_indexable', '_aoffimmi_indexable(-8,7,0)', '_aoffimmi_indexable(1,-1,0)'].map(text)

interface Case {
  readonly width: number
  readonly height: number
  readonly format: string
  readonly address: NonNullable<SamplerOptions['address']>
}

const FLOATS = new Float32Array(1)
const WORDS = new Int32Array(FLOATS.buffer)

/** Positions on an axis around the edges of texels near both ends, and what is no position. */
function positionsOf(size: number): number[] {
  const edges = [
    -size,
    -1,
    -0.5,
    0,
    0.5,
    1,
    size / 2,
    size - 1,
    size - 0.5,
    size,
    size + 0.5,
    2 * size - 0.5,
    10.2 * size,
  ]
  const found = [Number.NaN, Number.POSITIVE_INFINITY, 1e30, -1e30]
  for (const edge of edges) {
    for (const step of [-1 / 4096, 0, 1 / 8192, 0.25]) {
      FLOATS[0] = (edge + step) / size
      for (let d = -1; d <= 1; d++) {
        found.push(FLOATS[0]!)
        if (FLOATS[0] !== 0) WORDS[0] = WORDS[0]! + 1
      }
    }
  }
  return found
}

async function sampled(engine: Engine, { width, height, format, address }: Case, program: string): Promise<number[]> {
  const us = positionsOf(width)
  const vs = positionsOf(height)
  const count = Math.ceil(us.length / 16) * 16
  const places = Float32Array.from({ length: count * 2 }, (_, n) =>
    n % 2 === 0 ? us[(n >> 1) % us.length]! : vs[((n >> 1) * 7) % vs.length]!,
  )
  const shared = engine.memory === undefined ? {} : { memory: engine.memory }
  const texels = Uint8Array.from({ length: width * height * 4 }, (_, n) => (n * 151 + (n >> 3)) & 0x7f)
  const texture = { dimension: 'texture2d', format, width, height, data: texels, ...shared } as const
  const given = { byteLength: count * 8, data: new Uint8Array(places.buffer), ...shared }
  const out = valueOrThrow(createBuffer({ byteLength: count * 16, ...shared }))
  const shader = valueOrThrow(engine.load(programOf(program)))
  const bound = {
    // The last of the allocations: what stands behind its last texel is nobody's.
    t1: valueOrThrow(createSrv(valueOrThrow(createBuffer(given)), { raw: true })),
    t0: valueOrThrow(createSrv(valueOrThrow(createTexture(texture)))),
    u0: valueOrThrow(createUav(out, { raw: true })),
    s0: valueOrThrow(createSampler({ filter: 'MIN_MAG_MIP_LINEAR', address })),
  }
  await engine.dispatch(shader, valueOrThrow(matchBindings(shader.declarations, bound)), [count / 16, 1, 1])
  return [...out.storage.words]
}

const ADDRESSES = ['WRAP', 'MIRROR', 'CLAMP', 'BORDER', 'MIRROR_ONCE'] as const
const FORMATS = ['R8G8B8A8_UNORM', 'B8G8R8A8_UNORM_SRGB', 'R32_FLOAT', 'R16G16_SNORM', 'R10G10B10A2_UNORM'] as const
const WIDTHS = [1, 2, 3, 4, 7, 8, 256, 500, 501, 512, 960, 961, 1024, 1025, 2048] as const

describe('filtered texels at edges', () => {
  it.each(ADDRESSES)('%s', async (address) => {
    const reference = createReferenceEngine({})
    const engine = createWasmEngineWith({ threads: 1 })
    const differing: string[] = []
    let number = 0
    for (const width of WIDTHS) {
      for (const format of FORMATS) {
        const n = number++
        const program = PROGRAMS[n % PROGRAMS.length]!
        const c = { width, height: n % 2 === 0 ? 4 : 3, format, address }
        const want = await sampled(reference, c, program)
        const got = await sampled(engine, c, program)
        if (want.some((w, i) => w !== got[i])) differing.push(`${JSON.stringify(c)} ${n % PROGRAMS.length}`)
      }
    }
    engine.dispose?.()
    expect(differing).toEqual([])
  })
})
