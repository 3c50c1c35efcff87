import { describe, expect, it } from 'vitest'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { type SamplingRun, sampledWords, samplingText } from '../support/sampling-run.ts'

/**
 * Filters of compiled code load two texels of a row at once, and find those of sizes that are powers of two by masks: positions at
 * the edges of texels and textures, where the second texel is elsewhere, against the reference engine.
 */

const OFFSETS = ['_indexable', '_aoffimmi_indexable(-8,7,0)', '_aoffimmi_indexable(1,-1,0)']
const TEXTS = OFFSETS.map((offset) =>
  samplingText(`ishl r0.x, vThreadID.x, l(3)
ld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r1.xy, r0.x, t1.xyxx
sample_l${offset}(texture2d)(float,float,float,float) r2.xyzw, r1.xyxx, t0.xyzw, s0, l(0)
ishl r0.x, r0.x, l(1)
store_raw u0.xyzw, r0.x, r2.xyzw`),
)

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

/** A texture of one mip and positions around the edges of its texels. */
function atEdges(
  width: number,
  height: number,
  format: string,
): Pick<SamplingRun, 'texture' | 'numbers' | 'resultWords'> {
  const vs = positionsOf(height)
  const numbers = positionsOf(width).map((u, n) => [u, vs[(n * 7) % vs.length]!])
  const data = Uint8Array.from({ length: width * height * 4 }, (_, n) => (n * 151 + (n >> 3)) & 0x7f)
  return { texture: { dimension: 'texture2d', format, width, height, data }, numbers, resultWords: 4 }
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
        const height = n % 2 === 0 ? 4 : 3
        const k = n % TEXTS.length
        const sampler = { filter: 'MIN_MAG_MIP_LINEAR', address } as const
        const run = { ...atEdges(width, height, format), text: TEXTS[k]!, sampler }
        const want = await sampledWords(reference, run)
        const got = await sampledWords(engine, run)
        if (want.some((w, i) => w !== got[i])) differing.push(`${width} x ${height} ${format}${OFFSETS[k]}`)
      }
    }
    engine.dispose?.()
    expect(differing).toEqual([])
  })
})
