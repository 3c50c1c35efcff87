import type { Engine } from '../../src/engine/index.ts'
import { createElement, elementReader } from '../../src/pipeline/merge/element.ts'
import { at, type Drawn, draw, type Scene } from './draw-text.ts'
import { srgbOf } from './exact-formats.ts'
import type { Random } from './random/random.ts'

/** Random scenes whose colors with the precision `fast` are compared with exact ones, within the bounds of docs/drawing.md. */

const WIDTH = 64
const HEIGHT = 56
const NORMALIZED = [
  'R8G8B8A8_UNORM',
  'B8G8R8A8_UNORM_SRGB',
  'R10G10B10A2_UNORM',
  'R16G16B16A16_UNORM',
  'R8G8B8A8_SNORM',
  'R8_UNORM',
]
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
    ...[shape, 1 / Math.max(...ws), 0, 0],
  ])
  return { vertices, shape }
}

export function randomFastScene(random: Random): Scene {
  const triangles = Array.from({ length: 60 }, () => randomTriangle(random)).filter(({ shape }) => shape < 2 ** 14)
  const sampleCount = random.pick([1, 1, 4] as const)
  return {
    vertices: triangles.flatMap((t) => t.vertices),
    width: WIDTH,
    height: HEIGHT,
    sampleCount,
    targets: ['R32G32B32A32_FLOAT', 'R32G32B32A32_FLOAT', random.pick(NORMALIZED)],
    depth: 'D24_UNORM_S8_UINT',
    ps: [
      'ps_5_0',
      `dcl_input_ps ${random.pick(MODES)} v1.xyzw`,
      'dcl_input_ps_siv linear noperspective v0.w, position',
      'dcl_input_ps constant v2.xy',
      'dcl_output o0.xyzw',
      'dcl_output o1.xyzw',
      'dcl_output o2.xyzw',
      'mov o0.xyzw, v1.xyzw',
      'mov o1.xyz, v2.xxxx',
      'mul o1.w, v0.w, v2.y',
      'mad o2.xyzw, v1.xyzw, l(0.03125, 0.03125, 0.03125, 0.03125), l(0.5, 0.5, 0.5, 0.5)',
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

export const drawWith = (scene: Scene, precision: 'exact' | 'fast', engine: Engine): Drawn =>
  draw({ ...scene, state: { ...scene.state, precision } }, engine)

function floatsOf({ targets }: Drawn, target: number): Float32Array {
  const { words } = targets[target]!.storage
  return new Float32Array(words.buffer, words.byteOffset, words.length)
}

/** The first element in which two arrays differ, -1 for none. */
export const differing = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  for (let i = 0; i < Math.max(a.length, b.length); i++) if (a[i] !== b[i]) return i
  return -1
}

export interface FastComparison {
  /** What is beyond the bounds; undefined where nothing is. */
  readonly text: string | undefined
  /** Components of attributes that were drawn, and those of them that differ. */
  readonly pixels: number
  readonly different: number
}

/** The greatest slope of sRGB. */
const STEEPEST = 12.92

/**
 * The error that an attribute may have in an element whose shape was drawn, and its w over the greatest at a vertex behind it. At centers of
 * pixels outside of a triangle, which samples at its edge have, w and values go beyond those of the vertices: where 1/w comes near 0 the
 * error grows with both.
 */
function boundOf(shapes: Float32Array, element: number, value = 0): number {
  const [shape, w] = [shapes[element * 4]!, Math.abs(shapes[element * 4 + 3]!)]
  return GREATEST * 2 ** -21 * (1 + shape * Math.max(1, w)) * Math.max(1, w, Math.abs(value) / GREATEST)
}

function differentColors(exact: Drawn, fast: Drawn, shapes: Float32Array): string | undefined {
  const [wanted, found] = [exact, fast].map((d) => d.targets[2]!)
  const { format, bytesPerTexel, storage } = wanted!
  const [read, readFast] = [wanted!, found!].map((v) => elementReader(v.format, v.storage))
  const [a, b] = [createElement(), createElement()]
  const fields = format.components.flatMap((c) => {
    const n = 'rgba'.indexOf(c.name)
    return n < 0
      ? []
      : [
          {
            n,
            isSrgb: c.encoding === 'unorm-srgb',
            step: 1 / (2 ** (c.bitCount - (c.encoding === 'snorm' ? 1 : 0)) - 1),
          },
        ]
  })
  for (let i = 0; i < storage.byteLength / bytesPerTexel; i++) {
    read!(i * bytesPerTexel, a)
    readFast!(i * bytesPerTexel, b)
    for (const { n, isSrgb, step } of fields) {
      const encoded = (x: number): number => (isSrgb ? srgbOf(x) : x)
      const error = Math.abs(encoded(a.floats[n]!) - encoded(b.floats[n]!))
      // Both codes are within 0.6 of their ideals.
      const bound = 1.21 * step + (boundOf(shapes, i) / 32) * (isSrgb ? STEEPEST : 1)
      if (!(error <= bound)) return `${format.name}, texel ${i} component ${n}: off by ${error}, ${bound} at the most`
    }
  }
  return undefined
}

/** Draws a scene with both precisions. */
export function compareFastScene(scene: Scene, engine: Engine): FastComparison {
  const [exact, fast] = [drawWith(scene, 'exact', engine), drawWith(scene, 'fast', engine)] as const
  let [different, pixels] = [0, 0]
  const found = (text: string | undefined): FastComparison => ({ text, pixels, different })
  const counts = [exact, fast].map(({ result: { statistics, samplesPassed } }) =>
    JSON.stringify([statistics, samplesPassed]),
  )
  if (counts[0] !== counts[1]) return found(`counts of exact ${counts[0]}, of fast ${counts[1]}`)
  const depth = differing(fast.depth!.storage.words, exact.depth!.storage.words)
  if (depth >= 0) return found(`word ${depth} of depth and stencil`)
  const [shapes, ofFast] = [floatsOf(exact, 1), floatsOf(fast, 1)]
  const constant = shapes.findIndex((x, i) => i % 4 < 3 && x !== ofFast[i])
  if (constant >= 0) return found(`element ${constant} of a constant attribute`)
  const [wanted, got] = [floatsOf(exact, 0), floatsOf(fast, 0)]
  for (let n = 0; n < wanted.length; n++) {
    const error = Math.abs(got[n]! - wanted[n]!)
    if (error > 0) different++
    if (wanted[n] !== 0) pixels++
    const bound = boundOf(shapes, n >> 2, wanted[n])
    if (!(error <= bound))
      return found(`element ${n}: ${wanted[n]} of exact, ${got[n]} of fast, ${bound} apart at the most`)
  }
  return found(differentColors(exact, fast, shapes))
}
