import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { kernelJob, memoryHost, runDescription } from '../../../test/support/jobs.ts'

type KernelJob = ReturnType<typeof kernelJob>

/** `path code` of the errors of a changed kernel, none of which may have run. */
async function errorsOf(kernel: string, change: (job: KernelJob) => void): Promise<string[]> {
  const job = kernelJob(kernel)
  change(job)
  const { run, diagnostics } = await runDescription(job)
  expect(run).toBeUndefined()
  return diagnostics
    .filter((d) => d.severity === 'error')
    .map((d) => `${d.place?.kind === 'path' ? d.place.path : '-'} ${d.code}: ${d.message}`)
}

const slot = (job: KernelJob, name: string): Record<string, unknown> => job.resources.find((r) => r.slot === name)!
const without = (job: KernelJob, name: string): void => {
  job.resources = job.resources.filter((r) => r.slot !== name)
}

describe('a description is held against the machine and the shader before anything runs', () => {
  it.each<[string, string, (job: KernelJob) => void, RegExp]>([
    [
      'a size of no whole structures',
      'copy',
      (j) => (slot(j, 'u0').size = 24),
      /^\$\.resources\[1\]\.stride machine-buffer-stride: u0 \(dst\): .*24 bytes.*16 bytes/,
    ],
    [
      'a stride of 6',
      'copy',
      (j) => (slot(j, 'u0').stride = 6),
      /^\$\.resources\[1\]\.stride machine-buffer-stride: .*stride of 6/,
    ],
    ['no bytes', 'copy', (j) => (slot(j, 'u0').size = 0), /^\$\.resources\[1\]\.size machine-buffer-size/],
    [
      'more bytes than there can be',
      'copy',
      (j) => Object.assign(slot(j, 'u0'), { size: 2 ** 40, init: { kind: 'zero' } }),
      /^\$\.resources\[1\]\.size machine-out-of-memory/,
    ],
    [
      'the stride of another structure',
      'copy',
      (j) => Object.assign(slot(j, 'u0'), { stride: 32, size: 3200 }),
      /^\$\.resources\[1\] machine-binding-mismatch: u0 \(dst\): .*stride of 16 bytes.*stride of 32 bytes/,
    ],
    [
      'a raw buffer where a structured one is declared',
      'copy',
      (j) => (j.resources[1] = { slot: 'u0', kind: 'raw', size: 64 }),
      /^\$\.resources\[1\] machine-binding-mismatch: .*structured buffer.*raw/,
    ],
    [
      'a format that does not exist',
      'histogram',
      (j) => (slot(j, 't0').format = 'R8G8B8A8_UNIT'),
      /^\$\.resources\[0\]\.format machine-format-unknown: .*R8G8B8A8_UNIT/,
    ],
    [
      'a format that gives floats',
      'histogram',
      (j) => (slot(j, 't0').format = 'R8G8B8A8_UNORM'),
      /^\$\.resources\[0\] machine-binding-mismatch: t0 .*uint.*R8G8B8A8_UNORM.*float/,
    ],
    [
      'a format without atomics',
      'histogram',
      (j) => (slot(j, 'u0').format = 'R16_UINT'),
      /^\$\.resources\[1\] machine-binding-mismatch: u0 .*atomics.*R16_UINT/,
    ],
    [
      'a buffer where a texture is declared',
      'blur',
      (j) => (j.resources[0] = { slot: 't0', kind: 'typed', format: 'R8G8B8A8_UNORM', size: 64 }),
      /^\$\.resources\[0\] machine-binding-mismatch: t0 .*texture2d.*typed buffer/,
    ],
    [
      'a texture of another dimension',
      'blur',
      (j) => Object.assign(slot(j, 't0'), { kind: 'texture3d', depth: 1 }),
      /^\$\.resources\[0\] machine-binding-mismatch: .*texture2d.*texture3d/,
    ],
    [
      'a block format as a UAV',
      'blur',
      (j) => Object.assign(slot(j, 'u0'), { format: 'BC1_UNORM', width: 8, height: 8 }),
      /^\$\.resources\[1\]\.format machine-format-support: .*BC1_UNORM/,
    ],
    [
      'a comparison sampler',
      'sample',
      (j) => (slot(j, 's0').filter = 'COMPARISON_MIN_MAG_MIP_LINEAR'),
      /^\$\.resources\[1\] machine-binding-mismatch: s0 .*comparison/,
    ],
    [
      'no counter where one is used',
      'oit',
      (j) => {
        delete slot(j, 'u0').counter
        j.check = []
      },
      /^\$\.resources\[1\] machine-binding-mismatch: u0 .*counter/,
    ],
    [
      'a missing UAV',
      'copy',
      (j) => {
        without(j, 'u0')
        j.check = []
      },
      /^\$\.resources job-missing-resource: u0 \(dst\)/,
    ],
    [
      'a missing constant buffer',
      'copy',
      (j) => without(j, 'b0'),
      /^\$\.resources job-missing-resource: b0 \(Params\)/,
    ],
    [
      'a file that is not there',
      'copy',
      (j) => (slot(j, 't0').init = { kind: 'file', path: 'none.bin' }),
      /^\$\.resources\[0\]\.init\.path job-file: .*none\.bin/,
    ],
    ['a shader that is not there', 'copy', (j) => (j.shader = 'none.dxbc'), /^\$\.shader job-file: .*none\.dxbc/],
    ['a shader that is something else', 'copy', (j) => (j.shader = 'copy.small.u0.bin'), /^\$\.shader job-shader/],
    ['HLSL without a compiler', 'copy', (j) => (j.shader = 'copy.hlsl'), /^\$\.shader job-compiler: .*copy\.hlsl/],
    [
      'expected contents of another length',
      'copy',
      (j) => (j.check[0]!.file = 'scan.small.u1.bin'),
      /^\$\.check\[0\] job-size: 48 bytes are expected; u0 \(dst\) has 32000/,
    ],
    ['a counter that is not there', 'copy', (j) => (j.check[0]!.counter = 1), /^\$\.check\[0\]\.counter job-slot/],
    [
      'contents longer than the buffer',
      'copy',
      (j) => (slot(j, 't0').init = { kind: 'file', path: 'xxhash.small.u0.bin', byteOffset: 24001 }),
      /^\$\.resources\[0\]\.init\.path job-size/,
    ],
    [
      'a member that is not there',
      'copy',
      (j) => (j.resources[2] = { slot: 'b0', kind: 'cbuffer', values: { cuont: 3 } }),
      /^\$\.resources\[2\]\.values\.cuont job-out-of-range/,
    ],
    [
      'a member of another type',
      'copy',
      (j) => (j.resources[2] = { slot: 'b0', kind: 'cbuffer', values: { count: 1.5 } }),
      /^\$\.resources\[2\]\.values\.count job-out-of-range: uint/,
    ],
    [
      'structures without members',
      'rawcopy',
      (j) => (slot(j, 't0').init = { kind: 'structures', data: [{ a: 1 }] }),
      /^\$\.resources\[0\]\.init\.data job-reflection/,
    ],
    [
      'a view past the end',
      'copy',
      (j) => (slot(j, 't0').view = { firstElement: 1999, elementCount: 2 }),
      /^\$\.resources\[0\]\.view machine-view-range/,
    ],
    [
      'indirect counts from past the end',
      'copy',
      (j) => (j.dispatch = { indirect: 't0', byteOffset: 31992 }),
      /^\$\.dispatch engine-indirect/,
    ],
    [
      'indirect counts that cannot be',
      'copy',
      (j) => {
        slot(j, 't0').init = { kind: 'fill-u32', value: 65536 }
        j.dispatch = { indirect: 't0' }
      },
      /^\$\.dispatch machine-dispatch-size: .*65536/,
    ],
    [
      'class instances of a shader without interfaces',
      'copy',
      (j) => (j.classInstances = { fp0: { table: 0 } }),
      /^\$\.classInstances engine-class-instance/,
    ],
  ])('%s', async (_, kernel, change, expected) => {
    const errors = await errorsOf(kernel, change)
    expect(
      errors.some((e) => expected.test(e)),
      errors.join('\n'),
    ).toBe(true)
  })

  it('reports everything that is wrong at once', async () => {
    const errors = await errorsOf('copy', (j) => {
      slot(j, 'u0').stride = 6
      slot(j, 't0').init = { kind: 'file', path: 'none.bin' }
      j.shader = 'none.dxbc'
    })
    expect(errors).toHaveLength(3)
  })

  it('runs with slots that are left out on purpose', async () => {
    const job = kernelJob('copy')
    without(job, 'b0')
    job.unbound = ['b0']
    job.check = [{ slot: 'u0', init: { kind: 'zero' } }]
    const { run } = await runDescription(job)
    expect(run?.checks.map((c) => c.passed)).toEqual([true])
  })

  it('warns of resources that the shader does not see, and of another group size', async () => {
    const job = kernelJob('copy')
    job.resources.push({ slot: 't7', kind: 'raw', size: 4 })
    job.unbound = ['t8']
    job.group = [32, 1, 1]
    const { run, diagnostics } = await runDescription(job)
    expect(run?.checks.every((c) => c.passed)).toBe(true)
    const warnings = diagnostics.filter((d) => d.severity === 'warning').map((d) => d.code)
    expect(warnings.sort()).toEqual(['job-out-of-range', 'job-undeclared-resource', 'job-undeclared-resource'])
    expect(diagnostics.map((d) => d.message)).toContain('t8 is to stay unbound, and the shader declares nothing there')
  })
})

