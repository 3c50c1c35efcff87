import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import type { TargetView } from '../../src/machine/index.ts'
import { compileThresholds } from '../../src/pipeline/index.ts'
import { KeptQuads } from '../../src/pipeline/pixels/kept/kept-quads.ts'
import { acquireQuadMemory, PARAMETER, QUAD_MEMORY, releaseQuadMemory } from '../../src/pipeline/pixels/quads.ts'

// Quads of which a shader that discards has kept a pixel: their places one behind the other, their samples, and the lines of a target
// that are read for them.

const [WIDTH, HEIGHT, WORDS] = [64, 64, 1]
const engine = createWasmEngineWith({ threads: 1 })
const before = { ...compileThresholds }
beforeAll(() => {
  compileThresholds.farBytes = 1
})
afterAll(() => {
  Object.assign(compileThresholds, before)
  engine.dispose?.()
})

interface Quad {
  readonly masks: readonly number[]
  readonly kept: readonly number[]
}

/** Quad n lies at (2 * n, 4 * n), belongs to row 100 + n and goes to slice n of the first two. */
function leave(quads: readonly Quad[], width = WIDTH) {
  const kernels = engine.elementKernels!
  const length = WIDTH * HEIGHT * WORDS * 4
  const { buffer, byteOffset } = kernels.allocate(length + 4096)!
  const memory = acquireQuadMemory(kernels)
  const target = new Int32Array(buffer, byteOffset, length / 4).fill(0)
  for (let n = 0; n < quads.length; n++) for (const y of [0, 1]) target[(4 * n + y) * WIDTH + 2 * n] = 1 << (2 * n + y)
  const storage = { buffer, byteOffset }
  const sizes = { rowPitch: WIDTH * WORDS * 4, bytesPerTexel: WORDS * 4, sampleCount: 1, width, height: HEIGHT }
  const words = new Int32Array(buffer, byteOffset + length, 1024)
  const { shaded, parameters } = memory
  quads.forEach(({ masks, kept }, n) => {
    shaded.primitives[n] = 100 + n
    shaded.x[n] = 2 * n
    shaded.y[n] = 4 * n
    shaded.slices[n] = n & 1
    shaded.masks.set(masks, n * 4)
    words.set(kept, n * 4)
  })
  shaded.count = quads.length
  parameters.fill(0, PARAMETER.keptLines, PARAMETER.keptLines + 4)
  KeptQuads.of(memory, words, [{ storage, byteOffset: 0, ...sizes } as TargetView])!.run()
  const { count, primitives, x, y, slices, written } = shaded
  const numbers = new Int32Array(memory.words.buffer, memory.start + QUAD_MEMORY.shaded.numbers, count)
  const left = Array.from({ length: count }, (_, n) => [
    [primitives[n], x[n], y[n], slices[n], numbers[n]],
    [...written.subarray(n * 4, n * 4 + 4)],
  ])
  const read = [0, 1, 2, 3].map((i) => parameters[PARAMETER.keptLines + i]!).reduce((a, b) => a | b)
  shaded.slices.fill(0)
  releaseQuadMemory(memory)
  return { left, read }
}

const ALL = [-1, -1, -1, -1]
const NONE = [0, 0, 0, 0]

describe('quads of which a pixel is kept', () => {
  it('come one behind the other, with the samples of pixels that are no helpers and kept', () => {
    const quads: Quad[] = [
      { masks: [1, 1, 1, 1], kept: NONE },
      { masks: [1, 0, 5, 15], kept: [-1, -1, 0, -1] },
      // What is kept are helpers alone.
      { masks: [0, 3, 0, 0], kept: [-1, 0, -1, -1] },
      { masks: [0, 0, 0, 8], kept: ALL },
      { masks: [0, 0, 0, 0], kept: ALL },
      { masks: [1, 1, 1, 1], kept: ALL },
    ]
    const { left, read } = leave(quads)
    expect(left).toEqual([
      [
        [101, 2, 4, 1, 1],
        [1, 0, 0, 15],
      ],
      [
        [103, 6, 12, 1, 3],
        [0, 0, 0, 8],
      ],
      [
        [105, 10, 20, 1, 5],
        [1, 1, 1, 1],
      ],
    ])
    // Of quads 1, 3 and 5 both rows.
    expect(read).toBe((3 << 2) | (3 << 6) | (3 << 10))
  })

  it('are all of a batch, or none', () => {
    const of = (kept: readonly number[]): Quad[] => Array.from({ length: 9 }, () => ({ masks: [1, 1, 1, 1], kept }))
    const all = leave(of(ALL))
    expect(all.left.map(([places]) => places![4])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    expect(all.read).toBe(2 ** 18 - 1)
    expect(leave(of(NONE))).toEqual({ left: [], read: 0 })
  })

  it('are read ahead only where quads lie in the target as a whole, and lines are far', () => {
    const quads: Quad[] = [{ masks: [1, 1, 1, 1], kept: ALL }]
    expect(leave(quads, WIDTH - 1).read).toBe(0)
    compileThresholds.farBytes = WIDTH * HEIGHT * WORDS * 4 + 1
    expect(leave(quads).read).toBe(0)
    compileThresholds.farBytes = 1
    expect(leave(quads).read).toBe(3)
  })
})
