import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { beginDraw, compileThresholds, type PipelineDescription } from '../../src/pipeline/index.ts'
import { at, prepare, type Scene } from '../support/draw-text.ts'
import { Random } from '../support/random/random.ts'
import { type EnginesByThreads, enginesByThreads } from '../support/sharing.ts'

// Small triangles that code sets up as whole records: what pixels see of their triangle is what the reference engine shows them.

const SIZE = 64
const COUNT = 700

/** Small triangles with colors; among them some that are large, behind the eye, of no area, or outside, in runs and one by one. */
function triangles(): number[][] {
  const random = new Random(29)
  return Array.from({ length: COUNT }, (_, i) => {
    const isOdd = i % 97 === 96 || (i > 300 && i < 340)
    const [x, y, size] = [random.below(SIZE), random.below(SIZE), isOdd ? SIZE * 3 : 8]
    return Array.from({ length: 3 }, (_, corner) => {
      const place = (from: number): number => (i % 31 === 30 ? from : from + random.below(size * 16) / 16)
      const w = i % 53 === 52 && corner === 1 ? -1 : 1 + random.below(3)
      const color = Array.from({ length: 4 }, () => random.below(100) / 100)
      return [...at(place(x), place(y), SIZE, SIZE, random.below(100) / 100, w), ...color]
    })
  }).flat()
}

/** Passes position and color on, and the number of the instance. */
const VERTEX =
  'vs_5_0\ndcl_input v0.xyzw\ndcl_input v1.xyzw\ndcl_input_sgv v2.x, instance_id\ndcl_output_siv o0.xyzw, position\ndcl_output o1.xyzw\ndcl_output o2.xyzw\nmov o0.xyzw, v0.xyzw\nmov o1.xyzw, v1.xyzw\nutof o2.xyzw, v2.xxxx\nret\n'

/** An interpolated color, one of the first vertex, the primitive's number and its facing, with the instance. */
const PIXEL =
  'ps_5_0\ndcl_input_ps linear v1.xy\ndcl_input_ps constant v1.z\ndcl_input_ps constant v2.x\ndcl_input_ps_sgv constant v3.x, primitive_id\ndcl_input_ps_sgv constant v3.y, is_front_face\ndcl_output o0.xyzw\ndcl_temps 1\nutof r0.x, v3.x\nand r0.y, v3.y, l(0x3f800000)\nmad o0.z, r0.y, l(1000.0), r0.x\nmov o0.xy, v1.xyxx\nadd o0.w, v1.z, v2.x\nret\n'

const SCENE: Scene = {
  width: SIZE,
  height: SIZE,
  depth: 'D32_FLOAT',
  vertices: triangles(),
  vs: VERTEX,
  ps: PIXEL,
  call: { vertexCount: COUNT * 3, instanceCount: 2, startInstance: 5 },
}

type State = Partial<Omit<PipelineDescription, 'vertex' | 'hull' | 'domain' | 'geometry' | 'pixel'>>

const STATES: Readonly<Record<string, State>> = {
  'all of them': { rasterizer: { cullMode: 'NONE' } },
  'those that face front': { rasterizer: { cullMode: 'BACK', frontCounterClockwise: true } },
  'with a bias': {
    rasterizer: { cullMode: 'NONE', depthBias: 20, slopeScaledDepthBias: 0.5, depthBiasClamp: 0.25 },
  },
}

function seen(scene: Scene, engine: Engine) {
  const { pipeline, resources, call } = prepare(scene, engine)
  const draw = valueOrThrow(beginDraw(engine, valueOrThrow(pipeline), resources, call, scene.options))
  while (!draw.run(performance.now())) {}
  const { statistics, samplesPassed } = draw.result()
  const views = [...resources.renderTargets, resources.depthStencil].filter((v) => v !== undefined)
  return { statistics, samplesPassed, images: views.map((v) => Array.from(v.storage.words)) }
}

const LESS_EQUAL = { depthFunc: 'LESS_EQUAL' } as const

const before = { ...compileThresholds }
let engines: EnginesByThreads
beforeAll(async () => {
  Object.assign(compileThresholds, { triangles: 1, vertexWords: 1 })
  engines = await enginesByThreads()
}, 60_000)
afterAll(() => {
  Object.assign(compileThresholds, before)
  for (const engine of Object.values(engines)) engine.dispose?.()
})

describe('small triangles with attributes, set up by code', () => {
  const reference = createReferenceEngine({})
  for (const [name, state] of Object.entries(STATES)) {
    it(`are as the reference engine has them: ${name}`, () => {
      for (const sampleCount of [1, 4] as const) {
        const scene: Scene = { ...SCENE, state: { depthStencil: LESS_EQUAL, ...state }, sampleCount }
        const want = seen(scene, reference)
        expect(want.samplesPassed).toBeGreaterThan(1000)
        for (const threads of [1, 2] as const) expect(seen(scene, engines[threads])).toEqual(want)
      }
    })
  }
})
