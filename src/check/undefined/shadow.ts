/**
 * Shadow memory: what is remembered of each dword (or smaller texel) of a resource. Three tables of pages that come into
 * being when they are first touched: who wrote, who read, who did an atomic. A tracked byte of 4-byte cells costs 3 bytes
 * where it is only written, 4 where it is only read, at most 9 when all three happen.
 *
 * A thread is a number from 1 (0: none); a tag is epoch * statement count + statement.
 */

/** A write cell: thread, tag, and the value that was left, to distinguish writes of equal values from others. */
export const WRITE_WORDS = 3
/** A read cell: two readers (thread, tag each), so that a writer who is one of them still meets the other. */
export const READ_WORDS = 4
/** An atomic cell: thread, tag. */
export const ATOMIC_WORDS = 2

export const PAGE_SHIFT = 10
const PAGE_CELLS = 1 << PAGE_SHIFT
export const CELL_MASK = PAGE_CELLS - 1

type Pages = (Int32Array | undefined)[]

export interface Shadow {
  /** Bytes of memory for one cell. */
  readonly granule: number
  readonly writes: Pages
  readonly reads: Pages
  readonly atomics: Pages
  /** Bytes that all pages take. */
  byteLength: number
}

export function makeShadow(granule: number): Shadow {
  return { granule, writes: [], reads: [], atomics: [], byteLength: 0 }
}

/** Makes a page of a table; call it where the table has none. */
export function makePage(shadow: Shadow, pages: Pages, page: number, cellWords: number): Int32Array {
  const made = new Int32Array(PAGE_CELLS * cellWords)
  // Arrays stay dense: a hole would make every later access slow.
  while (pages.length <= page) pages.push(undefined)
  pages[page] = made
  shadow.byteLength += made.byteLength
  return made
}

/** Forgets everything, keeping the pages for the next use. */
export function clearShadow(shadow: Shadow): void {
  for (const pages of [shadow.writes, shadow.reads, shadow.atomics]) for (const page of pages) page?.fill(0)
}
