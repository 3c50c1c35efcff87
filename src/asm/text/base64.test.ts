import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBase64, encodeBase64 } from './base64.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('base64', () => {
  it('has the test vectors of RFC 4648, section 10', () => {
    const texts = ['', 'Zg==', 'Zm8=', 'Zm9v', 'Zm9vYg==', 'Zm9vYmE=', 'Zm9vYmFy']
    texts.forEach((text, length) => {
      expect(encodeBase64(bytes('foobar'.slice(0, length)))).toBe(text)
      expect(decodeBase64(text)).toEqual(bytes('foobar'.slice(0, length)))
    })
  })

  it('gives any bytes back', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (b) => {
        expect(decodeBase64(encodeBase64(b))).toEqual(b)
      }),
    )
  })

  it('refuses what is none', () => {
    for (const text of ['Z', 'Zg=', 'Z===', 'Zm9!', '=Zg=', 'Zh==', 'Zm9v ', 'Zmé9']) {
      expect(decodeBase64(text), text).toBeUndefined()
    }
  })
})
