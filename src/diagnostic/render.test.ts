import { expect, it } from 'vitest'
import { diagnostic, renderDiagnostic } from './index.ts'

it('shows control characters of the input as signs, so that terminals do not obey them, with the caret below its column', () => {
  const sourceLine = '\u001b[31mmov\u0007\u007f\u009b2J r0'
  const place = { kind: 'text', line: 2, column: 6, length: 3, sourceLine } as const
  const lines = renderDiagnostic(diagnostic('asm-syntax', "found '\u001b'", place, ['not \u0000 here']), 'a.asm').split(
    '\n',
  )
  expect(lines).toEqual([
    "a.asm:2:6: error: found '␛' [asm-syntax]",
    '  2 | ␛[31mmov␇␡�2J r0',
    '           ^^^',
    '  note: not ␀ here',
  ])
})
