import { describe, expect, test } from 'vitest'
import { type Outcome, valueOrThrow } from '../diagnostic/index.ts'
import { FORMATS } from '../isa/formats/index.ts'
import {
  createBuffer,
  createTexture,
  dsv,
  loadTexel,
  rtv,
  srv,
  type TargetView,
  type Texture,
  type TextureOptions,
  type TextureSrv,
  targetOffset,
} from './index.ts'

const texture = (o: TextureOptions): Texture => valueOrThrow(createTexture(o))
const codes = (o: Outcome<unknown>): string[] => o.diagnostics.map((d) => d.code)
const square = (format: string, o: Partial<TextureOptions> = {}): Texture =>
  texture({ dimension: 'texture2d', format, width: 8, height: 8, ...o })

describe('render target views', () => {
  test('show one mip and all of its slices when nothing is named', () => {
    const t = square('R8G8B8A8_UNORM', { arraySize: 3, mipLevels: 0 })
    const mips = 4 * (64 + 16 + 4 + 1)
    expect(valueOrThrow(rtv(t, { mipSlice: 1, firstArraySlice: 2 }))).toMatchObject({
      kind: 'rtv',
      dimension: 'texture2darray',
      ...{ byteOffset: 2 * mips + 4 * 64, rowPitch: 16, slicePitch: mips, bytesPerTexel: 4 },
      ...{ mipSlice: 1, firstArraySlice: 2, arraySize: 1, sampleCount: 1, width: 4, height: 4 },
    })
    expect(valueOrThrow(rtv(t)).arraySize).toBe(3)
  })

  test.each<[string, TextureOptions, number]>([
    ['array', { dimension: 'texture2d', format: 'R16_UNORM', width: 5, height: 3, arraySize: 4, mipLevels: 2 }, 1],
    ['cube', { dimension: 'texturecube', format: 'R32G32_FLOAT', width: 4, mipLevels: 3 }, 2],
    ['volume', { dimension: 'texture3d', format: 'R8_UNORM', width: 6, height: 5, depth: 7, mipLevels: 2 }, 1],
    [
      'multisample',
      { dimension: 'texture2d', format: 'R32_UINT', width: 3, height: 2, arraySize: 2, sampleCount: 8 },
      0,
    ],
    ['row', { dimension: 'texture1d', format: 'R8_UINT', width: 9, arraySize: 2 }, 0],
  ])('every sample of a mip of a texture (%s) has an element of its own, in the documented order', (_, o, mipSlice) => {
    const t = texture(o)
    const view = valueOrThrow(rtv(t, { mipSlice }))
    const bytes = view.bytesPerTexel
    const inDepth = o.dimension === 'texture3d'
    const mipStart = t.mips.slice(0, mipSlice).reduce((sum, m) => sum + m.byteLength, 0)
    expect(view.arraySize).toBe(inDepth ? t.mips[mipSlice]!.depth : t.arraySize)
    let inSlice = 0
    for (let y = 0; y < view.height; y++)
      for (let x = 0; x < view.width; x++)
        for (let s = 0; s < view.sampleCount; s++, inSlice += bytes)
          for (let slice = 0; slice < view.arraySize; slice++) {
            const sliceBytes = view.width * view.height * view.sampleCount * bytes
            const start = mipStart + slice * (inDepth ? sliceBytes : t.byteLength / t.arraySize)
            expect(targetOffset(view, x, y, slice, s)).toBe(start + inSlice)
          }
  })

  test('depth slices of a Texture3D count from the first that is named', () => {
    const t = texture({ dimension: 'texture3d', format: 'R8_UNORM', width: 2, height: 2, depth: 4 })
    const view = valueOrThrow(rtv(t, { firstArraySlice: 1, arraySize: 2 }))
    expect([view.arraySize, targetOffset(view, 1, 1, 1, 0)]).toEqual([2, 2 * 4 + 3])
    expect(codes(rtv(t, { firstArraySlice: 3, arraySize: 2 }))).toEqual(['machine-view-range'])
  })

  test('of a buffer are a row of elements', () => {
    const buffer = valueOrThrow(createBuffer({ byteLength: 64 }))
    const view = valueOrThrow(rtv(buffer, { format: 'R16G16_FLOAT', firstElement: 2, elementCount: 5 }))
    expect(view).toMatchObject({ dimension: 'buffer', width: 5, height: 1, byteOffset: 8, arraySize: 1 })
    expect(targetOffset(view, 4, 0, 0, 0)).toBe(24)
    expect(codes(rtv(buffer, { format: 'R16G16_FLOAT', firstElement: 15, elementCount: 2 }))).toEqual([
      'machine-view-range',
    ])
    expect(codes(rtv(buffer, { format: 'R8G8B8A8_UNORM_SRGB' }))).toEqual(['machine-format-support'])
    expect(codes(rtv(buffer, {}))).toEqual(['machine-view-kind'])
  })

  test('exist for the formats that can be drawn to, and for no other', () => {
    for (const f of FORMATS.filter((x) => x.capabilities.resources.texture2d !== 'none')) {
      const made = rtv(square(f.name))
      expect(made.value !== undefined, f.name).toBe(f.capabilities.renderTarget !== 'none')
    }
  })

  test('cast typeless textures, and never depth', () => {
    expect(valueOrThrow(rtv(square('R8G8B8A8_TYPELESS'), { format: 'R8G8B8A8_UNORM_SRGB' })).format.srgb).toBe(true)
    expect(codes(rtv(square('R8G8B8A8_TYPELESS')))).toEqual(['machine-format-support'])
    expect(codes(rtv(square('R8G8B8A8_TYPELESS'), { format: 'R32_UINT' }))).toEqual(['machine-view-format'])
    expect(codes(rtv(square('D32_FLOAT'), { format: 'R32_FLOAT' }))).toEqual(['machine-view-format'])
  })

  test.each<[string, () => Outcome<TargetView>, string]>([
    [
      'a cube view',
      () => rtv(texture({ dimension: 'texturecube', format: 'R8_UNORM', width: 2 }), { dimension: 'texturecube' }),
      'machine-view-kind',
    ],
    ['a mip that is not there', () => rtv(square('R8_UNORM'), { mipSlice: 1 }), 'machine-view-range'],
    [
      'one sample of many',
      () => rtv(square('R8_UNORM', { sampleCount: 4 }), { dimension: 'texture2d' }),
      'machine-view-kind',
    ],
    ['an unknown option', () => rtv(square('R8_UNORM'), { mip: 0 } as object), 'machine-argument'],
    ['no resource', () => rtv(undefined as unknown as Texture), 'machine-view-kind'],
    [
      'depth of a buffer',
      () => dsv(valueOrThrow(createBuffer({ byteLength: 4 })) as unknown as Texture),
      'machine-view-kind',
    ],
    ['depth of a color', () => dsv(square('R32_FLOAT'), { format: 'D32_FLOAT' }), 'machine-view-format'],
    ['depth without a format', () => dsv(square('R24G8_TYPELESS')), 'machine-format-support'],
  ])('are refused: %s', (_, make, code) => {
    expect(codes(make())).toEqual([code])
  })
})

