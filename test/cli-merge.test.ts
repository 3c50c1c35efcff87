import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { shardInEnvironment } from '../apps/cli/jobs/shard.ts'
import { readReport } from '../apps/cli/reports/report.ts'
import { type JunitCase, junitXml } from '../src/diagnostic/index.ts'
import { heddle } from './support/cli.ts'

const folder = mkdtempSync(join(tmpdir(), 'heddle-merge-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const at = (name: string): string => join(folder, name)

/** Every thread of a group stores its number to one word of shared memory: a race. */
const SHADER = `cs_5_0
dcl_uav_raw u0
dcl_input vThreadIDInGroup.x
dcl_tgsm_raw g0, 4
dcl_thread_group 4, 1, 1
store_raw g0.x, l(0), vThreadIDInGroup.x
store_raw u0.x, l(0), l(7)
ret`
const CLEAN = SHADER.replace(/^(?:dcl_tgsm|store_raw g0).*\n/gm, '')

/** Five descriptions: the second and the fifth do not leave what they should. */
const JOBS = [7, 8, 7, 7, 9].map((word, i) => {
  const path = at(`job ${i}.job.json`)
  const resources = [{ slot: 'u0', kind: 'raw', size: 4 }]
  const shader = i === 2 ? 'race.asm' : 'clean.asm'
  const check = [{ slot: 'u0', words: [word] }]
  writeFileSync(path, JSON.stringify({ name: `<job> "${i}" & more`, shader, dispatch: [1, 1, 1], resources, check }))
  return path
})
writeFileSync(at('race.asm'), SHADER)
writeFileSync(at('clean.asm'), CLEAN)

/** A report of all descriptions or of one shard, in every format. */
async function report(verb: string, name: string, ...args: readonly string[]): Promise<void> {
  const files = [`--junit=${at(`${name}.xml`)}`, `--sarif=${at(`${name}.sarif`)}`]
  const { stdout } = await heddle(verb, ...JOBS, '--json', ...files, ...args)
  writeFileSync(at(`${name}.json`), stdout)
}

const read = (name: string): string => readFileSync(at(name), 'utf8')
const withoutTimes = (text: string): string => text.replace(/ time="[^"]*"|[\d.]+ ms/g, '')
const jsonWithoutTimes = (name: string): unknown =>
  JSON.parse(read(name), (key, value) => (/milliseconds/i.test(key) ? undefined : value))

describe.each(['run', 'check'])('the reports of all shards of heddle %s', (verb) => {
  it('merged are the report of the whole', async () => {
    await report(verb, 'whole')
    for (const i of [1, 2, 3]) await report(verb, `part-${i}`, '--shard', `${i}/3`)
    for (const kind of ['xml', 'sarif', 'json']) {
      // In another order than that of the shards.
      const parts = [3, 1, 2].map((i) => at(`part-${i}.${kind}`))
      const merged = at(`merged.${kind}`)
      expect(await heddle('merge', ...parts, '-o', merged)).toEqual({ status: 1, stdout: '', stderr: '' })
      if (kind === 'xml') expect(withoutTimes(read('merged.xml'))).toBe(withoutTimes(read('whole.xml')))
      else if (kind === 'json') expect(jsonWithoutTimes('merged.json')).toEqual(jsonWithoutTimes('whole.json'))
      else {
        const [a, b] = ['merged.sarif', 'whole.sarif'].map((f) => JSON.parse(read(f)).runs[0])
        expect(a.results).toHaveLength(b.results.length)
        expect(a.results).toEqual(expect.arrayContaining(b.results))
        expect(a.tool).toEqual(b.tool)
        expect(a.properties).toBeUndefined()
      }
    }
  })
})

describe('reports that are not merged', () => {
  it('are told apart: which shard is missing, comes twice, or is of another run', async () => {
    for (const i of [1, 2, 3]) await report('run', `part-${i}`, '--shard', `${i}/3`)
    await report('run', 'half', '--shard', '2/2')
    await report('run', 'whole')
    await report('check', 'checked', '--shard', '2/3')
    const refused = async (...names: string[]): Promise<string> => {
      const { status, stdout, stderr } = await heddle('merge', ...names.map(at))
      expect([status, stdout]).toEqual([2, ''])
      return stderr.replaceAll(`${folder}/`, '')
    }
    const wrong = (text: string): string => `error: ${text}; nothing was merged\n`
    expect(await refused('part-1.xml')).toBe(wrong('shards 2, 3 of 3 missing'))
    expect(await refused('part-1.json', 'part-3.json')).toBe(wrong('shard 2 of 3 missing'))
    expect(await refused('part-1.xml', 'part-2.xml', 'half.xml')).toContain(
      'part-1.xml is shard 1 of 3, half.xml 2 of 2',
    )
    expect(await refused('part-1.xml', 'checked.xml')).toBe(
      wrong('part-1.xml is of heddle run, checked.xml of heddle check'),
    )
    expect(await refused('part-1.sarif', 'part-2.xml')).toBe(wrong('part-1.sarif is SARIF, part-2.xml JUnit'))
    expect(await refused('part-1.json', 'whole.json')).toBe(wrong('part-1.json is of a shard, whole.json is not'))
    writeFileSync(at('copy.sarif'), read('part-1.sarif'))
    expect(await refused('part-1.sarif', 'copy.sarif', 'part-2.sarif', 'part-3.sarif')).toBe(
      wrong('part-1.sarif and copy.sarif are both shard 1 of 3'),
    )
    writeFileSync(at('again.xml'), read('whole.xml'))
    expect(await refused('whole.xml', 'again.xml')).toContain(
      'whole.xml and again.xml overlap: both have job 0.job.json',
    )
  })

  it('are those of other files, other versions, runs that ended early, and what is no report', async () => {
    await report('run', 'part-1', '--shard', '1/2', '--bail')
    await report('run', 'cut', '--shard', '2/2', '--bail')
    // SARIF alone has nothing of files in which nothing was found.
    for (const kind of ['xml', 'sarif', 'json']) {
      const { status, stderr } = await heddle('merge', at(`part-1.${kind}`), at(`cut.${kind}`))
      expect([status, stderr]).toEqual([2, expect.stringMatching(/cut\.\w+ has 1 of the 2 files.*ended early/)])
    }
    const others = [...JOBS].reverse()
    await heddle('run', ...others, '--shard', '2/2', '--junit', at('part-2.xml'), '-q')
    expect((await heddle('merge', at('part-1.xml'), at('part-2.xml'))).stderr).toContain('are of other files')
    await heddle('run', ...JOBS, '--shard', '2/2', '--junit', at('part-2.xml'), '-q')
    await heddle('run', ...JOBS, '--shard', '1/2', '--junit', at('part-1.xml'), '-q')
    const cut = read('part-1.xml').replace(/ {4}<testcase[\s\S]*?<\/testcase>\n/, '')
    writeFileSync(at('part-1.xml'), cut)
    expect((await heddle('merge', at('part-1.xml'), at('part-2.xml'))).stderr).toContain(
      'has 2 of the 3 files of shard 1 of 2: it was ended early',
    )
    writeFileSync(at('part-1.xml'), cut.replace(/(heddle.version" value=")[^"]*/, '$10.0.9'))
    expect((await heddle('merge', at('part-1.xml'), at('part-2.xml'))).stderr).toContain('was written by heddle 0.0.9')
    writeFileSync(at('other.xml'), '<testsuites><testsuite name="jest"></testsuite></testsuites>')
    expect((await heddle('merge', at('other.xml'), at('race.asm'), at('none.xml'))).stderr).toMatch(
      /other\.xml: this is no JUnit file of heddle run[\s\S]*race\.asm: this is neither XML nor JSON[\s\S]*none\.xml: there is no such file/,
    )
  })
})

describe('more shards than files', () => {
  it('merge: those without files need not be there, and may be', async () => {
    const files = JOBS.slice(0, 2)
    const parts = [1, 2, 3].map((i) => at(`few-${i}.xml`))
    for (const [i, part] of parts.entries()) {
      const { status } = await heddle('run', ...files, '--shard', `${i + 1}/3`, '--junit', part, '-q')
      expect(status).toBe([0, 1, 0][i])
    }
    const { status, stdout } = await heddle('merge', ...parts)
    expect([status, stdout.match(/<testcase/g)?.length]).toEqual([1, 2])
    expect((await heddle('merge', ...parts.slice(0, 2))).stdout).toBe(stdout)
    expect((await heddle('merge', ...parts.slice(1))).stderr).toContain('shard 1 of 3 missing')
  })
})

describe('--shard auto', () => {
  afterEach(() => vi.unstubAllEnvs())

  it.each([
    [{ JOB_COMPLETION_INDEX: '0', JOB_COMPLETIONS: '4' }, 1, 4],
    [{ JOB_COMPLETION_INDEX: '3', JOB_COMPLETIONS: '4' }, 4, 4],
    [{ CI_NODE_INDEX: '1', CI_NODE_TOTAL: '5' }, 1, 5],
    [{ CIRCLE_NODE_INDEX: '0', CIRCLE_NODE_TOTAL: '2' }, 1, 2],
    [{ BUILDKITE_PARALLEL_JOB: '1', BUILDKITE_PARALLEL_JOB_COUNT: '2' }, 2, 2],
    [{ SYSTEM_JOBPOSITIONINPHASE: '2', SYSTEM_TOTALJOBSINPHASE: '3' }, 2, 3],
    [{ SEMAPHORE_JOB_INDEX: '3', SEMAPHORE_JOB_COUNT: '3' }, 3, 3],
    [{ BITBUCKET_PARALLEL_STEP: '0', BITBUCKET_PARALLEL_STEP_COUNT: '3' }, 1, 3],
  ])('reads %o', (env, index, count) => {
    expect(shardInEnvironment(env)).toEqual({ index, count })
  })

  it.each([
    [{}, /none of JOB_COMPLETION_INDEX, CI_NODE_INDEX,.* is set; give the part as --shard i\/n/],
    [{ JOB_COMPLETION_INDEX: '0' }, /JOB_COMPLETIONS is not set; set it to the number of jobs/],
    [{ JOB_COMPLETION_INDEX: '4', JOB_COMPLETIONS: '4' }, /the first from 0 to JOB_COMPLETIONS - 1/],
    [{ CI_NODE_INDEX: '0', CI_NODE_TOTAL: '4' }, /the first from 1 to CI_NODE_TOTAL/],
    [{ CI_NODE_INDEX: 'x', CI_NODE_TOTAL: '' }, /whole numbers are expected/],
    [
      { CI_NODE_INDEX: '1', CI_NODE_TOTAL: '1', JOB_COMPLETION_INDEX: '0' },
      /\(Kubernetes\) and CI_NODE_INDEX \(GitLab\)/,
    ],
  ])('refuses %o', (env, message) => {
    expect(shardInEnvironment(env)).toMatch(message)
  })

  it('is an option of run and check', async () => {
    vi.stubEnv('CI_NODE_INDEX', '2')
    vi.stubEnv('CI_NODE_TOTAL', '5')
    const { stdout } = await heddle('run', '--shard', 'auto', '--json', ...JOBS)
    expect(JSON.parse(stdout).map((r: { file: string }) => r.file)).toEqual([JOBS[1]])
    vi.stubEnv('CI_NODE_INDEX', '6')
    expect((await heddle('check', '--shard', 'auto', ...JOBS)).status).toBe(2)
  })
})

describe('JUnit XML', () => {
  const text = fc.string({ unit: 'grapheme' }).map((s) => s.replace(/[^\t\n -\u{10FFFF}]/gu, ''))
  const problem = fc.record({
    kind: fc.constantFrom('failure' as const, 'error' as const),
    type: text,
    message: text,
    text,
  })
  const junitCase: fc.Arbitrary<JunitCase> = fc.record(
    { className: text, name: text, file: text, seconds: fc.nat(1e6).map((n) => n / 1000), problem },
    { requiredKeys: ['className', 'name', 'file'] },
  )

  it('is read back as it was written', () => {
    fc.assert(
      fc.property(fc.array(junitCase), (cases) => {
        const read = readReport('r.xml', junitXml('heddle run', cases))
        expect(read).toEqual({ format: 'JUnit', path: 'r.xml', verb: 'run', entries: cases })
      }),
    )
  })

  it('that is damaged is refused, or read as something else, and never an exception', () => {
    const whole = junitXml('heddle run', [{ className: 'c', name: 'n', file: 'f' }])
    fc.assert(
      fc.property(fc.nat(whole.length), fc.nat(8), fc.string(), (start, length, inserted) => {
        readReport('r.xml', whole.slice(0, start) + inserted + whole.slice(start + length))
      }),
    )
  })
})
