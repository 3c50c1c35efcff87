/** Whether a shader declares the registers that an expression names. */
import { type Declarations, hasRanges } from '../engine/index.ts'
import type { RegisterFile } from '../isa/index.ts'
import { type Piece, type RegisterUse, registerText, registerVariables, type SourceVariable } from '../source/index.ts'
import { rangesText } from './lanes.ts'
import { SYSTEM_FILES } from './state.ts'

const REGISTER_BYTES = 16

function piecesOf({ home }: SourceVariable): readonly Piece[] {
  return home.kind === 'pieces' ? home.pieces : []
}

/** Whether a piece has a register; indices may be fewer than it takes. */
function isIn({ place, byteLength }: Piece, { name }: RegisterFile, indices: readonly number[]): boolean {
  if (place.kind !== 'register' || place.file !== name) return false
  const [array, element = 0] = indices
  if (name === 'indexable-temp') return array === place.indices[0] && element < byteLength / REGISTER_BYTES
  return indices.every((n, i) => n === place.indices[i])
}

/** Numbers of the constant buffers as operands name them. */
const buffersOf = (d: Declarations): readonly number[] =>
  d.constantBuffers.map(({ id, first }) => (hasRanges(d.program) ? id : first))

/** What is declared in the place of a register that is not: `r0-3`, `x0[0-7]`. */
function declaredText(d: Declarations, pieces: readonly Piece[], file: RegisterFile): string {
  if (file.class === 'constant') {
    const buffers = buffersOf(d).map((n) => `${file.prefix}${n}`)
    return buffers.length === 0 ? 'no constant buffers' : buffers.join(', ')
  }
  const own = pieces.flatMap(({ place, byteLength }) =>
    place.kind === 'register' && place.file === file.name ? [{ indices: place.indices, byteLength }] : [],
  )
  if (own.length === 0) return `no register ${file.prefix}${file.indices[1] > 0 ? '#' : ''}`
  if (file.name === 'indexable-temp')
    return own.map(({ indices, byteLength }) => `x${indices[0]}[0-${byteLength / REGISTER_BYTES - 1}]`).join(', ')
  const rangeOf = (axis: number): string => {
    const numbers = own.flatMap(({ indices }) => indices[axis] ?? [])
    return rangesText([...new Set(numbers)].sort((a, b) => a - b))
  }
  const [second] = own.flatMap(({ indices }) => indices[1] ?? [])
  return second === undefined ? `${file.prefix}${rangeOf(0)}` : `${file.prefix}[${rangeOf(0)}][${rangeOf(1)}]`
}

/** Why an expression cannot read a register at a statement; undefined where it can. */
export function undeclaredText(
  d: Declarations,
  statement: number,
  { file, indices, span }: RegisterUse,
): string | undefined {
  if (SYSTEM_FILES.has(file.name) || file.name === 'immediate-constant-buffer') return undefined
  const pieces = registerVariables(d, statement).flatMap(piecesOf)
  const isDeclared =
    file.class === 'constant'
      ? indices.length === 0 || buffersOf(d).includes(indices[0]!)
      : pieces.some((p) => isIn(p, file, indices))
  if (isDeclared) return undefined
  const column = `column ${span.start + 1}`
  return `the shader declares no ${registerText(file, indices)} (${column}); it has ${declaredText(d, pieces, file)}`
}
