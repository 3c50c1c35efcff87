/** The parts of a value, and where their words are. */
import { countLeading, largest } from '../diagnostic/index.ts'
import type { Piece, SourceValue, ValueHome, WordPlace } from './model.ts'
import { type SourceType, scalarBytes, scalarType, UNKNOWN_TYPE, WORD_BYTES } from './type.ts'

const CONSTANT_BYTES = 16
const COMPONENTS = 'xyzw'

function placeInPiece({ place, byteOffset }: Piece, at: number): WordPlace {
  const words = (at - byteOffset) / WORD_BYTES
  switch (place.kind) {
    case 'literal':
      return place
    case 'register': {
      const component = place.component + words
      if (component < 4) return { ...place, component }
      const last = place.indices.length - 1
      const indices = place.indices.map((n, i) => (i === last ? n + (component >> 2) : n))
      return { ...place, indices, component: component & 3 }
    }
    case 'memory': {
      const { address } = place
      return address.kind === 'texel'
        ? { ...place, address: { ...address, component: address.component + words } }
        : { ...place, address: { ...address, byteOffset: address.byteOffset + at - byteOffset } }
    }
  }
}

/** The piece that holds a byte: pieces ascend and do not overlap. */
function pieceAt(pieces: readonly Piece[], byteOffset: number): Piece | undefined {
  const piece = pieces[countLeading(pieces, (p) => p.byteOffset <= byteOffset) - 1]
  return piece !== undefined && byteOffset < piece.byteOffset + piece.byteLength ? piece : undefined
}

/** Where the word at a byte offset of a variable is; undefined where it is not available. */
export function placeAt(home: ValueHome, byteOffset: number): WordPlace | undefined {
  switch (home.kind) {
    case 'pieces': {
      const piece = pieceAt(home.pieces, byteOffset)
      return piece === undefined ? undefined : placeInPiece(piece, byteOffset)
    }
    case 'constants': {
      const at = home.byteOffset + byteOffset
      const component = Math.floor((at % CONSTANT_BYTES) / WORD_BYTES)
      const indices = [...home.indices, Math.floor(at / CONSTANT_BYTES)]
      return { kind: 'register', file: home.file, indices, component }
    }
    case 'memory': {
      const { kind, file, indices, stride } = home
      const at = home.byteOffset + byteOffset
      if (home.shape === 'bytes') return { kind, file, indices, address: { kind: 'bytes', byteOffset: at } }
      if (stride === 0) return undefined
      const element = Math.floor(at / stride)
      const inside = at % stride
      return home.shape === 'structured'
        ? { kind, file, indices, address: { kind: 'structured', element, byteOffset: inside } }
        : { kind, file, indices, address: { kind: 'texel', coordinates: [element], component: inside / WORD_BYTES } }
    }
  }
}

/** The byte offsets of a type's scalars, of vectors and matrices in the order of their rows; none of what is made of members. */
function scalarOffsets(type: SourceType): readonly number[] {
  switch (type.kind) {
    case 'scalar':
      return [0]
    case 'vector':
      return Array.from({ length: type.count }, (_, i) => i * scalarBytes(type.scalar))
    case 'matrix':
      return Array.from({ length: type.rows * type.columns }, (_, i) =>
        elementOffset(type, Math.floor(i / type.columns), i % type.columns),
      )
    default:
      return []
  }
}

/** Where an element of a matrix lies. */
function elementOffset(type: Extract<SourceType, { kind: 'matrix' }>, row: number, column: number): number {
  const bytes = scalarBytes(type.scalar)
  return type.isRowMajor ? row * type.stride + column * bytes : column * type.stride + row * bytes
}

/** Where each 32-bit word of a scalar, vector or matrix is, in the order of `scalarOffsets`, two words for a double. */
export function wordsOf(value: SourceValue): readonly (WordPlace | undefined)[] {
  const { type } = value
  if (!('scalar' in type)) return []
  const words = scalarBytes(type.scalar) / WORD_BYTES
  return scalarOffsets(type).flatMap((offset) =>
    Array.from({ length: words }, (_, i) => placeAt(value.home, value.byteOffset + offset + i * WORD_BYTES)),
  )
}

/** How many parts a value has: components, rows' elements, array elements or members. */
export function childCount({ type, home }: SourceValue): number {
  switch (type.kind) {
    case 'vector':
      return type.count
    case 'matrix':
      return type.rows * type.columns
    case 'array':
      return type.count === 0 ? elementsInPieces(type.stride, home) : type.count
    case 'structure':
      return type.members.length
    default:
      return 0
  }
}

/** Whether parts are numbered without an end that is known here: elements of buffers. */
const isEndless = (type: SourceType): boolean =>
  (type.kind === 'object' && type.element !== undefined) || (type.kind === 'array' && type.count === 0)

/** Elements of an array of unknown length that lie in pieces. */
function elementsInPieces(stride: number, home: ValueHome): number {
  if (home.kind !== 'pieces' || stride === 0) return 0
  return Math.ceil(
    largest(
      0,
      home.pieces.map((p) => p.byteOffset + p.byteLength),
    ) / stride,
  )
}

function part(value: SourceValue, name: string, path: string, type: SourceType, byteOffset: number): SourceValue {
  return { name, path: value.path + path, type, byteOffset: value.byteOffset + byteOffset, home: value.home }
}

function childAt(value: SourceValue, i: number): SourceValue {
  const { type } = value
  switch (type.kind) {
    case 'vector': {
      const name = COMPONENTS[i] ?? `${i}`
      return part(value, name, `.${name}`, scalarType(type.scalar), i * scalarBytes(type.scalar))
    }
    case 'matrix': {
      const [row, column] = [Math.floor(i / type.columns), i % type.columns]
      const name = `_m${row}${column}`
      return part(value, name, `.${name}`, scalarType(type.scalar), elementOffset(type, row, column))
    }
    case 'array':
      return part(value, `[${i}]`, `[${i}]`, type.element, i * type.stride)
    case 'object':
      return part(value, `[${i}]`, `[${i}]`, type.element ?? UNKNOWN_TYPE, i * (type.stride ?? 0))
    case 'structure': {
      const { name, type: inner, byteOffset } = type.members[i]!
      return part(value, name, `.${name}`, inner, byteOffset)
    }
    default:
      return value
  }
}

/** The parts of a value, `count` of them from `start` on: long arrays are read in pages. Elements of buffers only where `count` is given. */
export function childrenOf(value: SourceValue, start = 0, count = childCount(value)): readonly SourceValue[] {
  const end = isEndless(value.type) ? start + count : Math.min(childCount(value), start + count)
  const children: SourceValue[] = []
  for (let i = Math.max(0, start); i < end; i++) children.push(childAt(value, i))
  return children
}

/** A part by its name as the source writes it: `x`, `_m01`, `color`, or the number of an array's element. */
export function childNamed(value: SourceValue, name: string | number): SourceValue | undefined {
  const { type } = value
  if (typeof name === 'number') {
    const exists = type.kind === 'array' ? name < type.count || type.count === 0 : isEndless(type)
    return exists && name >= 0 ? childAt(value, name) : undefined
  }
  if (type.kind !== 'structure') return childrenOf(value).find((c) => c.name === name)
  const at = type.members.findIndex((m) => m.name === name)
  return at < 0 ? undefined : childAt(value, at)
}
