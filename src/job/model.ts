import type { ClassInstance, LoadOptions } from '../engine/index.ts'
import type {
  BufferViewOptions,
  CounterUse,
  SamplerOptions,
  Schedule,
  Slot,
  TextureOptions,
  TextureSrvOptions,
  TextureUavOptions,
  UndefinedPolicy,
} from '../machine/index.ts'

/** Contents of a resource, or contents that are expected of one. Words and values are little-endian. */
export type Contents =
  | { readonly kind: 'zero' }
  | { readonly kind: 'fill-u32'; readonly value: number }
  | { readonly kind: 'lcg-u32'; readonly seed: number }
  | { readonly kind: 'lcg-f32'; readonly seed: number; readonly lo: number; readonly hi: number }
  | { readonly kind: 'ramp-u32'; readonly start: number; readonly step: number }
  | { readonly kind: 'ramp-f32'; readonly start: number; readonly step: number }
  /** Words, floats, values and hexadecimal digits, as the bytes they are. */
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly path: string }
  /** Texels by component, converted to the format. */
  | { readonly kind: 'texels'; readonly texels: readonly (readonly number[])[]; readonly path: string }
  /** Structures, or the variables of a constant buffer, by the names of the reflection. */
  | { readonly kind: 'structures'; readonly items: readonly unknown[]; readonly path: string }
  | { readonly kind: 'variables'; readonly values: unknown; readonly path: string }
  /** Values whose types the reflection says, dword by dword; without it those with a point or exponent are floats. */
  | { readonly kind: 'guess'; readonly texts: readonly string[]; readonly path: string }
  | {
      readonly kind: 'file'
      readonly file: string
      readonly byteOffset: number
      readonly byteLength?: number
      readonly path: string
    }
  | { readonly kind: 'png'; readonly file: string; readonly path: string }

interface ResourceBase {
  readonly slot: Slot
  /** JSON path, or the flag, that describes it. */
  readonly path: string
}

/** What a view shows of its resource; which members fit depends on the resource. */
export type JobBufferView = Pick<BufferViewOptions, 'format' | 'raw' | 'stride' | 'firstElement' | 'elementCount'>
export type JobTextureView = TextureSrvOptions & TextureUavOptions

export interface JobCounter {
  readonly use: CounterUse
  readonly initialCount: number
}

/** A buffer, with its contents and how it is seen. */
export interface BufferResource extends ResourceBase {
  readonly kind: 'buffer'
  /** Bytes; absent where the contents say how many. */
  readonly byteLength?: number
  /** Of a structured buffer. */
  readonly stride?: number
  readonly contents: Contents
  readonly view: JobBufferView
  readonly counter?: JobCounter
}

/** A texture, with its contents and how it is seen. */
export interface TextureResource extends ResourceBase {
  readonly kind: 'texture'
  /** Width and height are absent where an image gives them. */
  readonly options: Omit<TextureOptions, 'width' | 'data' | 'memory'> & { readonly width?: number }
  readonly contents: Contents
  /** Contents of single mips and slices, after `contents`. */
  readonly parts: readonly { readonly mip: number; readonly slice: number; readonly contents: Contents }[]
  readonly view: JobTextureView
}

/** A constant buffer, as bytes or by the names of its variables. */
export interface ConstantsResource extends ResourceBase {
  readonly kind: 'cbuffer'
  readonly byteLength?: number
  readonly contents: Contents
  readonly view: { readonly byteOffset?: number; readonly byteLength?: number }
}

/** A sampler. */
export interface SamplerResource extends ResourceBase {
  readonly kind: 'sampler'
  readonly options: SamplerOptions
}

/** Another view of the resource that another slot describes. */
export interface SameResource extends ResourceBase {
  readonly kind: 'same'
  readonly of: Slot
  readonly view: JobBufferView & JobTextureView & { readonly byteOffset?: number; readonly byteLength?: number }
  readonly counter?: JobCounter
}

/** A resource of a run description, in the slot that it is bound to. */
export type JobResource = BufferResource | TextureResource | ConstantsResource | SamplerResource | SameResource

interface CheckBase {
  readonly slot: Slot
  readonly path: string
}

