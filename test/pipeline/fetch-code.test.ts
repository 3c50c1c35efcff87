import { afterAll, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { ColumnCode } from '../../src/pipeline/column-code.ts'
import {
  type BoundVertexBuffer,
  createInputLayout,
  FetchCode,
  fetchVertices,
  type InputLayout,
} from '../../src/pipeline/input/index.ts'
import type { SignatureRegister } from '../../src/pipeline/shader.ts'
import type { InputElement } from '../../src/pipeline/state.ts'
import { amount } from '../support/amount.ts'
import { wordsBuffer } from '../support/draw-text.ts'
import { Random } from '../support/random/random.ts'

// Elements that code fetches are those that are fetched one by one.

const engine = createWasmEngineWith({ threads: 1 })
const kernels = engine.elementKernels!
afterAll(() => engine.dispose?.())

const CAPACITY = 16
const REGISTERS = 6
const FORMATS = ['R32G32B32A32_FLOAT', 'R32G32B32_FLOAT', 'R32G32_UINT', 'R32_SINT', 'R8G8B8A8_UNORM', 'R16G16_FLOAT']

function randomLayout(r: Random): InputLayout {
  const inputs: SignatureRegister[] = Array.from({ length: REGISTERS }, (_, register) => ({
    ...{ semanticName: 'R', semanticIndex: register, register, stream: 0, systemValue: 0 },
    mask: r.pick([15, 15, 7, 3, 8, 5]),
  }))
  const ofInstances = r.chance(0.3) ? 2 : -1
  const elements: InputElement[] = inputs.map(({ semanticIndex }) => {
    const inputSlot = r.below(3)
    const place = {
      semanticName: 'R',
      semanticIndex,
      format: r.pick(FORMATS),
      inputSlot,
      alignedByteOffset: r.below(6) * 4,
    }
    if (inputSlot !== ofInstances) return place
    return { ...place, inputSlotClass: 'PER_INSTANCE_DATA' as const, instanceDataStepRate: 1 }
  })
  return valueOrThrow(createInputLayout(elements, inputs))
}

function randomBuffer(r: Random): BoundVertexBuffer | undefined {
  if (r.chance(0.1)) return undefined
  const words = Uint32Array.from({ length: 40 + r.below(160) }, () => r.next())
  const { storage } = wordsBuffer(0, words, engine.memory)
  const byteLength = words.length * 4 - r.below(12)
  return { storage, byteLength, stride: r.pick([0, 4, 16, 20, 28, 30]), offset: r.pick([0, 4, 8, 6, 24]) }
}

/** Columns of all registers, before which nothing is written. */
const places = (r: Random): Int32Array =>
  Int32Array.from({ length: REGISTERS * 4 }, (_, n) => (r.chance(0.05) ? -1 : n * CAPACITY))

it('is what elements are fetched as one by one', () => {
  let byCode = 0
  for (let seed = 0; seed < amount(150, 1500); seed++) {
    const r = new Random(seed)
    const layout = randomLayout(r)
    const buffers = [randomBuffer(r), randomBuffer(r), randomBuffer(r)]
    const first = places(r)
    const count = 1 + r.below(8)
    const lane = r.pick([0, 4, 8])
    const start = r.below(12)
    const isCounted = r.chance(0.5)
    const vertices = Uint32Array.from({ length: count }, (_, i) => (isCounted ? start + i : r.below(14)))
    const at = { vertices, count, instance: 1, startInstance: 2, firstInvocation: lane }
    const columns = (): Int32Array => {
      const { buffer, byteOffset } = kernels.allocate(REGISTERS * 4 * CAPACITY * 4)!
      return new Int32Array(buffer, byteOffset, REGISTERS * 4 * CAPACITY).fill(-1)
    }
    const [want, got] = [columns(), columns()]
    fetchVertices(layout, buffers, at, { words: want, first })
    const code = new ColumnCode(kernels)
    const fetch = FetchCode.create(layout, buffers, first, code)
    // The base is one of those that stand for negative numbers, too.
    const base = r.pick([0, 3, -5])
    const ids = vertices.map((v) => v - base)
    const [least, largest] = [Math.min(...ids), Math.max(...ids)]
    const to = { words: got, lane, count }
    const done = fetch?.fetch({ ids, isCounted, least, largest }, base >>> 0, 0, to) ?? 0
    if (done > 0) {
      byCode++
      expect(fetch!.rest.elements.length).toBeLessThan(layout.elements.length)
      fetchVertices(fetch!.rest, buffers, { ...at, count: done }, { words: got, first })
    }
    const others = { vertices: vertices.subarray(done), count: count - done, firstInvocation: lane + done }
    fetchVertices(layout, buffers, { ...at, ...others }, { words: got, first })
    // Whole quads are written: invocations behind the last have any words.
    const kept = (words: Int32Array): number[] => [...words].filter((_, n) => n % CAPACITY < lane + count)
    expect(kept(got), `seed ${seed}`).toEqual(kept(want))
    code.dispose()
  }
  expect(byCode).toBeGreaterThan(amount(150, 1500) / 8)
})

it('reads no vertex behind the last one of a buffer at the end of memory', () => {
  const own = createWasmEngineWith({ threads: 1 })
  const kernels = own.elementKernels!
  const [stride, count] = [2048, 5]
  const inputs = [{ semanticName: 'R', semanticIndex: 0, register: 0, stream: 0, systemValue: 0, mask: 15 }]
  const element = {
    semanticName: 'R',
    semanticIndex: 0,
    format: 'R32G32B32A32_FLOAT',
    inputSlot: 0,
    alignedByteOffset: 0,
  }
  const layout = valueOrThrow(createInputLayout([element], inputs))
  const first = Int32Array.from([0, 1, 2, 3], (c) => c * CAPACITY)
  const { buffer, byteOffset } = kernels.allocate(4 * CAPACITY * 4)!
  const words = new Int32Array(buffer, byteOffset, 4 * CAPACITY)
  const code = new ColumnCode(kernels)
  const data = Uint32Array.from({ length: (count * stride) / 4 }, (_, n) => n)
  const fetchFrom = ({ storage }: ReturnType<typeof wordsBuffer>, length: number): number => {
    const bound = { storage, byteLength: count * stride, stride, offset: 0 }
    const ids = Uint32Array.from({ length }, (_, n) => n)
    const vertices = { ids, isCounted: true, least: 0, largest: length - 1 }
    return FetchCode.create(layout, [bound], first, code)!.fetch(vertices, 0, 0, { words, lane: 0, count: length })
  }
  // The code takes its own memory before the rest of the last page is filled.
  expect(fetchFrom(wordsBuffer(0, data, own.memory), 4)).toBe(4)
  const [page, slack, least] = [65536, 64, 64]
  const end = kernels.allocate(least)!.byteOffset + least
  kernels.allocate(page - ((end + data.byteLength + slack) % page))
  const last = wordsBuffer(0, data, own.memory)
  const behind = last.storage.words.byteOffset + data.byteLength
  expect(last.storage.words.buffer.byteLength - behind).toBe(slack)
  expect(fetchFrom(last, count)).toBe(4)
  const column = (c: number): number[] => [...words.subarray(c * CAPACITY, c * CAPACITY + 4)]
  expect(column(1)).toEqual([1, 513, 1025, 1537])
  code.dispose()
  own.dispose?.()
})
