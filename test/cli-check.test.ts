import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import type { Report } from '../src/check/index.ts'
import { heddle } from './support/cli.ts'
import { KERNELS_FOLDER } from './support/corpus.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const FAULTY = join(ROOT, 'examples/check-missing-barrier/pick-best.job.json')
const FIXED = join(ROOT, 'examples/check-missing-barrier/pick-best-fixed.job.json')
const folder = mkdtempSync(join(tmpdir(), 'heddle-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const check = (...args: string[]) => heddle('check', '--jobs', '1', ...args)

interface FileReport {
  readonly file: string
  readonly report: Report
}
const json = async (...args: string[]): Promise<FileReport[]> =>
  JSON.parse((await check('--json', ...args)).stdout) as FileReport[]

describe('heddle check', () => {
  it('finds the missing barriers of the example and passes the fixed one', async () => {
    const faulty = await check(FAULTY)
    expect(faulty.status).toBe(1)
    expect(faulty.stdout).toContain(
      'error: one thread writes and another reads the same memory, with no barrier between them',
    )
    expect(faulty.stdout).toContain('10: store_structured g0.xy, vThreadIDInGroupFlattened.x, l(0), r0.xyxx')
    expect(faulty.stdout).toContain('15: ld_structured r1.xy, r0.w, l(0), g0.xyxx')
    expect(faulty.stdout).toContain('after barrier 3: sync_g_t')
    const fixed = await check(FIXED, '--no-hints')
    expect([fixed.status, fixed.stdout.includes('needless')]).toEqual([0, false])
  })

  it('passes the faulty one at no wave width', async () => {
    for (const width of ['1', '32', '64']) expect((await check(FAULTY, '--wave-width', width, '-q')).status).toBe(1)
  })

  it('takes a shader with its resources by flags', async () => {
    const shader = join(ROOT, 'examples/check-missing-barrier/pick-best.asm')
    const flags = ['--dispatch', '1,1,1', '--srv', 't0=structured:4x64@ramp-u32', '--uav', 'u0=structured:8x1']
    const [only] = await json(shader, ...flags)
    expect(only!.report.findings.map((f) => f.code)).toContain('check-race')
    expect(only!.report.stats.groups).toEqual([1, 1, 1])
  })

  it.each([[], ['--dispatch', '1,1,1']])(
    'asks for a frame where a shader is one of draws, with %j',
    async (...flags) => {
      const { status, stderr } = await check(join(ROOT, 'test/corpus/ps/bool_ops.dxbc'), ...flags)
      expect(status).toBe(2)
      expect(stderr).toContain('this is a pixel shader, which draws run: a run description with a frame is needed')
      expect(stderr).not.toContain('group counts')
    },
  )

  it('exit code 2 for what cannot be read or run', async () => {
    expect((await check(join(folder, 'absent.json'))).status).toBe(2)
    const bad = join(folder, 'bad.json')
    writeFileSync(bad, '{"shader": "absent.dxbc", "dispatch": [1, 1, 1], "resources": []}')
    expect((await check(bad)).status).toBe(2)
    expect((await check(FIXED, '--detectors', 'race')).stderr).toContain('there is no detector "race"')
    expect((await check(FIXED, '--shard', '3/2')).status).toBe(2)
    expect((await check(FIXED, '--suppress', 'check-nothing')).status).toBe(2)
  })

  it('looks for what it is asked for', async () => {
    expect((await check(FAULTY, '--detectors', 'bounds,barriers')).status).toBe(0)
    const [schedules] = await json(FAULTY, '--detectors', 'bounds', '--schedules')
    expect(schedules!.report.findings.map((f) => f.code)).toEqual(['check-schedule'])
  })

  it('leaves out what is suppressed, on the command line and in a file', async () => {
    const [all] = await json(FAULTY)
    const instructions = all!.report.findings.filter((f) => f.severity !== 'hint').map((f) => f.site.instruction)
    expect(instructions).toEqual([15, 23, 31, 39, 47])
    const [fewer] = await json(FAULTY, '--suppress', 'check-race@15', '--suppress', 'check-race@23')
    expect(fewer!.report.findings.filter((f) => f.severity !== 'hint').map((f) => f.site.instruction)).toEqual([
      31, 39, 47,
    ])
    expect(fewer!.report.stats.suppressed).toBe(2)
    const list = join(folder, 'known.txt')
    writeFileSync(list, '# judged\n[another]\ncheck-race\n')
    expect((await check(FAULTY, '--suppressions', list)).status).toBe(1)
    writeFileSync(list, '[pick-best]\ncheck-race # the hardware is known\n')
    expect((await check(FAULTY, '--suppressions', list)).status).toBe(0)
    writeFileSync(list, 'check-race@\n')
    const wrong = await check(FAULTY, '--suppressions', list)
    expect([wrong.status, wrong.stderr.includes('known.txt:1:1')]).toEqual([2, true])
  })

  it('divides files between shards so that each is checked once', async () => {
    const files = [FAULTY, FIXED, join(ROOT, 'test/kernels/copy.small.json')]
    const shards = [await json('--shard', '1/2', ...files), await json('--shard', '2/2', ...files)]
    expect(shards.map((s) => s.length)).toEqual([2, 1])
    expect(
      shards
        .flat()
        .map((r) => r.file)
        .sort(),
    ).toEqual([...files].sort())
  })

  it('writes SARIF and JUnit', async () => {
    const [sarifFile, junitFile] = [join(folder, 'out.sarif'), join(folder, 'out.xml')]
    await check(FAULTY, FIXED, '-q', '--sarif', sarifFile, '--junit', junitFile)
    const sarif = JSON.parse(readFileSync(sarifFile, 'utf8'))
    expect(sarif.version).toBe('2.1.0')
    const [run] = sarif.runs
    expect(run.tool.driver.rules.map((r: { id: string }) => r.id)).toContain('check-race')
    const races = run.results.filter((r: { ruleId: string }) => r.ruleId === 'check-race')
    expect(races.length).toBe(5)
    expect(run.tool.driver.rules[races[0].ruleIndex].id).toBe('check-race')
    expect(races[0].level).toBe('error')
    expect(races[0].relatedLocations.length).toBe(1)
    const junit = readFileSync(junitFile, 'utf8')
    expect(junit).toContain('<testsuites tests="2" failures="1" errors="0" time="')
    expect(junit).toContain('name="pick-best-fixed"')
    expect(junit).toContain('<failure type="check-race"')
  })

  it('names HLSL lines where the shader has debug information, and memory by reflection', async () => {
    const job = join(folder, 'cull.json')
    const shader = join(ROOT, 'test/corpus/cs/real_light_cull.zi.dxbc')
    const resources = [
      { slot: 't0', kind: 'texture2d', format: 'R32_FLOAT', width: 16, height: 16 },
      { slot: 't1', kind: 'structured', stride: 32, size: 64 },
      { slot: 'u0', kind: 'typed', format: 'R32_UINT', size: 64 },
      { slot: 'b0', kind: 'cbuffer', words: [...new Array(16).fill(0), 16, 16, 2, 1] },
    ]
    writeFileSync(job, JSON.stringify({ shader, dispatch: [1, 1, 1], unbound: ['u1'], resources }))
    const [only] = await json(job, '--allow-outside')
    const unbound = only!.report.findings.find((f) => f.code === 'check-unbound')
    expect(unbound?.site.source).toEqual({
      file: 'S:\\cs\\real_light_cull.hlsl',
      line: 43,
      text: 'if (i == 0) counts[g.xy] = c;',
    })
    expect(unbound?.memory?.text).toBe('counts (u1)')
    expect((await check(job, '--allow-outside')).stdout).toContain(
      `(S:\\cs\\real_light_cull.hlsl:${unbound!.site.source!.line})`,
    )
    const at = `check-unbound@real_light_cull.hlsl:${unbound!.site.source!.line}`
    const [judged] = await json(job, '--allow-outside', '--suppress', at)
    expect(judged!.report.findings.some((f) => f.code === 'check-unbound')).toBe(false)
  })

  it('checks many files in several processes, in the order given', () => {
    const files = ['copy', 'saxpy', 'rawcopy', 'histogram'].map((n) => join(ROOT, `test/kernels/${n}.small.json`))
    const args = ['--import', 'tsx', join(ROOT, 'apps/cli/main.ts'), 'check', '--jobs', '2', '--json', ...files, FAULTY]
    const { status, stdout } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 })
    const reports = JSON.parse(stdout) as FileReport[]
    expect(reports.map((r) => r.file)).toEqual([...files, FAULTY])
    expect([status, reports.map((r) => r.report.findings.some((f) => f.severity === 'error'))]).toEqual([
      1,
      [false, false, false, false, true],
    ])
  })
})

describe('suppressions of codes that do not exist', () => {
  it('are errors that name the near code', async () => {
    const job = join(KERNELS_FOLDER, 'copy.small.json')
    const { status, stderr } = await heddle('check', job, '--suppress', 'chek-race')
    expect([status, stderr]).toEqual([2, expect.stringContaining('error: there is no code chek-race')])
    expect(stderr).toContain("did you mean 'check-race'?")
  })
})

describe('options of engines', () => {
  it('are reported where a check does not use them', async () => {
    const job = join(KERNELS_FOLDER, 'saxpy.small.json')
    const { stderr } = await heddle('check', job, '--engine', 'wasm', '--threads', '2', '--jobs', '1')
    expect(stderr).toContain('--engine wasm and --threads 2 have no effect [check-engine]')
    expect((await heddle('check', job, '--engine', 'reference', '--jobs', '1')).stderr).not.toContain('check-engine')
  })
})
