import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { ColumnCode } from '../../src/pipeline/column-code.ts'
import { compileThresholds } from '../../src/pipeline/index.ts'

const engine = createWasmEngineWith({ threads: 1 })
const kernels = engine.elementKernels!
const before = { ...compileThresholds }
beforeAll(() => {
  compileThresholds.vertices = 1
})
afterAll(() => {
  Object.assign(compileThresholds, before)
  engine.dispose?.()
})

function words(count: number, fill: (i: number) => number): Int32Array {
  const { buffer, byteOffset } = kernels.allocate(count * 4)!
  const made = new Int32Array(buffer, byteOffset, count)
  made.forEach((_, i) => {
    made[i] = fill(i)
  })
  return made
}

const CAPACITY = 16

/** Two registers, the second and the third, in slots 4 and 8. */
const BLOCK = {
  file: 0,
  firstSlot: 4,
  firstRegister: 1,
  registerCount: 2,
  vertexCount: 1,
  byVertex: false,
  masks: [15, 15],
}

describe('copies of vertices by code', () => {
  it('from columns have zeros in registers before the first and leave vertices before them', () => {
    const columns = words(12 * CAPACITY, (i) => i)
    const vertices = words(12 * (2 + 6 + 3), () => -1)
    const code = new ColumnCode(kernels)
    const done = code.writeVertices(
      BLOCK,
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
    const vertices = { words: words(8 * 10, (i) => 1000 + i), registerCount: 2 }
    const columns = words(16 * CAPACITY, () => -1)
    const code = new ColumnCode(kernels)
    const to = { words: columns, capacity: CAPACITY }
    const places = { firstSlot: 8, first: 4, count: 5 }
    expect(code.fillColumns(BLOCK, to, places, vertices, (i) => [9, 0, 3, 3, 7][i]!)).toBe(true)
    const column = (slot: number): number[] => [...columns.subarray(slot * CAPACITY + 4, slot * CAPACITY + 9)]
    for (let w = 0; w < 4; w++) {
      expect(column(8 + w)).toEqual([9, 0, 3, 3, 7].map((n) => 1000 + n * 8 + 4 + w))
      expect(column(12 + w)).toEqual([0, 0, 0, 0, 0])
    }
    expect([...columns.subarray(0, 8 * CAPACITY + 4)]).toEqual(new Array(8 * CAPACITY + 4).fill(-1))
    code.dispose()
  })

  it('from vertex buffers have what elements lack, at any stride', () => {
    const buffer = words(9 * 7, (i) => 500 + i)
    const bytes = new Uint32Array(buffer.buffer, buffer.byteOffset, buffer.length)
    const columns = words(12 * CAPACITY, () => -1)
    const code = new ColumnCode(kernels)
    const fetched = [0, 2, undefined].map((word, n) => ({ bytes: (n + 1) * 2 * CAPACITY * 4, word, missing: 73 }))
    const source = {
      layout: { elements: [] },
      buffers: [{ words: bytes, firstByte: 8, slot: 0, stride: 36 }],
      columns: () => [{ stride: 36, columns: fetched }],
    }
    expect(code.fetch(source, { words: columns, first: 4 }, Uint32Array.of(6, 0, 5, 5, 1), 0, 5)).toBe(true)
    const column = (slot: number): number[] => [...columns.subarray(slot * CAPACITY + 4, slot * CAPACITY + 9)]
    expect(column(2)).toEqual([6, 0, 5, 5, 1].map((n) => 500 + n * 9 + 2))
    expect(column(4)).toEqual([6, 0, 5, 5, 1].map((n) => 500 + n * 9 + 4))
    expect(column(6)).toEqual([73, 73, 73, 73, 73])
    for (const slot of [0, 1, 3, 5, 7]) expect(column(slot)).toEqual([-1, -1, -1, -1, -1])
    code.dispose()
  })

  it('from vertex buffers take vertices that follow one another, of elements that overlap and of several buffers', () => {
    const first = words(40, (i) => 500 + i)
    const second = words(8, (i) => 900 + i)
    const asWords = (w: Int32Array): Uint32Array => new Uint32Array(w.buffer, w.byteOffset, w.length)
    const columns = words(16 * CAPACITY, () => -1)
    const code = new ColumnCode(kernels)
    const column = (n: number, word: number | undefined) => ({ bytes: n * CAPACITY * 4, word, missing: 11 })
    // Words 0 to 4 and 2 again, more than one load; a buffer whose vertices are all the same.
    const ofFirst = [0, 4, 1, 2, 2, 3].map((word, n) => column(n, word))
    const ofSecond = [column(6, 1), column(7, undefined)]
    const source = {
      layout: { elements: [] },
      buffers: [
        { words: asWords(first), firstByte: 4, slot: 3, stride: 20 },
        { words: asWords(second), firstByte: 8, slot: 0, stride: 0 },
      ],
      columns: () => [
        { stride: 20, columns: ofFirst },
        { stride: 0, columns: ofSecond },
      ],
    }
    expect(code.fetch(source, { words: columns, first: 8 }, undefined, 2, 5)).toBe(true)
    const read = (slot: number): number[] => [...columns.subarray(slot * CAPACITY + 8, slot * CAPACITY + 13)]
    ;[0, 4, 1, 2, 2, 3].forEach((word, n) => {
      expect(read(n)).toEqual([2, 3, 4, 5, 6].map((v) => 500 + 1 + v * 5 + word))
    })
    expect(read(6)).toEqual(new Array(5).fill(903))
    expect(read(7)).toEqual(new Array(5).fill(11))
    // Another stride of the same layout is another program.
    const wider = { ...source, buffers: [{ ...source.buffers[0]!, stride: 24 }, source.buffers[1]!] }
    const widerColumns = () => [{ stride: 24, columns: ofFirst }, source.columns()[1]!]
    expect(code.fetch({ ...wider, columns: widerColumns }, { words: columns, first: 8 }, undefined, 0, 4)).toBe(true)
    expect([...columns.subarray(8, 12)]).toEqual([501, 507, 513, 519])
    code.dispose()
  })

  it('to rows copy whole quads and say how many', () => {
    const source = words(40, (i) => 200 + i)
    const target = words(64, () => -1)
    const code = new ColumnCode(kernels)
    const to = { words: new Uint32Array(target.buffer, target.byteOffset, 64), firstByte: 12, stride: 20 }
    const places = Int32Array.of(30, 0, 7, 7, 12, 3)
    const runs = () => [[4, 0, 2] as const, [16, 12, 1] as const]
    expect(code.copyRows({}, runs, { words: source, places }, to, 6)).toBe(4)
    const rows = [30, 0, 7, 7].flatMap((p) => [200 + p + 1, 200 + p + 2, -1, 200 + p + 4, -1])
    expect([...target]).toEqual([-1, -1, -1, ...rows, ...new Array(41).fill(-1)])
    code.dispose()
  })

  it('leave what they are not made for', () => {
    const vertices = { words: words(16, () => 1), registerCount: 2 }
    const to = { words: words(12 * CAPACITY, () => 2), capacity: CAPACITY }
    const code = new ColumnCode(kernels)
    // Whole quads: those of others would be among them.
    expect(code.fillColumns(BLOCK, to, { firstSlot: 0, first: 2, count: 2 }, vertices, () => 0)).toBe(false)
    const elsewhere = { words: new Int32Array(16), registerCount: 2 }
    expect(code.fillColumns(BLOCK, to, { firstSlot: 0, first: 0, count: 2 }, elsewhere, () => 0)).toBe(false)
    expect(code.writeVertices(BLOCK, to, 2, elsewhere, 0)).toBe(false)
    expect([...to.words].every((w) => w === 2)).toBe(true)
  })
})
