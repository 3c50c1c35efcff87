import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import type { Engine } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { beginDraw, compileThresholds } from '../../src/pipeline/index.ts'
import { at, prepare, type Scene, WHITE } from '../support/draw-text.ts'

// Triangles of many pixels are found part by part: the draw yields between the parts, and leaves what the triangles cover, in order.

const SIZE = 512

/** Runs a draw that yields wherever it can: how often it was resumed. */
function run(scene: Scene, engine: Engine) {
  const { pipeline, resources, call } = prepare(scene, engine)
  const draw = valueOrThrow(beginDraw(engine, valueOrThrow(pipeline), resources, call, scene.options))
  let turns = 1
  while (!draw.run(0)) turns++
  return { turns, result: draw.result(), words: resources.renderTargets[0]!.storage.words }
}

const corner = (x: number, y: number, ...rest: number[]): number[] => [...at(x, y, SIZE, SIZE), ...rest]

describe('triangles of many pixels', () => {
  const engines: readonly Engine[] = [createWasmEngineWith({ threads: 1 }), createReferenceEngine({})]

  it('yield part by part and cover what one covers', () => {
    // Half of a square: a pixel is covered where x + y + 1 < 512; the edge that ties is a right one.
    const scene: Scene = {
      width: SIZE,
      height: SIZE,
      vertices: [corner(0, 0), corner(SIZE, 0), corner(0, SIZE)],
      ps: WHITE,
      state: { rasterizer: { cullMode: 'NONE' } },
    }
    for (const engine of engines) {
      const { turns, result } = run(scene, engine)
      expect(result.samplesPassed).toBe((511 * 512) / 2)
      expect(result.statistics.cPrimitives).toBe(1)
      // 32,896 quads have a pixel of it, 4096 at once.
      expect(turns).toBeGreaterThan(7)
    }
  })

  it('come before those behind them, small ones and parts of a clipped one too', () => {
    const before = { ...compileThresholds }
    Object.assign(compileThresholds, { triangles: 1, vertexWords: 1 })
    const [red, green] = [
      [1, 0, 0, 0],
      [0, 1, 0, 0],
    ]
    // Its first corner is behind the viewer, downwards: it goes on below the target, in two triangles.
    const clipped = [
      [0, -1, 0, -0.02, ...red],
      [...corner(0, 0), ...red],
      [...corner(SIZE, 0), ...red],
    ]
    const over = [corner(0, 0, ...green), corner(40, 0, ...green), corner(0, 40, ...green)]
    const scene: Scene = {
      width: SIZE,
      height: SIZE,
      targets: ['R8G8B8A8_UNORM'],
      vertices: [...clipped, ...over, ...over],
      ps: 'ps_5_0\ndcl_input_ps linear v1.xy\ndcl_output o0.xyzw\nmov o0.xy, v1.xyxx\nmov o0.zw, l(0,0,0,1.0)\nret\n',
      state: { rasterizer: { cullMode: 'NONE' } },
    }
    for (const engine of engines) {
      const { turns, result, words } = run(scene, engine)
      expect(turns).toBeGreaterThan(8)
      expect(result.statistics.cPrimitives).toBeGreaterThan(3)
      // The last triangle is on top: opaque green in the corner of the target, red beside it.
      expect(words[0]! >>> 0).toBe(0xff00ff00)
      expect(words[60]! >>> 0).toBe(0xff0000ff)
    }
    Object.assign(compileThresholds, before)
  })
})
