import {
  aBoolean,
  anObject,
  anything,
  appendAll,
  checkArguments,
  type Diagnostic,
  diagnostic,
  failure,
  hasErrors,
  isBytes,
  isRecord,
  type Outcome,
  oneOf,
  outcomeOf,
  present,
  ShaderError,
  showValue,
  valueOrThrow,
  wholeFrom,
} from '../diagnostic/index.ts'
import type { DxbcContainer } from '../dxbc/index.ts'
import {
  type Bindings,
  type Buffer,
  type BufferOptions,
  createBuffer,
  createTexture,
  parseSlot,
  printSlot,
  type ResolvedBindings,
  type Schedule,
  type TextureOptions,
  type UndefinedPolicy,
} from '../machine/index.ts'
import type { Program } from '../program/index.ts'
import { readShader } from '../shader/index.ts'
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
import {
  type DeviceBuffer,
  DeviceResources,
  type DeviceTexture,
  foreignBindings,
  requireOwn,
} from './device-resources.ts'
import { matchBindings } from './match-bindings.ts'
import { groupCounts, refusedResult } from './request.ts'
import { runInSlices } from './run-execution.ts'

/** A shader made ready by a device. */
export interface DeviceShader {
  readonly program: Program
  readonly loaded: LoadedShader
  /** Class instances of every dispatch that does not name others. */
  readonly classInstances: ClassInstances
  /** What the program was read from, where it was read from bytes. */
  readonly container?: DxbcContainer
  /** What loading found; never errors, those are thrown. */
  readonly diagnostics: readonly Diagnostic[]
}

/** What `createShader` takes beside the shader. */
export interface ShaderOptions {
  /** What interface pointers point to (ID3D11ClassInstance). */
  readonly classInstances?: ClassInstances | undefined
}

/** What `new Device` takes. The options of dispatches hold for those that do not name their own. */
export interface DeviceOptions<E extends string> {
  /** Name of the engine; the public index says which one is the default. */
  readonly engine?: E | undefined
  /** Threads of the host that run groups, for engines that can use several. */
  readonly threads?: number | undefined
  /** The host packs pairs of vector operations (EngineOptions); for engines that make code. */
  readonly pairs?: boolean | undefined
  /** Default of dispatches: in which order waves and groups take their turns. */
  readonly schedule?: Schedule | undefined
  /** Default of dispatches: what happens where Direct3D leaves it open. */
  readonly undefinedPolicy?: UndefinedPolicy | undefined
  /** Whether float32 denormals become 0, as Direct3D requires (functional specification 3.1.3.1). Default `flush`. */
  readonly denormals?: DenormalMode | undefined
  /** Whether mad rounds once (`always`), twice (`never`) or as is fastest (`allow`). Default `never`. */
  readonly fma?: FmaMode | undefined
  /** Whether minimum precision computes in 32 bits or rounds to 16. Default `full`. */
  readonly minPrecision?: MinPrecisionMode | undefined
  /** Default of dispatches: instructions that one thread may execute. */
  readonly maxInstructionsPerThread?: number | undefined
  /** Default of dispatches: diagnostics kept. */
  readonly maxDiagnostics?: number | undefined
  /** Default of dispatches: milliseconds until one is stopped. */
  readonly maxMilliseconds?: number | undefined
}

/** Options of one dispatch; those of the device hold where it has none. */
export interface DeviceDispatchOptions extends DispatchOptions {
  /** Slots that the shader declares and that are left unbound on purpose: they read 0 and drop writes. 'zero': any. */
  readonly unbound?: 'zero' | readonly string[] | undefined
}

