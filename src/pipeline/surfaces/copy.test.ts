import { describe, expect, test } from 'vitest'
import { type Diagnostic, valueOrThrow } from '../../diagnostic/index.ts'
import { FORMATS, formatNamed } from '../../isa/formats/index.ts'
import {
  type Buffer,
  type BufferOptions,
  createBuffer,
  createTexture,
  subresource,
  type Texture,
  type TextureOptions,
} from '../../machine/index.ts'
import { type CopyBox, canCopy, copyRegion, copyResource } from './index.ts'

const texture = (o: Partial<TextureOptions> & { format: string }): Texture =>
  valueOrThrow(createTexture({ dimension: 'texture2d', width: 8, height: 8, ...o }))
const buffer = (o: BufferOptions): Buffer => valueOrThrow(createBuffer(o))
const codes = (found: readonly Diagnostic[]): string[] => found.map((d) => d.code)

/** Bytes 1, 2, 3 ... so that every place differs. */
function number<T extends Buffer | Texture>(resource: T, from = 1): T {
  for (let i = 0; i < resource.byteLength; i++) resource.storage.bytes[i] = from + i
  return resource
}

/** What a texture should hold after a copy, texel by texel and byte by byte. */
function expected(
  to: Texture,
  at: readonly number[],
  from: Texture,
  box: Required<CopyBox>,
  mips: [number, number],
): Uint8Array {
  const bytes = to.storage.bytes.slice()
  const [target, source] = [subresource(to, mips[0])!, subresource(from, mips[1])!]
  const size = to.format.blockByteLength
  for (let z = box.front; z < box.back; z++)
    for (let y = box.top; y < box.bottom; y++)
      for (let x = box.left; x < box.right; x++)
        for (let b = 0; b < size; b++) {
          const place = (s: typeof source, u: number, v: number, w: number): number =>
            s.byteOffset + ((w * s.height + v) * s.width + u) * size + b
          const [u, v, w] = [at[0]! + x - box.left, at[1]! + y - box.top, at[2]! + z - box.front]
          bytes[place(target, u, v, w)] = from.storage.bytes[place(source, x, y, z)]!
        }
  return bytes
}