/** How two contents are compared, and how far they may differ. */
export interface ContentsCheck extends CheckBase {
  readonly kind: 'contents'
  readonly compare: 'exact' | 'f32' | 'f16' | 'f64' | 'u8'
  /** Absent where a description only states tolerances. */
  readonly expected?: Contents
  /** Part of the slot's contents that is compared; all of them where both are absent. */
  readonly byteOffset?: number
  readonly byteLength?: number
  readonly abs: number
  readonly rel: number
  /** Floats: steps of the type that a value may be off. */
  readonly ulps: number
  /** Fraction of the values that may differ more, 0 to 1. */
  readonly outliers: number
  readonly counter?: number
}

/** Linked lists whose order does not matter: heads in one slot, nodes in another. */
export interface ListsCheck extends CheckBase {
  readonly kind: 'lists'
  readonly heads: Slot
  readonly nodes: Slot
  /** Bytes of a node: the link, then the payload. */
  readonly stride: number
  readonly expected?: Contents
  readonly counter?: number
}

/** The value that a hidden counter must have. */
export interface CounterCheck extends CheckBase {
  readonly kind: 'counter'
  readonly counter: number
}

/** What a slot must hold after the run: contents, linked lists, or a counter. */
export type JobCheck = ContentsCheck | ListsCheck | CounterCheck

/** What to run: a file, or assembly text in the description. */
export interface ShaderSource {
  readonly file?: string
  readonly assembly?: string
  /** For HLSL: entry point and profile. */
  readonly entry: string
  readonly profile: string
  readonly path: string
  /** Of shaders of frames; version 1 has them beside its only shader. */
  readonly classInstances?: readonly JobClassBinding[]
}

/** What an interface pointer points to. */
export interface JobClassBinding {
  readonly pointer: string
  readonly path: string
  readonly is: JobClassInstance
}

/** Elements of a slot to show. */
export interface PrintRequest {
  readonly slot: Slot
  readonly path: string
  readonly first?: number
  readonly last?: number
  /** How to read the words of a raw buffer, or of any resource. */
  readonly as?: 'f32' | 'u32' | 'i32' | 'hex' | 'f16' | 'u16' | 'i16' | 'u8' | 'i8' | 'f64'
}

/** A file that a slot is written to after the run. */
export interface OutputRequest {
  readonly slot: Slot
  readonly path: string
  /** `.png` writes an image, anything else the bytes. */
  readonly file: string
  readonly mip: number
  readonly slice: number
}

/** How many groups run: counts, or where in a buffer they lie. */
export type JobDispatch =
  | { readonly kind: 'groups'; readonly groups: readonly [number, number, number]; readonly path: string }
  | { readonly kind: 'indirect'; readonly slot: Slot; readonly byteOffset: number; readonly path: string }

/** How the job is run; what is absent is the engine's default. */
export interface JobOptions {
  /** Name of the engine; default the caller's. */
  readonly engine?: string | undefined
  /** Threads of the host, at least 1. */
  readonly threads?: number | undefined
  /** In which order waves and groups take their turns. */
  readonly schedule?: Partial<Schedule> | undefined
  /** What happens where Direct3D leaves it open. */
  readonly undefinedPolicy?: UndefinedPolicy | undefined
  /** Instructions that one thread may execute before the run is stopped as endless. */
  readonly maxInstructionsPerThread?: number | undefined
  /** Denormals, fused multiply-add and minimum precision. */
  readonly load: LoadOptions
}

/** An instance for an interface pointer: its places, or the name of an instance or class of the shader. */
export type JobClassInstance =
  | { readonly kind: 'places'; readonly instance: ClassInstance }
  | { readonly kind: 'named'; readonly name: string; readonly places: Omit<ClassInstance, 'table'> }

/** What rates are counted in. */
export interface JobWork {
  readonly elements?: number
  readonly element?: string
  readonly bytes?: number
  readonly flops?: number
  /** A second dispatch over the results of the first does other work: restore the resources between timed ones. */
  readonly reset: boolean
}

/** A run description. */
export interface Job {
  readonly name: string
  readonly shader: ShaderSource
  readonly dispatch: JobDispatch
  /** Threads of a group, for information; compared with what the shader declares. */
  readonly group?: readonly [number, number, number]
  readonly resources: readonly JobResource[]
  /** Declared slots that stay unbound on purpose. */
  readonly unbound: readonly Slot[]
  readonly classInstances: readonly JobClassBinding[]
  readonly checks: readonly JobCheck[]
  readonly print: readonly PrintRequest[]
  readonly outputs: readonly OutputRequest[]
  readonly options: JobOptions
  readonly work: JobWork
}
