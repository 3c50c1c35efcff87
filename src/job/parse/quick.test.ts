import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amount } from '../../../test/support/amount.ts'
import { findFormat } from '../../isa/formats/index.ts'
import { jobOfFlags, overrideJob, type QuickFlags } from './quick.ts'

const NONE: QuickFlags = { shader: 'a.dxbc', dispatch: '1', srv: [], uav: [], cbv: [], sampler: [], unbound: [] }
const NO_OVERRIDES = { print: [], out: [] }

function parse(flags: Partial<QuickFlags>) {
  return jobOfFlags({ ...NONE, ...flags }, (name) => findFormat(name)?.blockByteLength)
}

function errorsOf(flags: Partial<QuickFlags>): string[] {
  const { value, diagnostics } = parse(flags)
  expect(value).toBeUndefined()
  return diagnostics.map((d) => `${d.place?.kind === 'path' ? d.place.path : ''} ${d.code}`)
}

const first = (flags: Partial<QuickFlags>) => parse(flags).value!.resources[0]

describe('flags of a quick run', () => {
  it('describe buffers', () => {
    expect(first({ uav: ['u0=structured:16x256,counter@zero'] })).toMatchObject({
      stride: 16,
      byteLength: 4096,
      counter: { initialCount: 0 },
      contents: { kind: 'zero' },
    })
    expect(first({ srv: ['t0=structured:16@a.bin'] })).toMatchObject({
      stride: 16,
      contents: { kind: 'file', file: 'a.bin' },
    })
    expect(first({ srv: ['t1=raw:64,firstElement=4'] })).toMatchObject({
      byteLength: 64,
      view: { raw: true, firstElement: 4 },
    })
    expect(first({ srv: ['t0=typed:R16G16B16A16_FLOAT:10'] })).toMatchObject({
      byteLength: 80,
      view: { format: 'R16G16B16A16_FLOAT' },
    })
    expect(first({ uav: ['u0=raw:8@words:0xffffffff:-2'] })).toMatchObject({
      contents: { kind: 'bytes', bytes: Uint8Array.of(255, 255, 255, 255, 254, 255, 255, 255) },
    })
  })

  it('describe textures, constants, samplers', () => {
    expect(first({ srv: ['t0,space2=texture3d:R8_UNORM:4x5x6,mips=0'] })).toMatchObject({
      slot: { register: 't', index: 0, space: 2 },
      options: { dimension: 'texture3d', width: 4, height: 5, depth: 6, mipLevels: 0 },
    })
    expect(first({ srv: ['t0=a/b.png'] })).toMatchObject({
      options: { format: 'R8G8B8A8_UNORM' },
      contents: { kind: 'png' },
    })
    expect(first({ cbv: ['b1=1,2.5, 0x10'] })).toMatchObject({
      contents: { kind: 'guess', texts: ['1', '2.5', '0x10'] },
    })
    expect(first({ cbv: ['b1={"a": [1]}'] })).toMatchObject({ contents: { kind: 'variables', values: { a: [1] } } })
    expect(first({ sampler: ['s0=ANISOTROPIC:BORDER,borderColor=1/0/0/1,maxAnisotropy=4'] })).toMatchObject({
      options: { filter: 'ANISOTROPIC', address: 'BORDER', borderColor: [1, 0, 0, 1], maxAnisotropy: 4 },
    })
    expect(parse({ dispatch: '4,2' }).value!.dispatch).toMatchObject({ groups: [4, 2, 1] })
  })

  it.each<[string, Partial<QuickFlags>, string[]]>([
    ['no dispatch', { dispatch: 'x' }, ['--dispatch job-wrong-type']],
    ['four counts', { dispatch: '1,1,1,1' }, ['--dispatch job-wrong-type']],
    ['no resource', { uav: ['u0'] }, ['--uav u0 job-wrong-type']],
    ['no such kind', { uav: ['u0=structred:4x4'] }, ['--uav u0.kind job-out-of-range']],
    ['no such option', { uav: ['u0=raw:4,mipps=1'] }, ['--uav u0.mipps job-unknown-field']],
    ['a size that is none', { uav: ['u0=raw:many'] }, ['--uav u0.size job-wrong-type']],
    ['a UAV of a sampler slot', { uav: ['s0=raw:4'] }, ['--uav s0.slot job-slot']],
    ['four extents', { srv: ['t0=texture2d:R8_UINT:1x2x3'] }, ['--srv t0 job-out-of-range']],
    ['a generator with too much', { srv: ['t0=raw:4@zero:1'] }, ['--srv t0.init["argument 1"] job-unknown-field']],
    ['constants that are no JSON', { cbv: ['b0={a}'] }, [' job-json']],
    ['constants of a texture slot', { cbv: ['t0=1'] }, ['--cbv t0 job-slot']],
    ['a slot twice', { uav: ['u0=raw:4', 'u0=raw:4'] }, ['--uav u0 job-slot']],
    ['nothing unbound', { unbound: ['x'] }, ['--unbound job-slot']],
  ])('say what is wrong: %s', (_, flags, errors) => {
    expect(errorsOf(flags)).toEqual(errors)
  })

  it('change a description', () => {
    const job = parse({ uav: ['u0=raw:4'] }).value!
    const flags = {
      waveWidth: '4',
      order: 'seed:9',
      threads: '2',
      policy: 'trap',
      maxInstructions: '77',
      groupsInFlight: '3',
    }
    const { value } = overrideJob(job, { ...flags, print: ['u0:0-3:f32'], out: ['u0=a.png'] })
    expect(value!.options).toMatchObject({
      schedule: { waveWidth: 4, order: { seed: 9 }, groupsInFlight: 3 },
      threads: 2,
      undefinedPolicy: 'trap',
      maxInstructionsPerThread: 77,
    })
    expect(value).toMatchObject({ print: [{ first: 0, last: 3, as: 'f32' }], outputs: [{ file: 'a.png' }] })
    const wrong = overrideJob(job, { ...NO_OVERRIDES, print: ['u1'], out: ['u0'] })
    expect(wrong.diagnostics.map((d) => d.place)).toEqual([{ kind: 'path', path: '--out u0' }])
  })

  it('of any text give a job or errors', () => {
    const pieces =
      'u0 t0 b0 s0 = : , @ x / { } " structured raw typed texture2d R32_UINT 16 -1 1e99 counter mips lcg-u32 .png NaN 0x1 WRAP'
    const flag = fc.array(fc.constantFrom(...pieces.split(' ')), { maxLength: 9 }).map((a) => a.join(''))
    const flags = fc.array(flag, { maxLength: 2 })
    fc.assert(
      fc.property(flags, flags, flags, flags, flag, flags, (srv, uav, cbv, sampler, other, more) => {
        const { value, diagnostics } = parse({ srv, uav, cbv, sampler, dispatch: other })
        if (value === undefined) expect(diagnostics.some((d) => d.severity === 'error')).toBe(true)
        else overrideJob(value, { order: other, threads: other, waveWidth: other, print: more, out: more })
      }),
      { numRuns: amount(400, 2000) },
    )
  })
})

describe('what is wrong with several flags', () => {
  it('is reported at once, with the words that may have been meant', () => {
    const { diagnostics } = parse({ dispatch: '2y2', uav: ['u0=tex:R8_UNORM:8x8'] })
    expect(diagnostics.map((d) => d.code)).toEqual(['job-wrong-type', 'job-out-of-range'])
    const kind = diagnostics.find((d) => d.code === 'job-out-of-range')!
    expect(kind.notes).toEqual(["did you mean 'texture1d' or 'texture2d' or 'texture3d' or 'texture2dms'?"])
  })
})
