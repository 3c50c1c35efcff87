import type { Diagnostic } from '../../src/diagnostic/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { createUav } from '../../src/machine/index.ts'
import { at, draw, type Scene, wordsBuffer } from './draw-text.ts'
import type { Random } from './random/random.ts'

/** Random small draws of every topology, with and without tessellation, and what a draw leaves. */

/** What a draw left, as one text; `isTold` says which findings count. */
export function leftOf(scene: Scene, engine?: Engine, isTold: (d: Diagnostic) => boolean = () => true): string {
  const buffer = wordsBuffer(64, undefined, engine?.memory)
  const out = wordsBuffer(1024)
  const stream = { storage: out.storage, byteLength: out.byteLength, filled: 0 }
  const drawn = draw(
    {
      ...scene,
      resources: {
        ...scene.resources,
        unorderedAccess: { u3: createUav(buffer, { raw: true }) },
        streamOutputBuffers: [stream],
      },
    },
    engine,
  )
  const { statistics, samplesPassed, diagnostics, undefinedCount, stopped } = drawn.result
  const images = [...drawn.targets, drawn.depth].map((v) => (v === undefined ? '' : Array.from(v.storage.words).join()))
  const left = JSON.stringify({
    images,
    memory: Array.from(buffer.storage.words),
    stream: Array.from(out.storage.words.subarray(0, stream.filled / 4)),
    written: drawn.result.streamOutput,
    statistics,
    samplesPassed,
    stopped,
    diagnostics: diagnostics.filter(isTold),
    undefinedCount,
  })
  for (const storage of [buffer.storage, ...[...drawn.targets, drawn.depth].map((v) => v?.storage)]) {
    if (storage !== undefined) engine?.memory?.release?.(storage)
  }
  return left
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

const PASS_POINTS =
  'hs_control_point_phase\ndcl_input vOutputControlPointID\ndcl_input v[3][0].xyzw\ndcl_input v[3][1].xyzw\ndcl_output o0.xyzw\ndcl_output o1.xyzw\nmov o0.xyzw, v[vOutputControlPointID][0].xyzw\nmov o1.xyzw, v[vOutputControlPointID][1].xyzw\nret\n'

/** Edges by instances of a fork phase, the inside by a join phase that reads them. */
const TRIANGLE_FACTORS =
  'hs_fork_phase\ndcl_hs_fork_phase_instance_count 3\ndcl_input vForkInstanceID\ndcl_input vocp[3][1].x\ndcl_output_siv o0.x, finalTriUeq0EdgeTessFactor\ndcl_output_siv o1.x, finalTriVeq0EdgeTessFactor\ndcl_output_siv o2.x, finalTriWeq0EdgeTessFactor\ndcl_temps 1\ndcl_indexrange o0.x 3\nmov r0.x, vForkInstanceID\nmov o[r0.x].x, vocp[r0.x][1].x\nret\nhs_join_phase\ndcl_input vpc[0].x\ndcl_input vpc[1].x\ndcl_output_siv o3.x, finalTriInsideTessFactor\nmax o3.x, vpc[0].x, vpc[1].x\nret\n'

/** Stages of a tessellated draw, some with memory. */
function tessellation(r: Random): Pick<Scene, 'hs' | 'ds'> {
  const partitioning = r.pick(['integer', 'fractional_odd', 'fractional_even'])
  const primitive = r.pick(['triangle_cw', 'triangle_ccw', 'point'])
  const [inHull, inDomain] = [r.chance(0.4), r.chance(0.4)]
  const count = (at: number): string => `\nimm_atomic_iadd r1.x, u3, l(${at}), l(1)\nutof r1.x, r1.x`
  const points = inHull
    ? PASS_POINTS.replace('mov o0', `dcl_temps 2${count(16)}\nmov o0`).replace(
        'v[vOutputControlPointID][1].xyzw\nret',
        'v[vOutputControlPointID][1].xyzw\nmad o1.w, r1.x, l(0.01), l(1.0)\nret',
      )
    : PASS_POINTS
  const hs = `hs_5_0\nhs_decls\n${inHull ? 'dcl_uav_raw u3\n' : ''}dcl_input_control_point_count 3\ndcl_output_control_point_count 3\ndcl_tessellator_domain domain_tri\ndcl_tessellator_partitioning partitioning_${partitioning}\ndcl_tessellator_output_primitive output_${primitive}\n${points}${TRIANGLE_FACTORS}`
  const blend = (n: number): string =>
    `mul r0.xyzw, vicp[0][${n}].xyzw, vDomain.xxxx\nmad r0.xyzw, vicp[1][${n}].xyzw, vDomain.yyyy, r0.xyzw\nmad o${n}.xyzw, vicp[2][${n}].xyzw, vDomain.zzzz, r0.xyzw\n`
  const ds = `ds_5_0\ndcl_input_control_point_count 3\ndcl_tessellator_domain domain_tri\n${inDomain ? 'dcl_uav_raw u3\n' : ''}dcl_input vDomain.xyz\ndcl_input vicp[3][0].xyzw\ndcl_input vicp[3][1].xyzw\ndcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\ndcl_temps 2\n${blend(0)}${blend(1)}${inDomain ? `${count(20).slice(1)}\nmov o1.z, r1.x\n` : ''}ret\n`
  return { hs, ds }
}

const POINTS_GEOMETRY = GEOMETRY.replaceAll('v[3]', 'v[1]')
  .replace('inputprimitive triangle', 'inputprimitive point')
  .replaceAll('v[r0.w]', 'v[0]')

/** Some draws put out what the rasterizer gets, or get too much for the buffer. */
function streamOutput(r: Random): Scene['state'] {
  if (r.chance(0.6)) return {}
  const entry = { stream: 0, semanticIndex: 1, startComponent: 0, componentCount: 4, outputSlot: 0 }
  return { streamOutput: { declaration: [{ ...entry, semanticName: 'R' }], rasterizedStream: 0 } }
}

export function randomScene(r: Random): Scene {
  const count = 3 * (1 + r.below(12))
  const place = (): number => (r.below(16 * 256) - 4 * 256) / 256
  const vertices = Array.from({ length: count }, () => [
    ...at(place(), place(), 8, 8, r.below(300) / 256 - 0.1, 0.25 + r.below(64) / 16),
    ...Array.from({ length: 4 }, () => (r.below(2001) - 1000) / 64),
  ])
  const topology = r.pick(['TRIANGLELIST', 'TRIANGLESTRIP', 'LINELIST', 'LINESTRIP', 'POINTLIST'] as const)
  const isTessellated = r.chance(0.35)
  const stages = isTessellated ? tessellation(r) : {}
  const isTriangles = isTessellated ? stages.hs!.includes('output_triangle') : topology.startsWith('TRIANGLE')
  const isPoints = isTessellated && !isTriangles
  const depth = r.pick([undefined, 'D32_FLOAT', 'D24_UNORM_S8_UINT'])
  const blend = r.chance(0.5) ? [{ blendEnable: true, srcBlend: 'SRC_ALPHA', destBlend: 'ONE' } as const] : []
  return {
    vertices,
    width: 8,
    height: 8,
    sampleCount: r.pick([1, 1, 2, 4, 8] as const),
    ...(depth === undefined ? {} : { depth }),
    ...stages,
    ...((isTriangles || isPoints) && r.chance(0.4) ? { gs: isPoints ? POINTS_GEOMETRY : GEOMETRY } : {}),
    ps: pixelShader(r),
    call: { vertexCount: count, instanceCount: 1 + r.below(2) },
    state: {
      ...streamOutput(r),
      topology: isTessellated ? '3_CONTROL_POINT_PATCHLIST' : topology,
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
