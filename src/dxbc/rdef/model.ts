import type { ChunkLayout } from '../layout.ts'

/** The classes of a reflected type (D3D_SHADER_VARIABLE_CLASS). */
export const TYPE_CLASS = {
  scalar: 0,
  vector: 1,
  matrixRows: 2,
  matrixColumns: 3,
  object: 4,
  struct: 5,
  interfaceClass: 6,
  interfacePointer: 7,
} as const

/** What a buffer of the reflection is (D3D_CBUFFER_TYPE). */
export const BUFFER_KIND = { cbuffer: 0, tbuffer: 1, interfacePointers: 2, resourceBindInfo: 3 } as const

/** Variable flag: the program reads it (D3D_SVF_USED). */
export const VARIABLE_USED = 2

/** Which shader a reflection belongs to: the high word of its version dword. */
export const PROGRAM_TYPE = {
  65535: 'ps',
  65534: 'vs',
  18259: 'gs',
  18515: 'hs',
  17491: 'ds',
  17235: 'cs',
  19526: 'lib',
} as const

/** A resource binding of an RDEF chunk (D3D11_SHADER_INPUT_BIND_DESC). */
export interface ReflectedBinding {
  readonly name: string
  /** D3D_SHADER_INPUT_TYPE: 0 cbuffer, 1 tbuffer, 2 texture, 3 sampler, 4 typed UAV, 5 structured, ... */
  readonly kind: number
  /** D3D_RESOURCE_RETURN_TYPE, 0 where the kind has none. */
  readonly returnType: number
  /** D3D_SRV_DIMENSION. */
  readonly dimension: number
  /** Sample count of a multisampled texture; stride of a structured buffer; 0xffffffff where neither means anything. */
  readonly sampleCount: number
  readonly bindPoint: number
  /** 0 for an unbounded array of Shader Model 5.1. */
  readonly bindCount: number
  /** D3D_SHADER_INPUT_FLAGS: bit 0 packed by the user, bit 1 comparison sampler, bits 2 and 3 components less one. */
  readonly flags: number
  /** Register space and range ID: Shader Model 5.1 only. */
  readonly space?: number
  readonly id?: number
}

/** Slots of textures or samplers that belong to a class instance. `start` is 0xffffffff where there is none. */
export interface SlotRange {
  readonly start: number
  readonly count: number
}

/** A variable of a constant buffer (D3D11_SHADER_VARIABLE_DESC). */
export interface ReflectedVariable {
  readonly name: string
  readonly byteOffset: number
  /** Bytes from the first to the last component, without padding after it. */
  readonly byteLength: number
  /** D3D_SHADER_VARIABLE_FLAGS. */
  readonly flags: number
  /** Index into `types`. */
  readonly type: number
  /** `byteLength` bytes. */
  readonly defaultValue?: Uint8Array
  /** Shader Model 5.0 and later; absent for none. */
  readonly textures?: SlotRange
  readonly samplers?: SlotRange
}

/** A member of a structure (D3D11_SHADER_TYPE_DESC). */
export interface ReflectedMember {
  readonly name: string
  readonly type: number
  /** From the start of the structure. */
  readonly byteOffset: number
}

/** A type. The same HLSL type may stand several times: fxc writes one for each packing. Types do not contain themselves. */
export interface ReflectedType {
  /** As written in HLSL (`float4x4`, `Light`); Shader Model 5.0 and later. */
  readonly name?: string
  /** D3D_SHADER_VARIABLE_CLASS. */
  readonly class: number
  /** D3D_SHADER_VARIABLE_TYPE. */
  readonly base: number
  readonly rows: number
  readonly columns: number
  /** Number of array elements, 0 for no array; arrays of arrays are flattened. */
  readonly elements: number
  readonly members: readonly ReflectedMember[]
  /** The interface that a pointer points to. */
  readonly pointsTo?: number
  readonly baseClass?: number
  /** The interfaces that a class implements. */
  readonly interfaces?: readonly number[]
}

/** A constant buffer of an RDEF chunk (D3D11_SHADER_BUFFER_DESC). */
export interface ReflectedBuffer {
  readonly name: string
  readonly variables: readonly ReflectedVariable[]
  /** Bytes, a multiple of 16 for cbuffers; the stride of a structured buffer; the slots of interface pointers. */
  readonly byteLength: number
  readonly flags: number
  /** BUFFER_KIND. */
  readonly kind: number
}

/** What Shader Model 5.0 added to the header. */
export interface ReflectionExtension {
  /** `RD11` for 5.0, `\x13\x13D%` for 5.1. */
  readonly tag: string
  readonly interfaceSlotCount: number
}

/** The RDEF chunk: what a shader binds and how its buffers are laid out. */
export interface ResourceDefinition {
  readonly majorVersion: number
  readonly minorVersion: number
  /** PROGRAM_TYPE. */
  readonly programType: number
  /** The D3DCOMPILE flags the shader was compiled with. */
  readonly flags: number
  readonly creator: string
  readonly bindings: readonly ReflectedBinding[]
  readonly buffers: readonly ReflectedBuffer[]
  readonly types: readonly ReflectedType[]
  readonly extension?: ReflectionExtension
  readonly layout?: ChunkLayout
}

/** Sizes of the records in bytes. */
export interface RecordSizes {
  readonly header: number
  readonly buffer: number
  readonly binding: number
  readonly variable: number
  readonly type: number
  readonly member: number
}

const SIZES_4: RecordSizes = { header: 28, buffer: 24, binding: 32, variable: 24, type: 16, member: 12 }
const SIZES_50: RecordSizes = { header: 60, buffer: 24, binding: 32, variable: 40, type: 36, member: 12 }
const SIZES_51: RecordSizes = { header: 60, buffer: 24, binding: 40, variable: 40, type: 36, member: 12 }

/** The sizes that a target's compiler writes. */
export function recordSizes(majorVersion: number, minorVersion: number): RecordSizes {
  if (majorVersion < 5) return SIZES_4
  return majorVersion === 5 && minorVersion === 0 ? SIZES_50 : SIZES_51
}

/** A slot range field that means "none". */
export const NO_SLOTS: SlotRange = { start: 0xffffffff, count: 0 }

/**
 * The interface class (ps/class_linkage) and a structure (quirks/ps_empty_structs) point at their list of members even
 * where it is empty; every other type without members has offset 0.
 */
export function hasMemberList(type: Pick<ReflectedType, 'class' | 'members'>): boolean {
  if (type.members.length > 0) return true
  return type.class === TYPE_CLASS.interfaceClass || type.class === TYPE_CLASS.struct
}

/** Types nested deeper than this are refused; HLSL of real shaders stays below ten. */
export const MAX_TYPE_DEPTH = 64
