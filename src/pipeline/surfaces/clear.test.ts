import { describe, expect, test } from 'vitest'
import { differences } from '../../../test/support/differences.ts'
import { acceptedCodes, bitsOfElement, componentOf, isNaNCode, wordOf } from '../../../test/support/exact-formats.ts'
import { type Diagnostic, valueOrThrow } from '../../diagnostic/index.ts'
import { FORMATS, type FormatComponent } from '../../isa/formats/index.ts'
import {
  createBuffer,
  createTexture,
  dsv,
  rtv,
  type Texture,
  type TextureOptions,
  targetOffset,
  uav,
} from '../../machine/index.ts'
import {
  type Color,
  clearDepthStencil,
  clearRenderTarget,
  clearTargetParts,
  clearUintParts,
  clearUnorderedAccessFloat,
  clearUnorderedAccessUint,
} from './index.ts'

const texture = (o: Partial<TextureOptions> & { format: string }): Texture =>
  valueOrThrow(createTexture({ dimension: 'texture2d', width: 3, height: 2, ...o }))
const RENDERABLE = FORMATS.filter((f) => f.capabilities.renderTarget !== 'none')
const codes = (found: readonly Diagnostic[]): string[] => found.map((d) => d.code)

const COLORS: readonly Color[] = [
  [0.25, 0.5, 0.75, 1],
  [NaN, -1, 2, Infinity],
  [-0, 1e-40, 0.2, -0.6],
  [3e9, -3e9, 1000.5, 1001.5],
]

/** An integer component of a float: the closest one, halves to even, in range; NaN is 0. */
function closestInteger(value: number, bitCount: number, signed: boolean): number {
  if (Number.isNaN(value)) return 0
  const [low, high] = signed ? [-(2 ** (bitCount - 1)), 2 ** (bitCount - 1) - 1] : [0, 2 ** bitCount - 1]
  const v = Math.fround(value)
  const below = Math.floor(v)
  const rounded = v - below === 0.5 ? below + (Math.abs(below) % 2) : Math.round(v)
  const clamped = Math.max(low, Math.min(high, rounded))
  return clamped < 0 ? clamped + 2 ** bitCount : clamped + 0
}

describe('clears of render targets', () => {
  test.each(RENDERABLE.map((f) => f.name))('convert to %s as a store, and floats to the closest integer', (name) => {
    const t = texture({ format: name, sampleCount: 2 })
    const view = valueOrThrow(rtv(t))
    const { check, list } = differences()
    for (const color of COLORS) {
      expect(clearRenderTarget(view, color)).toEqual([])
      for (let c = 0; c < 4; c++) {
        const part = componentOf(t.format, c)
        if (part === undefined) continue
        const { bitOffset, bitCount, encoding } = part
        const code = bitsOfElement(t.storage.bytes, targetOffset(view, 2, 1, 0, 1), bitOffset, bitCount)
        const what = (): string => `${name} ${'rgba'[c]} of ${color[c]}: ${code}`
        if (encoding === 'uint' || encoding === 'sint') {
          check(code, closestInteger(color[c]!, bitCount, encoding === 'sint'), what)
        } else if (Number.isNaN(color[c]) && encoding === 'float') check(isNaNCode(part, code), true, what)
        else check(acceptedCodes(part, wordOf(color[c]!)).includes(code), true, what)
      }
    }
    expect(list).toEqual([])
  })

  test('fill every pixel, slice and sample of the view and nothing else', () => {
    const shapes: [TextureOptions, object][] = [
      [
        { dimension: 'texture2d', format: 'R16_UNORM', width: 5, height: 4, arraySize: 4, mipLevels: 2 },
        { mipSlice: 1, firstArraySlice: 1, arraySize: 2 },
      ],
      [
        { dimension: 'texture3d', format: 'R32G32B32_FLOAT', width: 4, height: 3, depth: 5 },
        { firstArraySlice: 2, arraySize: 2 },
      ],
      [
        { dimension: 'texturecube', format: 'R8_UNORM', width: 4 },
        { firstArraySlice: 3, arraySize: 1 },
      ],
      [
        { dimension: 'texture2d', format: 'R8G8B8A8_UNORM', width: 3, height: 3, sampleCount: 4, arraySize: 2 },
        { firstArraySlice: 1, arraySize: 1 },
      ],
    ]
    for (const [options, range] of shapes) {
      const t = valueOrThrow(createTexture(options))
      const view = valueOrThrow(rtv(t, range))
      clearRenderTarget(view, [1, 1, 1, 1])
      const cleared = new Set<number>()
      for (let slice = 0; slice < view.arraySize; slice++)
        for (let y = 0; y < view.height; y++)
          for (let x = 0; x < view.width; x++)
            for (let s = 0; s < view.sampleCount; s++) cleared.add(targetOffset(view, x, y, slice, s))
      for (let at = 0; at < t.byteLength; at += view.bytesPerTexel) {
        const wanted = cleared.has(at) ? 1 : 0
        if ((t.storage.bytes[at + view.bytesPerTexel - 1] === 0 ? 0 : 1) !== wanted) {
          throw new Error(`byte ${at} of ${t.dimension}`)
        }
      }
    }
  })

  test('encode by the format of the view: sRGB of a typeless texture', () => {
    const t = texture({ format: 'R8G8B8A8_TYPELESS' })
    clearRenderTarget(valueOrThrow(rtv(t, { format: 'R8G8B8A8_UNORM_SRGB' })), [0.5, 0.5, 0.5, 0.5])
    // 1.055 * 0.5^(1/2.4) - 0.055 is 0.7354: 187.5 of 255 rounds to 188; alpha stays linear.
    expect([...t.storage.bytes.slice(0, 4)]).toEqual([188, 188, 188, 128])
  })
})

