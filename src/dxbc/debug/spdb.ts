import { appendAll, failure, type Outcome, outcomeOf, valueOrThrow } from '../../diagnostic/index.ts'
import { FILE, registerFile } from '../../isa/index.ts'
import type { ByteReader } from '../bytes.ts'
import { faultOutcome } from '../fault.ts'
import { dataOf, type ListedDatabase, type ListedModule, readListedDatabase } from './database.ts'
import { listedLines, type ModuleLines } from './lines.ts'
import type { DebugInfo, GroupsharedVariable, SourceLine, VariableLocation } from './model.ts'
import { type LiveRange, type Scope, startsOf, type Variable } from './symbols.ts'
import { pathAt, pathToArray, type TypeTable } from './types.ts'

const REGISTER_BYTES = 16
const COMPONENT_BYTES = 4

function locationsOf(
  types: TypeTable,
  variable: Variable,
  range: LiveRange,
  entry: { readonly offset: number; readonly isProcedure: boolean },
): VariableLocation[] {
  const inner = range.offsets[0] ?? 0
  const isArray = range.registerFile === FILE['indexable-temp']
  // Registers without a number have offsets below 0; an array's offset is its number.
  const register = isArray ? inner : Math.floor(inner / REGISTER_BYTES)
  const path = (isArray ? pathToArray : pathAt)(types, variable.type, range.offsetInVariable)
  const hasComponent = !isArray && range.offsets.length > 0
  const location = {
    name: variable.name + path.text,
    overrunsType: path.overruns,
    registerFile: range.registerFile,
    indices: inner < 0 || range.offsets.length === 0 ? [] : [...range.offsets.slice(1).reverse(), register],
    ...(hasComponent ? { component: (inner & (REGISTER_BYTES - 1)) / COMPONENT_BYTES } : {}),
  }
  // What an inlined function has from its start is the caller's: it is not set there.
  return startsOf(range)
    .filter((start) => start !== entry.offset || entry.isProcedure)
    .map((start) => ({ ...location, position: start, atEntry: start === entry.offset }))
}

/** Characters of names for each byte of debug data: paths of members repeat, but not without end. */
const NAME_EFFORT = 32

function readLocations(
  r: ByteReader,
  scopes: readonly Scope[],
  types: TypeTable,
  starts: ModuleLines['starts'],
): readonly VariableLocation[] {
  const locations: VariableLocation[] = []
  let effort = r.bytes.length * NAME_EFFORT
  for (const scope of scopes) {
    const isProcedure = scope.kind === 'procedure'
    const offset = isProcedure ? scope.byteOffset : (starts.get(scope) ?? scope.byteOffset)
    for (const variable of scope.variables) {
      for (const range of variable.ranges) {
        if (registerFile(range.registerFile) === undefined) continue
        for (const location of locationsOf(types, variable, range, { offset, isProcedure })) {
          locations.push(location)
          effort -= location.name.length
        }
        if (effort < 0) r.fail('effort', 0, 0, 'the names of variables')
        if (r.fault !== undefined) return locations
      }
    }
  }
  return locations
}

/** Adds the lines and the locations of variables of one module; gives the position at which its procedure begins. */
function readModule(
  { types, nameAt }: ListedDatabase,
  m: ListedModule,
  lines: SourceLine[],
  locations: VariableLocation[],
): number | undefined {
  const found = listedLines(m.reader, m.sections, m.scopes, nameAt)
  appendAll(lines, found.lines)
  appendAll(locations, readLocations(m.reader, m.scopes, types, found.starts))
  return m.scopes.find((s) => s.kind === 'procedure')?.byteOffset
}

function readListed(database: ListedDatabase, fourcc: string): Outcome<DebugInfo> {
  const lines: SourceLine[] = []
  const locations: VariableLocation[] = []
  let entry: number | undefined
  for (const module of database.modules) {
    const begin = readModule(database, module, lines, locations)
    if (module.reader.fault !== undefined) return faultOutcome(fourcc, module.reader.fault)
    entry ??= begin
  }
  const info = { positions: 'byte-offsets', lines, locations, values: [] } as const
  return outcomeOf(entry === undefined ? info : { ...info, entry })
}

/** Of a PDB what a listing prints: source lines of instructions, and where variables live. */
export function listedProgramDatabase(data: Uint8Array, fourcc = 'SPDB'): Outcome<DebugInfo> {
  const { value: database, diagnostics } = readListedDatabase(data, fourcc)
  return database === undefined ? failure(diagnostics) : readListed(database, fourcc)
}

/** SPDB: a PDB. Reads what a listing prints, the names of shared memory, and the texts of the files that lines are of. */
export function decodeProgramDatabase(data: Uint8Array, fourcc = 'SPDB'): Outcome<DebugInfo> {
  const { value: database, diagnostics } = readListedDatabase(data, fourcc)
  if (database === undefined) return failure(diagnostics)
  const { value: info, diagnostics: found } = readListed(database, fourcc)
  if (info === undefined) return failure(found)
  const groupshared: GroupsharedVariable[] = []
  for (const module of database.modules) {
    for (const { registerFile, register, name } of dataOf(module)) {
      if (registerFile === FILE.tgsm) groupshared.push({ register, name })
    }
    if (module.reader.fault !== undefined) return faultOutcome(fourcc, module.reader.fault)
  }
  const sources = [...new Set(info.lines.map((l) => l.file))].flatMap((file) => {
    const text = database.textOf(file)
    return text === undefined ? [] : [{ file, text }]
  })
  return outcomeOf({ ...info, sources, groupshared })
}

/** As `decodeProgramDatabase`; throws ShaderError where the data cannot be read. */
export function decodeProgramDatabaseOrThrow(data: Uint8Array, fourcc = 'SPDB'): DebugInfo {
  return valueOrThrow(decodeProgramDatabase(data, fourcc))
}
