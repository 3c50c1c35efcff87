import { type Outcome, outcomeOf, valueOrThrow, withSlashes } from '../../diagnostic/index.ts'
import { FILE, registerFile } from '../../isa/index.ts'
import { ByteReader } from '../bytes.ts'
import { faultOutcome } from '../fault.ts'
import { type ModuleLines, readLines } from './lines.ts'
import type { DebugInfo, GroupsharedVariable, SourceFile, SourceLine, VariableLocation } from './model.ts'
import { readMsf } from './msf.ts'
import { sourceText } from './source-text.ts'
import { type LiveRange, readGroupshared, readSymbols, type Scope, type Variable } from './symbols.ts'
import { pathAt, pathToArray, readTypes, type TypeTable } from './types.ts'

/** Streams of a PDB with fixed numbers. */
const STREAM = { names: 1, types: 2, modules: 3 } as const
const NO_STREAM = 0xffff
const EMPTY = new Uint8Array(0)

/** The numbers of the named streams, from the hash table in stream 1. */
function namedStreams(stream: Uint8Array): ReadonlyMap<string, number> {
  const r = new ByteReader(stream)
  const textStart = 32
  const textLength = r.u32(28, 'the names of debug streams')
  const named = new Map<string, number>()
  let at = textStart + textLength
  const count = r.u32(at, 'the number of named streams')
  at += 8
  for (let sets = 0; sets < 2; sets++) at += 4 + 4 * r.u32(at, 'the table of named streams')
  for (let i = 0; i < count && r.fault === undefined; i++, at += 8) {
    const offset = r.u32(at, 'a named stream')
    if (offset < textLength) named.set(r.text(textStart + offset, 'a named stream'), r.u32(at + 4, 'a named stream'))
  }
  return named
}

const SOURCE_STREAM = '/src/files/'

/** Paths in the names of streams are in lower case; lines have them as the compiler was given them. */
const sameFile = (path: string): string => withSlashes(path.toLowerCase())

/** The texts of the files that lines name, where a stream holds them. */
function readSources(
  named: ReadonlyMap<string, number>,
  stream: (i: number | undefined) => Uint8Array,
  lines: readonly SourceLine[],
): readonly SourceFile[] {
  const byPath = new Map<string, number>()
  for (const [name, number] of named) {
    if (name.startsWith(SOURCE_STREAM)) byPath.set(sameFile(name.slice(SOURCE_STREAM.length)), number)
  }
  return [...new Set(lines.map((l) => l.file))].flatMap((file) => {
    const number = byPath.get(sameFile(file))
    return number === undefined ? [] : [{ file, text: sourceText(stream(number)) }]
  })
}

interface Module {
  readonly stream: number
  readonly symbolBytes: number
  readonly oldLineBytes: number
  readonly lineBytes: number
}

const MODULE_HEADER = 64

function readModules(stream: Uint8Array): readonly Module[] {
  const r = new ByteReader(stream)
  const end = Math.min(stream.length, MODULE_HEADER + r.u32(24, 'the size of the modules'))
  const modules: Module[] = []
  for (let at = MODULE_HEADER; at + MODULE_HEADER <= end && r.fault === undefined; ) {
    modules.push({
      stream: r.u16(at + 34, 'the stream of a module'),
      symbolBytes: r.u32(at + 36, 'the symbols of a module'),
      oldLineBytes: r.u32(at + 40, 'the lines of a module'),
      lineBytes: r.u32(at + 44, 'the lines of a module'),
    })
    const name = r.text(at + MODULE_HEADER, 'the name of a module')
    const objectAt = at + MODULE_HEADER + name.length + 1
    at = (objectAt + r.text(objectAt, 'the object of a module').length + 1 + 3) & ~3
  }
  return modules
}

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
  return range.starts
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

function readModule(r: ByteReader, m: Module, types: TypeTable, nameAt: (offset: number) => string): DebugInfo {
  const symbolsEnd = Math.min(m.symbolBytes, r.bytes.length)
  const scopes = readSymbols(r, 4, symbolsEnd)
  const linesStart = m.symbolBytes + m.oldLineBytes
  const { lines, starts } = readLines(r, linesStart, Math.min(linesStart + m.lineBytes, r.bytes.length), scopes, nameAt)
  const locations = readLocations(r, scopes, types, starts)
  const procedure = scopes.find((s) => s.kind === 'procedure')
  const groupshared = readGroupshared(r, 4, symbolsEnd)
  const info = { positions: 'byte-offsets', lines, locations, values: [], groupshared } as const
  return procedure === undefined ? info : { ...info, entry: procedure.byteOffset }
}

/** SPDB: a PDB. Reads what a listing shows: source lines of instructions, and where variables live. */
export function decodeProgramDatabase(data: Uint8Array, fourcc = 'SPDB'): Outcome<DebugInfo> {
  const msf = readMsf(data)
  if (msf.fault !== undefined) return faultOutcome(fourcc, msf.fault)
  const stream = (i: number | undefined): Uint8Array => (i === undefined ? EMPTY : (msf.streams[i] ?? EMPTY))
  const named = namedStreams(stream(STREAM.names))
  const names = new ByteReader(stream(named.get('/names')))
  const NAMES_START = 12
  const nameAt = (offset: number): string => names.text(NAMES_START + offset, 'the name of a source file')
  const types = readTypes(stream(STREAM.types))
  const lines: SourceLine[] = []
  const locations: VariableLocation[] = []
  const groupshared: GroupsharedVariable[] = []
  let entry: number | undefined
  for (const module of readModules(stream(STREAM.modules))) {
    if (module.stream === NO_STREAM) continue
    const r = new ByteReader(stream(module.stream))
    const info = readModule(r, module, types, nameAt)
    if (r.fault !== undefined) return faultOutcome(fourcc, r.fault)
    for (const line of info.lines) lines.push(line)
    for (const location of info.locations) locations.push(location)
    for (const variable of info.groupshared ?? []) groupshared.push(variable)
    entry ??= info.entry
  }
  const sources = readSources(named, stream, lines)
  const info = { positions: 'byte-offsets', lines, locations, values: [], sources, groupshared } as const
  return outcomeOf(entry === undefined ? info : { ...info, entry })
}

/** As `decodeProgramDatabase`; throws ShaderError where the data cannot be read. */
export function decodeProgramDatabaseOrThrow(data: Uint8Array, fourcc = 'SPDB'): DebugInfo {
  return valueOrThrow(decodeProgramDatabase(data, fourcc))
}