describe('clears with misfitting values', () => {
  test('are refused', () => {
    const target = texture({ format: 'R8_UNORM' })
    const list = [1, 2, 3] as unknown as Color
    expect(codes(clearRenderTarget(valueOrThrow(rtv(target)), list))).toEqual(['pipeline-clear'])
  })
})

describe('clears of depth and stencil', () => {
  test.each([
    ['D16_UNORM', [0x8000, undefined]],
    ['D24_UNORM_S8_UINT', [0x800000, 0xc8]],
    ['D32_FLOAT', [0x3f000000, undefined]],
    ['D32_FLOAT_S8X24_UINT', [0x3f000000, 0xc8]],
  ] as const)('of %s set the planes that are named', (format, [depthCode, stencilCode]) => {
    const t = texture({ format, sampleCount: 4 })
    const view = valueOrThrow(dsv(t))
    const [depth, stencil] = [t.format.components[0]!, t.format.components[1]]
    const planes = (): (number | undefined)[] => {
      const at = targetOffset(view, 2, 1, 0, 3)
      const read = (c: typeof depth): number => bitsOfElement(t.storage.bytes, at, c.bitOffset, c.bitCount)
      return [read(depth), stencil?.name === 's' ? read(stencil) : undefined]
    }
    expect(clearDepthStencil(view, { depth: 0.5, stencil: 0x1c8 })).toEqual([])
    expect(planes()).toEqual([depthCode, stencilCode])
    clearDepthStencil(view, { depth: NaN })
    expect(planes()).toEqual([0, stencilCode])
    clearDepthStencil(view, { stencil: 1 })
    expect(planes()).toEqual([0, stencilCode === undefined ? undefined : 1])
    clearDepthStencil(view, { depth: 7 })
    expect(planes()[0]).toBe(format.startsWith('D32') ? 0x3f800000 : 2 ** depth.bitCount - 1)
  })

  test('are refused through a read-only view', () => {
    const t = texture({ format: 'D24_UNORM_S8_UINT' })
    const view = valueOrThrow(dsv(t, { readOnlyDepth: true }))
    expect(codes(clearDepthStencil(view, { depth: 1 }))).toEqual(['pipeline-clear'])
    expect(codes(clearDepthStencil(view, { stencil: 1 }))).toEqual([])
  })
})

