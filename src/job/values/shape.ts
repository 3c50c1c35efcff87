import { largest } from '../../diagnostic/index.ts'
import type { ReflectedResource, Reflection, ReflectionMember, ReflectionVariable } from '../../dxbc/index.ts'
import type { Slot } from '../../machine/index.ts'
import type { ScalarType } from './scalars.ts'

/** How a value of an HLSL type lies in memory. */
export type Shape =
  | {
      readonly kind: 'numbers'
      /** HLSL text: `float3`, `row_major float4x4`. */
      readonly type: string
      readonly scalar: ScalarType
      /** Byte offset of each component, in reading order: a matrix row by row, however it is stored. */
      readonly offsets: readonly number[]
      /** Components of one row: of the whole, but for matrices. */
      readonly columns: number
      readonly byteLength: number
    }
  | {
      readonly kind: 'array'
      readonly type: string
      readonly element: Shape
      readonly count: number
      readonly stride: number
      readonly byteLength: number
    }
  | {
      readonly kind: 'structure'
      readonly type: string
      readonly fields: readonly Field[]
      readonly byteLength: number
    }

export interface Field {
  readonly name: string
  readonly byteOffset: number
  readonly shape: Shape
  /** Of a variable of a constant buffer: whether the shader reads it. */
  readonly isUsed?: boolean
}

/** Structured buffers are tight; constant buffers start every array element and matrix vector at a 16-byte register. */
export type Packing = 'tight' | 'registers'

const SCALARS: Readonly<Record<string, ScalarType>> = {
  bool: 'bool',
  int: 'i32',
  uint: 'u32',
  float: 'f32',
  double: 'f64',
  // In memory minimum precision types take 32 bits.
  min8float: 'f32',
  min10float: 'f32',
  min16float: 'f32',
  min12int: 'i32',
  min16int: 'i32',
  min16uint: 'u32',
}

/** `row_major float3x4`: order, scalar, rows or length, columns. */
const NUMBERS = new RegExp(`^(row_major )?(${Object.keys(SCALARS).join('|')})(?:([1-4])(?:x([1-4]))?)?$`)

function align16(n: number): number {
  return Math.ceil(n / 16) * 16
}

function numbersShape(type: string, packing: Packing): Shape | undefined {
  const m = NUMBERS.exec(type)
  const scalar = m === null ? undefined : SCALARS[m[2]!]
  if (m === null || scalar === undefined) return undefined
  const size = scalar === 'f64' ? 8 : 4
  const isMatrix = m[4] !== undefined
  const rows = isMatrix ? Number(m[3]) : 1
  const columns = isMatrix ? Number(m[4]) : Number(m[3] ?? 1)
  const byRows = m[1] !== undefined || !isMatrix
  const vectorLength = byRows ? columns : rows
  const pitch = packing === 'registers' && isMatrix ? align16(vectorLength * size) : vectorLength * size
  const offsets: number[] = []
  for (let r = 0; r < rows; r++) {
    for (let c = 0; c < columns; c++) offsets.push(byRows ? r * pitch + c * size : c * pitch + r * size)
  }
  return { kind: 'numbers', type, scalar, offsets, columns, byteLength: largest(0, offsets) + size }
}

function structureShape(member: ReflectionMember, packing: Packing): Shape | undefined {
  const fields: Field[] = []
  for (const m of member.members ?? []) {
    const shape = shapeOf(m, packing)
    if (shape === undefined) return undefined
    fields.push({ name: m.name, byteOffset: m.byteOffset, shape })
  }
  if (fields.length === 0) return undefined
  const ends = fields.map((f) => f.byteOffset + f.shape.byteLength)
  const byteLength = largest(0, ends)
  return { kind: 'structure', type: member.type, fields, byteLength }
}

/** The shape of a member; undefined for what has no bytes (interfaces, objects) or no description. */
export function shapeOf(member: ReflectionMember, packing: Packing): Shape | undefined {
  const one = member.members === undefined ? numbersShape(member.type, packing) : structureShape(member, packing)
  if (one === undefined || member.elements === undefined) return one
  const stride = packing === 'registers' ? align16(one.byteLength) : one.byteLength
  const byteLength = (member.elements - 1) * stride + one.byteLength
  return { kind: 'array', type: member.type, element: one, count: member.elements, stride, byteLength }
}

