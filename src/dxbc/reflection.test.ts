import { describe, expect, it } from 'vitest'
import { corpusFiles } from '../../test/support/corpus.ts'
import {
  encodeResourceDefinition,
  makeDxbc,
  type ReflectedType,
  readDxbcOrThrow,
  reflect,
  stripChunks,
} from './index.ts'

const FILES = new Map(corpusFiles().map((file) => [file.name, file.bytes]))
const reflectionOf = (name: string) => reflect(readDxbcOrThrow(FILES.get(name)!))

describe('reflection', () => {
  it('lists variables with their HLSL types and members', () => {
    const { value, diagnostics } = reflectionOf('cs/cb_types')
    expect(diagnostics).toEqual([])
    expect(value.target).toBe('cs_5_0')
    const [types] = value.buffers
    const variable = (name: string) => types?.variables.find((v) => v.name === name)
    expect(variable('am')).toEqual({
      name: 'am',
      type: 'float4x4',
      elements: 2,
      byteOffset: 496,
      byteLength: 128,
      used: true,
    })
    expect(variable('rm33')).toMatchObject({ type: 'row_major float3x3', byteOffset: 208, byteLength: 44 })
    expect(variable('b1')).toMatchObject({ type: 'bool', used: false })
    const nodes = variable('nodes')
    expect(nodes).toMatchObject({ type: 'struct Node', elements: 2 })
    expect(nodes?.members?.map((m) => [m.name, m.type, m.byteOffset])).toEqual([
      ['l', 'struct Leaf', 0],
      ['ls', 'struct Leaf', 16],
      ['m', 'float4x4', 48],
      ['rm', 'row_major float3x2', 112],
      ['u', 'uint3', 160],
    ])
    expect(variable('dd')?.defaultValue).toEqual(new Uint8Array(Float64Array.of(1.5).buffer))
  })

  it('joins structured buffers with their element types', () => {
    const { value } = reflectionOf('cs/cb_types')
    expect(value.buffers.map((b) => b.name)).toEqual(['Types'])
    const elems = value.resources.find((r) => r.name === 'elems')
    expect(elems).toMatchObject({
      type: 'texture',
      register: 't',
      slot: 0,
      count: 1,
      space: 0,
      format: 'struct',
      stride: 176,
    })
    expect(elems?.element?.type).toBe('struct Elem')
    expect(elems?.element?.members?.map((m) => m.name)).toEqual(['n', 'tail'])
  })

  it('knows spaces, arrays and unbounded ranges of 5.1', () => {
    const { value } = reflectionOf('ps/desc_arrays.ub')
    const resource = (name: string) => value.resources.find((r) => r.name === name)
    expect(resource('tex')).toEqual({
      ...{ name: 'tex', type: 'texture', register: 't', slot: 4, space: 1, dimension: '2d', format: 'float4' },
    })
    expect(resource('recs')).toMatchObject({ slot: 10, count: 5, stride: 20, element: { name: '$Element' } })
    expect(resource('cmp')).toMatchObject({ type: 'sampler_c', register: 's', count: 1 })
  })

  it('lists signatures', () => {
    const { value } = reflectionOf('hs/tri')
    expect(value.patchConstants[0]).toMatchObject({
      name: 'SV_TessFactor',
      mask: 'x',
      register: 0,
      componentType: 'float',
    })
    const depth = reflectionOf('ps/depth_cases').value.outputs.find((o) => o.name === 'SV_Depth')
    expect(depth).toBeDefined()
    expect(depth).not.toHaveProperty('register')
  })

  it('of a stripped container is empty', () => {
    const bare = stripChunks(readDxbcOrThrow(FILES.get('vs/basic')!), ['RDEF', 'ISGN', 'OSGN', 'STAT'])
    expect(reflect(bare)).toEqual({
      ok: true,
      value: { buffers: [], resources: [], inputs: [], outputs: [], patchConstants: [] },
      diagnostics: [],
    })
  })

  it('works for every file of the corpus', () => {
    for (const [name, bytes] of FILES) expect([name, reflect(readDxbcOrThrow(bytes)).diagnostics]).toEqual([name, []])
  })

  it('leaves a type closed that would unfold without end', () => {
    const types: ReflectedType[] = [{ name: 'float', class: 0, base: 3, rows: 1, columns: 1, elements: 0, members: [] }]
    for (let i = 0; i < 40; i++) {
      const members = ['a', 'b'].map((name, n) => ({ name, type: i, byteOffset: n * 4 }))
      types.push({ name: 'S', class: 5, base: 0, rows: 1, columns: 1, elements: 0, members })
    }
    const variable = { name: 'x', byteOffset: 0, byteLength: 4, flags: 2, type: 40 }
    const data = encodeResourceDefinition({
      ...{ majorVersion: 5, minorVersion: 0, programType: 0xffff, flags: 0, creator: '', bindings: [], types },
      buffers: [{ name: 'B', variables: [variable], byteLength: 16, flags: 0, kind: 0 }],
    })
    const { value } = reflect(makeDxbc([{ fourcc: 'RDEF', data }]))
    expect(value.buffers[0]?.variables[0]).toMatchObject({ type: 'struct S' })
    expect(JSON.stringify(value).length).toBeLessThan(1000)
  })
})
