import { type Outcome, outcomeOf } from '../../diagnostic/index.ts'
import { ByteReader, latin1 } from '../bytes.ts'
import { faultOutcome } from '../fault.ts'
import { dataKey, observedLayout, Placer } from '../layout.ts'
import {
  hasMemberList,
  MAX_TYPE_DEPTH,
  NO_SLOTS,
  type RecordSizes,
  type ReflectedBinding,
  type ReflectedBuffer,
  type ReflectedMember,
  type ReflectedType,
  type ReflectedVariable,
  type ResourceDefinition,
  recordSizes,
  type SlotRange,
} from './model.ts'

interface Decoding {
  readonly reader: ByteReader
  readonly placer: Placer
  readonly sizes: RecordSizes
  readonly extended: boolean
  readonly types: ReflectedType[]
  /** Index of the type at a byte offset. */
  readonly typeIndices: Map<number, number>
  /** Offsets of the types that are being read, from the outermost. */
  readonly open: number[]
}

/** RDEF to its model. The walk visits the parts in the order in which `encodeResourceDefinition` writes them. */
export function decodeResourceDefinition(data: Uint8Array, fourcc = 'RDEF'): Outcome<ResourceDefinition> {
  const reader = new ByteReader(data)
  const [bufferCount = 0, bufferAt = 0, bindingCount = 0, bindingAt = 0] = reader.dwords(0, 4, 'the header')
  const minorVersion = reader.u8(16, 'the target')
  const majorVersion = reader.u8(17, 'the target')
  const sizes = recordSizes(majorVersion, minorVersion)
  const placer = new Placer(sizes.header)
  const extended = majorVersion >= 5
  const d: Decoding = { reader, placer, sizes, extended, types: [], typeIndices: new Map(), open: [] }
  const programType = reader.u16(18, 'the program type')
  const [flags = 0, creatorAt = 0] = reader.dwords(20, 2, 'the header')
  const extension = extended ? { extension: readExtension(d) } : {}
  const bindings = readBindings(d, bindingAt, bindingCount)
  const buffers = readBuffers(d, bufferAt, bufferCount)
  const creator = readText(d, creatorAt, 'the creator')
  if (reader.fault !== undefined) return faultOutcome(fourcc, reader.fault)
  const layout = observedLayout(data, placer, 4)
  const value: ResourceDefinition = {
    ...{ majorVersion, minorVersion, programType, flags, creator, bindings, buffers },
    types: d.types,
    ...extension,
    ...(layout === undefined ? {} : { layout }),
  }
  return outcomeOf(value)
}

function readExtension({ reader, sizes }: Decoding): { tag: string; interfaceSlotCount: number } {
  const tag = latin1(reader.slice(28, 4, 'the header tag'))
  const [header, buffer, binding, variable, type, member, interfaceSlotCount = 0] = reader.dwords(32, 7, 'the header')
  const found = { header, buffer, binding, variable, type, member }
  for (const [name, size] of Object.entries(sizes)) {
    if (found[name as keyof RecordSizes] !== size) {
      reader.fail('value', 32, 24, `a ${name} record of ${found[name as keyof RecordSizes]} bytes instead of ${size}`)
    }
  }
  return { tag, interfaceSlotCount }
}

function readText(d: Decoding, at: number, what: string): string {
  const text = d.reader.text(at, what)
  d.placer.observe(at, text.length + 1, 1, text)
  return text
}

/** Records of one size, one after the other. */
interface RecordArray {
  readonly at: number
  readonly count: number
  readonly size: number
  readonly what: string
  /** Where fxc puts the array, where that is not behind what comes before it (`Placer.observe`). */
  readonly usualAt?: number | undefined
}

/** Reads an array of records: its range must exist before anything is built from its count. */
function readArray<T>(d: Decoding, { at, count, size, what, usualAt }: RecordArray, read: (at: number) => T): T[] {
  if (!d.reader.claim(at, count * size, what)) return []
  d.placer.observe(at, count * size, 4, undefined, usualAt)
  const items: T[] = []
  for (let i = 0; i < count && d.reader.fault === undefined; i++) items.push(read(at + i * size))
  return items
}

function observeShared(d: Decoding, at: number, byteLength: number): void {
  d.placer.observe(at, byteLength, 4, dataKey(d.reader.bytes.subarray(at, at + byteLength)))
}

function readBindings(d: Decoding, at: number, count: number): ReflectedBinding[] {
  return readArray(d, { at, count, size: d.sizes.binding, what: 'the resource bindings' }, (record) => {
    const [
      nameAt = 0,
      kind = 0,
      returnType = 0,
      dimension = 0,
      sampleCount = 0,
      bindPoint = 0,
      bindCount = 0,
      flags = 0,
    ] = d.reader.dwords(record, 8, 'a resource binding')
    const name = readText(d, nameAt, 'the name of a resource binding')
    const binding = { name, kind, returnType, dimension, sampleCount, bindPoint, bindCount, flags }
    if (d.sizes.binding !== 40) return binding
    const [space = 0, id = 0] = d.reader.dwords(record + 32, 2, 'a resource binding')
    return { ...binding, space, id }
  })
}

function readBuffers(d: Decoding, at: number, count: number): ReflectedBuffer[] {
  const read = (record: number) => readBuffer(d, record)
  return readArray(
    d,
    { at, count, size: d.sizes.buffer, what: 'the buffers', usualAt: count === 0 ? 0 : undefined },
    read,
  )
}

