/**
 * Shadow memory: what is remembered of each dword (or smaller texel) of a resource, in pages that come into being when
 * they are first touched. A cell is CELL_WORDS words, so a tracked byte of 4-byte cells costs at most 8 bytes.
 */
export const CELL_WORDS = 8

/** The words of a cell. A thread is a number from 1 (0: nobody); a tag is epoch * statement count + statement. */
export const WRITER = 0
export const WRITER_TAG = 1
/** The value that the writer left, to tell writes of equal values from others. */
export const WRITTEN = 2
export const READER = 3
export const READER_TAG = 4
/** A reader unlike READER, so that a writer who is one of them still meets the other. */
export const OTHER_READER = 5
export const OTHER_READER_TAG = 6
/** What WRITER did: one of the numbers below. */
export const WRITE_KIND = 7

export const PLAIN = 1
export const ATOMIC = 2

const PAGE_CELLS = 1024
const PAGE_SHIFT = 10

export interface Shadow {
  /** Bytes of memory for one cell. */
  readonly granule: number
  readonly pages: (Int32Array | undefined)[]
}

export function makeShadow(granule: number): Shadow {
  return { granule, pages: [] }
}

/** The page of a cell; its words start at `cellOffset(cell)`. */
export function pageOf(shadow: Shadow, cell: number): Int32Array {
  const page = Math.floor(cell / PAGE_CELLS)
  const found = shadow.pages[page]
  if (found !== undefined) return found
  const made = new Int32Array(PAGE_CELLS * CELL_WORDS)
  shadow.pages[page] = made
  return made
}

export function cellOffset(cell: number): number {
  return (cell & ((1 << PAGE_SHIFT) - 1)) * CELL_WORDS
}

/** Forgets everything, keeping the pages for the next use. */
export function clearShadow(shadow: Shadow): void {
  for (const page of shadow.pages) page?.fill(0)
}

/** Bytes that the shadow takes now. */
export function shadowByteLength(shadow: Shadow): number {
  return shadow.pages.reduce((n, page) => n + (page?.byteLength ?? 0), 0)
}
