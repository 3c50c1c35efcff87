import { afterEach, expect, it, vi } from 'vitest'
import { withFallback } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { compileThresholds } from '../../src/pipeline/index.ts'
import { type BlendFactor, DEFAULT_BLEND } from '../../src/pipeline/state.ts'
import { amount, everyNth } from '../support/amount.ts'
import { at, draw, type Scene, viewportOf } from '../support/draw-text.ts'
import { randomState } from '../support/exact-blend.ts'
import { Random } from '../support/random/random.ts'
import { randomFrom } from '../support/random-targets.ts'

// Shaders that are some operations run between interpolation and store in one program, quads beside each other row by row: they leave
// what three programs and what numbers leave.

const WIDTH = 64
const HEIGHT = 56
const compiled = withFallback(createWasmEngineWith({ threads: 1 }), createReferenceEngine({}))

const before = { ...compileThresholds }
afterEach(() => {
  Object.assign(compileThresholds, before)
})

const FORMATS = [
  'R8G8B8A8_UNORM',
  'R8G8B8A8_UNORM_SRGB',
  'R16G16B16A16_FLOAT',
  'R32G32B32A32_FLOAT',
  'R10G10B10A2_UNORM',
  'R16G16_SNORM',
  'R11G11B10_FLOAT',
]
const MODES = ['constant', 'linear', 'linear centroid', 'linear noperspective']

/** A pixel shader of some operations on its inputs; one in three writes o1 too. */
function shader(random: Random): string {
  const operand = (): string =>
    random.pick(['v1.xyzw', 'v1.wzyx', 'v2.xyzx', '-v1.xxyy', '|v2.zyxx|', 'r0.xyzw', 'r0.wwxy', 'l(0.5, 2, -1, 0.1)'])
  const operations = Array.from({ length: random.below(8) }, () => {
    const to = random.pick(['r0.xyzw', 'r0.xz', 'r0.yw'])
    const name = random.pick([
      'add',
      'mul',
      'mul_sat',
      'min',
      'max',
      'mad',
      'frc',
      'lt',
      'deriv_rtx_coarse',
      'ftoi',
      'xor',
    ])
    const count = ({ mad: 3, frc: 1, deriv_rtx_coarse: 1, ftoi: 1 } as Record<string, number>)[name] ?? 2
    return `${name} ${to}, ${Array.from({ length: count }, operand).join(', ')}`
  })
  const isDual = random.below(3) === 0
  return [
    'ps_5_0',
    'dcl_input_ps_siv linear noperspective v0.xyzw, position',
    `dcl_input_ps ${random.pick(MODES)} v1.xyzw`,
    `dcl_input_ps ${random.pick(MODES)} v2.xyz`,
    'dcl_output o0.xyzw',
    ...(isDual ? ['dcl_output o1.xyzw'] : []),
    'dcl_temps 1',
    'mov r0.xyzw, v1.xyzw',
    ...operations,
    `mov o0.xyzw, ${random.pick(['r0.xyzw', 'r0.xyzw', 'v0.xyzw'])}`,
    ...(isDual ? ['mov o1.xyzw, v1.zwxy'] : []),
    'ret',
    '',
  ].join('\n')
}

function triangles(random: Random, count = 20, sizes: readonly number[] = [20, 100, 4000]): number[][] {
  const special = [0, -0, Number.POSITIVE_INFINITY, Number.NaN, 1e38, 1e-40]
  return Array.from({ length: count }, () => {
    const size = random.pick(sizes)
    const [x, y] = [random.below(WIDTH * 16) / 16, random.below(HEIGHT * 16) / 16]
    const isFlat = random.below(2) === 0
    const isSame = random.below(4) === 0
    const shared = random.below(101) / 50
    return Array.from({ length: 3 }, () => {
      const offset = (): number => ((random.below(257) - 128) / 256) * size
      const value = (): number => (random.below(60) === 0 ? random.pick(special) : random.below(257) / 200 - 0.1)
      const attributes = Array.from({ length: 8 }, () => (isSame ? shared : value()))
      const w = isFlat ? 1 : 1 + random.below(9) / 4
      return [...at(x + offset(), y + offset(), WIDTH, HEIGHT, random.below(1025) / 1024, w), ...attributes]
    })
  }).flat()
}

