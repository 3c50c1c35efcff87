import { ByteWriter } from '../bytes.ts'
import { dataKey, finishChunk, PAD_BYTE, Placer } from '../layout.ts'
import {
  hasMemberList,
  NO_SLOTS,
  type RecordSizes,
  type ReflectedBuffer,
  type ReflectedMember,
  type ReflectedType,
  type ReflectedVariable,
  type ResourceDefinition,
  recordSizes,
} from './model.ts'

interface Encoding {
  readonly model: ResourceDefinition
  readonly sizes: RecordSizes
  readonly extended: boolean
  readonly placer: Placer
  readonly out: ByteWriter
  /** Byte offset of each type written so far. */
  readonly typeOffsets: Map<number, number>
}

/** RDEF from its model, in the order in which fxc places strings, types and arrays. */
export function encodeResourceDefinition(model: ResourceDefinition): Uint8Array {
  const sizes = recordSizes(model.majorVersion, model.minorVersion)
  const e: Encoding = {
    model,
    sizes,
    extended: model.majorVersion >= 5,
    placer: new Placer(sizes.header, model.layout),
    out: new ByteWriter(PAD_BYTE),
    typeOffsets: new Map(),
  }
  e.out.reserve(sizes.header)
  const bindings = writeBindings(e)
  const buffers = writeBuffers(e)
  const creator = writeText(e, model.creator)
  const { out } = e
  out.dwords(0, [model.buffers.length, buffers, model.bindings.length, bindings])
  out.u8(16, model.minorVersion)
  out.u8(17, model.majorVersion)
  out.u16(18, model.programType)
  out.dwords(20, [model.flags, creator])
  if (e.extended) writeExtension(e)
  return finishChunk(out, e.placer, model.layout, 4)
}

function writeExtension({ out, sizes, model }: Encoding): void {
  const tag = model.extension?.tag ?? (model.minorVersion === 0 ? 'RD11' : '\x13\x13D%')
  out.text(28, tag.padEnd(4).slice(0, 4))
  const slots = model.extension?.interfaceSlotCount ?? 0
  out.dwords(32, [sizes.header, sizes.buffer, sizes.binding, sizes.variable, sizes.type, sizes.member, slots])
}

function writeText(e: Encoding, text: string): number {
  const at = e.placer.place(text.length + 1, 1, text)
  e.out.text(at, text)
  return at
}

function writeBindings(e: Encoding): number {
  const { model, out, sizes } = e
  const start = e.placer.place(model.bindings.length * sizes.binding, 4)
  model.bindings.forEach((b, i) => {
    const name = writeText(e, b.name)
    const at = start + i * sizes.binding
    out.dwords(at, [name, b.kind, b.returnType, b.dimension, b.sampleCount, b.bindPoint, b.bindCount, b.flags])
    if (sizes.binding === 40) out.dwords(at + 32, [b.space ?? 0, b.id ?? 0])
  })
  return start
}

function writeBuffers(e: Encoding): number {
  const { model, out, sizes } = e
  // Without buffers fxc writes offset 0, without bindings the place where the first would be (cs/empty).
  const usual = model.buffers.length === 0 ? 0 : undefined
  const start = e.placer.place(model.buffers.length * sizes.buffer, 4, undefined, usual)
  model.buffers.forEach((buffer, i) => {
    const name = writeText(e, buffer.name)
    const variables = writeVariables(e, buffer)
    const at = start + i * sizes.buffer
    out.dwords(at, [name, buffer.variables.length, variables, buffer.byteLength, buffer.flags, buffer.kind])
  })
  return start
}

function writeVariables(e: Encoding, buffer: ReflectedBuffer): number {
  const start = e.placer.place(buffer.variables.length * e.sizes.variable, 4)
  buffer.variables.forEach((variable, i) => {
    writeVariable(e, start + i * e.sizes.variable, variable)
  })
  return start
}

function writeVariable(e: Encoding, at: number, variable: ReflectedVariable): void {
  const name = writeText(e, variable.name)
  const type = writeType(e, variable.type)
  let value = 0
  if (variable.defaultValue !== undefined) {
    value = writeShared(e, variable.defaultValue)
  }
  e.out.dwords(at, [name, variable.byteOffset, variable.byteLength, variable.flags, type, value])
  if (!e.extended) return
  const textures = variable.textures ?? NO_SLOTS
  const samplers = variable.samplers ?? NO_SLOTS
  e.out.dwords(at + 24, [textures.start, textures.count, samplers.start, samplers.count])
}

/** A type stands after everything that it names, so its record is written last. */
function writeType(e: Encoding, index: number): number {
  const known = e.typeOffsets.get(index)
  const type = e.model.types[index]
  if (known !== undefined || type === undefined) return known ?? 0
  const name = e.extended && type.name !== undefined ? writeText(e, type.name) : 0
  const pointsTo = type.pointsTo === undefined ? 0 : writeType(e, type.pointsTo)
  const baseClass = type.baseClass === undefined ? 0 : writeType(e, type.baseClass)
  const interfaces = writeInterfaceList(e, type.interfaces ?? [])
  const members = hasMemberList(type) ? writeMembers(e, type.members) : 0
  const at = e.placer.place(e.sizes.type, 4)
  e.typeOffsets.set(index, at)
  writeTypeRecord(e, at, type, members)
  if (e.extended) e.out.dwords(at + 16, [pointsTo, baseClass, type.interfaces?.length ?? 0, interfaces, name])
  return at
}

function writeTypeRecord({ out }: Encoding, at: number, type: ReflectedType, members: number): void {
  out.u16(at, type.class)
  out.u16(at + 2, type.base)
  out.u16(at + 4, type.rows)
  out.u16(at + 6, type.columns)
  out.u16(at + 8, type.elements)
  out.u16(at + 10, type.members.length)
  out.u32(at + 12, members)
}

/** Equal arrays and default values are written once (the values of ps/long_names, the members of ps/class_resources). */
function writeShared(e: Encoding, data: Uint8Array): number {
  const at = e.placer.place(data.length, 4, dataKey(data))
  e.out.set(at, data)
  return at
}

function packDwords(dwords: readonly number[]): Uint8Array {
  const packed = new ByteWriter(0, dwords.length * 4)
  packed.dwords(0, dwords)
  return packed.finish()
}

function writeInterfaceList(e: Encoding, interfaces: readonly number[]): number {
  if (interfaces.length === 0) return 0
  return writeShared(e, packDwords(interfaces.map((type) => writeType(e, type))))
}

function writeMembers(e: Encoding, members: readonly ReflectedMember[]): number {
  const records = members.flatMap((m) => [writeText(e, m.name), writeType(e, m.type), m.byteOffset])
  return writeShared(e, packDwords(records))
}
