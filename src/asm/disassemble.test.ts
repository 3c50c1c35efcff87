import { describe, expect, it } from 'vitest'
import { corpusFiles } from '../../test/support/corpus.ts'
import { makeDxbc, readDxbcOrThrow, replaceChunk, stripChunks, writeDxbc } from '../dxbc/index.ts'
import { disassemble, disassembleOrThrow, disassembleOutcome, printLossless } from './index.ts'

const FILES = corpusFiles()
const file = (name: string): { bytes: Uint8Array; listing: string } => FILES.find((f) => f.name === name)!

describe('disassemble', () => {
  it('gives comments for bytes that are no container', () => {
    expect(disassemble(new Uint8Array([1, 2, 3]))).toMatch(/^\/\/ .*\[dxbc-[a-z]+\]\n(\/\/ .*\n)*$/)
    expect(() => disassembleOrThrow(new Uint8Array(40))).toThrow()
  })

  it('says when there is no program', () => {
    const { value, diagnostics } = disassembleOutcome(writeDxbc(makeDxbc([])))
    expect(value).toBeUndefined()
    expect(diagnostics.map((d) => d.code)).toEqual(['shader-no-code'])
  })

  it('lists without debug data that cannot be read, and says so', () => {
    const { bytes } = file('vs/basic.zi')
    const container = readDxbcOrThrow(bytes)
    const damaged = disassembleOutcome(writeDxbc(replaceChunk(container, 'SPDB', new Uint8Array(64))))
    expect(damaged.diagnostics.map((d) => [d.code, d.severity])).toEqual([['asm-debug-data', 'warning']])
    expect(damaged.value).toBe(disassemble(writeDxbc(stripChunks(container, ['SPDB']))))
    expect(damaged.value).not.toContain('#line')
  })

  it('counts 0 slots without statistics', () => {
    const { bytes, listing } = file('cs/empty')
    const stripped = writeDxbc(stripChunks(readDxbcOrThrow(bytes), ['STAT']))
    expect(listing).toContain('// Approximately 1 instruction slots used')
    expect(disassemble(stripped)).toContain('// Approximately 0 instruction slots used')
  })

  it('has the dialect lossless too', () => {
    const { bytes } = file('ps/sample_2d')
    expect(disassemble(bytes, { dialect: 'lossless' })).toBe(printLossless(bytes))
    expect(disassemble(bytes, { dialect: 'fxc' })).toBe(file('ps/sample_2d').listing)
  })
})