describe('depth-stencil views', () => {
  test('take depth formats, and typeless textures by a depth format', () => {
    for (const [family, format] of [
      ['R32G8X24_TYPELESS', 'D32_FLOAT_S8X24_UINT'],
      ['R32_TYPELESS', 'D32_FLOAT'],
      ['R24G8_TYPELESS', 'D24_UNORM_S8_UINT'],
      ['R16_TYPELESS', 'D16_UNORM'],
    ] as const) {
      expect(valueOrThrow(dsv(square(format, { sampleCount: 4 })))).toMatchObject({ kind: 'dsv', readOnlyDepth: false })
      const view = valueOrThrow(dsv(square(family), { format, readOnlyDepth: true, readOnlyStencil: true }))
      expect(view).toMatchObject({ readOnlyDepth: true, readOnlyStencil: true, format: { name: format } })
      expect(codes(dsv(square(family), { format: 'R8_UINT' }))).toEqual(['machine-view-format'])
    }
  })

  test('and shader resource views show the same bytes, depth and stencil apart', () => {
    const t = square('R24G8_TYPELESS')
    const view = valueOrThrow(dsv(t, { format: 'D24_UNORM_S8_UINT' }))
    t.storage.words[targetOffset(view, 3, 2, 0, 0) / 4] = 0xab800000
    const wide = square('R32G8X24_TYPELESS')
    const wideView = valueOrThrow(dsv(wide, { format: 'D32_FLOAT_S8X24_UINT' }))
    wide.storage.words.set([0x3f000000, 0xffffff07], targetOffset(wideView, 3, 2, 0, 0) / 4)
    const read = (of: Texture, format: string): number[] => {
      const out = new Uint32Array(5)
      loadTexel(valueOrThrow(srv(of, { format })) as TextureSrv, 3, 2, 0, 0, 0, out, 1)
      return [...out.subarray(1)]
    }
    // 0x800000 / (2^24 - 1) is 0.5 + 2^-25 and more, which float32 rounds to 0.50000006.
    const half = new Uint32Array(Float32Array.of(0x800000 / 0xffffff).buffer)[0]
    expect(read(t, 'R24_UNORM_X8_TYPELESS')[0]).toBe(half)
    expect(read(t, 'X24_TYPELESS_G8_UINT')[1]).toBe(0xab)
    expect(read(wide, 'R32_FLOAT_X8X24_TYPELESS')[0]).toBe(0x3f000000)
    expect(read(wide, 'X32_TYPELESS_G8X24_UINT')[1]).toBe(7)
  })
})
