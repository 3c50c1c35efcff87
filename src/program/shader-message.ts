import { CUSTOM_DATA } from '../isa/index.ts'
import { decodeOperands } from './decode.ts'
import { encodeOperands } from './encode.ts'
import type { CustomData, Operand } from './model.ts'

/** Message numbers of printf and errorf. */
export const MESSAGE_ID = { printf: 0x00200102, errorf: 0x00200103 } as const

/** printf or errorf: custom data of the class `shaderMessage`. Strings are bytes, one character each. */
export interface ShaderMessage {
  readonly id: number
  /** 0: plain text, operands are ignored; 1: a format in the manner of C's printf. */
  readonly format: number
  readonly operands: readonly Operand[]
  readonly text: string
}

const HEADER_DWORDS = 5

function bytesOf(dwords: readonly number[]): string {
  const characters: string[] = []
  for (const d of dwords) characters.push(String.fromCharCode(d & 255, (d >>> 8) & 255, (d >>> 16) & 255, d >>> 24))
  return characters.join('')
}

function dwordsOf(text: string, dwordCount: number): readonly number[] {
  const byte = (i: number): number => (i < text.length ? text.charCodeAt(i) & 255 : 0)
  return Array.from(
    { length: dwordCount },
    (_, d) => (byte(4 * d) | (byte(4 * d + 1) << 8) | (byte(4 * d + 2) << 16) | (byte(4 * d + 3) << 24)) >>> 0,
  )
}

/** Characters up to the terminator, of dwords that hold a string. */
export function textOfDwords(dwords: readonly number[]): string {
  const characters = bytesOf(dwords)
  const end = characters.indexOf('\0')
  return end < 0 ? characters : characters.slice(0, end)
}

/** The message that custom data says; undefined where the data is no message or does not hold together. */
export function decodeShaderMessage(data: CustomData): ShaderMessage | undefined {
  if (data.dataClass !== CUSTOM_DATA.shaderMessage || data.dwords.length < HEADER_DWORDS) return undefined
  const [id, format, characterCount, operandCount, operandDwords] = data.dwords as [
    number,
    number,
    number,
    number,
    number,
  ]
  const textStart = HEADER_DWORDS + operandDwords
  if (textStart > data.dwords.length) return undefined
  const operands = decodeOperands(data.dwords.slice(HEADER_DWORDS, textStart), operandCount)
  const characters = bytesOf(data.dwords.slice(textStart))
  if (operands === undefined || characterCount > characters.length) return undefined
  return { id, format, operands, text: characters.slice(0, characterCount) }
}

/** The custom data of a message; characters beyond 255 lose their high bits. */
export function encodeShaderMessage(message: ShaderMessage): CustomData {
  const operands = encodeOperands(message.operands)
  const text = dwordsOf(message.text, Math.floor(message.text.length / 4) + 1)
  return {
    kind: 'custom-data',
    dataClass: CUSTOM_DATA.shaderMessage,
    dwords: [
      message.id,
      message.format,
      message.text.length,
      message.operands.length,
      operands.length,
      ...operands,
      ...text,
    ],
  }
}
