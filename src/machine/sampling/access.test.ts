import { describe, expect, test } from 'vitest'
import { floatTexture, srvOf, texture } from '../../../test/support/machine-textures.ts'
import { valueOrThrow } from '../../diagnostic/index.ts'
import { createBuffer } from '../buffer.ts'
import { f32OfBits } from '../format/index.ts'
import { createSrv, createUav } from '../make-view.ts'
import type { TexelView, TextureUav, TypedBufferUav } from '../view.ts'
import { loadElement, loadTexel, storeElement, storeTexel, texelOffset } from './access.ts'
import { bufferInfo, resourceInfo, sampleInfo, samplePosition } from './info.ts'
import { checkAccessMapped, FEEDBACK_FULLY_MAPPED, programmableOffset } from './request.ts'

const load = (view: TexelView, x: number, y = 0, z = 0, mip = 0, sample = 0): number[] | undefined => {
  const out = new Uint32Array(4).fill(7)
  const ok = loadTexel(view, x, y, z, mip, sample, out, 0)
  if (!ok) {
    const hasAlpha = /A\d/.test(view.format.name)
    expect([...out], 'out of bounds: 0, and 1 for a missing A').toEqual([0, 0, 0, hasAlpha ? 0 : 0x3f800000])
    return undefined
  }
  return [...out].map(f32OfBits)
}
const red = (...at: Parameters<typeof load>): number | undefined => load(...at)?.[0]
const HUGE = 0xffffffff

describe('loads of textures', () => {
  test('by dimension, at N-1 and N', () => {
    const count = (n: number): number[] => Array.from({ length: n }, (_, i) => i)
    const t1 = srvOf(floatTexture({ dimension: 'texture1d', width: 3 }, count(3)))
    expect([red(t1, 2, 99, 99), red(t1, 3), red(t1, HUGE)]).toEqual([2, undefined, undefined])
    const a1 = srvOf(floatTexture({ dimension: 'texture1d', width: 3, arraySize: 2 }, count(6)))
    expect([red(a1, 2, 1), red(a1, 0, 2), red(a1, 3, 0)]).toEqual([5, undefined, undefined])
    const t2 = srvOf(floatTexture({ dimension: 'texture2d', width: 3, height: 2 }, count(6)))
    expect([red(t2, 2, 1, 99), red(t2, 2, 2), red(t2, 3, 1)]).toEqual([5, undefined, undefined])
    const a2 = srvOf(floatTexture({ dimension: 'texture2d', width: 2, height: 2, arraySize: 2 }, count(8)))
    expect([red(a2, 1, 1, 1), red(a2, 1, 1, 2)]).toEqual([7, undefined])
    const t3 = srvOf(floatTexture({ dimension: 'texture3d', width: 2, height: 2, depth: 2 }, count(8)))
    expect([red(t3, 1, 1, 1), red(t3, 1, 1, 2), red(t3, 0, 2, 0)]).toEqual([7, undefined, undefined])
  })

  test('mips count in the view and have their own extents', () => {
    const t = floatTexture(
      { dimension: 'texture2d', width: 4, height: 4, mipLevels: 3 },
      Array.from({ length: 21 }, (_, i) => i),
    )
    const all = srvOf(t)
    expect([
      red(all, 1, 1, 0, 1),
      red(all, 2, 0, 0, 1),
      red(all, 0, 0, 0, 2),
      red(all, 0, 0, 0, 3),
      red(all, 0, 0, 0, HUGE),
    ]).toEqual([19, undefined, 20, undefined, undefined])
    const low = srvOf(t, { mostDetailedMip: 1 })
    expect([red(low, 1, 1, 0, 0), red(low, 0, 0, 0, 1), red(low, 0, 0, 0, 2)]).toEqual([19, 20, undefined])
  })

  test('samples lie side by side', () => {
    const t = srvOf(
      floatTexture({ dimension: 'texture2d', width: 2, height: 1, sampleCount: 4 }, [0, 1, 2, 3, 4, 5, 6, 7]),
    )
    expect([red(t, 1, 0, 0, 0, 2), red(t, 1, 0, 0, 0, 4), red(t, 0, 0, 0, 0, HUGE)]).toEqual([6, undefined, undefined])
  })

  test('a block texture below 4x4 shows its virtual size', () => {
    const data = new Uint8Array(32)
    data.set([255, 0], 0)
    data.set([51, 0], 24)
    const t = srvOf(texture({ dimension: 'texture2d', width: 8, height: 4, mipLevels: 0, format: 'BC4_UNORM', data }))
    expect([red(t, 0, 0), red(t, 7, 3)]).toEqual([1, 0])
    expect(t.levels.map((l) => [l.width, l.height, l.byteOffset])).toEqual([
      [8, 4, 0],
      [4, 2, 16],
      [2, 1, 24],
      [1, 1, 32],
    ])
    expect([red(t, 1, 0, 0, 2), red(t, 2, 0, 0, 2), red(t, 0, 1, 0, 2)]).toEqual([
      Math.fround(0.2),
      undefined,
      undefined,
    ])
  })

  test('blocks of a larger texture are found row by row', () => {
    const t = texture({ dimension: 'texture2d', width: 8, height: 8, format: 'BC4_UNORM' })
    // Block (1, 1) is the fourth: both ends 255.
    t.storage.bytes.set([255, 255], 24)
    const v = srvOf(t)
    expect([red(v, 3, 4), red(v, 4, 3), red(v, 4, 4), red(v, 7, 7)]).toEqual([0, 0, 1, 1])
  })
})

