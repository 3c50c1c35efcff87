import { describe, expect, it } from 'vitest'
import { placeInJson } from './json-place.ts'

const TEXT = `{
  "name": "a { \\" [",
  "commands": [{"clear": "x", "color": [0, -1.5e3, true]}, {
    "draw": "whole", "odd name": null
  }]
}`

/** What stands at a place. */
function shown(path: string): string | undefined {
  const place = placeInJson(TEXT, path)
  return place?.sourceLine.slice(place.column - 1, place.column - 1 + place.length)
}

describe('the place of a value in a description', () => {
  it.each([
    ['$.name', '"a { \\" ["'],
    ['$.commands[0].color[1]', '-1.5e3'],
    ['$.commands[0].color', '[0, -1.5e3, true]'],
    ['$.commands[1].draw', '"whole"'],
    ['$.commands[1]["odd name"]', 'null'],
    // On the line where it begins.
    ['$.commands[1]', '{'],
    // What is not there stands where it should.
    ['$.commands[0].color[7].r', '[0, -1.5e3, true]'],
    ['$.commands[0].color.r', '[0, -1.5e3, true]'],
    ['$', '{'],
    ['u0', '{'],
  ])('%s', (path, text) => {
    expect(shown(path)).toBe(text)
  })

  it('counts lines and columns from 1', () => {
    expect(placeInJson(TEXT, '$.commands[1].draw')).toMatchObject({ line: 4, column: 13 })
    expect(placeInJson('\ufeff{"a": 1}', '$.a')).toMatchObject({ line: 1, column: 8 })
  })

  it('is none where the text is not JSON', () => {
    expect(placeInJson('{"a": }', '$.a')).toBeUndefined()
  })
})
