/** Variables that belong to no function: what constant buffers hold, resources, samplers, shared memory. */
import type { ReflectedResource, Reflection, ReflectionBuffer } from '../dxbc/index.ts'
import type { Declarations, RegisterRange, ResourceDeclaration, TgsmDeclaration } from '../engine/index.ts'
import { hasRanges } from '../engine/index.ts'
import { RESOURCE_DIMENSION, RETURN_TYPE, type RegisterFileName, wordOf } from '../isa/index.ts'
import type { MemoryFile, SourceVariable, ValueHome } from './model.ts'
import { plainType, reflectedType } from './reflected-type.ts'
import { type SourceType, vectorType } from './type.ts'

const FILES: Readonly<Record<string, RegisterFileName>> = {
  cb: 'constant-buffer',
  t: 'resource',
  s: 'sampler',
  u: 'uav',
}

function rangesOf(d: Declarations, file: RegisterFileName): readonly RegisterRange[] {
  switch (file) {
    case 'constant-buffer':
      return d.constantBuffers
    case 'resource':
      return d.resources
    case 'uav':
      return d.uavs
    default:
      return d.samplers
  }
}

/** The indices by which instructions name a register of a space: in 5.1 the range identifier stands first. */
export function bindingIndices(
  d: Declarations,
  file: RegisterFileName,
  slot: number,
  space: number,
): readonly number[] | undefined {
  if (!hasRanges(d.program)) return [slot]
  const range = rangesOf(d, file).find((r) => r.space === space && slot >= r.first && slot <= r.last)
  return range === undefined ? undefined : [range.id, slot]
}

/** Typed buffers have texels of up to four components, whatever their format. */
const TEXEL_BYTES = 16

interface Elements {
  readonly shape: 'structured' | 'texel' | 'bytes'
  readonly element: SourceType
  readonly stride: number
}

/** What the elements of a buffer are; undefined for textures, whose coordinates are more than one number. */
function elementsOf(r: ReflectedResource): Elements | undefined {
  if (r.format === 'struct' || r.stride !== undefined) {
    const stride = r.stride ?? 0
    const element = r.element === undefined ? undefined : reflectedType(r.element, 'packed')
    return { shape: 'structured', element: element ?? vectorType('uint', Math.min(4, stride >> 2)), stride }
  }
  if (r.format === 'byte') return { shape: 'bytes', element: vectorType('uint', 1), stride: 4 }
  if (r.dimension !== 'buf') return undefined
  const format = r.format.replace(/^[us]norm/, 'float').replace(/^sint/, 'int')
  return { shape: 'texel', element: plainType(format, 'packed') ?? vectorType('float', 4), stride: TEXEL_BYTES }
}

/** The HLSL word for a resource: `StructuredBuffer<Light>`, `RWTexture2d<float4>`. */
function objectName(r: ReflectedResource): string {
  const write = r.register === 'u' ? 'RW' : ''
  if (r.format === 'byte') return `${write}ByteAddressBuffer`
  const element = r.element?.type.replace(/^struct /, '') ?? r.format
  if (r.stride !== undefined) return `${write}StructuredBuffer<${element}>`
  if (r.dimension === 'buf') return `${write}Buffer<${element}>`
  return `${write}Texture${r.dimension.toUpperCase().replace('ARRAY', 'Array')}<${element}>`
}

const NO_HOME: ValueHome = { kind: 'pieces', pieces: [] }

function resourceVariable(r: ReflectedResource, d: Declarations, at: number): SourceVariable | undefined {
  const file = FILES[r.register]
  const indices = file === undefined ? undefined : bindingIndices(d, file, r.slot + at, r.space)
  if (file === undefined || indices === undefined) return undefined
  const name = (r.count ?? 1) > 1 ? `${r.name}[${at}]` : r.name
  const common = { name, path: name, byteOffset: 0, binding: { file, indices } }
  if (file === 'sampler') {
    const type = { kind: 'object', name: 'SamplerState', byteLength: 0 } as const
    return { ...common, kind: 'sampler', type, home: NO_HOME }
  }
  const elements = elementsOf(r)
  const object = { kind: 'object', name: objectName(r), byteLength: 0 } as const
  if (elements === undefined) return { ...common, kind: 'resource', type: object, home: NO_HOME }
  const { element, shape, stride } = elements
  const home: ValueHome = { kind: 'memory', file: file as MemoryFile, indices, shape, stride, byteOffset: 0 }
  return { ...common, kind: 'resource', type: { ...object, element, stride }, home }
}

/** Elements of an array of resources that are listed; an unbounded one lists its first. */
const MAX_ARRAY = 64

