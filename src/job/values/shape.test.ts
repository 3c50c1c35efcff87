import { describe, expect, it } from 'vitest'
import type { Diagnostic } from '../../diagnostic/index.ts'
import type { ReflectionMember } from '../../dxbc/index.ts'
import { writeByName } from './by-name.ts'
import { componentPath, leavesOf, shapeOf } from './shape.ts'

const member = (type: string, elements?: number): ReflectionMember =>
  elements === undefined ? { name: 'm', type, byteOffset: 0 } : { name: 'm', type, elements, byteOffset: 0 }

const offsetsOf = (type: string, packing: 'tight' | 'registers'): readonly number[] => {
  const shape = shapeOf(member(type), packing)
  return shape?.kind === 'numbers' ? shape.offsets : []
}

describe('shapes', () => {
  it('lays matrices out by columns or rows, tight or by registers', () => {
    expect(offsetsOf('float2x3', 'tight')).toEqual([0, 8, 16, 4, 12, 20])
    expect(offsetsOf('float2x3', 'registers')).toEqual([0, 16, 32, 4, 20, 36])
    expect(offsetsOf('row_major float2x3', 'tight')).toEqual([0, 4, 8, 12, 16, 20])
    expect(offsetsOf('row_major float2x3', 'registers')).toEqual([0, 4, 8, 16, 20, 24])
    expect(offsetsOf('double2', 'tight')).toEqual([0, 8])
    expect(offsetsOf('uint', 'registers')).toEqual([0])
  })

  it('starts array elements at registers in constant buffers, and ends with the last element', () => {
    expect(shapeOf(member('float', 3), 'tight')).toMatchObject({ stride: 4, byteLength: 12 })
    expect(shapeOf(member('float', 3), 'registers')).toMatchObject({ stride: 16, byteLength: 36 })
    expect(shapeOf(member('float3x2', 2), 'registers')).toMatchObject({ stride: 32, byteLength: 60 })
  })

  it('has none for what has no bytes', () => {
    expect(shapeOf(member('interface ILight'), 'registers')).toBeUndefined()
    expect(shapeOf(member('struct'), 'tight')).toBeUndefined()
  })

  it('names leaves and components', () => {
    const light: ReflectionMember = {
      name: 'light',
      type: 'struct Light',
      elements: 2,
      byteOffset: 0,
      members: [
        { name: 'position', type: 'float3', byteOffset: 0 },
        { name: 'm', type: 'float2x2', byteOffset: 12 },
      ],
    }
    const leaves = leavesOf(shapeOf(light, 'tight')!)!
    expect(leaves.map((l) => [l.path, l.byteOffset])).toEqual([
      ['[0].position', 0],
      ['[0].m', 12],
      ['[1].position', 28],
      ['[1].m', 40],
    ])
    expect(componentPath(leaves[0]!, 1)).toBe('[0].position.y')
    expect(componentPath(leaves[1]!, 2)).toBe('[0].m[1][0]')
  })

  it('does not take apart what a reflection claims to be huge', () => {
    expect(leavesOf(shapeOf(member('float', 1_000_000), 'tight')!)).toBeUndefined()
  })
})

describe('writeByName', () => {
  const params: ReflectionMember = {
    name: 'params',
    type: 'cbuffer',
    byteOffset: 0,
    members: [
      { name: 'on', type: 'bool', byteOffset: 0 },
      { name: 'weights', type: 'float', elements: 2, byteOffset: 16 },
      { name: 'world', type: 'float2x2', byteOffset: 48 },
    ],
  }
  const shape = shapeOf(params, 'registers')!

  it('puts each value where the type says', () => {
    const bytes = new Uint8Array(72)
    const out: Diagnostic[] = []
    writeByName(
      shape,
      {
        on: true,
        weights: [1, 2],
        world: [
          [3, 4],
          [5, 6],
        ],
      },
      '$',
      bytes,
      out,
    )
    expect(out).toEqual([])
    const floats = new Float32Array(bytes.buffer)
    expect(new Uint32Array(bytes.buffer)[0]).toBe(1)
    expect([floats[4], floats[8]]).toEqual([1, 2])
    // Stored by columns, a register each.
    expect([floats[12], floats[16], floats[13], floats[17]]).toEqual([3, 4, 5, 6])
  })

  it.each<[unknown, string]>([
    [{ weihgts: 1 }, '$.weihgts'],
    [{ weights: [1, 2, 3] }, '$.weights'],
    [{ weights: 1 }, '$.weights'],
    [{ weights: [1, 'x'] }, '$.weights[1]'],
    [{ world: [1, 2, 3] }, '$.world'],
    [{ world: [1, 2, 3, 'x'] }, '$.world[3]'],
    [{ on: 'yes' }, '$.on'],
    [[1], '$'],
  ])('refuses %j', (value, path) => {
    const out: Diagnostic[] = []
    writeByName(shape, value, '$', new Uint8Array(72), out)
    expect(out.map((d) => (d.place?.kind === 'path' ? d.place.path : ''))).toEqual([path])
  })
})
