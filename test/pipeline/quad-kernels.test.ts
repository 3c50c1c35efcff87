import { afterEach, describe, expect, it, vi } from 'vitest'
import { withFallback } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { compileThresholds } from '../../src/pipeline/index.ts'
import type { ComparisonFunc, StencilOp } from '../../src/pipeline/state.ts'
import { everyNth } from '../support/amount.ts'
import { at, draw, type Scene, viewportOf } from '../support/draw-text.ts'
import { Random } from '../support/random/random.ts'

// Interpolation and tests as code of an engine, which many quads have, leave what numbers leave: bit for bit, in every mode.

const WIDTH = 64
const HEIGHT = 56
const compiled = withFallback(createWasmEngineWith({ threads: 1 }), createReferenceEngine({}))

const before = { ...compileThresholds }
afterEach(() => {
  Object.assign(compileThresholds, before)
})

const MODES = [
  'constant',
  'linear',
  'linear centroid',
  'linear sample',
  'linear noperspective',
  'linear noperspective centroid',
  'linear noperspective sample',
]
const POSITIONS = ['linear noperspective', 'linear noperspective centroid', 'linear noperspective sample']

/** A pixel shader that leaves its inputs, two of them as sums of bits; it discards some pixels where it is asked to. */
function shader(random: Random, discards: boolean): string {
  const mode = (): string => random.pick(MODES)
  return [
    'ps_5_0',
    `dcl_input_ps_siv ${random.pick(POSITIONS)} v0.xyzw, position`,
    `dcl_input_ps ${mode()} v1.xyzw`,
    `dcl_input_ps ${mode()} v2.xyz`,
    `dcl_input_ps ${mode()} v3.xyzw`,
    ...(random.below(3) === 0 ? ['dcl_input_ps_sgv constant v4.x, is_front_face'] : []),
    'dcl_output o0.xyzw',
    'dcl_output o1.xyzw',
    'dcl_temps 2',
    ...(discards ? ['mul r0.x, v0.x, l(0.37)', 'frc r0.x, r0.x', 'lt r0.x, r0.x, l(0.3)', 'discard_nz r0.x'] : []),
    'iadd r1.xyzw, v0.xyzw, v1.xyzw',
    'mov o0.xyzw, r1.xyzw',
    'iadd r1.xyz, v2.xyzx, v3.xyzx',
    'mov r1.w, v3.w',
    'mov o1.xyzw, r1.xyzw',
    'ret',
    '',
  ].join('\n')
}

/** Triangles of some sizes with attributes, some of them the same at all vertices, infinite or NaN. */
function triangles(random: Random, count: number, sizes: readonly number[] = [6, 30, 200, 4000]): number[][] {
  const made: number[][] = []
  const special = [0, -0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 1e38, 1e-40]
  for (let i = 0; i < count; i++) {
    const size = random.pick(sizes)
    const [x, y] = [random.below(WIDTH * 16) / 16, random.below(HEIGHT * 16) / 16]
    const same = Array.from({ length: 12 }, () => (random.below(4) === 0 ? random.below(99) / 7 : undefined))
    const isFlat = random.below(2) === 0
    for (let k = 0; k < 3; k++) {
      const offset = (): number => ((random.below(257) - 128) / 256) * size
      const value = (): number => (random.below(40) === 0 ? random.pick(special) : random.below(2001) / 77 - 13)
      const attributes = same.map((s) => s ?? value())
      const place = at(
        x + offset(),
        y + offset(),
        WIDTH,
        HEIGHT,
        random.below(1025) / 1024,
        isFlat ? 1 : 1 + random.below(9) / 4,
      )
      made.push([...place, ...attributes])
    }
  }
  return made
}

const FUNCTIONS: readonly ComparisonFunc[] = [
  ...(['NEVER', 'LESS', 'EQUAL', 'LESS_EQUAL', 'GREATER', 'NOT_EQUAL', 'GREATER_EQUAL', 'ALWAYS'] as const),
]
const OPS: readonly StencilOp[] = ['KEEP', 'ZERO', 'REPLACE', 'INCR_SAT', 'DECR_SAT', 'INVERT', 'INCR', 'DECR']

