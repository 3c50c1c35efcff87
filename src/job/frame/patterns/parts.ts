import { inLongerParts, type Parts } from '../../../engine/index.ts'

/** Work over many elements in parts, so that a host can do other things between them. */

/** Elements between two looks at the clock. */
const ELEMENTS_OF_A_LOOK = 2 ** 8
/** Milliseconds of a part. */
const PART_MS = 8

/** Calls `make` for 0 up to, not including, `count`; each makes so many elements. */
export const eachInParts = (...each: Parameters<typeof eachBetweenLooks>): Parts =>
  inLongerParts(eachBetweenLooks(...each), PART_MS)

function* eachBetweenLooks(count: number, elements: number, make: (n: number) => void): Parts {
  const ofALook = Math.max(1, Math.floor(ELEMENTS_OF_A_LOOK / Math.max(1, elements)))
  for (let n = 0; n < count; n++) {
    make(n)
    if ((n + 1) % ofALook === 0) yield
  }
}
