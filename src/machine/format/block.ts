import type { Format } from '../../isa/formats/index.ts'
import { bc1Decoder, bc2Decoder, bc3Decoder, bc4Decoder, bc5Decoder } from './bc1-5.ts'
import { bc6hDecoder } from './bc6h.ts'
import { bc7Decoder } from './bc7.ts'
import type { TexelDecoder } from './texel-codec.ts'

/** The decoder of a block-compressed format (functional spec 19.5). */
export function blockDecoder(format: Format): TexelDecoder {
  const signed = format.name.endsWith('SNORM') || format.name.endsWith('SF16')
  switch (format.layout) {
    case 'bc1':
      return bc1Decoder(format.srgb)
    case 'bc2':
      return bc2Decoder(format.srgb)
    case 'bc3':
      return bc3Decoder(format.srgb)
    case 'bc4':
      return bc4Decoder(signed)
    case 'bc5':
      return bc5Decoder(signed)
    case 'bc6h':
      return bc6hDecoder(signed)
    case 'bc7':
      return bc7Decoder(format.srgb)
    case 'linear':
    case 'packed422':
      throw new RangeError(`${format.name} is not block compressed`)
  }
}
