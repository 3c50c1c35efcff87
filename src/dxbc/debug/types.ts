import { countLeading } from '../../diagnostic/index.ts'
import { ByteReader } from '../bytes.ts'

/** Leaf kinds of type records that HLSL has. Numbers are those of CodeView. */
const LEAF = {
  modifier: 0x1001,
  fieldList: 0x1203,
  baseClass: 0x1400,
  array: 0x1503,
  class: 0x1504,
  structure: 0x1505,
  alias: 0x150a,
  member: 0x150d,
  method: 0x150f,
  nestedType: 0x1510,
  oneMethod: 0x1511,
  stridedArray: 0x1516,
  hlsl: 0x1517,
  modifierExtended: 0x1518,
  interface: 0x1519,
  baseInterface: 0x151a,
  vector: 0x151b,
  matrix: 0x151c,
} as const

interface Member {
  /** Empty for a base class, whose members are the class's own. */
  readonly name: string
  readonly type: number
  readonly byteOffset: number
}

export type DebugType =
  | { readonly kind: 'structure'; readonly name: string; readonly fields: number; readonly byteLength: number }
  | { readonly kind: 'fields'; readonly members: readonly Member[] }
  | { readonly kind: 'array'; readonly element: number; readonly stride: number; readonly byteLength: number }
  | { readonly kind: 'vector'; readonly element: number; readonly count: number; readonly byteLength: number }
  | {
      readonly kind: 'matrix'
      readonly element: number
      readonly rows: number
      readonly columns: number
      readonly stride: number
      readonly isRowMajor: boolean
      readonly byteLength: number
    }
  | { readonly kind: 'same'; readonly as: number }
  /** Minimum precision, and what came after it (ConstantBuffer<T>, with `element`): the listing shows neither. */
  | { readonly kind: 'minimum-precision'; readonly builtIn: number; readonly element?: number }
  /** A texture, a buffer, a sampler, a stream, a patch: `element` is the type of what it holds. */
  | { readonly kind: 'object'; readonly builtIn: number; readonly element: number }
  | { readonly kind: 'scalar' }

/** The types of a PDB, by index. */
export interface TypeTable {
  readonly first: number
  readonly types: readonly DebugType[]
}

const SCALAR: DebugType = { kind: 'scalar' }

/** A number of variable size: below 0x8000 it stands for itself, else it names its size. */
function numeric(r: ByteReader, at: number): { value: number; next: number } {
  const leaf = r.u16(at, 'a number of a type')
  if (leaf < 0x8000) return { value: leaf, next: at + 2 }
  switch (leaf) {
    case 0x8000:
      return { value: r.u8(at + 2, 'a number of a type'), next: at + 3 }
    case 0x8001:
    case 0x8002:
      return { value: r.u16(at + 2, 'a number of a type'), next: at + 4 }
    default:
      return { value: r.u32(at + 2, 'a number of a type'), next: at + 6 }
  }
}

/** Bytes that only align the next field: 0xf1 to 0xff, the low half counting them. */
function skipPadding(r: ByteReader, at: number, end: number): number {
  const pad = at < end ? r.u8(at, 'padding') : 0
  return pad > 0xf0 ? at + (pad & 15) : at
}

function readFields(r: ByteReader, from: number, end: number): DebugType {
  const members: Member[] = []
  let at = from
  while (at + 4 <= end && r.fault === undefined) {
    const leaf = r.u16(at, 'a member')
    if (leaf === LEAF.member) {
      const offset = numeric(r, at + 8)
      const name = r.text(offset.next, 'the name of a member')
      members.push({ name, type: r.u32(at + 4, 'the type of a member'), byteOffset: offset.value })
      at = offset.next + name.length + 1
    } else if (leaf === LEAF.baseClass || leaf === LEAF.baseInterface) {
      const offset = numeric(r, at + 8)
      members.push({ name: '', type: r.u32(at + 4, 'a base class'), byteOffset: offset.value })
      at = offset.next
    } else if (leaf === LEAF.method || leaf === LEAF.nestedType || leaf === LEAF.oneMethod) {
      const isIntroducing = leaf === LEAF.oneMethod && ((r.u16(at + 2, 'a method') >> 2) & 7) >= 4
      const nameAt = at + 8 + (isIntroducing ? 4 : 0)
      at = nameAt + r.text(nameAt, 'the name of a method').length + 1
    } else break
    at = skipPadding(r, at, end)
  }
  // Sorted, so that the member at an offset is found in few steps; fxc writes them so already.
  return { kind: 'fields', members: members.sort((a, b) => a.byteOffset - b.byteOffset) }
}

