import { statementLister } from '../asm/index.ts'
import {
  type Diagnostic,
  diagnostic,
  hasErrors,
  type Outcome,
  present,
  ShaderError,
  valueOrThrow,
} from '../diagnostic/index.ts'
import {
  type Device as ComputeDevice,
  createDeviceClass,
  type DeviceBuffer,
  type DeviceConstructor,
  type DeviceDispatchOptions,
  type DeviceOptions,
  type DeviceShader,
  type DeviceTexture,
  type DispatchCounts,
  type DispatchResult,
  type Engine,
  type ShaderOptions,
} from '../engine/index.ts'
import type {
  Bindings,
  Buffer,
  BufferOptions,
  DepthStencilView,
  RenderTargetView,
  Srv,
  Texture,
  TextureOptions,
  Uav,
} from '../machine/index.ts'
import {
  clearDepthStencil,
  clearRenderTarget,
  copyResource,
  copyStructureCount,
  type DrawOptions,
  type DrawResult,
  generateMips,
  type Pipeline,
  resolveTexture,
} from '../pipeline/index.ts'
import type { Program } from '../program/index.ts'
import { DEFAULT_ENGINE, ENGINES, type EngineName } from './engines.ts'
import {
  type DeviceDrawCall,
  type DeviceDrawResources,
  type DevicePipelineOptions,
  makePipeline,
  runDraw,
} from './graphics.ts'
import { requireGiven } from './graphics-arguments.ts'

export type { EngineName } from './engines.ts'

const Compute: DeviceConstructor<EngineName> = createDeviceClass<EngineName>({
  engines: ENGINES,
  defaultEngine: DEFAULT_ENGINE,
  listing: statementLister,
})

type MaybeOutcome<T> = T | Outcome<T>

/** One mip of one slice of a texture; default the first of both. */
export interface SubresourcePlace {
  readonly mip?: number | undefined
  readonly arraySlice?: number | undefined
}

/** What `resolve` takes: subresources of both textures (default the first), and the format for typeless ones. */
export interface ResolveOptions {
  /** Default the first mip of the first slice. */
  readonly destinationPlace?: SubresourcePlace | undefined
  /** Default the first mip of the first slice. */
  readonly sourcePlace?: SubresourcePlace | undefined
  /** How typeless textures are read; a DXGI format by name. */
  readonly format?: string | undefined
}

const unwrapView = <T extends object>(view: MaybeOutcome<T>): T =>
  'diagnostics' in view ? valueOrThrow(view as Outcome<T>) : view

function throwFound(diagnostics: readonly Diagnostic[]): void {
  if (hasErrors(diagnostics)) throw new ShaderError(diagnostics)
}

/**
 * Where shaders run: `new Device({ engine, threads, schedule, undefinedPolicy, denormals })`. Holds buffers, textures
 * and shaders; `dispatch` runs thread groups, `draw` a pipeline over vertices. Methods throw one ShaderError on misuse. The
 * default engine, `wasm`, compiles shaders; what it has no code for runs on `reference`, and `engine` of a result says
 * where it ran. Draws run on the reference engine.
 */
export class Device implements ComputeDevice {
  readonly #compute: ComputeDevice
  readonly #options: DeviceOptions<EngineName>
  #disposed = false

  constructor(options: DeviceOptions<EngineName> = {}) {
    this.#compute = new Compute(options)
    this.#options = options
  }

  /** The engine that runs dispatches, with the one behind it where it has none for a shader. */
  get engine(): Engine {
    return this.#compute.engine
  }

  /** A buffer in the memory of the device. Throws ShaderError where Direct3D has no such buffer, or there is no room. */
  createBuffer(options: Omit<BufferOptions, 'memory'>): DeviceBuffer {
    return this.#compute.createBuffer(options)
  }

  /** A texture in the memory of the device. Throws ShaderError where Direct3D has no such texture, or there is no room. */
  createTexture(options: Omit<TextureOptions, 'memory'>): DeviceTexture {
    return this.#compute.createTexture(options)
  }

  /** From a DXBC container's bytes or a Program; of any stage. */
  createShader(source: Uint8Array | Program, options?: ShaderOptions): DeviceShader {
    return this.#compute.createShader(source, options)
  }

  dispatch(
    shader: DeviceShader,
    bindings: Bindings,
    groups: DispatchCounts,
    options?: DeviceDispatchOptions,
  ): Promise<DispatchResult> {
    return this.#compute.dispatch(shader, bindings, groups, options)
  }

