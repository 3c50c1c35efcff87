import { countLeading } from '../../diagnostic/index.ts'
import type { ByteReader } from '../bytes.ts'
import { inlineRows } from './annotations.ts'
import type { SourceLine } from './model.ts'
import type { Scope } from './symbols.ts'

/** Kinds of debug subsections of a module. Numbers are those of CodeView. */
const SUBSECTION = { lines: 0xf2, fileChecksums: 0xf4, inlineeLines: 0xf6 } as const

const HAS_COLUMNS = 1
/** A line's number stands in the low bits, the count of further lines in those above. */
const LINE_BITS = 24
const LINE_MASK = 0xffffff
const LINE_COUNT_MASK = 0x7f
const INLINEE_WITH_FILES = 1

/** An inlined function: its file, as the offset in the table of checksums, and the line of its opening brace. */
export interface Inlinee {
  readonly file: number
  readonly line: number
}

/** An instruction's place in the source of the outermost function, of the statement or of the expression in it. */
export interface LineRow {
  readonly position: number
  readonly isStatement: boolean
  /** Offset in the table of checksums. */
  readonly file: number
  readonly line: number
  readonly endLine: number
  /** From 1, both ends inclusive; 0 where there are none. */
  readonly column: number
  readonly endColumn: number
}

/** A file that lines mention. */
export interface FileChecksum {
  /** Offset in the table of checksums, by which rows name it. */
  readonly id: number
  /** Offset of its name in the table of names. */
  readonly nameOffset: number
  /** Absent for a file that `#line` names. */
  readonly md5?: Uint8Array
}

/** What the subsections of a module say, before file numbers become names. */
export interface Sections {
  readonly files: FileChecksum[]
  readonly rows: LineRow[]
  readonly inlinees: Map<number, Inlinee>
}

const MD5 = 1
const MD5_BYTES = 16

function readChecksums(r: ByteReader, from: number, end: number, s: Sections): void {
  for (let at = from; at + 6 <= end && r.fault === undefined; ) {
    const file = { id: at - from, nameOffset: r.u32(at, 'the name of a source file') }
    const byteLength = r.u8(at + 4, 'a checksum')
    const isMd5 = r.u8(at + 5, 'a checksum') === MD5 && byteLength === MD5_BYTES
    s.files.push(isMd5 ? { ...file, md5: r.slice(at + 6, byteLength, 'a checksum') } : file)
    at += (6 + byteLength + 3) & ~3
  }
}

function readLineBlocks(r: ByteReader, from: number, end: number, s: Sections): void {
  const base = r.u32(from, 'the offset of lines')
  const hasColumns = (r.u16(from + 6, 'the flags of lines') & HAS_COLUMNS) !== 0
  const lineBytes = hasColumns ? 12 : 8
  for (let at = from + 12; at + 12 <= end && r.fault === undefined; ) {
    const file = r.u32(at, 'the file of lines')
    const count = r.u32(at + 4, 'the number of lines')
    const byteLength = r.u32(at + 8, 'the size of lines')
    if (byteLength < 12 + count * lineBytes || byteLength > end - at) return
    for (let i = 0; i < count && r.fault === undefined; i++) {
      const word = r.u32(at + 12 + 8 * i + 4, 'a line')
      const columnsAt = at + 12 + 8 * count + 4 * i
      const line = word & LINE_MASK
      s.rows.push({
        position: base + r.u32(at + 12 + 8 * i, 'a line'),
        isStatement: word >>> 31 === 1,
        file,
        line,
        endLine: line + ((word >>> LINE_BITS) & LINE_COUNT_MASK),
        column: hasColumns ? r.u16(columnsAt, 'a column') : 0,
        endColumn: hasColumns ? r.u16(columnsAt + 2, 'a column') : 0,
      })
    }
    at += byteLength
  }
}

function readInlinees(r: ByteReader, from: number, end: number, s: Sections): void {
  const hasFiles = r.u32(from, 'the kind of inlined functions') === INLINEE_WITH_FILES
  for (let at = from + 4; at + 12 <= end && r.fault === undefined; ) {
    const file = r.u32(at + 4, 'the file of an inlined function')
    s.inlinees.set(r.u32(at, 'an inlined function'), { file, line: r.u32(at + 8, 'the line of an inlined function') })
    at += 12
    if (hasFiles) at += 4 + 4 * r.u32(at, 'the files of an inlined function')
  }
}

/** Reads the line tables of a module. */
export function readSections(r: ByteReader, from: number, end: number): Sections {
  const s: Sections = { files: [], rows: [], inlinees: new Map() }
  for (let at = from; at + 8 <= end && r.fault === undefined; ) {
    const kind = r.u32(at, 'a debug subsection')
    const byteLength = r.u32(at + 4, 'a debug subsection')
    const body = at + 8
    if (byteLength > end - body) break
    if (kind === SUBSECTION.lines) readLineBlocks(r, body, body + byteLength, s)
    else if (kind === SUBSECTION.fileChecksums) readChecksums(r, body, body + byteLength, s)
    else if (kind === SUBSECTION.inlineeLines) readInlinees(r, body, body + byteLength, s)
    at = body + ((byteLength + 3) & ~3)
  }
  return s
}

/** Lines rewritten by inlined functions at most; more are not of a real shader. */
const MAX_INLINED = 1 << 22

/** Inlined functions have lines of their own for the code they cover, the inner ones last. */
function applyInlineSites(
  r: ByteReader,
  s: Sections,
  lines: Map<number, Inlinee>,
  scopes: readonly Scope[],
  starts: Map<Scope, number>,
): void {
  const offsets = [...lines.keys()].sort((a, b) => a - b)
  let effort = 0
  for (const scope of scopes) {
    if (scope.kind !== 'inline-site') continue
    const inlinee = s.inlinees.get(scope.inlinee)
    const rows = inlineRows(scope.annotations, scope.byteOffset)
    if (rows.length > 0) starts.set(scope, rows[0]!.start)
    if (inlinee === undefined) continue
    for (const row of rows) {
      for (let i = countLeading(offsets, (n) => n < row.start); i < offsets.length && offsets[i]! < row.end; i++) {
        if (++effort > MAX_INLINED) {
          r.fail('effort', 0, 0, 'the lines of inlined functions')
          return
        }
        lines.set(offsets[i]!, { file: row.file ?? inlinee.file, line: inlinee.line + row.lineDelta })
      }
    }
  }
}

export interface ModuleLines {
  readonly lines: readonly SourceLine[]
  /** Where the code of each inlined function begins. */
  readonly starts: ReadonlyMap<Scope, number>
}

/** The line of each instruction, the innermost function's; `nameAt` gives the name at an offset of the table of names. */
export function listedLines(
  r: ByteReader,
  sections: Sections,
  scopes: readonly Scope[],
  nameAt: (offset: number) => string,
): ModuleLines {
  const starts = new Map<Scope, number>()
  const byPosition = new Map<number, Inlinee>()
  for (const { isStatement, position, file, line } of sections.rows) {
    if (isStatement) byPosition.set(position, { file, line })
  }
  applyInlineSites(r, sections, byPosition, scopes, starts)
  const nameOffsets = new Map(sections.files.map((f) => [f.id, f.nameOffset]))
  const lines: SourceLine[] = []
  for (const [byteOffset, { file, line }] of byPosition) {
    lines.push({ position: byteOffset, file: nameAt(nameOffsets.get(file) ?? 0), line })
  }
  lines.sort((a, b) => a.position - b.position)
  return { lines, starts }
}