function randomScene(random: Random): Scene {
  const sampleCount = random.pick([1, 1, 2, 4, 8] as const)
  const face = () => ({
    stencilFunc: random.pick(FUNCTIONS),
    stencilFailOp: random.pick(OPS),
    stencilDepthFailOp: random.pick(OPS),
    stencilPassOp: random.pick(OPS),
  })
  const depth = random.pick([undefined, 'D16_UNORM', 'D24_UNORM_S8_UINT', 'D32_FLOAT', 'D32_FLOAT_S8X24_UINT'])
  const hasStencil = depth?.includes('S8') === true
  return {
    vertices: triangles(random, 25),
    width: WIDTH,
    height: HEIGHT,
    sampleCount,
    ps: shader(random, random.below(2) === 0),
    targets: ['R32G32B32A32_UINT', 'R32G32B32A32_UINT'],
    ...(depth === undefined ? {} : { depth, depthValue: random.below(5) / 4 }),
    state: {
      precision: random.pick(['exact', 'fast'] as const),
      ...(random.below(3) === 0 && sampleCount > 1 ? { sampleMask: random.below(2 ** sampleCount) } : {}),
      depthStencil: {
        depthEnable: depth !== undefined && random.below(4) > 0,
        depthFunc: random.pick(FUNCTIONS.slice(1)),
        depthWriteMask: random.pick(['ALL', 'ZERO'] as const),
        stencilEnable: hasStencil && random.below(2) === 0,
        stencilReadMask: random.pick([255, 15, 0xf0]),
        stencilWriteMask: random.pick([255, 3, 0]),
        frontFace: face(),
        backFace: face(),
      },
      rasterizer: { cullMode: 'NONE', depthClipEnable: random.below(2) === 0 },
    },
    resources: {
      viewports: [viewportOf(WIDTH, HEIGHT, random.below(2) === 0 ? {} : { minDepth: 0.1, maxDepth: 0.9 })],
      stencilReference: random.below(256),
    },
  }
}

/** A scene with many triangles, most of them small. */
function manySmall(random: Random, scene: Scene): Scene {
  const { state, resources } = scene
  const [left, top] = [random.below(WIDTH / 2), random.below(HEIGHT / 2)]
  const scissors = [{ left, top, right: left + 21, bottom: top + 27 }]
  const rasterizer = {
    ...state?.rasterizer,
    scissorEnable: random.below(3) === 0,
    cullMode: random.pick(['NONE', 'FRONT', 'BACK'] as const),
    frontCounterClockwise: random.below(2) === 0,
    depthBias: random.pick([0, 1, 2, -70000]),
    slopeScaledDepthBias: random.pick([0, 1, -0.7]),
    depthBiasClamp: random.pick([0, 0.01, -0.02]),
  }
  const sizes = [
    [1, 3],
    [6, 30],
    [50, 60],
    [2, 63, 110, 300],
    [90, 119, 125],
  ]
  const vertices = triangles(random, 400, random.pick(sizes))
  // Depths whose slopes no float32 holds, and one that is a denormal.
  const depths = [3e38, -3e38, 1e-40, 0]
  if (!state?.rasterizer?.depthClipEnable)
    for (const v of vertices) if (random.below(20) === 0) v[2] = random.pick(depths)
  return { ...scene, vertices, state: { ...state, rasterizer }, resources: { ...resources, scissors } }
}

/** Draws a scene on the compiled engine and on the reference engine: what both leave must be the same. */
function compare(scene: Scene, about: string): { readonly pixels: number; readonly passed: number } {
  const [ours, theirs] = [draw(scene, compiled), draw(scene)]
  expect(ours.result.engine, about).toBe('wasm')
  expect(ours.result.samplesPassed, about).toBe(theirs.result.samplesPassed)
  expect(ours.result.statistics, about).toEqual(theirs.result.statistics)
  ours.targets.forEach((t, n) => {
    expect(
      t!.storage.words.findIndex((w, k) => w !== theirs.targets[n]!.storage.words[k]),
      about,
    ).toBe(-1)
  })
  const [depths, others] = [ours.depth?.storage.words ?? [], theirs.depth?.storage.words ?? []]
  expect(
    depths.findIndex((w, k) => w !== others[k]),
    about,
  ).toBe(-1)
  return { pixels: theirs.result.statistics.psInvocations, passed: theirs.result.samplesPassed }
}

