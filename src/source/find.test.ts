import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CORPUS_FOLDER, corpusFile } from '../../test/support/corpus.ts'
import { findChunk, hexDigest, md5, readDxbcOrThrow, stripChunks, writeDxbc } from '../dxbc/index.ts'
import { readShader } from '../shader/index.ts'
import { databaseNames, findDatabase, isSameSource, sourceNames, sourceOf } from './index.ts'

it('computes MD5 as Node does, around every boundary of blocks', () => {
  for (const length of [0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 1000]) {
    const bytes = Uint8Array.from({ length }, (_, i) => i * 7)
    expect(hexDigest(md5(bytes))).toBe(createHash('md5').update(bytes).digest('hex'))
  }
})

describe('a PDB beside the shader', () => {
  const container = readDxbcOrThrow(corpusFile('vs/basic.zss').bytes)
  const pdb = findChunk(container, 'SPDB')!.data
  const stripped = readShader(writeDxbc(stripChunks(container, ['SPDB']))).value!
  const other = findChunk(readDxbcOrThrow(corpusFile('ps/include_zi').bytes), 'SPDB')!.data
  // fxc's own listing says the name.
  const stated = /Debug name: (\S+)/.exec(corpusFile('vs/basic.zss').listing)![1]!

  it('is looked for under the name that the shader states, then under its own', () => {
    expect(databaseNames(stripped, 'out/basic.cso', ['pdb'])).toEqual([
      `out/${stated}`,
      `pdb/${stated}`,
      'out/basic.pdb',
      'pdb/basic.pdb',
    ])
  })

  it('is taken where it is of this program, and nothing else is', async () => {
    const files: Record<string, Uint8Array> = { 'a.pdb': other, 'b.pdb': pdb, 'c.pdb': new Uint8Array(600) }
    const found = await findDatabase(stripped, ['none', 'c.pdb', 'a.pdb', 'b.pdb'], (name) => files[name])
    expect(found.database?.name).toBe('b.pdb')
    expect(found.diagnostics.map((d) => d.code)).toEqual(['dxbc-chunk-decode', 'source-mismatch'])
    expect(sourceOf(stripped).value.origin).toBe('listing')
    expect(sourceOf(stripped, { database: found.database!.bytes }).value.origin).toBe('spdb')
    expect(sourceOf(stripped, { database: other }).value.origin).toBe('listing')
  })
})

it('knows the file that was compiled by its MD5', () => {
  const [file] = sourceOf(readShader(corpusFile('vs/basic.zi').bytes).value!).value.files
  const bytes = new Uint8Array(readFileSync(join(CORPUS_FOLDER, 'vs/basic.hlsl')))
  expect(isSameSource(file!, bytes)).toBe(true)
  expect(isSameSource(file!, bytes.subarray(1))).toBe(false)
  expect(isSameSource({ name: 'virtual.hlsl' }, bytes)).toBe(undefined)
  const names = ['S:\\vs\\basic.hlsl', '/src/vs/basic.hlsl', '/src/basic.hlsl']
  expect(sourceNames(file!, ['/src'])).toEqual(names)
  // Where the user says where folders are now: in any case, with either slash, and whole folders alone.
  expect(sourceNames(file!, ['/src'], { 's:/VS/': '/home/me/', 'S:\\v': '/no' })).toEqual([
    '/home/me/basic.hlsl',
    ...names,
  ])
})