describe('what resources can be', () => {
  it('reads indirect group counts from a buffer', async () => {
    const job = kernelJob('copy')
    job.resources.push({ slot: 't5', kind: 'raw', init: { kind: 'words', data: [9, 32, 1, 1] } })
    job.dispatch = { indirect: 't5', byteOffset: 4 }
    const { run } = await runDescription(job)
    expect(run?.groups).toEqual([32, 1, 1])
    expect(run?.checks.every((c) => c.passed)).toBe(true)
  })

  it('gives constants by name, structures by name and expects them by name', async () => {
    const job = kernelJob('oit')
    job.resources[3] = { slot: 'b0', kind: 'cbuffer', values: { capacity: 4000, fragments: 4000, pixelMask: 511 } }
    expect((await runDescription(job)).run?.checks.every((c) => c.passed)).toBe(true)
    const some = kernelJob('saxpy')
    some.dispatch = [1, 1, 1]
    some.resources = [
      { slot: 't0', kind: 'structured', stride: 4, init: { kind: 'structures', data: [1, 2, 3] } },
      { slot: 'u0', kind: 'structured', stride: 4, init: { kind: 'floats', data: [10, 20, 30] } },
      { slot: 'b0', kind: 'cbuffer', values: { count: 3, a: 2 } },
    ]
    some.check = [{ slot: 'u0', compare: 'f32', floats: [12, 24, 36] }]
    expect((await runDescription(some)).run?.checks).toMatchObject([{ passed: true, total: 3 }])
  })

  it('shows the first elements that differ by their member names', async () => {
    const job = kernelJob('oit')
    job.check = [
      {
        slot: 'u0',
        byteOffset: 12,
        init: { kind: 'structures', data: [{ next: 0, colour: 5, depth: 0.5 }] },
        counter: 1,
      },
    ]
    const { run } = await runDescription(job)
    expect(run!.checks[0]).toMatchObject({ passed: false, total: 3, different: 3 })
    expect(run!.checks[0]!.first.map((d) => [d.where, d.type, d.expected])).toEqual([
      ['[1].next', 'u32', '0'],
      ['[1].colour', 'u32', '5'],
      ['[1].depth', 'f32', '0.5'],
    ])
    expect(run!.checks[1]!.first).toEqual([{ where: 'counter', type: 'u32', got: '4000', expected: '1' }])
  })

  it('shows texels that differ with their place', async () => {
    const job = kernelJob('blur')
    const want = memoryHost().readFile('blur.small.u0.bin') as Uint8Array
    const changed = want.slice()
    changed[(7 * 90 + 3) * 4 + 1]! ^= 0x80
    job.check[0]!.file = 'changed.bin'
    const { run } = await runDescription(job, memoryHost({ 'changed.bin': changed }))
    expect(run!.checks[0]).toMatchObject({ passed: false, different: 1, total: 18000, unit: 'bytes' })
    expect(run!.checks[0]!.first.map((d) => [d.where, d.type])).toEqual([['(3, 7)', 'R8G8B8A8_UNORM']])
  })

  it('finds lists whose links lead outside the nodes or in a circle', async () => {
    const job = kernelJob('oit')
    Object.assign(slot(job, 'u1'), { init: { kind: 'fill-u32', value: 4000 } })
    const { run } = await runDescription(job)
    expect(run!.checks[0]).toMatchObject({ passed: false })
    expect(run!.checks[0]!.problem).toMatch(/node 4000; there are 4000/)
  })

  it('binds class instances by the names of the shader', async () => {
    const shader = readFileSync(new URL('../../../test/corpus/cs/class_cs.dxbc', import.meta.url))
    const run = async (classInstances: object) => {
      const job = {
        shader: 'class_cs.dxbc',
        dispatch: [1, 1, 1],
        classInstances,
        // One structure: thread 0 alone writes, and d[1] reads 0.
        resources: [
          { slot: 'u0', kind: 'structured', stride: 4, init: { kind: 'words', data: [3] } },
          { slot: 'b0', kind: 'cbuffer', values: { gAdd: { bias: 5 }, gMul: { k: 2 }, gMix: { r: 1, m: 1 }, n: 2 } },
        ],
        check: [{ slot: 'u0', words: [0] }],
      }
      const report = await runDescription(job, memoryHost({ 'class_cs.dxbc': new Uint8Array(shader) }))
      return report.run === undefined
        ? report.diagnostics.map((d) => d.message).join()
        : report.run.checks[0]!.first[0]?.got
    }
    // v = 3; v = v + d[0] + 5 = 11; v = v + d[1] + 5 = 16, which is even.
    expect(await run({ op: 'gAdd', post: 'gMul' })).toBe('16')
    expect(await run({ fp0: { class: 'Add', constantBuffer: 0, constantOffset: 0 }, post: 'gMul' })).toBe('16')
    // With two iterations d[1] = 0 makes the product 0: as expected, no difference.
    expect(await run({ op: 'gMul', post: 'gAdd' })).toBeUndefined()
    expect(await run({ op: 'gAd' })).toMatch(/gAd is no instance or class of the shader; it takes Add, Mix, Mul/)
  })

  it('lets two slots see one resource', async () => {
    const job = kernelJob('copy')
    job.resources[0] = { slot: 't0', kind: 'same', of: 'u0' }
    job.resources.reverse()
    const u0 = slot(job, 'u0')
    u0.init = { kind: 'lcg-u32', seed: 3 }
    job.check = [{ slot: 'u0', init: { kind: 'lcg-u32', seed: 3 } }]
    const { run, diagnostics } = await runDescription(job)
    expect(run?.checks.map((c) => c.passed)).toEqual([true])
    expect(diagnostics.map((d) => d.code)).toContain('machine-binding-hazard')
  })

  it('compares what a stopped run has left, and says that it stopped', async () => {
    const job = kernelJob('mandelbrot')
    job.maxInstructions = 20
    const { run, diagnostics } = await runDescription(job)
    expect(run?.stopped).toBe('budget')
    expect(diagnostics.find((d) => d.code === 'engine-budget')?.place).toMatchObject({ kind: 'statement' })
  })
})

