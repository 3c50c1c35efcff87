import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { SYSTEM_VALUE_NUMBER } from '../../src/engine/index.ts'
import { FORMATS } from '../../src/isa/formats/index.ts'
import { createBuffer } from '../../src/machine/index.ts'
import {
  assemblePrimitives,
  type BoundVertexBuffer,
  createInputLayout,
  drawAutoVertexCount,
  fetchVertices,
  readIndirectArguments,
  readSequence,
  type Topology,
  topologyOf,
  withoutAdjacency,
} from '../../src/pipeline/input/index.ts'
import type { SignatureRegister } from '../../src/pipeline/shader.ts'
import type { InputElement } from '../../src/pipeline/state.ts'
import { decodeElement, sizeOf } from '../support/input-model.ts'
import { Random } from '../support/random/random.ts'

const topology = (name: string): Topology => valueOrThrow(topologyOf(name))

const input = (semanticName: string, semanticIndex: number, register: number, systemValue = 0): SignatureRegister => ({
  semanticName,
  semanticIndex,
  register,
  mask: 15,
  stream: 0,
  systemValue,
})

/** TEXCOORD0 to TEXCOORD<n-1> in v0 to v<n-1>. */
const inputs = (n: number): SignatureRegister[] => Array.from({ length: n }, (_, k) => input('TEXCOORD', k, k))

const storageOf = (bytes: ArrayLike<number>) => valueOrThrow(createBuffer({ data: Uint8Array.from(bytes) }))

function bound(bytes: ArrayLike<number>, stride: number, offset = 0): BoundVertexBuffer {
  const { storage, byteLength } = storageOf(bytes)
  return { storage, byteLength, stride, offset }
}

/** One vertex of the first instance, whose words lie one after the other. */
const ONE = { count: 1, instance: 0, startInstance: 0 }
const FIRST = Int32Array.of(0, 1, 2, 3)

/** Words of register 0 for an element of a format at the start of a buffer. */
function fetched(format: string, buffer: BoundVertexBuffer | undefined, vertex = 0): number[] {
  const layout = valueOrThrow(createInputLayout([{ semanticName: 'TEXCOORD', format }], inputs(1)))
  const out = new Int32Array(4)
  fetchVertices(layout, [buffer], { ...ONE, vertices: Uint32Array.of(vertex) }, { words: out, first: FIRST })
  return [...out].map((w) => w >>> 0)
}

const VERTEX_FORMATS = FORMATS.filter((f) => f.capabilities.resources.buffer !== 'none').map((f) => f.name)
const ONE_BITS = 0x3f800000

function primitives(name: string, length: number): number[][] {
  const t = topology(name)
  const sequence = readSequence({ vertexCount: length }, undefined, { cutActs: true })
  const { count, verticesPerPrimitive: size, vertices } = assemblePrimitives(t, sequence)
  return Array.from({ length: count }, (_, i) => [...vertices.subarray(i * size, (i + 1) * size)])
}

