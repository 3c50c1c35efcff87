import { type Diagnostic, type Outcome, present, ShaderError, valueOrThrow } from '../diagnostic/index.ts'
import {
  type DeviceShader,
  type Engine,
  holdStorages,
  type LoadedShader,
  runInTurn,
  runPartsInTasks,
} from '../engine/index.ts'
import type { Bindings, Buffer, DepthStencilView, RenderTargetView, TargetView } from '../machine/index.ts'
import {
  automaticCall,
  beginDrawInParts,
  createPipeline,
  type DrawCall,
  type DrawOptions,
  type DrawResources,
  type DrawResult,
  filledBytes,
  type Given,
  indirectCall,
  type Pipeline,
  type PipelineDescription,
  pipelineShader,
  refusedDraw,
  runDrawInSlices,
  type ScissorRect,
  type StreamBuffer,
  setFilledBytes,
  storagesOf,
  type Viewport,
} from '../pipeline/index.ts'
import { requireDraw, requirePipeline } from './graphics-arguments.ts'

/** Draws for `Device`: pipelines from its shaders, and draws over its resources. */

/** What `createPipeline` takes: shaders of the device and Direct3D 11 state with Direct3D 11's defaults. */
export type DevicePipelineOptions = PipelineDescription<DeviceShader>

/** A vertex buffer in a slot of the input assembler (IASetVertexBuffers). */
export interface VertexBufferBinding {
  readonly buffer: Buffer
  /** Bytes from one vertex to the next. */
  readonly stride: number
  /** Bytes; default 0. */
  readonly offset?: number | undefined
}

/** The index buffer of a draw (IASetIndexBuffer). The offset is in bytes, default 0. */
export interface IndexBufferBinding {
  readonly buffer: Buffer
  readonly format: 'R16_UINT' | 'R32_UINT'
  readonly offset?: number | undefined
}

/** A buffer that stream output writes to (SOSetTargets). The offset is in bytes. */
export interface StreamOutputBinding {
  readonly buffer: Buffer
  /** Where writing begins; 'APPEND': after what earlier draws wrote. Default 0. */
  readonly offset?: number | 'APPEND' | undefined
}

type MaybeOutcome<T> = T | Outcome<T>

/** What a draw reads and writes. Bindings of the stages are those of `dispatch`; UAVs are shared by all stages. */
export interface DeviceDrawResources {
  readonly vertex?: Bindings | undefined
  readonly hull?: Bindings | undefined
  readonly domain?: Bindings | undefined
  readonly geometry?: Bindings | undefined
  readonly pixel?: Bindings | undefined
  readonly unorderedAccess?: Bindings | undefined
  readonly vertexBuffers?: readonly (VertexBufferBinding | undefined | null)[] | undefined
  readonly indexBuffer?: IndexBufferBinding | undefined | null
  readonly streamOutputBuffers?: readonly (StreamOutputBinding | undefined | null)[] | undefined
  readonly renderTargets?: readonly (MaybeOutcome<RenderTargetView> | undefined | null)[] | undefined
  readonly depthStencil?: MaybeOutcome<DepthStencilView> | undefined
  /** Default: one over the whole of the first target. */
  readonly viewports?: readonly Given<Viewport>[] | undefined
  readonly scissors?: readonly ScissorRect[] | undefined
  /** Default 1, 1, 1, 1. */
  readonly blendFactor?: readonly [number, number, number, number] | undefined
  /** Default 0. */
  readonly stencilReference?: number | undefined
}

/** Arguments of a draw: counts, counts in a buffer, or what stream output left in vertex buffer 0. */
export type DeviceDrawCall =
  | DrawCall
  | { readonly indirect: Buffer; readonly byteOffset?: number | undefined; readonly indexed: boolean }
  | 'auto'

function unwrap<T extends object>(given: MaybeOutcome<T> | undefined | null): T | undefined {
  if (given === undefined || given === null) return undefined
  return 'diagnostics' in given ? valueOrThrow(given as Outcome<T>) : given
}

/** Containers of shaders in pipelines, for names of fields and lines of HLSL in reports. */
const CONTAINERS = new WeakMap<LoadedShader, NonNullable<DeviceShader['container']>>()

/** The container that a pipeline's shader came from; undefined where it was made of a program. */
export const containerOf = (loaded: LoadedShader): DeviceShader['container'] => CONTAINERS.get(loaded)

/** Makes a pipeline of a device's shaders. Throws ShaderError where Direct3D would refuse it. */
export function makePipeline(options: DevicePipelineOptions): Pipeline {
  requirePipeline(options)
  const { vertex, hull, domain, geometry, pixel, ...state } = options
  const named = (s: DeviceShader) => {
    if (s.container !== undefined) CONTAINERS.set(s.loaded, s.container)
    return { ...valueOrThrow(pipelineShader(s.loaded, s.container)), classInstances: s.classInstances }
  }
  const shader = (s: DeviceShader | undefined) => (s === undefined ? undefined : named(s))
  const shaders = { hull: shader(hull), domain: shader(domain), geometry: shader(geometry), pixel: shader(pixel) }
  const made = valueOrThrow(createPipeline({ vertex: named(vertex), ...shaders, ...state }))
  // With the precision `fast` the pixel shader may be another one of the same program.
  if (made.pixel !== undefined && pixel?.container !== undefined) CONTAINERS.set(made.pixel.loaded, pixel.container)
  return made
}

