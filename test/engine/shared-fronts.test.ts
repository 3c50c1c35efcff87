import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { createBuffer } from '../../src/machine/index.ts'
import { beginDraw, drawParts, type StreamBuffer, sharedCounts } from '../../src/pipeline/index.ts'
import { at, prepare, type Scene } from '../support/draw-text.ts'
import { Random } from '../support/random/random.ts'
import { type EnginesByThreads, enginesByThreads } from '../support/sharing.ts'
import { watchWhetherMade } from '../support/watch-code.ts'

/** Stages before the rasterizer on several threads: what they leave is what one thread leaves, in everything that a caller sees. */

const SIZE = 64

const before = drawParts.elements
afterEach(() => {
  drawParts.elements = before
})

let engines: EnginesByThreads
beforeAll(async () => {
  engines = await enginesByThreads()
}, 60_000)
afterAll(() => {
  for (const engine of Object.values(engines)) engine.dispose?.()
})

/** Corners of small triangles, with a color and a few large ones among them, some of them behind the eye. */
function triangles(count: number): number[][] {
  const random = new Random(11)
  return Array.from({ length: count }, (_, i) => {
    const [x, y, size] = [random.below(SIZE), random.below(SIZE), i % 40 === 39 ? SIZE * 2 : 9]
    return Array.from({ length: 3 }, () => [
      ...at(
        x + random.below(size * 16) / 16,
        y + random.below(size * 16) / 16,
        SIZE,
        SIZE,
        random.below(100) / 100,
        i % 70 === 69 && random.chance(0.5) ? -1 : 1,
      ),
      ...Array.from({ length: 4 }, () => random.below(100) / 100),
    ])
  }).flat()
}

const entry = (semanticName: string | null, semanticIndex: number, count: number, outputSlot = 0, stream = 0) => ({
  ...{ stream, semanticName, semanticIndex, startComponent: 0, componentCount: count, outputSlot },
})

interface Outputs {
  readonly scene: Scene
  /** Words of each stream output buffer. */
  readonly buffers?: readonly number[]
  readonly indices?: Uint32Array
}

/** What a caller sees of a draw, but for the messages that name the engine's threads. */
function seen({ scene, buffers = [], indices }: Outputs, engine: Engine) {
  const words = (data: Uint32Array) => valueOrThrow(createBuffer({ data, memory: engine.memory }))
  const streams = buffers.map((n): StreamBuffer => {
    const made = words(new Uint32Array(n).fill(0xeeeeeeee))
    return { storage: made.storage, byteLength: made.byteLength, filled: 0 }
  })
  const index = indices && words(indices)
  const resources = {
    ...scene.resources,
    streamOutputBuffers: streams,
    ...(index && { indexBuffer: { ...index, format: 'R32_UINT' as const, offset: 0 } }),
  }
  const prepared = prepare({ width: SIZE, height: SIZE, ...scene, resources }, engine)
  const { pipeline, call } = prepared
  const drawn = valueOrThrow(beginDraw(engine, valueOrThrow(pipeline), prepared.resources, call, scene.options))
  while (!drawn.run(performance.now())) {}
  const { engine: _, ...result } = drawn.result()
  const views = [...prepared.resources.renderTargets, prepared.resources.depthStencil].filter((v) => v !== undefined)
  return {
    result,
    images: views.map((v) => Array.from(v.storage.words)),
    streams: streams.map((s) => ({ filled: s.filled, words: Array.from(s.storage.words) })),
  }
}

const BLENDED: Scene = {
  depth: 'D32_FLOAT',
  vertices: triangles(400),
  ps: 'ps_5_0\ndcl_input_ps linear v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw\nret\n',
  state: {
    rasterizer: { cullMode: 'NONE' },
    depthStencil: { depthFunc: 'LESS_EQUAL' },
    blend: { renderTarget: [{ blendEnable: true, srcBlend: 'SRC_ALPHA', destBlend: 'INV_SRC_ALPHA' }] },
  },
}

const NOT_RASTERIZED: Scene = { ...BLENDED, ps: null, targets: [] }

/** Passes the position on, with numbers of the vertex and the instance in o1. */
const NUMBERED =
  'vs_5_0\ndcl_input v0.xyzw\ndcl_input_sgv v1.x, vertex_id\ndcl_input_sgv v2.x, instance_id\ndcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\nmov o0.xyzw, v0.xyzw\nutof o1.x, v1.x\nutof o1.y, v2.x\nmov o1.zw, l(0,0,0.5,0.5)\nret\n'

