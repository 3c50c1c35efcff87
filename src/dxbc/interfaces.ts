import { type Outcome, outcomeOf } from '../diagnostic/index.ts'
import { ByteReader, ByteWriter } from './bytes.ts'
import { faultOutcome } from './fault.ts'
import { type ChunkLayout, finishChunk, observedLayout, PAD_BYTE, Placer } from './layout.ts'

/** A class that can stand behind an interface. Its ID is its place in the list. */
export interface ClassType {
  readonly name: string
  /** The word before the stride, where it is not 0. */
  readonly reserved?: number
  /** 16-byte registers of constant buffer that one instance takes. */
  readonly constantBufferStride: number
  readonly textureCount: number
  readonly samplerCount: number
}

/** An instance of a class among the shader's variables. Slots are 0xffff where there are none. */
export interface ClassInstance {
  readonly name: string
  /** Index into the class types. */
  readonly typeId: number
  readonly elementCount: number
  readonly constantBuffer: number
  /** In 16-byte registers. */
  readonly constantBufferOffset: number
  readonly texture: number
  readonly sampler: number
}

/** A run of interface slots, and the function table for each class that may be bound to them. */
export interface InterfaceSlots {
  /** How many consecutive slots: more than 1 for an array of interface pointers. */
  readonly slotCount: number
  readonly entries: readonly { readonly typeId: number; readonly tableId: number }[]
}

/** The IFCE part: dynamic shader linkage. */
export interface InterfaceData {
  readonly types: readonly ClassType[]
  readonly instances: readonly ClassInstance[]
  readonly slots: readonly InterfaceSlots[]
  /** Slots of all runs together. */
  readonly slotCount: number
  /** The last two dwords of the header where they are not fxc's (`OSGN` and 0x00100020). */
  readonly marks?: readonly [number, number]
  readonly layout?: ChunkLayout
}

/** A slot that is not there. */
export const NO_SLOT = 0xffff

const HEADER_BYTES = 36
const SLOTS_BYTES = 16
const TYPE_BYTES = 12
const INSTANCE_BYTES = 16
const MARKS = [0x4e47534f, 0x00100020] as const

/** IFCE to its model. */
export function decodeInterfaces(data: Uint8Array, fourcc = 'IFCE'): Outcome<InterfaceData> {
  const reader = new ByteReader(data)
  const header = reader.dwords(0, 9, 'the header')
  const [instanceCount = 0, typeCount = 0, runCount = 0, slotCount = 0, instancesAt = 0, typesAt = 0, runsAt = 0] =
    header
  const placer = new Placer(HEADER_BYTES)
  const table = <T>(at: number, count: number, size: number, what: string, read: (at: number) => T): T[] => {
    if (!reader.claim(at, count * size, what)) return []
    placer.observe(at, count * size, 4)
    return Array.from({ length: count }, (_, i) => read(at + i * size))
  }
  // All three tables stand before what they name.
  const runs = table(runsAt, runCount, SLOTS_BYTES, 'the interface slots', (at) =>
    reader.dwords(at, 4, 'a slot record'),
  )
  const typeRecords = table(typesAt, typeCount, TYPE_BYTES, 'the class types', (at) => at)
  const instanceRecords = table(instancesAt, instanceCount, INSTANCE_BYTES, 'the class instances', (at) => at)
  const slots = runs.map((run) => readSlots(reader, placer, run))
  const instances = instanceRecords.map((at) => readInstance(reader, placer, at))
  const types = typeRecords.map((at) => readType(reader, placer, at))
  if (reader.fault !== undefined) return faultOutcome(fourcc, reader.fault)
  const layout = observedLayout(data, placer, 4)
  const marks = [header[7]!, header[8]!] as const
  const value: InterfaceData = {
    ...{ types, instances, slots, slotCount },
    ...(marks[0] === MARKS[0] && marks[1] === MARKS[1] ? {} : { marks }),
    ...(layout === undefined ? {} : { layout }),
  }
  return outcomeOf(value)
}

