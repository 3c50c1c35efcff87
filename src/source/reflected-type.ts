/** Types from the HLSL texts of reflection, laid out as constant buffers or as elements of structured buffers. */
import { largest } from '../diagnostic/index.ts'
import type { ReflectionMember } from '../dxbc/index.ts'
import { type ScalarType, type SourceType, scalarBytes, scalarType, UNKNOWN_TYPE, vectorType } from './type.ts'

/** Constant buffers begin rows and array elements at multiples of 16 bytes; elements of structured buffers pack all. */
export type Packing = 'constants' | 'packed'

const ROW_BYTES = 16
const SHAPE = /^(row_major )?(float|double|int|uint|bool|min1\w+?(?:float|uint|int))([1-4])?(?:x([1-4]))?$/

/** Words of reflection for what registers hold as a known type: minimum precision keeps its name. */
const SCALARS: ReadonlySet<string> = new Set([
  ...['float', 'double', 'int', 'uint', 'bool'],
  ...['min16float', 'min10float', 'min16int', 'min12int', 'min16uint'],
])

/** A type without members: `float`, `uint3`, `row_major float3x4`. */
export function plainType(text: string, packing: Packing): SourceType | undefined {
  const m = SHAPE.exec(text)
  if (m === null || !SCALARS.has(m[2]!)) return undefined
  const scalar = m[2] as ScalarType
  const first = Number(m[3] ?? 1)
  if (m[4] === undefined) return m[3] === undefined ? scalarType(scalar) : vectorType(scalar, first)
  const [rows, columns, isRowMajor] = [first, Number(m[4]), m[1] !== undefined]
  const [major, minor] = isRowMajor ? [rows, columns] : [columns, rows]
  const stride = packing === 'constants' ? ROW_BYTES : minor * scalarBytes(scalar)
  const byteLength = stride * (major - 1) + minor * scalarBytes(scalar)
  return { kind: 'matrix', scalar, rows, columns, isRowMajor, stride, byteLength }
}

const STRUCTURE = /^(?:struct|interface) ?/

function elementType(m: ReflectionMember, packing: Packing): SourceType {
  if (m.members === undefined) return plainType(m.type, packing) ?? UNKNOWN_TYPE
  const members = m.members.map((inner) => {
    return { name: inner.name, type: reflectedType(inner, packing), byteOffset: inner.byteOffset }
  })
  const byteLength = largest(
    0,
    members.map((x) => x.byteOffset + x.type.byteLength),
  )
  return { kind: 'structure', name: m.type.replace(STRUCTURE, '') || 'struct', members, byteLength }
}

/** The type of a variable or member that reflection describes. */
export function reflectedType(m: ReflectionMember, packing: Packing): SourceType {
  const element = elementType(m, packing)
  if (m.elements === undefined) return element
  const stride = packing === 'constants' ? Math.ceil(element.byteLength / ROW_BYTES) * ROW_BYTES : element.byteLength
  const byteLength = stride * (m.elements - 1) + element.byteLength
  return { kind: 'array', element, count: m.elements, stride, byteLength }
}
