import { describe, expect, it } from 'vitest'
import type { ComparisonFunc } from '../../src/pipeline/state.ts'
import { everyNth } from '../support/amount.ts'
import { at, draw, float, viewportOf, WHITE } from '../support/draw-text.ts'
import { Random } from '../support/random/random.ts'

// Draws of depth alone take rows of a triangle at once; with a pixel shader the same triangles are tested quad by quad.

const WIDTH = 48
const HEIGHT = 40
const FUNCTIONS: readonly ComparisonFunc[] = [
  ...(['NEVER', 'LESS', 'EQUAL', 'LESS_EQUAL', 'GREATER', 'NOT_EQUAL', 'GREATER_EQUAL', 'ALWAYS'] as const),
]
const FORMATS = ['D16_UNORM', 'D24_UNORM_S8_UINT', 'D32_FLOAT', 'D32_FLOAT_S8X24_UINT'] as const

/** Triangles of all sizes and both directions, slivers, triangles over the edges of the target, and depths in steps. */
function triangles(random: Random, count: number): number[][] {
  const made: number[][] = []
  for (let i = 0; i < count; i++) {
    const size = [2, 6, 30, 200, 4000][random.below(5)]!
    const [x, y] = [random.below(WIDTH * 16) / 16, random.below(HEIGHT * 16) / 16]
    const flat = random.below(4) === 0 ? random.below(17) / 16 : undefined
    for (let k = 0; k < 3; k++) {
      const offset = (): number => ((random.below(257) - 128) / 256) * size
      made.push(at(x + offset(), y + offset(), WIDTH, HEIGHT, flat ?? random.below(1025) / 1024, 1 + random.below(3)))
    }
  }
  return made
}

describe('depth alone', () => {
  for (const format of FORMATS) {
    it(`is what tests of quads leave, in ${format}`, () => {
      const random = new Random(77)
      let written = 0
      for (const depthFunc of everyNth(FUNCTIONS, 3)) {
        for (const depthWriteMask of ['ALL', 'ZERO'] as const) {
          const scene = {
            vertices: triangles(random, 30),
            width: WIDTH,
            height: HEIGHT,
            depth: format,
            depthValue: random.below(5) / 4,
            state: {
              depthStencil: { depthEnable: true, depthFunc, depthWriteMask },
              rasterizer: {
                cullMode: 'NONE' as const,
                depthClipEnable: random.below(2) === 0,
                scissorEnable: true,
                depthBias: random.below(3),
                slopeScaledDepthBias: random.below(2),
              },
            },
            resources: {
              viewports: [viewportOf(WIDTH, HEIGHT, { minDepth: 0.1, maxDepth: 0.9 })],
              scissors: [{ left: 3, top: 0, right: WIDTH, bottom: HEIGHT - 5 }],
            },
          }
          const rows = draw({ ...scene, ps: null, targets: [] })
          const quads = draw({ ...scene, ps: WHITE })
          const name = `${depthFunc}, ${depthWriteMask}`
          expect(rows.result.samplesPassed, name).toBe(quads.result.samplesPassed)
          expect(rows.depth!.storage.words, name).toEqual(quads.depth!.storage.words)
          written += rows.result.samplesPassed
        }
      }
      expect(written).toBeGreaterThan(1000)
    })
  }

  it('reaches the pixels whose center is inside, and none of what lies outside of the scissor', () => {
    const scene = {
      vertices: [at(0, 0, 8, 8, 0.25), at(8, 0, 8, 8, 0.25), at(0, 8, 8, 8, 0.25)],
      width: 8,
      height: 8,
      depth: 'D32_FLOAT',
      ps: null,
      targets: [],
      state: { rasterizer: { scissorEnable: true } },
      resources: { scissors: [{ left: 1, top: 0, right: 8, bottom: 6 }] },
    }
    const drawn = draw(scene)
    // Centers on the long edge, which is neither top nor left, are outside.
    const rows = Array.from({ length: 8 }, (_, y) =>
      Array.from({ length: 8 }, (_, x) => (float(drawn.depthWord(x, y)) === 0.25 ? '#' : '.')).join(''),
    )
    expect(rows).toEqual([
      '.######.',
      '.#####..',
      '.####...',
      '.###....',
      '.##.....',
      '.#......',
      '........',
      '........',
    ])
    expect(drawn.result.samplesPassed).toBe(21)
  })
})
