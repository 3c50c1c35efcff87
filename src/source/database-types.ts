/** Types of a PDB as types of values. */
import { type DebugType, debugTypeOf, type TypeTable } from '../dxbc/index.ts'
import { type ScalarType, type SourceMember, type SourceType, scalarType, UNKNOWN_TYPE } from './type.ts'

/** Numbers of CodeView's basic types. */
const BASIC: ReadonlyMap<number, ScalarType> = new Map([
  [0x30, 'bool'],
  [0x40, 'float'],
  [0x41, 'double'],
  [0x62, 'bool'],
  [0x74, 'int'],
  [0x75, 'uint'],
])

const FIRST_MINIMUM_PRECISION = 0x21e
const MINIMUM_PRECISION: readonly ScalarType[] = [
  ...(['min10float', 'min10float', 'min16float', 'min12int', 'min16int', 'min16uint'] as const),
]

/** What Shader Model 5.1 puts around the types of constants. */
const CONSTANT_BUFFER = 0x224
const INPUT_PATCH = 0x210
const OUTPUT_PATCH = 0x211

/** HLSL's words for the built-in objects, from number 0x200 on. */
const OBJECTS: readonly string[] = [
  ...['interface', 'Texture1D', 'Texture1DArray', 'Texture2D', 'Texture2DArray', 'Texture3D', 'TextureCube'],
  ...['TextureCubeArray', 'Texture2DMS', 'Texture2DMSArray', 'SamplerState', 'SamplerComparisonState', 'Buffer'],
  ...['PointStream', 'LineStream', 'TriangleStream', 'InputPatch', 'OutputPatch', 'RWTexture1D', 'RWTexture1DArray'],
  ...['RWTexture2D', 'RWTexture2DArray', 'RWTexture3D', 'RWBuffer', 'ByteAddressBuffer', 'RWByteAddressBuffer'],
  ...['StructuredBuffer', 'RWStructuredBuffer', 'AppendStructuredBuffer', 'ConsumeStructuredBuffer'],
]
const FIRST_OBJECT = 0x200

/** Structures in structures; HLSL's are few deep, a damaged table may be circular. */
const MAX_DEPTH = 32

/** Members of all types, those of base classes counted in each class; more are not of a real shader. */
const MAX_MEMBERS = 1 << 20

/** Classes have a mark of how they are packed behind their name. */
const className = (name: string): string => name.replace(/`.*$/, '') || 'struct'

export type TypeReader = (index: number) => SourceType

/** Gives the types of a table by number; each is made once. Types that contain themselves end as unknown. */
export function typeReader(table: TypeTable): TypeReader {
  const known = new Map<number, SourceType>()
  const complete = new Map<string, number>()
  table.types.forEach((t, i) => {
    if (t.kind === 'structure' && t.fields !== 0) complete.set(t.name, table.first + i)
  })
  const typeAt = (index: number, depth: number): SourceType => {
    const done = known.get(index)
    if (done !== undefined) return done
    if (depth > MAX_DEPTH) return UNKNOWN_TYPE
    known.set(index, UNKNOWN_TYPE)
    const basic = BASIC.get(index)
    const type = basic === undefined ? convert(debugTypeOf(table, index), depth) : scalarType(basic)
    known.set(index, type)
    return type
  }
  const scalarAt = (index: number, depth: number): ScalarType | undefined => {
    const type = typeAt(index, depth)
    return type.kind === 'scalar' ? type.scalar : undefined
  }
  let membersLeft = MAX_MEMBERS
  const membersOf = (fields: number, depth: number): readonly SourceMember[] => {
    const t = debugTypeOf(table, fields)
    if (t.kind !== 'fields' || depth > MAX_DEPTH || membersLeft < 0) return []
    membersLeft -= t.members.length
    return t.members.flatMap((m): readonly SourceMember[] => {
      const type = typeAt(m.type, depth + 1)
      if (m.name !== '') return [{ name: m.name, type, byteOffset: m.byteOffset }]
      if (type.kind !== 'structure' || (membersLeft -= type.members.length) < 0) return []
      return type.members.map((x) => ({ ...x, byteOffset: x.byteOffset + m.byteOffset }))
    })
  }
  const convert = (t: DebugType, depth: number): SourceType => {
    switch (t.kind) {
      case 'same':
        return typeAt(t.as, depth + 1)
      case 'minimum-precision': {
        if (t.builtIn === CONSTANT_BUFFER && t.element !== undefined) return typeAt(t.element, depth + 1)
        const scalar = MINIMUM_PRECISION[t.builtIn - FIRST_MINIMUM_PRECISION]
        return scalar === undefined ? UNKNOWN_TYPE : scalarType(scalar)
      }
      case 'vector': {
        const scalar = scalarAt(t.element, depth + 1)
        if (scalar === undefined || t.count > 4 || t.count < 1) return { kind: 'unknown', byteLength: t.byteLength }
        return { kind: 'vector', scalar, count: t.count, byteLength: t.byteLength }
      }
      case 'matrix': {
        const { rows, columns, isRowMajor, stride, byteLength } = t
        const scalar = scalarAt(t.element, depth + 1)
        const isSmall = rows >= 1 && rows <= 4 && columns >= 1 && columns <= 4
        if (scalar === undefined || !isSmall) return { kind: 'unknown', byteLength }
        return { kind: 'matrix', scalar, rows, columns, isRowMajor, stride, byteLength }
      }
      case 'array': {
        const element = typeAt(t.element, depth + 1)
        // Arrays without a size have a stride that means nothing (corpus: vs/sm51_spaces.zi).
        const stride = t.byteLength === 0 ? element.byteLength : t.stride || element.byteLength
        const count = stride === 0 ? 0 : Math.ceil(t.byteLength / stride)
        return { kind: 'array', element, count, stride, byteLength: t.byteLength }
      }
      case 'structure': {
        const whole = t.fields === 0 ? complete.get(t.name) : undefined
        if (whole !== undefined) return typeAt(whole, depth + 1)
        const members = membersOf(t.fields, depth + 1)
        return { kind: 'structure', name: className(t.name), members, byteLength: t.byteLength }
      }
      case 'object':
        return objectType(t.builtIn, typeAt(t.element, depth + 1))
      case 'fields':
      case 'scalar':
        return UNKNOWN_TYPE
    }
  }
  return (index) => typeAt(index, 0)
}

/** Patches are arrays of control points; other objects have their elements in memory. */
function objectType(builtIn: number, element: SourceType): SourceType {
  if (builtIn === INPUT_PATCH || builtIn === OUTPUT_PATCH) {
    return { kind: 'array', element, count: 0, stride: element.byteLength, byteLength: 0 }
  }
  const name = OBJECTS[builtIn - FIRST_OBJECT] ?? 'object'
  return { kind: 'object', name, element, byteLength: 0 }
}
