import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { type Engine, nextTask } from '../../src/engine/index.ts'
import { createBuffer } from '../../src/machine/index.ts'
import { beginDraw, compileThresholds, drawParts, type StreamBuffer, sharedCounts } from '../../src/pipeline/index.ts'
import { at, prepare, type Scene, WHITE } from '../support/draw-text.ts'
import { Random } from '../support/random/random.ts'
import { type EnginesByThreads, enginesByThreads } from '../support/sharing.ts'

// Draws of which each thread sets up the triangles in its share of the rows: what they leave is what one thread leaves.

const SIZE = 96

const before = { ...compileThresholds, elements: drawParts.elements }
let engines: EnginesByThreads
beforeAll(async () => {
  Object.assign(compileThresholds, { triangles: 1, vertexWords: 1 })
  engines = await enginesByThreads()
}, 60_000)
afterEach(() => {
  drawParts.elements = before.elements
})
afterAll(() => {
  const { elements: _, ...thresholds } = before
  Object.assign(compileThresholds, thresholds)
  for (const engine of Object.values(engines)) engine.dispose?.()
})

interface Mixture {
  readonly count: number
  /** One of so many is large, has a vertex behind the eye, has no area, or a coordinate that is no number. */
  readonly large?: number
  readonly behind?: number
  readonly flat?: number
  readonly broken?: number
  /** They come from the first row to the last one. */
  readonly isSorted?: boolean
}

const NEVER = Number.POSITIVE_INFINITY

function triangles({ count, large = NEVER, behind = NEVER, flat = NEVER, broken = NEVER, isSorted }: Mixture) {
  const random = new Random(17)
  const is = (i: number, every: number): boolean => i % every === every - 1
  return Array.from({ length: count }, (_, i) => {
    const size = is(i, large) ? SIZE * 2 : 9
    const x = random.below(SIZE)
    const y = isSorted === true ? (i * SIZE) / count : random.below(SIZE)
    return Array.from({ length: 3 }, (_, corner) => {
      const place = (from: number): number => (is(i, flat) ? from : from + random.below(size * 16) / 16)
      const w = is(i, behind) && corner === 1 ? -1 : 1 + random.below(3)
      const z = is(i, broken) && corner === 2 ? Number.NaN : random.below(100) / 100
      return at(place(x), place(y), SIZE, SIZE, z, w)
    })
  }).flat()
}

const MIXED: Mixture = { count: 900, large: 41, behind: 23, flat: 31, broken: 57 }

const DEPTH: Scene = {
  width: SIZE,
  height: SIZE,
  depth: 'D32_FLOAT',
  targets: [],
  ps: null,
  vertices: triangles(MIXED),
  state: { rasterizer: { cullMode: 'NONE' }, depthStencil: { depthFunc: 'LESS_EQUAL' } },
}
const CLIPPED =
  'vs_5_0\ndcl_input v0.xyzw\ndcl_output_siv o0.xyzw, position\ndcl_output_siv o1.x, clip_distance\nmov o0.xyzw, v0.xyzw\nadd o1.x, v0.x, l(0.25)\nret\n'

/** Each triangle twice, the second one moved; a color of its corner, and the number of the primitive at all of them. */
const TWICE = [
  'gs_5_0',
  'dcl_input v[3][0].xyzw',
  'dcl_input vPrim',
  'dcl_inputprimitive triangle',
  'dcl_stream m0',
  'dcl_outputtopology trianglestrip',
  'dcl_output_siv o0.xyzw, position',
  'dcl_output o1.xyzw',
  'dcl_maxout 6',
  ...[0, 0.125].flatMap((by) => [
    ...[0, 1, 2].flatMap((i) => [
      `add o0.xyzw, v[${i}][0].xyzw, l(${by}, ${by}, 0, 0)`,
      `mul o1.xyz, v[${(i + 1) % 3}][0].xyzx, l(0.5, 0.25, 2.0, 0)`,
      'utof o1.w, vPrim',
      'emit_stream m0',
    ]),
    'cut_stream m0',
  ]),
  'ret',
  '',
].join('\n')

/** A color that is interpolated, beside words of the leading vertex and the number of the triangle. */
const COLORED =
  'ps_5_0\ndcl_input_ps linear v1.xy\ndcl_input_ps constant v1.zw\ndcl_input_ps_sgv constant v2.x, primitive_id\ndcl_output o0.xyzw\ndcl_temps 1\nutof r0.x, v2.x\nmov o0.xy, v1.xyxx\nmov o0.z, v1.z\nadd o0.w, v1.w, r0.x\nret\n'

/** So that each pixel shows which triangles came before which. */
const ADDED = {
  renderTarget: [
    {
      blendEnable: true,
      srcBlend: 'ONE',
      destBlend: 'SRC_ALPHA',
      blendOp: 'ADD',
      srcBlendAlpha: 'ONE',
      destBlendAlpha: 'ZERO',
      blendOpAlpha: 'ADD',
    },
  ],
} as const

