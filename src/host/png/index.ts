/**
 * PNG files of run descriptions, for Node and for pages alike: what is accepted, and in which words the rest is refused, is
 * the same in both.
 *
 * Invariants: bad bytes give a reason, never an exception; the memory that reading takes is bounded by the pixels that the
 * header states.
 */
export { decodePng } from './decode.ts'
export { encodePng } from './encode.ts'