/** A primitive's first vertex and its number, where the number is no multiple of three; for every fifth twice. */
const POINTS =
  'gs_5_0\ndcl_input v[3][0].xyzw\ndcl_input vPrim\ndcl_temps 1\ndcl_inputprimitive triangle\ndcl_stream m0\ndcl_outputtopology pointlist\ndcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\ndcl_maxout 2\nudiv null, r0.x, vPrim, l(3)\nif_nz r0.x\nmov o0.xyzw, v[0][0].xyzw\nutof o1.xyzw, vPrim.xxxx\nemit_stream m0\nudiv null, r0.x, vPrim, l(5)\nif_z r0.x\nmov o0.xyzw, v[1][0].xyzw\nutof o1.xyzw, vPrim.xxxx\nemit_stream m0\nendif\nendif\nret\n'

/** A strip of two triangles for each, the second one moved. */
const STRIPS =
  'gs_5_0\ndcl_input v[3][0].xyzw\ndcl_input v[3][1].xyzw\ndcl_inputprimitive triangle\ndcl_stream m0\ndcl_outputtopology trianglestrip\ndcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\ndcl_maxout 4\n' +
  [0, 1, 2].map((i) => `mov o0.xyzw, v[${i}][0].xyzw\nmov o1.xyzw, v[${i}][1].xyzw\nemit_stream m0\n`).join('') +
  'add o0.xyzw, v[0][0].xyzw, l(0.1, 0.2, 0, 0)\nmov o1.xyzw, v[0][1].xyzw\nemit_stream m0\nret\n'

const HULL = `hs_5_0
hs_decls
dcl_input_control_point_count 3
dcl_output_control_point_count 3
dcl_tessellator_domain domain_tri
dcl_tessellator_partitioning partitioning_fractional_odd
dcl_tessellator_output_primitive output_triangle_cw
dcl_hs_max_tessfactor l(2.5)
hs_fork_phase
dcl_hs_fork_phase_instance_count 3
dcl_input vForkInstanceID
dcl_input vicp[3][1].xyzw
dcl_output_siv o0.x, finalTriUeq0EdgeTessFactor
dcl_output_siv o1.x, finalTriVeq0EdgeTessFactor
dcl_output_siv o2.x, finalTriWeq0EdgeTessFactor
dcl_temps 1
dcl_indexrange o0.x 3
mov r0.x, vForkInstanceID.x
mad o[r0.x + 0].x, vicp[0][1].x, l(3.0), l(1.0)
ret
hs_fork_phase
dcl_output_siv o3.x, finalTriInsideTessFactor
mov o3.x, l(2.0)
ret
`
/** With nine control points a patch; patch 100 and, in a phase that runs before, patch 115 store beyond the declared registers. */
const HULL_OF_NINE = HULL.replace('output_control_point_count 3', 'output_control_point_count 9')
  .replace(
    'hs_fork_phase',
    `hs_control_point_phase
dcl_input v[3][0].xyzw
dcl_input v[3][1].xyzw
dcl_output o0.xyzw
dcl_output o1.xyzw
mov o0.xyzw, v[0][0].xyzw
mov o1.xyzw, v[0][1].xyzw
ret
hs_fork_phase`,
  )
  .replace('dcl_input vicp[3][1].xyzw', 'dcl_input vPrim')
  .replace(
    /mov r0\.x, vForkInstanceID\.x\nmad .*\n/,
    `ieq r0.y, vPrim, l(115)
ieq r0.z, vForkInstanceID.x, l(0)
and r0.y, r0.y, r0.z
ieq r0.z, vPrim, l(100)
ieq r0.w, vForkInstanceID.x, l(1)
and r0.z, r0.z, r0.w
or r0.y, r0.y, r0.z
and r0.y, r0.y, l(7)
iadd r0.x, vForkInstanceID.x, r0.y
mov o[r0.x + 0].x, l(1.0)
`,
  )
const DOMAIN = `ds_5_0
dcl_input_control_point_count 3
dcl_tessellator_domain domain_tri
dcl_input vDomain.xyz
dcl_input vcp[3][0].xyzw
dcl_input vcp[3][1].xyzw
dcl_output_siv o0.xyzw, position
dcl_output o1.xyzw
dcl_temps 2
mul r0.xyzw, vDomain.xxxx, vcp[0][0].xyzw
mad r0.xyzw, vDomain.yyyy, vcp[1][0].xyzw, r0.xyzw
mad o0.xyzw, vDomain.zzzz, vcp[2][0].xyzw, r0.xyzw
mul r1.xyzw, vDomain.xxxx, vcp[0][1].xyzw
mad r1.xyzw, vDomain.yyyy, vcp[1][1].xyzw, r1.xyzw
mad o1.xyzw, vDomain.zzzz, vcp[2][1].xyzw, r1.xyzw
ret
`

