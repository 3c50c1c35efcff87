/**
 * fxc's listing of a program: the text of `fxc /dumpbin` from the profile line on, byte for byte, with its options.
 *
 * Invariants: what an instruction prints comes from its row and from the text tables in `../text`, no mnemonic or
 * opcode is compared; every Program has a listing, and its length is linear in the program's.
 * It does not print the comments in front of the profile line (`../header`) and does not read text (`../parse`).
 */
export { type Colors, NO_COLORS } from './colors.ts'
export { debugNotes } from './debug-notes.ts'
export type { ListingOptions } from './options.ts'
export { type CodeNotes, printCode, profileText, statementIndents } from './print-code.ts'
export { viewText } from './print-head.ts'
export { type Listing, printListing } from './print-listing.ts'
export { numberedRegisterText } from './print-operand.ts'
export { statementLister } from './statement-lister.ts'
