/** A frame: run descriptions of version 2 as plain data. Both notations parse into it; `prepare.ts` makes it runnable. */
import type { SamplerOptions, Slot, TextureOptions, ViewDimension } from '../../machine/index.ts'
import type {
  BlendDescription,
  CopyBox,
  DepthStencilState,
  InputElement,
  Precision,
  PrimitiveTopology,
  RasterizerState,
  ScissorRect,
  StreamOutputState,
  Viewport,
} from '../../pipeline/index.ts'
import type { Contents, JobBufferView, JobCounter, JobOptions, JobTextureView, ShaderSource } from '../model.ts'
import type { Pattern } from './patterns/index.ts'

/** Contents of a resource: those of version 1, and meshes and pictures that are computed. */
export type FrameContents = Contents | Pattern

interface ResourceBase {
  readonly name: string
  readonly path: string
}

export interface FrameBuffer extends ResourceBase {
  readonly kind: 'buffer'
  /** Bytes; absent where the contents say how many. */
  readonly byteLength?: number
  /** Of a structured buffer. */
  readonly stride?: number
  readonly contents: FrameContents
}

export interface FrameTexture extends ResourceBase {
  readonly kind: 'texture'
  /** Width and height are absent where an image gives them. */
  readonly options: Omit<TextureOptions, 'width' | 'data' | 'memory'> & { readonly width?: number }
  readonly contents: FrameContents
  /** Contents of single mips and slices, after `contents`. */
  readonly parts: readonly { readonly mip: number; readonly slice: number; readonly contents: FrameContents }[]
}

export type FrameResource = FrameBuffer | FrameTexture

/** The name of something, and where it stands. */
export interface NameAt {
  readonly name: string
  readonly path: string
}

/** What a view of a resource shows; which members fit depends on the resource and on the slot. */
type FrameView = JobBufferView & JobTextureView & { readonly byteOffset?: number; readonly byteLength?: number }

/** What stands in a slot of a stage. */
export type FrameBinding = { readonly slot: Slot; readonly path: string } & (
  | { readonly kind: 'view'; readonly resource: NameAt; readonly view: FrameView; readonly counter?: JobCounter }
  | { readonly kind: 'sampler'; readonly options: SamplerOptions }
)

/** A view that is drawn to. */
export interface FrameTarget {
  readonly resource: NameAt
  readonly path: string
  readonly format?: string
  readonly mipSlice?: number
  readonly firstArraySlice?: number
  readonly arraySize?: number
  readonly dimension?: ViewDimension
  readonly readOnlyDepth?: boolean
  readonly readOnlyStencil?: boolean
}

export interface FrameVertexBuffer {
  readonly slot: number
  readonly buffer: NameAt
  readonly stride: number
  readonly offset: number
}

export interface FrameIndexBuffer {
  readonly buffer: NameAt
  readonly format: 'R16_UINT' | 'R32_UINT'
  readonly offset: number
}

export interface FrameStreamTarget {
  readonly slot: number
  readonly buffer: NameAt
  readonly offset: number | 'APPEND'
}

export const GRAPHICS_STAGES = ['vertex', 'hull', 'domain', 'geometry', 'pixel'] as const
export type GraphicsStage = (typeof GRAPHICS_STAGES)[number]
export type FrameStage = GraphicsStage | 'compute'

/** What a draw or dispatch reads and writes. Members of a command replace those of its pipeline. */
export interface FrameBindings {
  readonly stages: Readonly<Partial<Record<FrameStage, readonly FrameBinding[]>>>
  readonly unorderedAccess?: readonly FrameBinding[]
  readonly vertexBuffers?: readonly FrameVertexBuffer[]
  readonly indexBuffer?: FrameIndexBuffer
  readonly streamOutput?: readonly FrameStreamTarget[]
  readonly renderTargets?: readonly (FrameTarget | undefined)[]
  readonly depthStencil?: FrameTarget
  readonly viewports?: readonly Viewport[]
  readonly scissors?: readonly ScissorRect[]
  readonly blendFactor?: readonly [number, number, number, number]
  readonly stencilReference?: number
}

interface PipelineBase {
  readonly name: string
  readonly path: string
  readonly bindings: FrameBindings
  /** Declared slots that stay unbound on purpose. */
  readonly unbound: readonly Slot[]
}

export interface ComputePipeline extends PipelineBase {
  readonly kind: 'compute'
  readonly shader: NameAt
}

export interface GraphicsPipeline extends PipelineBase {
  readonly kind: 'graphics'
  readonly shaders: Readonly<Partial<Record<GraphicsStage, NameAt>>>
  readonly topology: PrimitiveTopology
  readonly inputLayout: readonly InputElement[]
  readonly rasterizer: Partial<RasterizerState>
  readonly depthStencil: Partial<DepthStencilState>
  readonly blend: BlendDescription
  readonly sampleMask: number
  readonly streamOutput?: StreamOutputState
  readonly cutOnLists?: boolean
  readonly precision?: Precision
}