describe('primitives', () => {
  it('of strips keep the leading vertex in front; odd triangles exchange the other two', () => {
    expect(primitives('TRIANGLESTRIP', 6)).toEqual([
      [0, 1, 2],
      [1, 3, 2],
      [2, 3, 4],
      [3, 5, 4],
    ])
    expect(primitives('LINESTRIP', 4)).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ])
    expect(primitives('LINESTRIP_ADJ', 5)).toEqual([
      [0, 1, 2, 3],
      [1, 2, 3, 4],
    ])
  })

  it('of triangle strips with adjacency are those of the figures; a dangling vertex takes no part', () => {
    // Figure GSInputs3 of the functional specification (13.10).
    const three = [
      [0, 1, 2, 6, 4, 3],
      [2, 5, 6, 8, 4, 0],
      [4, 2, 6, 9, 8, 7],
    ]
    expect(primitives('TRIANGLESTRIP_ADJ', 10)).toEqual(three)
    expect(primitives('TRIANGLESTRIP_ADJ', 11)).toEqual(three)
    expect(primitives('TRIANGLESTRIP_ADJ', 6)).toEqual([[0, 1, 2, 5, 4, 3]])
    expect(primitives('TRIANGLESTRIP_ADJ', 7)).toEqual([[0, 1, 2, 5, 4, 3]])
    expect(primitives('TRIANGLESTRIP_ADJ', 5)).toEqual([])
  })

  it('are as many as the vertices complete', () => {
    for (let n = 0; n <= 40; n++) {
      const expected: Record<string, number> = {
        POINTLIST: n,
        LINELIST: n / 2,
        LINESTRIP: n - 1,
        TRIANGLELIST: n / 3,
        TRIANGLESTRIP: n - 2,
        LINELIST_ADJ: n / 4,
        LINESTRIP_ADJ: n - 3,
        TRIANGLELIST_ADJ: n / 6,
        TRIANGLESTRIP_ADJ: (n - 4) / 2,
      }
      for (let size = 1; size <= 32; size++) expected[`${size}_CONTROL_POINT_PATCHLIST`] = n / size
      for (const [name, count] of Object.entries(expected)) {
        expect(primitives(name, n).length, `${name} of ${n}`).toBe(Math.max(0, Math.floor(count)))
      }
    }
  })

  it('without adjacency keep their own corners', () => {
    const kept = (name: string, n: number): number[] => {
      const t = topology(name)
      return [
        ...withoutAdjacency(t, assemblePrimitives(t, readSequence({ vertexCount: n }, undefined, { cutActs: true })))
          .vertices,
      ]
    }
    expect(kept('LINELIST_ADJ', 8)).toEqual([1, 2, 5, 6])
    expect(kept('LINESTRIP_ADJ', 5)).toEqual([1, 2, 2, 3])
    expect(kept('TRIANGLELIST_ADJ', 6)).toEqual([0, 2, 4])
    // Odd triangles exchange corners here, too.
    expect(kept('TRIANGLESTRIP_ADJ', 8)).toEqual([0, 2, 4, 2, 6, 4])
    expect(kept('TRIANGLELIST', 3)).toEqual([0, 1, 2])
  })

  it('have topologies from 1 to 32 control points and no other', () => {
    expect(topology('D3D11_PRIMITIVE_TOPOLOGY_32_CONTROL_POINT_PATCHLIST')).toMatchObject({
      kind: 'patch',
      vertexCount: 32,
    })
    for (const name of [
      '0_CONTROL_POINT_PATCHLIST',
      '33_CONTROL_POINT_PATCHLIST',
      '03_CONTROL_POINT_PATCHLIST',
      'TRIANGLEFAN',
      '',
    ]) {
      const { value, diagnostics } = topologyOf(name)
      expect(value).toBeUndefined()
      expect(diagnostics[0]?.message).toContain(JSON.stringify(name))
    }
  })
})

function indexBuffer(indices: readonly number[], wide: boolean, offset = 0) {
  const array = wide ? Uint32Array.from(indices) : Uint16Array.from(indices)
  const { storage, byteLength } = storageOf(new Uint8Array(array.buffer))
  return { storage, byteLength, offset, format: wide ? 'R32_UINT' : 'R16_UINT' } as const
}

