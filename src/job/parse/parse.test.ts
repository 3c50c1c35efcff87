import { describe, expect, it } from 'vitest'
import { amount } from '../../../test/support/amount.ts'
import type { Diagnostic } from '../../diagnostic/index.ts'
import { parseJob } from './parse.ts'

const BASE = { shader: 'a.dxbc', dispatch: [1, 1, 1] }
const resource = (r: object): object => ({ ...BASE, resources: [r] })
const check = (c: object): object => ({
  ...BASE,
  resources: [{ slot: 'u0', kind: 'raw', size: 16 }],
  check: [c],
})

/** `path code`, for each error. */
function errorsOf(job: unknown): string[] {
  const { value, diagnostics } = parseJob(job)
  const errors = diagnostics.filter((d) => d.severity === 'error')
  expect(value === undefined).toBe(errors.length > 0)
  return errors.map((d) => `${d.place?.kind === 'path' ? d.place.path : '-'} ${d.code}`)
}

function firstOf(job: unknown): Diagnostic {
  return parseJob(job).diagnostics[0]!
}

describe('wrong fields are named with their path', () => {
  it.each<[string, unknown, string[]]>([
    ['no object', 3, ['$ job-wrong-type']],
    ['nothing', {}, ['$.shader job-missing-field', '$.dispatch job-missing-field']],
    ['a misspelled field', { ...BASE, dispach: 1 }, ['$.dispach job-unknown-field']],
    ['a field that needs quotes', { ...BASE, 'x y': 1 }, ['$["x y"] job-unknown-field']],
    ['a shader that is a number', { ...BASE, shader: 1 }, ['$.shader job-wrong-type']],
    ['a shader with neither file nor text', { ...BASE, shader: {} }, ['$.shader.file job-missing-field']],
    ['two group counts', { ...BASE, dispatch: [1, 1] }, ['$.dispatch job-wrong-type']],
    ['group counts as a word', { ...BASE, dispatch: 'all' }, ['$.dispatch job-wrong-type']],
    ['too many groups', { ...BASE, dispatch: [1, 65536, 1] }, ['$.dispatch[1] job-out-of-range']],
    ['half a group', { ...BASE, dispatch: [0.5, 1, 1] }, ['$.dispatch[0] job-out-of-range']],
    ['indirect without a slot', { ...BASE, dispatch: { byteOffset: 4 } }, ['$.dispatch.indirect job-missing-field']],
    ['indirect from nowhere', { ...BASE, dispatch: { indirect: 't3' } }, ['$.dispatch.indirect job-slot']],
    ['a wave width of 3', { ...BASE, schedule: { waveWidth: 3 } }, ['$.schedule.waveWidth job-out-of-range']],
    ['an order that is none', { ...BASE, schedule: { order: 'up' } }, ['$.schedule.order job-out-of-range']],
    ['a seed without a number', { ...BASE, schedule: { order: {} } }, ['$.schedule.order.seed job-missing-field']],
    ['a policy that is none', { ...BASE, policy: 'tarp' }, ['$.policy job-out-of-range']],
    ['a budget of nothing', { ...BASE, maxInstructions: 0 }, ['$.maxInstructions job-out-of-range']],
    ['a text where a flag goes', { ...BASE, reset: 'yes' }, ['$.reset job-wrong-type']],
    ['check and expect', { ...BASE, check: [], expect: [] }, ['$.check job-unknown-field']],
    ['unbound nonsense', { ...BASE, unbound: ['x1', 3] }, ['$.unbound[0] job-slot', '$.unbound[1] job-wrong-type']],
    ['a print of nothing', { ...BASE, print: ['u0:9-3'] }, ['$.print[0] job-out-of-range']],
    [
      'an instance without a table',
      { ...BASE, classInstances: { fp0: {} } },
      ['$.classInstances.fp0.table job-missing-field'],
    ],
  ])('%s', (_, job, errors) => {
    expect(errorsOf(job)).toEqual(errors)
  })

  it.each<[string, object, string[]]>([
    ['no kind and no slot', {}, ['.kind job-missing-field', '.slot job-missing-field']],
    ['an unknown kind', { slot: 'u0', kind: 'strctured' }, ['.kind job-out-of-range']],
    ['no slot of that name', { slot: 'x0', kind: 'raw', size: 4 }, ['.slot job-slot']],
    ['a buffer in a constant buffer slot', { slot: 'b0', kind: 'raw', size: 4 }, ['.slot job-slot']],
    ['a sampler in a UAV slot', { slot: 'u0', kind: 'sampler' }, ['.slot job-slot']],
    ['a structure without a stride', { slot: 'u0', kind: 'structured', size: 4 }, ['.stride job-missing-field']],
    ['a buffer without a size', { slot: 'u0', kind: 'raw' }, ['.size job-missing-field']],
    ['a generator without a size', { slot: 'u0', kind: 'raw', init: { kind: 'zero' } }, ['.size job-missing-field']],
    ['a negative size', { slot: 'u0', kind: 'raw', size: -4 }, ['.size job-out-of-range']],
    ['typed without a format', { slot: 'u0', kind: 'typed', size: 4 }, ['.format job-missing-field']],
    [
      'a texture without extents',
      { slot: 't0', kind: 'texture2d', format: 'R32_UINT' },
      ['.width job-missing-field', '.height job-missing-field'],
    ],
    [
      'depth of a 2D texture',
      { slot: 't0', kind: 'texture2d', format: 'R8_UINT', width: 1, height: 1, depth: 1 },
      ['.depth job-unknown-field'],
    ],
    ['a counter of an SRV', { slot: 't0', kind: 'structured', stride: 4, size: 4, counter: 0 }, ['.counter job-slot']],
    ['contents of no kind', { slot: 'u0', kind: 'raw', size: 4, init: {} }, ['.init.kind job-missing-field']],
    [
      'a generator without its seed',
      { slot: 'u0', kind: 'raw', size: 4, init: { kind: 'lcg-u32' } },
      ['.init.seed job-missing-field'],
    ],
    [
      'a word of 33 bits',
      { slot: 'u0', kind: 'raw', init: { kind: 'words', data: [1, [2, 2 ** 32]] } },
      ['.init.data[1][1] job-out-of-range'],
    ],
    ['half a byte', { slot: 'u0', kind: 'raw', init: { kind: 'hex', data: '00f' } }, ['.init.data job-out-of-range']],
    [
      'values of no type',
      { slot: 'u0', kind: 'raw', init: { kind: 'values', data: [1] } },
      ['.init.type job-missing-field'],
    ],
    [
      'a byte of 256',
      { slot: 'u0', kind: 'raw', init: { kind: 'values', type: 'u8', data: [256] } },
      ['.init.data[0] job-out-of-range'],
    ],
    [
      'five components',
      { slot: 'u0', kind: 'typed', format: 'R8_UINT', init: { kind: 'texels', data: [[1, 2, 3, 4, 5]] } },
      ['.init.data[0] job-wrong-type'],
    ],
    ['constants twice', { slot: 'b0', kind: 'cbuffer', words: [1], floats: [1] }, ['.floats job-missing-field']],
    ['no constants', { slot: 'b0', kind: 'cbuffer' }, ['.words job-missing-field']],
    [
      'a filter that is none',
      { slot: 's0', kind: 'sampler', filter: 'MIN_MAG_MIP_LINAER' },
      ['.filter job-out-of-range'],
    ],
    ['a border of three', { slot: 's0', kind: 'sampler', borderColor: [0, 0, 0] }, ['.borderColor job-wrong-type']],
    ['anisotropy of 17', { slot: 's0', kind: 'sampler', maxAnisotropy: 17 }, ['.maxAnisotropy job-out-of-range']],
    ['a view of nothing', { slot: 't0', kind: 'same', of: 't9' }, ['.of job-slot']],
  ])('resource: %s', (_, r, errors) => {
    expect(errorsOf(resource(r))).toEqual(errors.map((e) => `$.resources[0]${e}`))
  })

  it.each<[string, object, string[]]>([
    ['a way to compare that is none', { slot: 'u0', compare: 'f33' }, ['.compare job-out-of-range']],
    ['a slot without a resource', { slot: 'u1', words: [1] }, ['.slot job-slot']],
    ['a sampler', { slot: 's0', words: [1] }, ['.slot job-slot']],
    ['a negative tolerance', { slot: 'u0', compare: 'f32', abs: -1 }, ['.abs job-out-of-range']],
    ['more outliers than values', { slot: 'u0', compare: 'f32', outliers: 2 }, ['.outliers job-out-of-range']],
    ['a tolerance of an exact comparison', { slot: 'u0', compare: 'exact', abs: 1 }, ['.abs job-unknown-field']],
    ['two expectations', { slot: 'u0', words: [1], floats: [1] }, ['.floats job-out-of-range']],
    ['lists without nodes', { compare: 'lists', heads: 'u0', stride: 8 }, ['.nodes job-missing-field']],
    ['a counter without a value', { slot: 'u0', compare: 'counter' }, ['.counter job-missing-field']],
  ])('check: %s', (_, c, errors) => {
    expect(errorsOf(check(c))).toEqual(errors.map((e) => `$.check[0]${e}`))
  })

  it('refuses a slot that is described twice, naming the other', () => {
    const two = {
      ...BASE,
      resources: [
        { slot: 'u0', kind: 'raw', size: 4 },
        { slot: 'U0', kind: 'raw', size: 4 },
      ],
    }
    expect(errorsOf(two)).toEqual(['$.resources[1] job-slot'])
    expect(firstOf(two).message).toContain('$.resources[0]')
  })

  it('says what was given, what is expected and what may have been meant', () => {
    const { message, notes } = firstOf(resource({ slot: 'u0', kind: 'strctured' }))
    expect(message).toContain('"strctured" was given')
    expect(message).toContain('"structured"')
    expect(notes.join()).toContain('structured')
    expect(firstOf({ ...BASE, dispach: 1 }).notes.join()).toContain('dispatch')
  })
})

