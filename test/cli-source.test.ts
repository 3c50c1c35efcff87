import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { findChunk, readDxbcOrThrow, stripChunks, writeDxbc } from '../src/dxbc/index.ts'
import { heddle } from './support/cli.ts'
import { CORPUS_FOLDER, corpusFile } from './support/corpus.ts'

const shader = (name: string): string => join(CORPUS_FOLDER, `${name}.dxbc`)
const folder = mkdtempSync(join(tmpdir(), 'heddle-source-'))

afterAll(() => rmSync(folder, { recursive: true }))

describe('heddle source', () => {
  it('shows files, functions and where variables are', async () => {
    const { status, stdout, stderr } = await heddle('source', shader('ps/include_zi.od'))
    expect([status, stderr]).toEqual([0, ''])
    // tone stands in the include file; its parameter k of the first call is in r0.x until lt takes it.
    expect(stdout).toContain('  tone  S:\\ps\\inc\\tone.hlsli:3\n')
    expect(stdout).toContain('  tone (copy 1): parameter float k\n      25-27: r0.x\n')
    expect(stdout).toContain('  cb0[0].y  int n\n')
  })

  it('prints JSON with lines and their instructions', async () => {
    const { stdout } = await heddle('source', '--json', shader('ps/include_zi.od'))
    const [info] = JSON.parse(stdout)
    expect(info.lines[0]).toEqual({ file: 'S:\\ps\\include_zi.hlsl', line: 12, instructions: [0] })
    expect(info.settings.hlslTarget).toBe('ps_5_0')
  })

  it('takes the PDB beside the shader, or the one that is named', async () => {
    const container = readDxbcOrThrow(corpusFile('vs/basic.zss').bytes)
    const stripped = join(folder, 'basic.dxbc')
    writeFileSync(stripped, writeDxbc(stripChunks(container, ['SPDB'])))
    const origin = async (...options: readonly string[]) => {
      const { status, stdout } = await heddle('source', '--json', ...options, stripped)
      return [status, status === 2 ? undefined : JSON.parse(stdout)[0].origin]
    }
    expect(await origin()).toEqual([0, 'listing'])
    writeFileSync(join(folder, 'other.pdb'), findChunk(container, 'SPDB')!.data)
    expect(await origin('--pdb', join(folder, 'other.pdb'))).toEqual([0, 'spdb'])
    expect(await origin('--pdb', join(folder, 'none.pdb'))).toEqual([2, undefined])
    writeFileSync(join(folder, 'basic.pdb'), findChunk(container, 'SPDB')!.data)
    expect(await origin()).toEqual([0, 'spdb'])
  })
})
