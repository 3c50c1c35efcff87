import fc from 'fast-check'
import { PNG } from 'pngjs'
import { describe, expect, it } from 'vitest'
import { createHost, encodePng as encodeHere } from '../../../src/host/node/index.ts'
import type { Image } from '../../../src/job/index.ts'
import { decodePng, encodePng } from './png.ts'

const decodeHere = createHost({ folder: '.' }).decodePng!

const bytes = (count: number, seed: number): Uint8Array => {
  let x = seed
  return Uint8Array.from({ length: count }, () => (x = (Math.imul(x, 1664525) + 1013904223) >>> 0) >>> 24)
}

describe('PNG files in a page', () => {
  it.each([0, 2, 4, 6] as const)('of color type %i are read as Node reads them', (colorType) => {
    const png = new PNG({ width: 9, height: 5 })
    png.data.set(bytes(9 * 5 * 4, 3))
    for (const filterType of [0, 1, 2, 3, 4]) {
      const file = new Uint8Array(PNG.sync.write(png, { colorType, inputHasAlpha: true, filterType }))
      expect(decodePng(file)).toEqual(decodeHere(file))
    }
  })

  it.each([8, 16])('of %i bits are written so that Node reads the same', (bits) => {
    const count = 7 * 3 * 4
    const pixels = bits === 8 ? bytes(count, 5) : Uint16Array.from(bytes(count, 5), (b, i) => b * 256 + i)
    const image: Image = { width: 7, height: 3, pixels }
    expect(decodeHere(encodePng(image))).toEqual(image)
    expect(decodePng(encodePng(image))).toEqual(image)
    expect(decodePng(encodeHere(image))).toEqual(image)
  })

  it('are refused where Node refuses them', () => {
    const file = encodePng({ width: 4, height: 4, pixels: bytes(64, 1) })
    const refusal = (b: Uint8Array): boolean => 'reason' in decodePng(b)
    fc.assert(
      fc.property(fc.nat(file.length - 1), fc.nat(255), (at, value) => {
        const damaged = file.slice()
        damaged[at] = value
        // Checksums of chunks are judged by neither, but by the decoder of Node in the end.
        if (!refusal(damaged)) expect(decodePng(damaged)).toMatchObject({ pixels: expect.anything() })
        // Its data are at the end, behind 41 bytes of header.
        expect(refusal(damaged.subarray(0, Math.min(at, 60)))).toBe(true)
      }),
      { numRuns: 200 },
    )
    expect(refusal(Uint8Array.of(1, 2, 3))).toBe(true)
  })
})
