import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { ColumnCode } from '../../src/pipeline/column-code.ts'
import { worthCompiling } from '../../src/pipeline/index.ts'

const engine = createWasmEngineWith({ threads: 1 })
const kernels = engine.elementKernels!
const before = { ...worthCompiling }
beforeAll(() => {
  worthCompiling.vertices = 1
})
afterAll(() => {
  Object.assign(worthCompiling, before)
  engine.dispose?.()
})

function words(count: number, fill: (i: number) => number): Int32Array {
  const { buffer, byteOffset } = kernels.take(count * 4)!
  const made = new Int32Array(buffer, byteOffset, count)
  made.forEach((_, i) => {
    made[i] = fill(i)
  })
  return made
}

const CAPACITY = 16

describe('copies of vertices by code', () => {
  it('from columns have zeros in registers before the first and leave vertices before them', () => {
    const block = {
      file: 0,
      firstSlot: 4,
      firstRegister: 1,
      registerCount: 2,
      vertexCount: 1,
      byVertex: false,
      masks: [15, 15],
    }
    const columns = words(12 * CAPACITY, (i) => i)
    const vertices = words(12 * (2 + 6 + 3), () => -1)
    const code = new ColumnCode(kernels)
    const done = code.writeVertices(
      block,
      { words: columns, capacity: CAPACITY },
      6,
      { words: vertices, registerCount: 3 },
      24,
    )
    expect(done).toBe(true)
    expect([...vertices.subarray(0, 24)]).toEqual(new Array(24).fill(-1))
    for (let v = 0; v < 6; v++) {
      const registers = Array.from({ length: 8 }, (_, w) => (4 + w) * CAPACITY + v)
      expect([...vertices.subarray(24 + v * 12, 36 + v * 12)]).toEqual([0, 0, 0, 0, ...registers])
    }
    code.dispose()
  })

  it('to columns take the vertices that are named, with zeros for registers that they do not have', () => {
    const block = {
      file: 0,
      firstSlot: 4,
      firstRegister: 1,
      registerCount: 2,
      vertexCount: 1,
      byVertex: false,
      masks: [15, 15],
    }
    const vertices = { words: words(8 * 10, (i) => 1000 + i), registerCount: 2 }
    const columns = words(16 * CAPACITY, () => -1)
    const code = new ColumnCode(kernels)
    const to = { words: columns, capacity: CAPACITY }
    const places = { firstSlot: 8, first: 4, count: 5 }
    expect(code.fillColumns(block, to, places, vertices, (i) => [9, 0, 3, 3, 7][i]!)).toBe(true)
    const column = (slot: number): number[] => [...columns.subarray(slot * CAPACITY + 4, slot * CAPACITY + 9)]
    for (let w = 0; w < 4; w++) {
      expect(column(8 + w)).toEqual([9, 0, 3, 3, 7].map((n) => 1000 + n * 8 + 4 + w))
      expect(column(12 + w)).toEqual([0, 0, 0, 0, 0])
    }
    expect([...columns.subarray(0, 8 * CAPACITY + 4)]).toEqual(new Array(8 * CAPACITY + 4).fill(-1))
    code.dispose()
  })

  it('leave what they are not made for', () => {
    const block = {
      file: 0,
      firstSlot: 0,
      firstRegister: 0,
      registerCount: 1,
      vertexCount: 1,
      byVertex: false,
      masks: [15],
    }
    const vertices = { words: words(16, () => 1), registerCount: 1 }
    const to = { words: words(4 * CAPACITY, () => 2), capacity: CAPACITY }
    const code = new ColumnCode(kernels)
    // Whole quads: those of others would be among them.
    expect(code.fillColumns(block, to, { firstSlot: 0, first: 2, count: 2 }, vertices, () => 0)).toBe(false)
    const elsewhere = { words: new Int32Array(16), registerCount: 1 }
    expect(code.fillColumns(block, to, { firstSlot: 0, first: 0, count: 2 }, elsewhere, () => 0)).toBe(false)
    expect(code.writeVertices(block, to, 2, elsewhere, 0)).toBe(false)
    expect([...to.words].every((w) => w === 2)).toBe(true)
  })
})
