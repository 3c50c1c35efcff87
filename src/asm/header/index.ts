/**
 * The comment header of a listing: everything that `fxc /dumpbin` prints before the profile line, from the container's
 * parts and a few facts about the code (`HeaderFacts`).
 *
 * Invariants: byte for byte what fxc 10.1 prints, line ends being '\n'; names go out as Latin-1, one code unit a byte; a
 * part that does not decode is left out, as if it had been stripped. It does not look into the program itself.
 */
export type { HeaderFacts } from './facts.ts'
export { printHeader } from './print.ts'
