import { afterEach, expect, it, vi } from 'vitest'
import { withFallback } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { WasmElementKernels } from '../../src/engine/wasm/run/element-kernels.ts'
import { compileThresholds } from '../../src/pipeline/index.ts'
import { BLOCK } from '../../src/pipeline/pixels/depth-bounds.ts'
import { at, draw } from '../support/draw-text.ts'

// What code a draw makes for itself: as little as it needs.

const SIDE = 128
const before = { ...compileThresholds }
afterEach(() => {
  Object.assign(compileThresholds, before)
})

const PS = ['ps_5_0', 'dcl_output o0.xyzw', 'mov o0.xyzw, l(1.0, 1.0, 1.0, 1.0)', 'ret', ''].join('\n')

/** Right triangles of so many pixels a side, all at one place. */
const triangles = (count: number, size: number): number[][] =>
  Array.from({ length: count }, (_, n) => {
    const z = 1 - n / count / 2
    const corner = (x: number, y: number): number[] => at(8 + x, 8 + y, SIDE, SIDE, z, 1)
    return [corner(0, 0), corner(size, 0), corner(0, size)]
  }).flat()

/** First words of the programs that a draw with a depth test makes, and how many samples pass. */
function drawn(vertices: number[][]): { readonly programs: readonly string[]; readonly passed: number } {
  const engine = withFallback(createWasmEngineWith({ threads: 1 }), createReferenceEngine({}))
  const made = vi.spyOn(engine.elementKernels!, 'quadKernelFor')
  const depthStencil = { depthEnable: true, depthFunc: 'LESS' as const, depthWriteMask: 'ALL' as const }
  const state = { depthStencil, rasterizer: { cullMode: 'NONE' as const } }
  const targets = ['R8G8B8A8_UNORM']
  const scene = { vertices, width: SIDE, height: SIDE, ps: PS, targets, depth: 'D32_FLOAT', depthValue: 1, state }
  const { result } = draw(scene, engine)
  const programs = made.mock.calls.map(([{ key }]) => String((JSON.parse(key) as unknown[])[0]))
  made.mockRestore()
  engine.dispose?.()
  return { programs, passed: result.samplesPassed }
}

it('triangles with many quads have code of their own from a few on, and quads none', () => {
  compileThresholds.vertexWords = 1
  // 16 x 16 pixels, of which less than half are covered: 64 quads of a box.
  const { programs, passed } = drawn(triangles(8, 16))
  expect(programs).toContain('tested')
  expect(programs).not.toContain('tests')
  // Of row n 15 - n centers lie in it; those on the long side, which is no top or left edge, do not. The first triangle is as far as what is cleared.
  expect(passed).toBe(7 * 120)
})

it('so have triangles with few quads where they are many alone', () => {
  expect(drawn(triangles(40, 4)).programs).not.toContain('tested')
  expect(drawn(triangles(140, 4)).programs).toContain('tested')
})

it('bounds of the depth buffer are made in draws of many quads alone', () => {
  // 400 boxes of 64 quads: more than the depth buffer has.
  const few = drawn(triangles(400, 16))
  expect(few.programs).not.toContain('bounds')
  compileThresholds.boundedQuads = 1
  const many = drawn(triangles(400, 16))
  expect(many.programs).toContain('bounds')
  expect(many.passed).toBe(few.passed)
})

it('a draw without room for bounds of its depth buffer tests every quad', () => {
  const want = drawn(triangles(400, 16))
  compileThresholds.boundedQuads = 1
  const byteLength = (SIDE / BLOCK) ** 2 * 4 + 16
  const { allocate } = WasmElementKernels.prototype
  const refused = vi.spyOn(WasmElementKernels.prototype, 'allocate').mockImplementation(function (
    this: WasmElementKernels,
    wanted,
  ) {
    return wanted === byteLength ? undefined : allocate.call(this, wanted)
  })
  const found = drawn(triangles(400, 16))
  expect(refused.mock.calls.filter(([wanted]) => wanted === byteLength).length).toBeGreaterThan(0)
  refused.mockRestore()
  expect(found.programs).toContain('bounds')
  expect(found.passed).toBe(want.passed)
})
