import { describe, expect, test } from 'vitest'
import { hasErrors, type Outcome, valueOrThrow } from '../diagnostic/index.ts'
import {
  type BufferOptions,
  cbv,
  counterValue,
  createBuffer,
  createTexture,
  heapMemory,
  sampler,
  srv,
  storageOver,
  subresource,
  type TextureOptions,
  uav,
  viewStorage,
} from './index.ts'

const buffer = (o: BufferOptions) => valueOrThrow(createBuffer(o))
const texture = (o: TextureOptions) => valueOrThrow(createTexture(o))
const codes = (o: Outcome<unknown>): string[] => o.diagnostics.map((d) => d.code)
const messages = (o: Outcome<unknown>): string => o.diagnostics.map((d) => d.message).join(' ')

describe('buffers', () => {
  test('hold their data, and are read back without a copy', () => {
    const b = buffer({ byteLength: 12, data: Uint32Array.of(1, 2) })
    expect([...viewStorage(b.storage, 'u32')]).toEqual([1, 2, 0])
    viewStorage(b.storage, 'f32')[2] = 1
    expect(viewStorage(b.storage, 'u32')[2]).toBe(0x3f800000)
    expect(viewStorage(b.storage, 'f64')).toHaveLength(1)
    expect(viewStorage(b.storage, 'u8').buffer).toBe(b.storage.buffer)
  })

  test('take their size from their data', () => {
    expect(buffer({ data: new Uint8Array(7) }).byteLength).toBe(7)
    expect(buffer({ data: new Uint8Array(new ArrayBuffer(20), 4, 8) }).byteLength).toBe(8)
  })

  test.each([
    [{}, 'machine-buffer-size', 'neither'],
    [{ byteLength: 0 }, 'machine-buffer-size', '0'],
    [{ byteLength: -4 }, 'machine-buffer-size', '-4'],
    [{ byteLength: 1.5 }, 'machine-buffer-size', '1.5'],
    [{ byteLength: Number.NaN }, 'machine-buffer-size', 'NaN'],
    [{ byteLength: 2 ** 40 }, 'machine-out-of-memory', '1099511627776'],
    [{ byteLength: 16, stride: 6 }, 'machine-buffer-stride', '6'],
    [{ byteLength: 16, stride: 12 }, 'machine-buffer-stride', '12'],
    [{ byteLength: 4096, stride: 4096 }, 'machine-buffer-stride', '2048'],
    [{ byteLength: 4, data: new Uint8Array(5) }, 'machine-data-size', '5 bytes'],
  ] as const)('%j is refused with %s', (options, code, word) => {
    const made = createBuffer(options)
    expect(made.value).toBeUndefined()
    expect(codes(made)).toEqual([code])
    expect(messages(made)).toContain(word)
  })

  test('live where the memory puts them', () => {
    const arena = new SharedArrayBuffer(1024)
    let next = 64
    const memory = {
      shared: true,
      allocate: (byteLength: number) => {
        const byteOffset = next
        next += Math.ceil(byteLength / 16) * 16
        return next <= 1024 ? { buffer: arena, byteOffset } : undefined
      },
    }
    const b = buffer({ byteLength: 20, memory })
    expect([b.storage.buffer, b.storage.byteOffset]).toEqual([arena, 64])
    viewStorage(b.storage, 'u32')[0] = 5
    expect(new Uint32Array(arena)[16]).toBe(5)
    expect(codes(createBuffer({ byteLength: 2000, memory }))).toEqual(['machine-out-of-memory'])
    expect(buffer({ byteLength: 4, memory: heapMemory(true) }).storage.buffer).toBeInstanceOf(SharedArrayBuffer)
  })

  test('can be sent to a worker as they are', () => {
    const b = buffer({ byteLength: 16, stride: 4, memory: heapMemory(true) })
    const view = valueOrThrow(uav(b, { counter: 'append' }))
    expect(() => structuredClone(valueOrThrow(sampler({})))).not.toThrow()
    const functions = JSON.stringify(view, (_, v) => (typeof v === 'function' ? 'FUNCTION' : v))
    expect(functions).not.toContain('FUNCTION')
  })
})