/** Passes position and color on, and a word of the instance. */
const COLORS =
  'vs_5_0\ndcl_input v0.xyzw\ndcl_input_sgv v1.x, instance_id\ndcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\nmov o0.xyzw, v0.xyzw\nmul o1.xyz, v0.xyzx, l(0.5, 0.25, 2.0, 0)\nutof o1.w, v1.x\nret\n'

const PIXELS: Scene = {
  ...DEPTH,
  vs: COLORS,
  ps: COLORED,
  targets: ['R32G32B32A32_FLOAT'],
  state: { ...DEPTH.state, blend: ADDED },
}

const OF_STAGES: Scene = {
  ...DEPTH,
  gs: TWICE,
  ps: COLORED,
  targets: ['R32G32B32A32_FLOAT'],
  state: { ...DEPTH.state, blend: ADDED },
}

const DISCARDING = COLORED.replace('utof r0.x', 'mov r0.z, v1.x\nlt r0.y, r0.z, l(0.1)\ndiscard_nz r0.y\nutof r0.x')

const COUNTING = { stencilFunc: 'ALWAYS', stencilPassOp: 'INCR', stencilDepthFailOp: 'INVERT' } as const

const random = new Random(3)
const INDICES = Uint32Array.from({ length: 2400 }, (_, i) => (Math.floor(i / 6) + random.below(40)) % 2000)

interface Case {
  readonly scene: Scene
  readonly indices?: Uint32Array
  readonly streamWords?: number
}

const CASES: Readonly<Record<string, Case>> = {
  'all kinds of triangles': { scene: DEPTH },
  'small ones alone': { scene: { ...DEPTH, vertices: triangles({ count: 1200 }) } },
  'from the top to the bottom': { scene: { ...DEPTH, vertices: triangles({ count: 1200, isSorted: true }) } },
  'by indices': { scene: { ...DEPTH, call: { indexCount: INDICES.length } }, indices: INDICES },
  'those that face front, with a bias': {
    scene: {
      ...DEPTH,
      state: {
        ...DEPTH.state,
        rasterizer: { cullMode: 'BACK', depthBias: 20, slopeScaledDepthBias: 0.5, depthBiasClamp: 0.25 },
      },
    },
  },
  'without clipping of depth': {
    scene: { ...DEPTH, state: { ...DEPTH.state, rasterizer: { cullMode: 'FRONT', depthClipEnable: false } } },
  },
  'four samples': { scene: { ...DEPTH, sampleCount: 4 } },
  'a stencil that counts': {
    scene: {
      ...DEPTH,
      depth: 'D24_UNORM_S8_UINT',
      state: {
        ...DEPTH.state,
        depthStencil: { depthFunc: 'LESS', stencilEnable: true, frontFace: COUNTING, backFace: COUNTING },
      },
    },
  },
  'a depth buffer of 16 bits': { scene: { ...DEPTH, depth: 'D16_UNORM' } },
  'a scissor rectangle and a viewport': {
    scene: {
      ...DEPTH,
      resources: {
        viewports: [{ topLeftX: 5, topLeftY: 7.5, width: 80, height: 61, minDepth: 0.25, maxDepth: 0.75 }],
        scissors: [{ left: 9, top: 13, right: 71, bottom: 60 }],
      },
      state: { ...DEPTH.state, rasterizer: { cullMode: 'NONE', scissorEnable: true } },
    },
  },
  'strips of many instances': {
    scene: {
      ...DEPTH,
      state: { ...DEPTH.state, topology: 'TRIANGLESTRIP' },
      call: { vertexCount: 7, instanceCount: 60, startVertex: 20 },
    },
  },
  'of a geometry shader': { scene: { ...DEPTH, gs: TWICE } },
  'with pixels': { scene: PIXELS },
  'with pixels, by indices': { scene: { ...PIXELS, call: { indexCount: INDICES.length } }, indices: INDICES },
  'with pixels, of many instances': {
    scene: { ...PIXELS, call: { vertexCount: 21, instanceCount: 120, startVertex: 60, startInstance: 3 } },
  },
  'with pixels, of a geometry shader': { scene: OF_STAGES },
  'with pixels that are tested late': { scene: { ...PIXELS, ps: DISCARDING } },
  'stream output beside them': {
    scene: {
      ...DEPTH,
      state: {
        ...DEPTH.state,
        streamOutput: {
          declaration: [
            { stream: 0, semanticName: 'SV', semanticIndex: 1, startComponent: 0, componentCount: 4, outputSlot: 0 },
          ],
          rasterizedStream: 0,
        },
      },
    },
    streamWords: 5000,
  },
}

function seen({ scene, indices, streamWords = 0 }: Case, engine: Engine) {
  const words = (data: Uint32Array) => valueOrThrow(createBuffer({ data, memory: engine.memory }))
  const index = indices && words(indices)
  const made = words(new Uint32Array(Math.max(4, streamWords)))
  const stream: StreamBuffer = { storage: made.storage, byteLength: made.byteLength, filled: 0 }
  const resources = {
    ...scene.resources,
    ...(streamWords > 0 && { streamOutputBuffers: [stream] }),
    ...(index && { indexBuffer: { ...index, format: 'R32_UINT' as const, offset: 0 } }),
  }
  const prepared = prepare({ ...scene, resources }, engine)
  const draw = valueOrThrow(beginDraw(engine, valueOrThrow(prepared.pipeline), prepared.resources, prepared.call))
  while (!draw.run(performance.now())) {}
  const { statistics, samplesPassed, stopped, streamOutput, diagnostics } = draw.result()
  const target = prepared.resources.depthStencil!
  const colors = prepared.resources.renderTargets.map((v) => Array.from(v?.storage.words ?? []))
  const left = { colors, depth: Array.from(target.storage.words), stream: Array.from(made.storage.words) }
  return { statistics, samplesPassed, stopped, streamOutput, diagnostics, ...left }
}

