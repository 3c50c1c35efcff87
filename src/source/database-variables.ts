/** Variables of a PDB: where each of their words is at a position of the code. */
import {
  type DatabaseModule,
  type DataSymbol,
  type LiveRange,
  type ProgramDatabase,
  type Scope,
  VARIABLE_FLAG,
  type Variable,
} from '../dxbc/index.ts'
import type { Declarations } from '../engine/index.ts'
import { FILE, registerFile } from '../isa/index.ts'
import type { TypeReader } from './database-types.ts'
import { bindingIndices, sharedVariable } from './globals.ts'
import type { Piece, SourceVariable, VariableKind } from './model.ts'

const REGISTER_BYTES = 16
const WORD_BYTES = 4

/** Where the words of a range are; undefined for what has no words, such as streams. */
export function pieceOf(range: LiveRange): Piece | undefined {
  const file = registerFile(range.registerFile)
  if (file === undefined || file.class === 'name') return undefined
  const { offsetInVariable: byteOffset, byteLength, offsets } = range
  const inner = offsets[0] ?? 0
  // An array's offset is its number; other offsets are bytes in the space of registers, below 0 where these have no number.
  const isArray = range.registerFile === FILE['indexable-temp']
  const register = isArray ? inner : Math.floor(inner / REGISTER_BYTES)
  const component = isArray ? 0 : (inner & (REGISTER_BYTES - 1)) / WORD_BYTES
  const outer = offsets.slice(1).reverse()
  const own = isArray ? [register, 0] : inner < 0 || file.indices[1] === 0 ? [] : [...outer, register]
  return { byteOffset, byteLength, place: { kind: 'register', file: file.name, indices: own, component } }
}

/** Whether a range has the variable's value before the instruction at a position is executed. */
function isLive(range: LiveRange, position: number): boolean {
  if (position < range.start || position >= range.end) return false
  return !range.gaps.some((g) => position >= g.start && position < g.end)
}

function kindOf({ flags }: Variable): VariableKind {
  if ((flags & VARIABLE_FLAG.return) !== 0) return 'return'
  return (flags & VARIABLE_FLAG.parameter) !== 0 ? 'parameter' : 'local'
}

/**
 * The pieces of a variable at a position. A word has one place: of two ranges that claim it, as hull shaders have for
 * what two phases write (corpus: hs/sm51_joins.zi), the later write counts. What a local of an inlined copy has in a temp
 * before the copy's first instruction is the value of another copy (cs/real_light_cull.zi, ps/include_zi.od); parameters
 * have theirs from the call, and what lies in outputs is there all the time.
 */
function livePieces(v: Variable, position: number, scopeStart: number): readonly Piece[] {
  const isParameter = kindOf(v) === 'parameter'
  const isOwn = (r: LiveRange): boolean =>
    r.start > scopeStart || (r.registerFile !== FILE.temp && r.start === scopeStart)
  const live = v.ranges.filter((r) => isLive(r, position) && (isParameter || isOwn(r)))
  live.sort((a, b) => a.offsetInVariable - b.offsetInVariable || b.start - a.start)
  const pieces: Piece[] = []
  let end = 0
  for (const range of live) {
    const piece = range.offsetInVariable < end ? undefined : pieceOf(range)
    if (piece === undefined) continue
    pieces.push(piece)
    end = piece.byteOffset + piece.byteLength
  }
  return pieces
}

/** Where in a scope variables are looked at. */
interface ScopePosition {
  readonly position: number
  /** Where the code of the scope begins; 0 for the entry. */
  readonly scopeStart: number
  readonly frame: number
}

function variableAt(v: Variable, types: TypeReader, at: ScopePosition): SourceVariable {
  const pieces = livePieces(v, at.position, at.scopeStart)
  const { name } = v
  return {
    ...{ name, path: name, kind: kindOf(v), type: types(v.type), byteOffset: 0 },
    home: { kind: 'pieces', pieces },
    frame: at.frame,
  }
}

const hasPieces = (v: SourceVariable): boolean => v.home.kind !== 'pieces' || v.home.pieces.length > 0

/**
 * The variables of a scope. Blocks leave no trace in the data: of several variables of one name, those that are nowhere at
 * the moment are left out where another one is somewhere.
 */
export function scopeVariables(scope: Scope, types: TypeReader, at: ScopePosition): readonly SourceVariable[] {
  const all = scope.variables.map((v) => variableAt(v, types, at))
  const last = new Map(all.map((v, i) => [v.name, i]))
  const somewhere = new Set(all.filter(hasPieces).map((v) => v.name))
  return all.filter((v, i) => hasPieces(v) || (!somewhere.has(v.name) && last.get(v.name) === i))
}

function dataVariable(s: DataSymbol, types: TypeReader, d: Declarations | undefined): SourceVariable | undefined {
  const type = types(s.type)
  const common = { name: s.name, path: s.name, byteOffset: 0 }
  if (s.registerFile === FILE.tgsm) {
    const declared = d?.tgsm.find((g) => g.register === s.register)
    return declared === undefined ? undefined : sharedVariable(declared, s.name, type)
  }
  if (s.registerFile === FILE['indexable-temp']) {
    const place = { kind: 'register', file: 'indexable-temp', indices: [s.register, 0], component: 0 } as const
    const home = { kind: 'pieces', pieces: [{ byteOffset: 0, byteLength: type.byteLength, place }] } as const
    return { ...common, kind: 'static', type, home }
  }
  if (d === undefined || s.registerFile !== FILE['constant-buffer']) return undefined
  const { space, register, lowerBound } = s
  const indices =
    lowerBound === undefined ? bindingIndices(d, 'constant-buffer', register, space) : [register, lowerBound]
  if (indices === undefined) return undefined
  const home = { kind: 'constants', file: 'constant-buffer', indices, byteOffset: s.byteOffset } as const
  return { ...common, kind: 'constant', type, home }
}

/** Shared memory, static arrays, and the constants that reflection does not have (`known` are the names of those it has). */
export function dataVariables(
  database: ProgramDatabase,
  module: DatabaseModule,
  types: TypeReader,
  d: Declarations | undefined,
  known: ReadonlySet<string>,
): readonly SourceVariable[] {
  const seen = new Set(known)
  return [...module.data, ...database.globals].flatMap((s) => {
    if (seen.has(s.name)) return []
    const found = dataVariable(s, types, d)
    if (found === undefined) return []
    seen.add(s.name)
    return [found]
  })
}
