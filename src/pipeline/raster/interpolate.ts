import { CONSTANT, NOPERSPECTIVE, PERSPECTIVE, type VertexWords } from './clip.ts'
import { HALF_PIXEL, SUBPIXELS } from './fixed-point.ts'
import type { ScreenPrimitive } from './primitive.ts'

/**
 * Attributes at a place on the screen (functional specification 3.5, 16.4): weights from exact edge functions over snapped
 * positions, computed in double precision and rounded once to float32.
 */

/** Places at which a primitive is evaluated, by columns: positions in 1/256 pixel, and what `weights` makes of them. */
export interface Places {
  readonly x: Float64Array
  readonly y: Float64Array
  /** Weights of the second and third vertex. */
  readonly l1: Float64Array
  readonly l2: Float64Array
  /** Interpolated 1/w. */
  readonly q: Float64Array
}

export function newPlaces(capacity: number): Places {
  const column = (): Float64Array => new Float64Array(capacity)
  return { x: column(), y: column(), l1: column(), l2: column(), q: column() }
}

/** The same memory as bits and as float32. */
export interface RegisterWords {
  readonly words: Int32Array
  readonly floats: Float32Array
}

export const registerWords = (words: Int32Array): RegisterWords => ({
  words,
  floats: new Float32Array(words.buffer, words.byteOffset, words.length),
})

/**
 * One primitive, ready to be interpolated: at the places `from` up to, not including, `to`. What is asked of place `i` is
 * written to element `first + i`.
 */
export class Interpolator {
  readonly primitive: ScreenPrimitive
  readonly vertices: VertexWords
  readonly #q: [number, number, number] = [0, 0, 0]

  constructor(primitive: ScreenPrimitive, vertices: VertexWords) {
    this.primitive = primitive
    this.vertices = vertices
    this.refill()
  }

  /** The primitive has been filled again. */
  refill(): void {
    const { w } = this.primitive
    this.#q[0] = 1 / w[0]
    this.#q[1] = 1 / w[1]
    this.#q[2] = 1 / w[2]
  }

  /** Fills the weights of places whose positions are set. */
  weights(at: Places, from: number, to: number): void {
    const { area2, kind } = this.primitive
    if (kind === 'line') this.#lineWeights(at, from, to)
    else if (kind === 'triangle' && area2 !== 0) this.#triangleWeights(at, from, to)
    else {
      // Points; and conservative rasterization draws triangles of no area with their first vertex.
      at.l1.fill(0, from, to)
      at.l2.fill(0, from, to)
    }
    const [q0, q1, q2] = this.#q
    const { l1, l2, q } = at
    const d1 = q1 - q0
    const d2 = q2 - q0
    for (let i = from; i < to; i++) q[i] = q0 + d1 * l1[i]! + d2 * l2[i]!
  }

