import { afterEach, describe, expect, it, vi } from 'vitest'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { compileThresholds } from '../../src/pipeline/index.ts'
import { TriangleBands } from '../../src/pipeline/tiles/triangle-bands.ts'
import { at, draw, type Scene } from '../support/draw-text.ts'
import { Random } from '../support/random/random.ts'

// Small triangles of multisampled draws are found band by band of the targets: what a draw leaves is what its order leaves.

const SIZE = 128
const ENGINE = createWasmEngineWith({ threads: 1 })
/** Radius of triangles that are half of the target, too large for lists. */
const LARGE = 64
/** In place of a radius: small triangles of which a corner is behind the far plane. */
const CLIPPED = -20
const COLOR =
  'ps_5_0\ndcl_input_ps linear v1.xyz\ndcl_output o0.xyzw\nmov o0.xyz, v1.xyzx\nmov o0.w, l(0.0,0.0,0.0,0.5)\nret\n'

const before = { ...compileThresholds }
afterEach(() => {
  Object.assign(compileThresholds, before)
  vi.restoreAllMocks()
})

/** Three corners around a place so that nothing is clipped, or half of the target. */
function triangle(random: Random, given: number): number[][] {
  const radius = Math.abs(given)
  const place = (): number => radius + random.below(Math.max(1, SIZE - 2 * radius))
  const [x, y] = [place(), place()]
  const near = (n: number): number => n + (random.below(radius * 32) - radius * 16) / 16
  const half = [
    [0, 0],
    [SIZE, 0],
    [0, SIZE],
  ] as const
  return half.map(([farX, farY], corner) => [
    ...at(
      radius < LARGE ? near(x) : farX,
      radius < LARGE ? near(y) : farY,
      SIZE,
      SIZE,
      given < 0 && corner === 1 ? 1.5 : random.below(256) / 256,
    ),
    ...[0, 0, 0, 0].map(() => random.below(256) / 255),
  ])
}

function sceneOf(radii: readonly number[]): Scene {
  const random = new Random(5)
  const blend = {
    blendEnable: true,
    srcBlend: 'SRC_ALPHA',
    destBlend: 'INV_SRC_ALPHA',
    blendOp: 'ADD',
    srcBlendAlpha: 'ONE',
    destBlendAlpha: 'ZERO',
    blendOpAlpha: 'ADD',
    renderTargetWriteMask: 15,
  } as const
  return {
    width: SIZE,
    height: SIZE,
    sampleCount: 4,
    targets: ['R8G8B8A8_UNORM'],
    depth: 'D32_FLOAT',
    vertices: radii.flatMap((radius) => triangle(random, radius)),
    ps: COLOR,
    state: {
      rasterizer: { cullMode: 'NONE', multisampleEnable: true },
      depthStencil: { depthEnable: true, depthWriteMask: 'ALL', depthFunc: 'LESS_EQUAL' },
      blend: { renderTarget: [blend] },
    },
  }
}

/** What a draw leaves with bands of 16 rows or in its order, and how often lists of bands were done. */
function run(scene: Scene, hasBands: boolean) {
  Object.assign(compileThresholds, { vertexWords: 1, bandBytes: 1, bands: hasBands ? 1 : Number.POSITIVE_INFINITY })
  const done = vi.spyOn(TriangleBands.prototype, 'run')
  const setUp = vi.spyOn(TriangleBands.prototype, 'setUp')
  const made = vi.spyOn(ENGINE.elementKernels!, 'quadKernelFor')
  const { targets, depth, result } = draw(scene, ENGINE)
  const count = done.mock.results.filter((r) => r.value === true).length
  const byCode = setUp.mock.results.reduce((sum, r, n) => sum + (r.value as number) - setUp.mock.calls[n]![1], 0)
  const readsAhead = made.mock.calls.some(([program]) => program.key === '["read ahead"]')
  vi.restoreAllMocks()
  const words = [targets[0]!, depth!].map((view) => view.storage.words.slice())
  return { words, count, byCode, readsAhead, counts: [result.samplesPassed, result.statistics] }
}

describe('triangles by bands', () => {
  const cases: readonly (readonly [string, readonly number[], number, boolean])[] = [
    ['more than are listed at once', Array.from({ length: 4400 }, () => 20), 2, true],
    ['with large ones between them', Array.from({ length: 600 }, (_, n) => (n % 150 === 149 ? LARGE : 20)), 3, true],
    ['with clipped ones between them', Array.from({ length: 600 }, (_, n) => (n % 3 === 2 ? CLIPPED : 20)), 3, false],
    ['too small for lists', Array.from({ length: 600 }, () => 3), 1, false],
  ]
  it.each(cases)('leave what the order of the draw leaves: %s', (_, radii, least, readsAhead) => {
    const scene = sceneOf(radii)
    const [listed, ordered] = [run(scene, true), run(scene, false)]
    expect(listed.count).toBeGreaterThanOrEqual(least)
    expect(ordered.count).toBe(0)
    // Bands are read before their triangles where these have many pixels.
    expect([listed.readsAhead, ordered.readsAhead]).toEqual([readsAhead, false])
    for (const [n, words] of listed.words.entries()) {
      expect(words.findIndex((word, i) => word !== ordered.words[n]![i])).toBe(-1)
      // Much of the target is covered.
      expect(words.filter((word) => word !== words[0]).length).toBeGreaterThan(words.length / 16)
    }
    expect(listed.counts).toEqual(ordered.counts)
  })

  it('are more at once in larger targets', () => {
    const scene = sceneOf(Array.from({ length: 4400 }, () => 20))
    const { bandRoomBytes } = compileThresholds
    const [usual, ordered] = [run(scene, true), run(scene, false)]
    compileThresholds.bandRoomBytes = SIZE * SIZE * 4 * 4
    const listed = run(scene, true)
    compileThresholds.bandRoomBytes = bandRoomBytes
    expect([usual.count, listed.count]).toEqual([2, 1])
    expect(listed.words).toEqual(ordered.words)
    expect(listed.counts).toEqual(ordered.counts)
  })

  const CODE: readonly (readonly [string, readonly number[], readonly [number, number]])[] = [
    ['small ones alone', Array.from({ length: 600 }, () => 20), [576, 600]],
    ['more than are listed at once', Array.from({ length: 4400 }, () => 20), [4200, 4400]],
    [
      'large and clipped ones between them',
      Array.from({ length: 600 }, (_, n) => [20, 20, 20, 20, CLIPPED, LARGE][n % 97] ?? 20),
      [300, 590],
    ],
  ]
  it.each(CODE)('are set up by code, and leave the same: %s', (_, radii, [least, most]) => {
    compileThresholds.triangles = 1
    const scene = sceneOf(radii)
    // The first draw does what it can while its programs are made.
    run(scene, true)
    const [listed, ordered] = [run(scene, true), run(scene, false)]
    expect(listed.byCode).toBeGreaterThanOrEqual(least)
    expect(listed.byCode).toBeLessThanOrEqual(most)
    for (const [n, words] of listed.words.entries()) {
      expect(words.findIndex((word, i) => word !== ordered.words[n]![i])).toBe(-1)
    }
    expect(listed.counts).toEqual(ordered.counts)
  })
})
