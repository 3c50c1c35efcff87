import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amount } from '../../test/support/amount.ts'
import {
  decodeChunk,
  decodeDebugName,
  decodeInterfaces,
  decodeResourceDefinition,
  decodeRootSignature,
  decodeSignature,
  decodeStatistics,
  encodeChunk,
  encodeDebugName,
  encodeInterfaces,
  encodeResourceDefinition,
  encodeRootSignature,
  encodeSignature,
  encodeStatistics,
  type ReflectedType,
  type ResourceDefinition,
  SIGNATURE_FOURCCS,
  STAT_FIELDS,
  type StatField,
  zeroStatCounts,
} from './index.ts'

const RUNS = { seed: 11, numRuns: amount(50, 200) }
const u32 = fc.integer({ min: 0, max: 0xffffffff })
const u16 = fc.integer({ min: 0, max: 0xffff })
const u8 = fc.integer({ min: 0, max: 0xff })
/** Any bytes but zero, as Latin-1: names are bytes to the container. */
const name = fc.string({ unit: fc.integer({ min: 1, max: 255 }).map((c) => String.fromCharCode(c)), maxLength: 9 })
const definedOnly = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, v]) => v !== undefined)) as T

describe('signatures', () => {
  it.each(SIGNATURE_FOURCCS)('%s comes back from its bytes', (fourcc) => {
    const precision = fourcc.endsWith('1')
    const element = fc
      .record({
        ...{
          name,
          semanticIndex: u32,
          systemValue: u32,
          componentType: u32,
          register: u32,
          mask: u8,
          readWriteMask: u8,
        },
        reserved: fc.option(
          u16.filter((v) => v > 0),
          { nil: undefined },
        ),
        stream: precision || fourcc === 'OSG5' ? u32 : fc.constant(undefined),
        minPrecision: precision ? u32 : fc.constant(undefined),
      })
      .map(definedOnly)
    fc.assert(
      fc.property(fc.array(element, { maxLength: 6 }), (elements) => {
        const { value } = decodeSignature(encodeSignature({ elements: elements as never }, fourcc), fourcc)
        expect(value).toEqual({ elements })
      }),
      RUNS,
    )
  })
})

describe('statistics', () => {
  it.each([28, 29, 37])('of %d dwords come back', (dwordCount) => {
    const counts = zeroStatCounts()
    STAT_FIELDS.slice(0, dwordCount).forEach((field: StatField, i) => {
      counts[field] = i * 1000 + 1
    })
    const data = encodeStatistics({ counts, dwordCount })
    expect(data.length).toBe(dwordCount * 4)
    expect(decodeStatistics(data).value).toEqual({ counts, dwordCount })
  })

  it('keep dwords of a later form', () => {
    const data = new Uint8Array(Uint32Array.from({ length: 40 }, (_, i) => i).buffer)
    const { value } = decodeStatistics(data)
    expect(value?.more).toEqual([37, 38, 39])
    expect(encodeStatistics(value!)).toEqual(data)
  })
})

describe('interfaces', () => {
  const model = fc.record({
    types: fc.array(fc.record({ name, constantBufferStride: u16, textureCount: u16, samplerCount: u16 }), {
      maxLength: 4,
    }),
    instances: fc.array(
      fc.record({
        ...{ name, typeId: u16, elementCount: u16, constantBuffer: u16 },
        ...{ constantBufferOffset: u16, texture: u16, sampler: u16 },
      }),
      { maxLength: 4 },
    ),
    slots: fc.array(
      fc.record({ slotCount: u32, entries: fc.array(fc.record({ typeId: u16, tableId: u32 }), { maxLength: 5 }) }),
      { maxLength: 3 },
    ),
    slotCount: u32,
  })

  it('come back from their bytes', () => {
    fc.assert(
      fc.property(model, (value) => {
        expect(decodeInterfaces(encodeInterfaces(value)).value).toEqual(value)
      }),
      RUNS,
    )
  })
})