describe('typed UAVs', () => {
  test('a texture: converted on the way, nothing written out of bounds', () => {
    const t = texture({ dimension: 'texture2d', width: 2, height: 2, arraySize: 2, format: 'R8G8B8A8_UNORM' })
    const u = valueOrThrow(createUav(t, { firstArraySlice: 1, dimension: 'texture2darray' })) as TextureUav
    const one = Uint32Array.of(0x3f800000, 0, 0x3f000000, 0xbf800000)
    expect(storeTexel(u, 1, 0, 0, one, 0)).toBe(true)
    expect([...t.storage.words]).toEqual([0, 0, 0, 0, 0, 0x008000ff, 0, 0])
    for (const [x, y, z] of [
      [2, 0, 0],
      [0, 2, 0],
      [0, 0, 1],
      [HUGE, HUGE, HUGE],
    ] as const) {
      expect(storeTexel(u, x, y, z, one, 0)).toBe(false)
    }
    expect([...t.storage.words].filter((w) => w !== 0)).toEqual([0x008000ff])
    expect(red(u, 1, 0, 0)).toBe(1)
  })

  test('the depth range of a Texture3D', () => {
    const t = texture({ dimension: 'texture3d', width: 1, height: 1, depth: 4, format: 'R32_UINT' })
    const u = valueOrThrow(createUav(t, { firstArraySlice: 1, arraySize: 2 })) as TextureUav
    const v = Uint32Array.of(5, 0, 0, 0)
    expect([storeTexel(u, 0, 0, 1, v, 0), storeTexel(u, 0, 0, 2, v, 0)]).toEqual([true, false])
    expect([...t.storage.words]).toEqual([0, 0, 5, 0])
    expect(texelOffset(u, 0, 0, 1, 0, 0)).toBe(8)
    const out = new Uint32Array(4)
    resourceInfo(u, 0, out, 0)
    expect([...out]).toEqual([1, 1, 2, 1])
  })

  test('a buffer: elements of the view only', () => {
    const b = valueOrThrow(createBuffer({ byteLength: 8 }))
    const u = valueOrThrow(createUav(b, { format: 'R16_SINT', firstElement: 1, elementCount: 2 })) as TypedBufferUav
    const v = Uint32Array.of(0xffff0000, 0, 0, 0)
    expect([storeElement(u, 1, v, 0), storeElement(u, 2, v, 0), storeElement(u, HUGE, v, 0)]).toEqual([
      true,
      false,
      false,
    ])
    expect([...b.storage.halves].slice(0, 4)).toEqual([0, 0, 0x8000, 0])
    const out = new Uint32Array(4)
    expect(loadElement(u, 1, out, 0)).toBe(true)
    expect([...out]).toEqual([0xffff8000, 0, 0, 1])
    expect(loadElement(u, 2, out, 0)).toBe(false)
    expect([...out]).toEqual([0, 0, 0, 1])
  })
})