/** Textures, buffers and samplers. */
export function resourceVariables(reflection: Reflection, d: Declarations): readonly SourceVariable[] {
  return reflection.resources.flatMap((r) => {
    if (r.register === 'cb' || r.type === 'tbuffer') return []
    const count = Math.min(r.count ?? 1, MAX_ARRAY)
    return Array.from({ length: count }, (_, at) => resourceVariable(r, d, at) ?? []).flat()
  })
}

/** Components of what a typed view gives, by the number of its return type. */
const COMPONENT_OF: Readonly<Record<string, string>> = { sint: 'int', uint: 'uint', double: 'double' }

/** A resource that the reflection does not describe, as far as its declaration says what it is; its name is its register. */
function unnamedResource(d: ResourceDeclaration, register: 't' | 'u'): ReflectedResource {
  const common = { name: `${register}${d.first}`, type: 'texture', register, slot: d.first, space: d.space, count: 1 }
  if (d.shape === 'raw') return { ...common, dimension: 'r/w', format: 'byte' }
  if (d.shape === 'structured') return { ...common, dimension: 'r/w', format: 'struct', stride: d.stride }
  const name = wordOf(RESOURCE_DIMENSION, d.dimension)
  const dimension = name === 'buffer' ? 'buf' : name.replace('texture', '')
  const component = COMPONENT_OF[wordOf(RETURN_TYPE, d.returnTypes & 0xf)] ?? 'float'
  return { ...common, dimension, format: `${component}4` }
}

/** Buffers and textures that are declared and have no name: they are called by their registers, as shared memory is. */
export function unnamedResources(reflection: Reflection, d: Declarations): readonly SourceVariable[] {
  const isNamed = (register: string, { first, space }: ResourceDeclaration): boolean =>
    reflection.resources.some((r) => {
      const end = r.slot + (r.count ?? Number.POSITIVE_INFINITY)
      return r.register === register && r.space === space && first >= r.slot && first < end
    })
  const unnamed = (['t', 'u'] as const).flatMap((register) => {
    const declared = register === 't' ? d.resources : d.uavs
    return declared.filter((own) => !isNamed(register, own)).map((own) => unnamedResource(own, register))
  })
  return unnamed.flatMap((r) => resourceVariable(r, d, 0) ?? [])
}

function bufferVariables(buffer: ReflectionBuffer, r: ReflectedResource, d: Declarations): readonly SourceVariable[] {
  const isTexture = r.type === 'tbuffer'
  const file = isTexture ? 'resource' : 'constant-buffer'
  const indices = bindingIndices(d, file, r.slot, r.space)
  if (indices === undefined) return []
  return buffer.variables.map((v): SourceVariable => {
    const base = v.byteOffset
    const home: ValueHome = isTexture
      ? { kind: 'memory', file: 'resource', indices, shape: 'texel', stride: TEXEL_BYTES, byteOffset: base }
      : { kind: 'constants', file: 'constant-buffer', indices, byteOffset: base }
    const type = reflectedType(v, 'constants')
    return { name: v.name, path: v.name, kind: 'constant', buffer: buffer.name, type, byteOffset: 0, home }
  })
}

/** What constant buffers and texture buffers hold. */
export function constantVariables(reflection: Reflection, d: Declarations): readonly SourceVariable[] {
  return reflection.buffers.flatMap((buffer) => {
    const resource = reflection.resources.find(
      (r) => r.name === buffer.name && (r.type === 'cbuffer' || r.type === 'tbuffer'),
    )
    return resource === undefined ? [] : bufferVariables(buffer, resource, d)
  })
}

/** Shared memory under the names of its registers. */
export function sharedVariables(d: Declarations): readonly SourceVariable[] {
  return d.tgsm.map((g) => sharedVariable(g, `g${g.register}`))
}

/** Shared memory as a variable; the type is that of the debug data, where it has one. */
export function sharedVariable(g: TgsmDeclaration, name: string, type = sharedType(g)): SourceVariable {
  const home = {
    kind: 'memory',
    file: 'tgsm',
    indices: [g.register],
    shape: 'bytes',
    stride: 0,
    byteOffset: 0,
  } as const
  return { name, path: name, kind: 'groupshared', type, byteOffset: 0, home }
}

function sharedType({ shape, stride, count }: TgsmDeclaration): SourceType {
  const words = Math.max(1, stride >> 2)
  const row = vectorType('uint', words)
  const element: SourceType =
    shape === 'raw' || words <= 4
      ? row
      : { kind: 'array', element: vectorType('uint', 1), count: words, stride: 4, byteLength: stride }
  return { kind: 'array', element, count, stride: 4 * words, byteLength: 4 * words * count }
}