/** Group counts as callers give them: those that are missing are 1. */
export type DispatchCounts = readonly [x: number, y?: number, z?: number]

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
    groups: DispatchCounts,
    options?: DeviceDispatchOptions,
  ): Promise<DispatchResult>
  /** As `dispatch`; a refusal is a result with `stopped: 'refused'`. */
  tryDispatch(
    shader: DeviceShader,
    bindings: Bindings,
    groups: DispatchCounts,
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

/** What the public index passes in, since this room may not import it: the engines, and how statements are listed. */
interface DeviceParts<E extends string> {
  readonly engines: Readonly<Record<E, EngineFactory>>
  readonly defaultEngine: E
  /** Text of statements for diagnostics. */
  readonly listing?: (program: Program) => (statement: number) => string | undefined
}

const DEVICE_OPTIONS = {
  engine: anything,
  threads: wholeFrom(1, 1024),
  pairs: aBoolean,
  denormals: oneOf('flush', 'keep'),
  fma: oneOf('never', 'always', 'allow'),
  minPrecision: oneOf('full', 'round'),
  // Checked with every dispatch, as they are there.
  ...{ schedule: anything, undefinedPolicy: anything, maxInstructionsPerThread: anything, maxDiagnostics: anything },
  maxMilliseconds: anything,
}
const SHADER_OPTIONS = { classInstances: anObject }

function throwErrors(diagnostics: readonly Diagnostic[]): void {
  if (hasErrors(diagnostics)) throw new ShaderError(diagnostics)
}

interface Source {
  readonly program: Program
  readonly container?: DxbcContainer
}

/** Whether it can be a program at all: callers without types give anything. */
function isProgram(source: unknown): source is Program {
  return isRecord(source) && Array.isArray(source.statements) && source.statements.every((s) => isRecord(s))
}

function sourceOf(source: Uint8Array | Program): Source {
  if (isProgram(source)) return { program: source }
  if (!isBytes(source)) {
    const text = `createShader takes the bytes of a container as a Uint8Array, or a Program; ${showValue(source)} was given`
    throw new ShaderError([diagnostic('engine-invalid-option', text)])
  }
  return valueOrThrow(readShader(source))
}

/** Fields of `options` that a dispatch takes, where they are given. */
function dispatchDefaults(options: DeviceOptions<string>): DispatchOptions {
  const { schedule, undefinedPolicy, maxInstructionsPerThread, maxDiagnostics, maxMilliseconds } = options
  return { schedule, undefinedPolicy, maxInstructionsPerThread, maxDiagnostics, maxMilliseconds }
}

function groupsFrom(args: Buffer, byteOffset: number): GroupCounts {
  if (!isRecord(args) || args.kind !== 'buffer') {
    const text = `the arguments of an indirect dispatch lie in a buffer; ${showValue(args)} was given`
    throw new ShaderError([diagnostic('engine-indirect', text)])
  }
  const isPlace = Number.isSafeInteger(byteOffset) && byteOffset >= 0 && byteOffset % 4 === 0
  if (!isPlace || byteOffset + 12 > args.byteLength) {
    const text = `indirect arguments were requested at byte ${showValue(byteOffset)} of a buffer of ${args.byteLength} bytes; 12 bytes at a multiple of 4 must be there`
    throw new ShaderError([diagnostic('engine-indirect', text)])
  }
  const words = args.storage.words.subarray(byteOffset / 4, byteOffset / 4 + 3)
  return [words[0]!, words[1]!, words[2]!]
}

/** Declared slots with nothing bound that `unbound` does not name: what matching warns of is an error then. */
function checkUnbound(diagnostics: readonly Diagnostic[], unbound: DeviceDispatchOptions['unbound']): Diagnostic[] {
  if (unbound === 'zero') return diagnostics.filter((d) => d.code !== 'machine-binding-missing')
  const isNamed = (slot: string): boolean =>
    unbound?.some((name) => {
      const parsed = parseSlot(name)
      return parsed !== undefined && printSlot(parsed) === slot
    }) === true
  return diagnostics.flatMap((d) => {
    if (d.code !== 'machine-binding-missing' || d.place?.kind !== 'path') return d
    const slot = d.place.path
    if (isNamed(slot)) return []
    const notes = [`to run with nothing bound there, give the dispatch the option unbound: ['${slot}']`]
    return diagnostic('engine-missing-binding', d.message, d.place, notes)
  })
}

/** What is wrong with the option `unbound`, if anything. */
function checkUnboundOption(unbound: unknown): Diagnostic[] {
  const isSlot = (name: unknown): boolean => typeof name === 'string' && parseSlot(name) !== undefined
  if (unbound === undefined || unbound === 'zero' || (Array.isArray(unbound) && unbound.every(isSlot))) return []
  const text = `unbound is ${showValue(unbound)}; it must be 'zero' or a list of slots such as 't0'`
  return [diagnostic('engine-invalid-option', text)]
}

/** Makes the class `Device` over a set of engines; the public index does that once. */
export function createDeviceClass<E extends string>(parts: DeviceParts<E>): DeviceConstructor<E> {
  return class implements Device {
    readonly engine: Engine
    readonly #options: DeviceOptions<E>
    readonly #resources: DeviceResources
    readonly #shaders = new WeakSet<DeviceShader>()
    #disposed = false
    /** Dispatches that have not ended; the engine is disposed of after them. */
    #running = 0

    constructor(options: DeviceOptions<E> = {}) {
      throwErrors(checkArguments('engine-invalid-option', 'a device', options, DEVICE_OPTIONS))
      const name = options.engine ?? parts.defaultEngine
      const factory: EngineFactory | undefined = Object.hasOwn(parts.engines, name) ? parts.engines[name] : undefined
      if (factory === undefined) {
        const known = Object.keys(parts.engines).join(', ')
        throw new ShaderError([
          diagnostic('engine-invalid-option', `there is no engine ${showValue(name)}; there are ${known}`),
        ])
      }
      this.engine = factory({ threads: options.threads, pairs: options.pairs })
      this.#options = options
      this.#resources = new DeviceResources(this, this.engine.memory)
    }

    #memory(): Pick<BufferOptions, 'memory'> {
      if (this.#disposed) throw new ShaderError([diagnostic('engine-invalid-option', 'the device was disposed')])
      return { memory: this.engine.memory }
    }

    createBuffer(options: Omit<BufferOptions, 'memory'>): DeviceBuffer {
      const memory = this.#memory()
      return this.#resources.buffer(valueOrThrow(createBuffer(isRecord(options) ? { ...options, ...memory } : options)))
    }

    createTexture(options: Omit<TextureOptions, 'memory'>): DeviceTexture {
      const memory = this.#memory()
      const texture = createTexture(isRecord(options) ? { ...options, ...memory } : options)
      return this.#resources.texture(valueOrThrow(texture))
    }

    createShader(source: Uint8Array | Program, options: ShaderOptions = {}): DeviceShader {
      this.#memory()
      throwErrors(checkArguments('engine-invalid-option', 'a shader', options, SHADER_OPTIONS))
      const { program, container } = sourceOf(source)
      const { denormals, fma, minPrecision } = this.#options
      const outcome = this.engine.load(program, { denormals, fma, minPrecision, listing: parts.listing?.(program) })
      const loaded = valueOrThrow(outcome)
      const { diagnostics } = outcome
      const base = { program, loaded, classInstances: options.classInstances ?? {}, diagnostics }
      const shader: DeviceShader = container === undefined ? base : { ...base, container }
      this.#shaders.add(shader)
      return shader
    }

    /** What a dispatch runs, once everything that was given has been found sound. */
    #request(
      shader: DeviceShader,
      bindings: Bindings,
      groups: DispatchCounts,
      options: DeviceDispatchOptions,
    ): Outcome<{ readonly bindings: ResolvedBindings; readonly groups: GroupCounts }> {
      if (!this.#shaders.has(shader)) {
        const what = isRecord(shader) && 'loaded' in shader ? 'a shader of another device' : showValue(shader)
        const text = `a dispatch takes a shader that createShader of this device made; ${what} was given`
        return failure([diagnostic('engine-foreign-shader', text)])
      }
      const given: unknown = options
      if (!isRecord(given)) {
        const text = `a dispatch takes an object of options; ${showValue(given)} was given`
        return failure([diagnostic('engine-invalid-option', text)])
      }
      const counts = groupCounts(groups)
      const wrong = checkUnboundOption(options.unbound)
      const matched = matchBindings(shader.loaded.declarations, bindings)
      if (hasErrors(wrong)) return failure(wrong)
      const diagnostics = [...counts.diagnostics, ...checkUnbound(matched.diagnostics, options.unbound)]
      if (matched.value === undefined || counts.value === undefined) return failure(diagnostics)
      appendAll(diagnostics, foreignBindings(matched.value, this))
      if (hasErrors(diagnostics)) return failure(diagnostics)
      return outcomeOf({ bindings: matched.value, groups: counts.value }, diagnostics)
    }

    async tryDispatch(
      shader: DeviceShader,
      bindings: Bindings,
      groups: DispatchCounts,
      options: DeviceDispatchOptions = {},
    ): Promise<DispatchResult> {
      this.#memory()
      const request = this.#request(shader, bindings, groups, options)
      if (request.value === undefined) return refusedResult(request.diagnostics)
      const { unbound: _unbound, ...own } = options
      const merged = { classInstances: shader.classInstances, ...dispatchDefaults(this.#options), ...present(own) }
      const { bindings: resolved, groups: counts } = request.value
      this.#running++
      try {
        const result = await runInSlices(this.engine, shader.loaded, resolved, counts, merged, () => this.#disposed)
        return { ...result, diagnostics: [...request.diagnostics, ...result.diagnostics] }
      } finally {
        if (--this.#running === 0 && this.#disposed) this.engine.dispose?.()
      }
    }

    async dispatch(
      shader: DeviceShader,
      bindings: Bindings,
      groups: DispatchCounts,
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
      const groups = groupsFrom(args, byteOffset)
      requireOwn(args.storage, this)
      return this.dispatch(shader, bindings, groups, options)
    }

    dispose(): void {
      if (this.#disposed) return
      this.#disposed = true
      if (this.#running === 0) this.engine.dispose?.()
    }
  }
}
