import { type Diagnostic, diagnostic, ShaderError, valueOrThrow } from '../diagnostic/index.ts'
import { findCodeChunk, readDxbc } from '../dxbc/index.ts'
import {
  type Bindings,
  type Buffer,
  type BufferOptions,
  createBuffer,
  createTexture,
  type ElementArrays,
  type ElementKind,
  type InitialData,
  type Memory,
  type Schedule,
  type Storage,
  subresource,
  type Texture,
  type TextureOptions,
  type UndefinedPolicy,
  viewStorage,
} from '../machine/index.ts'
import { decodeProgram, type Program } from '../program/index.ts'
import type {
  ClassInstances,
  DenormalMode,
  DispatchOptions,
  DispatchResult,
  Engine,
  EngineFactory,
  FmaMode,
  GroupCounts,
  LoadedShader,
  MinPrecisionMode,
} from './contract.ts'
import { matchBindings } from './match-bindings.ts'
import { refusedResult } from './request.ts'

/** A buffer of a device; its bytes can be read and written between dispatches. */
export interface DeviceBuffer extends Buffer {
  /** The contents as whole elements of a kind, default 'u32'. A view of the buffer's own bytes: nothing is copied. */
  read(): Uint32Array
  read<K extends ElementKind>(kind: K): ElementArrays[K]
  /** Writes bytes from `byteOffset` (default 0) on. Throws ShaderError where they do not fit. */
  write(data: InitialData, byteOffset?: number): void
  /**
   * Gives the bytes back to the device, which hands them to resources made later: neither the buffer, nor views of it, nor
   * arrays that `read` gave may be used after. What is not given back stays until the device is collected.
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

/** A shader made ready by a device. */
export interface DeviceShader {
  readonly program: Program
  readonly loaded: LoadedShader
  /** Class instances of every dispatch that does not name others. */
  readonly classInstances: ClassInstances
  /** What loading found; never errors, those are thrown. */
  readonly diagnostics: readonly Diagnostic[]
}

export interface ShaderOptions {
  /** What interface pointers point to (ID3D11ClassInstance). */
  readonly classInstances?: ClassInstances
}

export interface DeviceOptions<E extends string> {
  /** Name of the engine; the public index says which one is the default. */
  readonly engine?: E
  /** Threads of the host that run groups, for engines that can use several. */
  readonly threads?: number
  /** The host packs pairs of vector operations (EngineOptions); for engines that make code. */
  readonly pairs?: boolean
  readonly schedule?: Schedule
  readonly undefinedPolicy?: UndefinedPolicy
  readonly denormals?: DenormalMode
  readonly fma?: FmaMode
  readonly minPrecision?: MinPrecisionMode
  readonly maxInstructionsPerThread?: number
  readonly maxDiagnostics?: number
}

/** Options of one dispatch; those of the device hold where it has none. */
export type DeviceDispatchOptions = DispatchOptions

/**
 * A device: an engine with its memory and settings. Methods throw one ShaderError on misuse (a resource, shader or
 * binding that cannot be); what a shader does wrong while it runs is in the result's diagnostics.
 */
export interface Device {
  readonly engine: Engine
  createBuffer(options: Omit<BufferOptions, 'memory'>): DeviceBuffer
  createTexture(options: Omit<TextureOptions, 'memory'>): DeviceTexture
  /** From a DXBC container's bytes or a Program. */
  createShader(source: Uint8Array | Program, options?: ShaderOptions): DeviceShader
  /** Runs groups. Rejects with ShaderError when bindings, counts or options are refused: nothing ran. */
  dispatch(
    shader: DeviceShader,
    bindings: Bindings,
    groups: GroupCounts,
    options?: DeviceDispatchOptions,
  ): Promise<DispatchResult>
  /** As `dispatch`; a refusal is a result with `stopped: 'refused'`. */
  tryDispatch(
    shader: DeviceShader,
    bindings: Bindings,
    groups: GroupCounts,
    options?: DeviceDispatchOptions,
  ): Promise<DispatchResult>
  /** Group counts from three dwords of a buffer, read when the dispatch starts (functional specification 18.6.5). */
  dispatchIndirect(
    shader: DeviceShader,
    bindings: Bindings,
    args: Buffer,
    byteOffset?: number,
    options?: DeviceDispatchOptions,
  ): Promise<DispatchResult>
  /** Frees what the engine holds; the device cannot be used after. Resources can still be read. */
  dispose(): void
}

export interface DeviceConstructor<E extends string> {
  new (options?: DeviceOptions<E>): Device
}

/** What the public index knows and this room does not: the engines, and how statements are listed. */
export interface DeviceParts<E extends string> {
  readonly engines: Readonly<Record<E, EngineFactory>>
  readonly defaultEngine: E
  /** Text of statements for diagnostics. */
  readonly listing?: (program: Program) => (statement: number) => string | undefined
}

function bytesOf(data: InitialData): Uint8Array {
  return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data)
}

