import { describe, expect, it } from 'vitest'
import { parseProgram } from '../asm/index.ts'
import { diagnostic, valueOrThrow } from '../diagnostic/index.ts'
import { instructionNumbers, statementName, withNamedPlaces } from './instruction-numbers.ts'

const PROGRAM = valueOrThrow(
  parseProgram('ps_5_0\ndcl_globalFlags refactoringAllowed\ndcl_temps 1\nmov r0.x, l(0)\nprintf "x"\nret'),
)

describe('numbers of instructions', () => {
  it('leave declarations out, and count messages', () => {
    expect(instructionNumbers(PROGRAM)).toEqual([undefined, undefined, 0, 1, 2])
    expect([1, 2].map((s) => statementName(PROGRAM, s))).toEqual(['statement 1', 'instruction 0'])
  })

  it('are given to places in a program with the text, and to no others', () => {
    const at = (index: number) => diagnostic('engine-operand', 'm', { kind: 'statement', index, operand: 1 })
    const other = diagnostic('engine-operand', 'm', { kind: 'path', path: '$.a' })
    const named = withNamedPlaces([at(2), at(1), other], PROGRAM, (s) => `text ${s}`)
    expect(named.map((d) => d.place)).toEqual([
      { kind: 'statement', index: 2, instruction: 0, operand: 1, listing: 'text 2' },
      { kind: 'statement', index: 1, operand: 1, listing: 'text 1' },
      { kind: 'path', path: '$.a' },
    ])
    expect(withNamedPlaces([other], PROGRAM)).toEqual([other])
  })
})
