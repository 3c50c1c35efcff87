import { describe, expect, it } from 'vitest'
import { INSTRUCTIONS, isInModel, needsQuad, rowOfMnemonic } from './index.ts'

const row = (mnemonic: string) => {
  const found = rowOfMnemonic(mnemonic)
  if (found === undefined) throw new Error(`no instruction ${mnemonic}`)
  return found
}

describe('What a program may have', () => {
  it('goes by the model in which an instruction came', () => {
    expect(isInModel(row('add'), 'pixel', 40)).toBe(true)
    expect(isInModel(row('dadd'), 'pixel', 41)).toBe(false)
    expect(isInModel(row('dadd'), 'pixel', 50)).toBe(true)
  })

  it('lets compute shaders of Shader Model 4 use raw and structured buffers, other stages not', () => {
    expect(isInModel(row('store_raw'), 'compute', 40)).toBe(true)
    expect(isInModel(row('store_raw'), 'pixel', 40)).toBe(false)
  })

  it('takes sizes of buffers with any model', () => {
    expect(isInModel(row('bufinfo'), 'vertex', 40)).toBe(true)
  })

  it('finds the samples that compare pixels', () => {
    expect(INSTRUCTIONS.filter(needsQuad).map((r) => r.mnemonic.replace(/_feedback$|_cl_s$|_cl$|_s$/, ''))).toEqual(
      expect.arrayContaining(['sample', 'sample_b', 'sample_c']),
    )
    expect(needsQuad(row('sample_l'))).toBe(false)
    expect(needsQuad(row('sample_d'))).toBe(false)
    expect(needsQuad(row('sample_c_lz'))).toBe(false)
  })
})
