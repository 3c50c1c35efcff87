import { failure, type Outcome, outcomeOf, withSlashes } from '../../diagnostic/index.ts'
import { ByteReader } from '../bytes.ts'
import { faultOutcome } from '../fault.ts'
import { readSections, type Sections } from './lines.ts'
import { readMsf } from './msf.ts'
import { sourceText } from './source-text.ts'
import { type CompilerSymbols, type DataSymbol, readCompiler, readData, readSymbols, type Scope } from './symbols.ts'
import { readFunctionNames, readTypes, type TypeTable } from './types.ts'

/** What the listing of a program is made from: the types, and the lines and local variables of each module. */
export interface ListedDatabase {
  readonly types: TypeTable
  readonly modules: readonly ListedModule[]
  /** The name at an offset of the table of names. */
  readonly nameAt: (offset: number) => string
  /** The text of a file by its name, where the database holds it. */
  readonly textOf: (file: string) => string | undefined
}

/** One compiled object: fxc writes one, `main`. */
export interface ListedModule {
  /** Of the module's stream; it has the first fault that was found there. */
  readonly reader: ByteReader
  readonly scopes: readonly Scope[]
  readonly sections: Sections
  /** Byte offset at which its symbols end. */
  readonly symbolsEnd: number
}

/** A PDB as records: what the map of a program's source is made from. */
export interface ProgramDatabase extends ListedDatabase, CompilerSymbols {
  /** Of inlined functions, by the number that inline sites have. */
  readonly functionNames: ReadonlyMap<number, string>
  readonly modules: readonly DatabaseModule[]
  /** Constants, resources and samplers that the program uses. */
  readonly globals: readonly DataSymbol[]
  /** Bytes of the code that the database is of; 0 where it does not say. */
  readonly codeByteLength: number
}

export interface DatabaseModule extends ListedModule {
  readonly data: readonly DataSymbol[]
}

/** Streams of a PDB with fixed numbers. */
const STREAM = { names: 1, types: 2, modules: 3, functions: 4 } as const
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

/** Gives the text of a file where a stream holds it. */
function textFinder(
  named: ReadonlyMap<string, number>,
  stream: (i: number | undefined) => Uint8Array,
): ProgramDatabase['textOf'] {
  const byPath = new Map<string, number>()
  for (const [name, number] of named) {
    if (name.startsWith(SOURCE_STREAM)) byPath.set(sameFile(name.slice(SOURCE_STREAM.length)), number)
  }
  return (file) => {
    const number = byPath.get(sameFile(file))
    return number === undefined ? undefined : sourceText(stream(number))
  }
}

interface Module {
  readonly stream: number
  /** Bytes of the module's code. */
  readonly codeByteLength: number
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
      codeByteLength: r.u32(at + 12, 'the code of a module'),
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

/** Where the number of the stream of global symbols stands in the header of the modules. */
const GLOBALS_AT = 20
/** Where the symbols of a module begin. */
const SYMBOLS_AT = 4

function readModule(bytes: Uint8Array, m: Module): ListedModule {
  const reader = new ByteReader(bytes)
  const symbolsEnd = Math.min(m.symbolBytes, bytes.length)
  const linesStart = m.symbolBytes + m.oldLineBytes
  const sections = readSections(reader, linesStart, Math.min(linesStart + m.lineBytes, bytes.length))
  return { reader, scopes: readSymbols(reader, SYMBOLS_AT, symbolsEnd), sections, symbolsEnd }
}

const NAMES_START = 12

/** A database whose modules are read, with what the rest of it is read from. */
interface OpenDatabase extends ListedDatabase {
  readonly stream: (number: number) => Uint8Array
  /** The modules that have a stream. */
  readonly headers: readonly Module[]
}

function openDatabase(data: Uint8Array, fourcc: string): Outcome<OpenDatabase> {
  const msf = readMsf(data)
  if (msf.fault !== undefined) return faultOutcome(fourcc, msf.fault)
  const stream = (i: number | undefined): Uint8Array => (i === undefined ? EMPTY : (msf.streams[i] ?? EMPTY))
  const named = namedStreams(stream(STREAM.names))
  const names = new ByteReader(stream(named.get('/names')))
  const headers = readModules(stream(STREAM.modules)).filter((m) => m.stream !== NO_STREAM)
  const modules: ListedModule[] = []
  for (const m of headers) {
    const module = readModule(stream(m.stream), m)
    if (module.reader.fault !== undefined) return faultOutcome(fourcc, module.reader.fault)
    modules.push(module)
  }
  return outcomeOf({
    stream,
    headers,
    modules,
    types: readTypes(stream(STREAM.types)),
    nameAt: (offset) => names.text(NAMES_START + offset, 'the name of a source file'),
    textOf: textFinder(named, stream),
  })
}

/** Reads of a PDB what a listing is made from. */
export function readListedDatabase(data: Uint8Array, fourcc = 'SPDB'): Outcome<ListedDatabase> {
  return openDatabase(data, fourcc)
}

/** The data among the symbols of a module. */
export function dataOf({ reader, symbolsEnd }: ListedModule): readonly DataSymbol[] {
  return readData(reader, SYMBOLS_AT, symbolsEnd)
}

const NO_COMPILER: CompilerSymbols = { compiler: '', settings: new Map() }

/** Reads the records of a PDB. */
export function readDatabase(data: Uint8Array, fourcc = 'SPDB'): Outcome<ProgramDatabase> {
  const { value: database, diagnostics } = openDatabase(data, fourcc)
  if (database === undefined) return failure(diagnostics)
  const { stream, headers, modules: listed, types, nameAt, textOf } = database
  const modules = listed.map((m) => ({ ...m, data: dataOf(m) }))
  for (const { reader } of modules) if (reader.fault !== undefined) return faultOutcome(fourcc, reader.fault)
  const symbols = stream(new ByteReader(stream(STREAM.modules)).u16(GLOBALS_AT, 'the stream of global symbols'))
  const first = modules[0]
  return outcomeOf({
    ...(first === undefined
      ? NO_COMPILER
      : readCompiler(new ByteReader(first.reader.bytes), SYMBOLS_AT, first.symbolsEnd)),
    types,
    functionNames: readFunctionNames(stream(STREAM.functions)),
    modules,
    globals: readData(new ByteReader(symbols), 0, symbols.length),
    codeByteLength: headers[0]?.codeByteLength ?? 0,
    nameAt,
    textOf,
  })
}
