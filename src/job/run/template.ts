/** A run description to fill in, made from what a compute shader declares and reflects: `heddle init`. */
import { diagnostic, failure, type Outcome, outcomeOf, present } from '../../diagnostic/index.ts'
import type { ReflectedResource } from '../../dxbc/index.ts'
import {
  type Declarations,
  gatherComputeDeclarations,
  type RegisterRange,
  type ResourceDeclaration,
  rangeLength,
  threadsOf,
  type UavDeclaration,
} from '../../engine/index.ts'
import { DIMENSION_NUMBER, RESOURCE_DIMENSION, RETURN_TYPE, wordOf } from '../../isa/index.ts'
import { printSlot, type Slot } from '../../machine/index.ts'
import {
  constantsShape,
  defaultValues,
  elementShape,
  type Field,
  leavesOf,
  resourceOfSlot,
  type Shape,
} from '../values/shape.ts'
import type { LoadedJobShader } from './shader.ts'

/** JSON of a run description. */
export type JobTemplate = Readonly<Record<string, unknown>>

/** Threads of the whole dispatch in x, y, z. */
type Extent = readonly [number, number, number]

interface Making {
  readonly shader: LoadedJobShader
  readonly extent: Extent
}

/** Groups along an axis on which groups have several threads: enough for neighbors, few enough to run at once. */
const GROUPS = 4
/** Elements of a buffer, and texels along an axis of a texture, at least. */
const MIN_ELEMENTS = 64
const MIN_TEXELS = 16
const ARRAY_SLICES = 4
const CUBE_FACES = 6
/** Of an array of resources this many slots are described; the rest stays to the reader. */
const MAX_SLOTS = 16

const FORMATS: Readonly<Record<string, readonly [string, string, string]>> = {
  float: ['R32_FLOAT', 'R32G32_FLOAT', 'R32G32B32A32_FLOAT'],
  uint: ['R32_UINT', 'R32G32_UINT', 'R32G32B32A32_UINT'],
  sint: ['R32_SINT', 'R32G32_SINT', 'R32G32B32A32_SINT'],
  unorm: ['R8_UNORM', 'R8G8_UNORM', 'R8G8B8A8_UNORM'],
  snorm: ['R8_SNORM', 'R8G8_SNORM', 'R8G8B8A8_SNORM'],
}
const BYTES_OF_ROW_FORMAT = { float: 4, uint: 4, sint: 4, unorm: 1, snorm: 1 } as const

/** Components that HLSL reads or writes: `float3` has 3; 4 where the reflection does not have it. */
function componentsOf(resource: ReflectedResource | undefined): number {
  const m = /([1-4])$/.exec(resource?.format ?? '4')
  return m === null ? 1 : Number(m[1])
}

interface ChosenFormat {
  readonly format: string
  readonly isFloat: boolean
  readonly byteLength: number
}

function formatOf(d: ResourceDeclaration, resource: ReflectedResource | undefined, isAtomic: boolean): ChosenFormat {
  const declared = wordOf(RETURN_TYPE, d.returnTypes & 15) ?? ''
  const type = declared in FORMATS ? (declared as keyof typeof BYTES_OF_ROW_FORMAT) : 'float'
  const count = isAtomic ? 1 : componentsOf(resource)
  // No texture has three components of 32 bits; four take their place.
  const place = count > 2 ? 2 : count - 1
  const byteLength = BYTES_OF_ROW_FORMAT[type] * [1, 2, 4][place]!
  return { format: FORMATS[type]![place]!, isFloat: type !== 'uint' && type !== 'sint', byteLength }
}

/** Contents for a resource that is read: floats from 0 to 1, or 0, 1, 2 and so on. */
function contentsOf(isFloat: boolean): JobTemplate {
  return isFloat ? { kind: 'lcg-f32', seed: 1, lo: 0, hi: 1 } : { kind: 'ramp-u32' }
}

/** Room for several elements a thread: many shaders read or write more than one. */
const ELEMENTS_A_THREAD = 4

const elementsOf = ({ extent }: Making): number =>
  Math.max(MIN_ELEMENTS, ELEMENTS_A_THREAD * extent[0] * extent[1] * extent[2])

/** Names of integers that say how much work there is. */
const COUNT_NAME = /count|size|width|height|depth|length|extent|dimension|total|elements|resolution|^n$|^num|num$/i
/** Any other integer: small enough for a radius or a number of passes. */
const SMALL_INTEGER = 4

