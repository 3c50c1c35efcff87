import { describe, expect, it } from 'vitest'
import { fromBase64, fromHex, toBase64Url } from './bytes.ts'
import { openBytes, openText } from './input.ts'

const CONTAINER = Uint8Array.of(
  0x44,
  0x58,
  0x42,
  0x43,
  1,
  2,
  3,
  0xff,
  0,
  0x10,
  0x20,
  0x30,
  0x40,
  0x50,
  0x60,
  0x70,
  0x80,
  0x90,
)
const hex = Buffer.from(CONTAINER).toString('hex')

describe('bytes as text', () => {
  it.each([
    ['digits in a row', hex],
    ['digits with blanks', hex.replace(/../g, '$& ')],
    ['an array of C', `{ ${hex.replace(/../g, '0x$&, ')} }`],
    [
      'what hexdump -C prints',
      '00000000  44 58 42 43 01 02 03 ff  00 10 20 30 40 50 60 70  |DXBC......  0@P`p|\n00000010  80 90                                             |..|\n00000012\n',
    ],
    [
      'what xxd prints',
      '00000000: 4458 4243 0102 03ff 0010 2030 4050 6070  DXBC...... 0@P`p\n00000010: 8090                                     ..\n',
    ],
  ])('are read from %s', (_, text) => {
    expect(fromHex(text)).toEqual(CONTAINER)
  })

  it.each(['', '4', 'xyz', '44 58 4'])('are not read from %j', (text) => {
    expect(fromHex(text)).toBeUndefined()
  })

  it('are read from base64 of both alphabets', () => {
    const bytes = Uint8Array.of(0xfb, 0xff, 0xbf, 0x3e)
    expect(fromBase64('+/+/Pg==')).toEqual(bytes)
    expect(fromBase64('-_-_Pg')).toEqual(bytes)
    expect(toBase64Url(bytes)).toBe('-_-_Pg')
    expect(fromBase64('a')).toBeUndefined()
    expect(fromBase64('a*bc')).toBeUndefined()
  })
})

describe('what is opened', () => {
  it.each([
    ['a container', CONTAINER, 'container'],
    ['a listing', 'cs_5_0\nret\n', 'listing'],
    ['a listing behind a header', '//\n// Generated\n//\nps_4_0\nret\n', 'listing'],
    ['a text that keeps all bytes', '.lossless 1\n', 'listing'],
    ['a run description', ' {"shader": "a"}', 'job'],
    ['hexadecimal digits', hex, 'container'],
    ['base64', Buffer.from(CONTAINER).toString('base64'), 'container'],
    ['a PNG file', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0), 'contents'],
    ['an effect', Uint8Array.of(1, 0x09, 0xff, 0xfe, 0), 'unknown'],
    ['nothing', new Uint8Array(), 'unknown'],
    ['a letter', 'Dear all,', 'unknown'],
  ] as const)('%s is known', (_, what, kind) => {
    const bytes = typeof what === 'string' ? new TextEncoder().encode(what) : what
    expect(openBytes(bytes, 'x').kind).toBe(kind)
  })

  it('links are, where they are pasted', () => {
    expect(openText('https://example.org/heddle/#v1=abc_-', 'x')).toEqual({ kind: 'link', fragment: 'v1=abc_-' })
    // Those of another version too: what opens links says that it is one.
    expect(openText('https://example.org/heddle/#v2=abc', 'x')).toEqual({ kind: 'link', fragment: 'v2=abc' })
  })
})