function randomScene(random: Random): Scene {
  const ps = shader(random)
  const any = randomState(randomFrom(random.below(2 ** 30)))
  const alphaOf = (factor: BlendFactor): BlendFactor => factor.replace('COLOR', 'ALPHA') as BlendFactor
  const one = { ...any, srcBlendAlpha: alphaOf(any.srcBlendAlpha), destBlendAlpha: alphaOf(any.destBlendAlpha) }
  const isDual = ps.includes('o1')
  const text = JSON.stringify(one)
  const hasDual = text.includes('SRC1')
  // Dual source blending has no MIN and MAX.
  const isRefused = hasDual && (!isDual || text.includes('"MIN"') || text.includes('"MAX"'))
  const blended = isRefused ? { ...one, blendEnable: false } : one
  const sampleCount = random.pick([1, 1, 1, 4] as const)
  const depth = random.pick([undefined, 'D32_FLOAT'])
  return {
    vertices: triangles(random),
    width: WIDTH,
    height: random.pick([HEIGHT, HEIGHT - 1]),
    sampleCount,
    ps,
    targets: [random.pick(FORMATS)],
    ...(depth === undefined ? {} : { depth, depthValue: 0.75 }),
    state: {
      precision: random.pick(['exact', 'fast'] as const),
      blend: { ...DEFAULT_BLEND, renderTarget: [blended] },
      depthStencil: { depthEnable: depth !== undefined },
      rasterizer: { cullMode: 'NONE' },
    },
    resources: { viewports: [viewportOf(WIDTH, HEIGHT)], blendFactor: [0.25, 0.5, 1, 0.1] },
  }
}

it.each(everyNth([1, 2, 3, 4], 4))('leave what numbers leave, %i', (seed) => {
  const made = vi.spyOn(compiled.elementKernels!, 'quadKernelFor')
  const random = new Random(seed)
  let pixels = 0
  for (let i = 0; i < amount(6, 12); i++) {
    const scene = randomScene(random)
    const about = JSON.stringify({ i, ...scene, vertices: [] })
    const [ours, theirs] = [draw(scene, compiled), draw(scene)]
    expect(ours.result.engine, about).toBe('wasm')
    expect(ours.result.samplesPassed, about).toBe(theirs.result.samplesPassed)
    expect(ours.result.statistics, about).toEqual(theirs.result.statistics)
    const [got, want] = [ours.targets[0]!.storage.words, theirs.targets[0]!.storage.words]
    expect(
      got.findIndex((w, k) => w !== want[k]),
      about,
    ).toBe(-1)
    pixels += theirs.result.statistics.psInvocations
  }
  expect(pixels).toBeGreaterThan(amount(6, 12) * 1000)
  const joined = made.mock.calls.filter(([program]) => program.key.startsWith('["joined"'))
  expect(joined.length).toBeGreaterThan(amount(2, 6))
  // Pixels beside each other run without a quad's masks, unless the shader compares those of a quad.
  const ofRuns = joined.filter(([program]) => program.key.startsWith('["joined","runs"'))
  expect(ofRuns.length).toBeGreaterThan(0)
  expect(ofRuns.length).toBeLessThan(joined.length)
  made.mockRestore()
})

/** Draws by code and by numbers, which leave the same target; how many pixels were shaded. */
function pixelsOfEqual(scene: Scene, about: string): number {
  const [ours, theirs] = [draw(scene, compiled), draw(scene)]
  expect(ours.result.samplesPassed, about).toBe(theirs.result.samplesPassed)
  expect(ours.result.statistics, about).toEqual(theirs.result.statistics)
  const [got, want] = [ours.targets[0]!.storage.words, theirs.targets[0]!.storage.words]
  expect(
    got.findIndex((w, k) => w !== want[k]),
    about,
  ).toBe(-1)
  return theirs.result.statistics.psInvocations
}

/**
 * Small triangles of which v2, and in some v1, is the same at all vertices. Of some of the later ones nothing is; others have a vertex at
 * a pixel's center where 1/w is so much smaller than at the others that it is 0 there in float32. None are so where `isPlain`.
 */
