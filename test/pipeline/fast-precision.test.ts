/**
 * Draws with the precision `fast` against `exact` ones: coverage, depth, stencil and counts are equal, and attributes and colors within the
 * bounds that docs/drawing.md states.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { withFallback } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { createHost } from '../../src/host/node/job-host.ts'
import { type FrameReport, parseDescriptionText, runFrameOn } from '../../src/job/index.ts'
import { everyNth } from '../support/amount.ts'
import { at, type Drawn, draw, type Scene } from '../support/draw-text.ts'
import { Random } from '../support/random/random.ts'

const WIDTH = 64
const HEIGHT = 56
const compiled = withFallback(createWasmEngineWith({ threads: 1 }), createReferenceEngine({}))

const MODES = ['linear', 'linear centroid', 'linear noperspective', 'linear noperspective sample']
/** Attributes lie between -GREATEST and GREATEST. */
const GREATEST = 16

interface Triangle {
  readonly vertices: readonly (readonly number[])[]
  /** How much larger than 2^-21 of GREATEST the error of its attributes may be. */
  readonly shape: number
}

/** Longest side over height, times greatest w over least. */
function randomTriangle(random: Random): Triangle {
  const size = random.pick([6, 30, 200, 2000])
  const [x, y] = [random.below(WIDTH), random.below(HEIGHT)]
  const offset = (): number => ((random.below(257) - 128) / 128) * size
  const points = [0, 1, 2].map(() => [x + offset(), y + offset()] as const)
  const isFlat = random.below(3) === 0
  const ws = [0, 1, 2].map(() => (isFlat ? 1 : 1 + random.below(64) / 4))
  const [a, b, c] = points as [readonly [number, number], readonly [number, number], readonly [number, number]]
  const area2 = Math.abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]))
  const side = Math.max(
    ...points.map((p, i) => Math.hypot(p[0] - points[(i + 1) % 3]![0], p[1] - points[(i + 1) % 3]![1])),
  )
  const shape = (side * side * Math.max(...ws)) / (Math.max(area2, 1e-9) * Math.min(...ws))
  const value = (): number => (random.below(2001) / 1000 - 1) * GREATEST
  const depths = [0, 1, 2].map(() => random.below(1025) / 1024)
  const vertices = points.map(([px, py], i) => [
    ...at(px, py, WIDTH, HEIGHT, depths[i]!, ws[i]!),
    ...[0, 0, 0, 0].map(value),
    ...[shape, 0, 0, 0],
  ])
  return { vertices, shape }
}

function randomScene(random: Random): Scene {
  const triangles = Array.from({ length: 60 }, () => randomTriangle(random)).filter(({ shape }) => shape < 2 ** 14)
  const sampleCount = random.pick([1, 1, 4] as const)
  return {
    vertices: triangles.flatMap((t) => t.vertices),
    width: WIDTH,
    height: HEIGHT,
    sampleCount,
    targets: ['R32G32B32A32_FLOAT', 'R32G32B32A32_FLOAT'],
    depth: 'D24_UNORM_S8_UINT',
    ps: [
      'ps_5_0',
      `dcl_input_ps ${random.pick(MODES)} v1.xyzw`,
      'dcl_input_ps constant v2.x',
      'dcl_output o0.xyzw',
      'dcl_output o1.xyzw',
      'mov o0.xyzw, v1.xyzw',
      'mov o1.xyzw, v2.xxxx',
      'ret',
      '',
    ].join('\n'),
    state: {
      depthStencil: { stencilEnable: true, frontFace: COUNTS, backFace: COUNTS },
      rasterizer: { cullMode: 'NONE' },
    },
  }
}

const COUNTS = {
  stencilFunc: 'ALWAYS',
  stencilFailOp: 'KEEP',
  stencilDepthFailOp: 'INCR',
  stencilPassOp: 'INVERT',
} as const

const drawWith = (scene: Scene, precision: 'exact' | 'fast', engine = compiled): Drawn =>
  draw({ ...scene, state: { ...scene.state, precision } }, engine)

