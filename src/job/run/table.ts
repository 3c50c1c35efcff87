import { largest } from '../../diagnostic/index.ts'
/** A table for people: columns as wide as their widest cell, numbers to the right. */
export interface Table {
  readonly heads: readonly string[]
  /** Type or unit under each head; left out where all are empty. */
  readonly types?: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

const NUMBER = /^[-(]?[\d.]|^0x|^-?Infinity$|^NaN$/

/** Lines of a table, indented by two spaces. */
export function tableLines(table: Table): string[] {
  const { heads, types, rows } = table
  const all = [heads, ...(types === undefined ? [] : [types]), ...rows]
  const widths = heads.map((_, c) =>
    largest(
      0,
      all.map((r) => (r[c] ?? '').length),
    ),
  )
  const right = heads.map((_, c) => rows.length > 0 && rows.every((r) => NUMBER.test(r[c] ?? '')))
  const line = (cells: readonly string[]): string =>
    `  ${widths.map((w, c) => (right[c] ? (cells[c] ?? '').padStart(w) : (cells[c] ?? '').padEnd(w))).join('  ')}`.trimEnd()
  const typeLine = types === undefined || types.every((t) => t === '') ? [] : [line(types)]
  return [line(heads), ...typeLine, line(widths.map((w) => '-'.repeat(w))), ...rows.map(line)]
}
