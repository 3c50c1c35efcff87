import { describe, expect, it } from 'vitest'
import { type QuadMemory, withFallback } from '../../src/engine/index.ts'
import { createReferenceEngine, numberOps } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { newVertexArray } from '../../src/pipeline/geometry.ts'
import type { TargetBlend } from '../../src/pipeline/index.ts'
import {
  inputsOf,
  linearBounds,
  type RunOptions,
  runWords,
  valuesOf,
} from '../../src/pipeline/pixels/approximate/approximate-runs.ts'
import type { InputSlot } from '../../src/pipeline/pixels/input-program.ts'
import { CONSTANT, NOPERSPECTIVE, PERSPECTIVE, VertexWords } from '../../src/pipeline/raster/clip.ts'
import {
  centerOf,
  fillAttribute,
  fillWeights,
  newPlaces,
  newRefilledPrimitive,
  PRIMITIVE_KIND,
  PrimitiveTable,
  ROW_WORD,
  type RowWords,
  registerWords,
  rowLength,
} from '../../src/pipeline/raster/index.ts'
import { attributeDouble } from '../../src/pipeline/raster/primitive-table.ts'
import { DEFAULT_BLEND, DEFAULT_TARGET_BLEND } from '../../src/pipeline/state.ts'
import { amount } from '../support/amount.ts'
import { differences } from '../support/differences.ts'
import { at, bits, draw, float, type Scene, viewportOf } from '../support/draw-text.ts'
import { randomState } from '../support/exact-blend.ts'
import { takePaths, watchPaths } from '../support/frames/index.ts'
import { Random } from '../support/random/random.ts'
import { randomFrom } from '../support/random-targets.ts'

// Runs of pixels whose codes are computed approximately where that is certain: attributes against exact fractions, and whole draws
// against those of numbers.

const OPS = numberOps({ denormals: 'keep' })

interface Run {
  readonly table: PrimitiveTable
  readonly mode: number
  readonly firstX: number
  readonly firstY: number
  readonly count: number
}

/** A wide triangle with one attribute, and a run near it in which that is mostly between 0 and 1. */
function randomRun(r: Random): Run | undefined {
  const part = (): number => r.below(2 ** 24) / 2 ** 24
  const size = 2 ** (15 + part() * 4)
  const place = (): number => Math.floor((part() - 0.3) * size)
  const [x, y] = [
    [place(), place(), place()],
    [place(), place(), place()],
  ] as [[number, number, number], [number, number, number]]
  const area2 = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0])
  if (area2 === 0) return undefined
  const mode = r.pick([PERSPECTIVE, PERSPECTIVE, NOPERSPECTIVE, CONSTANT])
  const [firstX, firstY, count] = [r.below(800) * 2, r.below(800) * 2, 2 * (1 + r.below(r.pick([8, 400])))]
  const end = (): number => r.pick([0, 1, 1, part(), part(), part()])
  const [from, to] = [end(), end()]
  const [gx, gy] = [(to - from) / (2 * count - 1), r.pick([0, 0.001, -0.001, 0.1]) * part()]
  const value = (n: number): number => from + gx * (x[n]! / 256 - firstX - 0.5) + gy * (y[n]! / 256 - firstY - 0.5)
  const values = r.below(8) === 0 ? [part(), part(), part()] : [0, 1, 2].map(value)
  const vertices = new VertexWords({
    ...newVertexArray(1, 3),
    words: Int32Array.from(
      values.flatMap((v) => [v, 0, 0, 0]),
      bits,
    ),
  })
  const table = new PrimitiveTable({
    attributes: [{ word: 0, mode }],
    clipDistances: [],
    precision: 'exact',
    capacity: 1,
    buffer: new ArrayBuffer(rowLength(1, 0, 'exact')),
    byteOffset: 0,
  })
  const w = r.below(6) === 0 ? [1, 1, 1.5] : [1, 1, 1]
  const p = { kind: 'triangle' as const, x, y, z: [0, 0, 0], w, area2, vertices: [0, 1, 2], leading: 0 }
  table.add(Object.assign(newRefilledPrimitive(), p), vertices, 0)
  if (table.word(0, ROW_WORD.kind) !== PRIMITIVE_KIND.wide) return undefined
  return { table, mode, firstX, firstY, count }
}