describe('what is read', () => {
  it('keeps the words of the kernels', () => {
    const { value } = parseJob({
      ...BASE,
      resources: [{ slot: 'u0', kind: 'structured', stride: 12, size: 48, counter: 7 }],
      check: [{ slot: 'u0', compare: 'f32', abs: 1, rel: 0.5, outliers: 0.01, file: 'a.bin' }],
    })
    expect(value!.resources[0]).toMatchObject({
      stride: 12,
      byteLength: 48,
      counter: { use: 'counter', initialCount: 7 },
    })
    expect(value!.checks[0]).toMatchObject({
      abs: 1,
      rel: 0.5,
      outliers: 0.01,
      expected: { kind: 'file', file: 'a.bin' },
    })
  })

  it('takes special floats, bits and signed words', () => {
    const data = [1, '0x7fc00001', 'NaN', '-Infinity', '-0']
    const { value } = parseJob(resource({ slot: 'u0', kind: 'raw', init: { kind: 'floats', data } }))
    const r = value!.resources[0]!
    const bytes = r.kind === 'buffer' && r.contents.kind === 'bytes' ? r.contents.bytes : new Uint8Array()
    const words = Array.from(new Uint32Array(bytes.buffer), (w) => w.toString(16))
    expect(words).toEqual(['3f800000', '7fc00001', '7fc00000', 'ff800000', '80000000'])
    const signed = parseJob(resource({ slot: 'b0', kind: 'cbuffer', words: [-1, -2147483648] })).value!.resources[0]!
    const constants =
      signed.kind === 'cbuffer' && signed.contents.kind === 'bytes' ? signed.contents.bytes : new Uint8Array()
    expect([...new Uint32Array(constants.buffer)]).toEqual([0xffffffff, 0x80000000])
  })

  it('names a view by the kind of a texture', () => {
    const { value } = parseJob(resource({ slot: 't0', kind: 'texture2darray', format: 'R8_UINT', width: 2, height: 2 }))
    expect(value!.resources[0]).toMatchObject({
      options: { dimension: 'texture2d' },
      view: { dimension: 'texture2darray' },
    })
  })
})

