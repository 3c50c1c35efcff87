import { mnemonicSyntax } from '../asm/index.ts'
import { cursorAt } from './cursor.ts'
import type { ShaderDocument } from './document.ts'
import { operandSyntax, slotText } from './instruction-text.ts'

/** The form of the instruction that a cursor is in. */
export interface SignatureHelp {
  readonly label: string
  readonly summary: string
  readonly parameters: readonly { readonly label: string; readonly text: string }[]
  /** The operand at the cursor; past the last one there is none. */
  readonly active: number
}

/** The instruction that a cursor is in the operands of. */
export function signatureHelpAt(d: ShaderDocument, position: number): SignatureHelp | undefined {
  const cursor = cursorAt(d, position)
  const row = cursor.head?.row
  if (row === undefined || cursor.isComment) return undefined
  const operands = row.operands.map((slot) => {
    const files = slot.files === undefined ? '' : ` (${slot.files.map((f) => f.replaceAll('-', ' ')).join(', ')})`
    return { label: operandSyntax(slot), text: `${slotText(slot)}${files}` }
  })
  const parameters = row.parameters.filter((p) => p !== '...').map((p) => ({ label: p, text: 'number' }))
  const all = [...operands, ...parameters]
  if (all.length === 0) return undefined
  const label = `${mnemonicSyntax(row)} ${all.map((p) => p.label).join(', ')}`
  return { label, summary: row.summary, parameters: all, active: cursor.operand }
}