describe('triangles that each thread sets up in its rows', () => {
  it.each(Object.entries(CASES))('leave what one thread leaves: %s', (_, given) => {
    drawParts.elements = 48
    const want = seen(given, engines[1])
    expect(want.samplesPassed).toBeGreaterThan(300)
    expect(want.statistics.cInvocations).toBeGreaterThan(200)
    for (const n of [2, 3] as const) {
      const { bands } = sharedCounts
      expect(seen(given, engines[n])).toEqual(want)
      expect(sharedCounts.bands).toBe(bands + 1)
    }
  })

  it('are set up by code where they are small', () => {
    drawParts.elements = 768
    for (const scene of [DEPTH, PIXELS]) {
      const given = { scene: { ...scene, vertices: triangles({ count: 1200 }) } }
      seen(given, engines[2])
      const { setUpByCode } = sharedCounts
      seen(given, engines[2])
      // Code leaves the first triangles of a draw; most are listed several times.
      expect(sharedCounts.setUpByCode - setUpByCode).toBeGreaterThan(1000)
    }
  })

  it('are rows of both threads', () => {
    drawParts.elements = 768
    const first = sharedCounts.tilesOfWorkers
    const given = { scene: { ...DEPTH, vertices: triangles({ count: 3000 }) } }
    for (let i = 0; i < 20 && sharedCounts.tilesOfWorkers === first; i++) seen(given, engines[2])
    expect(sharedCounts.tilesOfWorkers).toBeGreaterThan(first)
  })

  it('leave what one thread leaves where a part has more vertices, by clipping, than a slot', () => {
    drawParts.elements = 6144
    const vertices = triangles({ count: 5000, large: 2, behind: 2 })
    for (const scene of [DEPTH, PIXELS]) {
      const given = { scene: { ...scene, vertices } }
      const want = seen(given, engines[1])
      expect(want.statistics.cPrimitives).toBeGreaterThan(5000)
      for (const n of [2, 3] as const) expect(seen(given, engines[n])).toEqual(want)
    }
  })

  it('leave what one thread leaves where a geometry shader makes more vertices than a slot holds', () => {
    drawParts.elements = 6144
    const vertices = triangles({ count: 3000, large: 50, behind: 9 })
    for (const scene of [DEPTH, OF_STAGES]) {
      const given = { scene: { ...scene, gs: TWICE, vertices } }
      const want = seen(given, engines[1])
      expect(want.statistics.cInvocations).toBe(6000)
      for (const n of [2, 3] as const) expect(seen(given, engines[n])).toEqual(want)
    }
  })

  it('are canceled at any moment, and the next draw is whole', async () => {
    drawParts.elements = 48
    const given = { scene: DEPTH }
    const want = seen(given, engines[1])
    for (let turns = 1; turns < 60; turns += 7) {
      const { pipeline, resources, call } = prepare(DEPTH, engines[2])
      const draw = valueOrThrow(beginDraw(engines[2], valueOrThrow(pipeline), resources, call))
      let isOver = false
      for (let n = 0; n < turns && !isOver; n++) isOver = draw.run(performance.now())
      if (!isOver) draw.stop('canceled')
      expect(draw.result().stopped).toBe(isOver ? undefined : 'canceled')
      await nextTask()
      expect(seen(given, engines[2])).toEqual(want)
    }
  })

  it('end when their time is over', () => {
    const vertices = triangles({ count: 20_000, large: 2 })
    const { pipeline, resources, call } = prepare({ ...DEPTH, vertices }, engines[2])
    const draw = valueOrThrow(beginDraw(engines[2], valueOrThrow(pipeline), resources, call, { maxMilliseconds: 3 }))
    while (!draw.run(performance.now())) {}
    expect(draw.result().stopped).toBe('time')
    expect(seen({ scene: DEPTH }, engines[2])).toEqual(seen({ scene: DEPTH }, engines[1]))
  })

  it('are not taken where a vertex says more than where it is, or for the pixels of large triangles and of several samples', () => {
    drawParts.elements = 48
    const { bands } = sharedCounts
    const few = { ...PIXELS, vertices: triangles({ count: 500 }) }
    const samples: Scene = { ...DEPTH, ps: WHITE, targets: ['R8G8B8A8_UNORM'], sampleCount: 4 }
    const clipped = { ...DEPTH, vs: CLIPPED }
    for (const scene of [few, samples, clipped])
      expect(seen({ scene }, engines[2])).toEqual(seen({ scene }, engines[1]))
    expect(sharedCounts.bands).toBe(bands)
  })
})