export type FramePipeline = ComputePipeline | GraphicsPipeline

/** Counts of a draw: given, read from a buffer when the draw begins, or left by stream output. */
export type FrameCounts =
  | {
      readonly kind: 'vertices'
      readonly vertexCount: number
      readonly instanceCount: number
      readonly startVertex: number
      readonly startInstance: number
    }
  | {
      readonly kind: 'indices'
      readonly indexCount: number
      readonly instanceCount: number
      readonly startIndex: number
      readonly baseVertex: number
      readonly startInstance: number
    }
  | { readonly kind: 'indirect'; readonly buffer: NameAt; readonly byteOffset: number; readonly indexed: boolean }
  | { readonly kind: 'auto' }

/** A mip of a slice of a resource. */
export interface SubresourceAt {
  readonly resource: NameAt
  readonly mip: number
  readonly slice: number
}

export type FrameCommand = { readonly path: string } & (
  | { readonly kind: 'draw'; readonly pipeline: NameAt; readonly counts: FrameCounts; readonly bindings: FrameBindings }
  | {
      readonly kind: 'dispatch'
      readonly pipeline: NameAt
      readonly groups: readonly [number, number, number] | { readonly buffer: NameAt; readonly byteOffset: number }
      readonly bindings: FrameBindings
    }
  | {
      readonly kind: 'clear'
      readonly target: FrameTarget
      readonly color: readonly [number, number, number, number]
      /** Clears an unordered access view instead of a render target: with floats, or with words. */
      readonly as: 'target' | 'float' | 'uint'
    }
  | {
      readonly kind: 'clearDepthStencil'
      readonly target: FrameTarget
      readonly depth?: number
      readonly stencil?: number
    }
  | {
      readonly kind: 'copy'
      readonly from: NameAt
      readonly to: NameAt
      /** Absent: all of the resource. */
      readonly region?: {
        readonly source: { readonly mip: number; readonly slice: number; readonly box?: CopyBox }
        readonly destination: {
          readonly mip: number
          readonly slice: number
          readonly x: number
          readonly y: number
          readonly z: number
        }
      }
    }
  | { readonly kind: 'resolve'; readonly from: SubresourceAt; readonly to: SubresourceAt; readonly format?: string }
  | { readonly kind: 'generateMips'; readonly resource: NameAt }
  /** The hidden counter of the view of `from` that draws and dispatches of the frame bind. */
  | { readonly kind: 'copyStructureCount'; readonly from: NameAt; readonly to: NameAt; readonly byteOffset: number }
  | {
      readonly kind: 'write'
      readonly resource: NameAt
      /** Bytes from the start of a buffer. */
      readonly byteOffset: number
      readonly mip: number
      readonly slice: number
      readonly contents: FrameContents
    }
)

export const FRAME_COMPARES = ['exact', 'u8', 'u16', 'f16', 'f32', 'f64'] as const
type FrameCompare = (typeof FRAME_COMPARES)[number]

/** How what a resource holds is compared with what is expected. */
export interface FrameCheck {
  readonly resource: NameAt
  readonly path: string
  readonly compare: FrameCompare
  readonly expected?: FrameContents
  /** The mip and slice that is compared; all of the resource where both are absent. */
  readonly mip?: number
  readonly slice?: number
  /** One bound for all components, or one for each. */
  readonly abs: readonly number[]
  readonly rel: readonly number[]
  /** Fraction of the texels, or of the words of a buffer, that may differ more. */
  readonly outliers: number
  /** Words of each record of `stride` bytes that must be equal. */
  readonly exactWords: readonly number[]
  readonly stride: number
  /** Where the difference image goes; beside the expected file where it is absent. */
  readonly difference?: string
}

/** A resource that is written to a file: `.png` an image, anything else the bytes. */
export interface FrameOutput {
  readonly resource: NameAt
  readonly path: string
  readonly file: string
  readonly mip: number
  readonly slice: number
}

/** A frame as it was parsed: resources, shaders, pipelines, commands in order, and what they should leave. */
export interface FrameJob {
  readonly version: 2
  readonly name: string
  readonly resources: readonly FrameResource[]
  readonly shaders: readonly (NameAt & { readonly source: ShaderSource })[]
  readonly pipelines: readonly FramePipeline[]
  readonly commands: readonly FrameCommand[]
  readonly checks: readonly FrameCheck[]
  readonly outputs: readonly FrameOutput[]
  /** Resources to show in the terminal. */
  readonly previews: readonly NameAt[]
  readonly options: JobOptions
}
