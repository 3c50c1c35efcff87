import { CONSTANT, NOPERSPECTIVE, PERSPECTIVE, type VertexWords } from './clip.ts'
import { HALF_PIXEL, SUBPIXELS } from './fixed-point.ts'
import type { ScreenPrimitive } from './primitive.ts'

/**
 * Attributes at a place on the screen (functional specification 3.5, 16.4): weights from exact edge functions over snapped
 * positions, computed in double precision and rounded once to float32.
 */

const { fround } = Math
const FLOAT = new Float32Array(1)
const WORD = new Int32Array(FLOAT.buffer)

export function floatBits(value: number): number {
  FLOAT[0] = value
  return WORD[0]!
}

/** Weights of the second and third vertex at one place of a primitive. */
export interface Weights {
  l1: number
  l2: number
  /** Interpolated 1/w. */
  q: number
}

/** One primitive, ready to be interpolated. */
export class Interpolator {
  readonly primitive: ScreenPrimitive
  readonly vertices: VertexWords
  readonly #q: readonly [number, number, number]
  readonly #base: readonly [number, number, number]

  constructor(primitive: ScreenPrimitive, vertices: VertexWords) {
    this.primitive = primitive
    this.vertices = vertices
    const [w0, w1, w2] = primitive.w
    this.#q = [1 / w0, 1 / w1, 1 / w2]
    const [v0, v1, v2] = primitive.vertices
    this.#base = [vertices.at(v0), vertices.at(v1), vertices.at(v2)]
  }

  /** Weights at a position in 1/256 pixel. */
  weights(px: number, py: number, out: Weights): void {
    const { x, y, area2, kind } = this.primitive
    if (kind === 'point') {
      out.l1 = 0
      out.l2 = 0
    } else if (kind === 'line') {
      const dx = x[1] - x[0]
      const dy = y[1] - y[0]
      const length2 = dx * dx + dy * dy
      const t = length2 === 0 ? 0 : ((px - x[0]) * dx + (py - y[0]) * dy) / length2
      // Beyond the ends the attributes are those of the ends.
      out.l1 = Math.min(1, Math.max(0, t))
      out.l2 = 0
    } else if (area2 === 0) {
      // Conservative rasterization draws triangles of no area with their first vertex.
      out.l1 = 0
      out.l2 = 0
    } else {
      out.l1 = ((x[0] - x[2]) * (py - y[2]) - (y[0] - y[2]) * (px - x[2])) / area2
      out.l2 = ((x[1] - x[0]) * (py - y[0]) - (y[1] - y[0]) * (px - x[0])) / area2
    }
    const [q0, q1, q2] = this.#q
    out.q = q0 + (q1 - q0) * out.l1 + (q2 - q0) * out.l2
  }

  /** Depth, float32: what is tested is what the shader sees. */
  depth(at: Weights): number {
    const [z0, z1, z2] = this.primitive.z
    return fround(z0 + (z1 - z0) * at.l1 + (z2 - z0) * at.l2)
  }

  /** The interpolated w: the reciprocal of the interpolated 1/w (16.3). */
  w(at: Weights): number {
    return fround(1 / at.q)
  }

  /** Bits of a word of the vertices. */
  word(word: number, mode: number, at: Weights): number {
    const { floats } = this.vertices
    if (mode === CONSTANT) return this.vertices.bits(this.primitive.leading, word)
    const [b0, b1, b2] = this.#base
    const a0 = floats[b0 + word]!
    const a1 = floats[b1 + word]!
    const a2 = floats[b2 + word]!
    // The same value everywhere, whatever the weights of places outside make of it; infinities too.
    if (a0 === a1 && a0 === a2) return this.vertices.bits(this.primitive.vertices[0], word)
    if (mode === NOPERSPECTIVE) return floatBits(a0 + (a1 - a0) * at.l1 + (a2 - a0) * at.l2)
    const [q0, q1, q2] = this.#q
    const p0 = a0 * q0
    return floatBits((p0 + (a1 * q1 - p0) * at.l1 + (a2 * q2 - p0) * at.l2) / at.q)
  }

  /** A clip distance over w, whose sign decides at each sample (15.4.1). */
  clipDistance(word: number, at: Weights): number {
    const { floats } = this.vertices
    const [b0, b1, b2] = this.#base
    const [q0, q1, q2] = this.#q
    const d0 = floats[b0 + word]! * q0
    return d0 + (floats[b1 + word]! * q1 - d0) * at.l1 + (floats[b2 + word]! * q2 - d0) * at.l2
  }
}

/** Center of a pixel in 1/256 pixel. */
export const centerOf = (pixel: number): number => pixel * SUBPIXELS + HALF_PIXEL

export const newWeights = (): Weights => ({ l1: 0, l2: 0, q: 1 })

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
