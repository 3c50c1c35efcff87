import type { ByteReader } from '../bytes.ts'
import { inlineRows } from './annotations.ts'
import type { SourceLine } from './model.ts'
import type { Scope } from './symbols.ts'

/** Kinds of debug subsections of a module. Numbers are those of CodeView. */
const SUBSECTION = { lines: 0xf2, fileChecksums: 0xf4, inlineeLines: 0xf6 } as const

const HAS_COLUMNS = 1
const INLINEE_WITH_FILES = 1

interface Inlinee {
  readonly file: number
  readonly line: number
}

/** What the subsections of a module say, before file numbers become names. */
interface Sections {
  /** Name offset by file number (the offset in the table of checksums). */
  readonly nameOffsets: Map<number, number>
  readonly lines: Map<number, { file: number; line: number }>
  readonly inlinees: Map<number, Inlinee>
}

function readChecksums(r: ByteReader, from: number, end: number, s: Sections): void {
  for (let at = from; at + 6 <= end && r.fault === undefined; ) {
    s.nameOffsets.set(at - from, r.u32(at, 'the name of a source file'))
    at += (6 + r.u8(at + 4, 'a checksum') + 3) & ~3
  }
}

function readLineBlocks(r: ByteReader, from: number, end: number, s: Sections): void {
  const base = r.u32(from, 'the offset of lines')
  const lineBytes = (r.u16(from + 6, 'the flags of lines') & HAS_COLUMNS) === 0 ? 8 : 12
  for (let at = from + 12; at + 12 <= end && r.fault === undefined; ) {
    const file = r.u32(at, 'the file of lines')
    const count = r.u32(at + 4, 'the number of lines')
    const byteLength = r.u32(at + 8, 'the size of lines')
    if (byteLength < 12 + count * lineBytes || byteLength > end - at) return
    for (let i = 0; i < count; i++) {
      const word = r.u32(at + 12 + 8 * i + 4, 'a line')
      if (word >>> 31 === 1) s.lines.set(base + r.u32(at + 12 + 8 * i, 'a line'), { file, line: word & 0xffffff })
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

function readSections(r: ByteReader, from: number, end: number): Sections {
  const s: Sections = { nameOffsets: new Map(), lines: new Map(), inlinees: new Map() }
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

/** Index of the first of ascending numbers that is not less than `n`. */
function lowerBound(numbers: readonly number[], n: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (numbers[middle]! < n) low = middle + 1
    else high = middle
  }
  return low
}

/** Lines rewritten by inlined functions at most; more are not of a real shader. */
const MAX_INLINED = 1 << 22

/** Inlined functions have lines of their own for the code they cover, the inner ones last. */
function applyInlineSites(r: ByteReader, s: Sections, scopes: readonly Scope[], starts: Map<Scope, number>): void {
  const offsets = [...s.lines.keys()].sort((a, b) => a - b)
  let effort = 0
  for (const scope of scopes) {
    if (scope.kind !== 'inline-site') continue
    const inlinee = s.inlinees.get(scope.inlinee)
    const rows = inlineRows(scope.annotations, scope.byteOffset)
    if (rows.length > 0) starts.set(scope, rows[0]!.start)
    if (inlinee === undefined) continue
    for (const row of rows) {
      for (let i = lowerBound(offsets, row.start); i < offsets.length && offsets[i]! < row.end; i++) {
        if (++effort > MAX_INLINED) {
          r.fail('effort', 0, 0, 'the lines of inlined functions')
          return
        }
        s.lines.set(offsets[i]!, { file: row.file ?? inlinee.file, line: inlinee.line + row.lineDelta })
      }
    }
  }
}

export interface ModuleLines {
  readonly lines: readonly SourceLine[]
  /** Where the code of each inlined function begins. */
  readonly starts: ReadonlyMap<Scope, number>
}

/** Reads the line tables of a module; `nameAt` gives the name at an offset of the table of names. */
export function readLines(
  r: ByteReader,
  from: number,
  end: number,
  scopes: readonly Scope[],
  nameAt: (offset: number) => string,
): ModuleLines {
  const sections = readSections(r, from, end)
  const starts = new Map<Scope, number>()
  applyInlineSites(r, sections, scopes, starts)
  const lines: SourceLine[] = []
  for (const [byteOffset, { file, line }] of sections.lines) {
    lines.push({ position: byteOffset, file: nameAt(sections.nameOffsets.get(file) ?? 0), line })
  }
  lines.sort((a, b) => a.position - b.position)
  return { lines, starts }
}
