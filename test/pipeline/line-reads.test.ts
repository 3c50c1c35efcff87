import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import type { TargetView } from '../../src/machine/index.ts'
import { compileThresholds } from '../../src/pipeline/index.ts'
import { LineReads, RecordReads } from '../../src/pipeline/pixels/line-reads.ts'
import { acquireQuadMemory, PARAMETER, releaseQuadMemory } from '../../src/pipeline/pixels/quads.ts'
import { JOB, JOB_WORDS, RECORD, RECORD_WORDS } from '../../src/pipeline/raster/index.ts'

// Lines of a target that are read before triangles are covered: the first and last pixel of each row of each triangle that is far from
// the one before it, and nothing else.

type Box = readonly [left: number, top: number, right: number, bottom: number]

const [WIDTH, HEIGHT] = [96, 80]
const WORDS = 2
const engine = createWasmEngineWith({ threads: 1 })
const before = { ...compileThresholds }
beforeAll(() => {
  compileThresholds.farBytes = 1
})
afterAll(() => {
  Object.assign(compileThresholds, before)
  engine.dispose?.()
})

/** A target of which pixel n has the bits of what it is given, and what is read of it for triangles with these boxes. */
function read(boxes: readonly Box[], calls: number, bitsOf: (x: number, y: number) => number) {
  const kernels = engine.elementKernels!
  const length = WIDTH * HEIGHT * WORDS * 4
  const { buffer, byteOffset } = kernels.allocate(length + 64)!
  const memory = acquireQuadMemory(kernels)
  // The view begins behind where its storage does.
  const words = new Int32Array(buffer, byteOffset + 64, length / 4).fill(0)
  for (let y = 0; y < HEIGHT; y++) for (let x = 0; x < WIDTH; x++) words[(y * WIDTH + x) * WORDS] = bitsOf(x, y)
  const storage = { buffer, byteOffset }
  const view = { storage, byteOffset: 64, rowPitch: WIDTH * WORDS * 4, bytesPerTexel: WORDS * 4, sampleCount: 1 }
  const reads = new LineReads(memory, { ...view, width: WIDTH, height: HEIGHT } as TargetView)
  boxes.forEach(([left, top, right, bottom], n) => {
    const at = n * JOB_WORDS
    memory.jobs[at + JOB.left] = left
    memory.jobs[at + JOB.top] = top
    memory.jobs[at + JOB.right] = right
    memory.jobs[at + JOB.bottom] = bottom
  })
  const found = Array.from({ length: calls }, () => {
    memory.parameters[PARAMETER.lines + 1] = -1
    reads.run(boxes.length)
    return [memory.parameters[PARAMETER.lines], memory.parameters[PARAMETER.lines + 1]]
  })
  releaseQuadMemory(memory)
  return found
}

describe('lines of a target', () => {
  const far: Box[] = [
    [2, 3, 9, 7],
    [60, 3, 61, 4],
    [60, 40, 70, 41],
    [10, 40, 14, 44],
  ]

  it('are read at both ends of each row of a triangle', () => {
    const ends = far.flatMap(([l, t, r, b]) => {
      const rows = Array.from({ length: b - t }, (_, n) => t + n)
      return rows.flatMap((y) => [`${l} ${y}`, `${r - 1} ${y}`])
    })
    // A bit for each pixel in turn: those that are read are those with a bit in the sum.
    const seen = new Set<string>()
    for (let y = 0; y < 48; y++)
      for (let first = 0; first < WIDTH; first += 32) {
        const bit = (x: number, row: number): number => (row === y && x >> 5 === first >> 5 ? 1 << (x & 31) : 0)
        const [[sum]] = read(far, 1, bit) as [[number]]
        for (let i = 0; i < 32; i++) if (((sum >> i) & 1) !== 0) seen.add(`${first + i} ${y}`)
      }
    expect([...seen].sort()).toEqual([...new Set(ends)].sort())
  })

  it('are not read again for a triangle that begins near the one before it', () => {
    const near = far.flatMap(([l, t, r, b]): Box[] => [
      [l, t, r, b],
      [l + 16, t, r + 16, b],
      [l, t + 16, r, b + 16],
    ])
    expect(read(near, 2, () => 0)).toEqual([
      [0, 4],
      [0, 4],
    ])
    // One pixel farther each is far.
    const farther = near.map(([l, t, r, b], n): Box => (n % 3 === 1 ? [l + 1, t, r + 1, b] : [l, t, r, b]))
    expect(read(farther, 1, () => 0)).toEqual([[0, 12]])
  })

  it('are left out of the next 31 calls where hardly one is far', () => {
    const mesh = Array.from({ length: 20 }, (_, n): Box => [n, 5, n + 3, 8])
    const left = read(mesh, 34, () => 0).map(([, count]) => count! >= 0)
    expect(left.flatMap((isRead, n) => (isRead ? [n] : []))).toEqual([0, 32])
  })

  it('are not read where a cache has the target', () => {
    compileThresholds.farBytes = WIDTH * HEIGHT * WORDS * 4 + 1
    expect(read(far, 1, () => 0)[0]![1]).toBe(-1)
    compileThresholds.farBytes = 1
  })
})

describe('records and vertices', () => {
  const vertexBytes = 32
  const kernels = engine.elementKernels!
  /** Words of the records of four triangles, so many words apart, before their vertices. */
  const [count, vertices] = [4, 512]
  const numberOf = (n: number, i: number): number => (n * 5 + i * 2) << 1

  /** Words that are read of all: in turn each of them alone has a bit that no number of a vertex has. */
  function readWords(stride: number): number[] {
    const memory = acquireQuadMemory(kernels)
    const { buffer, byteOffset } = kernels.allocate(8192)!
    const words = new Int32Array(buffer, byteOffset, 2048)
    const base = byteOffset - memory.start
    const isRead = (marked: number): boolean => {
      words.fill(0)
      for (let n = 0; n < count; n++) {
        memory.jobs[n * JOB_WORDS + JOB.record] = base + n * stride * 4
        memory.jobs[n * JOB_WORDS + JOB.vertices] = base + vertices * 4
        for (let i = 0; i < 3; i++) words[n * stride + RECORD.vertices + i] = numberOf(n, i)
      }
      words[marked]! |= 1
      memory.parameters[PARAMETER.lines] = 0
      new RecordReads(memory, vertexBytes).run(count)
      return (memory.parameters[PARAMETER.lines]! & 1) === 1
    }
    const isNumber = (w: number): boolean => w < vertices && w % stride >= 13 && w % stride <= 15
    const found = Array.from({ length: 1000 }, (_, w) => w).filter((w) => !isNumber(w) && isRead(w))
    releaseQuadMemory(memory)
    return found
  }

  it('are read at both ends', () => {
    const stride = 3 * RECORD_WORDS
    const ends = Array.from({ length: count }, (_, n) => {
      const ofVertices = [0, 1, 2].map((i) => vertices + numberOf(n, i) * 8)
      return [n * stride, n * stride + RECORD_WORDS - 1, ...ofVertices.flatMap((at) => [at, at + 7])]
    }).flat()
    expect(readWords(stride)).toEqual([...new Set(ends)].sort((a, b) => a - b))
  })

  it('are not read where one record follows the other', () => {
    expect(readWords(RECORD_WORDS)).toEqual([])
  })
})