const rowOf = ({ words }: PrimitiveTable): RowWords<number> => {
  const word = (n: number): number => words[n]! >>> 0
  return { word, float: word, double: (n) => [word(n * 2), word(n * 2 + 1)] }
}

/** What a run holds of the attribute: undefined where it is left to the exact code. */
function heldBy({ table, mode, firstX, firstY, count }: Run) {
  const row = rowOf(table)
  const input = { kind: 'attribute', mode, at: 'center' }
  const inputs = new Map([[4, { input, attribute: 0, first: 0 } as unknown as InputSlot]])
  const run = { quad: { row, firstX, firstY }, count, shading: { inputs } } as unknown as RunOptions<number>
  // Each lane is one corner.
  const lanes = [0, 1, 2, 3].map((lane) => {
    const signs = (word: number): number => (word >>> 31 === 1 ? 15 : 0)
    return runWords(OPS, { column: lane & 1, row: lane >> 1, signs } as unknown as QuadMemory<number>, run)
  })
  return lanes.every(([fits]) => fits !== 0) ? valuesOf(OPS, run, lanes[0]!) : undefined
}

const PLACES = newPlaces(1)
const VALUE = registerWords(new Int32Array(1))

/** The attribute as draws of numbers find it. */
function exactAt({ table }: Run, x: number, y: number): number {
  PLACES.x[0] = centerOf(x)
  PLACES.y[0] = centerOf(y)
  fillWeights(table, 0, PLACES, 0, 1)
  fillAttribute(table, 0, 0, PLACES, 0, 1, VALUE, 0)
  return VALUE.floats[0]!
}

/** A double in units of 2^-1074. */
function unitsOf(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  const all = view.getBigUint64(0)
  const exponent = (all >> 52n) & 0x7ffn
  const fraction = all & 0xfffffffffffffn
  const size = exponent === 0n ? fraction : (fraction | 0x10000000000000n) << (exponent - 1n)
  return all >> 63n === 1n ? -size : size
}

/** The plane of a row there, in the same units: exactly. */
function planeAt({ table, mode }: Run, x: number, y: number): bigint {
  if (mode === CONSTANT) return unitsOf(table.floats[attributeDouble(0) * 2 + 7]!)
  const [first, down, right] = [0, 1, 2].map((n) => unitsOf(table.doubles[attributeDouble(0) + n]!)) as [
    bigint,
    bigint,
    bigint,
  ]
  const minus = (n: number): bigint => BigInt(table.doubles[n]!)
  return first + (BigInt(centerOf(y)) + minus(12)) * down + (BigInt(centerOf(x)) + minus(11)) * right
}

describe('attributes of runs', () => {
  it('are as near the exact ones as their bounds say, by exact fractions', () => {
    const r = new Random(31)
    const { check, list } = differences()
    let [held, left] = [0, 0]
    let largest = 0
    const by = [1, 3, 255, 1023]
    for (let i = 0; i < amount(1200, 6000); i++) {
      const run = randomRun(r)
      if (run === undefined) continue
      const values = heldBy(run)
      if (values === undefined) left++
      else held++
      for (let k = 0; values !== undefined && k < 8; k++) {
        const dx = k === 0 ? 2 * run.count - 1 : r.below(2 * run.count)
        const down = r.below(2) as 0 | 1
        const inputs = inputsOf(OPS, values, down, bits(dx) >>> 0)
        const [x, y] = [run.firstX + dx, run.firstY + down]
        const exact = exactAt(run, x, y)
        // Both are near the plane of real numbers.
        const real = planeAt(run, x, y)
        const offReal = Number((unitsOf(exact) - real) >> 800n) / 2 ** 274
        check(Math.abs(offReal) <= 2 ** -25 + 2 ** -31, true, () => `${offReal} of ${JSON.stringify({ x, y })}`)
        check(exact >= -(2 ** -30) && exact <= 1, true, () => `${exact} outside`)
        for (const scale of by) {
          const word = scale === 1 ? inputs.inputOf(4) : inputs.scaledInputOf(4, scale)
          const off = unitsOf(float(word)) - unitsOf(exact) * BigInt(scale)
          const { error } = linearBounds(scale)
          const size = Math.abs(Number(off >> 800n) / 2 ** 274)
          largest = Math.max(largest, size / error)
          check(size <= error, true, () => `${size} above ${error} for ${scale}`)
        }
      }
    }
    expect(list).toEqual([])
    expect(held).toBeGreaterThan(left / 4)
    expect(left).toBeGreaterThan(20)
    // Bounds are not much larger than what happens.
    expect(largest).toBeGreaterThan(0.4)
  })
})