/** Numbers of the built-in types of minimum precision; those before are objects. */
const FIRST_MINIMUM_PRECISION = 0x21e

function builtInType(builtIn: number, element: number): DebugType {
  return builtIn < FIRST_MINIMUM_PRECISION
    ? { kind: 'object', builtIn, element }
    : { kind: 'minimum-precision', builtIn, element }
}

function readType(r: ByteReader, at: number, end: number): DebugType {
  const body = at + 2
  switch (r.u16(at, 'a type')) {
    case LEAF.fieldList:
      return readFields(r, body, end)
    case LEAF.class:
    case LEAF.structure:
    case LEAF.interface: {
      const size = numeric(r, body + 16)
      return {
        kind: 'structure',
        name: size.next < end ? r.text(size.next, 'the name of a type') : '',
        fields: r.u32(body + 4, 'the members of a type'),
        byteLength: size.value,
      }
    }
    case LEAF.array:
      return { kind: 'array', element: r.u32(body, 'an array'), stride: 0, byteLength: numeric(r, body + 8).value }
    case LEAF.stridedArray:
      return {
        kind: 'array',
        element: r.u32(body, 'an array'),
        stride: r.u32(body + 8, 'a stride'),
        byteLength: numeric(r, body + 12).value,
      }
    case LEAF.vector:
      return {
        kind: 'vector',
        element: r.u32(body, 'a vector'),
        count: r.u32(body + 4, 'a vector'),
        byteLength: numeric(r, body + 8).value,
      }
    case LEAF.matrix:
      return {
        kind: 'matrix',
        element: r.u32(body, 'a matrix'),
        rows: r.u32(body + 4, 'a matrix'),
        columns: r.u32(body + 8, 'a matrix'),
        stride: r.u32(body + 12, 'a matrix'),
        isRowMajor: (r.u8(body + 16, 'a matrix') & 1) === 1,
        byteLength: numeric(r, body + 17).value,
      }
    case LEAF.hlsl:
      return builtInType(r.u16(body + 4, 'a built-in type'), r.u32(body, 'a built-in type'))
    case LEAF.alias:
    case LEAF.modifier:
    case LEAF.modifierExtended:
      return { kind: 'same', as: r.u32(body, 'a modified type') }
    default:
      return SCALAR
  }
}

/** Each record of a stream of types: where its leaf stands and where the next record begins; first its number. */
function* recordsIn(r: ByteReader): Generator<readonly [index: number, at: number, next: number]> {
  let at = r.u32(4, 'the header of the types')
  const end = Math.min(r.bytes.length, at + r.u32(16, 'the size of the types'))
  for (let index = r.u32(8, 'the first type'); at + 4 <= end && r.fault === undefined; index++) {
    const next = at + 2 + r.u16(at, 'the length of a type')
    if (next < at + 4 || next > end) return
    yield [index, at + 2, next]
    at = next
  }
}

/** Reads the type stream of a PDB. */
export function readTypes(stream: Uint8Array): TypeTable {
  const r = new ByteReader(stream)
  const types: DebugType[] = []
  for (const [, at, next] of recordsIn(r)) types.push(readType(r, at, next))
  return { first: r.u32(8, 'the first type'), types }
}

const FUNCTION_LEAVES: ReadonlySet<number> = new Set([0x1601, 0x1602])
const FUNCTION_NAME_AT = 10

/** Names of functions by their number, methods of classes among them. */
export function readFunctionNames(stream: Uint8Array): ReadonlyMap<number, string> {
  const r = new ByteReader(stream)
  const names = new Map<number, string>()
  for (const [index, at, next] of recordsIn(r)) {
    if (FUNCTION_LEAVES.has(r.u16(at, 'a function')) && at + FUNCTION_NAME_AT < next) {
      names.set(index, r.text(at + FUNCTION_NAME_AT, 'the name of a function'))
    }
  }
  return names
}