function readBuffer(d: Decoding, record: number): ReflectedBuffer {
  const dwords = d.reader.dwords(record, 6, 'a buffer')
  const [nameAt = 0, variableCount = 0, variableAt = 0, byteLength = 0, flags = 0, kind = 0] = dwords
  const name = readText(d, nameAt, 'the name of a buffer')
  const read = (at: number) => readVariable(d, at)
  const variables = readArray(
    d,
    { at: variableAt, count: variableCount, size: d.sizes.variable, what: 'the variables' },
    read,
  )
  return { name, variables, byteLength, flags, kind }
}

function readVariable(d: Decoding, at: number): ReflectedVariable {
  const [nameAt = 0, byteOffset = 0, byteLength = 0, flags = 0, typeAt = 0, valueAt = 0] = d.reader.dwords(
    at,
    6,
    'a variable',
  )
  const name = readText(d, nameAt, 'the name of a variable')
  const type = readType(d, typeAt)
  const variable = { name, byteOffset, byteLength, flags, type }
  const value = valueAt === 0 ? {} : { defaultValue: readDefault(d, valueAt, byteLength) }
  if (!d.extended) return { ...variable, ...value }
  const [t0 = 0, tn = 0, s0 = 0, sn = 0] = d.reader.dwords(at + 24, 4, 'the slots of a variable')
  const textures = slotRange(t0, tn)
  const samplers = slotRange(s0, sn)
  return {
    ...variable,
    ...value,
    ...(textures === undefined ? {} : { textures }),
    ...(samplers === undefined ? {} : { samplers }),
  }
}

function readDefault(d: Decoding, at: number, byteLength: number): Uint8Array {
  const bytes = d.reader.slice(at, byteLength, 'a default value')
  observeShared(d, at, byteLength)
  return bytes
}

function slotRange(start: number, count: number): SlotRange | undefined {
  return start === NO_SLOTS.start && count === NO_SLOTS.count ? undefined : { start, count }
}

/** Index of the type at a byte offset, reading it if it is new. */
function readType(d: Decoding, at: number): number {
  const known = d.typeIndices.get(at)
  if (known !== undefined) {
    if (d.open.includes(at)) d.reader.fail('cycle', at, d.sizes.type, 'a type that contains itself')
    return known
  }
  if (d.open.length >= MAX_TYPE_DEPTH) d.reader.fail('depth', at, d.sizes.type, 'types nested too deeply')
  if (!d.reader.claim(at, d.sizes.type, 'a type')) return 0
  const index = d.types.length
  d.typeIndices.set(at, index)
  d.types.push({ class: 0, base: 0, rows: 0, columns: 0, elements: 0, members: [] })
  d.open.push(at)
  d.types[index] = readTypeRecord(d, at)
  d.open.pop()
  d.placer.observe(at, d.sizes.type, 4)
  return index
}

function readTypeRecord(d: Decoding, at: number): ReflectedType {
  const { reader } = d
  const [kind, base, rows, columns, elements, memberCount] = [0, 2, 4, 6, 8, 10].map((o) =>
    reader.u16(at + o, 'a type'),
  )
  const memberAt = reader.u32(at + 12, 'a type')
  const names = d.extended ? readTypeNames(d, at + 16) : {}
  const members = readMembers(d, memberAt, memberCount!, kind!)
  return { ...names, class: kind!, base: base!, rows: rows!, columns: columns!, elements: elements!, members }
}

function readTypeNames(d: Decoding, at: number): Pick<ReflectedType, 'name' | 'pointsTo' | 'baseClass' | 'interfaces'> {
  const [pointsToAt = 0, baseAt = 0, count = 0, listAt = 0, nameAt = 0] = d.reader.dwords(at, 5, 'a type')
  // A compiler before 9.30 leaves types of some structures' matrices without a name.
  const name = nameAt === 0 ? {} : { name: readText(d, nameAt, 'the name of a type') }
  const pointsTo = pointsToAt === 0 ? {} : { pointsTo: readType(d, pointsToAt) }
  const baseClass = baseAt === 0 ? {} : { baseClass: readType(d, baseAt) }
  if (count === 0) {
    if (listAt !== 0) d.reader.fail('value', at + 12, 4, 'an empty list of interfaces with a place')
    return { ...name, ...pointsTo, ...baseClass }
  }
  const offsets = d.reader.dwords(listAt, count, 'the interfaces of a class')
  const interfaces = offsets.map((offset) => readType(d, offset))
  observeShared(d, listAt, count * 4)
  return { ...name, ...pointsTo, ...baseClass, interfaces }
}

function readMembers(d: Decoding, at: number, count: number, kind: number): ReflectedMember[] {
  if (!hasMemberList({ class: kind, members: { length: count } as ReflectedMember[] })) return []
  const records = d.reader.dwords(at, count * 3, 'the members of a structure')
  const members: ReflectedMember[] = []
  for (let i = 0; i < records.length && d.reader.fault === undefined; i += 3) {
    const name = readText(d, records[i]!, 'the name of a member')
    members.push({ name, type: readType(d, records[i + 1]!), byteOffset: records[i + 2]! })
  }
  observeShared(d, at, count * 12)
  return members
}
