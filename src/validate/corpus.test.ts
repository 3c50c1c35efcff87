import { describe, expect, test } from 'vitest'
import { codeChunk, corpusFiles } from '../../test/support/corpus.ts'
import { decodeProgramOrThrow } from '../program/index.ts'
import { validate } from './index.ts'

const files = corpusFiles()

describe('what fxc made', () => {
  const made = files.filter((f) => !f.synthetic)

  test('has no finding as a container', () => {
    const found = made.flatMap((f) => validate(f.bytes).map((d) => `${f.name}: ${d.code}: ${d.message}`))
    expect(made.length).toBeGreaterThanOrEqual(465)
    expect(found).toEqual([])
  })

  test('has no finding as a program', () => {
    const found = made.flatMap((f) =>
      validate(decodeProgramOrThrow(codeChunk(f.bytes))).map((d) => `${f.name}: ${d.code}`),
    )
    expect(found).toEqual([])
  })
})

describe('what was patched to be wrong', () => {
  // What each file asks, in the corpus' README, says what is wrong with it.
  test.each([
    ['synthetic/sync_flags', 'validate-sync-flags'],
    ['synthetic/global_flags', 'validate-duplicate-declaration'],
    ['synthetic/resource_dcls', 'validate-declared-dimension'],
    ['synthetic/resource_dcls', 'validate-return-type'],
    ['synthetic/resource_dcls', 'validate-sampler-declaration'],
    ['synthetic/ps_input_dcls', 'validate-interpolation'],
    ['synthetic/gs_enums', 'validate-stage-choice'],
    ['synthetic/hs_enums', 'validate-control-point-count'],
    ['synthetic/instr_fields', 'validate-return-type-control'],
    ['synthetic/operand_forms', 'program-tokens'],
    ['synthetic/operand_types', 'validate-index-dimension'],
  ])('%s: %s', (name, code) => {
    const file = files.find((f) => f.name === name)
    expect(file === undefined ? [] : validate(file.bytes).map((d) => d.code)).toContain(code)
  })

  test('the instructions that fxc never writes are right all the same', () => {
    const names = ['callc', 'continuec', 'retc', 'umul_umad', 'usubb', 'emit_then_cut', 'debug_break']
    const found = names.flatMap((name) => {
      const file = files.find((f) => f.name === `synthetic/${name}`)
      return file === undefined ? [`${name} is missing`] : validate(file.bytes).map((d) => `${name}: ${d.message}`)
    })
    expect(found).toEqual([])
  })
})