const COMPONENTS = 'xyzw'
/** Structures in structures; HLSL's are few deep, a damaged table may be circular. */
const MAX_DEPTH = 32
const COMPONENT_BYTES = 4

/** A type by its number; one that has no record is built in, a scalar here. */
export function typeOf(table: TypeTable, index: number): DebugType {
  return table.types[index - table.first] ?? SCALAR
}

function byteLengthOf(table: TypeTable, index: number, depth: number): number {
  const type = typeOf(table, index)
  if (type.kind === 'same') return depth > MAX_DEPTH ? COMPONENT_BYTES : byteLengthOf(table, type.as, depth + 1)
  return 'byteLength' in type ? type.byteLength : COMPONENT_BYTES
}

/** Where in a variable a scalar lies. */
interface ScalarPath {
  /** `.pos.x`, `[2].y`, nothing for a variable that is a scalar. */
  readonly text: string
  /** The offset is not inside the type; the text goes as far as it was. */
  readonly overruns: boolean
}

const END: ScalarPath = { text: '', overruns: false }
const OVERRUN: ScalarPath = { text: '', overruns: true }

const behind = (text: string, path: ScalarPath): ScalarPath => ({ text: text + path.text, overruns: path.overruns })

function memberAt(
  table: TypeTable,
  members: readonly Member[],
  byteOffset: number,
  depth: number,
  inner: typeof pathAt = pathAt,
): ScalarPath {
  const found = members[countLeading(members, (m) => m.byteOffset <= byteOffset) - 1]
  if (found === undefined) return END
  const rest = inner(table, found.type, byteOffset - found.byteOffset, depth + 1)
  return found.name === '' ? rest : behind(`.${found.name}`, rest)
}

function matrixText(m: Extract<DebugType, { kind: 'matrix' }>, byteOffset: number): string {
  const stride = m.stride || 1
  const major = Math.floor(byteOffset / stride)
  const minor = Math.floor((byteOffset % stride) / COMPONENT_BYTES)
  return m.isRowMajor ? `._m${major}${minor}` : `._m${minor}${major}`
}

/** What stands behind the name of an array that lies in registers as a whole: the members that lead to it. */
export function pathToArray(table: TypeTable, index: number, byteOffset: number, depth = 0): ScalarPath {
  const type = typeOf(table, index)
  if (depth > MAX_DEPTH || type.kind === 'array') return END
  if (type.kind === 'same') return pathToArray(table, type.as, byteOffset, depth + 1)
  if (type.kind === 'structure') return pathToArray(table, type.fields, byteOffset, depth + 1)
  if (type.kind !== 'fields') return END
  return memberAt(table, type.members, byteOffset, depth, pathToArray)
}

/** What stands behind a variable's name for the scalar at a byte offset in it. */
export function pathAt(table: TypeTable, index: number, byteOffset: number, depth = 0): ScalarPath {
  if (depth > MAX_DEPTH) return END
  const type = typeOf(table, index)
  if ('byteLength' in type && byteOffset >= type.byteLength) return OVERRUN
  switch (type.kind) {
    case 'same':
      return pathAt(table, type.as, byteOffset, depth + 1)
    case 'structure':
      return pathAt(table, type.fields, byteOffset, depth + 1)
    case 'fields':
      return memberAt(table, type.members, byteOffset, depth)
    case 'array': {
      const stride = type.stride || byteLengthOf(table, type.element, depth) || COMPONENT_BYTES
      const rest = pathAt(table, type.element, byteOffset % stride, depth + 1)
      return behind(`[${Math.floor(byteOffset / stride)}]`, rest)
    }
    case 'vector': {
      const size = Math.max(1, Math.floor(type.byteLength / Math.max(1, type.count)))
      const component = `.${COMPONENTS[Math.floor(byteOffset / size)] ?? ''}`
      return behind(component, pathAt(table, type.element, byteOffset % size, depth + 1))
    }
    case 'matrix':
      return behind(matrixText(type, byteOffset), pathAt(table, type.element, byteOffset % COMPONENT_BYTES, depth + 1))
    // The disassembler does not support these (spelled as it prints them).
    case 'minimum-precision':
      return { text: `<unknown HLSL built-in ${type.builtIn} offset ${byteOffset}>`, overruns: false }
    case 'object':
    case 'scalar':
      return END
  }
}
