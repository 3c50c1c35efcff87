import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import {
  assemble,
  assembleOrThrow,
  decodeProgram,
  decodeProgramOrThrow,
  disassembleOrThrow,
  disassembleOutcome,
  readDxbc,
  readDxbcOrThrow,
  reflect,
  reflectOrThrow,
  ShaderError,
  validate,
} from '../src/index.ts'

/** What callers without types give where bytes, texts, containers or programs are expected. */
const NONE = [undefined, null, 5, true, {}, [], [68, 88, 66, 67], new ArrayBuffer(8), () => 0]
const NO_BYTES = [...NONE, 'DXBC', new Float32Array(9)]
const NO_TEXT = [...NONE, new Uint8Array(9)]

type Reader = (given: never) => { readonly ok: boolean; readonly diagnostics: readonly { readonly code: string }[] }

describe('readers of shaders, given something of another type', () => {
  const readers: readonly (readonly [string, Reader, (given: never) => unknown, readonly unknown[]])[] = [
    ['readDxbc', readDxbc, readDxbcOrThrow, NO_BYTES],
    ['decodeProgram', decodeProgram, decodeProgramOrThrow, NO_BYTES],
    ['disassemble', disassembleOutcome, disassembleOrThrow, NO_BYTES],
    ['assemble', assemble, assembleOrThrow, NO_TEXT],
    ['reflect', reflect, reflectOrThrow, NO_BYTES],
  ]
  it.each(readers)('%s says what it takes, and its twin throws one ShaderError', (name, read, orThrow, wrong) => {
    for (const given of wrong) {
      const { ok, diagnostics } = read(given as never)
      expect(ok).toBe(false)
      expect(diagnostics).toEqual([expect.objectContaining({ code: 'argument-type' })])
      expect(diagnostics[0]).toHaveProperty(
        'message',
        expect.stringMatching(new RegExp(`^${name} takes .* was given$`)),
      )
      expect(() => orThrow(given as never)).toThrow(ShaderError)
    }
  })

  it('validate has one finding', () => {
    for (const given of NO_BYTES) {
      expect(validate(given as never).map((d) => d.code)).toEqual(['argument-type'])
    }
  })

  it('takes a Buffer, and what another realm calls a Uint8Array', () => {
    expect(readDxbc(Buffer.from('DX')).diagnostics.map((d) => d.code)).toEqual(['dxbc-magic'])
    const foreign = runInNewContext('new Uint8Array(2)') as Uint8Array
    expect(foreign).not.toBeInstanceOf(Uint8Array)
    expect(validate(foreign).map((d) => d.code)).toEqual(['dxbc-magic'])
    expect(readDxbc(foreign).diagnostics.map((d) => d.code)).toEqual(['dxbc-magic'])
  })
})