function writeBytes(target: Uint8Array, data: InitialData, byteOffset: number, what: string): void {
  const bytes = bytesOf(data)
  if (!(byteOffset >= 0 && byteOffset + bytes.byteLength <= target.byteLength)) {
    const text = `${bytes.byteLength} bytes do not fit at byte ${byteOffset} of ${what} of ${target.byteLength} bytes`
    throw new ShaderError([diagnostic('machine-data-size', text)])
  }
  target.set(bytes, byteOffset)
}

/** Gives storage back to the memory that it came from, once. */
function releaser(storage: Storage, memory: Memory | undefined): () => void {
  let isReleased = false
  return () => {
    if (!isReleased) memory?.release?.({ buffer: storage.buffer, byteOffset: storage.byteOffset })
    isReleased = true
  }
}

function deviceBuffer(buffer: Buffer, memory: Memory | undefined): DeviceBuffer {
  return {
    ...buffer,
    read: <K extends ElementKind>(kind?: K): never => viewStorage(buffer.storage, kind ?? 'u32') as never,
    write: (data, byteOffset = 0) => writeBytes(buffer.storage.bytes, data, byteOffset, 'a buffer'),
    dispose: releaser(buffer.storage, memory),
  }
}

/** The storage of one mip of one slice. */
function subresourceBytes(texture: Texture, mip: number, arraySlice: number): Uint8Array {
  const part = subresource(texture, mip, arraySlice)
  if (part === undefined) {
    const text = `mip ${mip} of slice ${arraySlice} was asked of a texture of ${texture.mipLevels} mips and ${texture.arraySize} slices`
    throw new ShaderError([diagnostic('machine-view-range', text)])
  }
  return texture.storage.bytes.subarray(part.byteOffset, part.byteOffset + part.byteLength)
}

function deviceTexture(texture: Texture, memory: Memory | undefined): DeviceTexture {
  return {
    ...texture,
    read<K extends ElementKind>(kind?: K, mip = 0, arraySlice = 0): never {
      const bytes = subresourceBytes(texture, mip, arraySlice)
      const storage = { ...texture.storage, byteOffset: bytes.byteOffset, byteLength: bytes.byteLength }
      return viewStorage(storage, kind ?? 'u8') as never
    },
    write: (data, mip = 0, arraySlice = 0) =>
      writeBytes(subresourceBytes(texture, mip, arraySlice), data, 0, 'a subresource'),
    dispose: releaser(texture.storage, memory),
  }
}

function programOf(source: Uint8Array | Program): Program {
  if (!(source instanceof Uint8Array)) return source
  const container = valueOrThrow(readDxbc(source))
  const chunk = findCodeChunk(container)
  if (chunk === undefined) {
    throw new ShaderError([
      diagnostic('engine-declaration', 'the container holds no program: it has neither SHEX nor SHDR'),
    ])
  }
  return valueOrThrow(decodeProgram(chunk.data))
}

/** Fields of `options` that a dispatch takes, where they are given. */
function dispatchDefaults(options: DeviceOptions<string>): DispatchOptions {
  const { schedule, undefinedPolicy, maxInstructionsPerThread, maxDiagnostics } = options
  return {
    ...(schedule === undefined ? {} : { schedule }),
    ...(undefinedPolicy === undefined ? {} : { undefinedPolicy }),
    ...(maxInstructionsPerThread === undefined ? {} : { maxInstructionsPerThread }),
    ...(maxDiagnostics === undefined ? {} : { maxDiagnostics }),
  }
}

