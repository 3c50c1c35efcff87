import type { ClassInstances, DenormalMode, FmaMode, MinPrecisionMode } from '../../engine/index.ts'
import type {
  BufferViewOptions,
  SamplerOptions,
  Schedule,
  TextureDimension,
  TextureSrvOptions,
  TextureUavOptions,
  UndefinedPolicy,
} from '../../machine/index.ts'

/** Initial contents of a resource: generators as `schema/job.schema.json` describes them. */
export type Init =
  | { readonly kind: 'zero' }
  | { readonly kind: 'fill-u32'; readonly value: number }
  | { readonly kind: 'lcg-u32'; readonly seed: number }
  | { readonly kind: 'lcg-f32'; readonly seed: number; readonly lo: number; readonly hi: number }
  | { readonly kind: 'u32' | 'i32' | 'f32' | 'f64' | 'u8'; readonly values: readonly number[] }
  | { readonly kind: 'file'; readonly file: string; readonly byteOffset: number }
  | { readonly kind: 'image'; readonly file: string }

/** Options of a view; which ones fit depends on the resource. */
export type JobView = Pick<BufferViewOptions, 'firstElement' | 'elementCount'> &
  Omit<TextureSrvOptions, 'format' | 'dimension'> &
  Omit<TextureUavOptions, 'format' | 'dimension'> & {
    readonly format?: string
    readonly dimension?: string
  }

interface BufferBase {
  readonly slot: string
  /** Bytes; absent where the initial contents give them. */
  readonly size?: number
  readonly init: Init
  readonly view: JobView
}

export type JobResource =
  | (BufferBase & {
      readonly kind: 'structured'
      readonly stride: number
      readonly counter?: number
      readonly append: boolean
    })
  | (BufferBase & { readonly kind: 'raw' })
  | (BufferBase & { readonly kind: 'typed'; readonly format: string })
  | {
      readonly slot: string
      readonly kind: 'texture'
      readonly dimension: TextureDimension
      readonly format: string
      /** Absent where an image gives the extents. */
      readonly width?: number
      readonly height?: number
      readonly depth?: number
      readonly arraySize?: number
      readonly mipLevels?: number
      readonly sampleCount?: number
      readonly init: Init
      readonly view: JobView
    }
  | {
      readonly slot: string
      readonly kind: 'cbuffer'
      readonly words: readonly number[]
      readonly byteOffset?: number
      readonly byteLength?: number
    }
  | { readonly slot: string; readonly kind: 'sampler'; readonly options: SamplerOptions }
  /** Another view of a resource that an earlier slot has. */
  | {
      readonly slot: string
      readonly kind: 'same'
      readonly of: string
      readonly view: JobView & { readonly stride?: number; readonly raw?: boolean }
    }

/** Where expected contents come from. */
export type Expected =
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'values'; readonly values: readonly number[]; readonly type: 'u32' | 'i32' | 'f32' | 'u8' | 'f64' }

export type JobCheck =
  | {
      readonly compare: 'exact' | 'f32' | 'u8'
      readonly slot: string
      readonly expected: Expected
      readonly abs: number
      readonly rel: number
      /** Fraction of the elements that may differ, 0 to 1. */
      readonly outliers: number
    }
  | {
      readonly compare: 'lists'
      readonly slot: string
      readonly heads: string
      readonly nodes: string
      readonly stride: number
      readonly counter?: number
      readonly expected: Expected
    }
  | { readonly compare: 'counter'; readonly slot: string; readonly value: number }

export interface JobOptions {
  readonly schedule?: Schedule
  readonly undefinedPolicy?: UndefinedPolicy
  readonly maxInstructionsPerThread?: number
  readonly denormals?: DenormalMode
  readonly fma?: FmaMode
  readonly minPrecision?: MinPrecisionMode
}

/** A run description. */
export interface Job {
  readonly name: string
  /** Path of the shader, from the folder of the description. Absent where the caller names it. */
  readonly shader?: string
  readonly dispatch: readonly [number, number, number]
  /** Group counts from a buffer instead: DispatchIndirect. */
  readonly indirect?: { readonly slot: string; readonly byteOffset: number }
  /** A second dispatch over the results of the first does other work: restore the resources between timed dispatches. */
  readonly reset: boolean
  readonly resources: readonly JobResource[]
  readonly classInstances: ClassInstances
  readonly checks: readonly JobCheck[]
  readonly options: JobOptions
  /** Work items of one dispatch, and what one is, for rates. */
  readonly elements?: number
  readonly element?: string
  readonly bytes?: number
  readonly flops?: number
}
