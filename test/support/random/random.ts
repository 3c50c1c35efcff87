import { seedState, xorshift32 } from '../../../src/machine/index.ts'

/** Numbers of a seed: the same on every engine and machine. */
export class Random {
  #state: number
  constructor(seed: number) {
    this.#state = seedState(seed)
    // Seeds that lie side by side begin alike; some steps apart they do not.
    for (let i = 0; i < 4; i++) this.next()
  }
  next(): number {
    this.#state = xorshift32(this.#state)
    return this.#state
  }
  below(n: number): number {
    return Math.floor((this.next() / 2 ** 32) * n)
  }
  chance(p: number): boolean {
    return this.next() / 2 ** 32 < p
  }
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }
}

/**
 * What the inputs and literals of a program hold.
 * - `special`: words on which mistakes show, in every lane.
 * - `tame`: normal floats of moderate size alone, so that no denormal arises from most arithmetic.
 * - `edge`: floats around the exponents at which sums, products and squares begin to be denormal.
 * - `mixed`: mostly tame, with an edge or a special in some lanes: both ways of code that assumes the common case.
 */
export type Numbers = 'special' | 'tame' | 'edge' | 'mixed'
export const NUMBERS: readonly Numbers[] = ['special', 'tame', 'edge', 'mixed']

/** Zeros, denormals, bounds of normals and integers, ties, infinities, NaNs with payloads. */
export const SPECIALS: readonly number[] = [
  0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x3f800000, 0xbf800000, 0x7f7fffff,
  0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0x7fc12345, 0xffffffff, 0x7fffffff, 2, 3, 4,
  31, 32, 33, 0x3f000000, 0x40000000, 0x3fc00000, 0x4b000000, 0x4b800001, 0x4f000000, 0x5f000000, 0x1f000000,
  0x3effffff, 0x3f7fffff, 0x34000000, 0x01000000, 0x2f800000, 0xcf000001, 0x42fe0000, 0xc2fc0001, 0x3ff00000,
  // Halves of ties: 0.5, 1.5 and 2.5 round to even; 2^-14 and its neighbors as float16; the last float16 before infinity.
  0x40200000,
  0xbfc00000, 0x38800000, 0x387fffff, 0x33000000, 0x33000001, 0x477fe000, 0x477ff000, 0x477fefff,
]

function specialWord(r: Random): number {
  const kind = r.below(5)
  if (kind < 2) return r.pick(SPECIALS)
  if (kind === 2) return r.next()
  if (kind === 3) return r.below(64)
  return tameWord(r)
}

function floatWord(r: Random, exponent: number, fraction: number): number {
  return ((r.below(2) << 31) | (exponent << 23) | fraction) >>> 0
}

const tameWord = (r: Random): number => floatWord(r, 112 + r.below(30), r.below(1 << 23))

/**
 * Biased exponents around which results become denormal: sums at 2^-126 and 24 binades above, where their last bits
 * are; squares and products at 2^-63; and what a factor of 2^-75 brings there, whose own square is 0.
 */
const EDGE_EXPONENTS = [0, 0, 1, 2, 3, 23, 24, 25, 51, 52, 53, 63, 64, 65, 75, 76, 77, 126, 127, 128] as const
const EDGE_FRACTIONS = [0, 0, 1, 0x400000, 0x7ffffe, 0x7fffff] as const

function edgeWord(r: Random): number {
  if (r.chance(0.15)) return r.chance(0.5) ? 0 : 0x80000000
  const fraction = r.chance(0.6) ? r.pick(EDGE_FRACTIONS) : r.below(1 << 23)
  return floatWord(r, r.pick(EDGE_EXPONENTS), fraction)
}

export function wordOf(r: Random, numbers: Numbers): number {
  switch (numbers) {
    case 'special':
      return specialWord(r)
    case 'tame':
      return tameWord(r)
    case 'edge':
      return edgeWord(r)
    case 'mixed':
      if (!r.chance(0.1)) return tameWord(r)
      return r.chance(0.7) ? edgeWord(r) : specialWord(r)
  }
}