const REGISTERS: Readonly<Record<Slot['register'], string>> = { t: 't', u: 'u', b: 'cb', s: 's' }

/** What the reflection says of a slot. */
export function resourceOfSlot(reflection: Reflection | undefined, slot: Slot): ReflectedResource | undefined {
  return reflection?.resources.find((r) => {
    if (r.register !== REGISTERS[slot.register] || r.space !== slot.space) return false
    return slot.index >= r.slot && slot.index - r.slot < (r.count ?? Number.POSITIVE_INFINITY)
  })
}

/** The structure of a structured buffer's elements, where the reflection describes it and its stride is the view's. */
export function elementShape(resource: ReflectedResource | undefined, stride: number): Shape | undefined {
  if (resource?.element === undefined) return undefined
  const shape = shapeOf(resource.element, 'tight')
  return shape !== undefined && shape.byteLength <= stride ? shape : undefined
}

/** The variables of the constant buffer in a slot. */
export function constantsShape(reflection: Reflection | undefined, slot: Slot): Shape | undefined {
  const resource = resourceOfSlot(reflection, slot)
  const buffer = reflection?.buffers.find((b) => b.kind !== 'interfaces' && b.name === resource?.name)
  if (buffer === undefined) return undefined
  const fields = buffer.variables.flatMap((v): Field[] => {
    const shape = shapeOf(v, 'registers')
    return shape === undefined ? [] : [{ name: v.name, byteOffset: v.byteOffset, shape, isUsed: v.used }]
  })
  return { kind: 'structure', type: 'cbuffer', fields, byteLength: buffer.byteLength }
}

/** Initial values of the variables of a constant buffer, as HLSL gives them. */
export function defaultValues(reflection: Reflection | undefined, slot: Slot): readonly ReflectionVariable[] {
  const resource = resourceOfSlot(reflection, slot)
  const buffer = reflection?.buffers.find((b) => b.kind !== 'interfaces' && b.name === resource?.name)
  return (buffer?.variables ?? []).filter((v) => v.defaultValue !== undefined)
}

/** A vector, scalar or matrix inside a shape. */
export interface Leaf {
  /** From the shape's start: `light.direction`, `weights[3]`; empty for a shape that is itself numbers. */
  readonly path: string
  readonly byteOffset: number
  readonly shape: Extract<Shape, { kind: 'numbers' }>
}

/** Shapes with more leaves than this are not taken apart: such a list is too long to read, and a reflection may claim anything. */
const MAX_LEAVES = 4096

/** The leaves of a shape in the order of memory; undefined where there are too many. */
export function leavesOf(shape: Shape): readonly Leaf[] | undefined {
  const leaves: Leaf[] = []
  const visit = (s: Shape, path: string, at: number): boolean => {
    if (leaves.length >= MAX_LEAVES) return false
    switch (s.kind) {
      case 'numbers':
        leaves.push({ path, byteOffset: at, shape: s })
        return true
      case 'array':
        for (let i = 0; i < s.count; i++) if (!visit(s.element, `${path}[${i}]`, at + i * s.stride)) return false
        return true
      case 'structure':
        return s.fields.every((f) => visit(f.shape, path === '' ? f.name : `${path}.${f.name}`, at + f.byteOffset))
    }
  }
  return visit(shape, '', 0) ? leaves : undefined
}

const COMPONENTS = 'xyzw'

/** The component of a leaf: `position.y`, `world[1][2]`. */
export function componentPath(leaf: Leaf, component: number): string {
  const { offsets, columns } = leaf.shape
  if (offsets.length === 1) return leaf.path
  if (columns === offsets.length) return `${leaf.path}.${COMPONENTS[component]}`
  return `${leaf.path}[${Math.floor(component / columns)}][${component % columns}]`
}
