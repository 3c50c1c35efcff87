import { describe, expect, test } from 'vitest'
import { type Check, differences } from '../../../test/support/differences.ts'
import {
  acceptedCodes,
  bitsOfElement,
  componentOf,
  componentValue,
  isNaNCode,
  wordOf,
} from '../../../test/support/exact-formats.ts'
import { type Diagnostic, valueOrThrow } from '../../diagnostic/index.ts'
import { FORMATS, type FormatComponent } from '../../isa/formats/index.ts'
import {
  createBuffer,
  createTexture,
  type Srv,
  srv,
  subresource,
  type Texture,
  type TextureOptions,
  xorshift32,
} from '../../machine/index.ts'
import { generateMips, resolveTexture } from './index.ts'

const texture = (o: Partial<TextureOptions> & { format: string }): Texture =>
  valueOrThrow(createTexture({ dimension: 'texture2d', width: 3, height: 2, ...o }))
const AVERAGED = FORMATS.filter((f) => f.capabilities.resolve !== 'none').map((f) => f.name)
const codes = (found: readonly Diagnostic[]): string[] => found.map((d) => d.code)

function fillRandomly(t: Texture, seed: number): void {
  let state = seed
  for (let i = 0; i < t.byteLength; i++) t.storage.bytes[i] = (state = xorshift32(state)) >>> 5
}

/** floor(n / d + 1/2) of the magnitude, with the sign of n, in BigInt. */
function roundedMean(sum: bigint, total: bigint): bigint {
  const magnitude = ((sum < 0n ? -sum : sum) * 2n + total) / (2n * total)
  return sum < 0n ? -magnitude : magnitude
}

/** Codes that the weighted mean of codes may be stored as: exact for fixed point, by `sum` for the rest. */
function meanCodes(
  part: FormatComponent,
  taps: readonly { readonly code: number; readonly weight: number }[],
  sum: (values: readonly number[]) => number,
): { readonly codes: readonly number[]; readonly isNaN: boolean } {
  const { encoding, bitCount: n } = part
  const total = taps.reduce((s, t) => s + BigInt(t.weight), 0n)
  if (encoding === 'unorm' || encoding === 'snorm') {
    const integer = (code: number): bigint => {
      if (encoding === 'unorm' || code < 2 ** (n - 1)) return BigInt(code)
      return BigInt(Math.max(code - 2 ** n, 1 - 2 ** (n - 1)))
    }
    const mean = Number(
      roundedMean(
        taps.reduce((s, t) => s + integer(t.code) * BigInt(t.weight), 0n),
        total,
      ),
    )
    return { codes: [mean < 0 ? mean + 2 ** n : mean], isNaN: false }
  }
  const values = taps.map((t) => componentValue(part, t.code))
  const mean =
    encoding === 'unorm-srgb' ? values.reduce((s, v, i) => s + v * taps[i]!.weight, 0) / Number(total) : sum(values)
  return { codes: acceptedCodes(part, wordOf(mean)), isNaN: Number.isNaN(mean) }
}

