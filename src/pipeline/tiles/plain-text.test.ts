import { describe, expect, test } from 'vitest'
import { parsePlain, printPlain } from './plain-text.ts'

describe('plain data as text', () => {
  const there = (value: unknown): unknown => parsePlain(printPlain(value))

  test('comes back as it was, with numbers that JSON has no words for', () => {
    const value = {
      depths: [0, -0, 1.5, Number.NaN, Number.NEGATIVE_INFINITY],
      inner: { most: Number.POSITIVE_INFINITY, none: null, name: 'a"b', flags: [true, false] },
    }
    expect(there(value)).toEqual(value)
    expect(Object.is((there(value) as typeof value).depths[1], -0)).toBe(true)
  })

  test('typed arrays become arrays, with their special numbers', () => {
    expect(there({ words: Int32Array.of(1, -2), floats: Float32Array.of(0.5, Number.NaN) })).toEqual({
      ...{ words: [1, -2], floats: [0.5, Number.NaN] },
    })
  })

  test('what is printed is not changed, and what is left out stays away', () => {
    const value = { a: [Number.NaN], b: undefined, c: { d: undefined } }
    expect(there(value)).toEqual({ a: [Number.NaN], c: {} })
    expect(Object.keys(value)).toEqual(['a', 'b', 'c'])
    expect(value.a[0]).toBeNaN()
  })
})