function readSlots(reader: ByteReader, placer: Placer, run: readonly number[]): InterfaceSlots {
  const [slotCount = 0, count = 0, typesAt = 0, tablesAt = 0] = run
  const fits = reader.claim(typesAt, count * 2, 'the type IDs') && reader.claim(tablesAt, count * 4, 'the table IDs')
  const entries: { typeId: number; tableId: number }[] = []
  for (let i = 0; fits && i < count; i++) {
    const typeId = reader.u16(typesAt + i * 2, 'a type ID')
    entries.push({ typeId, tableId: reader.u32(tablesAt + i * 4, 'a table ID') })
  }
  placer.observe(typesAt, count * 2, 4)
  placer.observe(tablesAt, count * 4, 4)
  return { slotCount, entries }
}

function readName(reader: ByteReader, placer: Placer, at: number, what: string): string {
  const name = reader.text(at, what)
  placer.observe(at, name.length + 1, 4)
  return name
}

function readInstance(reader: ByteReader, placer: Placer, at: number): ClassInstance {
  const name = readName(reader, placer, reader.u32(at, 'a class instance'), 'the name of a class instance')
  const [typeId = 0, elementCount = 0, constantBuffer = 0, constantBufferOffset = 0, texture = 0, sampler = 0] = [
    4, 6, 8, 10, 12, 14,
  ].map((o) => reader.u16(at + o, 'a class instance'))
  return { name, typeId, elementCount, constantBuffer, constantBufferOffset, texture, sampler }
}

function readType(reader: ByteReader, placer: Placer, at: number): ClassType {
  const name = readName(reader, placer, reader.u32(at, 'a class type'), 'the name of a class type')
  const [reserved = 0, constantBufferStride = 0, textureCount = 0, samplerCount = 0] = [4, 6, 8, 10].map((o) =>
    reader.u16(at + o, 'a class type'),
  )
  const type = { name, constantBufferStride, textureCount, samplerCount }
  return reserved === 0 ? type : { ...type, reserved }
}

/**
 * IFCE from its model: slot records, types, instances, then the lists of the slots, the names of the instances and the
 * names of the types, each aligned to a dword.
 */
export function encodeInterfaces(model: InterfaceData): Uint8Array {
  const { types, instances, slots } = model
  const placer = new Placer(HEADER_BYTES, model.layout)
  const out = new ByteWriter(PAD_BYTE)
  const slotsAt = placer.place(slots.length * SLOTS_BYTES, 4)
  const typesAt = placer.place(types.length * TYPE_BYTES, 4)
  const instancesAt = placer.place(instances.length * INSTANCE_BYTES, 4)
  out.dwords(0, [instances.length, types.length, slots.length, model.slotCount, instancesAt, typesAt, slotsAt])
  out.dwords(28, model.marks ?? MARKS)
  slots.forEach((run, i) => {
    writeSlots(out, placer, slotsAt + i * SLOTS_BYTES, run)
  })
  instances.forEach((instance, i) => {
    const at = instancesAt + i * INSTANCE_BYTES
    out.u32(at, writeName(out, placer, instance.name))
    const { typeId, elementCount, constantBuffer, constantBufferOffset, texture, sampler } = instance
    writeWords(out, at + 4, [typeId, elementCount, constantBuffer, constantBufferOffset, texture, sampler])
  })
  types.forEach((type, i) => {
    const at = typesAt + i * TYPE_BYTES
    out.u32(at, writeName(out, placer, type.name))
    writeWords(out, at + 4, [type.reserved ?? 0, type.constantBufferStride, type.textureCount, type.samplerCount])
  })
  return finishChunk(out, placer, model.layout, 4)
}

function writeWords(out: ByteWriter, at: number, words: readonly number[]): void {
  words.forEach((word, i) => {
    out.u16(at + i * 2, word)
  })
}

function writeName(out: ByteWriter, placer: Placer, name: string): number {
  const at = placer.place(name.length + 1, 4)
  out.text(at, name)
  return at
}

function writeSlots(out: ByteWriter, placer: Placer, at: number, run: InterfaceSlots): void {
  const typesAt = placer.place(run.entries.length * 2, 4)
  const tablesAt = placer.place(run.entries.length * 4, 4)
  out.dwords(at, [run.slotCount, run.entries.length, typesAt, tablesAt])
  writeWords(
    out,
    typesAt,
    run.entries.map((entry) => entry.typeId),
  )
  out.dwords(
    tablesAt,
    run.entries.map((entry) => entry.tableId),
  )
}