describe('questions', () => {
  const info = (view: TexelView, mip: number): number[] => {
    const out = new Uint32Array(4)
    resourceInfo(view, mip, out, 0)
    return [...out]
  }
  test('resinfo by dimension (22.4.14)', () => {
    const format = 'R8_UNORM'
    expect(info(srvOf(texture({ dimension: 'texture1d', width: 8, mipLevels: 0, format })), 1)).toEqual([4, 0, 0, 4])
    expect(info(srvOf(texture({ dimension: 'texture1d', width: 8, arraySize: 3, format })), 0)).toEqual([8, 3, 0, 1])
    expect(info(srvOf(texture({ dimension: 'texture2d', width: 8, height: 2, mipLevels: 0, format })), 2)).toEqual([
      2, 1, 0, 4,
    ])
    expect(info(srvOf(texture({ dimension: 'texture2d', width: 8, height: 2, arraySize: 5, format })), 0)).toEqual([
      8, 2, 5, 1,
    ])
    expect(
      info(srvOf(texture({ dimension: 'texture3d', width: 8, height: 4, depth: 2, mipLevels: 0, format })), 1),
    ).toEqual([4, 2, 1, 4])
    expect(info(srvOf(texture({ dimension: 'texturecube', width: 8, format })), 0)).toEqual([8, 8, 0, 1])
    expect(info(srvOf(texture({ dimension: 'texturecube', width: 8, arraySize: 12, format })), 0)).toEqual([8, 8, 2, 1])
  })
  test('resinfo of a mip out of range keeps the count', () => {
    expect(
      info(srvOf(texture({ dimension: 'texture2d', width: 8, height: 8, mipLevels: 2, format: 'R8_UNORM' })), 2),
    ).toEqual([0, 0, 0, 2])
  })
  test('bufinfo: elements, structures, bytes', () => {
    const b = valueOrThrow(createBuffer({ byteLength: 64, stride: 16 }))
    expect([{ format: 'R16_UINT' }, {}, { raw: true }].map((o) => bufferInfo(valueOrThrow(createSrv(b, o))))).toEqual([
      32, 4, 64,
    ])
  })
  test('sampleinfo and the standard patterns of 19.2.4, in pixels', () => {
    expect(
      sampleInfo(srvOf(texture({ dimension: 'texture2d', width: 2, height: 2, sampleCount: 8, format: 'R8_UNORM' }))),
    ).toBe(8)
    expect(samplePosition(1, 0)).toEqual([0, 0])
    expect([samplePosition(2, 0), samplePosition(2, 1)]).toEqual([
      [0.25, 0.25],
      [-0.25, -0.25],
    ])
    expect(samplePosition(4, 0)).toEqual([-0.125, -0.375])
    expect(samplePosition(8, 7)).toEqual([0.4375, -0.4375])
    expect(samplePosition(16, 15)).toEqual([-0.4375, -0.5])
    expect([samplePosition(4, 4), samplePosition(3, 0), samplePosition(4, HUGE)]).toEqual([
      [0, 0],
      [0, 0],
      [0, 0],
    ])
  })
  test('no two samples of a pattern share a place, and none a row or column up to eight', () => {
    for (const n of [2, 4, 8, 16]) {
      const places = Array.from({ length: n }, (_, i) => samplePosition(n, i))
      expect(new Set(places.map((p) => p.join())).size).toBe(n)
      expect(new Set(places.map((p) => p[0])).size).toBe(n)
      expect(new Set(places.map((p) => p[1])).size).toBe(n)
    }
  })
  test('feedback and programmable offsets', () => {
    expect([checkAccessMapped(FEEDBACK_FULLY_MAPPED), checkAccessMapped(0)]).toEqual([0xffffffff, 0])
    expect([31, 32, 63, 0x40, -1, 0x7fffffff].map(programmableOffset)).toEqual([31, -32, -1, 0, -1, -1])
  })
})