/** The value of a constant: floats 1, matrices the identity, integers that count the threads along their axis. */
function constantValue(name: string, shape: Shape, extent: Extent): unknown {
  if (shape.kind === 'array') {
    const value = constantValue(name, shape.element, extent)
    return Array.from({ length: Math.min(shape.count, MAX_SLOTS) }, () => value)
  }
  if (shape.kind === 'structure') return byName(shape.fields, extent)
  const { offsets, columns, scalar } = shape
  const isMatrix = columns !== offsets.length
  const axis = /height/i.test(name) ? 1 : /depth/i.test(name) ? 2 : 0
  const values = offsets.map((_, i) => {
    if (scalar === 'bool') return false
    if (isMatrix) return Math.floor(i / columns) === i % columns ? 1 : 0
    if (scalar === 'f32' || scalar === 'f64') return 1
    return offsets.length > 1 || COUNT_NAME.test(name) ? (extent[axis + i] ?? 1) : SMALL_INTEGER
  })
  return values.length === 1 ? values[0] : values
}

function byName(fields: readonly Field[], extent: Extent): JobTemplate {
  const used = fields.filter((f) => f.isUsed !== false)
  return Object.fromEntries(used.map((f) => [f.name, constantValue(f.name, f.shape, extent)]))
}

function constants(m: Making, slot: Slot, constantCount: number): JobTemplate {
  const { reflection } = m.shader
  const shape = constantsShape(reflection, slot)
  if (shape?.kind !== 'structure')
    return { kind: 'cbuffer', init: { kind: 'zero' }, size: 16 * Math.max(1, constantCount) }
  // Variables with an initial value keep it where they are not named.
  const given = new Set(defaultValues(reflection, slot).map((v) => v.name))
  return {
    kind: 'cbuffer',
    values: byName(
      shape.fields.filter((f) => !given.has(f.name)),
      m.extent,
    ),
  }
}

/** Contents of a structured buffer: numbers where all members are of one type, else one structure by its members' names. */
function structureContents(m: Making, shape: Shape | undefined): JobTemplate {
  const leaves = shape === undefined ? undefined : leavesOf(shape)
  const types = new Set(leaves?.map((leaf) => leaf.shape.scalar))
  const [only] = types.size === 1 ? types : []
  if (shape === undefined || leaves === undefined || only === 'f32') return contentsOf(true)
  if (only === 'u32' || only === 'i32') return contentsOf(false)
  return { kind: 'structures', data: [constantValue('', shape, m.extent)] }
}

function counterOf(d: UavDeclaration, resource: ReflectedResource | undefined, count: number): JobTemplate {
  const use = resource?.dimension
  if (use === 'append' || use === 'consume') {
    return { counter: { use: 'append', initial: use === 'consume' ? count : 0 } }
  }
  return d.counter ? { counter: 0 } : {}
}

function textureOf(m: Making, d: ResourceDeclaration): JobTemplate {
  const [width, height, depth] = m.extent.map((n) => Math.max(MIN_TEXELS, n)) as [number, number, number]
  const kind = wordOf(RESOURCE_DIMENSION, d.dimension) ?? ''
  switch (d.dimension) {
    case DIMENSION_NUMBER.texture1d:
      return { kind, width }
    case DIMENSION_NUMBER.texture1darray:
      return { kind, width, arraySize: ARRAY_SLICES }
    case DIMENSION_NUMBER.texture2darray:
      return { kind, width, height, arraySize: Math.max(ARRAY_SLICES, m.extent[2]) }
    case DIMENSION_NUMBER.texture2dms:
      return { kind, width, height, sampleCount: d.sampleCount || ARRAY_SLICES }
    case DIMENSION_NUMBER.texture2dmsarray:
      return { kind, width, height, sampleCount: d.sampleCount || ARRAY_SLICES, arraySize: ARRAY_SLICES }
    case DIMENSION_NUMBER.texture3d:
      return { kind, width, height, depth }
    case DIMENSION_NUMBER.texturecube:
      return { kind, width, height: width, arraySize: CUBE_FACES }
    case DIMENSION_NUMBER.texturecubearray:
      return { kind, width, height: width, arraySize: 2 * CUBE_FACES }
    default:
      return { kind, width, height }
  }
}

function view(m: Making, slot: Slot, d: ResourceDeclaration, uav: UavDeclaration | undefined): JobTemplate {
  const resource = resourceOfSlot(m.shader.reflection, slot)
  const isRead = uav === undefined
  const count = elementsOf(m)
  if (d.shape === 'raw') return present({ kind: 'raw', size: 16 * count, init: isRead ? contentsOf(false) : undefined })
  if (d.shape === 'structured') {
    const init = isRead ? structureContents(m, elementShape(resource, d.stride)) : undefined
    const counter = uav === undefined ? {} : counterOf(uav, resource, count)
    return present({ kind: 'structured', stride: d.stride, size: d.stride * count, init, ...counter })
  }
  const { format, isFloat, byteLength } = formatOf(d, resource, uav !== undefined && uav.atomics !== 'none')
  const init = isRead && d.sampleCount === 0 ? contentsOf(isFloat) : undefined
  if (d.dimension === DIMENSION_NUMBER.buffer) return present({ kind: 'typed', format, size: byteLength * count, init })
  const { kind, ...extents } = textureOf(m, d)
  return present({ kind, format, ...extents, init: isMultisampled(d) || !isFloat32(format) ? undefined : init })
}

