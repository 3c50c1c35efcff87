/**
 * What a float was that `%f` has rounded to six decimals. Below 8 several floats print alike; few of them are numbers that shaders
 * are written with: binary fractions, quotients of small numbers, normalized integers, and well-known constants.
 */

const MILLION = 1_000_000

/** Whether the float nearest to a positive number prints as these millionths: halves go up, or to the even digit. */
function prints(value: number, millionths: number): boolean {
  // A float times a million has few enough bits to be exact.
  const rest = Math.fround(value) * MILLION - millionths
  return rest >= -0.5 && (rest < 0.5 || (rest === 0.5 && millionths % 2 === 0))
}

/** Sixteenths, 1/32 and 1/64 are six decimals as they stand; a finer grid than 1/1024 meets many decimals by chance. */
const BINARY_DIGITS = [7, 8, 9, 10] as const
/** Quotients by numbers up to here are one in a thousand of all texts. */
const MOST_DENOMINATOR = 50
/** Denominators of normalized integers. */
const NORMALIZED = [127, 255] as const
/** The same, and sizes of textures: a finer grid, so as units alone. The first that prints alike is taken. */
const UNITS = [511, 1023, 2047, 2048, 4096, 8192, 16384, 32767, 65535].map((n) => 1 / n)

const RATIOS = [1, 2, 3, 4, 8, 1 / 2, 1 / 3, 2 / 3, 1 / 4, 3 / 4, 1 / 6, 1 / 8, 1 / 16, 3 / 2, 4 / 3, 1 / 180, 1 / 360]
const CONSTANTS: readonly number[] = [
  ...RATIOS.flatMap((r) => [Math.PI * r, r / Math.PI]),
  ...[2, 3, 5, 6, 7, 8, 10].flatMap((n) => [
    Math.sqrt(n),
    1 / Math.sqrt(n),
    Math.sqrt(n) / 2,
    Math.sqrt(n) / 3,
    Math.log(n),
    1 / Math.log(n),
  ]),
  ...[Math.E, 1 / Math.E, Math.sqrt(Math.PI), 1 / Math.sqrt(Math.PI), 1 / Math.sqrt(2 * Math.PI), 1 / Math.PI ** 2],
  // The golden ratio; sRGB and PQ.
  ...[
    (Math.sqrt(5) + 1) / 2,
    (Math.sqrt(5) - 1) / 2,
    0.0031308,
    1 / 12.92,
    1 / Math.fround(1.055),
    0.055 / 1.055,
    2610 / 16384,
  ],
  Math.LN2 / Math.LN10,
  // What fxc writes for acos and atan.
  ...[1.5707288, 0.2121144, 0.0187293, 0.3302995, 0.0208351],
  // Gamma: 1 / 1.8, 1 / 2.2 and others up to 4.
  ...Array.from({ length: 31 }, (_, i) => 10 / (i + 10)),
]

/** A multiple of 1 / `denominator` that prints so. */
function multiple(millionths: number, denominator: number): number | undefined {
  const value = Math.round((millionths * denominator) / MILLION) / denominator
  return value > 0 && prints(value, millionths) ? value : undefined
}

/**
 * The number that most likely printed as these millionths, for texts that use the fifth or sixth decimal; undefined where the
 * decimal itself is as likely as any.
 */
export function likelyNumber(millionths: number): number | undefined {
  for (const digits of BINARY_DIGITS) {
    const value = multiple(millionths, 2 ** digits)
    if (value !== undefined) return value
  }
  for (let q = 3; q <= MOST_DENOMINATOR; q++) {
    const value = multiple(millionths, q)
    if (value !== undefined) return value
  }
  for (const q of NORMALIZED) {
    const value = multiple(millionths, q)
    if (value !== undefined) return value
  }
  const unit = multiple(millionths, 1)
  if (unit !== undefined) return unit
  const reciprocal = Math.round(MILLION / millionths)
  if (reciprocal > MOST_DENOMINATOR && reciprocal <= 100 && prints(1 / reciprocal, millionths)) return 1 / reciprocal
  return [...UNITS, ...CONSTANTS].find((value) => prints(value, millionths))
}
