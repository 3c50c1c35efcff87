/** A map of the source from an SDBG part, which compilers before fxc 10 wrote. */
import { type DiagnosticSink, diagnostic } from '../diagnostic/index.ts'
import {
  DEBUG_SCOPE,
  type DebugInstruction,
  type DebugTables,
  type Reflection,
  type SourceToken,
} from '../dxbc/index.ts'
import type { Declarations } from '../engine/index.ts'
import type { Program } from '../program/index.ts'
import { constantVariables, resourceVariables, sharedVariables } from './globals.ts'
import { indexLines } from './line-index.ts'
import type { Piece, SourceFileOfMap, SourceFrame, SourceMap, SourceRange, SourceVariable } from './model.ts'
import { NO_POSITION, positionsOf } from './positions.ts'
import { remembered } from './remembered.ts'
import { followTables, type ScalarPlaces } from './tables-flow.ts'
import { type ScalarRows, scalarRows, scalarsIn } from './tables-scalars.ts'
import { tablesType } from './tables-types.ts'
import { WORD_BYTES } from './type.ts'

/** The files of the tables, and behind them those that stand for lines which their text does not have. */
interface Files {
  readonly files: readonly SourceFileOfMap[]
  readonly rangeOf: (token: SourceToken) => SourceRange | undefined
}

/**
 * Columns of tokens count from 0, those of ranges from 1; tokens of operators have no length. After `#line` the tables
 * have its numbers and the name of the real file (corpus: ps/include_zi.v9): lines behind the end of the text are of a
 * file without a text.
 */
function filesOf(tables: DebugTables): Files {
  const files: SourceFileOfMap[] = [...tables.files]
  const lineCounts = tables.files.map((f) => f.text?.split('\n').length ?? Number.POSITIVE_INFINITY)
  const virtual = new Map<number, number>()
  const fileOf = (file: number, line: number): number => {
    if (line <= lineCounts[file]!) return file
    const known = virtual.get(file) ?? files.length
    if (known === files.length) files.push({ name: `${tables.files[file]!.name} (#line)` })
    virtual.set(file, known)
    return known
  }
  const rangeOf = ({ file, line, column, length }: SourceToken): SourceRange | undefined =>
    tables.files[file] === undefined
      ? undefined
      : {
          file: fileOf(file, line),
          line,
          column: column + 1,
          endLine: line,
          endColumn: column + Math.max(1, length),
        }
  return { files, rangeOf }
}

/** The name of the function that an instruction belongs to: that of the innermost scope of parameters. */
function functionOf(tables: DebugTables, instruction: DebugInstruction): string {
  for (const row of instruction.scopes) {
    const scope = tables.scopes[row]
    if (scope?.kind === DEBUG_SCOPE.parameters) return scope.name
  }
  return tables.entryName
}

/** Calls are few deep; damaged data may nest without end. */
const MAX_FRAMES = 64

/**
 * The frames of each instruction, innermost first. Callers are not stored: the caller is the last instruction before
 * that lies less deep. The level counts at the arguments of a call already, where the function is still the caller's.
 */
function stacksOf(tables: DebugTables, { rangeOf }: Files): readonly (readonly SourceFrame[])[] {
  const open: { level: number; frame: SourceFrame; at: number }[] = []
  return tables.instructions.map((instruction, at) => {
    const functionName = functionOf(tables, instruction)
    const level = functionName === tables.entryName ? 0 : Math.min(instruction.nestingLevel, MAX_FRAMES)
    while (open.length > 0 && (open.at(-1)!.level >= level || open.at(-1)!.frame.functionName === functionName)) {
      open.pop()
    }
    const range = instruction.token === undefined ? undefined : rangeOf(instruction.token)
    if (range === undefined) return []
    const site = open.length === 0 ? 0 : open.at(-1)!.at + 1
    const frame = { functionName, range, site }
    open.push({ level, frame, at })
    return open.map((o) => o.frame).reverse()
  })
}

function piecesOf(scalars: ReadonlyMap<number, number>, places: ScalarPlaces): readonly Piece[] {
  const pieces: Piece[] = []
  for (const [offset, row] of scalars) {
    const place = places.get(row)
    if (place !== undefined) pieces.push({ byteOffset: offset * WORD_BYTES, byteLength: WORD_BYTES, place })
  }
  return pieces.sort((a, b) => a.byteOffset - b.byteOffset)
}

/** The tables, and which scalars belong to which variable. */
interface Read {
  readonly tables: DebugTables
  readonly rows: ScalarRows
}

