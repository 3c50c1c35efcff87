import fc from 'fast-check'
import { expect, it } from 'vitest'
import { movedFindings, openDocument, unnecessaryFindings } from '../../src/language/index.ts'

const SHADER = `ps_5_0
dcl_input_ps linear v1.xy
dcl_output o0.xyzw
dcl_temps 3
mov r0.x, v1.x
mov r2.x, r0.x
mov r1.xy, v1.xyxx
mov o0.xyzw, r0.xxxx
ret
`
const before = openDocument(SHADER)
const gray = unnecessaryFindings(before)
const words = (text: string, { start, end }: { readonly start: number; readonly end: number }): string =>
  text.slice(start, end)

it('what has no effect stays gray where the text around it changes', () => {
  expect(gray.map((f) => words(SHADER, f.range))).toEqual(['mov r2.x, r0.x', 'mov r1.xy, v1.xyxx'])
  const edit = fc.record({
    at: fc.nat(SHADER.length),
    removed: fc.nat(8),
    added: fc.constantFrom('', ' ', 'mov', '\n', 'r0.x\n'),
  })
  fc.assert(
    fc.property(edit, ({ at, removed, added }) => {
      const end = Math.min(SHADER.length, at + removed)
      const text = SHADER.slice(0, at) + added + SHADER.slice(end)
      const moved = movedFindings(gray, before, openDocument(text)).map((f) => words(text, f.range))
      // What lies a line away from the edit cannot be part of it, whatever letters the two texts share.
      const apart = gray.filter((f) => f.range.end + 20 < at || f.range.start > end + 20)
      const kept = gray.map((f) => words(SHADER, f.range))
      expect(moved.every((w) => kept.includes(w))).toBe(true)
      expect(moved).toEqual(expect.arrayContaining(apart.map((f) => words(SHADER, f.range))))
    }),
    { numRuns: 300 },
  )
})