describe('indices', () => {
  it('give identifiers without base and start values, and addresses with them', () => {
    const plain = readSequence({ vertexCount: 3, startVertex: 10 }, undefined, { cutActs: true })
    expect([[...plain.ids], plain.base]).toEqual([[0, 1, 2], 10])
    const buffer = indexBuffer([7, 8, 9, 5], false)
    const indexed = readSequence({ indexCount: 3, startIndex: 1, baseVertex: -4 }, buffer, { cutActs: true })
    expect([[...indexed.ids], indexed.base]).toEqual([[8, 9, 5], 2 ** 32 - 4])
  })

  it('are 0 out of bounds and without a buffer, which is vertex 0 and no cut', () => {
    const buffer = indexBuffer([5, 0xffff], false)
    const beyond = readSequence({ indexCount: 4 }, buffer, { cutActs: true })
    expect([...beyond.ids]).toEqual([5, 0xffff, 0, 0])
    expect([...beyond.cuts!]).toEqual([0, 1, 0, 0])
    // Three bytes are left for the second index: it is not fetched in part.
    const { storage } = buffer
    const short = readSequence(
      { indexCount: 2 },
      { storage, byteLength: 3, offset: 0, format: 'R16_UINT' },
      { cutActs: true },
    )
    expect([...short.ids]).toEqual([5, 0])
    const none = readSequence({ indexCount: 2, baseVertex: 3 }, undefined, { cutActs: true })
    expect([[...none.ids], none.base, none.cuts]).toEqual([[0, 0], 3, undefined])
  })

  it('wrap modulo 2^32, and nothing before the bound offset is read', () => {
    const buffer = indexBuffer([1, 2, 3, 4], true, 8)
    // 2^30 indices of 4 bytes are 2^32 bytes.
    expect([...readSequence({ indexCount: 2, startIndex: 2 ** 30 }, buffer, { cutActs: true }).ids]).toEqual([3, 4])
    expect([...readSequence({ indexCount: 2, startIndex: 2 ** 30 - 1 }, buffer, { cutActs: true }).ids]).toEqual([0, 3])
  })

  it('cut at the largest value of their format only, before the base is added', () => {
    const cutsOf = (indices: number[], wide: boolean, cutActs = true): number[] | undefined => {
      const call = { indexCount: indices.length, baseVertex: 1 }
      const { cuts } = readSequence(call, indexBuffer(indices, wide), { cutActs })
      return cuts === undefined ? undefined : [...cuts]
    }
    expect(cutsOf([0, 0xffff, 1], false)).toEqual([0, 1, 0])
    expect(cutsOf([0, 0xffff, 1], true)).toBeUndefined()
    expect(cutsOf([0, 0xffffffff, 0xfffffffe], true)).toEqual([0, 1, 0])
    expect(cutsOf([0, 0xffff, 1], false, false)).toBeUndefined()
  })

  it('that are cuts end lists, too, and drop what is incomplete; identifiers of primitives go on', () => {
    const indices = [0, 1, 0xffff, 2, 3, 4, 5, 0xffff, 0xffff, 6, 7, 8]
    const sequence = readSequence({ indexCount: indices.length }, indexBuffer(indices, false), { cutActs: true })
    expect([sequence.length, sequence.vertexCount]).toEqual([12, 9])
    const { count, vertices } = assemblePrimitives(topology('TRIANGLELIST'), sequence)
    expect(count).toBe(2)
    expect([...vertices].map((v) => sequence.ids[v])).toEqual([2, 3, 4, 6, 7, 8])
    const strip = assemblePrimitives(topology('TRIANGLESTRIP'), sequence)
    expect([...strip.vertices].map((v) => sequence.ids[v])).toEqual([2, 3, 4, 3, 5, 4, 6, 7, 8])
  })
})

describe('vertex data', () => {
  it('out of bounds is 0 with the defaults of its format; of an unbound slot it is 0 everywhere', () => {
    const buffer = bound(new Uint8Array(12), 12)
    expect(fetched('R32G32B32_FLOAT', buffer, 1)).toEqual([0, 0, 0, ONE_BITS])
    expect(fetched('R32G32B32_FLOAT', undefined)).toEqual([0, 0, 0, 0])
    expect(fetched('R32G32_UINT', buffer, 2)).toEqual([0, 0, 0, 1])
    expect(fetched('R8G8B8A8_UNORM', buffer, 2)).toEqual([0, 0, 0, 0])
    expect(fetched('R8_SNORM', buffer, 2)).toEqual([0, 0, 0, ONE_BITS])
  })

  it('is fetched whole or not at all', () => {
    const bytes = new Uint8Array(15).fill(0xff)
    expect(fetched('R32G32B32A32_UINT', bound(bytes, 16))).toEqual([0, 0, 0, 0])
    expect(fetched('R32G32B32_UINT', bound(bytes, 16))).toEqual([0xffffffff, 0xffffffff, 0xffffffff, 1])
  })

  it('is addressed modulo 2^32 and never before the bound offset', () => {
    const words = Uint32Array.from([10, 11, 12, 13])
    const buffer = bound(new Uint8Array(words.buffer), 4, 4)
    expect(fetched('R32_UINT', buffer, 0)).toEqual([11, 0, 0, 1])
    expect(fetched('R32_UINT', buffer, 2 ** 32 - 1)).toEqual([0, 0, 0, 1])
    expect(fetched('R32_UINT', buffer, 2 ** 30 + 1)).toEqual([12, 0, 0, 1])
    expect(fetched('R32_UINT', bound(new Uint8Array(words.buffer), 0, 8), 77)).toEqual([12, 0, 0, 1])
  })

  it('of 32 bits passes unchanged: denormals, signaling NaNs and integers', () => {
    const words = Uint32Array.from([0x00000001, 0x7f800001, 0xffc12345, 0x80000000])
    for (const type of ['FLOAT', 'UINT', 'SINT']) {
      expect(fetched(`R32G32B32A32_${type}`, bound(new Uint8Array(words.buffer), 16))).toEqual([...words])
    }
  })

  it('that is normalized is the correctly rounded quotient', () => {
    const quotient = (numerator: number, denominator: number): number =>
      new Uint32Array(Float32Array.of(numerator / denominator).buffer)[0]!
    const bytes = Uint8Array.from({ length: 256 }, (_, n) => n)
    const [unorm, snorm] = [bound(bytes, 1), bound(bytes, 1)]
    for (let n = 0; n < 256; n++) {
      expect(fetched('R8_UNORM', unorm, n)[0]).toBe(quotient(n, 255))
      const signed = n < 128 ? n : n - 256
      expect(fetched('R8_SNORM', snorm, n)[0]).toBe(quotient(Math.max(-127, signed), 127))
    }
    const wide = bound(new Uint8Array(Uint16Array.from({ length: 65536 }, (_, n) => n).buffer), 2)
    for (let n = 0; n < 65536; n += 13) expect(fetched('R16_UNORM', wide, n)[0]).toBe(quotient(n, 65535))
  })

  it('has the 44 formats that Direct3D 11 requires and 3 optional ones, each as its name says', () => {
    expect(VERTEX_FORMATS.length).toBe(47)
    const random = new Random(5)
    const isNaNWord = (w: number): boolean => (w & 0x7fffffff) > 0x7f800000
    for (const format of VERTEX_FORMATS) {
      for (let n = 0; n < 50; n++) {
        const bytes = Uint8Array.from({ length: sizeOf(format) }, () => random.below(256))
        const expected = decodeElement(format, bytes)
        // Formats of 16 bits and less may have any NaN for theirs.
        const quiet = (w: number): number => (format.startsWith('R32') || !isNaNWord(w) ? w : 0x7fc00000)
        expect(fetched(format, bound(bytes, 0)).map(quiet), format).toEqual(expected.map(quiet))
      }
    }
  })
})

