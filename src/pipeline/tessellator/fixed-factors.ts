import type { TessellatorPartitioning } from '../../engine/index.ts'

/** Tessellation factors of a patch, clamped, rounded and in fixed point (functional specification 11.7.10 to 11.7.14). */

/** 1.0 in fixed point with 16 fraction bits: coordinates of domain points and factors. */
export const ONE = 0x10000
/** Rounds to fixed point 1 + 2^-16 and no more; larger factors do not round to 1. */
const LARGEST_ROUNDED_TO_ONE = 1 + 2 ** -17

export interface FixedFactor {
  /** 16 fraction bits. */
  readonly factor: number
  /** Whether the number of segments is odd. */
  readonly isOdd: boolean
}

export interface FixedFactors {
  readonly edges: readonly FixedFactor[]
  readonly insides: readonly FixedFactor[]
  /** All factors are 1: the patch has its corners only. */
  readonly isWhole: boolean
}

interface Bounds {
  readonly low: number
  readonly high: number
}

const BOUNDS: Readonly<Record<TessellatorPartitioning, Bounds>> = {
  integer: { low: 1, high: 64 },
  // Rounding to powers of two is code of the hull shader (11.7.7.1).
  pow2: { low: 1, high: 64 },
  fractional_odd: { low: 1, high: 63 },
  fractional_even: { low: 2, high: 64 },
}
const DENSITY_BOUNDS = BOUNDS.integer

/** An edge factor that is not above 0 culls the patch; NaN is not. */
export const cullsPatch = (edgeFactor: number): boolean => !(edgeFactor > 0)

/** NaN gives the lower bound. */
const clamp = (f: number, b: Bounds): number => (f >= b.low ? Math.min(f, b.high) : b.low)

const isInteger = (p: TessellatorPartitioning): boolean => p === 'integer' || p === 'pow2'

/** Nearest fixed-point number, ties to even. */
function toFixed(f: number): number {
  const scaled = f * ONE
  const floor = Math.floor(scaled)
  const rest = scaled - floor
  return rest > 0.5 || (rest === 0.5 && (floor & 1) === 1) ? floor + 1 : floor
}

function edgeFactor(f: number, p: TessellatorPartitioning, bounds: Bounds): FixedFactor {
  const clamped = clamp(f, bounds)
  if (!isInteger(p)) return { factor: toFixed(clamped), isOdd: p === 'fractional_odd' }
  const rounded = Math.ceil(clamped)
  return { factor: toFixed(rounded), isOdd: (rounded & 1) === 1 }
}

/** Inside factors of 1 count as even, so that the ring of triangles along the edges has an inner side. */
function insideFactor(f: number, p: TessellatorPartitioning, bounds: Bounds): FixedFactor {
  const fixed = edgeFactor(f, p, bounds)
  return isInteger(p) && fixed.factor === ONE ? { factor: ONE, isOdd: false } : fixed
}

/** The bounds of inside factors of a patch of which a factor is above 1, with fractional_odd. */
const DIVIDED_ODD: Bounds = { low: 1 + 1 / ONE, high: BOUNDS.fractional_odd.high }

/**
 * Factors of a quad or triangle patch: of `edgeCount` edges, and `insideCount` of the inside behind them. With fractional_odd an inside
 * factor is above 1 as soon as any other factor is, for the same reason.
 */
export function fixedFactors(
  p: TessellatorPartitioning,
  factors: ArrayLike<number>,
  edgeCount: number,
  insideCount: number,
): FixedFactors {
  const bounds = BOUNDS[p]
  const count = edgeCount + insideCount
  let needsRing = false
  if (p === 'fractional_odd')
    for (let i = 0; i < count; i++) needsRing = needsRing || factors[i]! > LARGEST_ROUNDED_TO_ONE
  const insideBounds = needsRing ? DIVIDED_ODD : bounds
  const edges: FixedFactor[] = []
  const insides: FixedFactor[] = []
  let isWhole = p !== 'fractional_even'
  for (let i = 0; i < count; i++) {
    const isEdge = i < edgeCount
    const fixed = isEdge ? edgeFactor(factors[i]!, p, bounds) : insideFactor(factors[i]!, p, insideBounds)
    ;(isEdge ? edges : insides).push(fixed)
    isWhole = isWhole && fixed.factor === ONE
  }
  return { edges, insides, isWhole }
}

/** Factors of isolines: how each line is divided, and how many lines there are, which is an integer in every partitioning. */
export function fixedLineFactors(
  p: TessellatorPartitioning,
  detail: number,
  density: number,
): { readonly detail: FixedFactor; readonly density: FixedFactor } {
  return { detail: edgeFactor(detail, p, BOUNDS[p]), density: edgeFactor(density, 'integer', DENSITY_BOUNDS) }
}