describe('buffer views', () => {
  const b = buffer({ byteLength: 64, stride: 16 })

  test('typed: elements of the format', () => {
    const v = valueOrThrow(srv(b, { format: 'DXGI_FORMAT_R16G16_FLOAT', firstElement: 2, elementCount: 3 }))
    expect(v).toMatchObject({ shape: 'typed', byteOffset: 8, byteLength: 12, elementCount: 3, stride: 4 })
  })
  test('typed: what does not fill an element is out of view', () => {
    expect(valueOrThrow(srv(buffer({ byteLength: 18 }), { format: 'R32G32_UINT' }))).toMatchObject({
      elementCount: 2,
      byteLength: 16,
    })
  })
  test('raw: bufinfo counts bytes; the start is a multiple of 16', () => {
    expect(valueOrThrow(uav(b, { raw: true, firstElement: 4 }))).toMatchObject({
      shape: 'raw',
      byteOffset: 16,
      byteLength: 48,
      elementCount: 48,
    })
    expect(codes(srv(b, { raw: true, firstElement: 1 }))).toEqual(['machine-view-range'])
  })
  test('structured: the stride of the buffer', () => {
    expect(valueOrThrow(srv(b))).toMatchObject({ shape: 'structured', stride: 16, elementCount: 4 })
    expect(valueOrThrow(srv(buffer({ byteLength: 64 }), { stride: 8, firstElement: 1 }))).toMatchObject({
      stride: 8,
      byteOffset: 8,
      elementCount: 7,
    })
    expect(messages(srv(b, { stride: 8 }))).toContain('16')
  })
  test.each([
    [{ format: 'R8_UNORM', raw: true }, 'machine-view-kind'],
    [{ format: 'BC1_UNORM' }, 'machine-format-support'],
    [{ format: 'R32_TYPELESS' }, 'machine-format-support'],
    [{ format: 'R8G8B8A8_UNORM_SRGB' }, 'machine-format-support'],
    [{ format: 'RGBA8' }, 'machine-format-unknown'],
    [{ format: 'R8_UNORM', firstElement: 60, elementCount: 5 }, 'machine-view-range'],
    [{ format: 'R8_UNORM', firstElement: -1 }, 'machine-view-range'],
    [{ format: 'R8_UNORM', elementCount: 0 }, 'machine-view-range'],
    [{ format: 'R8_UNORM', firstElement: 64 }, 'machine-view-range'],
    [{ stride: 0 }, 'machine-view-kind'],
  ] as const)('%j is refused with %s', (options, code) => {
    expect(codes(srv(b, options))).toEqual([code])
  })
  test('a UAV format must be storable', () => {
    expect(codes(uav(b, { format: 'R32G32B32_FLOAT' }))).toEqual(['machine-format-support'])
    expect(uav(b, { format: 'R11G11B10_FLOAT' }).value).toBeDefined()
  })
  test('hidden counters belong to the view', () => {
    const one = valueOrThrow(uav(b, { counter: 'counter', initialCount: 7 }))
    const two = valueOrThrow(uav(b, { counter: 'append', initialCount: -1 }))
    if (one.shape !== 'structured' || two.shape !== 'structured') throw new Error('shape')
    expect([one.counter!.use, one.counter!.initialValue, counterValue(one.counter!)]).toEqual(['counter', 7, 0])
    expect(two.counter!.initialValue).toBeUndefined()
    expect(one.counter!.words).not.toBe(two.counter!.words)
    two.counter!.words[two.counter!.index] = -1
    expect(counterValue(two.counter!)).toBe(0xffffffff)
    expect(codes(uav(b, { raw: true, counter: 'counter' }))).toEqual(['machine-view-kind'])
    expect(codes(uav(b, { counter: 'counter', initialCount: -2 }))).toEqual(['machine-view-kind'])
    const shared = valueOrThrow(
      uav(buffer({ byteLength: 16, stride: 4, memory: heapMemory(true) }), { counter: 'append' }),
    )
    if (shared.shape !== 'structured') throw new Error('shape')
    expect(shared.counter!.words.buffer).toBeInstanceOf(SharedArrayBuffer)
  })
})

