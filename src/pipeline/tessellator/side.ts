import { type FixedFactor, ONE } from './fixed-factors.ts'

/** Points that a factor places on a side of the domain (functional specification 11.7.5): two halves that mirror each other. */

export interface Side {
  readonly pointCount: number
  readonly isOdd: boolean
  /** Points of the first half; the middle point of an even side is not among them. */
  readonly halfCount: number
  /** Coordinates of the points in 1/65536, ascending: read-only. */
  readonly locations: Int32Array
}

const HALF = ONE / 2

/** `n` without its highest set bit: the order in which the points of a side split as its factor grows (the ruler function). */
const withoutHighestBit = (n: number): number => n & ~(1 << (31 - Math.clz32(n)))

/** Point that is about to split between `floor` and `floor + 1` points per half. */
function splitPoint(floor: number, isOdd: boolean): number {
  if (!isOdd) return 2 * withoutHighestBit(floor) + 1
  return floor === 1 ? 0 : 2 * withoutHighestBit(floor - 1) + 1
}

/** 1 / segments in 1/65536, rounded. */
const reciprocal = (segments: number): number => Math.floor(ONE / segments + 0.5)

/** Sides that were divided before: patches beside each other have one with the same factor, many have all. */
const KNOWN = new Map<number, Side>()
const MAX_KNOWN = 4096

export function divideSide(f: FixedFactor): Side {
  const key = f.factor * 2 + (f.isOdd ? 1 : 0)
  const known = KNOWN.get(key)
  if (known !== undefined) return known
  if (KNOWN.size >= MAX_KNOWN) KNOWN.clear()
  const made = newSide(f)
  KNOWN.set(key, made)
  return made
}

function newSide({ factor, isOdd }: FixedFactor): Side {
  const odd = isOdd ? 1 : 0
  const halfFactor = (factor + 1) >> 1
  // A side of one segment is divided like one of two where it must be even.
  const h = halfFactor + (isOdd || halfFactor === HALF ? HALF : 0)
  const floor = Math.floor(h / ONE)
  const ceiling = Math.ceil(h / ONE)
  const fraction = h - floor * ONE
  const split = fraction === 0 ? Number.POSITIVE_INFINITY : splitPoint(floor, isOdd)
  const floorStep = reciprocal(2 * floor - odd)
  const ceilingStep = reciprocal(2 * ceiling - odd)
  const pointCount = 2 * ceiling + 1 - odd
  const locations = new Int32Array(pointCount)
  for (let p = 0; p < ceiling; p++) {
    // Both divisions are blended; the point that splits off stands on its neighbor in the coarser one.
    const coarse = (p > split ? p - 1 : p) * floorStep
    const at = (coarse * (ONE - fraction) + p * ceilingStep * fraction + HALF) >>> 16
    locations[p] = at
    locations[pointCount - 1 - p] = ONE - at
  }
  if (!isOdd) locations[ceiling] = HALF
  return { pointCount, isOdd, halfCount: ceiling, locations }
}