function floatsOf({ targets }: Drawn, target: number): Float32Array {
  const { words } = targets[target]!.storage
  return new Float32Array(words.buffer, words.byteOffset, words.length)
}

/** The first element in which two arrays differ, -1 for none. */
const differing = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  for (let i = 0; i < Math.max(a.length, b.length); i++) if (a[i] !== b[i]) return i
  return -1
}

describe('attributes of fast draws', () => {
  it.each(everyNth([1, 2, 3, 4], 4))('are near the exact ones, and everything else is the same, %i', (seed) => {
    const random = new Random(seed)
    let [different, pixels] = [0, 0]
    for (let i = 0; i < 8; i++) {
      const scene = randomScene(random)
      const [exact, fast] = [drawWith(scene, 'exact'), drawWith(scene, 'fast')]
      expect(fast.result.statistics).toEqual(exact.result.statistics)
      expect(fast.result.samplesPassed).toBe(exact.result.samplesPassed)
      expect(differing(fast.depth!.storage.words, exact.depth!.storage.words)).toBe(-1)
      const [shapes, ofFast] = [exact, fast].map((d) => floatsOf(d, 1))
      expect(differing(shapes!, ofFast!)).toBe(-1)
      const [wanted, found] = [exact, fast].map((d) => floatsOf(d, 0))
      wanted!.forEach((value, n) => {
        const error = Math.abs(found![n]! - value)
        if (error > 0) different++
        if (value !== 0) pixels++
        const bound = GREATEST * 2 ** -21 * (1 + shapes![n]!)
        if (!(error <= bound)) expect({ n, value, found: found![n], error, bound }).toBe('within the bound')
      })
      // Small draws compute with numbers what code computes for large ones.
      const numbers = drawWith(scene, 'fast', createReferenceEngine({}))
      expect(differing(numbers.targets[0]!.storage.words, fast.targets[0]!.storage.words)).toBe(-1)
    }
    expect(pixels).toBeGreaterThan(8 * 1000)
    // Otherwise nothing was fast.
    expect(different).toBeGreaterThan(pixels / 10)
  })
})

const FOLDER = fileURLToPath(new URL('../draws/', import.meta.url))

async function runScene(scene: string, precision: 'exact' | 'fast'): Promise<FrameReport> {
  const folder = join(FOLDER, scene)
  const { value, diagnostics } = parseDescriptionText(readFileSync(join(folder, 'small.json'), 'utf8'))
  if (value?.kind !== 'frame') throw new Error(diagnostics.map((d) => d.message).join('\n'))
  const pipelines = value.frame.pipelines.map((p) => (p.kind === 'graphics' ? { ...p, precision } : p))
  return runFrameOn({ ...value.frame, pipelines }, createHost({ folder }), compiled)
}

describe('fast scenes', () => {
  // foliage discards by what it samples.
  const scenes = ['billboards', 'blend', 'deferred', 'foliage', 'grid', 'msaa', 'raymarch', 'shadow', 'tess', 'texture']
  it.each(everyNth(scenes, 5))(
    '%s has the counts, the depth and nearly the colors of the exact one',
    { timeout: 60_000 },
    async (name) => {
      const [exact, fast] = [await runScene(name, 'exact'), await runScene(name, 'fast')]
      expect(fast.diagnostics).toEqual([])
      const counts = ({ run }: FrameReport) => run!.commands.map((c) => [c.draw?.statistics, c.draw?.samplesPassed])
      expect(counts(fast)).toEqual(counts(exact))
      // What the specification says of the scene holds within the tolerance that it states.
      expect(fast.run!.checks.filter((c) => !c.passed)).toEqual([])
      for (const [name, { resource }] of exact.run!.prepared.resources) {
        const other = fast.run!.prepared.resources.get(name)!.resource
        const format = 'format' in resource ? resource.format : undefined
        if (format?.name.startsWith('D')) expect(differing(other.storage.words, resource.storage.words)).toBe(-1)
      }
    },
  )
})
