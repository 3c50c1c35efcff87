/** Types of the variables of an SDBG part. Their bytes lie as its scalars do: four bytes each, matrices by rows. */
import { type DebugScopeVariable, type DebugTables, NO_DEBUG_ROW } from '../dxbc/index.ts'
import { type ScalarType, type SourceMember, type SourceType, UNKNOWN_TYPE, vectorType, WORD_BYTES } from './type.ts'

/** By D3D10_SHADER_VARIABLE_TYPE. */
const SCALARS: ReadonlyMap<number, ScalarType> = new Map([
  [1, 'bool'],
  [2, 'int'],
  [3, 'float'],
  [19, 'uint'],
])

/** Numbers of D3D10_SHADER_VARIABLE_CLASS. */
const CLASS = { vector: 1, matrixRows: 2, matrixColumns: 3, object: 4 } as const

/** Structures in structures; a damaged table may be circular. */
const MAX_DEPTH = 16
/** Members of one type, those of inner structures included. */
const MAX_MEMBERS = 4096
/** A matrix has no more. */
const MAX_SCALARS = 16

/** Members of structures have the name of the structure in front. */
const plainName = (name: string): string => name.replace(/^.*::/, '')

interface Making {
  readonly tables: DebugTables
  /** Rows of the variable's scalars, by their place in it. */
  readonly scalars: ReadonlyMap<number, number>
  left: number
}

/** The type that the first scalar of some has which the compiler kept. */
function scalarIn(m: Making, first: number, count: number): ScalarType | undefined {
  for (let i = first; i < first + Math.min(count, MAX_SCALARS); i++) {
    const row = m.scalars.get(i)
    if (row !== undefined) return SCALARS.get(m.tables.scalars[row]?.type ?? NO_DEBUG_ROW)
  }
  return undefined
}

function elementType(m: Making, v: DebugScopeVariable, first: number, depth: number): SourceType {
  if (v.memberScope !== NO_DEBUG_ROW) return structureType(m, v, first, depth)
  if (v.class === CLASS.object) return { kind: 'object', name: 'object', byteLength: 0 }
  const scalar = scalarIn(m, first, v.rows * v.columns)
  const isSmall = v.rows >= 1 && v.rows <= 4 && v.columns >= 1 && v.columns <= 4
  if (scalar === undefined || !isSmall) return { kind: 'unknown', byteLength: v.scalarCount * WORD_BYTES }
  if (v.class !== CLASS.matrixRows && v.class !== CLASS.matrixColumns) return vectorType(scalar, v.columns)
  const { rows, columns } = v
  const stride = columns * WORD_BYTES
  return { kind: 'matrix', scalar, rows, columns, isRowMajor: true, stride, byteLength: rows * stride }
}

function structureType(m: Making, v: DebugScopeVariable, first: number, depth: number): SourceType {
  const scope = m.tables.scopes[v.memberScope]
  const members: SourceMember[] = []
  let scalars = 0
  for (const row of scope?.variables ?? []) {
    const member = m.tables.scopeVariables[row]
    if (member === undefined || --m.left < 0) break
    const type = typeAt(m, member, first + scalars, depth + 1)
    members.push({ name: plainName(member.name), type, byteOffset: scalars * WORD_BYTES })
    scalars += member.scalarCount
  }
  return { kind: 'structure', name: scope?.name ?? 'struct', members, byteLength: scalars * WORD_BYTES }
}

function typeAt(m: Making, v: DebugScopeVariable, first: number, depth: number): SourceType {
  if (depth > MAX_DEPTH) return UNKNOWN_TYPE
  let type = elementType(m, v, first, depth)
  for (let i = v.elements.length - 1; i >= Math.max(0, v.elements.length - MAX_DEPTH); i--) {
    const count = v.elements[i]!
    const stride = (v.strides[i] ?? 0) * WORD_BYTES
    type = { kind: 'array', element: type, count, stride, byteLength: count * stride }
  }
  return type
}

/** The type of a variable that a scope declares; `scalars` are its own. */
export function tablesType(
  tables: DebugTables,
  v: DebugScopeVariable,
  scalars: ReadonlyMap<number, number>,
): SourceType {
  return typeAt({ tables, scalars, left: MAX_MEMBERS }, v, 0, 0)
}