describe('copies of regions', () => {
  test('move boxes of texels between subresources of different sizes', () => {
    const from = number(texture({ format: 'R16_UNORM', width: 7, height: 6, mipLevels: 2 }))
    const to = texture({ format: 'R16_UINT', width: 9, height: 5 })
    const box = { left: 2, top: 1, front: 0, right: 6, bottom: 4, back: 1 }
    const wanted = expected(to, [4, 2, 0], from, box, [0, 0])
    expect(copyRegion(to, { x: 4, y: 2 }, from, { box })).toEqual([])
    expect(to.storage.bytes).toEqual(wanted)
    const small = { left: 0, top: 0, front: 0, right: 3, bottom: 3, back: 1 }
    const again = expected(to, [0, 0, 0], from, small, [0, 1])
    expect(copyRegion(to, {}, from, { mip: 1 })).toEqual([])
    expect(to.storage.bytes).toEqual(again)
  })

  test('move boxes of a volume', () => {
    const from = number(texture({ dimension: 'texture3d', format: 'R8_UNORM', width: 4, height: 3, depth: 5 }))
    const to = texture({ dimension: 'texture3d', format: 'R8_UNORM', width: 5, height: 4, depth: 4 })
    const box = { left: 1, top: 1, front: 2, right: 4, bottom: 3, back: 5 }
    const wanted = expected(to, [2, 0, 1], from, box, [0, 0])
    expect(copyRegion(to, { x: 2, z: 1 }, from, { box })).toEqual([])
    expect(to.storage.bytes).toEqual(wanted)
  })

  test.each([1, -1])('inside one subresource may overlap (%i)', (step) => {
    const t = number(texture({ format: 'R8_UNORM' }))
    const box = { left: 1, top: 1, front: 0, right: 7, bottom: 7, back: 1 }
    const copy = number(texture({ format: 'R8_UNORM' }))
    const wanted = expected(copy, [1 + step, 1 + step, 0], copy, box, [0, 0])
    expect(copyRegion(t, { x: 1 + step, y: 1 + step }, t, { box })).toEqual([])
    expect(t.storage.bytes).toEqual(wanted)
  })

  test('of blocks go to blocks, or to integers of their size one block a texel', () => {
    const from = number(texture({ format: 'BC1_UNORM', width: 12, height: 8, mipLevels: 0 }))
    const blocks = texture({ format: 'BC1_UNORM_SRGB' })
    const box = { left: 4, top: 4, right: 12, bottom: 8 }
    expect(copyRegion(blocks, { y: 4 }, from, { box })).toEqual([])
    expect([...blocks.storage.bytes.slice(16)]).toEqual([...from.storage.bytes.slice(4 * 8, 6 * 8)])
    const integers = texture({ format: 'R32G32_UINT', width: 3, height: 2 })
    expect(copyRegion(integers, {}, from)).toEqual([])
    expect(integers.storage.bytes).toEqual(from.storage.bytes.slice(0, 48))
    expect(copyRegion(from, { x: 8, y: 4 }, integers, { box: { left: 0, right: 1, bottom: 1 } })).toEqual([])
    expect([...from.storage.bytes.slice(40, 48)]).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    // The mip of 3x2 texels is one block.
    expect(copyRegion(blocks, {}, from, { mip: 2 })).toEqual([])
    expect(blocks.storage.bytes[0]).toBe(from.storage.bytes[8 * (6 + 2)])
  })

  test('of buffers count bytes, and may overlap', () => {
    const b = number(buffer({ byteLength: 16 }))
    expect(copyRegion(b, { x: 5 }, b, { box: { left: 3, right: 10 } })).toEqual([])
    expect([...b.storage.bytes]).toEqual([1, 2, 3, 4, 5, 4, 5, 6, 7, 8, 9, 10, 13, 14, 15, 16])
  })

  test('of whole multisample and depth subresources are bytes', () => {
    for (const o of [{ format: 'R8_UNORM', sampleCount: 4 }, { format: 'D24_UNORM_S8_UINT' }]) {
      const [to, from] = [texture(o), number(texture(o))]
      expect(copyRegion(to, {}, from, { box: { left: 0, right: 8 } })).toEqual([])
      expect(to.storage.bytes).toEqual(from.storage.bytes)
      expect(codes(copyRegion(to, {}, from, { box: { left: 0, right: 4 } }))).toEqual(['pipeline-copy'])
    }
  })

  test('that are empty copy nothing', () => {
    const t = texture({ format: 'R8_UNORM' })
    expect(copyRegion(t, {}, number(texture({ format: 'R8_UNORM' })), { box: { left: 4, right: 4 } })).toEqual([])
    expect(new Set(t.storage.bytes)).toEqual(new Set([0]))
  })

  const plain = texture({ format: 'R8_UNORM' })
  const blocks = texture({ format: 'BC1_UNORM' })
  const structures = buffer({ byteLength: 32, stride: 8 })
  const bytes = buffer({ byteLength: 32 })
  test.each<[string, () => Diagnostic[]]>([
    ['a box outside', () => copyRegion(plain, {}, plain, { box: { left: 0, right: 9 } })],
    ['a negative corner', () => copyRegion(plain, {}, plain, { box: { left: -1, right: 3 } })],
    ['half a texel', () => copyRegion(plain, {}, plain, { box: { left: 0, right: 1.5 } })],
    ['no number', () => copyRegion(plain, { x: NaN }, plain)],
    ['a place that is too small', () => copyRegion(plain, { x: 1 }, plain)],
    ['half a block', () => copyRegion(blocks, {}, blocks, { box: { left: 2, right: 4 } })],
    ['a place inside a block', () => copyRegion(blocks, { x: 2 }, blocks, { box: { left: 0, right: 4 } })],
    ['a mip that is not there', () => copyRegion(plain, { mip: 1 }, plain)],
    ['a slice that is not there', () => copyRegion(plain, {}, plain, { arraySlice: 1 })],
    ['another family', () => copyRegion(plain, {}, texture({ format: 'R8G8_UNORM' }))],
    ['other samples', () => copyRegion(plain, {}, texture({ format: 'R8_UNORM', sampleCount: 2 }))],
    ['a buffer and a texture', () => copyRegion(plain, {}, bytes)],
    ['bytes outside', () => copyRegion(bytes, { x: 1 }, bytes)],
    ['half structures', () => copyRegion(structures, {}, bytes, { box: { left: 0, right: 12 } })],
    ['structures of another size', () => copyRegion(structures, {}, buffer({ byteLength: 32, stride: 16 }))],
  ])('are refused: %s', (_, copy) => {
    expect(codes(copy())).toEqual(['pipeline-copy'])
  })
})

