import { describe, expect, it } from 'vitest'
import { createUav } from '../../src/machine/index.ts'
import { at, draw, type Scene, wordsBuffer } from '../support/draw-text.ts'
import { Random } from '../support/random/random.ts'

// Random small draws leave the same bytes, counts and findings for every width of a wave and at every repetition.

const WIDTHS = [1, 4, 8, 32, 64] as const

/** What a draw left, as one text. */
function left(scene: Scene): string {
  const buffer = wordsBuffer(64)
  const drawn = draw({
    ...scene,
    resources: { ...scene.resources, unorderedAccess: { u3: createUav(buffer, { raw: true }) } },
  })
  const { statistics, samplesPassed, diagnostics, undefinedCount } = drawn.result
  const images = [...drawn.targets, drawn.depth].map((v) => (v === undefined ? '' : Array.from(v.storage.words).join()))
  return JSON.stringify({
    images,
    memory: Array.from(buffer.storage.words),
    statistics,
    samplesPassed,
    diagnostics,
    undefinedCount,
  })
}

const lines = (...l: (string | false)[]): string => `${l.filter((x) => x !== false).join('\n')}\n`

/** A pixel shader with some of: memory, discard, derivatives, coverage, depth, loads that lie outside. */
function pixelShader(r: Random): string {
  const [memory, discards, coverage, depth, outside, samples] = Array.from({ length: 6 }, () => r.chance(0.4))
  const mode = r.pick(['linear', 'linear_centroid', 'linear_noperspective', 'constant'])
  return lines(
    'ps_5_0',
    memory === true && 'dcl_uav_raw u3',
    `dcl_input_ps_siv linear_noperspective v0.xy, position`,
    `dcl_input_ps ${mode} v1.xyzw`,
    samples === true && 'dcl_input_ps_sgv constant v2.x, sampleIndex',
    'dcl_output o0.xyzw',
    coverage === true && 'dcl_output oMask',
    depth === true && 'dcl_output oDepth',
    'dcl_temps 4',
    'mul r0.xyzw, v1.xyzw, l(0.5,0.25,3.0,1.0)',
    'deriv_rtx_fine r1.x, r0.x',
    'deriv_rty_coarse r1.y, r0.z',
    'add r0.xy, r0.xyxx, r1.xyxx',
    samples === true && 'utof r1.z, v2.x',
    samples === true && 'add r0.z, r0.z, r1.z',
    'ftou r2.xy, v0.xyxx',
    'imad r2.x, r2.y, l(8), r2.x',
    'ishl r2.y, r2.x, l(2)',
    // Sums do not depend on an order; what the atomics give back does, and goes to the target.
    memory === true && 'imm_atomic_iadd r3.x, u3, l(0), r2.x',
    memory === true && 'utof r3.x, r3.x',
    memory === true && 'mad r0.w, r3.x, l(0.125), r0.w',
    outside === true && 'iadd r2.z, r2.y, l(200)',
    outside === true && memory === true && 'store_raw u3.xy, r2.z, r2.xyxx',
    'and r2.w, r2.x, l(3)',
    discards === true && 'discard_z r2.w',
    memory === true && 'atomic_umax u3, l(4), r2.y',
    coverage === true && 'iadd r2.w, r2.x, l(5)',
    coverage === true && 'mov oMask, r2.w',
    depth === true && 'mov oDepth, r0.x',
    'mov o0.xyzw, r0.xyzw',
    'ret',
  )
}

const GEOMETRY =
  'gs_5_0\ndcl_input_siv v[3][0].xyzw, position\ndcl_input v[3][1].xyzw\ndcl_input vPrim\ndcl_input vGSInstanceID\ndcl_temps 2\ndcl_inputprimitive triangle\ndcl_gsinstances 2\ndcl_stream m0\ndcl_outputtopology trianglestrip\ndcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\ndcl_maxout 4\nutof r0.x, vGSInstanceID\nmov r0.y, l(0)\nloop\n  uge r0.z, r0.y, l(4)\n  breakc_nz r0.z\n  umin r0.w, r0.y, l(2)\n  add o0.xyzw, v[r0.w][0].xyzw, r0.xxzz\n  mov o1.xyzw, v[r0.w][1].xyzw\n  emit_stream m0\n  iadd r0.y, r0.y, l(1)\nendloop\nret\n'

function randomScene(r: Random): Scene {
  const count = 3 * (1 + r.below(12))
  const place = (): number => (r.below(16 * 256) - 4 * 256) / 256
  const vertices = Array.from({ length: count }, () => [
    ...at(place(), place(), 8, 8, r.below(300) / 256 - 0.1, 0.25 + r.below(64) / 16),
    ...Array.from({ length: 4 }, () => (r.below(2001) - 1000) / 64),
  ])
  const topology = r.pick(['TRIANGLELIST', 'TRIANGLESTRIP', 'LINELIST', 'LINESTRIP', 'POINTLIST'] as const)
  const isTriangles = topology.startsWith('TRIANGLE')
  const depth = r.pick([undefined, 'D32_FLOAT', 'D24_UNORM_S8_UINT'])
  const blend = r.chance(0.5) ? [{ blendEnable: true, srcBlend: 'SRC_ALPHA', destBlend: 'ONE' } as const] : []
  return {
    vertices,
    width: 8,
    height: 8,
    sampleCount: r.pick([1, 1, 2, 4, 8] as const),
    ...(depth === undefined ? {} : { depth }),
    ...(isTriangles && r.chance(0.4) ? { gs: GEOMETRY } : {}),
    ps: pixelShader(r),
    call: { vertexCount: count, instanceCount: 1 + r.below(2) },
    state: {
      topology,
      sampleMask: r.chance(0.8) ? 0xffffffff : r.next(),
      rasterizer: {
        cullMode: r.pick(['NONE', 'BACK'] as const),
        fillMode: r.pick(['SOLID', 'SOLID', 'WIREFRAME'] as const),
        multisampleEnable: r.chance(0.3),
        antialiasedLineEnable: r.chance(0.3),
        depthClipEnable: r.chance(0.8),
        slopeScaledDepthBias: r.pick([0, 0, 1.5]),
      },
      blend: { alphaToCoverageEnable: r.chance(0.2), renderTarget: blend },
    },
  }
}

describe('random draws', () => {
  it('leave the same for every width of a wave and every repetition', () => {
    const kinds = new Set<string>()
    for (let seed = 1; seed <= 40; seed++) {
      const scene = randomScene(new Random(seed))
      const first = left(scene)
      kinds.add(first.slice(0, 200))
      for (const waveWidth of WIDTHS) {
        const schedule = { waveWidth, order: 'forward', groupsInFlight: 1 } as const
        const again = left({ ...scene, options: { schedule } })
        if (again !== first) expect(`seed ${seed}, waves of ${waveWidth}: ${again}`).toBe(`seed ${seed}: ${first}`)
      }
    }
    // They are not all empty.
    expect(kinds.size).toBeGreaterThan(20)
  })
})
