import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CORPUS_FOLDER, corpusFile } from '../../test/support/corpus.ts'
import { memoryHost } from '../../test/support/jobs.ts'
import { findChunk, readDxbcOrThrow, stripChunks, writeDxbc } from '../dxbc/index.ts'
import { debug } from '../host/index.ts'
import { jobTemplate, loadShader, parseDescription } from '../job/index.ts'

const NAME = 'cs/real_light_cull.zi'
const container = readDxbcOrThrow(corpusFile(NAME).bytes)
const PDB = findChunk(container, 'SPDB')!.data
const stripped = writeDxbc(stripChunks(container, ['SPDB']))
const hlsl = new Uint8Array(readFileSync(join(CORPUS_FOLDER, 'cs/real_light_cull.hlsl')))

async function opened(files: Record<string, Uint8Array>) {
  const host = memoryHost(files)
  const loaded = loadShader({ file: 'out/lights.cso', entry: 'main', profile: 'cs_5_0', path: '$' }, host)
  const job = jobTemplate(loaded.value!, 'lights', 'out/lights.cso').value
  return debug(parseDescription(job).value!, host)
}
const codes = async (files: Record<string, Uint8Array>): Promise<string[]> =>
  (await opened(files)).diagnostics.map((d) => d.code)

it('takes the PDB beside a shader without debug data', async () => {
  const without = await opened({ 'out/lights.cso': stripped })
  expect(without.value!.run.map.origin).toBe('listing')
  const beside = await opened({ 'out/lights.cso': stripped, 'out/lights.pdb': PDB })
  expect(beside.value!.run.map.origin).toBe('spdb')
  expect(beside.value!.run.map.files[0]!.text).toContain('numthreads')
})

it('says that a PDB is of another program, and goes on with the listing', async () => {
  const other = findChunk(readDxbcOrThrow(corpusFile('ps/include_zi').bytes), 'SPDB')!.data
  const { value, diagnostics } = await opened({ 'out/lights.cso': stripped, 'out/lights.pdb': other })
  expect(diagnostics.map((d) => d.code)).toContain('source-mismatch')
  expect(value!.run.map.origin).toBe('listing')
})

it('warns of a source file that was changed after the shader was compiled', async () => {
  const shader = { 'out/lights.cso': corpusFile(NAME).bytes }
  expect(await codes({ ...shader, './real_light_cull.hlsl': hlsl })).toEqual([])
  expect(await codes({ ...shader, 'out/real_light_cull.hlsl': hlsl })).toEqual([])
  expect(await codes({ ...shader, 'out/real_light_cull.hlsl': hlsl.subarray(1) })).toEqual(['source-changed'])
})
