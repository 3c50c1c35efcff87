import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import {
  createDsv,
  createRtv,
  createTexture,
  subresource,
  type Texture,
  type TextureOptions,
} from '../../src/machine/index.ts'
import { clearDepthStencil, clearRenderTarget, compileThresholds } from '../../src/pipeline/index.ts'
import { Random } from '../support/random/random.ts'

// Large clears are done by code: each element has the bytes of the color or depth, and no other byte changes.

const engine = createWasmEngineWith({ threads: 1 })
const before = { ...compileThresholds }

beforeEach(() => {
  Object.assign(compileThresholds, { filledBytes: 1, filledAtOnce: 1 })
})

afterEach(() => {
  Object.assign(compileThresholds, before)
  vi.restoreAllMocks()
})

function textureOf(o: Partial<TextureOptions>): Texture {
  const t = valueOrThrow(
    createTexture({ dimension: 'texture2d', width: 1, format: 'R32_UINT', memory: engine.memory!, ...o }),
  )
  const random = new Random(t.byteLength)
  for (let n = 0; n < t.byteLength; n++) t.storage.bytes[n] = random.below(256)
  return t
}

/** What is in a texture, with other bytes in the elements of one mip and slice. */
function expected(t: Texture, mip: number, slice: number, byteOf: (old: number, n: number) => number): number[] {
  const bytes = [...t.storage.bytes]
  const { byteOffset, rowPitch, width, height } = subresource(t, mip, slice)!
  const pixelBytes = t.format.blockByteLength * t.sampleCount
  for (let y = 0; y < height; y++) {
    const at = byteOffset + y * rowPitch
    for (let n = 0; n < width * pixelBytes; n++) bytes[at + n] = byteOf(bytes[at + n]!, n)
  }
  return bytes
}

function fillPrograms() {
  const made = vi.spyOn(engine.elementKernels!, 'quadKernelFor')
  return () => made.mock.calls.map(([program]) => program.key).filter((key) => key.startsWith('["fill"'))
}

it.each([
  ['R8_UNORM', [51]],
  ['R16_UINT', [1, 0]],
  ['R8G8B8A8_UNORM', [51, 102, 0, 255]],
  ['R16G16B16A16_UINT', [1, 0, 2, 0, 0, 0, 7, 0]],
  [
    'R32G32B32A32_FLOAT',
    [...[0xcd, 0xcc, 0x4c, 0x3e], ...[0xcd, 0xcc, 0xcc, 0x3e], ...[0, 0, 0, 0], ...[0, 0, 0x80, 0x3f]],
  ],
] as const)('fills targets of %s, whatever the width', (format, pattern) => {
  const programs = fillPrograms()
  const color = format.endsWith('UINT') ? ([1, 2, 0, 7] as const) : ([0.2, 0.4, 0, 1] as const)
  for (const width of [1, 3, 15, 16, 17, 64, 65, 131]) {
    const t = textureOf({ format, width, height: 5 })
    const want = expected(t, 0, 0, (_, n) => pattern[n % pattern.length]!)
    expect(clearRenderTarget(valueOrThrow(createRtv(t)), color, engine)).toEqual([])
    expect([...t.storage.bytes], `${width}`).toEqual(want)
  }
  expect(new Set(programs())).toEqual(new Set(['["fill","whole"]']))
})

it('fills one mip and slice, of several samples all', () => {
  for (const o of [
    { width: 150, height: 20, arraySize: 3, mipLevels: 2 },
    { width: 37, height: 9, arraySize: 3, sampleCount: 4 as const },
  ]) {
    const programs = fillPrograms()
    const t = textureOf({ format: 'R8G8B8A8_UNORM', ...o })
    const mip = t.mips.length - 1
    const view = createRtv(t, { ...(mip > 0 ? { mipSlice: mip } : {}), firstArraySlice: 1, arraySize: 1 })
    const want = expected(t, mip, 1, (_, n) => [255, 0, 51, 102][n % 4]!)
    expect(clearRenderTarget(valueOrThrow(view), [1, 0, 0.2, 0.4], engine)).toEqual([])
    expect([...t.storage.bytes]).toEqual(want)
    expect(programs()).toHaveLength(1)
    vi.restoreAllMocks()
  }
})

it.each([
  ['D24_UNORM_S8_UINT', { depth: 1 }, [0xff, 0xff, 0xff, undefined]],
  ['D24_UNORM_S8_UINT', { stencil: 9 }, [undefined, undefined, undefined, 9]],
  ['D32_FLOAT_S8X24_UINT', { depth: 0.5 }, [0, 0, 0, 0x3f, undefined, undefined, undefined, undefined]],
] as const)('keeps what a clear of %s leaves out: %o', (format, values, pattern) => {
  const programs = fillPrograms()
  for (const width of [5, 16, 40, 67]) {
    const t = textureOf({ format, width, height: 3 })
    const want = expected(t, 0, 0, (old, n) => pattern[n % pattern.length] ?? old)
    expect(clearDepthStencil(valueOrThrow(createDsv(t)), values, engine)).toEqual([])
    expect([...t.storage.bytes], `${width}`).toEqual(want)
  }
  expect(new Set(programs())).toEqual(new Set(['["fill","masked"]']))
})

it('is left to arrays where little is filled at once or was filled before, or storages are not the engine’s', () => {
  const programs = fillPrograms()
  for (const [sizes, o] of [
    [{ filledAtOnce: 10_000 }, {}],
    [{ filledBytes: 1e12 }, {}],
    [{}, { memory: undefined }],
  ] as const) {
    Object.assign(compileThresholds, { filledBytes: 1, filledAtOnce: 1, ...sizes })
    const t = textureOf({ format: 'R8G8B8A8_UNORM', width: 33, height: 7, ...o })
    const want = expected(t, 0, 0, () => 255)
    expect(clearRenderTarget(valueOrThrow(createRtv(t)), [1, 1, 1, 1], engine)).toEqual([])
    expect([...t.storage.bytes]).toEqual(want)
  }
  expect(programs()).toEqual([])
})