function groupsFrom(args: Buffer, byteOffset: number): GroupCounts {
  if (
    !Number.isSafeInteger(byteOffset) ||
    byteOffset < 0 ||
    byteOffset % 4 !== 0 ||
    byteOffset + 12 > args.byteLength
  ) {
    const text = `indirect arguments were asked at byte ${byteOffset} of a buffer of ${args.byteLength} bytes; 12 bytes at a multiple of 4 must be there`
    throw new ShaderError([diagnostic('engine-indirect', text)])
  }
  const words = args.storage.words.subarray(byteOffset / 4, byteOffset / 4 + 3)
  return [words[0]!, words[1]!, words[2]!]
}

/** Makes the class `Device` over a set of engines; the public index does that once. */
export function createDeviceClass<E extends string>(parts: DeviceParts<E>): DeviceConstructor<E> {
  return class implements Device {
    readonly engine: Engine
    readonly #options: DeviceOptions<E>
    #disposed = false

    constructor(options: DeviceOptions<E> = {}) {
      const name = options.engine ?? parts.defaultEngine
      const factory: EngineFactory | undefined = parts.engines[name]
      if (factory === undefined) {
        const known = Object.keys(parts.engines).join(', ')
        throw new ShaderError([diagnostic('engine-option', `there is no engine ${name}; there are ${known}`)])
      }
      this.engine = factory({
        ...(options.threads === undefined ? {} : { threads: options.threads }),
        ...(options.pairs === undefined ? {} : { pairs: options.pairs }),
      })
      this.#options = options
    }

    #memory(): Pick<BufferOptions, 'memory'> {
      if (this.#disposed) throw new ShaderError([diagnostic('engine-option', 'the device was disposed')])
      return this.engine.memory === undefined ? {} : { memory: this.engine.memory }
    }

    createBuffer(options: Omit<BufferOptions, 'memory'>): DeviceBuffer {
      return deviceBuffer(valueOrThrow(createBuffer({ ...options, ...this.#memory() })), this.engine.memory)
    }

    createTexture(options: Omit<TextureOptions, 'memory'>): DeviceTexture {
      return deviceTexture(valueOrThrow(createTexture({ ...options, ...this.#memory() })), this.engine.memory)
    }

    createShader(source: Uint8Array | Program, options: ShaderOptions = {}): DeviceShader {
      this.#memory()
      const program = programOf(source)
      const { denormals, fma, minPrecision } = this.#options
      const outcome = this.engine.load(program, {
        ...(denormals === undefined ? {} : { denormals }),
        ...(fma === undefined ? {} : { fma }),
        ...(minPrecision === undefined ? {} : { minPrecision }),
        ...(parts.listing === undefined ? {} : { listing: parts.listing(program) }),
      })
      const loaded = valueOrThrow(outcome)
      return { program, loaded, classInstances: options.classInstances ?? {}, diagnostics: outcome.diagnostics }
    }

    async tryDispatch(
      shader: DeviceShader,
      bindings: Bindings,
      groups: GroupCounts,
      options: DeviceDispatchOptions = {},
    ): Promise<DispatchResult> {
      this.#memory()
      const matched = matchBindings(shader.loaded.declarations, bindings)
      if (matched.value === undefined) return refusedResult(matched.diagnostics)
      const merged = { classInstances: shader.classInstances, ...dispatchDefaults(this.#options), ...options }
      const result = await this.engine.dispatch(shader.loaded, matched.value, groups, merged)
      return { ...result, diagnostics: [...matched.diagnostics, ...result.diagnostics] }
    }

    async dispatch(
      shader: DeviceShader,
      bindings: Bindings,
      groups: GroupCounts,
      options: DeviceDispatchOptions = {},
    ): Promise<DispatchResult> {
      const result = await this.tryDispatch(shader, bindings, groups, options)
      if (result.stopped === 'refused') throw new ShaderError(result.diagnostics)
      return result
    }

    async dispatchIndirect(
      shader: DeviceShader,
      bindings: Bindings,
      args: Buffer,
      byteOffset = 0,
      options: DeviceDispatchOptions = {},
    ): Promise<DispatchResult> {
      return this.dispatch(shader, bindings, groupsFrom(args, byteOffset), options)
    }

    dispose(): void {
      if (this.#disposed) return
      this.#disposed = true
      this.engine.dispose?.()
    }
  }
}
