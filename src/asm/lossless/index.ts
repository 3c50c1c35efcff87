/**
 * The dialect `lossless` (docs/lossless-dialect.md): a readable text of a whole file from which the file comes back byte
 * for byte.
 *
 * Invariants: `readLossless(printLossless(x)).value` is x for all bytes x, containers or not; the text is linear in the
 * size of the file. It prints nothing that it has not read back.
 */
export { printLossless } from './print.ts'
export { isLossless, readLossless } from './read.ts'
