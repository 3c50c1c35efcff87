import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PNG } from 'pngjs'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { buildCli } from '../apps/cli/program.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const KERNELS = join(ROOT, 'test/kernels')
const folder = mkdtempSync(join(tmpdir(), 'heddle-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface CliResult {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The command line from its sources, in a process of its own. */
function spawned(...args: string[]): CliResult {
  const main = join(ROOT, 'apps/cli/main.ts')
  const options = { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 28 } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', main, 'run', ...args], options)
  return { status, stdout, stderr }
}

/** The same in this process, which is faster: what it writes and the exit code it sets. */
async function heddle(...args: string[]): Promise<CliResult> {
  const texts = { stdout: '', stderr: '' }
  const catching = (name: 'stdout' | 'stderr') =>
    vi.spyOn(process[name], 'write').mockImplementation((chunk) => {
      texts[name] += String(chunk)
      return true
    })
  const spies = [catching('stdout'), catching('stderr')]
  const before = process.exitCode
  try {
    await buildCli().parseAsync(['node', 'heddle', 'run', ...args])
    return { status: Number(process.exitCode ?? 0), ...texts }
  } finally {
    process.exitCode = before
    for (const spy of spies) spy.mockRestore()
  }
}

function writeJob(name: string, job: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(job))
  return path
}

interface KernelJob {
  shader: string
  resources: { strid?: number; init: { seed: number } }[]
  check: { file: string }[]
}

/** A small kernel's description with absolute paths, changed. */
function changedKernel(name: string, change: (job: KernelJob) => void): string {
  const job: KernelJob = JSON.parse(readFileSync(join(KERNELS, `${name}.small.json`), 'utf8'))
  job.shader = join(KERNELS, job.shader)
  for (const c of job.check) c.file = join(KERNELS, c.file)
  change(job)
  return writeJob(`${name}.json`, job)
}

const COPY = ['test/kernels/copy.dxbc', '--dispatch', '1', '--cbv', 'b0=4', '--uav', 'u0=structured:16x4']

describe('heddle run, on descriptions', () => {
  const names = readdirSync(KERNELS).filter((f) => f.endsWith('.small.json'))
  const all = spawned('--json', ...names.map((n) => join(KERNELS, n)))
  const reports = JSON.parse(all.stdout || '[]') as {
    file: string
    passed: boolean
    checks: unknown[]
    undefinedCount: number
  }[]

  it('has descriptions to run', () => {
    expect(names.length).toBe(18)
    expect(reports.length).toBe(18)
    expect(all.status).toBe(0)
  })

  it.each(names)('%s gives its expected contents', (name) => {
    const report = reports.find((r) => r.file === join(KERNELS, name))!
    expect(report.checks.length).toBeGreaterThan(0)
    expect(report).toMatchObject({ passed: true, undefinedCount: 0 })
  })

  it('ends with 1 where contents differ, and shows the elements', async () => {
    const path = changedKernel('scan', (job) => (job.resources[0]!.init.seed = 11))
    const { status, stdout } = await heddle(path, '--allow-outside')
    expect(status).toBe(1)
    expect(stdout).toMatch(/u0 \(output\) {2}exact: DIFFERENT, \d+ of 6144 words/)
    expect(stdout).toMatch(/\[1\] +u32 +\d+ +\d+/)
  })

  it('ends with 2 where the description is wrong, and runs nothing', async () => {
    const path = changedKernel('scan', (job) => (job.resources[0]!.strid = 4))
    const { status, stdout, stderr } = await heddle(path, '--allow-outside')
    expect(status).toBe(2)
    expect(stdout).toContain('not run')
    expect(stderr).toContain('$.resources[0].strid')
    expect(stderr).toContain("did you mean 'stride'?")
  })

  it('ends with 2 for files that are not there, after running the others', async () => {
    const { status, stdout, stderr } = await heddle(join(KERNELS, 'copy.small.json'), 'nowhere.json')
    expect(status).toBe(2)
    expect(stdout).toContain('copy.small')
    expect(stderr).toContain('nowhere.json: there is no such file')
  })

  it('ends with 1 where an endless loop meets its budget, and names the loop', async () => {
    const shader = {
      assembly: 'cs_5_0\ndcl_thread_group 1, 1, 1\ndcl_temps 1\nloop\niadd r0.x, r0.x, l(1)\nendloop\nret',
    }
    const path = writeJob('endless.json', { shader, dispatch: [1, 1, 1], maxInstructions: 5000 })
    const { status, stdout, stderr } = await heddle(path, '--allow-outside')
    expect(status).toBe(1)
    expect(stdout).toContain('budget')
    expect(stderr).toMatch(/engine-budget/)
    expect(stderr).toMatch(/^ +loop$/m)
  })

  it('ends with 1 at a trap, and with 0 where undefined operations are only reported', async () => {
    const assembly =
      'cs_5_0\ndcl_uav_structured u0, 4\ndcl_thread_group 1, 1, 1\nstore_structured u0.x, l(0), l(8), l(1)\nret'
    const job = {
      shader: { assembly },
      dispatch: [1, 1, 1],
      resources: [{ slot: 'u0', kind: 'structured', stride: 4, size: 4 }],
    }
    const path = writeJob('undefined.json', job)
    expect(await heddle(path)).toMatchObject({ status: 0, stderr: expect.stringContaining('engine-structure-offset') })
    expect(await heddle(path, '--policy', 'trap')).toMatchObject({ status: 1, stdout: expect.stringContaining('trap') })
  })

  it('gives the same contents for other schedules', async () => {
    const path = join(KERNELS, 'scan.small.json')
    for (const flags of [
      ['--order', 'reverse', '--wave-width', '4'],
      ['--order', 'seed:7', '--groups-in-flight', '3'],
    ]) {
      expect((await heddle(path, ...flags)).status).toBe(0)
    }
  })
})

describe('heddle run, on a shader', () => {
  it('prints what the shader wrote, with names and types', async () => {
    const { status, stdout } = await heddle(
      ...COPY,
      '--srv',
      't0=structured:16@floats:1:2:3:4:5:6:7:8:9:10:11:12:13:14:15:0.5',
    )
    expect(status).toBe(0)
    expect(stdout.split('\n').slice(2)).toEqual([
      'u0 (dst): structured, 4 of 16 bytes',
      '              float4',
      '  -  ---------------',
      '  0       1, 2, 3, 4',
      '  1       5, 6, 7, 8',
      '  2    9, 10, 11, 12',
      '  3  13, 14, 15, 0.5',
      '',
    ])
  })

  it('prints ranges, other types and constants', async () => {
    const init = '--srv=t0=structured:16x4@ramp-u32:1'
    const { stdout } = await heddle(...COPY, init, '--print', 'u0:1-1:u32', '--print', 'b0')
    expect(stdout.split('\n').slice(2)).toEqual([
      'u0 (dst): structured, 4 of 16 bytes',
      '      +0   +4   +8  +12',
      '     u32  u32  u32  u32',
      '  -  ---  ---  ---  ---',
      '  1    5    6    7    8',
      '',
      'b0 (Params): cbuffer, 16 bytes',
      '  variable  type  value',
      '  --------  ----  -----',
      '  count     uint      4',
      '',
    ])
  })

  // The sizes that a shader asks of each kind of resource are worked out by hand from the flags.
  it.each(['resinfo_all', 'resinfo_all.sm51'])(
    'makes every kind of resource that %s asks the size of',
    async (name) => {
      const { status, stdout } = await heddle(
        `test/corpus/cs/${name}.dxbc`,
        '--dispatch=1',
        '--srv=t0=typed:R32G32B32A32_FLOAT:10',
        '--srv=t1=texture1d:R32_FLOAT:8,mips=4',
        '--srv=t2=texture1darray:R32_FLOAT:16,mips=3,array=5',
        '--srv=t3=texture2d:R8G8B8A8_UNORM:32x8,mips=0',
        '--srv=t4=texture2darray:BC1_UNORM:16x8,mips=4,array=3',
        '--srv=t5=texture3d:R32_FLOAT:8x4x2',
        '--srv=t6=texturecube:R32_FLOAT:8,mips=2',
        '--srv=t7=texturecubearray:R32_FLOAT:4,array=12',
        '--srv=t8=texture2dms:R32G32B32A32_FLOAT:6x5,samples=4',
        '--srv=t9=texture2dmsarray:R32G32B32A32_FLOAT:6x5,samples=4,array=3',
        '--srv=t10=structured:12x7',
        '--srv=t11=raw:80',
        '--uav=u0=structured:16x15',
        '--json',
      )
      expect(status).toBe(0)
      expect(JSON.parse(stdout)[0].printed[0].values).toEqual([
        [10, 10, 10, 10],
        [8, 8, 8, 8],
        [8, 4, 0, 0],
        [8, 5, 3, 0],
        [32, 8, 0, 0],
        [1 / 32, 1 / 8, 6, 0],
        [32, 8, 0, 0],
        [4, 2, 3, 4],
        [1 / 8, 1 / 4, 1 / 2, 1],
        [8, 8, 2, 0],
        [4, 4, 2, 0],
        [6, 5, 4, 0],
        [6, 5, 3, 4],
        [7, 12, 0, 0],
        [80, 80, 80, 80],
      ])
    },
  )

  it('makes views of parts, and prints texels by their place', async () => {
    const { status, stdout } = await heddle(
      'test/corpus/cs/uav_dims.dxbc',
      '--dispatch=1',
      '--uav=u0=typed:R32_FLOAT:10,firstElement=2',
      '--uav=u1=texture1d:R32_FLOAT:8,mips=4,mipSlice=1@floats:0:1:2:3:4:5:6:7:10:11:12:13',
      '--uav=u2=texture1darray:R32_FLOAT:2,array=3@ramp-f32',
      '--uav=u3=texture2d:R32_FLOAT:8x3',
      '--uav=u4=texture2darray:R32_FLOAT:9x3,array=7,firstArraySlice=1',
      '--uav=u5=texture3d:R32_FLOAT:2x1x4,firstArraySlice=2@ramp-f32',
      '--uav=u6=structured:16x7',
      ...['u6', 'u1', 'u2', 'u5'].map((slot) => `--print=${slot}`),
      '--json',
    )
    expect(status).toBe(0)
    const [sizes, u1, u2, u5] = JSON.parse(stdout)[0].printed
    expect(sizes.values).toEqual([
      [8, 8, 8, 8],
      [4, 4, 4, 4],
      [2, 3, 0, 0],
      [3, 8, 0, 0],
      [9, 6, 3, 0],
      [2, 1, 2, 0],
      [24, 24, 24, 24],
    ])
    expect(u1.values).toEqual([[10], [11], [12], [13]])
    expect(u2.values).toEqual([[0], [1], [2], [3], [4], [5]])
    expect(u5.values).toEqual([[4], [5], [6], [7]])
  })

  it('says how much it left out', async () => {
    const large = ['test/kernels/copy.dxbc', '--dispatch', '1', '--cbv', 'b0=4', '--uav', 'u0=structured:16x40']
    const { stdout } = await heddle(...large, '--srv', 't0=structured:16x4@zero')
    expect(stdout).toContain('and 24 more (--print u0:0-39 shows them)')
  })

  it('says which flag is wrong, and ends with 2', async () => {
    const wrong = ['--srv', 't0=structured:16x4@lcg-f32:1:0', '--policy', 'tarp', '--wave-width', '3']
    const { status, stderr } = await heddle(...COPY, ...wrong)
    expect(status).toBe(2)
    expect(stderr).toContain('--srv t0.init.hi')
    expect(stderr).toContain("did you mean 'trap'?")
    expect(stderr).toContain('--wave-width')
    expect(await heddle('test/kernels/copy.dxbc')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--dispatch'),
    })
    expect((await heddle(join(KERNELS, 'copy.small.json'), '--uav', 'u0=raw:4')).status).toBe(2)
  })

  it('takes images and writes them', async () => {
    const png = new PNG({ width: 16, height: 16 })
    png.data.fill(0x40)
    const [from, to] = [join(folder, 'in.png'), join(folder, 'out.png')]
    writeFileSync(from, PNG.sync.write(png))
    const constants = '{"extent": [16, 16], "radius": 0, "weight": [[1, 0, 0, 0]]}'
    const args = ['--cbv', `b0=${constants}`, '--uav', 'u0=texture2d:R8G8B8A8_UNORM:16x16', '--out', `u0=${to}`]
    const { status, stderr } = await heddle(
      'test/kernels/blur.dxbc',
      '--dispatch',
      '1,1',
      '--srv',
      `t0=${from}`,
      ...args,
    )
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(PNG.sync.read(readFileSync(to)).data.equals(png.data)).toBe(true)
  })

  it('runs HLSL through the compiler that is named, and shows its errors', async () => {
    // Stands for a compiler: copies a compiled shader to the output, or fails as compilers do.
    const compiler = join(folder, 'compiler.mjs')
    writeFileSync(
      compiler,
      `import { copyFileSync } from 'node:fs'
const [input, output, entry, profile] = process.argv.slice(2)
if (entry !== 'main') { console.error(input + "(1,1): error X3501: '" + entry + "': entrypoint not found"); process.exit(1) }
copyFileSync(input.replace(/hlsl$/, 'dxbc'), output)`,
    )
    const line = `"${process.execPath}" "${compiler}" {input} {output} {entry} {profile}`
    const args = [
      'test/kernels/copy.hlsl',
      '--dispatch',
      '1',
      '--cbv',
      'b0=4',
      '--uav',
      'u0=structured:16x4',
      '--srv',
      't0=structured:16x4@zero',
    ]
    expect((await heddle(...args, '--hlsl-compiler', line)).status).toBe(0)
    vi.stubEnv('HEDDLE_HLSL_COMPILER', line)
    expect((await heddle(...args)).status).toBe(0)
    vi.stubEnv('HEDDLE_HLSL_COMPILER', undefined)
    const wrong = await heddle(...args, '--hlsl-compiler', line, '--entry', 'other')
    expect(wrong).toMatchObject({
      status: 2,
      stderr: expect.stringContaining("error X3501: 'other': entrypoint not found"),
    })
    expect(await heddle(...args)).toMatchObject({ status: 2, stderr: expect.stringContaining('no compiler is named') })
  })

  it('prints JSON that programs can read', async () => {
    const { stdout } = await heddle(
      ...COPY,
      '--srv',
      't0=structured:16x4@fill-u32:2143289344',
      '--print',
      'u0:0',
      '--json',
    )
    expect(JSON.parse(stdout)).toMatchObject([
      {
        passed: true,
        groups: [1, 1, 1],
        threads: [64, 1, 1],
        printed: [{ slot: 'u0', values: [['NaN', 'NaN', 'NaN', 'NaN']] }],
      },
    ])
  })
})
