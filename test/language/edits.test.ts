import { describe, expect, test } from 'vitest'
import { disassembleOrThrow } from '../../src/asm/index.ts'
import { allFindings, openDocument, type ShaderDocument } from '../../src/language/index.ts'
import { everyNth } from '../support/amount.ts'
import { corpusFiles } from '../support/corpus.ts'
import { numbersFrom } from '../support/language-sweeps.ts'
import { edited, randomEdit } from '../support/text-edits.ts'

/** What is known of a text beside what is worked out from it when asked. */
const stateOf = (d: ShaderDocument) => ({
  dialect: d.dialect,
  isWhole: d.isWhole,
  program: d.program,
  statements: d.statements,
  places: d.places.statements,
  found: d.found,
  findings: allFindings(d),
})

/** Edits a text again and again; each version that comes of the one before is what reading its text alone gives. */
function followEdits(original: string, seed: number, edits: number): void {
  const numbers = numbersFrom(seed)
  let document = openDocument(original)
  allFindings(document)
  for (let i = 0; i < edits; i++) {
    const edit = randomEdit(document.text, original, numbers)
    const text = edited(document.text, edit)
    document = openDocument(text, { before: document })
    // Findings are not asked for of each version: someone types faster.
    if (numbers(3) === 0) continue
    expect(stateOf(document), `edit ${i}: ${JSON.stringify(edit)}`).toEqual(stateOf(openDocument(text)))
  }
}

describe('a text that is edited is what a fresh reading of it is', () => {
  const files = everyNth(corpusFiles(), 25)
  test.each(files.map((f, i) => [f.name, f, i] as const))('%s', (_, { bytes, listing }, i) => {
    followEdits(i % 9 === 8 ? disassembleOrThrow(bytes, { dialect: 'lossless' }) : listing, i + 1, 30)
  })
})

test('lines that did not change are not read again', () => {
  const text = 'ps_5_0\ndcl_output o0.x\ndcl_temps 2\nmov r0.x, l(1.5)\nadd r1.x, r0.x, r0.x\nmov o0.x, r1.x\nret\n'
  const before = openDocument(text)
  const after = openDocument(text.replace('mov r0.x', 'mov r0.y'), { before })
  const taken = after.statements.map((s, i) => s === before.statements[i])
  expect(taken).toEqual([true, true, false, true, true, true])
})

/** The texts one after the other, each version read with the help of the one before. */
function expectVersions(texts: readonly string[]): void {
  let before: ShaderDocument | undefined
  for (const text of texts) {
    before = openDocument(text, { before })
    expect(stateOf(before), text).toEqual(stateOf(openDocument(text)))
  }
}

describe('what is said far from a line counts for it', () => {
  const text = 'ps_5_0\ndcl_output o0.x\ndcl_temps 2\nmov r0.x, l(1.5)\nadd r1.x, r0.x, r0.x\nmov o0.x, r1.x\nret\n'

  test('comments that begin or end above', () => {
    const open = text.replace('dcl_temps', '/* dcl_temps')
    expectVersions([text, open, open.replace('mov o0', '*/ mov o0'), `/* */${open}`, text])
    const behind = text.replace('ret', '/*\nmov r0.x, l(1) */ ret')
    expectVersions([behind, behind.replace('/*\n', ''), behind])
  })

  test('the profile', () => {
    const array = 'ps_5_0\ndcl_constantbuffer CB0[2], immediateIndexed\ndcl_output o0.x\nmov o0.x, cb0[1].x\nret\n'
    expectVersions([
      array,
      array.replace('ps_5_0', 'ps_5_1'),
      array.replace('ps_5_0', 'ps_4_0'),
      array.replace('ps_5_0\n', ''),
    ])
  })

  test('declarations that instructions are written by', () => {
    const sample = `ps_5_0
dcl_resource_texture2d (float,float,float,float) t0
dcl_sampler s0, mode_default
dcl_output o0.xyzw
dcl_temps 1
sample_l_indexable(texture2d)(float,float,float,float) o0.xyzw, l(0,0,0,0), t0.xyzw, s0, l(0)
sample_l_s o0.xyzw, null, l(0,0,0,0), t0.xyzw, s0, l(0)
ret
`
    expectVersions([
      sample,
      sample.replace('_texture2d (', '_texturecube ('),
      sample.replace(/dcl_res.*\n/, ''),
      sample,
    ])
  })
})