const random = new Random(5)
const INDICES = Uint32Array.from({ length: 768 * 4 + 301 }, (_, i) => (Math.floor(i / 6) + random.below(30)) % 1200)

const CASES: readonly (readonly [string, Outputs])[] = [
  ['vertices', { scene: BLENDED }],
  ['vertices of four samples', { scene: { ...BLENDED, sampleCount: 4 } }],
  ['vertices by indices', { scene: { ...BLENDED, call: { indexCount: INDICES.length } }, indices: INDICES }],
  [
    'strips of many instances',
    {
      scene: {
        ...BLENDED,
        state: { ...BLENDED.state, topology: 'TRIANGLESTRIP' },
        call: { vertexCount: 7, instanceCount: 50, startVertex: 20 },
      },
    },
  ],
  ['depth alone', { scene: { ...BLENDED, ps: null } }],
  [
    'vertices to stream output beside pixels, until a buffer is full',
    {
      scene: {
        ...BLENDED,
        vs: NUMBERED,
        call: { vertexCount: 900, instanceCount: 2 },
        state: {
          ...BLENDED.state,
          streamOutput: { declaration: [entry('SV', 1, 1), entry('R', 1, 2, 1)], rasterizedStream: 0 },
        },
      },
      buffers: [4000, 3001],
    },
  ],
  [
    'vertices by indices to stream output with gaps',
    {
      scene: {
        ...NOT_RASTERIZED,
        vs: NUMBERED,
        call: { indexCount: INDICES.length },
        state: {
          ...NOT_RASTERIZED.state,
          streamOutput: {
            declaration: [entry('R', 1, 2), entry(null, 0, 1), entry('SV', 1, 4)],
            strides: [32],
            rasterizedStream: null,
          },
        },
      },
      buffers: [40000],
      indices: INDICES,
    },
  ],
  [
    'a geometry shader to stream output',
    {
      scene: {
        ...NOT_RASTERIZED,
        gs: POINTS,
        state: {
          ...NOT_RASTERIZED.state,
          streamOutput: { declaration: [entry('SV', 1, 4), entry('R', 1, 1)], rasterizedStream: null },
        },
      },
      buffers: [1500],
    },
  ],
  ['a geometry shader', { scene: { ...BLENDED, gs: STRIPS } }],
  [
    'a geometry shader to stream output and pixels',
    {
      scene: {
        ...BLENDED,
        gs: STRIPS,
        state: { ...BLENDED.state, streamOutput: { declaration: [entry('SV', 1, 2)], rasterizedStream: 0 } },
      },
      buffers: [6000],
    },
  ],
  [
    'tessellation, with a finding of the first patch',
    {
      scene: {
        ...BLENDED,
        hs: HULL,
        ds: DOMAIN,
        state: { ...BLENDED.state, topology: '3_CONTROL_POINT_PATCHLIST' },
      },
    },
  ],
]

