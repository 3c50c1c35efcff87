import type { Program } from '../../program/index.ts'
import { colorsOf } from './colors.ts'
import type { ListingOptions } from './options.ts'
import { type CodeNotes, printCode } from './print-code.ts'

/** The parts of a listing. */
export interface Listing {
  /** The comments before the profile line, each line with its end. */
  readonly header: string
  readonly program: Program
  /** What debug data adds (`debugNotes`). */
  readonly notes?: CodeNotes
  /** The instruction count of the statistics, 0 where they were stripped. */
  readonly slotCount: number
}

/** The last line of every listing. The word stays plural for 1. */
const trailer = (slotCount: number): string => `// Approximately ${slotCount} instruction slots used\n`

/** A whole listing as `fxc /dumpbin` prints it, line ends being `\n`. */
export function printListing(listing: Listing, options: ListingOptions = {}): string {
  const c = colorsOf(options.colors)
  const code = printCode(listing.program, options, listing.notes)
  const header = c.fileBegin + c.commentBegin + listing.header + c.partEnd
  return header + c.codeBegin + code + c.partEnd + c.commentBegin + trailer(listing.slotCount) + c.partEnd + c.fileEnd
}
