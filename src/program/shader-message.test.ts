import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeChunk, corpusFiles } from '../../test/support/corpus.ts'
import { CUSTOM_DATA } from '../isa/index.ts'
import { type CustomData, decodeProgram, decodeShaderMessage, encodeShaderMessage, MESSAGE_ID } from './index.ts'

const messageOf = (...dwords: number[]): CustomData => ({
  kind: 'custom-data',
  dataClass: CUSTOM_DATA.shaderMessage,
  dwords,
})

describe('shader messages', () => {
  it('of the corpus decode, and encode to the same dwords', () => {
    const found = corpusFiles()
      .flatMap((f) => decodeProgram(codeChunk(f.bytes)).value!.statements)
      .filter((s) => s.kind === 'custom-data' && s.dataClass === CUSTOM_DATA.shaderMessage)
    expect(found.length).toBeGreaterThan(0)
    for (const data of found as CustomData[]) {
      const message = decodeShaderMessage(data)
      expect(message).toBeDefined()
      expect(encodeShaderMessage(message!)).toEqual(data)
    }
  })

  it('hold any bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 40 }), (bytes) => {
        const text = String.fromCharCode(...bytes)
        const message = { id: MESSAGE_ID.errorf, format: 1, operands: [], text }
        expect(decodeShaderMessage(encodeShaderMessage(message))).toEqual(message)
      }),
    )
  })

  it('that contradict themselves are none', () => {
    expect(decodeShaderMessage(messageOf(MESSAGE_ID.printf, 1, 0, 0))).toBeUndefined()
    expect(decodeShaderMessage(messageOf(MESSAGE_ID.printf, 1, 9, 0, 0, 0x41))).toBeUndefined()
    expect(decodeShaderMessage(messageOf(MESSAGE_ID.printf, 1, 1, 1, 1, 0x0010000a, 0x41))).toBeUndefined()
    expect(decodeShaderMessage(messageOf(MESSAGE_ID.printf, 1, 1, 0, 0xffffffff, 0x41))).toBeUndefined()
    expect(decodeShaderMessage(messageOf(MESSAGE_ID.printf, 1, 1, 0xffffffff, 0, 0x41))).toBeUndefined()
  })
})
