import fc from 'fast-check'
import { expect, test } from 'vitest'
import { countLeading } from './lists.ts'

test('countLeading counts what a walk from the front counts', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 })), fc.integer({ min: -1, max: 10 }), (numbers, limit) => {
      const ascending = numbers.sort((a, b) => a - b)
      expect(countLeading(ascending, (n) => n < limit)).toBe(ascending.filter((n) => n < limit).length)
    }),
  )
})