describe('root signatures', () => {
  const range = (version: number) =>
    fc
      .record({
        ...{ kind: u32, descriptorCount: u32, register: u32, space: u32, tableOffset: u32 },
        flags: version >= 2 ? u32 : fc.constant(undefined),
      })
      .map(definedOnly)
  const parameter = (version: number) =>
    fc.oneof(
      fc.record({ kind: fc.constant('table'), visibility: u32, ranges: fc.array(range(version), { maxLength: 3 }) }),
      fc.record({ kind: fc.constant('constants'), visibility: u32, register: u32, space: u32, dwordCount: u32 }),
      fc
        .record({
          kind: fc.constantFrom('cbv', 'srv', 'uav'),
          ...{ visibility: u32, register: u32, space: u32 },
          flags: version >= 2 ? u32 : fc.constant(undefined),
        })
        .map(definedOnly),
    )
  const sampler = (version: number) =>
    fc
      .record({
        ...{ filter: u32, address: fc.tuple(u32, u32, u32), mipLodBiasBits: u32, maxAnisotropy: u32, comparison: u32 },
        ...{ borderColor: u32, minLodBits: u32, maxLodBits: u32, register: u32, space: u32, visibility: u32 },
        flags: version >= 3 ? u32 : fc.constant(undefined),
      })
      .map(definedOnly)

  it.each([
    ['1.0', 1],
    ['1.1', 2],
    ['1.2', 3],
  ])('of version %s come back from their bytes', (_, version) => {
    const model = fc.record({
      version: fc.constant(version),
      parameters: fc.array(parameter(version), { maxLength: 4 }),
      staticSamplers: fc.array(sampler(version), { maxLength: 3 }),
      flags: u32,
    })
    fc.assert(
      fc.property(model, (value) => {
        expect(decodeRootSignature(encodeRootSignature(value as never)).value).toEqual(value)
      }),
      RUNS,
    )
  })

  it('of another version are carried raw', () => {
    const data = new Uint8Array(Uint32Array.of(4, 0, 24, 0, 24, 0).buffer)
    const { value, diagnostics } = decodeChunk({ fourcc: 'RTS0', data })
    expect(value).toEqual({ kind: 'raw', bytes: data })
    expect(diagnostics.map((d) => d.code)).toEqual(['dxbc-chunk-unusual'])
  })
})

describe('debug names', () => {
  it('come back, padded to a dword', () => {
    for (const length of [0, 1, 2, 3, 4, 5]) {
      const value = { flags: 1, name: 'x'.repeat(length) }
      const data = encodeDebugName(value)
      expect(data.length % 4).toBe(0)
      expect(decodeDebugName(data).value).toEqual(value)
    }
  })
})

