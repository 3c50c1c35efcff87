import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../../../diagnostic/index.ts'
import { createSrv, createTexture, type Texture, type TextureSrv } from '../../../../machine/index.ts'
import { WasmMemory } from '../memory.ts'
import { DecodedTextures } from './decoded-textures.ts'

// Copies that are made in parts are those that are made at once, whatever happens between the parts.

const SIDE = 512
const KINDS = [
  ['BC1_UNORM', false],
  ['BC7_UNORM_SRGB', false],
  ['R8G8B8A8_UNORM_SRGB', false],
  ['R8G8B8A8_UNORM', true],
] as const

function textureIn(memory: WasmMemory, format: string): { readonly texture: Texture; readonly view: TextureSrv } {
  const size = { dimension: 'texture2d', width: SIDE, height: SIDE, mipLevels: 3 } as const
  const texture = valueOrThrow(createTexture({ ...size, format, memory }))
  const { words } = texture.storage
  for (let i = 0; i < words.length; i++) words[i] = Math.imul(i + 1, 0x9e3779b1)
  return { texture, view: valueOrThrow(createSrv(texture)) as TextureSrv }
}

/** The words of the copy that is there when a draw begins. */
function staged(copies: DecodedTextures, view: TextureSrv, isOfCodes: boolean): Uint32Array {
  const { view: copy, release } = copies.stage(view, isOfCodes)!
  const words = copy.storage.words.slice()
  release()
  return words
}

/** To compare them with `toEqual` takes seconds. */
const areSame = (a: Uint32Array, b: Uint32Array): boolean =>
  a.length === b.length && a.every((word, i) => word === b[i])

describe.each(KINDS)('a copy of %s, of codes: %s', (format, isOfCodes) => {
  const memory = WasmMemory.create()!
  const { texture, view } = textureIn(memory, format)
  const atOnce = (): Uint32Array => staged(new DecodedTextures(memory), view, isOfCodes)

  it('is made in several parts', () => {
    const copies = new DecodedTextures(memory)
    expect([...copies.prepare(view, isOfCodes)].length).toBeGreaterThanOrEqual(8)
    expect(areSame(staged(copies, view, isOfCodes), atOnce())).toBe(true)
    expect([...copies.prepare(view, isOfCodes)]).toEqual([])
  })

  it('has what was written between the parts, and what was written back', () => {
    const copies = new DecodedTextures(memory)
    const parts = copies.prepare(view, isOfCodes)
    parts.next()
    const { words } = texture.storage
    const last = (SIDE * SIDE * (format.startsWith('BC') ? 1 : 4)) / (format.startsWith('BC1') ? 8 : 4) - 1
    for (const n of [0, last]) words[n] = ~words[n]!
    parts.next()
    // The last texels are decoded from these words, the first ones were from others.
    words[last] = ~words[last]!
    expect([...parts].length).toBeGreaterThan(0)
    expect(areSame(staged(copies, view, isOfCodes), atOnce())).toBe(true)
  })

  it('that is stopped leaves nothing behind', () => {
    const copies = new DecodedTextures(memory)
    const beginAndStop = (): number => {
      const parts = copies.prepare(view, isOfCodes)
      parts.next()
      parts.return()
      return memory.memory.buffer.byteLength
    }
    const first = beginAndStop()
    for (let n = 0; n < 8; n++) expect(beginAndStop()).toBe(first)
    expect(areSame(staged(copies, view, isOfCodes), atOnce())).toBe(true)
  })

  it('that another draw has made meanwhile is kept once', () => {
    const copies = new DecodedTextures(memory)
    const parts = copies.prepare(view, isOfCodes)
    parts.next()
    const want = staged(copies, view, isOfCodes)
    expect([...parts].length).toBeGreaterThan(0)
    expect(areSame(staged(copies, view, isOfCodes), want)).toBe(true)
  })
})
