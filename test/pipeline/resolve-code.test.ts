import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { createTexture, type Texture, type TextureOptions } from '../../src/machine/index.ts'
import { compileThresholds, resolveTexture } from '../../src/pipeline/index.ts'
import { Random } from '../support/random/random.ts'

// Four samples of four bytes are resolved by code where there are many pixels: each byte is the mean of four, halves upwards.

const engine = createWasmEngineWith({ threads: 1 })
const { resolved } = compileThresholds

beforeEach(() => {
  compileThresholds.resolved = 1
})

afterEach(() => {
  compileThresholds.resolved = resolved
})

const texture = (o: Partial<TextureOptions>): Texture =>
  valueOrThrow(
    createTexture({ dimension: 'texture2d', format: 'R8G8B8A8_UNORM', width: 1, memory: engine.memory!, ...o }),
  )

/** Pixels whose samples are alike, differ in one of them, or have bytes of all values. */
function fill({ storage, byteLength }: Texture, random: Random): void {
  const { words } = storage
  for (let pixel = 0; pixel < byteLength / 16; pixel++) {
    const kind = random.below(3)
    const word = (): number => random.below(2 ** 32)
    const same = word()
    for (let s = 0; s < 4; s++) words[pixel * 4 + s] = kind === 2 || (kind === 1 && s === pixel % 4) ? word() : same
  }
}

const meanOf = (bytes: readonly number[]): number => Math.floor((bytes[0]! + bytes[1]! + bytes[2]! + bytes[3]! + 2) / 4)

function expectMeans(from: Texture, to: Texture, mip: number, slice: number): void {
  const [a, b] = [from.mips[0]!, to.mips[mip]!]
  const [source, target] = [slice * a.slicePitch + a.byteOffset, slice * b.slicePitch + b.byteOffset]
  for (let y = 0; y < b.height; y++) {
    for (let i = 0; i < b.width * 4; i++) {
      const first = source + y * a.rowPitch + (i >> 2) * 16 + (i & 3)
      const bytes = [0, 4, 8, 12].map((s) => from.storage.bytes[first + s]!)
      expect(to.storage.bytes[target + y * b.rowPitch + i], `${b.width} ${y} ${i}`).toBe(meanOf(bytes))
    }
  }
}

it.each(['R8G8B8A8_UNORM', 'B8G8R8A8_UNORM'])('leaves means of %s, whatever the width', (format) => {
  const made = vi.spyOn(engine.elementKernels!, 'quadKernelFor')
  const random = new Random(7)
  for (const width of [1, 3, 4, 5, 8, 11, 64, 67]) {
    const size = { width, height: 1 + random.below(6), format }
    const [from, to] = [texture({ ...size, sampleCount: 4 }), texture(size)]
    fill(from, random)
    to.storage.bytes.fill(0xa5)
    expect(resolveTexture(to, {}, from, {}, undefined, engine)).toEqual([])
    expectMeans(from, to, 0, 0)
  }
  expect(made.mock.calls.filter(([program]) => program.key.startsWith('["resolve"')).length).toBe(6)
  made.mockRestore()
})

it('writes nothing beside the mip and slice', () => {
  const random = new Random(8)
  const from = texture({ width: 13, height: 5, sampleCount: 4, arraySize: 1 })
  const to = texture({ width: 26, height: 10, arraySize: 3, mipLevels: 2 })
  fill(from, random)
  to.storage.bytes.fill(0xa5)
  const before = Uint8Array.from(to.storage.bytes)
  expect(resolveTexture(to, { mip: 1, arraySlice: 0 }, from, {}, undefined, engine)).toEqual([])
  expectMeans(from, to, 1, 0)
  const { byteOffset, rowPitch, height, width } = to.mips[1]!
  for (let y = 0; y < height; y++) {
    const at = byteOffset + y * rowPitch
    before.set(to.storage.bytes.subarray(at, at + width * 4), at)
  }
  expect(to.storage.bytes.findIndex((b, n) => b !== before[n])).toBe(-1)
})

it('is left to numbers where few pixels are resolved, or storages are not the engine’s', () => {
  const made = vi.spyOn(engine.elementKernels!, 'quadKernelFor')
  const random = new Random(9)
  const size = { width: 9, height: 4 }
  const heap = { memory: undefined }
  for (const [least, o] of [
    [1000, {}],
    [1, heap],
  ] as const) {
    compileThresholds.resolved = least
    const [from, to] = [texture({ ...size, sampleCount: 4, ...o }), texture({ ...size, ...o })]
    fill(from, random)
    expect(resolveTexture(to, {}, from, {}, undefined, engine)).toEqual([])
    expectMeans(from, to, 0, 0)
  }
  expect(made.mock.calls.length).toBe(0)
  made.mockRestore()
})
