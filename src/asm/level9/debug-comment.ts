/** The debug comment inside Direct3D 9 code: source files, lines and what variables instructions set. For its listing. */

/** The first dword of the comment's body. */
const DEBUG_COMMENT = 0x47554244
const NONE = 0xffff
const COMPONENTS = 4

/** Dwords of the header behind the mark; offsets in it count from the header's start. */
const HEADER = { fileCount: 3, files: 4, lineCount: 5, lines: 6, variableCount: 7, variables: 8, size: 10 } as const
const LINE_BYTES = 8
const VARIABLE_BYTES = 20
const SET_BYTES = 12
/** Characters of names that notes may repeat, for each byte of the comment. */
const NAME_EFFORT = 32

/** What the debug comment adds to instructions, by their byte offset in the code. */
export interface DebugComment {
  readonly files: ReadonlyMap<number, SourceLine>
  /** `uv<0,1>`, `::main<2>`. */
  readonly notes: ReadonlyMap<number, string>
}

interface SourceLine {
  readonly file: string
  readonly line: number
}

/** Reads of the comment's body; what lies outside is 0 or empty. */
interface Reader {
  readonly view: DataView
  /** Names still to be repeated. */
  room: number
}

const word = ({ view }: Reader, at: number): number => (at + 2 <= view.byteLength ? view.getUint16(at, true) : 0)
const dword = ({ view }: Reader, at: number): number => (at + 4 <= view.byteLength ? view.getUint32(at, true) : 0)

/** Offsets of the rows of a table, as many as lie inside. */
function rows(r: Reader, count: number, table: number, rowBytes: number): readonly number[] {
  const start = dword(r, 4 * table)
  const room = Math.max(0, Math.floor((r.view.byteLength - start) / rowBytes))
  return Array.from({ length: Math.min(dword(r, 4 * count), room) }, (_, i) => start + i * rowBytes)
}

function text(r: Reader, at: number): string {
  let end = at
  while (end < r.view.byteLength && r.view.getUint8(end) !== 0 && r.room > 0) {
    end++
    r.room--
  }
  let characters = ''
  for (let i = at; i < end; i++) characters += String.fromCharCode(r.view.getUint8(i))
  return characters
}

/** A name without a function around it is a function's result or a variable of an inlined one: it has `::` in front. */
function variableName(r: Reader, variable: number): string {
  const name = text(r, dword(r, variable + 4))
  return dword(r, variable) === 0 ? `::${name}` : name
}

/** What instructions set of one variable: by number of the line entry, the scalars in the order of the components. */
function setsOf(r: Reader, variable: number): readonly (readonly [line: number, scalars: string])[] {
  const start = dword(r, variable + 16)
  const count = Math.min(dword(r, variable + 12), Math.floor(Math.max(0, r.view.byteLength - start) / SET_BYTES))
  return Array.from({ length: count }, (_, i) => {
    const at = start + i * SET_BYTES
    const scalars = Array.from({ length: COMPONENTS }, (_unused, k) => word(r, at + 4 + 2 * k)).filter(
      (s) => s !== NONE,
    )
    return [dword(r, at), scalars.join(',')] as const
  })
}

function readComment(view: DataView): DebugComment {
  const r: Reader = { view, room: view.byteLength * NAME_EFFORT }
  const fileNames = rows(r, HEADER.fileCount, HEADER.files, 4).map((at) => text(r, dword(r, at)))
  const lines = rows(r, HEADER.lineCount, HEADER.lines, LINE_BYTES)
  const files = new Map<number, SourceLine>()
  for (const at of lines) {
    const file = fileNames[word(r, at + 2)]
    if (file !== undefined) files.set(dword(r, at + 4), { file, line: word(r, at) })
  }
  const notes = new Map<number, string>()
  for (const variable of rows(r, HEADER.variableCount, HEADER.variables, VARIABLE_BYTES)) {
    const name = variableName(r, variable)
    for (const [line, scalars] of setsOf(r, variable)) {
      const row = lines[line]
      if (row === undefined || r.room <= 0) continue
      const offset = dword(r, row + 4)
      const before = notes.get(offset)
      const note = `${before === undefined ? '' : `${before}, `}${name}<${scalars}>`
      r.room -= note.length
      notes.set(offset, note)
    }
  }
  return { files, notes }
}

/** The debug comment among the body of a comment; undefined where it is another comment. */
export function readDebugComment(body: readonly number[]): DebugComment | undefined {
  if (body[0] !== DEBUG_COMMENT || body.length < 1 + HEADER.size) return undefined
  const view = new DataView(new ArrayBuffer(4 * (body.length - 1)))
  body.slice(1).forEach((value, i) => {
    view.setUint32(4 * i, value, true)
  })
  return readComment(view)
}