/** Scope variables of the parameters of each function are listed again in the scopes of its body. */
function variablesOf(
  { tables, rows }: Read,
  instructions: readonly DebugInstruction[],
  places: ScalarPlaces,
  frame: number,
): readonly SourceVariable[] {
  const seen = new Set<number>()
  const found: SourceVariable[] = []
  for (const row of instructions.flatMap((x) => x.scopes)) {
    const scope = tables.scopes[row]
    if (scope === undefined || scope.kind === DEBUG_SCOPE.global) continue
    for (const at of scope.variables) {
      const v = tables.scopeVariables[at]
      if (v === undefined || v.isFunction || seen.has(at)) continue
      seen.add(at)
      const kind = scope.kind === DEBUG_SCOPE.parameters ? 'parameter' : 'local'
      const scalars = scalarsIn(rows, at)
      const home = { kind: 'pieces', pieces: piecesOf(scalars, places) } as const
      found.push({ name: v.name, path: v.name, kind, type: tablesType(tables, v, scalars), byteOffset: 0, home, frame })
    }
  }
  return found
}

/** Shared memory has the names of the source: its variables are those of the globals in their order. */
function sharedNames({ tables, rows }: Read, d: Declarations, known: ReadonlySet<string>): readonly SourceVariable[] {
  const globals = tables.scopes.filter((s) => s.kind === DEBUG_SCOPE.global).at(-1)?.variables ?? []
  const inMemory = globals.flatMap((row) => {
    const v = tables.scopeVariables[row]
    return v === undefined || v.isFunction || known.has(v.name) || v.class === 4 ? [] : [{ v, row }]
  })
  const shared = sharedVariables(d)
  const fits = inMemory.length === shared.length
  return shared.map((g, i) => {
    if (!fits) return g
    const { v, row } = inMemory[i]!
    return { ...g, name: v.name, path: v.name, type: tablesType(tables, v, scalarsIn(rows, row)) }
  })
}

/**
 * The records that say which variables the caller of an inlined function has: that of the call, and the caller's next one
 * behind, which has those that are declared by the call's own statement (corpus: cs/real_light_cull.v9, c1).
 */
function callRecords(tables: DebugTables, call: number, row: number): readonly DebugInstruction[] {
  const instruction = tables.instructions[call]
  if (instruction === undefined) return []
  const name = functionOf(tables, instruction)
  const next = tables.instructions.find((x, i) => i > row && functionOf(tables, x) === name)
  return next === undefined ? [instruction] : [instruction, next]
}

/** The map that the tables give. */
export function tablesMap(
  program: Program,
  tables: DebugTables,
  reflection: Reflection,
  d: Declarations | undefined,
  out: DiagnosticSink,
): SourceMap {
  const read: Read = { tables, rows: scalarRows(tables) }
  const positions = positionsOf(program, 'instructions')
  const recordRows = new Map(tables.instructions.map((x, i) => [x.position, i]))
  const files = filesOf(tables)
  const stacks = stacksOf(tables, files)
  const rowOf = (statement: number): number | undefined => {
    const position = positions[statement] ?? NO_POSITION
    return position === NO_POSITION ? undefined : recordRows.get(position)
  }
  const recordOf = (statement: number): DebugInstruction | undefined => {
    const row = rowOf(statement)
    return row === undefined ? undefined : tables.instructions[row]
  }
  const flow = d === undefined ? undefined : followTables(tables, d, recordOf)
  if (flow?.isComplete === false) {
    out.push(diagnostic('source-effort', 'the variables of the debug data have more places than a program has'))
  }
  const reflected: readonly SourceVariable[] =
    d === undefined ? [] : [...constantVariables(reflection, d), ...resourceVariables(reflection, d)]
  const shared = d === undefined ? [] : sharedNames(read, d, new Set(reflected.map((v) => v.name)))
  const globals = [...reflected, ...shared]
  const inlineStack = (statement: number): readonly SourceFrame[] => {
    const row = rowOf(statement)
    return row === undefined ? [] : stacks[row]!
  }
  const names = new Set(tables.instructions.map((x) => functionOf(tables, x)))
  return {
    origin: 'sdbg',
    files: files.files,
    functions: [...names].map((name) => ({ name, isEntry: name === tables.entryName })),
    compiler: tables.compiler,
    settings: new Map([
      ['hlslTarget', tables.target],
      ['hlslEntry', tables.entryName],
    ]),
    inlineStack,
    linesOf(statement) {
      const frame = inlineStack(statement)[0]
      return frame === undefined ? undefined : { statement: frame.range }
    },
    ...indexLines(program.statements.length, inlineStack),
    variablesAt: remembered((statement) => {
      const row = rowOf(statement)
      if (row === undefined) return globals
      const places = flow?.before(statement) ?? new Map()
      const outer = inlineStack(statement)
        .slice(0, -1)
        .flatMap(({ site }, i) => variablesOf(read, callRecords(tables, site - 1, row), places, i + 1))
      return [...variablesOf(read, [tables.instructions[row]!], places, 0), ...outer, ...globals]
    }),
  }
}