function alike(random: Random, isPlain: boolean): number[][] {
  const special = [0, -0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 1e-40, 3e38]
  const isFlat = random.below(3) === 0
  return Array.from({ length: 160 }, (_, i) => {
    const [x, y] = [random.below(WIDTH * 16) / 16, random.below(HEIGHT * 16) / 16]
    const isOther = !isPlain && i > 110 && random.below(2) === 0
    const isWild = !isPlain && i > 80 && !isFlat && random.below(3) === 0
    const value = (): number =>
      i > 40 && random.below(12) === 0 ? random.pick(special) : random.below(257) / 200 - 0.1
    const shared = Array.from({ length: 8 }, value)
    const from = i > 60 && random.below(2) === 0 ? 0 : 4
    const w = 1 + random.below(9) / 4
    return Array.from({ length: 3 }, (_, corner) => {
      const place = (p: number, far: number): number =>
        isWild ? Math.floor(p) + 0.5 + (corner === far ? 8 : 0) : p + ((random.below(257) - 128) / 256) * 18
      const attributes = shared.map((s, n) => (n >= from && !isOther ? s : random.below(257) / 200 - 0.1))
      const own = isFlat ? 1 : isWild ? (corner === 2 ? 1e30 : 1) : w + random.below(3) / 1000
      return [...at(place(x, 0), place(y, 1), WIDTH, HEIGHT, 0.5, own), ...attributes]
    })
  }).flat()
}

/** Shows attributes as they are. */
const ATTRIBUTES =
  'ps_5_0\ndcl_input_ps linear v1.xyzw\ndcl_input_ps linear v2.xyz\ndcl_output o0.xyzw\nmov o0.xyz, v2.xyzx\nmov o0.w, v1.w\nret\n'

it.each(everyNth([1, 2, 3, 4], 4))('leave out attributes that are the same at all vertices, %i', (seed) => {
  Object.assign(compileThresholds, { triangles: 1, vertexWords: 1, quads: 16 })
  const made = vi.spyOn(compiled.elementKernels!, 'quadKernelFor')
  const random = new Random(1000 + seed)
  let pixels = 0
  for (let i = 0; i < amount(8, 12); i++) {
    const { depth: _, ...base } = randomScene(random)
    const precision = i % 2 === 0 ? ('exact' as const) : ('fast' as const)
    const state = { ...base.state, precision, depthStencil: {} }
    const plain = { ps: ATTRIBUTES, targets: ['R32G32B32A32_FLOAT'], state: { ...state, blend: DEFAULT_BLEND } }
    const scene: Scene = { ...base, state, ...(i % 4 < 2 ? plain : {}), vertices: alike(random, i < 2) }
    pixels += pixelsOfEqual(scene, JSON.stringify({ i, ...scene, vertices: [] }))
  }
  expect(pixels).toBeGreaterThan(amount(8, 12) * 1000)
  const keys = made.mock.calls.map(([program]) => JSON.parse(program.key) as unknown[])
  for (const precision of ['exact', 'fast']) {
    const inputs = keys.flatMap((k) => (k[0] === 'joined' ? [k[2] as { same: number; precision: string }] : []))
    expect(inputs.some((o) => o.same !== 0 && o.precision === precision)).toBe(true)
  }
  made.mockRestore()
})

/** Triangles over each other whose colors are mostly positive numbers of one size: denormals before a flush, and what no half holds too. */
function glowing(random: Random): number[][] {
  const sizes = [1e-39, 1e-20, 3e-8, 5e-5, 0.01, 1, 9000, 65504, 65520, 65536]
  const special = [Number.POSITIVE_INFINITY, Number.NaN, -0.5, 0, -0, 1e30]
  const usual = random.pick(sizes)
  return Array.from({ length: 60 }, () => {
    const [x, y] = [random.below(WIDTH * 16) / 16, random.below(HEIGHT * 16) / 16]
    const size = random.below(8) === 0 ? random.pick(sizes) : usual
    const shared = random.below(40) === 0 ? random.pick(special) : undefined
    return Array.from({ length: 3 }, () => {
      const offset = (): number => ((random.below(257) - 128) / 256) * 40
      const color = Array.from({ length: 3 }, () => shared ?? (size * random.below(257)) / 256)
      const alpha = random.below(257) / 256
      return [...at(x + offset(), y + offset(), WIDTH, HEIGHT, 0.5, 1), ...color, alpha, ...color, alpha]
    })
  }).flat()
}