const WIDTH = 256
const HEIGHT = 48
const compiled = withFallback(createWasmEngineWith({ threads: 1 }), createReferenceEngine({}))
const CERTAIN = 'runs of pixels with certain codes'
const UNCERTAIN = 'runs of pixels with uncertain codes, which are computed again'

const shader = (mode: string, ...lines: readonly string[]): string =>
  ['ps_5_0', `dcl_input_ps ${mode} v1.xyzw`, 'dcl_output o0.xyzw', 'dcl_temps 1', ...lines, 'ret', ''].join('\n')

/** Attributes by position: what changes with x and with y, in each component. */
type Gradient = readonly (readonly [first: number, ofX: number, ofY: number])[]

/** Triangles that cover the target, each with its attributes. */
const covering = (gradients: readonly Gradient[], w: number): number[][] =>
  gradients.flatMap((gradient) =>
    (
      [
        [0, 0],
        [2 * WIDTH, 0],
        [0, 2 * HEIGHT],
      ] as const
    ).map(([x, y]) => [
      ...at(x, y, WIDTH, HEIGHT, 0.5, w),
      ...gradient.map(([first, ofX, ofY]) => first + ofX * x + ofY * y),
    ]),
  )

interface Look {
  readonly ps: string
  readonly gradients: readonly Gradient[]
  readonly format?: string
  readonly blend?: Partial<TargetBlend>
  readonly sampleCount?: 1 | 4
  readonly w?: number
  readonly precision?: 'exact' | 'fast'
}

/** The ways that a draw took in code, which leaves what numbers leave. */
function waysOf({
  ps,
  gradients,
  format = 'R8G8B8A8_UNORM',
  blend = {},
  sampleCount = 1,
  w = 1,
  precision = 'exact',
}: Look): readonly string[] {
  watchPaths(compiled)
  const scene: Scene = {
    vertices: covering(gradients, w),
    width: WIDTH,
    height: HEIGHT,
    sampleCount,
    ps,
    targets: [format],
    state: {
      precision,
      blend: { ...DEFAULT_BLEND, renderTarget: [{ ...DEFAULT_TARGET_BLEND, ...blend }] },
      rasterizer: { cullMode: 'NONE' },
    },
    resources: { viewports: [viewportOf(WIDTH, HEIGHT)], blendFactor: [0.25, 0.5, 1, 0.1] },
  }
  takePaths()
  const ours = draw(scene, compiled)
  const ways = takePaths()
  const theirs = draw(scene)
  expect(ours.result.engine).toBe('wasm')
  const [got, want] = [ours.targets[0]!.storage.words, theirs.targets[0]!.storage.words]
  expect(got.findIndex((word, k) => word !== want[k])).toBe(-1)
  expect(theirs.result.samplesPassed).toBeGreaterThan(WIDTH * HEIGHT)
  return ways
}

