import { describe, expect, it } from 'vitest'
import { corpusFiles } from '../../../test/support/corpus.ts'
import { parseProgram, textPlaceOf, textRangeOf } from './index.ts'

const TEXT = [
  'ps_5_0',
  'dcl_temps 2',
  '  mad  r0.xyz ,  -|r1.xyzx|, l(1.0, 2.0, 3.0, 0.0) , v0.x  // behind',
  'dcl_immediateConstantBuffer { { 1.0, 0, 0, 0},',
  '  { 2.0, 0, 0, 0} }',
  'ret',
].join('\r\n')

describe('places of a program in its text', () => {
  it('are those of statements and operands, without blanks and comments', () => {
    const { places } = parseProgram(TEXT)
    const at = (index: number, operand?: number): string => {
      const range = textRangeOf(places, { kind: 'statement', index, ...(operand === undefined ? {} : { operand }) })!
      return TEXT.slice(range.start, range.end)
    }
    expect(places.statements).toHaveLength(4)
    expect(at(0)).toBe('dcl_temps 2')
    expect(at(1)).toBe('mad  r0.xyz ,  -|r1.xyzx|, l(1.0, 2.0, 3.0, 0.0) , v0.x')
    expect([0, 1, 2, 3].map((i) => at(1, i))).toEqual(['r0.xyz', '-|r1.xyzx|', 'l(1.0, 2.0, 3.0, 0.0)', 'v0.x'])
    expect(at(3)).toBe('ret')
  })

  it('have lines and columns, and end where their first line does', () => {
    const { places } = parseProgram(TEXT)
    expect(textPlaceOf(places, { kind: 'statement', index: 1, operand: 3 })).toEqual({
      kind: 'text',
      line: 3,
      column: TEXT.split('\r\n')[2]!.indexOf('v0.x') + 1,
      length: 4,
      sourceLine: TEXT.split('\r\n')[2],
    })
    expect(textPlaceOf(places, { kind: 'statement', index: 2 })).toMatchObject({ line: 4, column: 1 })
    expect(textPlaceOf(places, { kind: 'statement', index: 3 })).toMatchObject({ line: 6, column: 1, length: 3 })
    expect(textPlaceOf(places, { kind: 'statement', index: 4 })).toBeUndefined()
  })

  it('are there for the statements of a broken text that could be read', () => {
    const text = 'cs_5_0\nmov r0.x, l(1.0)\nmov r0.q, r0.x\n/* a\ncomment */ ret\n'
    const { value, statements, places } = parseProgram(text)
    expect(value).toBeUndefined()
    expect(statements).toHaveLength(2)
    expect(places.statements.map(({ start, end }) => text.slice(start, end))).toEqual(['mov r0.x, l(1.0)', 'ret'])
    expect(places.statements.map((s) => s.line)).toEqual([2, 5])
  })

  it('cover every statement of the official listings, with all operands', () => {
    for (const { name, listing } of corpusFiles()) {
      const { statements, places } = parseProgram(listing)
      expect(places.statements.length, name).toBe(statements.length)
      let end = 0
      statements.forEach((s, i) => {
        const range = places.statements[i]!
        expect(range.start, name).toBeGreaterThanOrEqual(end)
        end = range.end
        if (s.kind === 'instruction') expect(range.operands.length, `${name} ${i}`).toBe(s.operands.length)
      })
    }
  })
})
