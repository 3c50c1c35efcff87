import type { ClassInstances } from '../../../src/engine/index.ts'
import type {
  BoundIndexBuffer,
  BoundVertexBuffer,
  CopyBox,
  DrawCall,
  DrawResources,
  PipelineDescription,
  ShaderStage,
} from '../../../src/pipeline/index.ts'
import type { ComponentType } from '../../../src/pipeline/shader.ts'
import type { Program } from '../../../src/program/index.ts'
import type { Numbers } from '../random/random.ts'
import type { SlotHint } from '../random-bindings.ts'

/** A frame as data: nothing of it belongs to an engine, so that each makes resources of its own from it. */

/** A shader, and what its bindings are filled from. Those of one seed have the same contents in every frame. */
export interface FrameShader {
  readonly text: string
  readonly program: Program
  readonly seed: number
  readonly numbers: Numbers
  readonly hints: Readonly<Record<string, SlotHint>>
  readonly classInstances: ClassInstances
}

export type FrameShaders = Readonly<Partial<Record<ShaderStage, FrameShader>>>

export interface FramePipeline {
  readonly shaders: FrameShaders
  readonly state: Omit<PipelineDescription, ShaderStage>
  /** Types of the pixel shader's outputs, as its signature has them; those left out are not known. */
  readonly outputTypes: readonly (ComponentType | undefined)[]
}

/** Contents in place of a storage. */
export type Filled<T> = Omit<T, 'storage' | 'byteLength'> & { readonly words: readonly number[] }
/** The bytes that stream output left in the first buffer of the frame, as a vertex buffer. */
export interface StreamedVertices {
  readonly stride: number
  readonly offset: number
}

export type FrameCall =
  | { readonly kind: 'direct'; readonly call: DrawCall }
  | { readonly kind: 'indirect'; readonly words: readonly number[]; readonly offset: number; readonly indexed: boolean }
  | { readonly kind: 'auto' }

/** Slices of a target texture of the frame. */
export interface TargetSlices {
  readonly picture: number
  readonly firstArraySlice: number
  readonly arraySize: number
}

/** A texture that is drawn to, or one of the same format, size and mips with one sample that nothing is drawn to. */
export interface FrameTexture {
  readonly of: 'target' | 'spare'
  readonly picture: number
}

type SubresourceOf = FrameTexture & { readonly mip: number; readonly slice: number }

/** What is done to whole resources between draws. */
export type SurfaceCommand =
  | { readonly kind: 'resolve'; readonly picture: number; readonly from: number; readonly to: number }
  | { readonly kind: 'copy'; readonly from: FrameTexture; readonly to: FrameTexture }
  | {
      readonly kind: 'copy-region'
      readonly from: SubresourceOf & { readonly box?: CopyBox }
      readonly to: SubresourceOf & { readonly x: number; readonly y: number; readonly z: number }
    }
  /** Bytes of the memory that shaders share, -1, or of a buffer of stream output. */
  | {
      readonly kind: 'copy-bytes'
      readonly from: number
      readonly to: number
      readonly left: number
      readonly right: number
      readonly x: number
    }
  /** The hidden counter of one of the views that shaders have, as a word of their memory. */
  | { readonly kind: 'copy-count'; readonly number: number; readonly word: number }
  | { readonly kind: 'mips'; readonly texture: FrameTexture }
  | {
      readonly kind: 'clear-view'
      readonly texture: FrameTexture
      readonly as: 'float' | 'uint'
      readonly mip: number
      readonly values: readonly [number, number, number, number]
    }

export interface FrameDraw {
  readonly kind: 'draw'
  readonly pipeline: number
  readonly vertexBuffers: readonly (Filled<BoundVertexBuffer> | StreamedVertices | undefined)[]
  readonly indexBuffer: Filled<BoundIndexBuffer> | undefined
  readonly call: FrameCall
  readonly targets: readonly (TargetSlices | undefined)[]
  /** A texture that earlier draws may have drawn to, for the pixel shaders that read one. */
  readonly source: FrameTexture | undefined
  readonly undefinedPolicy: 'report' | 'poison'
  readonly depth:
    | (Omit<TargetSlices, 'picture'> & { readonly readOnlyDepth: boolean; readonly readOnlyStencil: boolean })
    | undefined
  /** Stream output buffers of the frame by slot; -1 begins where the last draw ended. */
  readonly streamOffsets: readonly (number | undefined)[]
  readonly fixed: Pick<DrawResources, 'viewports' | 'scissors' | 'blendFactor' | 'stencilReference'>
}

export type FrameCommand =
  | FrameDraw
  | { readonly kind: 'clear'; readonly picture: number; readonly color: readonly [number, number, number, number] }
  | { readonly kind: 'clear-depth'; readonly depth?: number; readonly stencil?: number }
  | { readonly kind: 'clear-memory'; readonly word: number }
  | SurfaceCommand

/** What the textures are that draws go to. */
export interface TargetKind {
  readonly dimension: 'texture1d' | 'texture2d' | 'texture3d' | 'texturecube'
  /** The mip that is drawn to; the size of the frame is its size. */
  readonly mipSlice: number
  /** Of textures of one sample. */
  readonly mipLevels: number
}

/** Textures of one size that draws go to. */
export interface RandomFrame {
  readonly seed: number
  readonly kind: TargetKind
  readonly width: number
  readonly height: number
  readonly arraySize: number
  readonly sampleCount: 1 | 2 | 4 | 8 | 16
  /** Formats of the textures that are targets. */
  readonly pictures: readonly string[]
  readonly depth: string | undefined
  /** Whether targets and buffers lie in the memory of the engine where it has one, as those of a device do. */
  readonly inEngine: boolean
  readonly streamBytes: number
  readonly pipelines: readonly FramePipeline[]
  readonly commands: readonly FrameCommand[]
}
