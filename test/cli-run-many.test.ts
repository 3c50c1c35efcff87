import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { heddle } from './support/cli.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'heddle-many-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Stores 100, 101, 102, ... to the words of u0, and reads one word past the end of t0. */
const SHADER = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_resource_raw t0
dcl_uav_raw u0
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 16, 1, 1
ishl r0.x, vThreadID.x, l(2)
iadd r0.y, vThreadID.x, l(100)
store_raw u0.x, r0.x, r0.y
ld_raw r0.z, r0.x, t0.xxxx
iadd r0.z, r0.z, r0.y
store_raw u0.x, r0.x, r0.z
ret`
const WORDS = Array.from({ length: 16 }, (_, i) => 100 + i)

function write(name: string, check: object[], extra: object = {}): string {
  const path = join(folder, `${name}.job.json`)
  const resources = [
    { slot: 't0', kind: 'raw', size: 32 },
    { slot: 'u0', kind: 'raw', size: 64 },
  ]
  const job = { name, shader: 'store.asm', dispatch: [1, 1, 1], resources, check, ...extra }
  writeFileSync(path, JSON.stringify(job))
  return path
}

writeFileSync(join(folder, 'store.asm'), SHADER)
const good = write('good', [{ slot: 'u0', words: WORDS }])
const wrongWords = WORDS.map((w, i) => (i % 5 === 0 ? w : w + 1))
const bad = write('bad <&>', [{ slot: 'u0', words: wrongWords }])
const missing = write('missing', [], { shader: 'none.dxbc' })
const ALL = [good, bad, missing]

describe('run descriptions in UTF-16, as Windows PowerShell writes them', () => {
  it.each([
    ['low byte first', (bytes: Buffer) => bytes],
    ['high byte first', (bytes: Buffer) => bytes.swap16()],
  ])('%s, are read', async (_, order) => {
    const path = write('wide', [])
    writeFileSync(path, order(Buffer.from(`\ufeff${readFileSync(path, 'utf8')}`, 'utf16le')))
    expect(await heddle('run', path)).toMatchObject({ status: 0, stdout: expect.stringContaining('wide: 1 x') })
  })
})

describe('several runs', () => {
  it('end with a summary that names what did not pass, and why', async () => {
    const { status, stdout } = await heddle('run', ...ALL)
    expect(status).toBe(2)
    // Sixteen words of which those at 0, 5, 10 and 15 are as expected: twelve differ, eight are shown.
    expect(stdout).toContain('    and 4 more words\n')
    expect(stdout.split('\n').slice(-4)).toEqual([
      '3 runs: 1 as expected, 2 not',
      `  failed   ${bad} (bad <&>): u0: 12 of 16 words differ`,
      `  not run  ${missing} (missing): cannot read the shader none.dxbc: there is no such file`,
      '',
    ])
  })

  it('say how far numbers are off, and where', async () => {
    const path = write('floats', [
      { slot: 'u0', compare: 'f32', init: { kind: 'values', type: 'u32', data: WORDS.map((w, i) => w + i) } },
    ])
    // As floats the words are denormals of 2^-149 a step: the last one is 15 steps off, and 115 / 130 of what it should be.
    const { stdout } = await heddle('run', path)
    expect(stdout).toMatch(/greatest difference: .* 0\.1154 of the expected value at .*; 15 ulps at /)
  })

  it('stop after failures, and say what was not started', async () => {
    const { status, stdout } = await heddle('run', bad, good, missing, '--bail')
    expect(status).toBe(1)
    expect(stdout).toContain('1 run: 0 as expected, 1 not; 2 more files not started (--bail)')
    expect((await heddle('run', '--bail', bad, good)).stdout).toContain('1 more file not started')
    expect((await heddle('run', bad, good, '--bail', '2')).stdout).toContain('2 runs: 1 as expected, 1 not\n')
    expect((await heddle('run', bad, '--bail=x')).status).toBe(2)
  })

  it('are chosen by name, by file and by shard', async () => {
    const files = async (...args: string[]): Promise<string[]> =>
      (JSON.parse((await heddle('run', '--json', ...ALL, ...args)).stdout) as { file: string }[]).map((r) => r.file)
    expect(await files('--filter', 'GOO')).toEqual([good])
    expect(await files('--filter', 'mis*job')).toEqual([missing])
    expect(await files('--filter', '<&')).toEqual([bad])
    expect(await files('--shard', '1/2')).toEqual([good, missing])
    expect(await files('--shard', '2/2')).toEqual([bad])
    expect(await heddle('run', good, '--filter', 'nothing')).toMatchObject({ status: 2 })
    expect(await heddle('run', good, '--shard', '3/2')).toMatchObject({ status: 2 })
  })

  it('are found by folders and quoted patterns', async () => {
    const files = async (...args: string[]): Promise<string[]> =>
      (JSON.parse((await heddle('run', '--json', ...args)).stdout) as { file: string }[]).map((r) => r.file)
    expect(await files(join(folder, '[gm]*.job.json'))).toEqual([good, missing])
    expect(await files(folder)).toEqual(expect.arrayContaining(ALL))
    expect(await files(folder)).not.toContain(join(folder, 'store.asm'))
    const none = await heddle('run', join(folder, '*.none'), good)
    expect([none.status, none.stderr.includes('no file matches')]).toEqual([2, true])
    expect((await heddle('check', join(folder, 'g*.job.json'))).stdout).toContain('good: ')
    expect((await heddle('run', join(folder, '*.none'))).status).toBe(2)
  })

  it('print a line of JSON each', async () => {
    const lines = (await heddle('run', '--json', ...ALL)).stdout.trim().split('\n')
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([5, '[', ']'])
    expect(JSON.parse(lines[1]!.replace(/,$/, ''))).toMatchObject({ file: good, passed: true })
  })

  it('are silent about hints of runs as expected', async () => {
    expect((await heddle('run', good)).stderr).toContain('engine-out-of-bounds')
    expect(await heddle('run', good, '-q')).toEqual({ status: 0, stdout: '', stderr: '' })
    expect((await heddle('run', good, '--no-hints')).stderr).toBe('')
  })
})

describe('results for CI', () => {
  it('are JUnit, SARIF and annotations', async () => {
    const [junit, sarif] = [join(folder, 'r.xml'), join(folder, 'r.sarif')]
    const { stdout } = await heddle('run', ...ALL, '--junit', junit, '--sarif', sarif, '--github')
    const xml = readFileSync(junit, 'utf8')
    expect(xml).toMatch(/<testsuites tests="3" failures="1" errors="1" time="\d+\.\d{3}">/)
    expect(xml).toMatch(/name="bad &lt;&amp;&gt;" file="[^"]*" time="\d+\.\d{3}">\n +<failure type="job-difference"/)
    expect(xml).toContain('<error type="job-file" message="cannot read the shader none.dxbc: there is no such file">')
    const log = JSON.parse(readFileSync(sarif, 'utf8'))
    expect(log.runs[0].results.map((r: { ruleId: string }) => r.ruleId)).toEqual(['job-difference', 'job-file'])
    const rules = log.runs[0].tool.driver.rules.map((r: { id: string }) => r.id)
    expect(rules).toEqual(['job-difference', 'job-file'])
    expect(log.runs[0].invocations[0].executionSuccessful).toBe(false)
    expect(stdout).toContain(`::error file=${bad},line=1,title=job-difference::bad <&>: u0: 12 of 16 words differ\n`)
  })
})

describe('--update', () => {
  it('makes the first expected file, keeps what is within tolerances, and writes what changed', async () => {
    const path = write('recorded', [{ slot: 'u0', file: 'recorded.bin', byteOffset: 8, byteLength: 16 }])
    const file = join(folder, 'recorded.bin')
    expect((await heddle('run', path)).status).toBe(2)
    const first = await heddle('run', path, '--update')
    expect(first.stdout).toContain('u0  exact: recorded, 16 bytes in recorded.bin')
    expect(first.status).toBe(0)
    expect([...new Uint32Array(new Uint8Array(readFileSync(file)).buffer)]).toEqual([102, 103, 104, 105])
    expect((await heddle('run', path, '-u')).stdout).toContain('as expected, 4 words')
    writeFileSync(file, Buffer.alloc(3))
    expect((await heddle('run', path)).status).toBe(2)
    expect((await heddle('run', path, '-u')).stdout).toContain('recorded, 16 bytes')
    expect((await heddle('run', path)).status).toBe(0)
  })

  it('writes nothing outside of the folder, and nothing that stands in the description', async () => {
    const outside = write('outside', [{ slot: 'u0', file: '../heddle-outside.bin' }])
    const { status, stderr } = await heddle('run', outside, '--update')
    expect(stderr).toContain('cannot write ../heddle-outside.bin: it lies outside the folder')
    expect(status).not.toBe(0)
    expect(existsSync(join(folder, '../heddle-outside.bin'))).toBe(false)
    expect((await heddle('run', bad, '--update')).status).toBe(1)
  })
})

describe('heddle check', () => {
  it('does not run what is missing, and gives one reason', async () => {
    const path = write('no-shader', [], {
      shader: 'none.dxbc',
      resources: [{ slot: 'b0', kind: 'cbuffer', values: { count: 1 } }],
    })
    const junit = join(folder, 'c.xml')
    const { status, stdout, stderr } = await heddle('check', path, '--junit', junit)
    expect([status, stdout]).toEqual([2, 'no-shader: not run\n\n'])
    expect(stderr.match(/error: /g)).toHaveLength(1)
    expect(readFileSync(junit, 'utf8')).toMatch(/errors="1" time=.*[\s\S]*<error type="refused"/)
    expect((await heddle('check', join(folder, 'nowhere.job.json'))).stdout).toContain('nowhere.job.json: not run')
  })

  it('compares contents when asked, and says so when not', async () => {
    const plain = await heddle('check', bad)
    expect(plain.stdout).toContain('expected contents of one description were not compared: --compare does')
    const junit = join(folder, 'd.xml')
    const { status, stdout } = await heddle('check', bad, '--compare', '--junit', junit)
    expect(status).toBe(1)
    expect(stdout).toContain('contents: u0: 12 of 16 words differ')
    expect(readFileSync(junit, 'utf8')).toContain('failures="1"')
    const recorded = write('unrecorded', [{ slot: 'u0', file: 'not-there.bin' }])
    expect((await heddle('check', recorded)).stdout).not.toContain('not run')
  })
})

describe('in processes of their own', () => {
  const MAIN = ['--import', 'tsx', join(ROOT, 'apps/cli/main.ts'), 'run']

  it('--jobs gives the same results in the same order', async () => {
    const plain = (stdout: string): string => stdout.replace(/[\d.]+ ms/g, 'some ms')
    const args = [...MAIN, ...ALL, '--jobs', '2']
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
    const here = await heddle('run', ...ALL)
    expect({ status, stdout: plain(stdout) }).toEqual({ status: here.status, stdout: plain(here.stdout) })
  }, 60_000)

  it('--watch runs again what changed', async () => {
    const watched = join(folder, 'watched.job.json')
    copyFileSync(good, watched)
    const child = spawn(process.execPath, [...MAIN, watched, '--watch'], { cwd: ROOT })
    let text = ''
    const seen = (pattern: RegExp): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => void (pattern.test(text) && resolve())
        child.stdout.on('data', look)
        look()
      })
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')))
    try {
      await seen(/as expected, 16 words[\s\S]*waiting for changes/)
      copyFileSync(bad, watched)
      await seen(/DIFFERENT, 12 of 16 words[\s\S]*waiting for changes/)
    } finally {
      child.kill()
    }
  }, 60_000)
})
