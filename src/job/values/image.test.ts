import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../diagnostic/index.ts'
import { createTexture, type Texture } from '../../machine/index.ts'
import type { Image } from '../host.ts'
import { imageToTexture, textureToImage } from './image.ts'

/** A 3 x 2 image in which every component is another number. */
function sample(): Image {
  return { width: 3, height: 2, pixels: Uint8Array.from({ length: 24 }, (_, i) => (i * 37 + 11) % 256) }
}

function filled(format: string): Texture {
  const texture = valueOrThrow(createTexture({ dimension: 'texture2d', format, width: 3, height: 2 }))
  expect(imageToTexture(sample(), texture, 0, 0)).toBeUndefined()
  return texture
}

function pixelsOf(image: Image | string): number[] {
  if (typeof image === 'string') throw new Error(image)
  return [...image.pixels]
}

describe('images of textures', () => {
  const pixels = [...sample().pixels]

  it.each(['R8G8B8A8_UNORM', 'R8G8B8A8_UNORM_SRGB', 'R8G8B8A8_UINT', 'R32G32B32A32_FLOAT', 'R16G16B16A16_UNORM'])(
    'fill and show a texture of %s without a change',
    (format) => {
      const texture = filled(format)
      expect(pixelsOf(textureToImage(texture, texture.format, 0, 0))).toEqual(pixels)
    },
  )

  it('put components where the format has them', () => {
    expect([...filled('R8G8B8A8_UNORM_SRGB').storage.bytes]).toEqual(pixels)
    const swapped = filled('B8G8R8A8_UNORM').storage.bytes
    expect([...swapped.subarray(0, 4)]).toEqual([pixels[2], pixels[1], pixels[0], pixels[3]])
    expect(filled('R32_FLOAT').storage.words[0]).toBe(new Uint32Array(Float32Array.of(pixels[0]! / 255).buffer)[0])
  })

  it('show one component as gray, and clamp', () => {
    const texture = valueOrThrow(
      createTexture({
        dimension: 'texture2d',
        format: 'R32_FLOAT',
        width: 3,
        height: 1,
        data: Float32Array.of(-1, 0.5, 7),
      }),
    )
    expect(pixelsOf(textureToImage(texture, texture.format, 0, 0))).toEqual([
      0, 0, 0, 255, 128, 128, 128, 255, 255, 255, 255, 255,
    ])
  })

  it('say what does not fit', () => {
    const image = sample()
    const other = valueOrThrow(createTexture({ dimension: 'texture2d', format: 'R8_UNORM', width: 2, height: 3 }))
    expect(imageToTexture(image, other, 0, 0)).toMatch(/3 x 2 pixels, the texture 2 x 3/)
    expect(imageToTexture(image, other, 1, 0)).toMatch(/no mip 1/)
    const block = valueOrThrow(createTexture({ dimension: 'texture2d', format: 'BC1_UNORM', width: 4, height: 4 }))
    expect(textureToImage(block, block.format, 0, 0)).toMatchObject({ width: 4, height: 4 })
    const depth = valueOrThrow(createTexture({ dimension: 'texture2d', format: 'D32_FLOAT', width: 4, height: 4 }))
    expect(textureToImage(depth, depth.format, 0, 0)).toMatch(/no colors/)
  })
})