describe('stages before the rasterizer on several threads', () => {
  it.each(CASES)('leave what one thread leaves: %s', (name, outputs) => {
    drawParts.elements = 12
    const want = seen(outputs, engines[1])
    const { samplesPassed, streamOutput } = want.result
    expect(samplesPassed + (streamOutput[0]?.primitivesWritten ?? 0)).toBeGreaterThan(100)
    expect(want.result.diagnostics.length).toBe(name.includes('finding') ? 1 : 0)
    for (const n of [2, 3] as const) {
      const { fronts } = sharedCounts
      const areMade = watchWhetherMade()
      expect(seen(outputs, engines[n])).toEqual(want)
      vi.restoreAllMocks()
      expect(sharedCounts.fronts).toBe(fronts + 1)
      // Optimized code of its stages is made between its steps.
      expect(areMade).not.toContain(false)
    }
  })

  it('leave the same first finding of a hull shader, whatever the size of its batches', () => {
    const ds = DOMAIN.replaceAll('vcp[3]', 'vcp[9]').replace('control_point_count 3', 'control_point_count 9')
    const state = { ...BLENDED.state, topology: '3_CONTROL_POINT_PATCHLIST' as const }
    const outputs: Outputs = { scene: { ...BLENDED, hs: HULL_OF_NINE, ds, state } }
    const want = seen(outputs, engines[1]).result.diagnostics
    // Batches of 32 patches hold both: the phase's first instance runs first.
    expect(want.flatMap((d) => d.notes)).toEqual(['first by fork phase instance 0 of patch 115, and 1 more like it'])
    for (const n of [2, 3] as const) {
      const { fronts } = sharedCounts
      expect(seen(outputs, engines[n]).result.diagnostics).toEqual(want)
      expect(sharedCounts.fronts).toBe(fronts + 1)
    }
  })

  it('leave the same first finding of a hull shader where instances end within a batch', () => {
    // The patch of the phase that runs before is one of the second instance.
    const hs = HULL_OF_NINE.replace('dcl_input vPrim', 'dcl_input vPrim\ndcl_input vicp[3][1].xyzw').replace(
      'ieq r0.y, vPrim, l(115)',
      'ieq r0.y, vPrim, l(5)\neq r0.z, vicp[0][1].y, l(1.0)\nand r0.y, r0.y, r0.z',
    )
    const ds = DOMAIN.replaceAll('vcp[3]', 'vcp[9]').replace('control_point_count 3', 'control_point_count 9')
    const state = { ...BLENDED.state, topology: '3_CONTROL_POINT_PATCHLIST' as const }
    const call = { vertexCount: 330, instanceCount: 2 }
    const outputs: Outputs = { scene: { ...BLENDED, vs: NUMBERED, hs, ds, state, call } }
    const want = seen(outputs, engines[1]).result.diagnostics
    // One thread runs patches 96 to 109 with 0 to 17 of the second instance, the first phase first.
    expect(want.flatMap((d) => d.notes)).toEqual([
      'first by fork phase instance 0 of patch 5 of instance 1, and 2 more like it',
    ])
    for (const n of [2, 3] as const) expect(seen(outputs, engines[n]).result.diagnostics).toEqual(want)
  })

  it('leave the same first finding of a hull shader of patches that do not divide a part of one thread', () => {
    const size = 5
    const patches = 1300
    // Parts of about 6144 elements would have 1229 patches on one thread, and end within a batch.
    const [early, late] = [1226, 1235]
    const vertices = Array.from({ length: patches }, () => triangles(2).slice(0, size)).flat()
    const of = (text: string): string =>
      text.replaceAll('[3][', `[${size}][`).replace('input_control_point_count 3', `input_control_point_count ${size}`)
    const hs = of(HULL_OF_NINE).replace('l(115)', `l(${late})`).replace('l(100)', `l(${early})`)
    const ds = DOMAIN.replaceAll('vcp[3]', 'vcp[9]').replace('control_point_count 3', 'control_point_count 9')
    const state = { ...BLENDED.state, topology: '5_CONTROL_POINT_PATCHLIST' as const }
    const outputs: Outputs = { scene: { ...BLENDED, vertices, hs, ds, state } }
    const want = seen(outputs, engines[1]).result.diagnostics
    expect(want.flatMap((d) => d.notes)).toEqual([
      `first by fork phase instance 0 of patch ${late}, and 1 more like it`,
    ])
    for (const n of [2, 3] as const) {
      const { fronts } = sharedCounts
      expect(seen(outputs, engines[n]).result.diagnostics).toEqual(want)
      expect(sharedCounts.fronts).toBe(fronts + 1)
    }
  })

  it('have workers take part', () => {
    drawParts.elements = 12
    const first = sharedCounts.partsOfWorkers
    for (let i = 0; i < 20 && sharedCounts.partsOfWorkers === first; i++) seen(CASES[0]![1], engines[2])
    expect(sharedCounts.partsOfWorkers).toBeGreaterThan(first)
  })

  it('leave what one thread leaves where a part has more than a slot holds', () => {
    const random = new Random(9)
    const vertices = Array.from({ length: 9000 }, () => [
      ...at(random.below(SIZE), random.below(SIZE), SIZE, SIZE),
      ...[1, 0.5, 0.25, 1],
    ])
    const state = {
      ...BLENDED.state,
      streamOutput: { declaration: [entry('SV', 1, 4), entry('R', 1, 4)], rasterizedStream: 0 },
    }
    const outputs = { scene: { ...BLENDED, gs: STRIPS, vertices, state }, buffers: [2 ** 18] }
    drawParts.elements = 4608
    const want = seen(outputs, engines[1])
    for (const n of [2, 3] as const) expect(seen(outputs, engines[n])).toEqual(want)
  })
})