describe('quads in code of an engine', () => {
  it.each(everyNth([1, 2, 3], 3))('leave what numbers leave, %i', (seed) => {
    const made = vi.spyOn(compiled.elementKernels!, 'quadKernelFor')
    const random = new Random(seed)
    let [pixels, passed] = [0, 0]
    for (let i = 0; i < 10; i++) {
      const scene = randomScene(random)
      const { ps, sampleCount, depth, state } = scene
      const found = compare(scene, JSON.stringify({ i, ps, sampleCount, depth, state }))
      pixels += found.pixels
      passed += found.passed
    }
    expect(pixels).toBeGreaterThan(10 * 1000)
    expect(passed).toBeGreaterThan(10 * 500)
    // Where shaders discard pixels, code goes over the quads of which they have kept one.
    expect(made.mock.calls.some(([program]) => program.key.startsWith('["kept"'))).toBe(true)
    made.mockRestore()
  })

  it.each(everyNth([4, 5, 6], 3))('and so do small triangles that code finds the quads of, %i', (seed) => {
    const made = vi.spyOn(compiled.elementKernels!, 'quadKernelFor')
    const random = new Random(seed)
    let pixels = 0
    for (let i = 0; i < 6; i++) {
      const many = manySmall(random, randomScene(random))
      pixels += compare(many, JSON.stringify({ i, ...many, vertices: [] })).pixels
    }
    expect(pixels).toBeGreaterThan(6 * 1000)
    expect(made.mock.calls.filter(([program]) => program.key.startsWith('["cover"')).length).toBeGreaterThan(0)
    made.mockRestore()
  })

  it.each(everyNth([10, 11, 12], 3))(
    'and so do those that fail by the bounds of blocks of the depth buffer, %i',
    (seed) => {
      compileThresholds.boundedQuads = 1
      const made = vi.spyOn(compiled.elementKernels!, 'quadKernelFor')
      const random = new Random(seed)
      let [pixels, passed] = [0, 0]
      for (let i = 0; i < 8; i++) {
        const scene = randomScene(random)
        const stencilFunc = random.pick(FUNCTIONS.slice(1))
        const face = () => ({
          stencilFunc,
          stencilFailOp: 'KEEP' as const,
          stencilDepthFailOp: 'KEEP' as const,
          stencilPassOp: random.pick(OPS),
        })
        const depthStencil = {
          ...scene.state!.depthStencil,
          depthEnable: true,
          depthFunc: random.pick(['LESS', 'LESS_EQUAL'] as const),
          frontFace: face(),
          backFace: face(),
        }
        const depth = random.pick(['D24_UNORM_S8_UINT', 'D32_FLOAT'])
        const state = { ...scene.state, sampleMask: 1, depthStencil }
        const depthValue = random.pick([0.5, 1, 1])
        const base = { ...scene, ps: shader(random, i % 2 === 1), sampleCount: 1 as const, depth, depthValue, state }
        // Depths in steps, so that many are as far as what is stored.
        const step = Array.from({ length: 400 }, () => (random.below(2) === 0 ? random.below(9) / 8 : undefined))
        const depthOf = (v: readonly number[], n: number): number => (step[n] === undefined ? v[2]! : step[n] * v[3]!)
        const vertices = triangles(random, 400, [20, 40, 63]).map((v, n) => v.with(2, depthOf(v, Math.floor(n / 3))))
        const many = { ...base, vertices }
        const found = compare(many, JSON.stringify({ i, ...many, vertices: [] }))
        pixels += found.pixels
        passed += found.passed
      }
      expect(pixels).toBeGreaterThan(8 * 500)
      expect(passed).toBeGreaterThan(8 * 100)
      const keys = made.mock.calls.map(([program]) => program.key)
      for (const kind of ['["bounds"', '["tested","early",true', '["tested","ahead",true']) {
        expect(
          keys.some((key) => key.startsWith(kind)),
          kind,
        ).toBe(true)
      }
      made.mockRestore()
    },
  )

  it.each(everyNth([7, 8, 9], 3))('and so do those that no pixel shader follows, %i', (seed) => {
    const made = vi.spyOn(compiled.elementKernels!, 'quadKernelFor')
    const random = new Random(seed)
    let passed = 0
    for (let i = 0; i < 12; i++) {
      const { ps: _, targets: _none, ...scene } = randomScene(random)
      const odd = random.below(3) === 0 ? { width: WIDTH - 1, height: HEIGHT - 3 } : {}
      const depth = random.pick(['D16_UNORM', 'D24_UNORM_S8_UINT', 'D32_FLOAT', 'D32_FLOAT_S8X24_UINT'])
      const bare = { ...scene, ...odd, depth, depthValue: 0.75, ps: null, targets: [] }
      const many = manySmall(random, bare)
      passed += compare(many, JSON.stringify({ i, ...many, vertices: [] })).passed
    }
    expect(passed).toBeGreaterThan(12 * 500)
    for (const kind of ['["screen"', '["setup"', '["depth"']) {
      expect(made.mock.calls.filter(([program]) => program.key.startsWith(kind)).length, kind).toBeGreaterThan(0)
    }
    made.mockRestore()
  })
})
