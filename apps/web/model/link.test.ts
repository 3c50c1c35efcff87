import { deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeLink, encodeLink, type SharedState } from './link.ts'

const linkOf = (text: string): string => `v1=${deflateRawSync(text).toString('base64url')}`
const file = { name: 'a.dxasm', text: 'cs_5_0\nret\n' }

describe('links', () => {
  it('bring back what was shared', async () => {
    const state: SharedState = {
      files: [file, { name: 'b.dxbc', bytes: Uint8Array.of(0x44, 0x58, 0xff, 0) }],
      active: 1,
      job: '{"shader": "b.dxbc"}',
      view: 'step',
      clock: 19,
      thread: 3,
    }
    const link = await encodeLink(state)
    expect(link).toMatch(/^v1=[A-Za-z0-9_-]+$/)
    expect(await decodeLink(`#${link}`)).toEqual({ state })
  })

  it('are JSON that any deflate makes', async () => {
    const decoded = await decodeLink(linkOf(JSON.stringify({ files: [file], active: 0 })))
    expect(decoded).toEqual({ state: { files: [file], active: 0 } })
  })

  it('of 3000 bytes of listing stay below 4000 characters', async () => {
    const lines = Array.from(
      { length: 110 },
      (_, i) => `mad r${i % 7}.xyzw, r${(i * 3) % 5}.xxxx, cb0[${i}].xyzw, r1.y`,
    )
    const text = lines.join('\n').slice(0, 3000)
    expect((await encodeLink({ files: [{ name: 'a', text }], active: 0 }))!.length).toBeLessThan(4000)
  })

  it('longer than what is read are not made', async () => {
    const of = (length: number) => ({ files: [{ name: 'a', text: 'x'.repeat(length) }], active: 0 })
    expect(await encodeLink(of(3 << 20))).toBeUndefined()
    expect(await decodeLink((await encodeLink(of(1_900_000)))!)).toEqual({ state: of(1_900_000) })
  })

  it.each([
    ['another version', 'v2=AAAA'],
    ['no base64', 'v1=*'],
    ['nothing deflated', `v1=${Buffer.from('hello, hello').toString('base64url')}`],
    ['no JSON', linkOf('{')],
    ['a list', linkOf('[]')],
    ['no files', linkOf('{"files": []}')],
    ['a file of nothing', linkOf('{"files": [{"name": "a"}]}')],
    ['a file without a name', linkOf('{"files": [{"text": ""}]}')],
    ['bytes that are none', linkOf('{"files": [{"name": "a", "bytes": "*"}]}')],
    ['too many files', linkOf(JSON.stringify({ files: Array.from({ length: 33 }, () => file) }))],
    ['a name without end', linkOf(JSON.stringify({ files: [{ ...file, name: 'a'.repeat(300) }] }))],
    ['more characters than are read', `v1=${'A'.repeat(4 << 20)}`],
    ['what inflates without end', linkOf(`{"files": [{"name": "a", "text": "${' '.repeat(9 << 20)}"}]}`)],
  ])('of %s are refused', async (_, link) => {
    expect('reason' in (await decodeLink(link))).toBe(true)
  })

  it('leave out fields that are not what they should be', async () => {
    const state = { files: [file], active: 7, job: 3, view: {}, clock: -1, thread: 1.5, more: 'x' }
    expect(await decodeLink(linkOf(JSON.stringify(state)))).toEqual({ state: { files: [file], active: 0 } })
  })

  it('never throw, whatever they are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.uint8Array().map((b) => linkOf(Buffer.from(b).toString())),
        ),
        async (text) => {
          expect(Object.keys(await decodeLink(text))).toHaveLength(1)
        },
      ),
    )
  })
})
