import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amount } from '../../test/support/amount.ts'
import { codeChunk, corpusFiles } from '../../test/support/corpus.ts'
import { decodeProgram, encodeProgram } from './index.ts'

const dwords = (...values: number[]): Uint8Array => new Uint8Array(new Uint32Array(values).buffer)
const CS_5_0 = 0x00050050

describe('decodeProgram and encodeProgram', () => {
  it('give every code chunk of the corpus back, bit for bit', () => {
    for (const file of corpusFiles()) {
      const chunk = codeChunk(file.bytes)
      const { value, diagnostics } = decodeProgram(chunk)
      expect(encodeProgram(value!), file.name).toEqual(chunk)
      if (!file.synthetic) expect(diagnostics, file.name).toEqual([])
    }
  })

  it('understand every statement that fxc wrote', () => {
    for (const file of corpusFiles().filter((f) => !f.synthetic)) {
      const program = decodeProgram(codeChunk(file.bytes)).value!
      expect(
        program.statements.every((s) => s.kind !== 'unknown'),
        file.name,
      ).toBe(true)
      expect(program.trailing.length, file.name).toBe(0)
    }
  })

  it('keep any dwords behind a version and length token', () => {
    const token = fc.oneof(
      fc.nat(0xffffffff),
      fc.nat(234).map((op) => ((1 + (op % 6)) << 24) | op),
    )
    fc.assert(
      fc.property(fc.array(token, { maxLength: 60 }), fc.nat(80), fc.nat(3), (body, declared, odd) => {
        const chunk = new Uint8Array([...dwords(CS_5_0, declared, ...body), ...new Array(odd).fill(7)])
        expect(encodeProgram(decodeProgram(chunk).value!)).toEqual(chunk)
      }),
      { numRuns: amount(500, 3000), seed: 1 },
    )
  })

  it('do not depend on the alignment of the bytes', () => {
    const chunk = dwords(CS_5_0, 3, 0x0100003e)
    const shifted = new Uint8Array(chunk.length + 1)
    shifted.set(chunk, 1)
    expect(decodeProgram(shifted.subarray(1)).value).toEqual(decodeProgram(chunk).value)
  })
})

describe('tokens that lie', () => {
  it('are kept and reported with their place', () => {
    const truncated = decodeProgram(dwords(CS_5_0, 4, 0x02000036, 0x001000f2))
    expect(truncated.diagnostics.map((d) => d.code)).toEqual(['program-tokens'])
    expect(truncated.value!.statements[0]!.kind).toBe('unknown')
    const tooLong = decodeProgram(dwords(CS_5_0, 3, 0x7f00003e))
    expect(tooLong.diagnostics[0]!.message).toContain('127 dwords long where 1 are left')
    const empty = decodeProgram(dwords(CS_5_0, 3, 0x0000003e))
    expect(empty.diagnostics[0]!.message).toContain('0 dwords long')
    const unknownOpcode = decodeProgram(dwords(CS_5_0, 3, 0x010000ff))
    expect(unknownOpcode.diagnostics[0]!.message).toContain('opcode 255 does not exist')
  })

  it('in the length token are reported, and what is there is read', () => {
    const long = decodeProgram(dwords(CS_5_0, 99, 0x0100003e))
    expect(long.diagnostics.map((d) => d.code)).toEqual(['program-length'])
    expect(long.value!.statements.length).toBe(1)
    expect(decodeProgram(new Uint8Array(7)).diagnostics.map((d) => d.code)).toEqual(['program-header'])
  })

  it('cannot nest relative indices without end', () => {
    // An operand r[r[r[...]]] whose every index is relative.
    const nested = new Array(40).fill(0x00900002)
    const chunk = dwords(CS_5_0, nested.length + 3, ((nested.length + 1) << 24) | 0x36, ...nested)
    expect(decodeProgram(chunk).diagnostics[0]!.message).toContain('nest more than')
  })
})