describe('constants by name', () => {
  it('warn of variables that the shader reads and that have no value', async () => {
    const job = kernelJob('copy')
    const constants = job.resources.find((r) => r.slot === 'b0')!
    for (const name of ['words', 'floats', 'init']) delete constants[name]
    constants.values = {}
    const { run, diagnostics } = await runDescription(job)
    expect(run).toBeDefined()
    const found = diagnostics.filter((d) => d.code === 'job-missing-member')
    expect(found.map((d) => [d.severity, d.message])).toEqual([
      ['warning', 'b0 (Params): the shader reads count; no value is given, and 0 is taken'],
    ])
    constants.values = { count: 0 }
    expect((await runDescription(job)).diagnostics.map((d) => d.code)).not.toContain('job-missing-member')
  })
})

describe('parts of textures', () => {
  const job = (check: object) => ({
    shader: { assembly: 'cs_5_0\ndcl_uav_typed_texture2d (float,float,float,float) u0\ndcl_thread_group 1, 1, 1\nret' },
    dispatch: [1, 1, 1],
    resources: [
      { slot: 'u0', kind: 'texture2d', format: 'R32_FLOAT', width: 4, height: 3, init: { kind: 'ramp-f32', start: 5 } },
    ],
    check: [{ slot: 'u0', ...check }],
  })
  const texels = (...data: number[]) => ({ init: { kind: 'texels', data } })

  it('are as long as the texels that are given, with byteOffset', async () => {
    const { run } = await runDescription(job({ byteOffset: 0, ...texels(5) }))
    expect(run?.checks).toMatchObject([{ passed: true, total: 1 }])
    const later = await runDescription(job({ byteOffset: 16, ...texels(9, 10) }))
    expect(later.run?.checks).toMatchObject([{ passed: true, total: 2 }])
  })

  it('are asked for: fewer texels than the slot has are an error without it', async () => {
    const { run, diagnostics } = await runDescription(job(texels(5)))
    expect(run).toBeUndefined()
    expect(diagnostics.map((d) => d.code)).toContain('job-size')
  })
})
