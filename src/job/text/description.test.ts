import fc from 'fast-check'
import { expect, test } from 'vitest'
import { descriptionText } from './index.ts'

test('resources and commands have a line each, lists of numbers stay on one', () => {
  const description = {
    resources: { a: { kind: 'structured', words: [1, 2] } },
    commands: [{ dispatch: [1, 1, 1] }, { clear: 'a' }],
    expect: [],
    options: {},
  }
  expect(descriptionText(description)).toBe(`{
  "resources": {
    "a": { "kind": "structured", "words": [1, 2] }
  },
  "commands": [
    { "dispatch": [1, 1, 1] },
    { "clear": "a" }
  ],
  "expect": [],
  "options": {}
}`)
})

test('objects that are wider than a line have a line for each member', () => {
  const text = descriptionText({ commands: [{ draw: 'x'.repeat(60), bind: { t0: 'y'.repeat(60) } }] })
  expect(text.split('\n').map((line) => line.trim().slice(0, 8))).toEqual([
    ...['{', '"command', '{', '"draw": ', '"bind": ', '"t0": "y', '}', '}', ']', '}'],
  ])
})

test('the text has the same value, whatever it is', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (d) => {
      expect(JSON.parse(descriptionText(d))).toEqual(JSON.parse(JSON.stringify(d)))
    }),
  )
})
