import {
  argumentFault,
  DiagnosticCollector,
  failure,
  isRecord,
  type Outcome,
  outcomeOf,
  valueOrThrow,
} from '../diagnostic/index.ts'
import type { DxbcContainer } from './container.ts'
import { findChunk } from './edit.ts'
import { decodeResourceDefinition } from './rdef/decode.ts'
import {
  BUFFER_KIND,
  PROGRAM_TYPE,
  type ReflectedBinding,
  type ReflectedBuffer,
  type ResourceDefinition,
  TYPE_CLASS,
  VARIABLE_USED,
} from './rdef/model.ts'
import { bindingDimension, bindingFormat, bindingKindText, bindingType, typeText } from './rdef/type-text.ts'
import { decodeSignature, isSignatureFourcc, NO_REGISTER, type Signature } from './signature.ts'

/** A member of a structure. */
export interface ReflectionMember {
  readonly name: string
  /** HLSL text without array size: `float4`, `row_major float3x4`, `struct Light`. */
  readonly type: string
  /** Array elements, absent where it is no array. */
  readonly elements?: number
  /** From the start of the structure. */
  readonly byteOffset: number
  readonly members?: readonly ReflectionMember[]
}

/** A variable of a constant buffer. Offsets and sizes are in bytes. */
export interface ReflectionVariable extends ReflectionMember {
  readonly byteLength: number
  /** The program reads it. */
  readonly used: boolean
  /** Initial value, `byteLength` bytes. */
  readonly defaultValue?: Uint8Array
}

/** A constant buffer, texture buffer or set of interface pointers, with its variables. */
export interface ReflectionBuffer {
  readonly name: string
  readonly kind: 'cbuffer' | 'tbuffer' | 'interfaces'
  readonly byteLength: number
  readonly variables: readonly ReflectionVariable[]
}

/** Something that the shader binds. */
export interface ReflectedResource {
  readonly name: string
  /** `cbuffer`, `tbuffer`, `texture`, `sampler`, `sampler_c` or `UAV`. */
  readonly type: string
  /** `cb`, `t`, `s` or `u`: the register's letter. */
  readonly register: string
  readonly slot: number
  /** Absent for an unbounded array. */
  readonly count?: number
  readonly space: number
  /** `2d`, `cubearray`, `buf`; for structured and raw buffers how they are used: `r/o`, `r/w`, `append`. */
  readonly dimension: string
  /** `float4`, `uint`, `struct`, `byte`; `NA` where the resource has none. */
  readonly format: string
  /** Bytes of an element of a structured buffer. */
  readonly stride?: number
  /** The element of a structured buffer, where the reflection describes it. */
  readonly element?: ReflectionVariable
}

/** An input or output of the shader. */
export interface ReflectedElement {
  readonly name: string
  readonly semanticIndex: number
  /** D3D_NAME. */
  readonly systemValue: number
  readonly componentType: 'unknown' | 'uint' | 'int' | 'float'
  /** Absent where the value is in no numbered register (depth, coverage). */
  readonly register?: number
  /** Components that exist, as `xyzw`. */
  readonly mask: string
  /** Geometry shader stream. */
  readonly stream?: number
}

/** What a container says about itself, RDEF and signatures joined. */
export interface Reflection {
  /** `ps_5_0`, where there is an RDEF part. */
  readonly target?: string
  readonly creator?: string
  readonly buffers: readonly ReflectionBuffer[]
  readonly resources: readonly ReflectedResource[]
  readonly inputs: readonly ReflectedElement[]
  readonly outputs: readonly ReflectedElement[]
  readonly patchConstants: readonly ReflectedElement[]
}

/** Where the members of all variables would take more characters than this as text, the rest is left closed. */
const MAX_MEMBER_CHARACTERS = 4_000_000
/** What a member takes as text beside its name, about. */
const MEMBER_CHARACTERS = 64
const COMPONENT_TYPES = ['unknown', 'uint', 'int', 'float'] as const
/** Input types 5, 6 and 9 to 11 are structured buffers; their stride stands where textures have the sample count. */
const STRUCTURED: ReadonlySet<number> = new Set([5, 6, 9, 10, 11])

const NOTHING: Reflection = { buffers: [], resources: [], inputs: [], outputs: [], patchConstants: [] }

/**
 * The reflection of a container. A stripped container gives empty lists; parts that do not decode are left out and
 * reported.
 */
export function reflect(container: DxbcContainer): Outcome<Reflection> & { value: Reflection } {
  const fits = isRecord(container) && Array.isArray(container.chunks)
  const fault = argumentFault('reflect', 'a container, which readDxbc gives', container, fits)
  if (fault !== undefined) return { ...failure([fault]), value: NOTHING }
  const diagnostics = new DiagnosticCollector()
  const take = <T>(outcome: Outcome<T> | undefined): T | undefined => {
    diagnostics.pushAll(outcome?.diagnostics ?? [])
    return outcome?.value
  }
  const rdefChunk = findChunk(container, 'RDEF')
  const rdef = take(rdefChunk && decodeResourceDefinition(rdefChunk.data))
  const signature = (...fourccs: string[]): ReflectedElement[] => {
    const chunk = findChunk(container, ...fourccs)
    if (chunk === undefined || !isSignatureFourcc(chunk.fourcc)) return []
    return elements(take(decodeSignature(chunk.data, chunk.fourcc)))
  }
  const value: Reflection = {
    ...(rdef === undefined ? { buffers: [], resources: [] } : describe(rdef)),
    inputs: signature('ISGN', 'ISG1'),
    outputs: signature('OSGN', 'OSG5', 'OSG1'),
    patchConstants: signature('PCSG', 'PSG1'),
  }
  return { ...outcomeOf(value, diagnostics.finish()), value }
}