/** Viewports over whole views: most draws have that of the draw before. */
const WHOLE = new WeakMap<TargetView, readonly [Viewport]>()

function wholeViewports(view: TargetView | undefined): readonly Viewport[] {
  if (view === undefined) return []
  let made = WHOLE.get(view)
  if (made === undefined) {
    const { width, height } = view
    made = [{ topLeftX: 0, topLeftY: 0, width, height, minDepth: 0, maxDepth: 1 }]
    WHOLE.set(view, made)
  }
  return made
}

/** An empty place has an empty viewport. */
const viewport = (v: Given<Viewport> | null | undefined): Viewport => ({
  topLeftX: 0,
  topLeftY: 0,
  width: 0,
  height: 0,
  minDepth: 0,
  maxDepth: 1,
  ...present(v ?? {}),
})

const NO_BINDINGS: Bindings = {}
/** What is bound at the call: the caller may change its object while the draw waits for others. */
const copyOf = (bindings: Bindings | undefined): Bindings => (bindings === undefined ? NO_BINDINGS : { ...bindings })
const ALL_ONES = [1, 1, 1, 1] as const

/** What a draw is given, as it is when it is called. Where writing begins behind earlier draws is known when it begins. */
function resourcesOf(r: DeviceDrawResources): DrawResources {
  const renderTargets = (r.renderTargets ?? []).map((t) => unwrap(t))
  const depthStencil = unwrap(r.depthStencil)
  const { indexBuffer } = r
  return {
    bindings: {
      vertex: copyOf(r.vertex),
      hull: copyOf(r.hull),
      domain: copyOf(r.domain),
      geometry: copyOf(r.geometry),
      pixel: copyOf(r.pixel),
    },
    unorderedAccess: copyOf(r.unorderedAccess),
    vertexBuffers: (r.vertexBuffers ?? []).map((b) =>
      b === undefined || b === null
        ? undefined
        : { storage: b.buffer.storage, byteLength: b.buffer.byteLength, stride: b.stride, offset: b.offset ?? 0 },
    ),
    indexBuffer:
      indexBuffer === undefined || indexBuffer === null
        ? undefined
        : {
            storage: indexBuffer.buffer.storage,
            byteLength: indexBuffer.buffer.byteLength,
            format: indexBuffer.format,
            offset: indexBuffer.offset ?? 0,
          },
    streamOutputBuffers: streamBuffersOf(r.streamOutputBuffers),
    renderTargets,
    depthStencil,
    viewports: r.viewports?.map(viewport) ?? wholeViewports(renderTargets.find((t) => t !== undefined) ?? depthStencil),
    scissors: r.scissors ?? [],
    blendFactor: r.blendFactor ?? ALL_ONES,
    stencilReference: r.stencilReference ?? 0,
    resolved: {},
  }
}

/** Stream output buffers with where writing begins now: each draw counts on in an object of its own. */
const streamBuffersOf = (given: DeviceDrawResources['streamOutputBuffers']): (StreamBuffer | undefined)[] =>
  (given ?? []).map((b) => {
    if (b === undefined || b === null) return undefined
    const { storage, byteLength } = b.buffer
    return { storage, byteLength, filled: b.offset === 'APPEND' ? filledBytes(storage) : (b.offset ?? 0) }
  })

/** Counts of a draw, read where they lie when the draw begins. */
function callOf(call: DeviceDrawCall, r: DrawResources): DrawCall {
  if (call === 'auto') return valueOrThrow(automaticCall(r.vertexBuffers[0]))
  if (!('indirect' in call)) return call
  return valueOrThrow(indirectCall(call.indirect, call.byteOffset ?? 0, call.indexed))
}

/** Runs a draw, after the draws and dispatches that were called before it. What is bound is in use until its end. */
export async function runDraw(
  engine: Engine,
  pipeline: Pipeline,
  given: DeviceDrawResources,
  call: DeviceDrawCall,
  options: DrawOptions = {},
): Promise<DrawResult> {
  requireDraw(pipeline, given, call, options)
  const resources = resourcesOf(given)
  const free = holdStorages(storagesOf(pipeline, resources))
  try {
    return await runInTurn(engine, () => {
      if (resources.streamOutputBuffers.length === 0) return runSlices(engine, pipeline, resources, call, options)
      // Where APPEND begins is what earlier draws left.
      const streamOutputBuffers = streamBuffersOf(given.streamOutputBuffers)
      return runSlices(engine, pipeline, { ...resources, streamOutputBuffers }, call, options)
    })
  } finally {
    free()
  }
}

/** Runs a draw in slices that yield to the host. */
async function runSlices(
  engine: Engine,
  pipeline: Pipeline,
  resources: DrawResources,
  call: DeviceDrawCall,
  options: DrawOptions,
): Promise<DrawResult> {
  const parts = beginDrawInParts(engine, pipeline, resources, callOf(call, resources), options)
  const begun = await runPartsInTasks(parts, options.signal)
  if (begun === undefined) return refusedDraw(pipeline.diagnostics, 'canceled')
  if (!begun.ok) throw new ShaderError(begun.diagnostics)
  const draw = begun.value
  await runDrawInSlices(draw, options)
  for (const s of resources.streamOutputBuffers) if (s !== undefined) setFilledBytes(s.storage, s.filled)
  const result = draw.result()
  if (pipeline.diagnostics.length === 0) return result
  const diagnostics: readonly Diagnostic[] = [...pipeline.diagnostics, ...result.diagnostics]
  return { ...result, diagnostics }
}