describe('large and hostile descriptions', () => {
  it('read millions of bytes of hexadecimal digits, and find half a byte', () => {
    const data = '0aF9 '.repeat(2_000_000)
    const { value } = parseJob(resource({ slot: 'u0', kind: 'raw', init: { kind: 'hex', data } }))
    const contents = value?.resources[0]?.kind === 'buffer' ? value.resources[0].contents : undefined
    expect(contents?.kind === 'bytes' && [contents.bytes.length, ...contents.bytes.subarray(-2)]).toEqual([
      4_000_000, 0x0a, 0xf9,
    ])
    const wrong = (text: string) => resource({ slot: 'u0', kind: 'raw', init: { kind: 'hex', data: text } })
    expect(errorsOf(wrong(`${data}0`))).toEqual(['$.resources[0].init.data job-out-of-range'])
    expect(errorsOf(wrong('0g'))).toEqual(['$.resources[0].init.data job-out-of-range'])
  })

  it('read millions of words, and name the one that is none', () => {
    const count = amount(300_000, 3_000_000)
    const words: unknown[] = Array.from({ length: count }, () => [7])
    expect(errorsOf(resource({ slot: 'b0', kind: 'cbuffer', words }))).toEqual([])
    words[count - 2] = [[1, 'x']]
    expect(errorsOf(resource({ slot: 'b0', kind: 'cbuffer', words }))).toEqual([
      `$.resources[0].words[${count - 2}][0][1] job-out-of-range`,
    ])
  })

  it('have resources, checks and outputs by the ten thousands', () => {
    const count = 20_000
    const resources = Array.from({ length: count }, (_, i) => ({ slot: `u${i}`, kind: 'raw', size: 16 }))
    const print = resources.map((r) => r.slot)
    expect(errorsOf({ ...BASE, resources, check: resources.map(({ slot }) => ({ slot, words: [0] })), print })).toEqual(
      [],
    )
    expect(errorsOf({ ...BASE, resources: [...resources, resources[5]] })).toEqual([`$.resources[${count}] job-slot`])
  })

  it.each(['/Fo', '--evil', 'main -x', 'ma\nin', ''])('do not put %j into a command line', (name) => {
    expect(errorsOf({ ...BASE, shader: { file: 'a.hlsl', entry: name } })).toEqual(['$.shader.entry job-out-of-range'])
    expect(errorsOf({ ...BASE, shader: { file: 'a.hlsl', profile: name } })).toEqual([
      '$.shader.profile job-out-of-range',
    ])
  })
})

describe('the format', () => {
  it('has version 1, with or without the field', () => {
    expect(errorsOf(BASE)).toEqual([])
    expect(errorsOf({ ...BASE, version: 1 })).toEqual([])
    expect(errorsOf({ ...BASE, version: 2 })).toEqual(['$.version job-out-of-range'])
    expect(errorsOf({ ...BASE, version: '1' })).toEqual(['$.version job-wrong-type'])
  })

  it('names the words that a short name may mean', () => {
    const notes = (filter: string) => firstOf(resource({ slot: 's0', kind: 'sampler', filter })).notes.join()
    expect(notes('LINEAR')).toContain("'MIN_MAG_MIP_LINEAR'")
    expect(notes('MIN_MAG_MIP_LINAER')).toBe("did you mean 'MIN_MAG_MIP_LINEAR'?")
    expect(firstOf(resource({ slot: 's0', kind: 'sampler', filter: 'LINEAR' })).message.length).toBeLessThan(100)
    expect(notes('fractal')).toBe('')
  })
})