const isMultisampled = (d: ResourceDeclaration): boolean =>
  d.dimension === DIMENSION_NUMBER.texture2dms || d.dimension === DIMENSION_NUMBER.texture2dmsarray

/** Formats that generated words fill with the numbers they stand for. */
const isFloat32 = (format: string): boolean => format.startsWith('R32')

function commentOf(m: Making, slot: Slot): string | undefined {
  const resource = resourceOfSlot(m.shader.reflection, slot)
  if (resource === undefined) return undefined
  const { name, type, format, dimension } = resource
  const details = [type, dimension, format].filter((word) => word !== 'NA')
  return type === 'cbuffer' || type.startsWith('sampler') ? name : `${name}: ${details.join(' ')}`
}

/** A description of each slot of the declarations of a kind. */
function described<D extends RegisterRange>(
  m: Making,
  register: Slot['register'],
  declarations: readonly D[],
  describe: (d: D, slot: Slot) => JobTemplate,
): JobTemplate[] {
  return declarations.flatMap((d) => {
    const count = Math.min(rangeLength(d), MAX_SLOTS)
    return Array.from({ length: count }, (_, i) => {
      const slot: Slot = { register, index: d.first + i, space: d.space }
      const comment = commentOf(m, slot)
      return { slot: printSlot(slot), ...(comment === undefined ? {} : { comment }), ...describe(d, slot) }
    })
  })
}

function resourcesOf(m: Making, d: Declarations): JobTemplate[] {
  return [
    ...described(m, 't', d.resources, (r, slot) => view(m, slot, r, undefined)),
    ...described(m, 'u', d.uavs, (u, slot) => view(m, slot, u, u)),
    ...described(m, 'b', d.constantBuffers, (b, slot) => constants(m, slot, b.constantCount)),
    ...described(m, 's', d.samplers, ({ comparison }) => ({
      kind: 'sampler',
      filter: comparison ? 'COMPARISON_MIN_MAG_MIP_LINEAR' : 'MIN_MAG_MIP_LINEAR',
      address: 'CLAMP',
      ...(comparison ? { comparison: 'LESS_EQUAL' } : {}),
    })),
  ]
}

/** What each slot of a shader could hold: descriptions of version 1, `comment` with the name that the reflection has. */
export function slotTemplates(shader: LoadedJobShader, d: Declarations, extent: Extent): JobTemplate[] {
  return resourcesOf({ shader, extent }, d)
}

/** For each interface pointer an instance, or a class, that it may point to. */
export function classInstancesOf({ interfaces: data }: LoadedJobShader): JobTemplate {
  if (data === undefined) return {}
  let pointer = 0
  const pairs = data.slots.flatMap((run) => {
    const first = pointer
    pointer += run.slotCount
    const types = new Set(run.entries.map((e) => e.typeId))
    const instance = data.instances.find((i) => types.has(i.typeId))
    const name = instance?.name ?? data.types[run.entries[0]?.typeId ?? -1]?.name
    if (name === undefined) return []
    return Array.from({ length: run.slotCount }, (_, i) => [`fp${first + i}`, name] as const)
  })
  return pairs.length === 0 ? {} : { classInstances: Object.fromEntries(pairs) }
}

const COMMENT =
  'Made by heddle init. Sizes, contents and constants are guesses that run: put in what the shader is for. ' +
  'To keep what it writes as expected, give "expect" entries such as {"slot": "u0", "file": "u0.bin"} and run with --update.'

/** A run description of a compute shader, with everything that it declares; `file` is the shader's path in it. */
export function jobTemplate(shader: LoadedJobShader, name: string, file: string): Outcome<JobTemplate> {
  const { value: d, diagnostics } = gatherComputeDeclarations(shader.program)
  if (d === undefined) return failure(diagnostics)
  const threads = threadsOf(d)
  // A group of Shader Model 4 has one layer in z, and so has the dispatch.
  const dispatch = threads.map((n, axis) => (n > 1 && (axis < 2 || shader.program.major >= 5) ? GROUPS : 1))
  const extent = threads.map((n, axis) => n * dispatch[axis]!) as unknown as Extent
  const m: Making = { shader, extent }
  const unbounded = [...d.resources, ...d.uavs, ...d.constantBuffers, ...d.samplers].filter(
    (r) => rangeLength(r) > MAX_SLOTS,
  )
  const value = {
    version: 1,
    name,
    comment: COMMENT,
    shader: file,
    dispatch,
    group: threads,
    resources: resourcesOf(m, d),
    ...classInstancesOf(shader),
    print: d.uavs.slice(0, MAX_SLOTS).map((u) => `${printSlot({ register: 'u', index: u.first, space: u.space })}:0-7`),
  }
  const notes = unbounded.map((r) =>
    diagnostic('job-template', `of an array of resources the first ${MAX_SLOTS} are described`, {
      kind: 'statement',
      index: r.statement,
    }),
  )
  return outcomeOf(value, [...diagnostics, ...notes])
}
