/** Which places of the source each statement comes from, in the entry and in the functions that were inlined there. */
import { countLeading, type DiagnosticSink, diagnostic } from '../diagnostic/index.ts'
import {
  type DatabaseModule,
  hexDigest,
  type PlacedInlineRow,
  type ProgramDatabase,
  placedInlineRows,
  type Scope,
} from '../dxbc/index.ts'
import type { SourceFileOfMap, SourceRange } from './model.ts'

/** An inlined copy of a function, or a procedure, at one statement. */
export interface ScopeAt {
  readonly scope: Scope
  readonly statement?: SourceRange
  readonly expression?: SourceRange
}

export interface DatabaseLines {
  readonly files: readonly SourceFileOfMap[]
  /** Rows of the outermost function by position. */
  readonly base: ReadonlyMap<number, { statement?: SourceRange; expression?: SourceRange }>
  /** Inline sites whose statements cover a position, outer before inner. */
  readonly sites: ReadonlyMap<number, ReadonlyMap<Scope, ScopeAt>>
  /** The first position that the statements of an inline site cover. */
  readonly starts: ReadonlyMap<Scope, number>
  /** Where the body of an inlined function begins. */
  readonly bodies: ReadonlyMap<number, { readonly file: number; readonly line: number }>
}

/** The files of a module, and the index of each in the map by the number that rows have. */
function filesOf(database: ProgramDatabase, module: DatabaseModule) {
  const files: SourceFileOfMap[] = []
  const indices = new Map<number, number>()
  for (const { id, nameOffset, md5 } of module.sections.files) {
    const name = database.nameAt(nameOffset)
    const text = database.textOf(name)
    indices.set(id, files.length)
    files.push({ name, ...(text === undefined ? {} : { text }), ...(md5 === undefined ? {} : { md5: hexDigest(md5) }) })
  }
  return { files, indices }
}

/** Inline sites times the statements that they cover; more are not of a real shader. */
const MAX_COVERED = 1 << 20

type Placing = (row: PlacedInlineRow) => SourceRange | undefined

/** Puts a site's rows at the positions that they cover; false when that is too many. */
function coverRows(
  rows: readonly PlacedInlineRow[],
  positions: readonly number[],
  place: Placing,
  budget: { left: number },
): Map<number, { statement?: SourceRange; expression?: SourceRange }> | undefined {
  const found = new Map<number, { statement?: SourceRange; expression?: SourceRange }>()
  for (const row of rows) {
    const range = place(row)
    for (let i = countLeading(positions, (n) => n < row.start); i < positions.length && positions[i]! < row.end; i++) {
      if (--budget.left < 0) return undefined
      const known = found.get(positions[i]!) ?? {}
      if (range !== undefined) known[row.isStatement ? 'statement' : 'expression'] = range
      if (row.isStatement || found.has(positions[i]!)) found.set(positions[i]!, known)
    }
  }
  return found
}

/** Reads the lines of a module for the positions of a program's instructions, ascending. */
export function databaseLines(
  database: ProgramDatabase,
  module: DatabaseModule,
  positions: readonly number[],
  out: DiagnosticSink,
): DatabaseLines {
  const { files, indices } = filesOf(database, module)
  const base = new Map<number, { statement?: SourceRange; expression?: SourceRange }>()
  for (const { position, isStatement, file, line, endLine, column, endColumn } of module.sections.rows) {
    const index = indices.get(file)
    if (index === undefined) continue
    const known = base.get(position) ?? {}
    known[isStatement ? 'statement' : 'expression'] = { file: index, line, column, endLine, endColumn }
    base.set(position, known)
  }
  const bodies = new Map<number, { file: number; line: number }>()
  for (const [id, { file, line }] of module.sections.inlinees) {
    const index = indices.get(file)
    if (index !== undefined) bodies.set(id, { file: index, line })
  }
  const starts = new Map<Scope, number>()
  const budget = { left: MAX_COVERED }
  const sites = new Map<number, Map<Scope, ScopeAt>>()
  const inlined = module.scopes.filter((s) => s.kind === 'inline-site').sort((a, b) => a.depth - b.depth)
  for (const scope of inlined) {
    const body = bodies.get(scope.inlinee)
    const place: Placing = (row) => {
      const file = row.file === undefined ? body?.file : indices.get(row.file)
      if (body === undefined || file === undefined) return undefined
      const line = body.line + row.lineDelta
      return { file, line, column: row.column, endLine: line + row.lineCount, endColumn: row.endColumn }
    }
    const rows = placedInlineRows(scope.annotations, scope.byteOffset)
    const first = rows.reduce(
      (least, r) => (r.isStatement ? Math.min(least, r.start) : least),
      Number.POSITIVE_INFINITY,
    )
    starts.set(scope, first)
    const covered = coverRows(rows, positions, place, budget)
    if (covered === undefined) {
      out.push(diagnostic('source-effort', 'the inlined functions of the debug data cover more than a program has'))
      break
    }
    for (const [position, at] of covered) {
      const covering = sites.get(position) ?? new Map<Scope, ScopeAt>()
      sites.set(position, covering.set(scope, { scope, ...at }))
    }
  }
  return { files, base, sites, starts, bodies }
}