  #lineWeights(at: Places, from: number, to: number): void {
    const [x0, x1] = this.primitive.x
    const [y0, y1] = this.primitive.y
    const dx = x1 - x0
    const dy = y1 - y0
    const length2 = dx * dx + dy * dy
    for (let i = from; i < to; i++) {
      const t = length2 === 0 ? 0 : ((at.x[i]! - x0) * dx + (at.y[i]! - y0) * dy) / length2
      // Beyond the ends the attributes are those of the ends.
      at.l1[i] = Math.min(1, Math.max(0, t))
      at.l2[i] = 0
    }
  }

  #triangleWeights(at: Places, from: number, to: number): void {
    const { area2 } = this.primitive
    const [x0, x1, x2] = this.primitive.x
    const [y0, y1, y2] = this.primitive.y
    const { x, y, l1, l2 } = at
    for (let i = from; i < to; i++) {
      const px = x[i]!
      const py = y[i]!
      l1[i] = ((x0 - x2) * (py - y2) - (y0 - y2) * (px - x2)) / area2
      l2[i] = ((x1 - x0) * (py - y0) - (y1 - y0) * (px - x0)) / area2
    }
  }

  /** Depth, float32: what is tested is what the shader sees. */
  depth({ l1, l2 }: Places, from: number, to: number, into: Float32Array, first: number): void {
    const [z0, z1, z2] = this.primitive.z
    const d1 = z1 - z0
    const d2 = z2 - z0
    for (let i = from; i < to; i++) into[first + i] = z0 + d1 * l1[i]! + d2 * l2[i]!
  }

  /** The interpolated w: the reciprocal of the interpolated 1/w (16.3). */
  w({ q }: Places, from: number, to: number, into: Float32Array, first: number): void {
    for (let i = from; i < to; i++) into[first + i] = 1 / q[i]!
  }

  /** Bits of a word of the vertices. */
  word(word: number, mode: number, at: Places, from: number, to: number, into: RegisterWords, first: number): void {
    const { vertices, primitive } = this
    if (mode === CONSTANT) {
      into.words.fill(vertices.bits(primitive.leading, word), first + from, first + to)
      return
    }
    const [v0, v1, v2] = primitive.vertices
    const a0 = vertices.float(v0, word)
    const a1 = vertices.float(v1, word)
    const a2 = vertices.float(v2, word)
    // The same value everywhere, whatever the weights of places outside make of it; infinities too.
    if (a0 === a1 && a0 === a2) into.words.fill(vertices.bits(v0, word), first + from, first + to)
    else if (mode === NOPERSPECTIVE) onScreen(a0, a1, a2, at, from, to, into.floats, first)
    else {
      const [q0, q1, q2] = this.#q
      inPerspective(a0 * q0, a1 * q1, a2 * q2, at, from, to, into.floats, first)
    }
  }

  /** A clip distance over w, whose sign decides at each sample (15.4.1). */
  clipDistance(word: number, { l1, l2 }: Places, from: number, to: number, into: Float64Array, first: number): void {
    const { vertices } = this
    const [v0, v1, v2] = this.primitive.vertices
    const [q0, q1, q2] = this.#q
    const d0 = vertices.float(v0, word) * q0
    const d1 = vertices.float(v1, word) * q1 - d0
    const d2 = vertices.float(v2, word) * q2 - d0
    for (let i = from; i < to; i++) into[first + i] = d0 + d1 * l1[i]! + d2 * l2[i]!
  }
}

/** A value that is linear on the screen. */
function onScreen(
  a0: number,
  a1: number,
  a2: number,
  { l1, l2 }: Places,
  from: number,
  to: number,
  into: Float32Array,
  first: number,
): void {
  const d1 = a1 - a0
  const d2 = a2 - a0
  for (let i = from; i < to; i++) into[first + i] = a0 + d1 * l1[i]! + d2 * l2[i]!
}

/** A value of which `p0` to `p2` are the vertices' values over w: linear over w, as 1/w is. */
function inPerspective(
  p0: number,
  p1: number,
  p2: number,
  { l1, l2, q }: Places,
  from: number,
  to: number,
  into: Float32Array,
  first: number,
): void {
  const d1 = p1 - p0
  const d2 = p2 - p0
  for (let i = from; i < to; i++) into[first + i] = (p0 + d1 * l1[i]! + d2 * l2[i]!) / q[i]!
}

/** Center of a pixel in 1/256 pixel. */
export const centerOf = (pixel: number): number => pixel * SUBPIXELS + HALF_PIXEL

/** Interpolation of a pixel shader input by the number that its declaration has (INTERPOLATION_NUMBER). */
export function modeOf(interpolation: number): {
  readonly mode: number
  readonly at: 'center' | 'centroid' | 'sample'
} {
  switch (interpolation) {
    case 2:
      return { mode: PERSPECTIVE, at: 'center' }
    case 3:
      return { mode: PERSPECTIVE, at: 'centroid' }
    case 4:
      return { mode: NOPERSPECTIVE, at: 'center' }
    case 5:
      return { mode: NOPERSPECTIVE, at: 'centroid' }
    case 6:
      return { mode: PERSPECTIVE, at: 'sample' }
    case 7:
      return { mode: NOPERSPECTIVE, at: 'sample' }
    default:
      return { mode: CONSTANT, at: 'center' }
  }
}