describe('resolves', () => {
  test.each(AVERAGED)('of %s are means: exact in fixed point, linear for sRGB, float32 sums for floats', (format) => {
    const { check, list } = differences()
    for (const sampleCount of [2, 4, 8, 16]) {
      const source = texture({ format, sampleCount })
      const destination = texture({ format })
      fillRandomly(source, 17 * sampleCount + 1)
      // The samples of the second pixel are alike.
      const { bytes: all } = source.storage
      const size = source.format.blockByteLength
      for (let s = sampleCount + 1; s < 2 * sampleCount; s++) {
        all.copyWithin(s * size, sampleCount * size, (sampleCount + 1) * size)
      }
      expect(resolveTexture(destination, {}, source, {})).toEqual([])
      const bytes = source.format.blockByteLength
      for (let pixel = 0; pixel < 6; pixel++) {
        for (let c = 0; c < 4; c++) {
          const part = componentOf(source.format, c)
          if (part === undefined) continue
          const read = (t: Texture, element: number): number =>
            bitsOfElement(t.storage.bytes, element * bytes, part.bitOffset, part.bitCount)
          const taps = Array.from({ length: sampleCount }, (_, s) => ({
            code: read(source, pixel * sampleCount + s),
            weight: 1,
          }))
          const sum = (values: readonly number[]): number =>
            Math.fround(values.reduce((a, b) => Math.fround(a + b), 0) * Math.fround(1 / sampleCount))
          const wanted = meanCodes(part, taps, sum)
          const code = read(destination, pixel)
          if (wanted.isNaN) check(isNaNCode(part, code), true, `${format} NaN`)
          else check(wanted.codes.includes(code), true, () => `${format} ${part.name} ${JSON.stringify(taps)}: ${code}`)
        }
      }
    }
    expect(list).toEqual([])
  })

  test('read typeless textures by the format of the call: drawn as UNORM, averaged as sRGB in linear space', () => {
    const source = texture({ format: 'R8G8B8A8_TYPELESS', sampleCount: 2, width: 1, height: 1 })
    source.storage.words.set([0xff000000, 0xffffffff])
    const result = (format: string, own = 'R8G8B8A8_TYPELESS'): number | undefined => {
      const destination = texture({ format: own, width: 1, height: 1 })
      expect(resolveTexture(destination, {}, source, {}, format)).toEqual([])
      return destination.storage.bytes[0]
    }
    // The mean of 0 and 1 in linear space is 0.5: 1.055 * 0.5^(1/2.4) - 0.055 is 187.5 of 255, and 188.
    expect(result('R8G8B8A8_UNORM')).toBe(128)
    expect(result('R8G8B8A8_UNORM_SRGB')).toBe(188)
    expect(result('R8G8B8A8_UNORM_SRGB', 'R8G8B8A8_UNORM_SRGB')).toBe(188)
  })

  test('go from one slice and mip to another', () => {
    const source = texture({ format: 'R8_UNORM', sampleCount: 2, width: 2, height: 1, arraySize: 2 })
    source.storage.bytes.set([1, 3, 5, 7], 4)
    const destination = texture({ format: 'R8_UNORM', width: 4, height: 2, mipLevels: 2, arraySize: 3 })
    expect(resolveTexture(destination, { mip: 1, arraySlice: 2 }, source, { arraySlice: 1 })).toEqual([])
    const at = subresource(destination, 1, 2)!.byteOffset
    expect([...destination.storage.bytes.slice(at)]).toEqual([2, 6])
  })

  test.each<
    [string, Partial<TextureOptions> & { format: string }, Partial<TextureOptions> & { format: string }, string?]
  >([
    ['integers', { format: 'R8_UINT' }, { format: 'R8_UINT', sampleCount: 2 }],
    ['depth', { format: 'D32_FLOAT' }, { format: 'D32_FLOAT', sampleCount: 2 }],
    ['one sample', { format: 'R8_UNORM' }, { format: 'R8_UNORM' }],
    ['to several samples', { format: 'R8_UNORM', sampleCount: 2 }, { format: 'R8_UNORM', sampleCount: 2 }],
    ['other sizes', { format: 'R8_UNORM', width: 4 }, { format: 'R8_UNORM', sampleCount: 2 }],
    ['other formats', { format: 'R8_UNORM' }, { format: 'R8_SNORM', sampleCount: 2 }],
    ['a typed texture as another format', { format: 'R8_UNORM' }, { format: 'R8_UNORM', sampleCount: 2 }, 'R8_SNORM'],
    ['typeless without a format', { format: 'R8_TYPELESS' }, { format: 'R8_TYPELESS', sampleCount: 2 }],
  ])('are refused: %s', (_, to, from, format) => {
    expect(codes(resolveTexture(texture(to), {}, texture(from), {}, format))).toContain('pipeline-resolve')
  })

  test('are refused where there is no such subresource or format', () => {
    const [to, from] = [texture({ format: 'R8_UNORM' }), texture({ format: 'R8_UNORM', sampleCount: 2 })]
    expect(codes(resolveTexture(to, { mip: 1 }, from, {}))).toEqual(['pipeline-resolve'])
    expect(codes(resolveTexture(to, {}, from, { arraySlice: 1 }))).toEqual(['pipeline-resolve'])
    expect(codes(resolveTexture(to, {}, from, {}, 'R8'))).toEqual(['machine-format-unknown'])
  })
})

/** Overlap of texel `i` of `size` with texel `t` of `sourceSize`, in units of 1 / (size * sourceSize). */
const overlap = (i: number, size: number, t: number, sourceSize: number): number =>
  Math.max(0, Math.min((i + 1) * sourceSize, (t + 1) * size) - Math.max(i * sourceSize, t * size))

