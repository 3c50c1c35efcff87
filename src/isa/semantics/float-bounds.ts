/**
 * Float32 arithmetic with bounds: what is known of a number that is computed in two ways, or computed instead of a real number. All
 * bounds are computed in doubles, whose own rounding callers leave room for.
 */

/** A number lies between two others, and what stands for it is off by `error` at the most. */
export interface FloatBounds {
  readonly least: number
  readonly greatest: number
  readonly error: number
}

/** Nothing is known: no error is small enough. */
export const UNBOUNDED: FloatBounds = { least: -Infinity, greatest: Infinity, error: Infinity }

/** A flush to zero changes a number by less, and so does rounding to a denormal. */
const LEAST_NORMAL = 2 ** -126
/** Beyond it nothing is said: sums and products of such numbers are still finite. */
const MOST = 2 ** 60

/** Half a unit of the last place of float32 numbers up to a size: what rounding to nearest changes at the most. */
export const roundingOf = (size: number): number =>
  size < MOST ? Math.max(2 ** (Math.ceil(Math.log2(Math.max(size, LEAST_NORMAL))) - 25), LEAST_NORMAL) : Infinity

const sizeOf = ({ least, greatest }: FloatBounds): number => Math.max(Math.abs(least), Math.abs(greatest))

/** Numbers between two others, computed with an error and rounded `roundings` times: once, or in both ways. */
function rounded(least: number, greatest: number, error: number, roundings: 1 | 2): FloatBounds {
  const size = Math.max(Math.abs(least), Math.abs(greatest)) + error
  const rounding = roundingOf(size)
  if (!(size < MOST)) return UNBOUNDED
  const moved = roundings === 2 ? rounding : 0
  return { least: least - moved, greatest: greatest + moved, error: error + roundings * rounding }
}

/** The sum; `within` are bounds that are known of it from elsewhere. */
export function boundedSum(
  a: FloatBounds,
  b: FloatBounds,
  roundings: 1 | 2,
  within: readonly [number, number] = [-Infinity, Infinity],
): FloatBounds {
  const [least, greatest] = [Math.max(a.least + b.least, within[0]), Math.min(a.greatest + b.greatest, within[1])]
  return rounded(least, greatest, a.error + b.error, roundings)
}

export function boundedProduct(a: FloatBounds, b: FloatBounds, roundings: 1 | 2): FloatBounds {
  const [ll, lg, gl, gg] = [a.least * b.least, a.least * b.greatest, a.greatest * b.least, a.greatest * b.greatest]
  const [least, greatest] = [Math.min(ll, lg, gl, gg), Math.max(ll, lg, gl, gg)]
  if (Number.isNaN(least)) return UNBOUNDED
  const error = sizeOf(a) * b.error + sizeOf(b) * a.error + a.error * b.error
  return rounded(least, greatest, error, roundings)
}

export const negated = ({ least, greatest, error }: FloatBounds): FloatBounds => ({
  least: -greatest,
  greatest: -least,
  error,
})

/** The greater or less of two: it moves no more than the one of them that moves more. */
export function boundedExtreme(a: FloatBounds, b: FloatBounds, isMax: boolean): FloatBounds {
  const pick = isMax ? Math.max : Math.min
  return {
    least: pick(a.least, b.least),
    greatest: pick(a.greatest, b.greatest),
    error: Math.max(a.error, b.error),
  }
}

/** What a flush of denormals leaves, in both ways. */
export const boundedFlush = ({ least, greatest, error }: FloatBounds): FloatBounds => ({
  least: least - LEAST_NORMAL,
  greatest: greatest + LEAST_NORMAL,
  error: error + 2 * LEAST_NORMAL,
})

/** A finite number that is the same in both ways. */
export const exactly = (value: number): FloatBounds =>
  Number.isFinite(value) ? { least: value, greatest: value, error: 0 } : UNBOUNDED