/** As `reflect`; throws ShaderError where a part does not decode. */
export function reflectOrThrow(container: DxbcContainer): Reflection {
  return valueOrThrow(reflect(container))
}

function elements(signature: Signature | undefined): ReflectedElement[] {
  return (signature?.elements ?? []).map((element) => ({
    name: element.name,
    semanticIndex: element.semanticIndex,
    systemValue: element.systemValue,
    componentType: COMPONENT_TYPES[element.componentType] ?? 'unknown',
    ...(element.register === NO_REGISTER ? {} : { register: element.register }),
    mask: Array.from('xyzw', (letter, i) => ((element.mask >> i) & 1 ? letter : '')).join(''),
    ...(element.stream === undefined ? {} : { stream: element.stream }),
  }))
}

function describe(rdef: ResourceDefinition): Pick<Reflection, 'target' | 'creator' | 'buffers' | 'resources'> {
  const spend = memberUnfolder(rdef)
  const program = PROGRAM_TYPE[rdef.programType as keyof typeof PROGRAM_TYPE] ?? 'unknown'
  const variables = new Map(rdef.buffers.map((buffer) => [buffer, describeVariables(rdef, buffer, spend)]))
  const described = rdef.buffers.filter((buffer) => buffer.kind !== BUFFER_KIND.resourceBindInfo)
  const elementOf = new Map(
    rdef.buffers
      .filter((buffer) => buffer.kind === BUFFER_KIND.resourceBindInfo)
      .map((buffer) => [buffer.name, variables.get(buffer)?.[0]]),
  )
  return {
    target: `${program}_${rdef.majorVersion}_${rdef.minorVersion}`,
    creator: rdef.creator,
    buffers: described.map((buffer) => ({
      name: buffer.name,
      kind: bufferKind(buffer),
      byteLength: buffer.byteLength,
      variables: variables.get(buffer) ?? [],
    })),
    resources: rdef.bindings.map((binding) =>
      // An array of structured buffers has its element under the name of its first (ps/desc_arrays).
      describeBinding(rdef, binding, elementOf.get(binding.name) ?? elementOf.get(`${binding.name}[0]`)),
    ),
  }
}

function bufferKind(buffer: ReflectedBuffer): ReflectionBuffer['kind'] {
  if (buffer.kind === BUFFER_KIND.tbuffer) return 'tbuffer'
  return buffer.kind === BUFFER_KIND.interfacePointers ? 'interfaces' : 'cbuffer'
}

function describeBinding(
  rdef: ResourceDefinition,
  binding: ReflectedBinding,
  element: ReflectionVariable | undefined,
): ReflectedResource {
  const structured = STRUCTURED.has(binding.kind)
  const unbounded = binding.bindCount === 0 && rdef.majorVersion === 5 && rdef.minorVersion >= 1
  return {
    name: binding.name,
    type: bindingType(binding),
    register: bindingKindText(binding).register,
    slot: binding.bindPoint,
    ...(unbounded ? {} : { count: binding.bindCount }),
    space: binding.space ?? 0,
    dimension: bindingDimension(binding),
    format: bindingFormat(binding),
    ...(structured ? { stride: binding.sampleCount } : {}),
    ...(structured && element !== undefined ? { element } : {}),
  }
}

type Unfold = (type: number) => readonly ReflectionMember[] | undefined

function describeVariables(rdef: ResourceDefinition, buffer: ReflectedBuffer, spend: Unfold): ReflectionVariable[] {
  return buffer.variables.map((variable) => ({
    ...describeMember(rdef, variable, spend),
    byteLength: variable.byteLength,
    used: (variable.flags & VARIABLE_USED) !== 0,
    ...(variable.defaultValue === undefined ? {} : { defaultValue: variable.defaultValue }),
  }))
}

function describeMember(
  rdef: ResourceDefinition,
  member: { readonly name: string; readonly type: number; readonly byteOffset: number },
  unfold: Unfold,
): ReflectionMember {
  const type = rdef.types[member.type]
  const members = unfold(member.type)
  return {
    name: member.name,
    type: type === undefined ? 'void' : typeText(type),
    ...(type !== undefined && type.elements > 0 ? { elements: type.elements } : {}),
    byteOffset: member.byteOffset,
    ...(members === undefined ? {} : { members }),
  }
}

/**
 * Describes the members of a variable's type, once for each type. When the types of all variables together would unfold
 * into too much, those of further variables are left closed.
 */
function memberUnfolder(rdef: ResourceDefinition): Unfold {
  const known = new Map<number, readonly ReflectionMember[]>()
  const totals = new Map<number, number>()
  const totalOf = (index: number): number => {
    const done = totals.get(index)
    if (done !== undefined) return done
    // A type that contains itself has no size; such a model does not come from a decoder.
    totals.set(index, Number.POSITIVE_INFINITY)
    const type = rdef.types[index]
    const members = type?.class === TYPE_CLASS.struct ? type.members : []
    const total = members.reduce(
      (sum, member) => sum + MEMBER_CHARACTERS + member.name.length + totalOf(member.type),
      0,
    )
    totals.set(index, total)
    return total
  }
  const unfold: Unfold = (index) => {
    const done = known.get(index)
    if (done !== undefined) return done
    const type = rdef.types[index]
    if (type?.class !== TYPE_CLASS.struct) return undefined
    const members = type.members.map((member) => describeMember(rdef, member, unfold))
    known.set(index, members)
    return members
  }
  let left = MAX_MEMBER_CHARACTERS
  return (index) => {
    left -= totalOf(index)
    return left >= 0 ? unfold(index) : undefined
  }
}
