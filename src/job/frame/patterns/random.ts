/** Numbers of the patterns: the linear congruential generator of the other contents, and smooth noise made of it. */

export interface Random {
  /** The next word. */
  word(): number
  /** 0 up to 1, of 24 bits. */
  unit(): number
  between(least: number, most: number): number
  /** A whole number from `least` up to, not including, `end`. */
  byte(least?: number, end?: number): number
}

/** x = x * 1664525 + 1013904223 modulo 2^32, of which the new x is used. */
export function createRandom(seed: number): Random {
  let x = seed >>> 0
  const word = (): number => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0
    return x
  }
  const unit = (): number => (word() >>> 8) / 2 ** 24
  return {
    word,
    unit,
    between: (least, most) => least + unit() * (most - least),
    byte: (least = 0, end = 256) => least + Math.floor(unit() * (end - least)),
  }
}

/** A height for each place; places are fractions of the whole, and it repeats beyond 0 and 1. */
type Heights = (u: number, v: number) => number

const smoothstep = (t: number): number => t * t * (3 - 2 * t)

/** Numbers on a square lattice, blended smoothly between its points. */
export function latticeNoise(seed: number, size: number): Heights {
  const random = createRandom(seed)
  const lattice = Float64Array.from({ length: size * size }, () => random.unit())
  const wrap = (n: number): number => ((n % size) + size) % size
  const at = (column: number, row: number): number => lattice[wrap(row) * size + wrap(column)]!
  return (u, v) => {
    const [x, y] = [u * size, v * size]
    const [column, row] = [Math.floor(x), Math.floor(y)]
    const [s, t] = [smoothstep(x - column), smoothstep(y - row)]
    const upper = at(column, row) + (at(column + 1, row) - at(column, row)) * s
    const lower = at(column, row + 1) + (at(column + 1, row + 1) - at(column, row + 1)) * s
    return upper + (lower - upper) * t
  }
}

/** Four octaves of noise, 0 to 1: each of twice as many points and half the height of the one before. */
export function terrainNoise(seed: number): Heights {
  const [first, second, third, fourth] = [4, 8, 16, 32].map((size, i) => latticeNoise(seed + i, size))
  return (u, v) => (first!(u, v) * 8 + second!(u, v) * 4 + third!(u, v) * 2 + fourth!(u, v)) / 15
}
