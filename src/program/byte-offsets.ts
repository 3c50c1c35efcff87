/** Where the statements of a program stand in its code chunk; listings and debug data name them so. */
import { statementDwordCount } from './encode.ts'
import type { Program } from './model.ts'

/** Bytes of the version and length tokens, before the first statement. */
const HEADER_BYTES = 8

const KNOWN = new WeakMap<Program, readonly number[]>()

/** The first byte of each statement, from the start of the code chunk; one more at the end, where the last one ends. */
export function statementByteOffsets(program: Program): readonly number[] {
  let offsets = KNOWN.get(program)
  if (offsets === undefined) {
    let end = HEADER_BYTES
    offsets = [end, ...program.statements.map((s) => (end += 4 * statementDwordCount(s)))]
    KNOWN.set(program, offsets)
  }
  return offsets
}
