import { condition, dest, instruction, SM50, src } from '../build-row.ts'
import { PRECISE, SATURATE } from '../controls.ts'
import type { InstructionRow, OperandSlot } from '../row.ts'
import { words1, words3 } from '../semantics/lift.ts'
import { mov, movc, swapc } from '../semantics/move.ts'

/** Moves keep bits, yet their modifiers are those of floats. */
const value = (name: string): OperandSlot => src(name, 'bits', { modifiers: 'neg-abs' })

export const MOVE_ROWS: readonly InstructionRow[] = [
  instruction({
    mnemonic: 'mov',
    opcode: 54,
    traits: { kind: 'alu', lanes: 'componentwise', semantics: words1(mov) },
    operands: [dest('dest', 'bits'), value('src0')],
    controls: [SATURATE, PRECISE],
    literals: 'auto',
    countedAs: ['move'],
    summary: 'Component-wise move; bits stay as they are unless a modifier makes it a float operation.',
    spec: '22.9.1',
  }),
  instruction({
    mnemonic: 'movc',
    opcode: 55,
    traits: { kind: 'alu', lanes: 'componentwise', semantics: words3(movc) },
    operands: [dest('dest', 'bits'), condition('src0'), value('src1'), value('src2')],
    controls: [SATURATE, PRECISE],
    literals: 'auto',
    countedAs: ['select'],
    summary: 'Component-wise src1 where any bit of src0 is set, else src2.',
    spec: '22.9.2',
  }),
  instruction({
    mnemonic: 'swapc',
    opcode: 142,
    traits: { kind: 'alu', lanes: 'componentwise', semantics: swapc },
    since: SM50,
    operands: [
      dest('dest0', 'bits', { nullable: true }),
      dest('dest1', 'bits', { nullable: true }),
      condition('src0'),
      value('src1'),
      value('src2'),
    ],
    controls: [SATURATE, PRECISE],
    literals: 'auto',
    summary:
      'Component-wise exchange: where any bit of src0 is set dest0 gets src2 and dest1 gets src1, else the other way.',
    spec: '22.9.3',
  }),
  instruction({
    mnemonic: 'nop',
    opcode: 58,
    traits: { kind: 'nop' },
    summary: 'Does nothing.',
    spec: '22.10.13',
  }),
]