  tryDispatch(
    shader: DeviceShader,
    bindings: Bindings,
    groups: DispatchCounts,
    options?: DeviceDispatchOptions,
  ): Promise<DispatchResult> {
    return this.#compute.tryDispatch(shader, bindings, groups, options)
  }

  dispatchIndirect(
    shader: DeviceShader,
    bindings: Bindings,
    args: Buffer,
    byteOffset?: number,
    options?: DeviceDispatchOptions,
  ): Promise<DispatchResult> {
    return this.#compute.dispatchIndirect(shader, bindings, args, byteOffset, options)
  }

  /** Shaders and state checked against each other. Throws ShaderError where Direct3D would refuse them. */
  createPipeline(options: DevicePipelineOptions): Pipeline {
    this.#require('createPipeline', {})
    return makePipeline(options)
  }

  /** Runs a draw. Rejects with ShaderError when resources or arguments are refused: nothing ran. */
  async draw(
    pipeline: Pipeline,
    resources: DeviceDrawResources,
    call: DeviceDrawCall,
    options: DrawOptions = {},
  ): Promise<DrawResult> {
    const { schedule, undefinedPolicy, maxInstructionsPerThread, maxDiagnostics, maxMilliseconds } = this.#options
    const defaults = { schedule, undefinedPolicy, maxInstructionsPerThread, maxDiagnostics, maxMilliseconds }
    this.#require('draw', { options: [options, 'object'] })
    return runDraw(this.engine, pipeline, resources, call, { ...defaults, ...present(options) })
  }

  /** Fills a render target view with a color; viewports and scissors do not matter (ClearRenderTargetView). */
  clear(view: MaybeOutcome<RenderTargetView>, color: readonly [number, number, number, number]): void {
    this.#require('clear', { view: [view, 'rtv'] })
    throwFound(clearRenderTarget(unwrapView(view), color, this.engine))
  }

  /** Fills depth, stencil or both; what is left out keeps its contents (ClearDepthStencilView). */
  clearDepthStencil(
    view: MaybeOutcome<DepthStencilView>,
    values: { readonly depth?: number; readonly stencil?: number },
  ): void {
    this.#require('clearDepthStencil', { view: [view, 'dsv'], values: [values, 'object'] })
    throwFound(clearDepthStencil(unwrapView(view), values, this.engine))
  }

  /** The mean of the samples of a multisample texture (ResolveSubresource). `format` names one for typeless textures. */
  resolve(destination: Texture, source: Texture, options: ResolveOptions = {}): void {
    const textures = { destination: [destination, 'texture'], source: [source, 'texture'] } as const
    this.#require('resolve', { ...textures, options: [options, 'object'] })
    const { destinationPlace = {}, sourcePlace = {}, format } = options
    this.#require('resolve', { destinationPlace: [destinationPlace, 'object'], sourcePlace: [sourcePlace, 'object'] })
    throwFound(resolveTexture(destination, destinationPlace, source, sourcePlace, format, this.engine))
  }

  /** Copies a whole resource to one of the same kind, size and family of formats (CopyResource). */
  copy(destination: Buffer | Texture, source: Buffer | Texture): void {
    this.#require('copy', { destination: [destination, 'resource'], source: [source, 'resource'] })
    throwFound(copyResource(destination, source))
  }

  /** Copies the hidden counter of a view to four bytes of a buffer (CopyStructureCount). */
  copyStructureCount(destination: Buffer, byteOffset: number, source: MaybeOutcome<Uav>): void {
    this.#require('copyStructureCount', { destination: [destination, 'buffer'], source: [source, 'uav'] })
    throwFound(copyStructureCount(destination, byteOffset, unwrapView(source)))
  }

  /** Makes the smaller mips of a view's texture from its largest (GenerateMips). */
  generateMips(view: MaybeOutcome<Srv>): void {
    this.#require('generateMips', { view: [view, 'srv'] })
    throwFound(generateMips(unwrapView(view), this.engine.sharedWork))
  }

  dispose(): void {
    this.#disposed = true
    this.#compute.dispose()
  }

  /** Throws after the end of the device, and where a command is given something else than it takes. */
  #require(command: string, given: Parameters<typeof requireGiven>[1]): void {
    if (this.#disposed) throw new ShaderError([diagnostic('engine-invalid-option', 'the device was disposed')])
    requireGiven(command, given)
  }
}