describe('resource definitions', () => {
  const slots = fc.option(fc.record({ start: u8, count: u8 }), { nil: undefined })

  /** Types that name only types before them, so that none contains itself. */
  const types = fc
    .array(
      fc.record({
        ...{ name, class: fc.integer({ min: 0, max: 7 }), base: u8, rows: u8, columns: u8, elements: u8 },
        memberNames: fc.array(name, { maxLength: 4 }),
        pick: fc.array(u8, { minLength: 12, maxLength: 12 }),
      }),
      { minLength: 1, maxLength: 8 },
    )
    .map((drafts) =>
      drafts.map((draft, index): ReflectedType => {
        const { memberNames, pick, ...type } = draft
        const earlier = (i: number) => pick[i]! % index
        const refers = (i: number) => index > 0 && pick[i]! > 128
        const members =
          index === 0 ? [] : memberNames.map((n, i) => ({ name: n, type: earlier(i), byteOffset: i * 16 }))
        return {
          ...type,
          members,
          ...(refers(4) ? { pointsTo: earlier(5) } : {}),
          ...(refers(6) ? { baseClass: earlier(7) } : {}),
          ...(refers(8) ? { interfaces: [earlier(9), earlier(10)] } : {}),
        }
      }),
    )

  const draft = fc.record({
    minorVersion: fc.constantFrom(0, 1),
    types,
    bindings: fc.array(
      fc.record({
        ...{ name, kind: u8, returnType: u8, dimension: u8, sampleCount: u32 },
        ...{ bindPoint: u32, bindCount: u32, flags: u32, space: u32, id: u32 },
      }),
      { maxLength: 4 },
    ),
    buffers: fc.array(
      fc.record({
        ...{ name, byteLength: u32, flags: u32, kind: u8 },
        variables: fc.array(
          fc.record({
            ...{ name, byteOffset: u32, flags: u32, type: u8, textures: slots, samplers: slots },
            defaultDwords: fc.option(fc.array(u32, { minLength: 1, maxLength: 5 }), { nil: undefined }),
          }),
          { maxLength: 4 },
        ),
      }),
      { maxLength: 3 },
    ),
    creator: name,
    flags: u32,
    interfaceSlotCount: u32,
  })

  const build = (d: typeof draft extends fc.Arbitrary<infer T> ? T : never): ResourceDefinition => ({
    ...{ majorVersion: 5, minorVersion: d.minorVersion, programType: 0x4353, flags: d.flags, creator: d.creator },
    extension: { tag: 'RD11', interfaceSlotCount: d.interfaceSlotCount },
    types: d.types,
    bindings: d.bindings.map(({ space, id, ...b }) => (d.minorVersion === 1 ? { ...b, space, id } : b)),
    buffers: d.buffers.map((buffer) => ({
      ...buffer,
      variables: buffer.variables.map(({ defaultDwords, type, ...v }) => ({
        ...definedOnly(v),
        type: type % d.types.length,
        byteLength: (defaultDwords?.length ?? 1) * 4,
        ...(defaultDwords === undefined
          ? {}
          : { defaultValue: new Uint8Array(Uint32Array.from(defaultDwords).buffer) }),
      })),
    })) as ResourceDefinition['buffers'],
  })

  /** The model with its types unfolded in place, so that models may be compared whatever the order of their types. */
  const unfolded = (model: ResourceDefinition) => {
    const typeOf = (index: number): unknown => {
      const { members, pointsTo, baseClass, interfaces, ...type } = model.types[index]!
      return {
        ...type,
        members: members.map((m) => ({ ...m, type: typeOf(m.type) })),
        pointsTo: pointsTo === undefined ? undefined : typeOf(pointsTo),
        baseClass: baseClass === undefined ? undefined : typeOf(baseClass),
        interfaces: interfaces?.map(typeOf),
      }
    }
    const buffers = model.buffers.map((b) => ({
      ...b,
      variables: b.variables.map((v) => ({ ...v, type: typeOf(v.type) })),
    }))
    return { ...model, types: undefined, buffers }
  }

  it('come back from their bytes, without layout fields', () => {
    fc.assert(
      fc.property(draft, (d) => {
        const model = build(d)
        const data = encodeResourceDefinition(model)
        const { value } = decodeResourceDefinition(data)
        expect(unfolded(value!)).toEqual(unfolded(model))
        expect(Buffer.compare(encodeResourceDefinition(value!), data)).toBe(0)
      }),
      RUNS,
    )
  })

  it('of Shader Model 4 have neither type names nor slots', () => {
    const type: ReflectedType = { class: 1, base: 3, rows: 1, columns: 4, elements: 0, members: [] }
    const variable = { name: 'v', byteOffset: 0, byteLength: 16, flags: 2, type: 0 }
    const model: ResourceDefinition = {
      ...{ majorVersion: 4, minorVersion: 1, programType: 0xfffe, flags: 0, creator: 'c', types: [type], bindings: [] },
      buffers: [{ name: 'B', variables: [variable], byteLength: 16, flags: 0, kind: 0 }],
    }
    const data = encodeResourceDefinition(model)
    // 28 header, 24 buffer, "B", 24 variable, "v", 16 type, "c", each string padded to what follows.
    expect(data.length).toBe(28 + 24 + 4 + 24 + 4 + 16 + 4)
    expect(decodeResourceDefinition(data).value).toEqual(model)
  })

  it('keep the places of a chunk that another writer laid out', () => {
    const data = encodeResourceDefinition({
      ...{ majorVersion: 4, minorVersion: 0, programType: 0xffff, flags: 0, creator: 'me', bindings: [], types: [] },
      buffers: [],
    })
    // The creator moves to the end, behind bytes that nothing names.
    const moved = Uint8Array.from([...data, 1, 2, 3, 4, ...new TextEncoder().encode('me'), 0, 9])
    new DataView(moved.buffer).setUint32(24, data.length + 4, true)
    const { value, diagnostics } = decodeChunk({ fourcc: 'RDEF', data: moved })
    expect(diagnostics).toEqual([])
    expect(value.kind).toBe('resource-definition')
    expect(encodeChunk(value)).toEqual(moved)
    const layout = value.kind === 'resource-definition' ? value.value.layout : undefined
    expect(layout?.placements).toEqual([[2, data.length + 4]])
    expect(layout?.fill?.length).toBe(2)
  })
})
