/** A word, or what may stand for it. */
export type Result = number | 'nan' | 'nan-high' | 'any'

/**
 * Vectors of pure instructions: source words, result words and the rule behind them. Expected words are literals worked
 * out from the functional specification (its section stands in the reason), never printed by the code under test.
 */
export interface Vector {
  /** Words as a row's meaning takes them: one a source (`componentwise`), all components (`reduce`), pairs of doubles. */
  readonly sources: readonly number[]
  /** Words of every result. 'nan' is any float32 NaN, 'any' and 'nan-high' any quiet NaN of a double. */
  readonly results: readonly Result[]
  readonly reason: string
}

export interface VectorTable {
  readonly mnemonic: string
  readonly vectors: readonly Vector[]
}

export const ZERO = 0
export const MINUS_ZERO = 0x80000000
export const ONE = 0x3f800000
export const MINUS_ONE = 0xbf800000
export const TWO = 0x40000000
export const HALF = 0x3f000000
/** -3 and 5 stand for -F and +F in the specification's tables. */
export const MINUS_THREE = 0xc0400000
export const FIVE = 0x40a00000
export const SMALLEST_NORMAL = 0x00800000
export const LARGEST = 0x7f7fffff
export const DENORMAL = 0x00000001
export const MINUS_DENORMAL = 0x80000001
export const LARGEST_DENORMAL = 0x007fffff
export const INFINITY = 0x7f800000
export const MINUS_INFINITY = 0xff800000
/** The NaN of arithmetic. */
export const NAN = 0x7fc00000
export const SIGNALING_NAN = 0x7f800001
export const PAYLOAD_NAN = 0xffc12345
export const TRUE = 0xffffffff
export const INT_MIN = 0x80000000
export const INT_MAX = 0x7fffffff
export const MINUS_1 = 0xffffffff

const f32 = new Float32Array(1)
const f32Word = new Uint32Array(f32.buffer)
const f64 = new DataView(new ArrayBuffer(8))

/** The word of the float32 nearest to a number. */
export function float(x: number): number {
  f32[0] = x
  return f32Word[0]!
}

export function floatOf(word: number): number {
  f32Word[0] = word
  return f32[0]!
}

/** The words of a double, low word first. */
export function double(x: number): readonly [number, number] {
  f64.setFloat64(0, x)
  return [f64.getUint32(4), f64.getUint32(0)]
}

type Row = readonly [sources: readonly number[], results: readonly Result[], reason: string]

export function table(mnemonic: string, ...rows: readonly Row[]): VectorTable {
  return { mnemonic, vectors: rows.map(([sources, results, reason]) => ({ sources, results, reason })) }
}

/** One source and one result a row. */
export function unaryTable(
  mnemonic: string,
  section: string,
  ...rows: readonly (readonly [source: number, result: number | 'nan', reason?: string])[]
): VectorTable {
  return table(
    mnemonic,
    ...rows.map(([s, r, reason]) => [[s], [r], reason === undefined ? section : `${section}: ${reason}`] as const),
  )
}

/** Two sources and one result a row. */
export function binaryTable(
  mnemonic: string,
  section: string,
  ...rows: readonly (readonly [a: number, b: number, result: number | 'nan', reason?: string])[]
): VectorTable {
  return table(
    mnemonic,
    ...rows.map(
      ([a, b, r, reason]) => [[a, b], [r], reason === undefined ? section : `${section}: ${reason}`] as const,
    ),
  )
}

/** A table of the specification: every value of `rows` (src0) against every value of `columns` (src1). */
export function classTable(
  mnemonic: string,
  section: string,
  rows: readonly number[],
  columns: readonly number[],
  results: readonly (readonly number[])[],
): VectorTable {
  return {
    mnemonic,
    vectors: rows.flatMap((a, i) =>
      columns.map((b, j) => ({ sources: [a, b], results: [results[i]![j]!], reason: `${section}: table` })),
    ),
  }
}

export function join(...tables: readonly VectorTable[]): VectorTable {
  return { mnemonic: tables[0]!.mnemonic, vectors: tables.flatMap((t) => t.vectors) }
}
