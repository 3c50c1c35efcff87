/** Code chunks and containers with very many of one thing, for tests of limits. */
import { makeDxbc, writeDxbc } from '../../src/dxbc/index.ts'

const CS_5_0 = 0x00050050

/** The opcode token of an instruction of `length` dwords. */
export const opcodeToken = (opcode: number, length: number): number => ((length << 24) | opcode) >>> 0

/** The data of a code chunk: `count` times the same dwords behind the two header tokens. */
export function repeatedCode(count: number, ...dwords: number[]): Uint8Array {
  const words = new Uint32Array(2 + count * dwords.length)
  words[0] = CS_5_0
  words[1] = words.length
  for (let i = 2; i < words.length; i++) words[i] = dwords[(i - 2) % dwords.length]!
  return new Uint8Array(words.buffer)
}

export const containerOf = (code: Uint8Array): Uint8Array => writeDxbc(makeDxbc([{ fourcc: 'SHEX', data: code }]))
