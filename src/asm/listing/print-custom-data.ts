import { CUSTOM_DATA } from '../../isa/index.ts'
import { type CustomData, decodeShaderMessage, type ShaderMessage, textOfDwords } from '../../program/index.ts'
import {
  COMMENT_TEXT,
  IMMEDIATE_BUFFER,
  MESSAGE_MNEMONIC,
  UNREADABLE_CUSTOM_DATA_TEXT,
} from '../text/declaration-text.ts'
import { messageText } from '../text/message-text.ts'
import type { Context } from './context.ts'
import { NO_CAST, operandText } from './print-operand.ts'

const ROW_DWORDS = 4

/** The immediate constant buffer; dwords beyond the last row of four are left out, as there is no register for them. */
function immediateBufferText(c: Context, dwords: readonly number[]): string {
  const print = c.style.literals.auto
  const t = IMMEDIATE_BUFFER
  let text = t.begin
  for (let i = 0; i + ROW_DWORDS <= dwords.length; i += ROW_DWORDS) {
    if (i > 0) text += t.nextRow
    text += t.rowBegin
    for (let k = 0; k < ROW_DWORDS; k++) text += (k === 0 ? '' : t.separator) + print(dwords[i + k]!)
    text += t.rowEnd
  }
  return text + t.end
}

/** `printf "text", r0.x`. Literals have no type of their own, so they print as those of mov do. */
function messageStatementText(c: Context, message: ShaderMessage): string {
  let text = ` "${messageText(message.text)}"`
  for (const operand of message.operands) text += `, ${operandText(c, operand, 'auto', NO_CAST)}`
  return text
}

interface CustomDataText {
  readonly text: string
  /** It counts as an instruction: messages do. */
  readonly isInstruction: boolean
}

/** Custom data as its lines stand in the listing. */
export function customDataText(c: Context, data: CustomData): CustomDataText {
  const { nameBegin, nameEnd } = c.style.colors
  // The row of custom data has an empty name in the disassembler, which it colors nevertheless (cs/icb.list-cc).
  const named = (name: string): string => nameBegin + nameEnd + nameBegin + name + nameEnd
  if (data.dataClass === CUSTOM_DATA.immediateConstantBuffer) {
    return { text: named(IMMEDIATE_BUFFER.mnemonic) + immediateBufferText(c, data.dwords), isInstruction: false }
  }
  const message = decodeShaderMessage(data)
  const mnemonic = message === undefined ? undefined : MESSAGE_MNEMONIC.get(message.id)
  if (message !== undefined && mnemonic !== undefined) {
    return { text: named(mnemonic) + messageStatementText(c, message), isInstruction: true }
  }
  if (data.dataClass === CUSTOM_DATA.comment) {
    return { text: COMMENT_TEXT + textOfDwords(data.dwords), isInstruction: false }
  }
  return { text: UNREADABLE_CUSTOM_DATA_TEXT, isInstruction: false }
}
