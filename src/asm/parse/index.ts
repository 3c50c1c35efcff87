/**
 * Assembly text to `Program`: fxc's listing in all its forms, the dialect `lossless`, and the spellings of the reference
 * pages. Driven by the rows of the instruction set and by the tables of `text/`, which the listing prints from.
 *
 * Invariants: never throws on any text, reads it once from start to end, keeps at most 100 errors; what the text leaves
 * open is encoded as fxc does. It does not read containers; `assemble` puts the program into one.
 */
export { type ChangedPart, changedPart } from './earlier.ts'
export { type Head, mnemonicSuffixes, mnemonicWords, resolveMnemonic } from './mnemonic.ts'
export type { KnownLiterals } from './number.ts'
export { registerFileOfPrefix } from './operand.ts'
export {
  type EarlierVersion,
  type ParsedProgram,
  type ParseOptions,
  parseAgain,
  parseProgram,
  parseProgramOrThrow,
} from './parse-program.ts'
export {
  inText,
  type ProgramText,
  type StatementRange,
  type TextRange,
  textPlaceOf,
  textRangeOf,
} from './program-text.ts'
