/** A range of an inlined function's code that comes from one place of the source, a statement or an expression. */
export interface PlacedInlineRow {
  readonly start: number
  readonly end: number
  /** Lines behind the function's first. */
  readonly lineDelta: number
  /** Offset of the file in the table of file checksums; undefined: the function's own. */
  readonly file: number | undefined
  readonly isStatement: boolean
  /** Lines from the first to the last. */
  readonly lineCount: number
  /** From 1, both ends inclusive. */
  readonly column: number
  readonly endColumn: number
}

/** Operations of binary annotations. Numbers are those of CodeView. */
const OPERATION = {
  codeOffset: 1,
  codeOffsetBase: 2,
  addCodeOffset: 3,
  codeLength: 4,
  file: 5,
  lineOffset: 6,
  lineEndDelta: 7,
  rangeKind: 8,
  columnStart: 9,
  columnEndDelta: 10,
  codeAndLineOffset: 11,
  codeLengthAndOffset: 12,
  columnEnd: 13,
} as const

const STATEMENTS = 1

/** Unsigned numbers of one, two or four bytes; the high bits of the first say which. */
function* numbersOf(bytes: readonly number[]): Generator<number, undefined> {
  const byte = (i: number): number => bytes[i] ?? 0
  for (let i = 0; i < bytes.length; ) {
    const b = byte(i)
    if ((b & 0x80) === 0) {
      yield b
      i += 1
    } else if ((b & 0xc0) === 0x80) {
      yield ((b & 0x3f) << 8) | byte(i + 1)
      i += 2
    } else {
      yield ((b & 0x1f) << 24) | (byte(i + 1) << 16) | (byte(i + 2) << 8) | byte(i + 3)
      i += 4
    }
  }
  return undefined
}

/** Signed numbers keep their sign in the lowest bit. */
const signed = (n: number): number => ((n & 1) === 1 ? -(n >> 1) : n >> 1)

interface State {
  code: number
  lineDelta: number
  lineCount: number
  column: number
  endColumn: number
  file: number | undefined
  isStatement: boolean
}

/** The row that was begun last may have no end yet. */
type OpenRow = PlacedInlineRow & { end: number }

const NO_END = -1

/** Runs one operation; true when it begins a row. */
function step(s: State, operation: number, operand: number, second: number, last: OpenRow | undefined): boolean {
  switch (operation) {
    case OPERATION.codeOffset:
      s.code = operand
      return true
    case OPERATION.addCodeOffset:
      s.code += operand
      return true
    case OPERATION.codeAndLineOffset:
      s.code += operand & 15
      s.lineDelta += signed(operand >> 4)
      return true
    case OPERATION.codeLengthAndOffset:
      s.code += second
      return true
    case OPERATION.codeLength:
      if (last !== undefined && last.isStatement === s.isStatement) last.end = last.start + operand
      s.code += operand
      return false
    case OPERATION.file:
      s.file = operand
      return false
    case OPERATION.lineOffset:
      s.lineDelta += signed(operand)
      return false
    case OPERATION.rangeKind:
      s.isStatement = operand === STATEMENTS
      return false
    case OPERATION.lineEndDelta:
      s.lineCount = operand
      return false
    case OPERATION.columnStart:
      s.column = operand
      return false
    case OPERATION.columnEnd:
      s.endColumn = operand
      return false
    case OPERATION.columnEndDelta:
      s.endColumn = s.column + signed(operand)
      return false
    default:
      return false
  }
}

/**
 * All rows of an inlined function, those of statements before those of expressions: its binary annotations run as a small
 * machine. `base` is the offset of the procedure around.
 */
export function placedInlineRows(annotations: readonly number[], base: number): readonly PlacedInlineRow[] {
  const rows: OpenRow[] = []
  const state: State = {
    ...{ code: base, lineDelta: 0, lineCount: 0, column: 0, endColumn: 0 },
    file: undefined,
    isStatement: true,
  }
  const numbers = numbersOf(annotations)
  for (let op = numbers.next(); op.done !== true && op.value !== 0; op = numbers.next()) {
    const operand = numbers.next().value ?? 0
    const hasLength = op.value === OPERATION.codeLengthAndOffset
    const second = hasLength ? (numbers.next().value ?? 0) : 0
    const last = rows[rows.length - 1]
    if (!step(state, op.value, operand, second, last)) continue
    if (last !== undefined && last.isStatement === state.isStatement && last.end === NO_END) last.end = state.code
    const { code: start, lineDelta, lineCount, column, endColumn, file, isStatement } = state
    const end = hasLength ? start + operand : NO_END
    rows.push({ start, end, lineDelta, lineCount, column, endColumn, file, isStatement })
  }
  for (const row of rows) if (row.end === NO_END) row.end = row.start + 1
  return rows
}

/** The rows of an inlined function's statements. */
export function inlineRows(annotations: readonly number[], base: number): readonly PlacedInlineRow[] {
  return placedInlineRows(annotations, base).filter((row) => row.isStatement)
}
