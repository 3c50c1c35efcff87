import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseJob } from '../src/job/parse/parse.ts'
import { parseDescription } from '../src/job/parse/parse-description.ts'
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

const RESOURCES = {
  b: { kind: 'buffer', size: 64 },
  t: { kind: 'texture2d', format: 'R8G8B8A8_UNORM', width: 4, height: 4 },
}
const FRAME = { version: 2, resources: RESOURCES, commands: [] }
const SHADERS = { v: 'v.dxbc', c: { assembly: 'cs_5_0\nret' } }
const PIPELINES = {
  p: { vertex: 'v', topology: 'TRIANGLELIST' },
  q: { compute: 'c', bind: { compute: { u0: { resource: 'b', raw: true } } } },
}
const DRAWN = { ...FRAME, shaders: SHADERS, pipelines: PIPELINES }

/** Frames that both the parser and the schema take. */
const GOOD_FRAMES: readonly object[] = [
  FRAME,
  { ...DRAWN, commands: [{ draw: 'p', vertexCount: 3, bind: { vertexBuffers: [null, { buffer: 'b', stride: 8 }] } }] },
  {
    ...DRAWN,
    commands: [
      { draw: 'p', indirect: { buffer: 'b', byteOffset: 4, indexed: true } },
      { draw: 'p', auto: true },
    ],
  },
  {
    ...DRAWN,
    commands: [
      { dispatch: 'q', groups: [1, 2, 3] },
      { dispatch: 'q', indirect: { buffer: 'b' } },
    ],
  },
  {
    ...FRAME,
    commands: [
      { clear: 't', color: [0, 0, 0, 1] },
      { clear: { resource: 'b' }, uints: [1, -2, 3, '0xffffffff'] },
    ],
  },
  { ...FRAME, commands: [{ copy: { from: 't', to: { resource: 't', x: 1 } } }, { generateMips: 't' }] },
  {
    ...FRAME,
    commands: [{ write: 'b', init: { kind: 'patches', n: 1 }, byteOffset: 4 }, { resolve: { from: 't', to: 't' } }],
  },
  { ...FRAME, expect: [{ resource: 't', compare: 'u8', abs: [1, 2, 3, 4], outliers: 0.5, png: 'a.png' }] },
]

/** Frames that neither takes. */
const BAD_FRAMES: readonly object[] = [
  { version: 2, resources: RESOURCES },
  { ...FRAME, comands: [] },
  { ...FRAME, commands: [{ clear: 't' }] },
  { ...FRAME, commands: [{ clear: 't', color: [1, 2, 3] }] },
  { ...FRAME, commands: [{ clearDepthStencil: 't' }] },
  { ...DRAWN, commands: [{ draw: 'p' }] },
  { ...DRAWN, commands: [{ draw: 'p', vertexCount: 3, indexCount: 3 }] },
  { ...DRAWN, commands: [{ dispatch: 'q', groups: [1, 2] }] },
  { ...DRAWN, pipelines: { p: { vertex: 'v' } } },
  { ...DRAWN, pipelines: { p: { vertex: 'v', topology: 'LINELIST', rasterizer: { cullMod: 'NONE' } } } },
  { ...FRAME, resources: { t: { kind: 'texture2d', width: 4, height: 4 } } },
  { ...FRAME, resources: { b: { kind: 'buffer', size: 4, init: { kind: 'terrain', n: 0, seed: 1, height: 1 } } } },
  { ...FRAME, expect: [{ resource: 't', compare: 'lists' }] },
]

describe('schema/job.schema.json, version 2', () => {
  const examples = readdirSync(new URL('../examples/drawing/', import.meta.url)).filter((f) => f.endsWith('.job.json'))

  it.each(examples)('takes %s, as the parser does', (file) => {
    const frame = read(`../examples/drawing/${file}`)
    expect(parseDescription(frame).diagnostics).toEqual([])
    expect(fitsSchema(schema, frame)).toBe(true)
  })

  it.each(GOOD_FRAMES.map((f) => [JSON.stringify(f), f] as const))('takes %s, as the parser does', (_, frame) => {
    expect(parseDescription(frame).diagnostics).toEqual([])
    expect(fitsSchema(schema, frame)).toBe(true)
  })

  it.each(BAD_FRAMES.map((f) => [JSON.stringify(f), f] as const))('refuses %s, as the parser does', (_, frame) => {
    expect(parseDescription(frame).value).toBeUndefined()
    expect(fitsSchema(schema, frame)).toBe(false)
  })
})