const ramp: Gradient = [
  [0.1, 0.001, 0.002],
  [0.9, -0.001, -0.0005],
  [0.013, 0.0015, 0.001],
  [0.3, 0.0009, 0.0007],
]
const even = (value: number): Gradient => [0, 1, 2, 3].map(() => [value, 0, 0] as const)
const OVER = {
  blendEnable: true,
  ...({
    srcBlend: 'SRC_ALPHA',
    destBlend: 'INV_SRC_ALPHA',
    srcBlendAlpha: 'ONE',
    destBlendAlpha: 'INV_SRC_ALPHA',
  } as const),
}
const COPY = 'mov o0.xyzw, v1.xyzw'
const several = (gradient: Gradient): Gradient[] => [gradient, gradient, gradient, gradient, gradient]

describe('draws with runs of approximate codes', () => {
  it('leave what numbers leave, and take certain codes as they are', () => {
    const ways = waysOf({ ps: shader('linear', COPY), gradients: several(ramp), blend: OVER })
    expect(ways).toContain(CERTAIN)
    expect(ways).toContain(UNCERTAIN)
  })

  it('compute colors again that lie in the middle between two codes', () => {
    const ways = waysOf({ ps: shader('linear', COPY), gradients: several(even(0.5)) })
    expect(ways).toContain(UNCERTAIN)
    expect(ways).not.toContain(CERTAIN)
    // Every other 1/510 is one.
    const steps = even(0).map(() => [0.5 / 510, 1 / 510, 0] as const)
    expect(waysOf({ ps: shader('linear', COPY), gradients: several(steps) })).toContain(UNCERTAIN)
  })

  it('have samples, formats of other codes and masks', () => {
    const ps = shader('linear', COPY)
    for (const format of ['R10G10B10A2_UNORM', 'B8G8R8A8_UNORM']) {
      expect(waysOf({ ps, gradients: several(ramp), format, blend: OVER })).toContain(CERTAIN)
    }
    expect(waysOf({ ps, gradients: several(ramp), blend: { ...OVER, renderTargetWriteMask: 5 } })).toContain(CERTAIN)
    expect(waysOf({ ps: shader('constant', COPY), gradients: several(ramp), blend: OVER })).toContain(CERTAIN)
  })

  it('have shaders of sums and products', () => {
    const lines = [
      'mul r0.xyzw, v1.xyzw, v1.wwww',
      'add_sat r0.xyz, r0.xyzx, l(0.5, -0.25, 0.75, 0.0)',
      'mov o0.xyzw, r0.xyzw',
    ]
    const ways = waysOf({ ps: shader('linear', ...lines), gradients: several(ramp), blend: OVER })
    expect(ways).toContain(CERTAIN)
  })

  it('leave to exact code what bounds say nothing of', () => {
    const ps = shader('linear', COPY)
    const without = (look: Partial<Look>): void => {
      const ways = waysOf({ ps, gradients: several(ramp), blend: OVER, ...look })
      expect(ways).toContain('runs of quads by one program')
      expect(ways).not.toContain(CERTAIN)
      expect(ways).not.toContain(UNCERTAIN)
    }
    // In perspective, outside of 0 to 1, floats, sRGB, and operations whose results jump.
    without({ w: 2 })
    without({ gradients: several(even(1.25)) })
    without({ gradients: several(even(Number.NaN)) })
    without({ gradients: several(even(-0.001)) })
    without({ format: 'R16G16B16A16_FLOAT' })
    without({ format: 'R8G8B8A8_UNORM_SRGB' })
    without({ ps: shader('linear', 'frc o0.xyzw, v1.xyzw') })
    without({ ps: shader('linear', 'rcp r0.xyzw, v1.xyzw', 'mov o0.xyzw, r0.xyzw') })
  })

  it('have states and attributes of any kind', () => {
    let certain = 0
    const r = new Random(99)
    for (let i = 0; i < amount(10, 40); i++) {
      const state = randomState(randomFrom(r.below(2 ** 30)))
      const blend = JSON.stringify(state).includes('SRC1') || JSON.stringify(state).includes('COLOR') ? OVER : state
      const component = (): readonly [number, number, number] => {
        const part = (): number => r.below(1025) / 1024
        const [first, last] = [part(), part()]
        return r.pick([
          [first, (last - first) / (2 * WIDTH), 0],
          [first, (last - first) / WIDTH, 0],
          [r.below(511) / 510, r.pick([0, 1 / 510 / 8, 1 / 2550]), 0],
          [first, 0, (last - first) / HEIGHT],
        ] as const)
      }
      const gradients = Array.from({ length: 4 }, () => [component(), component(), component(), component()])
      const ways = waysOf({ ps: shader('linear', COPY), gradients, blend })
      if (ways.includes(CERTAIN)) certain++
    }
    expect(certain).toBeGreaterThan(amount(2, 10))
  })
})

