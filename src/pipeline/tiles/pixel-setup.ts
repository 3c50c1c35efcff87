import type { ElementKernels } from '../../engine/index.ts'
import { findFormat } from '../../isa/formats/index.ts'
import { type DepthStencilView, type RenderTargetView, storageOver } from '../../machine/index.ts'
import { alphaToCoverage, type ColorMerge, createColorMerge, createDepthStencilTest } from '../merge/index.ts'
import { type PixelLinkage, type PixelPlace, PixelStage } from '../pixels/index.ts'
import { type SampleCount, sampleOffsets } from '../raster/index.ts'
import type { StageShader } from '../stage-runner.ts'
import type { BlendState, DepthStencilState, Precision } from '../state.ts'

/** What the pixels of a draw depend on, as data: the calling thread and workers make the same stage of it. */
export interface PixelSetup {
  readonly linkage: Pick<PixelLinkage, 'inputs' | 'attributes' | 'clipDistances'>
  readonly precision: Precision
  readonly renderTargets: readonly (RenderTargetView | undefined)[]
  readonly depthStencil: DepthStencilView | undefined
  readonly depthStencilState: DepthStencilState
  readonly stencilReference: number
  readonly blend: BlendState
  readonly blendFactor: readonly [number, number, number, number]
  /** Targets that o# writes. */
  readonly targets: readonly number[]
  readonly undefinedTargets: readonly number[]
  readonly poisons: boolean
  readonly traps: boolean
  /** Samples of the rasterizer. */
  readonly sampleCount: SampleCount
  readonly sampleMask: number
  readonly forcedOutput: number | undefined
  readonly capacity: number
  readonly isSampleFrequency: boolean
  readonly testsEarly: boolean
  readonly hasDiscard: boolean
  /** Samples of alpha to coverage; 0 where it is off. */
  readonly alphaSamples: number
  /** Names of pixels say which instance. */
  readonly hasInstances: boolean
}

/** The color part for one thread. */
export function colorMergeOf(s: PixelSetup): ColorMerge {
  const poisoned = s.poisons ? s.undefinedTargets : []
  return createColorMerge(s.renderTargets, s.blend, s.blendFactor, { poisoned, precision: s.precision })
}

/** What a thread brings to its stage. */
interface PixelThread {
  readonly shader: StageShader | undefined
  readonly colors: ColorMerge
  readonly kernels: ElementKernels | undefined
  readonly deadline: number
  readonly orderOf?: (pixel: PixelPlace) => readonly number[]
}

const NO_MODES = new Uint8Array(0)

/** The stage for one thread. */
export function createPixelStage(s: PixelSetup, thread: PixelThread): PixelStage {
  const { alphaSamples } = s
  const describe = (p: PixelPlace): string => {
    const sample = p.sample < 0 ? '' : ` sample ${p.sample}`
    const ofInstance = s.hasInstances ? ` of instance ${p.instance}` : ''
    return `pixel (${p.x}, ${p.y})${sample} of primitive ${p.primitiveId}${ofInstance}`
  }
  const { inputs, attributes, clipDistances } = s.linkage
  return new PixelStage({
    shader: thread.shader,
    colors: thread.colors,
    kernels: thread.kernels,
    deadline: thread.deadline,
    orderOf: thread.orderOf,
    linkage: { inputs, attributes, clipDistances, modes: NO_MODES, diagnostics: [] },
    precision: s.precision,
    targets: s.targets,
    undefinedTargets: s.undefinedTargets,
    traps: s.traps,
    sampleMask: s.sampleMask,
    forcedOutput: s.forcedOutput,
    capacity: s.capacity,
    isSampleFrequency: s.isSampleFrequency,
    testsEarly: s.testsEarly,
    hasDiscard: s.hasDiscard,
    depthStencil: createDepthStencilTest(s.depthStencil, s.depthStencilState, s.stencilReference),
    offsets: sampleOffsets(s.sampleCount),
    hasSlices: [...s.renderTargets, s.depthStencil].some((v) => v !== undefined && v.arraySize > 1),
    alphaToCoverage: alphaSamples > 0 ? (alpha) => alphaToCoverage(alpha, alphaSamples) : undefined,
    describe,
  })
}

/** A view without what other threads cannot see, and where its storage lies. */
interface PlacedView {
  readonly resource: null
  readonly format: string
  readonly storage: { readonly at: number; readonly length: number }
}

function placed<T extends RenderTargetView | DepthStencilView>(view: T | undefined): PlacedView | null {
  if (view === undefined) return null
  const { byteOffset: at, byteLength: length } = view.storage
  return { ...view, resource: null, format: view.format.name, storage: { at, length } }
}

function viewOf<T extends RenderTargetView | DepthStencilView>(
  given: PlacedView | null,
  buffer: ArrayBufferLike,
): T | undefined {
  if (given === null) return undefined
  const { at, length } = given.storage
  const storage = storageOver({ buffer, byteOffset: at }, length)
  // The merger reads everything of a view but the resource.
  return { ...given, format: findFormat(given.format)!, storage } as unknown as T
}

/** A setup as plain data: views by their places in a memory that threads share. */
export function plainSetup(s: PixelSetup): object {
  return {
    ...s,
    linkage: { inputs: s.linkage.inputs, clipDistances: s.linkage.clipDistances },
    forcedOutput: s.forcedOutput ?? null,
    renderTargets: s.renderTargets.map(placed),
    depthStencil: placed(s.depthStencil),
  }
}

export function setupOf(plain: object, buffer: ArrayBufferLike): PixelSetup {
  const given = plain as Omit<PixelSetup, 'renderTargets' | 'depthStencil' | 'forcedOutput'> & {
    readonly forcedOutput: number | null
    readonly renderTargets: readonly (PlacedView | null)[]
    readonly depthStencil: PlacedView | null
  }
  const { inputs, clipDistances } = given.linkage
  // Attributes are inputs, found among them by what they are.
  const attributes = inputs.flatMap((i) => (i.kind === 'attribute' ? [i] : []))
  return {
    ...given,
    linkage: { inputs, attributes, clipDistances },
    forcedOutput: given.forcedOutput ?? undefined,
    renderTargets: given.renderTargets.map((v) => viewOf<RenderTargetView>(v, buffer)),
    depthStencil: viewOf<DepthStencilView>(given.depthStencil, buffer),
  }
}
