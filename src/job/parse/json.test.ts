import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amount } from '../../../test/support/amount.ts'
import { readJson } from './json.ts'

function placeOf(text: string): string {
  const { value, diagnostics } = readJson(text)
  expect(value).toBeUndefined()
  expect(diagnostics).toHaveLength(1)
  const { place } = diagnostics[0]!
  return place?.kind === 'text' ? `${place.line}:${place.column}` : 'nowhere'
}

describe('readJson', () => {
  it('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 2), (value, indent) => {
        const text = JSON.stringify(value, null, indent)
        // Through text once more: objects here have no prototype, which toEqual would see.
        expect(JSON.stringify(readJson(text).value)).toBe(JSON.stringify(JSON.parse(text)))
      }),
    )
  })

  it('refuses what JSON.parse refuses, and never throws', () => {
    const pieces = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b',
      '1',
      '-',
      '.5',
      'e3',
      'true',
      'nul',
      ' ',
      '\n',
      '/*',
      '\\u12',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('')
        let wanted: { value?: unknown } = {}
        try {
          wanted = { value: JSON.parse(text) }
        } catch {
          wanted = {}
        }
        const { value, diagnostics } = readJson(text)
        const doubled = diagnostics[0]?.message.includes('given twice')
        if (!doubled) expect(JSON.stringify({ value })).toBe(JSON.stringify(wanted))
      }),
      { numRuns: amount(500, 2000) },
    )
  })

  it.each([
    ['{ "a": [1,2,],\n "b": 3}', '1:13'],
    ['{\n  "a" 1\n}', '2:7'],
    ['{\n  a: 1\n}', '2:3'],
    ['[1 2]', '1:4'],
    ['{"a": 01}', '1:7'],
    ['{"a": 1} x', '1:10'],
    ['["abc\n"]', '1:2'],
    ['// no\n{}', '1:1'],
    ['{"a":', '1:6'],
    ['', '1:1'],
    ['{"a": 1, "a": 2}', '1:10'],
  ])('says where %j stops being JSON', (text, place) => {
    expect(placeOf(text)).toBe(place)
  })

  it('ends at nesting that no description has, and does not show lines of any length', () => {
    const { diagnostics } = readJson('['.repeat(100_000))
    expect(diagnostics[0]!.message).toContain('nest deeper')
    expect(diagnostics[0]!.message).toContain('column 102')
    expect(diagnostics[0]!.place).toBeUndefined()
  })

  it('takes a byte order mark, and a member called __proto__ as any other', () => {
    expect(readJson('\ufeff{"a": 1}').value).toEqual({ a: 1 })
    expect(Object.keys(readJson('{"__proto__": 1}').value as object)).toEqual(['__proto__'])
  })

  it('reads texts, numbers and spaces of any length', () => {
    const long = 'x'.repeat(amount(2_000_000, 20_000_000))
    expect(readJson(`"${long}"`).value).toBe(long)
    expect(readJson(`{"${long}": "\\n${long}"}`).diagnostics).toEqual([])
    expect(readJson(`"${long}`).diagnostics).toHaveLength(1)
    expect(readJson(' '.repeat(amount(500_000, 5_000_000))).diagnostics).toHaveLength(1)
    expect(readJson(`[${'\n'.repeat(amount(500_000, 5_000_000))}1]`).value).toEqual([1])
    expect(readJson('9'.repeat(1_000_000)).diagnostics.length).toBeLessThanOrEqual(1)
  })

  it.each(['0', '-0', '01', '1', '123456789', '1234567890', '12345678901', '1.5', '1e3', '00', '1 2', '-', '[1,02]'])(
    'reads or refuses the number %s as JSON.parse does',
    (text) => {
      let wanted: unknown
      try {
        wanted = JSON.parse(text)
      } catch {
        wanted = undefined
      }
      expect(readJson(text).value).toEqual(wanted)
    },
  )
})
