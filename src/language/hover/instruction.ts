import { controlOf, type InstructionRow, PRECISE, rowOfMnemonic, rowOfOpcode, SATURATE } from '../../isa/index.ts'
import type { Statement } from '../../program/index.ts'
import { formulasOf } from '../formula.ts'
import { availability, slotText, stagesText, syntaxOf } from '../instruction-text.ts'

/** Columns of Markdown tables end at bars. */
const cell = (text: string): string => text.replaceAll('|', '\\|')

/** What an instruction of a row is, in Markdown. */
export function rowText(row: InstructionRow): string {
  const formulas = formulasOf(row)
  const operands = row.operands.map((slot) => `| \`${slot.name}\` | ${cell(slotText(slot))} |`)
  return [
    '```dxbc',
    syntaxOf(row),
    '```',
    row.summary,
    ...(formulas.length === 0 ? [] : ['```c', ...formulas, '```']),
    ...(operands.length === 0 ? [] : ['| operand | |', '| --- | --- |', ...operands, '']),
    `Shader model ${availability(row)}; stages: ${stagesText(row)}.${row.spec === '' ? '' : ` Functional specification ${row.spec}.`}`,
  ].join('\n')
}

/** What one statement says beside its operands: saturation, precision. */
export function controlsText(statement: Statement): readonly string[] {
  const row = statement.kind === 'instruction' ? rowOfOpcode(statement.opcode) : undefined
  if (statement.kind !== 'instruction' || row === undefined) return []
  const has = (c: typeof SATURATE): boolean => row.controls.includes(c) && controlOf(statement.controls, c) !== 0
  return [
    ...(has(SATURATE) ? ['`_sat`: the result is clamped to 0 to 1, NaN becomes 0.'] : []),
    ...(has(PRECISE) ? ['`precise`: the operation is neither reordered nor fused.'] : []),
  ]
}

/** What an instruction is, by its name; undefined for no name of one. */
export function mnemonicText(mnemonic: string): string | undefined {
  const row = rowOfMnemonic(mnemonic)
  return row === undefined ? undefined : rowText(row)
}
