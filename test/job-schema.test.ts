import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseJob } from '../src/job/parse/parse.ts'
import { fitsSchema } from './support/json-schema.ts'

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))
const schema = read('../schema/job.schema.json') as Record<string, unknown>
const kernels = readdirSync(new URL('kernels/', import.meta.url)).filter((f) => f.endsWith('.json'))

const BASE = { shader: 'a.dxbc', dispatch: [1, 1, 1] }
const ONE = { slot: 'u0', kind: 'raw', size: 16 }

/** Descriptions that both the parser and the schema take. */
const GOOD: readonly object[] = [
  BASE,
  { shader: { assembly: 'cs_5_0\nret' }, dispatch: { indirect: 'u0', byteOffset: 4 }, resources: [ONE] },
  { shader: { file: 'a.hlsl', entry: 'f', profile: 'cs_5_0' }, dispatch: [1, 2, 3], unbound: ['t0,space1'] },
  { ...BASE, schedule: { waveWidth: 4, order: { seed: 3 }, groupsInFlight: 2 }, policy: 'trap', maxInstructions: 5 },
  { ...BASE, classInstances: { fp0: 'g_light', 'fp1[2]': { table: 1 }, fp2: { class: 'A', sampler: 1 } } },
  { ...BASE, resources: [ONE, { slot: 't0', kind: 'same', of: 'u0', view: { raw: true } }] },
  { ...BASE, resources: [{ slot: 'b0', kind: 'cbuffer', values: { a: [1, 'NaN'] }, view: { byteOffset: 16 } }] },
  { ...BASE, resources: [{ slot: 'b0', kind: 'cbuffer', floats: [1, [2, '0x3f800000']] }] },
  {
    ...BASE,
    resources: [{ slot: 's1', kind: 'sampler', filter: 'D3D11_FILTER_ANISOTROPIC', borderColor: [0, 0, 0, 1] }],
  },
  { ...BASE, resources: [{ slot: 't0', kind: 'texturecubearray', format: 'R8_UINT', width: 4, arraySize: 12 }] },
  { ...BASE, resources: [{ slot: 't0', kind: 'texture2d', format: 'R8_UINT', init: { kind: 'png', path: 'a.png' } }] },
  { ...BASE, resources: [ONE], check: [{ slot: 'u0', byteOffset: 0, init: { kind: 'ramp-u32', step: -1 } }] },
  { ...BASE, resources: [ONE], print: ['u0:0-3:f32'], output: [{ slot: 'u0', path: 'a.bin' }] },
]

/** Descriptions that neither takes. */
const BAD: readonly object[] = [
  { dispatch: [1, 1, 1] },
  { ...BASE, dispach: 1 },
  { ...BASE, dispatch: [1, 1] },
  { ...BASE, dispatch: [1, 1, 70000] },
  { ...BASE, schedule: { waveWidth: 5 } },
  { ...BASE, policy: 'tarp' },
  { ...BASE, unbound: ['x0'] },
  { ...BASE, resources: [{ slot: 'b0', kind: 'raw', size: 4 }] },
  { ...BASE, resources: [{ slot: 'u0', kind: 'structured', size: 4 }] },
  { ...BASE, resources: [{ slot: 'u0', kind: 'raw', init: { kind: 'lcg-u32', sed: 1 } }] },
  { ...BASE, resources: [{ slot: 'u0', kind: 'raw', init: { kind: 'words', data: [2 ** 32] } }] },
  { ...BASE, resources: [{ slot: 'b0', kind: 'cbuffer' }] },
  { ...BASE, resources: [{ slot: 'b0', kind: 'cbuffer', words: [1], floats: [1] }] },
  { ...BASE, resources: [ONE], check: [{ slot: 'u0', compare: 'f33' }] },
  { ...BASE, resources: [ONE], check: [{ compare: 'lists', heads: 'u0', nodes: 'u0', stride: 10 }] },
  { ...BASE, resources: [ONE], output: [{ slot: 'u0' }] },
]

describe('schema/job.schema.json', () => {
  it.each(kernels)('takes %s, as the parser does', (file) => {
    const job = read(`kernels/${file}`)
    expect(fitsSchema(schema, job)).toBe(true)
    expect(parseJob(job).diagnostics).toEqual([])
  })

  it.each(GOOD.map((job) => [JSON.stringify(job), job] as const))('takes %s, as the parser does', (_, job) => {
    expect(fitsSchema(schema, job)).toBe(true)
    expect(parseJob(job).diagnostics).toEqual([])
  })

  it.each(BAD.map((job) => [JSON.stringify(job), job] as const))('refuses %s, as the parser does', (_, job) => {
    expect(fitsSchema(schema, job)).toBe(false)
    expect(parseJob(job).value).toBeUndefined()
  })
})