const layoutOf = (elements: readonly InputElement[], signature: readonly SignatureRegister[] = []) =>
  createInputLayout(elements, signature)
const texcoord = (semanticIndex: number, format: string, more: Partial<InputElement> = {}): InputElement => ({
  semanticName: 'TEXCOORD',
  semanticIndex,
  format,
  ...more,
})

describe('input layouts', () => {
  it('append to the previous element of the same slot, aligned, even where the shader reads none of them', () => {
    const elements = [
      texcoord(0, 'R8_UNORM'),
      texcoord(1, 'R32_FLOAT', { inputSlot: 1 }),
      texcoord(2, 'R16_UINT'),
      texcoord(3, 'R16G16_SINT', { inputSlot: 1, alignedByteOffset: 0xffffffff }),
      texcoord(4, 'R8G8B8A8_UNORM'),
      texcoord(5, 'R8_UINT', { alignedByteOffset: 21 }),
      texcoord(6, 'R32G32_FLOAT', { alignedByteOffset: 'APPEND' }),
    ]
    const { elements: made } = valueOrThrow(layoutOf(elements))
    expect(made.map((e) => e.byteOffset)).toEqual([0, 0, 2, 4, 4, 21, 24])
  })

  it('match names without regard to case, and leave identifiers to the input assembler', () => {
    const signature = [
      input('Position', 0, 3),
      input('SV_VertexID', 0, 1, SYSTEM_VALUE_NUMBER.vertexId),
      input('SV_InstanceID', 0, 2, SYSTEM_VALUE_NUMBER.instanceId),
    ]
    const { elements } = valueOrThrow(layoutOf([{ semanticName: 'POSITION', format: 'R32_FLOAT' }], signature))
    expect(elements[0]!.registers.map((r) => r.register)).toEqual([3])
    const { value, diagnostics } = layoutOf([], signature)
    expect(value).toBeUndefined()
    expect(diagnostics.map((d) => d.code)).toEqual(['pipeline-input-layout'])
    expect(diagnostics[0]!.message).toContain('Position0')
  })

  it('refuse what Direct3D refuses, and name the field', () => {
    const wrong: [Partial<InputElement> & Record<string, unknown>, string][] = [
      [{ format: 'R8G8B8A8_UNORM_SRGB' }, 'format'],
      [{ format: 'R9G9B9E5_SHAREDEXP' }, 'format'],
      [{ format: 'BC1_UNORM' }, 'format'],
      [{ format: 'D32_FLOAT' }, 'format'],
      [{ format: 'R32G32_TYPELESS' }, 'format'],
      [{ format: 'R32G32B33_FLOAT' }, 'format'],
      [{ inputSlot: 32 }, 'inputSlot'],
      [{ inputSlot: 0.5 }, 'inputSlot'],
      [{ alignedByteOffset: -4 }, 'alignedByteOffset'],
      [{ alignedByteOffset: Number.NaN }, 'alignedByteOffset'],
      [{ semanticIndex: -1 }, 'semanticIndex'],
      [{ semanticName: '' }, 'semanticName'],
      [{ semanticIndex: 0 }, 'semanticName'],
      [{ semanticName: 'TexCoord', semanticIndex: 0 }, 'semanticName'],
      [{ inputSlotClass: 'PER_PATCH_DATA' as never }, 'inputSlotClass'],
      [{ instanceDataStepRate: 1 }, 'instanceDataStepRate'],
      [{ inputSlotClass: 'PER_INSTANCE_DATA', instanceDataStepRate: 1.5 }, 'instanceDataStepRate'],
      [{ offset: 4 }, 'offset'],
    ]
    for (const [fields, field] of wrong) {
      const { value, diagnostics } = layoutOf([texcoord(0, 'R32_FLOAT'), texcoord(1, 'R32_FLOAT', fields)])
      expect(value, field).toBeUndefined()
      expect(diagnostics.map((d) => d.place)).toEqual([{ kind: 'path', path: `inputLayout[1].${field}` }])
    }
    const many = Array.from({ length: 33 }, (_, n) => texcoord(n, 'R32_FLOAT'))
    expect(layoutOf(many).value).toBeUndefined()
    expect(layoutOf(many.slice(1)).value?.elements.length).toBe(32)
  })

  it('have one class and step rate for each slot', () => {
    const perInstance = (rate: number) => ({ inputSlotClass: 'PER_INSTANCE_DATA', instanceDataStepRate: rate }) as const
    const both = (a: Partial<InputElement>, b: Partial<InputElement>) =>
      layoutOf([texcoord(0, 'R32_FLOAT', a), texcoord(1, 'R32_FLOAT', b)]).value !== undefined
    expect(both(perInstance(2), perInstance(2))).toBe(true)
    expect(both(perInstance(2), perInstance(3))).toBe(false)
    expect(both({}, perInstance(0))).toBe(false)
    expect(both({}, { ...perInstance(3), inputSlot: 1 })).toBe(true)
  })

  it('say where an element is not aligned, and read its bytes all the same', () => {
    const { value, diagnostics } = layoutOf([texcoord(0, 'R32_UINT', { alignedByteOffset: 1 })], inputs(1))
    expect(diagnostics.map((d) => [d.code, d.severity])).toEqual([['pipeline-undefined', 'warning']])
    const out = new Int32Array(4)
    fetchVertices(
      value!,
      [bound([9, 1, 2, 3, 4], 8)],
      { ...ONE, vertices: Uint32Array.of(0) },
      { words: out, first: FIRST },
    )
    expect(out[0]).toBe(0x04030201)
  })
})

