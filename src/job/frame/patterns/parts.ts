/** Work over many elements in parts, so that a host can do other things between them. */

/** A work that gives way to its host between its parts. */
export type Parts = Generator<void, void>

/** Elements between two looks at the clock, and milliseconds of a part. */
const ELEMENTS_OF_A_LOOK = 2 ** 8
const PART_MS = 8

/** Calls `make` for 0 up to, not including, `count`; each makes so many elements. */
export function* eachInParts(count: number, elements: number, make: (n: number) => void): Parts {
  const ofALook = Math.max(1, Math.floor(ELEMENTS_OF_A_LOOK / Math.max(1, elements)))
  let rest = performance.now() + PART_MS
  for (let n = 0; n < count; n++) {
    make(n)
    if ((n + 1) % ofALook !== 0 || performance.now() < rest) continue
    yield
    rest = performance.now() + PART_MS
  }
}
