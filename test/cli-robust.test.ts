import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { heddle } from './support/cli.ts'
import { CORPUS_FOLDER } from './support/corpus.ts'

const folder = mkdtempSync(join(tmpdir(), 'heddle-robust-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const SHADER = join(CORPUS_FOLDER, 'cs/icb.dxbc')
const LISTING = join(CORPUS_FOLDER, 'cs/icb.asm')
const COPY = join(import.meta.dirname, 'kernels/copy.small.json')

describe('what cannot be written is one sentence and exit code 2', () => {
  it.each([
    [
      'dis to a full device',
      ['dis', SHADER, '-o', '/dev/full'],
      'cannot write /dev/full: no space is left on the device',
    ],
    [
      'asm to a full device',
      ['asm', LISTING, '-o', '/dev/full'],
      'cannot write /dev/full: no space is left on the device',
    ],
    [
      'asm into no folder',
      ['asm', LISTING, '-o', 'no/such/x.dxbc'],
      'cannot write no/such/x.dxbc: there is no such folder',
    ],
    ['asm onto a folder', ['asm', LISTING, '-o', folder], 'it is a folder'],
    ['a folder where a file is', ['dis', SHADER, '--out-dir', LISTING], 'cannot write'],
    ['a folder under a file', ['asm', LISTING, '--out-dir', `${LISTING}/x`], 'cannot write'],
    [
      'check results',
      ['check', COPY, '--junit', '/dev/full'],
      'cannot write /dev/full: no space is left on the device',
    ],
  ])('%s', async (_, args, message) => {
    const { status, stderr } = await heddle(...args)
    expect(stderr).toContain(`error: `)
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('    at ')
    expect(status).toBe(2)
  })
})

describe('what is too long is refused before it is read', () => {
  it('as a run description and as a shader', async () => {
    const huge = join(folder, 'huge.json')
    writeFileSync(huge, '')
    truncateSync(huge, 700 * 2 ** 20)
    for (const verb of ['run', 'check', 'validate', 'dis']) {
      const { status, stderr } = await heddle(verb, huge)
      expect(stderr).toContain(`cannot read ${huge}: it has 700 MB; at most 256 MB are read`)
      expect(status).toBe(2)
    }
  })

  it.runIf(process.platform === 'linux')('as a file without an end', async () => {
    const { status, stderr } = await heddle('hash', '/dev/zero')
    expect(stderr).toContain('cannot read /dev/zero: it has more than 256 MB')
    expect(status).toBe(2)
  })
})

describe('a description that leaves its folder', () => {
  const assembly = 'cs_5_0\ndcl_uav_raw u0\ndcl_thread_group 1, 1, 1\nret'
  const path = join(folder, 'outside.job.json')
  const output = [{ slot: 'u0', path: '../outside.bin' }]
  const init = { kind: 'file', path: '/dev/zero', byteLength: 16 }
  const resources = [{ slot: 'u0', kind: 'raw', size: 16, init }]
  writeFileSync(path, JSON.stringify({ shader: { assembly }, dispatch: [1, 1, 1], resources, output: [] }))

  it('is refused without --allow-outside', async () => {
    const { status, stderr } = await heddle('run', path)
    expect(stderr).toContain('$.resources[0].init.path: error: cannot read /dev/zero: it lies outside the folder')
    expect(stderr).toContain('--allow-outside')
    expect(status).toBe(2)
    expect((await heddle('run', path, '--allow-outside')).status).toBe(0)
  })

  it('writes nothing there either', async () => {
    const other = join(folder, 'writes.job.json')
    const own = [{ slot: 'u0', kind: 'raw', size: 16 }]
    writeFileSync(other, JSON.stringify({ shader: { assembly }, dispatch: [1, 1, 1], resources: own, output }))
    const { status, stderr } = await heddle('run', other)
    expect(stderr).toContain('cannot write ../outside.bin: it lies outside the folder')
    expect(status).not.toBe(0)
  })
})

describe('what is neither a compiled shader nor text', () => {
  const path = join(folder, 'picture.bin')
  // Every byte once: 0 and 25 control characters among them.
  writeFileSync(
    path,
    Uint8Array.from({ length: 256 }, (_, i) => i),
  )
  it.each([
    ['dis', 2, 'is no compiled shader: it does not begin with DXBC'],
    ['info', 2, 'is no compiled shader: it does not begin with DXBC'],
    ['asm', 2, 'neither a compiled shader, which begins with "DXBC", nor text'],
    ['validate', 1, 'neither a compiled shader, which begins with "DXBC", nor text'],
    ['cfg', 1, 'neither a compiled shader, which begins with "DXBC", nor text'],
    ['source', 1, 'neither a compiled shader, which begins with "DXBC", nor text'],
    ['init', 2, 'is neither a compiled shader (DXBC) nor text'],
    ['run', 2, 'is no run description (JSON), no compiled shader (it does not begin with DXBC), and no text'],
    ['check', 2, 'is no run description (JSON), no compiled shader (it does not begin with DXBC), and no text'],
  ])('is refused by %s in one sentence', async (verb, exit, message) => {
    const { status, stderr } = await heddle(verb, path)
    expect(stderr).toContain(message)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(status).toBe(exit)
  })

  it('is told from a listing, for which the verb is named', async () => {
    const { status, stderr } = await heddle('info', LISTING)
    expect(stderr).toContain('it does not begin with DXBC; listings are assembled by heddle asm')
    expect(status).toBe(2)
  })
})

it('help of a verb that there is not is an error with what is alike', async () => {
  const { status, stderr } = await heddle('help', 'disasm')
  expect(stderr).toContain("unknown command 'disasm'")
  expect(stderr).toContain('dis')
  expect(status).toBe(2)
})
