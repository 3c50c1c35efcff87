/**
 * Shaders as text, in two dialects: `fxc` is the listing of Microsoft's compiler, byte for byte (`header/`, `level9/`,
 * `listing/`); `lossless` is text that a whole file can be made from again (`lossless/`). `parse/` reads both, and the
 * spellings of the reference pages. Tables of what both directions need are in `text/`.
 *
 * Invariants: every text form stands once, in a row of `isa` or a table of `text/`; any bytes and any text give a value
 * or diagnostics, never an exception; texts are linear in the size of what they show.
 * It does not judge a shader (that is `validate`).
 */
export { type Assembled, type AssembleOptions, assemble, assembleOrThrow } from './assemble.ts'
export { type DisassembleOptions, disassemble, disassembleOrThrow, disassembleOutcome } from './disassemble.ts'
export { assemblyText, isBinary, unicodeText } from './file-text.ts'
export { printFlowGraph } from './flow-graph.ts'
export { type HeaderFacts, printHeader } from './header/index.ts'
export {
  type CodeNotes,
  type Colors,
  debugNotes,
  type Listing,
  type ListingOptions,
  NO_COLORS,
  numberedRegisterText,
  printCode,
  printListing,
  profileText,
  statementIndents,
  statementLister,
  viewText,
} from './listing/index.ts'
export { isLossless, printLossless, readLossless } from './lossless/index.ts'
export { type ListingHeader, readListingHeader } from './parse/header.ts'
export {
  type ChangedPart,
  changedPart,
  type EarlierVersion,
  type Head,
  inText,
  mnemonicSuffixes,
  mnemonicWords,
  type ParsedProgram,
  type ParseOptions,
  type ProgramText,
  parseAgain,
  parseProgram,
  parseProgramOrThrow,
  registerFileOfPrefix,
  resolveMnemonic,
  type StatementRange,
  type TextRange,
  textPlaceOf,
  textRangeOf,
} from './parse/index.ts'
export { countStatistics } from './statistics.ts'
export { declarationPieces, GLOBAL_FLAG_SEPARATOR } from './text/declaration-text.ts'
export { INDEXABLE_SUFFIX, mnemonicSyntax } from './text/head-text.ts'