function checkMip(t: Texture, slice: number, mip: number, check: Check): void {
  const [from, to] = [subresource(t, mip - 1, slice)!, subresource(t, mip, slice)!]
  const bytes = t.format.blockByteLength
  const texels = (s: typeof from): number[][] =>
    Array.from({ length: s.width * s.height * s.depth }, (_, i) => [
      i % s.width,
      Math.floor(i / s.width) % s.height,
      Math.floor(i / s.width / s.height),
    ])
  const places = texels(from)
  for (const [index, [x, y, z]] of texels(to).entries()) {
    const weights = places.map(
      ([u, v, w]) =>
        overlap(x!, to.width, u!, from.width) *
        overlap(y!, to.height, v!, from.height) *
        overlap(z!, to.depth, w!, from.depth),
    )
    for (let c = 0; c < 4; c++) {
      const part = componentOf(t.format, c)
      if (part === undefined) continue
      const read = (s: typeof from, i: number): number =>
        bitsOfElement(t.storage.bytes, s.byteOffset + i * bytes, part.bitOffset, part.bitCount)
      const taps = weights.map((weight, i) => ({ weight, code: read(from, i) })).filter((tap) => tap.weight > 0)
      const total = taps.reduce((s, tap) => s + tap.weight, 0)
      const sum = (values: readonly number[]): number => values.reduce((s, v, i) => s + v * taps[i]!.weight, 0) / total
      const wanted = meanCodes(part, taps, sum)
      const code = read(to, index)
      if (wanted.isNaN) check(isNaNCode(part, code), true, 'NaN')
      else check(wanted.codes.includes(code), true, () => `${t.format.name} ${part.name} ${x},${y},${z}: ${code}`)
    }
  }
}

describe('generated mips', () => {
  test.each(AVERAGED)('of %s are the means of what they cover, even and odd extents alike', (format) => {
    const { check, list } = differences()
    const t = texture({ format, width: 7, height: 4, mipLevels: 0 })
    fillRandomly(t, 99)
    expect(generateMips(valueOrThrow(srv(t)))).toEqual([])
    for (const mip of [1, 2]) checkMip(t, 0, mip, check)
    expect(list).toEqual([])
  })

  test.each<[string, TextureOptions]>([
    ['a volume', { dimension: 'texture3d', format: 'R8_UNORM', width: 5, height: 2, depth: 6, mipLevels: 0 }],
    ['a cube', { dimension: 'texturecube', format: 'R8G8B8A8_UNORM_SRGB', width: 4, mipLevels: 0 }],
    ['an array', { dimension: 'texture2d', format: 'R16_SNORM', width: 3, height: 5, arraySize: 3, mipLevels: 0 }],
    ['a row', { dimension: 'texture1d', format: 'R16_UNORM', width: 9, mipLevels: 0 }],
  ])('fill every slice of %s', (_, options) => {
    const { check, list } = differences()
    const t = valueOrThrow(createTexture(options))
    fillRandomly(t, 5)
    expect(generateMips(valueOrThrow(srv(t)))).toEqual([])
    for (let slice = 0; slice < t.arraySize; slice++)
      for (let mip = 1; mip < t.mipLevels; mip++) checkMip(t, slice, mip, check)
    expect(list).toEqual([])
  })

  test('leave mips and slices outside the view', () => {
    const t = texture({ format: 'R8_UNORM', width: 8, height: 8, mipLevels: 0, arraySize: 2 })
    fillRandomly(t, 8)
    const before = t.storage.bytes.slice()
    const view = valueOrThrow(
      srv(t, { mostDetailedMip: 1, mipLevels: 2, firstArraySlice: 1, dimension: 'texture2darray' }),
    )
    generateMips(view)
    const changed = subresource(t, 2, 1)!
    t.storage.bytes.forEach((byte, at) => {
      const inside = at >= changed.byteOffset && at < changed.byteOffset + changed.byteLength
      if (!inside && byte !== before[at]) throw new Error(`byte ${at}`)
    })
    expect(t.storage.bytes[changed.byteOffset]).not.toBe(before[changed.byteOffset])
  })

  test('are refused for buffers, several samples and formats without them', () => {
    const buffer = valueOrThrow(srv(valueOrThrow(createBuffer({ byteLength: 4 })), { raw: true }))
    const views: Srv[] = [
      buffer,
      valueOrThrow(srv(texture({ format: 'R8_UNORM', sampleCount: 4 }))),
      valueOrThrow(srv(texture({ format: 'R8_UINT' }))),
      valueOrThrow(srv(texture({ format: 'BC1_UNORM', width: 8, height: 8 }))),
    ]
    for (const view of views) expect(codes(generateMips(view))).toEqual(['pipeline-mips'])
  })
})
