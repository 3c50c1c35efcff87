/** Custom data as the listing writes it: the immediate constant buffer, messages, comments. */
import { CUSTOM_DATA } from '../../isa/index.ts'
import * as P from '../../program/index.ts'
import { MESSAGE_MNEMONIC } from '../text/declaration-text.ts'
import { messageCharacters } from '../text/message-text.ts'
import { readLiteralDword } from './number.ts'
import { readOperand } from './operand.ts'
import type { OperandContext, OperandPlace } from './operand-context.ts'
import { CODE, type Source } from './source.ts'

const ROW_DWORDS = 4
/** The value of the format field for messages with operands, and without: fxc writes no other. */
const PRINTF_FORMAT = 1
const MESSAGE_SOURCE: OperandPlace = { components: 'source', isDeclared: false, fullView: false, maxIndices: 3 }

const MESSAGE_IDS: ReadonlyMap<string, number> = new Map([...MESSAGE_MNEMONIC].map(([id, name]) => [name, id]))

/** The message number of `printf` or `errorf`. */
export function messageIdOf(word: string): number | undefined {
  return MESSAGE_IDS.get(word)
}

function readRow(c: OperandContext, dwords: number[]): void {
  const s = c.source
  const literals = { ...c.literals, style: 'auto' } as const
  for (let k = 0; k < ROW_DWORDS; k++) {
    s.skipToToken()
    if (k > 0) {
      s.expect(CODE.comma, 'between the components of a row')
      s.skipToToken()
    }
    dwords.push(readLiteralDword(s, literals))
  }
  s.skipToToken()
  s.expect(CODE.closeBrace, 'after a row')
}

/** `{ { 1.000000, 0, 0, 0}, ... }` behind dcl_immediateConstantBuffer, over several lines. */
export function readImmediateBuffer(c: OperandContext): P.CustomData {
  const s = c.source
  const dwords: number[] = []
  s.skipToToken()
  s.expect(CODE.openBrace, 'before the rows')
  s.skipToToken()
  while (s.peek() === CODE.openBrace) {
    s.position++
    readRow(c, dwords)
    s.skipToToken()
    if (s.peek() !== CODE.comma) break
    s.position++
    s.skipToToken()
  }
  s.expect(CODE.closeBrace, 'after the rows')
  return { kind: 'custom-data', dataClass: CUSTOM_DATA.immediateConstantBuffer, dwords }
}

/** The string of a message. Quotes in it are not escaped, so it runs to the last quote of its line. */
function readMessageText(s: Source): string {
  s.skipBlanks()
  const start = s.position
  s.expect(CODE.quote, 'before the text of the message')
  const textStart = s.position
  const end = s.lineEnd > textStart ? s.text.lastIndexOf('"', s.lineEnd - 1) : -1
  if (end < textStart) s.fail('asm-syntax', 'the text of the message has no closing quote', start, start + 1)
  s.position = end + 1
  return messageCharacters(s.text.slice(textStart, end))
}

/** `printf "text", r0.x, l(42)` behind its word. */
export function readMessage(c: OperandContext, id: number): P.CustomData {
  const s = c.source
  const text = readMessageText(s)
  const operands: P.Operand[] = []
  while (s.accept(CODE.comma)) operands.push(readOperand(c, MESSAGE_SOURCE))
  return P.encodeShaderMessage({ id, format: PRINTF_FORMAT, operands, text })
}

/** The custom data that a `// COMMENT: ` line stands for: its characters, a zero, and padding to a dword. */
export function commentData(text: string): P.CustomData {
  const dwords: number[] = []
  for (let at = 0; at <= text.length; at += 4) {
    let dword = 0
    for (let k = 0; k < 4; k++) {
      const code = at + k < text.length ? text.charCodeAt(at + k) & 0xff : 0
      dword |= code << (8 * k)
    }
    dwords.push(dword >>> 0)
  }
  return { kind: 'custom-data', dataClass: CUSTOM_DATA.comment, dwords }
}