describe('copies of resources', () => {
  test('move every subresource', () => {
    const o: TextureOptions = { dimension: 'texturecube', format: 'R8G8B8A8_TYPELESS', width: 4, mipLevels: 0 }
    const from = number(valueOrThrow(createTexture(o)))
    const to = valueOrThrow(
      createTexture({ ...o, dimension: 'texture2d', height: 4, arraySize: 6, format: 'R8G8B8A8_UNORM' }),
    )
    expect(copyResource(to, from)).toEqual([])
    expect(to.storage.bytes).toEqual(from.storage.bytes)
    const [a, b] = [number(buffer({ byteLength: 24, stride: 8 })), buffer({ byteLength: 24 })]
    expect(copyResource(b, a)).toEqual([])
    expect(b.storage.bytes).toEqual(a.storage.bytes)
  })

  test.each<[string, () => Diagnostic[]]>([
    [
      'itself',
      () => {
        const b = buffer({ byteLength: 8 })
        return copyResource(b, b)
      },
    ],
    ['another size', () => copyResource(buffer({ byteLength: 8 }), buffer({ byteLength: 12 }))],
    [
      'another shape',
      () => copyResource(texture({ format: 'R8_UNORM' }), texture({ format: 'R8_UNORM', width: 4, height: 16 })),
    ],
    ['another kind', () => copyResource(texture({ format: 'R8_UNORM' }), buffer({ byteLength: 64 }))],
    [
      'another family',
      () => copyResource(texture({ format: 'R8G8_UNORM', width: 4 }), texture({ format: 'R16_UNORM', width: 4 })),
    ],
    [
      'other samples',
      () => copyResource(texture({ format: 'R8_UNORM', width: 16 }), texture({ format: 'R8_UNORM', sampleCount: 2 })),
    ],
  ])('are refused to %s', (_, copy) => {
    expect(codes(copy())).toEqual(['pipeline-copy'])
  })
})

test('formats copy inside their family, and packed ones to integers of the same size', () => {
  for (const f of FORMATS) expect(canCopy(f, formatNamed(f.family as 'R8_UNORM'))).toBe(true)
  const pairs: [Parameters<typeof formatNamed>[0], Parameters<typeof formatNamed>[0], boolean][] = [
    ['BC1_UNORM', 'R32G32_SINT', true],
    ['BC4_SNORM', 'R16G16B16A16_UINT', true],
    ['BC7_UNORM', 'R32G32B32A32_UINT', true],
    ['R9G9B9E5_SHAREDEXP', 'R32_UINT', true],
    ['BC1_UNORM', 'R32G32B32A32_UINT', false],
    ['BC1_UNORM', 'R32G32_FLOAT', false],
    ['BC1_UNORM', 'BC4_UNORM', false],
    ['R32_UINT', 'R8G8B8A8_UINT', false],
  ]
  for (const [a, b, can] of pairs) {
    expect([canCopy(formatNamed(a), formatNamed(b)), canCopy(formatNamed(b), formatNamed(a))]).toEqual([can, can])
  }
})
