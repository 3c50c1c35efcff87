/** Work over many elements in parts, so that a host can do other things between them. */

/** A work that gives way to its host between its parts. */
export type Parts = Generator<void, void>

/** Elements of a part: a few milliseconds of them, whatever they are. */
const ELEMENTS_OF_A_PART = 2 ** 11

/** Calls `make` for 0 up to, not including, `count`; each makes so many elements. */
export function* eachInParts(count: number, elements: number, make: (n: number) => void): Parts {
  const ofAPart = Math.max(1, Math.floor(ELEMENTS_OF_A_PART / Math.max(1, elements)))
  for (let n = 0; n < count; n++) {
    make(n)
    if ((n + 1) % ofAPart === 0) yield
  }
}