describe('runs of fast draws', () => {
  const UNCLAMPED = 'fast runs of pixels whose colors need no clamp'
  const CLAMPED = 'fast runs of pixels whose colors are clamped'
  const runsOf = (look: Partial<Look>): readonly string[] => {
    const usual = { ps: shader('linear', COPY), gradients: several(ramp), blend: OVER, precision: 'fast' } as const
    const ways = waysOf({ ...usual, ...look })
    expect(ways).not.toContain(CERTAIN)
    return ways.filter((way) => way === UNCLAMPED || way === CLAMPED)
  }

  it('leave what numbers leave without clamps where colors are between 0 and 1 at both ends', () => {
    expect(runsOf({})).toEqual([UNCLAMPED])
    expect(runsOf({ blend: {} })).toEqual([UNCLAMPED])
    for (const mode of ['linear noperspective', 'constant', 'linear centroid']) {
      expect(runsOf({ ps: shader(mode, COPY) })).toEqual([UNCLAMPED])
    }
    for (const format of ['R10G10B10A2_UNORM', 'R16G16B16A16_UNORM', 'R8G8B8A8_UNORM_SRGB']) {
      expect(runsOf({ format })).toEqual([UNCLAMPED])
    }
    // The ends are 0 and 1 themselves.
    const whole = even(0).map(() => [-0.5 / (WIDTH - 1), 1 / (WIDTH - 1), 0] as const)
    expect(runsOf({ gradients: [even(0), even(1), ...several(whole)] })).toContain(UNCLAMPED)
    // Fields that are not written keep their bits, and fields of other equations are replaced.
    expect(runsOf({ blend: { ...OVER, renderTargetWriteMask: 6 } })).toEqual([UNCLAMPED])
    expect(runsOf({ blend: { ...OVER, destBlendAlpha: 'ZERO' } })).toEqual([UNCLAMPED])
    expect(runsOf({ blend: { ...OVER, blendOpAlpha: 'MAX' } })).toEqual([UNCLAMPED])
    expect(runsOf({ blend: { ...OVER, srcBlend: 'INV_DEST_COLOR', destBlend: 'ONE' } })).toEqual([UNCLAMPED])
  })

  it('clamp the others', () => {
    for (const value of [1.25, -0.001, 1 + 2 ** -23, -(2 ** -149), Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(runsOf({ gradients: several(even(value)) })).toEqual([CLAMPED])
      expect(runsOf({ ps: shader('constant', COPY), gradients: several(even(value)) })).toEqual([CLAMPED])
    }
    // Each leaves the range at one end alone.
    const steep = 1.01 / WIDTH
    for (const rise of [[0, steep, 0] as const, [1, -steep, 0] as const]) {
      expect(runsOf({ gradients: several(even(0).map(() => rise)) })).toContain(CLAMPED)
    }
    // Vertices beyond what sums of planes may have, although the colors on the screen are not.
    const far = even(0).map(() => [2 ** 22, -(2 ** 22) / (WIDTH - 1), 0] as const)
    expect(runsOf({ gradients: several(far) })).toContain(CLAMPED)
    // In perspective, and colors that are no copies, there is one loop.
    expect(runsOf({ w: 2 })).toEqual([])
    expect(runsOf({ ps: shader('linear', 'mul o0.xyzw, v1.xyzw, v1.wwww') })).toEqual([])
  })
})