describe('clears of unordered access views', () => {
  test('with integers take low bits without conversion or clamp', () => {
    const cases: [string, Color, number[]][] = [
      ['R16G16_UINT', [0x54321, 0x98765, 0, 0], [0x87654321]],
      ['R11G11B10_FLOAT', [5, 6, 7, 0], [0x01c03005]],
      ['R8G8B8A8_UNORM', [0x101, 0x202, 0x303, 0x404], [0x04030201]],
      ['R32_FLOAT', [0x7fc00001, 0, 0, 0], [0x7fc00001]],
      ['R16G16B16A16_SNORM', [0x12345, 0xffff8000, 0x3, 0x4], [0x80002345, 0x00040003]],
    ]
    for (const [format, values, words] of cases) {
      const t = texture({ format })
      expect(clearUnorderedAccessUint(valueOrThrow(uav(t)), values), format).toEqual([])
      expect([...t.storage.words.slice(0, words.length)], format).toEqual(words.map((w) => w >>> 0))
      expect([...t.storage.words.slice(0, t.byteLength / 4)].slice(-words.length)).toEqual(words.map((w) => w >>> 0))
    }
  })

  const STORED = FORMATS.filter((f) => f.capabilities.typedUavStore !== 'none')
  test.each(STORED.map((f) => f.name))(
    'of %s with integers copy the low bits of each, and with floats convert',
    (name) => {
      const t = texture({ format: name, arraySize: 2 })
      const view = valueOrThrow(uav(t))
      const { check, list } = differences()
      const at = t.byteLength - t.format.blockByteLength
      const read = (part: FormatComponent): number => {
        return bitsOfElement(t.storage.bytes, at, part.bitOffset, part.bitCount)
      }
      const values: Color = [0x89abcdef, 0x76543210, 0xfedcba98, 0x01234567]
      expect(clearUnorderedAccessUint(view, values)).toEqual([])
      for (let c = 0; c < 4; c++) {
        const part = componentOf(t.format, c)
        if (part !== undefined) check(read(part), Number(BigInt(values[c]!) % (1n << BigInt(part.bitCount))), part.name)
      }
      for (const color of t.format.result === 'float' ? COLORS : []) {
        expect(clearUnorderedAccessFloat(view, color)).toEqual([])
        for (let c = 0; c < 4; c++) {
          const part = componentOf(t.format, c)
          if (part === undefined) continue
          if (Number.isNaN(color[c]) && part.encoding === 'float') check(isNaNCode(part, read(part)), true, part.name)
          else
            check(acceptedCodes(part, wordOf(color[c]!)).includes(read(part)), true, () => `${part.name} ${color[c]}`)
        }
      }
      expect(list).toEqual([])
    },
  )

  test('of raw and structured buffers repeat the first value, of typed ones the texel, inside the view', () => {
    const buffer = valueOrThrow(createBuffer({ byteLength: 64, stride: 8 }))
    const values: Color = [0xdeadbeef, 1, 2, 3]
    clearUnorderedAccessUint(valueOrThrow(uav(buffer, { firstElement: 1, elementCount: 2 })), values)
    const at = (from: number, to: number): number[] => [...buffer.storage.words.slice(from, to)]
    expect(at(0, 8)).toEqual([0, 0, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef, 0xdeadbeef, 0, 0])
    const plain = valueOrThrow(createBuffer({ byteLength: 32 }))
    clearUnorderedAccessUint(valueOrThrow(uav(plain, { raw: true, firstElement: 4, elementCount: 2 })), values)
    clearUnorderedAccessFloat(valueOrThrow(uav(plain, { format: 'R16_UNORM', elementCount: 3 })), [1, 0, 0, 0])
    expect([...plain.storage.words.slice(0, 8)]).toEqual([0xffffffff, 0xffff, 0, 0, 0xdeadbeef, 0xdeadbeef, 0, 0])
  })

  test('with floats need a FLOAT, UNORM or SNORM view', () => {
    const t = texture({ format: 'R8G8B8A8_TYPELESS' })
    const view = (format: string) => valueOrThrow(uav(t, { format }))
    expect(clearUnorderedAccessFloat(view('R8G8B8A8_SNORM'), [-1, 1, 0.5, NaN])).toEqual([])
    expect([...t.storage.bytes.slice(0, 4)]).toEqual([0x81, 127, 64, 0])
    expect(codes(clearUnorderedAccessFloat(view('R8G8B8A8_UINT'), [1, 1, 1, 1]))).toEqual(['pipeline-clear'])
    const structured = valueOrThrow(uav(valueOrThrow(createBuffer({ byteLength: 16, stride: 4 }))))
    expect(codes(clearUnorderedAccessFloat(structured, [1, 1, 1, 1]))).toEqual(['pipeline-clear'])
  })

  test('of a range of depth slices leave the others', () => {
    const t = texture({ format: 'R8_UINT', dimension: 'texture3d', width: 2, height: 1, depth: 4 })
    clearUnorderedAccessUint(valueOrThrow(uav(t, { firstArraySlice: 1, arraySize: 2 })), [9, 0, 0, 0])
    expect([...t.storage.bytes]).toEqual([0, 0, 9, 9, 9, 9, 0, 0])
  })
})

describe('clears part by part', () => {
  const SIDE = 2048

  test('of a large target leave what one clear leaves, and before their end the rows behind', () => {
    const [whole, inParts] = [1, 2].map(() => texture({ format: 'R8G8B8A8_UNORM', width: SIDE, height: SIDE })) as [
      Texture,
      Texture,
    ]
    const color: Color = [1, 0.5, 0, 1]
    clearRenderTarget(valueOrThrow(rtv(whole)), color)
    const parts = clearTargetParts(valueOrThrow(rtv(inParts)), color)
    expect(parts.next().done).toBe(false)
    const { words } = inParts.storage
    expect(words[0]).toBe(0xff0080ff)
    expect(words[SIDE * SIDE - 1]).toBe(0)
    expect([...parts].length).toBeGreaterThan(0)
    expect(words.findIndex((word, i) => word !== whole.storage.words[i])).toBe(-1)
  })

  test('of a large raw buffer set every word of the view and no other', () => {
    const byteLength = 26_000_000
    const buffer = valueOrThrow(createBuffer({ byteLength }))
    const view = valueOrThrow(uav(buffer, { raw: true, firstElement: 4, elementCount: byteLength / 4 - 8 }))
    expect([...clearUintParts(view, [7, 0, 0, 0])].length).toBeGreaterThan(1)
    const { words } = view.storage
    expect([...words.subarray(0, 5)]).toEqual([0, 0, 0, 0, 7])
    expect([...words.subarray(-5)]).toEqual([7, 0, 0, 0, 0])
    expect(words.subarray(4, -4).every((word) => word === 7)).toBe(true)
  })
})
