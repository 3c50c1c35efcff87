/** Buffers and textures of a device: what callers read, write and dispose of, and which device each belongs to. */
import { bytesExpected, type Diagnostic, diagnostic, ShaderError, showValue } from '../diagnostic/index.ts'
import {
  type Buffer,
  type ElementArrays,
  type ElementKind,
  type InitialData,
  type Memory,
  printSlot,
  type ResolvedBindings,
  type SlotRegister,
  type Storage,
  slotOfKey,
  subresource,
  type Texture,
  viewStorage,
} from '../machine/index.ts'
import { whenUnused } from './resource-use.ts'

/** A buffer of a device; its bytes can be read and written between dispatches. */
export interface DeviceBuffer extends Buffer {
  /**
   * The contents as whole elements of a kind, default 'u32'. A view of the buffer's own bytes: nothing is copied. A buffer
   * that nothing refers to any more gives its bytes back; the array counts, arrays made of it by `subarray` do not.
   */
  read(): Uint32Array
  read<K extends ElementKind>(kind: K): ElementArrays[K]
  /** Writes bytes from `byteOffset` (default 0) on. Throws ShaderError where they do not fit. */
  write(data: InitialData, byteOffset?: number): void
  /**
   * Gives the bytes back to the device, which hands them to resources made later: neither the buffer, nor views of it, nor
   * arrays that `read` gave may be used after. Dispatches that have begun keep the bytes until they end.
   */
  dispose(): void
}

/** A texture of a device. */
export interface DeviceTexture extends Texture {
  /** One mip of one array slice (default 0 and 0) as elements of a kind, default 'u8'; rows are tight. Nothing is copied. */
  read(): Uint8Array
  read<K extends ElementKind>(kind: K, mip?: number, arraySlice?: number): ElementArrays[K]
  /** Writes bytes of a mip of a slice, from its start. Throws ShaderError where they do not fit. */
  write(data: InitialData, mip?: number, arraySlice?: number): void
  /** As `dispose` of a buffer. */
  dispose(): void
}

/** The device of each storage; storage that was made without a device fits every one. */
const OWNERS = new WeakMap<Storage, object>()
const DISPOSED = new WeakSet<Storage>()
/** Arrays that `read` gave keep their storage. */
const READ_FROM = new WeakMap<ArrayBufferView, Storage>()

const REGISTERS: readonly SlotRegister[] = ['t', 'u', 'b']

/** What makes storage of one device impossible to use there; undefined where nothing does. */
function problemOf(storage: Storage, owner: object): Diagnostic | undefined {
  if (DISPOSED.has(storage)) return diagnostic('machine-resource-disposed', 'the resource was disposed of')
  const its = OWNERS.get(storage)
  if (its === undefined || its === owner) return undefined
  return diagnostic('engine-foreign-resource', 'the resource belongs to another device')
}

/** Throws where a resource cannot be used by a device. */
export function requireOwn(storage: Storage, owner: object): void {
  const problem = problemOf(storage, owner)
  if (problem !== undefined) throw new ShaderError([problem])
}

/** What is bound and belongs to another device, or to none any more. */
export function foreignBindings(bindings: ResolvedBindings, owner: object): Diagnostic[] {
  const found: Diagnostic[] = []
  for (const register of REGISTERS) {
    for (const [key, view] of bindings[register as 't']) {
      const problem = problemOf(view.storage, owner)
      if (problem === undefined) continue
      const slot = printSlot(slotOfKey(register, key))
      found.push({ ...problem, message: `${slot}: ${problem.message}`, place: { kind: 'path', path: slot } })
    }
  }
  return found
}

function writeBytes(target: Uint8Array, data: InitialData, byteOffset: number, what: string): void {
  const expected = bytesExpected(data)
  if (expected !== undefined) {
    const text = `${showValue(data)} was given to write to ${what}; it must be ${expected}`
    throw new ShaderError([diagnostic('machine-argument', text)])
  }
  const bytes = ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data)
  if (!(byteOffset >= 0 && byteOffset + bytes.byteLength <= target.byteLength)) {
    const text = `${bytes.byteLength} bytes do not fit at byte ${byteOffset} of ${what} of ${target.byteLength} bytes`
    throw new ShaderError([diagnostic('machine-data-size', text)])
  }
  target.set(bytes, byteOffset)
}

/** The storage of one mip of one slice. */
function subresourceBytes(texture: Texture, mip: number, arraySlice: number): Uint8Array {
  const part = subresource(texture, mip, arraySlice)
  if (part === undefined) {
    const text = `mip ${mip} of slice ${arraySlice} was requested of a texture of ${texture.mipLevels} mips and ${texture.arraySize} slices`
    throw new ShaderError([diagnostic('machine-view-range', text)])
  }
  return texture.storage.bytes.subarray(part.byteOffset, part.byteOffset + part.byteLength)
}

interface CollectedRange {
  readonly buffer: WeakRef<ArrayBufferLike>
  readonly byteOffset: number
}

/** The resources of one device, which `owner` stands for. */
export class DeviceResources {
  readonly #owner: object
  readonly #memory: Memory | undefined
  /** Gives the bytes of resources back that were collected without having been disposed of. */
  readonly #collected: FinalizationRegistry<CollectedRange>

  constructor(owner: object, memory: Memory | undefined) {
    this.#owner = owner
    this.#memory = memory
    this.#collected = new FinalizationRegistry(({ buffer, byteOffset }) => {
      const target = buffer.deref()
      if (target !== undefined) memory?.release?.({ buffer: target, byteOffset })
    })
  }

  #adopt(storage: Storage): void {
    OWNERS.set(storage, this.#owner)
    if (this.#memory?.release === undefined) return
    const { buffer, byteOffset } = storage
    this.#collected.register(storage, { buffer: new WeakRef(buffer), byteOffset }, storage)
  }

  #dispose(storage: Storage): void {
    if (DISPOSED.has(storage)) return
    DISPOSED.add(storage)
    this.#collected.unregister(storage)
    whenUnused(storage, () => this.#memory?.release?.({ buffer: storage.buffer, byteOffset: storage.byteOffset }))
  }

  #read(storage: Storage, shown: Storage, kind: ElementKind): never {
    requireOwn(storage, this.#owner)
    const array = viewStorage(shown, kind)
    READ_FROM.set(array, storage)
    return array as never
  }

  buffer(buffer: Buffer): DeviceBuffer {
    const { storage } = buffer
    this.#adopt(storage)
    return {
      ...buffer,
      read: <K extends ElementKind>(kind?: K): never => this.#read(storage, storage, kind ?? 'u32'),
      write: (data, byteOffset = 0) => {
        requireOwn(storage, this.#owner)
        writeBytes(storage.bytes, data, byteOffset, 'a buffer')
      },
      dispose: () => this.#dispose(storage),
    }
  }

  texture(texture: Texture): DeviceTexture {
    const { storage } = texture
    this.#adopt(storage)
    return {
      ...texture,
      read: <K extends ElementKind>(kind?: K, mip = 0, arraySlice = 0): never => {
        const { byteOffset, byteLength } = subresourceBytes(texture, mip, arraySlice)
        return this.#read(storage, { ...storage, byteOffset, byteLength }, kind ?? 'u8')
      },
      write: (data, mip = 0, arraySlice = 0) => {
        requireOwn(storage, this.#owner)
        writeBytes(subresourceBytes(texture, mip, arraySlice), data, 0, 'a subresource')
      },
      dispose: () => this.#dispose(storage),
    }
  }
}
