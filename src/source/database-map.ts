/** A map of the source from a PDB. */
import type { DiagnosticSink } from '../diagnostic/index.ts'
import type { DatabaseModule, ProgramDatabase, Reflection, Scope } from '../dxbc/index.ts'
import type { Declarations } from '../engine/index.ts'
import type { Program } from '../program/index.ts'
import { type DatabaseLines, databaseLines, type ScopeAt } from './database-lines.ts'
import { typeReader } from './database-types.ts'
import { dataVariables, scopeVariables } from './database-variables.ts'
import { constantVariables, resourceVariables } from './globals.ts'
import { indexLines } from './line-index.ts'
import type { SourceFrame, SourceFunction, SourceMap, SourceRange, SourceVariable, StatementLines } from './model.ts'
import { NO_POSITION, positionsOf } from './positions.ts'
import { remembered } from './remembered.ts'

interface Parts {
  readonly database: ProgramDatabase
  readonly module: DatabaseModule
  readonly lines: DatabaseLines
  readonly positions: readonly number[]
  readonly siteNumbers: ReadonlyMap<Scope, number>
}

/** The procedure that a position lies in; there is one for the whole program in what fxc writes. */
function procedureAt({ module }: Parts, position: number): Scope | undefined {
  const procedures = module.scopes.filter((s) => s.kind === 'procedure')
  return procedures.find((s) => position >= s.byteOffset && position < s.byteOffset + s.byteLength) ?? procedures[0]
}

/** HLSL has no recursion, and calls are few deep; damaged data may nest without end. */
const MAX_FRAMES = 256

/** The scopes around a position, innermost first: the deepest inline site there, those around it, the procedure. */
function scopesAt(parts: Parts, position: number): readonly ScopeAt[] {
  const { lines } = parts
  const covering = lines.sites.get(position)
  let innermost: Scope | undefined
  for (const scope of covering?.keys() ?? []) innermost = scope
  const found: ScopeAt[] = []
  for (let s = innermost; s?.kind === 'inline-site' && found.length < MAX_FRAMES; s = s.parent) {
    found.push(covering?.get(s) ?? { scope: s })
  }
  const procedure = procedureAt(parts, position)
  if (procedure !== undefined) found.push({ scope: procedure, ...lines.base.get(position) })
  return found
}

function frameOf({ database, siteNumbers, lines }: Parts, { scope, statement }: ScopeAt): SourceFrame | undefined {
  const body = lines.bodies.get(scope.inlinee)
  const begin = body && { file: body.file, line: body.line, column: 0, endLine: body.line, endColumn: 0 }
  const range: SourceRange | undefined = statement ?? begin
  if (range === undefined) return undefined
  const functionName = scope.kind === 'procedure' ? scope.name : (database.functionNames.get(scope.inlinee) ?? '')
  return { functionName, range, site: siteNumbers.get(scope) ?? 0 }
}

function functionsOf({ database, module, lines }: Parts): readonly SourceFunction[] {
  const entry = module.scopes.find((s) => s.kind === 'procedure')
  const functions: SourceFunction[] = entry === undefined ? [] : [{ name: entry.name, isEntry: true }]
  for (const [id, name] of database.functionNames) {
    functions.push({ name, isEntry: false, ...(lines.bodies.get(id) ?? {}) })
  }
  return functions
}

/** The map that the first module of a PDB gives; undefined where there is none. */
export function databaseMap(
  program: Program,
  database: ProgramDatabase,
  reflection: Reflection,
  d: Declarations | undefined,
  out: DiagnosticSink,
): SourceMap | undefined {
  const module = database.modules[0]
  if (module === undefined) return undefined
  const positions = positionsOf(program, 'byte-offsets')
  const lines = databaseLines(
    database,
    module,
    positions.filter((p) => p !== NO_POSITION),
    out,
  )
  const sites = module.scopes.filter((s) => s.kind === 'inline-site')
  const parts: Parts = { database, module, lines, positions, siteNumbers: new Map(sites.map((s, i) => [s, i + 1])) }
  const types = typeReader(database.types)
  const reflected: readonly SourceVariable[] =
    d === undefined ? [] : [...constantVariables(reflection, d), ...resourceVariables(reflection, d)]
  const known = new Set(reflected.map((v) => v.name))
  const globals = [...reflected, ...dataVariables(database, module, types, d, known)]
  const positionOf = (statement: number): number => positions[statement] ?? NO_POSITION
  const hasLine = (statement: number): boolean => lines.base.has(positionOf(statement))

  const inlineStack = (statement: number): readonly SourceFrame[] =>
    hasLine(statement) ? scopesAt(parts, positionOf(statement)).flatMap((s) => frameOf(parts, s) ?? []) : []
  const linesOf = (statement: number): StatementLines | undefined => {
    const scope = hasLine(statement) ? scopesAt(parts, positionOf(statement))[0] : undefined
    if (scope?.statement === undefined) return undefined
    const { statement: range, expression } = scope
    return expression === undefined ? { statement: range } : { statement: range, expression }
  }
  return {
    origin: 'spdb',
    files: lines.files,
    functions: functionsOf(parts),
    compiler: database.compiler,
    settings: database.settings,
    linesOf,
    inlineStack,
    ...indexLines(program.statements.length, inlineStack),
    variablesAt: remembered((statement) => [
      ...scopesAt(parts, positionOf(statement)).flatMap(({ scope }, frame) =>
        scopeVariables(scope, types, {
          position: positionOf(statement),
          scopeStart: lines.starts.get(scope) ?? 0,
          frame,
        }),
      ),
      ...globals,
    ]),
  }
}