describe('constant buffers', () => {
  test('plain data is copied; sizes round up to constants', () => {
    const data = Float32Array.of(1, 2, 3, 4, 5)
    const v = valueOrThrow(cbv(data))
    data[0] = 9
    expect(new Float32Array(v.storage.buffer)[0]).toBe(1)
    expect([v.byteLength, v.constantCount]).toEqual([20, 2])
  })
  test('offsets and sizes; what falls off the buffer reads 0 and is not an error', () => {
    const b = buffer({ byteLength: 96 })
    expect(valueOrThrow(cbv(b, { byteOffset: 32, byteLength: 32 }))).toMatchObject({ byteOffset: 32, constantCount: 2 })
    expect(valueOrThrow(cbv(b, { byteOffset: 80, byteLength: 256 }))).toMatchObject({
      byteLength: 16,
      constantCount: 1,
    })
    expect(valueOrThrow(cbv(b, { byteOffset: 160 }))).toMatchObject({ byteLength: 0, constantCount: 0 })
    expect(codes(cbv(b, { byteOffset: 8 }))).toEqual(['machine-view-range'])
    expect(valueOrThrow(cbv(buffer({ byteLength: 1 << 20 })))).toMatchObject({ constantCount: 4096, byteLength: 65536 })
  })
})

describe('textures', () => {
  test('layout: slices, then mips, then rows, tight', () => {
    const t = texture({ dimension: 'texture2d', format: 'R8_UNORM', width: 5, height: 3, arraySize: 2, mipLevels: 0 })
    expect(t.mips.map((m) => [m.byteOffset, m.width, m.height, m.rowPitch, m.byteLength])).toEqual([
      [0, 5, 3, 5, 15],
      [15, 2, 1, 2, 2],
      [17, 1, 1, 1, 1],
    ])
    expect([t.arrayPitch, t.byteLength]).toEqual([18, 36])
    expect(subresource(t, 1, 1)?.byteOffset).toBe(33)
    expect([subresource(t, 3, 0), subresource(t, 0, 2), subresource(t, 0, -1)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
  test('layout: block formats keep whole blocks below 4x4', () => {
    const t = texture({ dimension: 'texture2d', format: 'BC7_UNORM', width: 20, height: 8, mipLevels: 0 })
    expect(t.mips.map((m) => [m.width, m.height, m.rowPitch, m.byteLength])).toEqual([
      [20, 8, 80, 160],
      [10, 4, 48, 48],
      [5, 2, 32, 32],
      [2, 1, 16, 16],
      [1, 1, 16, 16],
    ])
  })
  test('layout: depth slices and samples', () => {
    const t = texture({ dimension: 'texture3d', format: 'R32_FLOAT', width: 4, height: 2, depth: 3, mipLevels: 2 })
    expect(t.mips.map((m) => [m.slicePitch, m.byteLength])).toEqual([
      [32, 96],
      [8, 8],
    ])
    const ms = texture({ dimension: 'texture2d', format: 'R32_FLOAT', width: 2, height: 2, sampleCount: 4 })
    expect([ms.mips[0]!.rowPitch, ms.byteLength]).toEqual([32, 64])
  })

  test.each([
    [{ dimension: 'texture2d', format: 'R8_UNORM', width: 0, height: 1 }, 'machine-texture-size', 'width of 0'],
    [{ dimension: 'texture2d', format: 'R8_UNORM', width: 16385, height: 1 }, 'machine-texture-size', '16385'],
    [{ dimension: 'texture3d', format: 'R8_UNORM', width: 1, height: 1, depth: 2049 }, 'machine-texture-size', '2049'],
    [{ dimension: 'texture1d', format: 'R8_UNORM', width: 4, height: 2 }, 'machine-texture-size', 'height'],
    [{ dimension: 'texture2d', format: 'R8_UNORM', width: 4, height: 4, mipLevels: 4 }, 'machine-texture-size', 'mip'],
    [{ dimension: 'texturecube', format: 'R8_UNORM', width: 4, height: 2 }, 'machine-texture-size', '4x2'],
    [{ dimension: 'texturecube', format: 'R8_UNORM', width: 4, arraySize: 7 }, 'machine-texture-size', '7'],
    [{ dimension: 'texture2d', format: 'BC1_UNORM', width: 6, height: 4 }, 'machine-texture-size', 'blocks'],
    [{ dimension: 'texture1d', format: 'BC1_UNORM', width: 4 }, 'machine-format-support', 'BC1_UNORM'],
    [{ dimension: 'texture3d', format: 'D32_FLOAT', width: 4, height: 4, depth: 4 }, 'machine-format-support', 'D32'],
    [{ dimension: 'texture2d', format: 'nope', width: 4, height: 4 }, 'machine-format-unknown', 'nope'],
    [
      { dimension: 'texture2d', format: 'R8_UNORM', width: 4, height: 4, sampleCount: 3 },
      'machine-texture-samples',
      '3',
    ],
    [
      { dimension: 'texture2d', format: 'R8_UNORM', width: 4, height: 4, sampleCount: 4, mipLevels: 2 },
      'machine-texture-samples',
      '2 mips',
    ],
    [
      { dimension: 'texture2d', format: 'R8_UNORM', width: 2, height: 2, data: new Uint8Array(5) },
      'machine-data-size',
      '5',
    ],
    [
      { dimension: 'texture2d', format: 'R32G32B32A32_FLOAT', width: 16384, height: 16384 },
      'machine-out-of-memory',
      '',
    ],
    [{ dimension: 'tube' as 'texture2d', format: 'R8_UNORM', width: 2 }, 'machine-texture-size', 'tube'],
  ] as const)('%j is refused with %s', (options, code, word) => {
    const made = createTexture(options)
    expect(made.value).toBeUndefined()
    expect(codes(made)).toContain(code)
    expect(messages(made)).toContain(word)
  })
})

describe('texture views', () => {
  const array = texture({
    dimension: 'texture2d',
    format: 'R8G8B8A8_TYPELESS',
    width: 8,
    height: 8,
    arraySize: 4,
    mipLevels: 3,
  })

  test('a typeless texture needs a typed view', () => {
    const bare = srv(array)
    expect(codes(bare)).toEqual(['machine-format-support'])
    expect(srv(array, { format: 'R8G8B8A8_UNORM_SRGB' }).value).toMatchObject({
      dimension: 'texture2darray',
      arraySize: 4,
    })
    expect(codes(srv(array, { format: 'R16G16_UNORM' }))).toEqual(['machine-view-format'])
    expect(codes(srv(array, { format: 'R32_UINT' }))).toEqual(['machine-view-format'])
    expect(uav(array, { format: 'R32_UINT' }).value).toBeDefined()
    expect(codes(uav(array, { format: 'R8G8B8A8_UNORM_SRGB' }))).toEqual(['machine-format-support'])
  })

  test('mips and slices of a view', () => {
    const v = valueOrThrow(
      srv(array, { format: 'R8G8B8A8_UINT', mostDetailedMip: 1, mipLevels: 2, firstArraySlice: 2, arraySize: 2 }),
    )
    if (v.shape !== 'texture') throw new Error('shape')
    expect(v.levels.map((l) => [l.byteOffset, l.width])).toEqual([
      [2 * 336 + 256, 4],
      [2 * 336 + 320, 2],
    ])
    const u = valueOrThrow(uav(array, { format: 'R8G8B8A8_UINT', mipSlice: 2, firstArraySlice: 3, arraySize: 1 }))
    expect(u).toMatchObject({ dimension: 'texture2darray', arraySize: 1, mipSlice: 2 })
  })

  test.each([
    [{ format: 'R8G8B8A8_UINT', mostDetailedMip: 3 }, 'machine-view-range'],
    [{ format: 'R8G8B8A8_UINT', mipLevels: 4 }, 'machine-view-range'],
    [{ format: 'R8G8B8A8_UINT', firstArraySlice: 4 }, 'machine-view-range'],
    [{ format: 'R8G8B8A8_UINT', dimension: 'texture2d', arraySize: 2 }, 'machine-view-range'],
    [{ format: 'R8G8B8A8_UINT', dimension: 'texture3d' }, 'machine-view-kind'],
    [{ format: 'R8G8B8A8_UINT', dimension: 'texture2dms' }, 'machine-view-kind'],
    [{ format: 'R8G8B8A8_UINT', dimension: 'texturecube' }, 'machine-view-kind'],
  ] as const)('%j is refused with %s', (options, code) => {
    const made = srv(array, options)
    expect(made.value).toBeUndefined()
    expect(codes(made)).toContain(code)
  })

  test('cubes: whole cubes, or faces as an array', () => {
    const cube = texture({ dimension: 'texturecube', format: 'R8_UNORM', width: 4, arraySize: 12 })
    expect(valueOrThrow(srv(cube))).toMatchObject({ dimension: 'texturecubearray', arraySize: 12 })
    expect(valueOrThrow(srv(cube, { dimension: 'texturecube', firstArraySlice: 5 }))).toMatchObject({ arraySize: 6 })
    expect(valueOrThrow(srv(cube, { dimension: 'texture2darray' }))).toMatchObject({ arraySize: 12 })
    expect(codes(srv(cube, { dimension: 'texturecubearray', arraySize: 7 }))).toEqual(['machine-view-range'])
    expect(valueOrThrow(uav(cube))).toMatchObject({ dimension: 'texture2darray', arraySize: 12 })
    expect(codes(uav(cube, { dimension: 'texturecube' }))).toContain('machine-view-kind')
  })

  test('a Texture3D UAV shows a range of depth', () => {
    const t = texture({ dimension: 'texture3d', format: 'R32_UINT', width: 2, height: 2, depth: 8, mipLevels: 2 })
    const u = valueOrThrow(uav(t, { mipSlice: 1, firstArraySlice: 1, arraySize: 2 }))
    if (u.shape !== 'texture') throw new Error('shape')
    expect(u.levels).toHaveLength(1)
    expect(u.levels[0]).toMatchObject({ byteOffset: 8 * 16 + 4, depth: 2, width: 1 })
    expect(codes(uav(t, { mipSlice: 1, firstArraySlice: 3, arraySize: 2 }))).toEqual(['machine-view-range'])
  })

  test('depth and stencil of a depth texture', () => {
    const t = texture({ dimension: 'texture2d', format: 'R24G8_TYPELESS', width: 2, height: 2 })
    expect(srv(t, { format: 'R24_UNORM_X8_TYPELESS' }).value).toBeDefined()
    expect(srv(t, { format: 'X24_TYPELESS_G8_UINT' }).value).toBeDefined()
    expect(hasErrors(srv(t, { format: 'D24_UNORM_S8_UINT' }).diagnostics)).toBe(true)
  })
})

describe('samplers', () => {
  test('names with and without prefix, numbers, defaults', () => {
    const s = valueOrThrow(
      sampler({ filter: 'D3D11_FILTER_COMPARISON_MIN_LINEAR_MAG_POINT_MIP_LINEAR', address: 'wrap' }),
    )
    expect(s).toMatchObject({ min: 'linear', mag: 'point', mip: 'linear', reduction: 'comparison', addressW: 'wrap' })
    expect(valueOrThrow(sampler({ filter: 0x1d5 }))).toMatchObject({ anisotropic: true, reduction: 'maximum' })
    expect(valueOrThrow(sampler({ addressV: 4, comparison: 'D3D11_COMPARISON_LESS_EQUAL' }))).toMatchObject({
      addressU: 'clamp',
      addressV: 'border',
      comparison: 'less_equal',
      min: 'linear',
      mipLodBias: 0,
    })
  })
  test.each([
    [{ filter: 'NEAREST' }, 'NEAREST'],
    [{ filter: 0x02 }, '2'],
    [{ address: 'repeat' }, 'repeat'],
    [{ addressW: 9 }, '9'],
    [{ comparison: 'maybe' }, 'maybe'],
    [{ mipLodBias: 16 }, '16'],
    [{ mipLodBias: Number.NaN }, 'NaN'],
    [{ maxAnisotropy: 17 }, '17'],
    [{ minLod: Number.NaN }, 'minLod'],
  ] as const)('%j is refused', (options, word) => {
    const made = sampler(options)
    expect(made.value).toBeUndefined()
    expect(new Set(codes(made))).toEqual(new Set(['machine-sampler-value']))
    expect(messages(made)).toContain(word)
  })
})

test('callers without types get diagnostics, not exceptions', () => {
  for (const junk of [undefined, null, 5, 'x', {}, new Uint8Array(4)] as never[]) {
    expect(codes(srv(junk))).toEqual(['machine-view-kind'])
    expect(codes(uav(junk))).toEqual(['machine-view-kind'])
  }
  for (const junk of [
    undefined,
    null,
    5,
    'x',
    {},
    texture({ dimension: 'texture1d', format: 2, width: 1 }),
  ] as never[]) {
    expect(codes(cbv(junk))).toEqual(['machine-view-kind'])
  }
  expect(codes(srv(buffer({ byteLength: 4 }), { format: {} as never }))).toEqual(['machine-format-unknown'])
  expect(codes(sampler({ filter: {} as never }))).toEqual(['machine-argument'])
  expect(codes(sampler({ address: null as never, addressV: [] as never }))).toContain('machine-argument')
})

test('storageOver reaches to the padded end and no further', () => {
  const s = storageOver({ buffer: new ArrayBuffer(64), byteOffset: 16 }, 18)
  expect([s.bytes.length, s.halves.length, s.words.length]).toEqual([18, 16, 8])
})