describe('arguments of draws in buffers', () => {
  const words = storageOf(new Uint8Array(Uint32Array.from([9, 3, 2, 0xfffffffe, 7, 11]).buffer))

  it('are 4 or 5 words', () => {
    expect(valueOrThrow(readIndirectArguments(words, 0, 'vertices'))).toEqual({
      vertexCount: 9,
      instanceCount: 3,
      startVertex: 2,
      startInstance: 0xfffffffe,
    })
    expect(valueOrThrow(readIndirectArguments(words, 4, 'indices'))).toEqual({
      indexCount: 3,
      instanceCount: 2,
      startIndex: 0xfffffffe,
      baseVertex: 7,
      startInstance: 11,
    })
    expect(readIndirectArguments(words, 8, 'vertices').value).toBeDefined()
  })

  it('that are not aligned, or not in the buffer, draw nothing', () => {
    for (const [offset, kind] of [
      [12, 'vertices'],
      [8, 'indices'],
      [2, 'vertices'],
      [-4, 'vertices'],
      [Number.NaN, 'indices'],
      [2 ** 32, 'vertices'],
    ] as const) {
      const { value, diagnostics } = readIndirectArguments(words, offset, kind)
      expect(value).toBeUndefined()
      expect(diagnostics.map((d) => d.code)).toEqual(['pipeline-draw'])
    }
  })

  it('of DrawAuto are the whole vertices between the bound offset and what stream output filled', () => {
    expect(drawAutoVertexCount({ stride: 12, offset: 0 }, 100)).toBe(8)
    expect(drawAutoVertexCount({ stride: 12, offset: 16 }, 100)).toBe(7)
    expect(drawAutoVertexCount({ stride: 12, offset: 100 }, 100)).toBe(0)
    expect(drawAutoVertexCount({ stride: 12, offset: 104 }, 100)).toBe(0)
    expect(drawAutoVertexCount({ stride: 0, offset: 0 }, 100)).toBe(0)
  })
})
