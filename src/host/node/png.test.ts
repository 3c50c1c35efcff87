import { describe, expect, it } from 'vitest'
import { isFailure } from '../../job/index.ts'
import { decodePng, encodePng } from './png.ts'

const PIXELS = Uint8Array.from({ length: 24 }, (_, i) => (i * 37 + 11) % 256)
const FILE = encodePng({ width: 3, height: 2, pixels: PIXELS })

function reasonOf(bytes: Uint8Array): string {
  const image = decodePng(bytes)
  return isFailure(image) ? image.reason : 'an image'
}

describe('PNG files', () => {
  it('come back as they were written', () => {
    expect(decodePng(FILE)).toEqual({ width: 3, height: 2, pixels: PIXELS })
  })

  it('that are damaged, or claim to be huge, are refused', () => {
    expect(reasonOf(FILE.subarray(0, 10))).toMatch(/no PNG/)
    expect(reasonOf(FILE.subarray(0, 40))).toMatch(/cannot be decoded/)
    const huge = FILE.slice()
    new DataView(huge.buffer).setUint32(16, 0x7fffffff)
    expect(reasonOf(huge)).toMatch(/at most 16384/)
  })
})