it.each(everyNth([1, 2, 3, 4], 4))('add to floats of 16 bits what numbers add, %i', (seed) => {
  Object.assign(compileThresholds, { triangles: 1, vertexWords: 1, quads: 16 })
  const random = new Random(2000 + seed)
  const alphas = ['l(0)', 'l(0)', 'l(-0.0)', 'l(0.5)', 'v1.w']
  let pixels = 0
  for (let i = 0; i < amount(8, 20); i++) {
    const alpha = random.pick(alphas)
    const color = random.pick([
      'mul o0.xyz, v1.xyzx, v1.wwww',
      'mov o0.xyz, v1.xyzx',
      'mul o0.xy, v1.xyxx, v2.wwww\nmov o0.z, l(0)',
    ])
    const ps = `ps_5_0\ndcl_input_ps linear v1.xyzw\ndcl_input_ps linear v2.w\ndcl_output o0.xyzw\n${color}\nmov o0.w, ${alpha}\nret\n`
    const any = {
      ...DEFAULT_BLEND.renderTarget[0]!,
      blendEnable: true,
      blendOp: random.pick(['ADD', 'ADD', 'ADD', 'REV_SUBTRACT'] as const),
      blendOpAlpha: random.pick(['ADD', 'ADD', 'SUBTRACT'] as const),
      srcBlend: random.pick(['ONE', 'ONE', 'SRC_ALPHA'] as const),
      destBlend: random.pick(['ONE', 'ONE', 'INV_SRC_ALPHA'] as const),
      srcBlendAlpha: 'ONE' as const,
      destBlendAlpha: random.pick(['ONE', 'ONE', 'ZERO'] as const),
      renderTargetWriteMask: random.pick([15, 15, 15, 7, 10]),
    }
    const precision = i % 2 === 0 ? ('exact' as const) : ('fast' as const)
    const scene: Scene = {
      vertices: glowing(random),
      width: WIDTH,
      height: HEIGHT,
      ps,
      targets: [random.pick(['R16G16B16A16_FLOAT', 'R16G16B16A16_FLOAT', 'R16G16_FLOAT'])],
      state: { precision, blend: { ...DEFAULT_BLEND, renderTarget: [any] }, rasterizer: { cullMode: 'NONE' } },
      resources: { viewports: [viewportOf(WIDTH, HEIGHT)] },
    }
    pixels += pixelsOfEqual(scene, JSON.stringify({ i, ...scene, vertices: [] }))
  }
  expect(pixels).toBeGreaterThan(amount(8, 20) * 1000)
})

it.each(everyNth([5, 6, 7], 3))('run where small triangles were tested, %i', (seed) => {
  const made = vi.spyOn(compiled.elementKernels!, 'quadKernelFor')
  const random = new Random(seed)
  let pixels = 0
  for (let i = 0; i < amount(6, 12); i++) {
    const scene = randomScene(random)
    const many: Scene = {
      ...scene,
      vertices: triangles(random, 300, random.pick([[4], [12, 30], [60, 110], [20, 4000]])),
      depth: random.pick(['D32_FLOAT', 'D24_UNORM_S8_UINT']),
      depthValue: random.pick([0.75, 1]),
      sampleCount: random.pick([1, 4, 4, 8] as const),
      state: { ...scene.state, depthStencil: { depthEnable: true, depthFunc: random.pick(['LESS', 'GREATER_EQUAL']) } },
    }
    pixels += pixelsOfEqual(many, JSON.stringify({ i, ...many, vertices: [] }))
  }
  expect(pixels).toBeGreaterThan(amount(6, 12) * 1000)
  const keys = made.mock.calls.map(([program]) => program.key)
  expect(keys.some((key) => key.startsWith('["joined","found"'))).toBe(true)
  made.mockRestore()
})

it.each(everyNth([8, 9, 10], 3))('run without helpers where triangles are small, %i', (seed) => {
  Object.assign(compileThresholds, { triangles: 1, vertexWords: 1, quads: 16 })
  const made = vi.spyOn(compiled.elementKernels!, 'quadKernelFor')
  const random = new Random(3000 + seed)
  let pixels = 0
  for (let i = 0; i < amount(8, 16); i++) {
    const scene = randomScene(random)
    const depth = [undefined, 'D32_FLOAT', 'D24_UNORM_S8_UINT'][i % 3]
    // Triangles of one pixel, and those of which no quad has all pixels, beside some that are large.
    const vertices = triangles(random, 900, random.pick([[1, 3], [4], [12, 30], [6, 110], [3, 4000]]))
    const { depth: _, depthValue: __, ...rest } = scene
    const many: Scene = {
      ...rest,
      vertices,
      ...(depth === undefined ? {} : { depth, depthValue: 0.75 }),
      sampleCount: 1,
      state: { ...scene.state, depthStencil: { depthEnable: depth !== undefined } },
    }
    pixels += pixelsOfEqual(many, JSON.stringify({ i, ...many, vertices: [] }))
  }
  expect(pixels).toBeGreaterThan(amount(8, 16) * 500)
  const keys = made.mock.calls.map(([program]) => program.key)
  for (const start of ['["joined","packed"', '["pack"', '["tested","early",false,true'])
    expect(
      keys.some((key) => key.startsWith(start)),
      start,
    ).toBe(true)
  made.mockRestore()
})
