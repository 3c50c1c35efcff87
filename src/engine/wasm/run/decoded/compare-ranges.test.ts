import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../../../diagnostic/index.ts'
import { createSrv, createTexture, type Memory, type TextureSrv } from '../../../../machine/index.ts'
import { WasmMemory } from '../memory.ts'
import { compareRangesOf } from './compare-ranges.ts'
import { DecodedTextures } from './decoded-textures.ts'

describe('ranges of memory', () => {
  const memory = WasmMemory.create()!
  const words = 64
  const [a, b] = [memory.allocate(words * 4)!, memory.allocate(words * 4)!]
  const of = ({ byteOffset }: { byteOffset: number }): Uint32Array =>
    new Uint32Array(memory.memory.buffer, byteOffset, words)
  const same = compareRangesOf(memory.memory)

  it('are the same where no word differs, and a bit of any word is seen', () => {
    for (let i = 0; i < words; i++) of(a)[i] = of(b)[i] = i * 0x9e3779b1
    for (const first of [0, 1, 3]) {
      for (const count of [0, 1, 3, 4, 15, 16, 17, 31, 33, 48, 60]) {
        const found: number[] = []
        for (let i = 0; i < words; i++) {
          of(b)[i]! ^= 1 << (i & 31)
          if (!same(a.byteOffset + first * 4, b.byteOffset + first * 4, count * 4)) found.push(i)
          of(b)[i]! ^= 1 << (i & 31)
        }
        // Words before and behind the range count for nothing.
        expect(found).toEqual(Array.from({ length: count }, (_, n) => first + n))
      }
    }
  })
})

describe('decoded copies of textures that have changed', () => {
  const contents = (count: number): Uint8Array =>
    Uint8Array.from({ length: count }, (_, n) => (n * 89 + (n >> 5)) & 0xff)

  const srvOf = (format: string, data: Uint8Array, memory?: Memory): TextureSrv => {
    const size = { width: 20, height: 12, mipLevels: 3, arraySize: 2 }
    return valueOrThrow(
      createSrv(valueOrThrow(createTexture({ dimension: 'texture2d', format, ...size, data, memory }))),
    ) as TextureSrv
  }

  /** The words of a copy that is made anew of these bytes. */
  const decodedAnew = (format: string, data: Uint8Array): number[] => {
    const memory = WasmMemory.create()!
    return [...new DecodedTextures(memory).stage(srvOf(format, data, memory))!.view.storage.words]
  }

  it.each([
    ['R8G8B8A8_UNORM', true],
    ['R16G16B16A16_UNORM', true],
    ['BC1_UNORM', true],
    ['BC3_UNORM', true],
    ['R8G8B8A8_UNORM', false],
    ['BC1_UNORM', false],
  ])('%s, in the memory of the engine: %s', (format, isHere) => {
    const memory = WasmMemory.create()!
    const copies = new DecodedTextures(memory)
    const view = srvOf(format, new Uint8Array(0), isHere ? memory : undefined)
    const { bytes } = view.storage
    const data = contents(bytes.length)
    bytes.set(data)
    const now = (): number[] => {
      const { view: decoded, release } = copies.stage(view)!
      release()
      return [...decoded.storage.words]
    }
    expect(now()).toEqual(decodedAnew(format, data))
    // First and last bytes of the texture, and bytes of each mip and slice, one after the other.
    for (const at of [0, bytes.length - 1, bytes.length >> 1, ...Array.from({ length: 12 }, (_, n) => n * 97 + 5)]) {
      bytes[at % bytes.length]! ^= 0xff
      data[at % bytes.length]! ^= 0xff
      expect(now()).toEqual(decodedAnew(format, data))
    }
  })
})
