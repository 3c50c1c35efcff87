import type { Precision } from '../state.ts'
import { CONSTANT, PERSPECTIVE, type VertexWords } from './clip.ts'
import { isSmall } from './cover-program.ts'
import { isModerateW } from './moderate-w.ts'
import { changeDown, changeRight, extentOf, isThin, newFactors, setFactors } from './planes.ts'
import type { ScreenPrimitive } from './primitive.ts'

/**
 * Primitives of a draw as rows of a table, which quads name by number: everything that is asked of a primitive at a place on the
 * screen, as words and doubles, so that compiled code reads it too.
 */

/** Word of a row. */
export const ROW_WORD = {
  primitiveId: 0,
  /** All ones where the primitive faces front. */
  isFrontFacing: 1,
  /** Of the targets. */
  slice: 2,
  /** As the shader wrote them. */
  viewportIndex: 3,
  renderTargetIndex: 4,
  /** Bit i: clip distance i of the table cuts the primitive. */
  clipDistances: 5,
  /** A number of PRIMITIVE_KIND. */
  kind: 6,
  /** Of the viewport, float32. */
  minDepth: 7,
  maxDepth: 8,
  /** Of the draw. */
  instance: 9,
  /** As in ScreenPrimitive. */
  sequence: 10,
  /** All ones where w is 1 at all vertices: what is in perspective is linear on the screen. */
  isFlat: 11,
  /**
   * By SAME_BIT: attributes that are interpolated, and are the same at all vertices. In a `fast` row those of them for which a program may
   * take the value at vertex 0 with the same bits.
   */
  same: 12,
  /** All ones in a triangle that is thin. */
  isThin: 13,
} as const

/** Attributes with a bit of their own in the mask of those that are the same; the others share the last one. */
const OWN_BITS = 31

/** The bit of attribute `n` in ROW_WORD.same. */
export const sameBit = (n: number): number => (1 << Math.min(n, OWN_BITS)) >>> 0

/** Bits of a mask of these that stand for one attribute each. */
const ownBits = (mask: number): number => (mask & (2 ** OWN_BITS - 1)) >>> 0

/** How weights are found. Attributes of wide triangles, which are neither small nor thin, are planes. */
export const PRIMITIVE_KIND = { point: 0, line: 1, triangle: 2, wide: 3 } as const

/**
 * Doubles of a row, counted from its start. A value that is interpolated has three: itself at vertex 0, and two that are multiplied with
 * factors of a place. They are one of two forms:
 * - its changes with 1/256 pixel down and to the right; the factors are how far the place is below and to the right of vertex 0, and
 *   x02 to inverseArea are 1, 0, 0, 1 and 1. Wide triangles have this form; of others z alone, in triangles that are not thin.
 * - its differences at the second and third vertex; the factors are the weights of these vertices. All others have this form.
 * What is subtracted is stored with its sign changed.
 */
export const ROW_DOUBLE = {
  x02: 7,
  minusY02: 8,
  x10: 9,
  minusY10: 10,
  minusX0: 11,
  minusY0: 12,
  /** The reciprocal of twice the area. */
  inverseArea: 13,
  q0: 14,
  q1: 15,
  q2: 16,
  z0: 17,
  z1: 18,
  z2: 19,
} as const

/** Whether the depth of a row, whose words begin at an element, is a plane: of a triangle that is not thin. */
export const hasDepthPlane = (words: Int32Array, at: number): boolean =>
  words[at + ROW_WORD.kind]! >= PRIMITIVE_KIND.triangle && words[at + ROW_WORD.isThin] === 0

/** First double behind those of every primitive. */
const FIRST_ATTRIBUTE = 20
/** Of an attribute: its value, over w where it is in perspective, and two words. */
const ATTRIBUTE_DOUBLES = 4
const DISTANCE_DOUBLES = 3

/**
 * Words of a row of a draw whose precision is `fast`, float32 but the first two: vertex 0 in 1/256 pixel, 1/w there, by how much it
 * changes with 1/256 pixel to the right and down. Of lines: the differences of the other vertices in place of these, and 1/w there.
 */
export const PLANE_WORD = {
  x0: 40,
  y0: 41,
  q0: 42,
  qx: 43,
  qy: 44,
  q1: 45,
  q2: 46,
} as const
const FIRST_PLANE = 48
const PLANE_WORDS = 4

/**
 * The word of a `fast` row that has attribute `n`'s value at vertex 0, or its bits where it is constant. By how much it changes with
 * 1/256 pixel to the right and down follows: over w where it is in perspective. Of lines the differences of the other vertices follow.
 */
export const planeWord = (n: number): number => FIRST_PLANE + n * PLANE_WORDS

/** An attribute that a table has of its primitives: a word of the vertices, and how it is interpolated. */
export interface TableAttribute {
  readonly word: number
  readonly mode: number
}

/** Attribute `n`'s value at the first vertex, as a double of a row; the differences follow. */
export const attributeDouble = (n: number): number => FIRST_ATTRIBUTE + n * ATTRIBUTE_DOUBLES

/** As a word of a row: all ones where the attribute is the same everywhere. The word behind it has its bits then. */
export const attributeFlag = (n: number): number => (attributeDouble(n) + 3) * 2

/** The double behind the attributes of a row. */
const attributesEnd = (attributeCount: number, precision: Precision): number =>
  precision === 'fast' ? planeWord(attributeCount) / 2 : attributeDouble(attributeCount)

/** Bytes of a row. */
export const rowLength = (attributeCount: number, distanceCount: number, precision: Precision): number =>
  (attributesEnd(attributeCount, precision) + distanceCount * DISTANCE_DOUBLES) * 8

const { fround } = Math

interface PrimitiveTableOptions {
  readonly attributes: readonly TableAttribute[]
  /** Words of the vertices that are clip distances. */
  readonly clipDistances: readonly number[]
  readonly precision: Precision
  /** Rows that there is room for. */
  readonly capacity: number
  readonly buffer: ArrayBufferLike
  /** Where the first row begins, a multiple of 8. */
  readonly byteOffset: number
}

export class PrimitiveTable {
  readonly capacity: number
  readonly attributes: readonly TableAttribute[]
  readonly precision: Precision
  /** Of the primitive that is added. */
  readonly #factors = newFactors()
  readonly #clipDistances: readonly number[]
  /** Of the primitive that is added to a `fast` table: changes of the weights of vertices 1 and 2 to the right and down, and times 1/w. */
  readonly #weightSlopes = new Float32Array(8)
  #isTriangle = false
  /** Of the same: attributes that are the same at all vertices may be taken as they are there. */
  #keepsSame = false
  /** Doubles of a row. */
  readonly stride: number
  /** The same memory: double d of row n is element `n * stride + d`, word w is element `n * stride * 2 + w`. */
  readonly doubles: Float64Array
  readonly words: Int32Array
  readonly floats: Float32Array
  count = 0

  constructor({ attributes, clipDistances, precision, capacity, buffer, byteOffset }: PrimitiveTableOptions) {
    const byteLength = rowLength(attributes.length, clipDistances.length, precision)
    this.capacity = capacity
    this.precision = precision
    this.attributes = attributes
    this.#clipDistances = clipDistances
    this.stride = byteLength / 8
    this.doubles = new Float64Array(buffer, byteOffset, this.stride * capacity)
    this.words = new Int32Array(buffer, byteOffset, this.stride * capacity * 2)
    this.floats = new Float32Array(buffer, byteOffset, this.stride * capacity * 2)
  }

  word(row: number, word: number): number {
    return this.words[row * this.stride * 2 + word]!
  }

  /** Bits of the attributes that each primitive has the same everywhere, as far as they have bits of their own. */
  get sameOfAll(): number {
    let mask = this.count > 0 ? -1 : 0
    for (let row = 0; row < this.count; row++) mask &= this.word(row, ROW_WORD.same)
    return ownBits(mask)
  }

  /** Whether pixels beside each other may be interpolated together, what their row has once. */
  takesRuns(row: number): boolean {
    return this.precision === 'fast' || this.word(row, ROW_WORD.kind) === PRIMITIVE_KIND.wide
  }

  /** Adds a primitive; its number. */
  add(p: ScreenPrimitive, vertices: VertexWords, slice: number): number {
    const row = this.count++
    this.#setWords(p, slice, row * this.stride * 2)
    const at = row * this.stride
    this.#setPlace(p, at)
    if (this.precision === 'fast') {
      this.#isTriangle = this.words[at * 2 + ROW_WORD.kind]! >= PRIMITIVE_KIND.triangle
      this.#setPlanes(p, at * 2)
      for (let n = 0; n < this.attributes.length; n++) this.#setPlane(p, vertices, at * 2, n)
    } else for (let n = 0; n < this.attributes.length; n++) this.#setAttribute(p, vertices, at, n)
    if (p.clipDistances.length > 0) this.#setDistances(p, vertices, at)
    return row
  }

  #setWords(p: ScreenPrimitive, slice: number, at: number): void {
    const { words, floats } = this
    words[at + ROW_WORD.primitiveId] = p.primitiveId
    words[at + ROW_WORD.instance] = p.instance
    words[at + ROW_WORD.sequence] = p.sequence ?? 0
    words[at + ROW_WORD.isFrontFacing] = p.isFrontFacing ? -1 : 0
    words[at + ROW_WORD.slice] = slice
    words[at + ROW_WORD.viewportIndex] = p.viewportIndex
    words[at + ROW_WORD.renderTargetIndex] = p.renderTargetIndex
    words[at + ROW_WORD.clipDistances] = 0
    words[at + ROW_WORD.same] = 0
    words[at + ROW_WORD.isFlat] = p.w[0] === 1 && p.w[1] === 1 && p.w[2] === 1 ? -1 : 0
    // Conservative rasterization draws triangles of no area with their first vertex.
    const isPoint = p.kind === 'point' || (p.kind === 'triangle' && p.area2 === 0)
    const [width, height] = [extentOf(p.x), extentOf(p.y)]
    const thin = !isPoint && p.kind === 'triangle' && isThin(width, height, p.area2)
    const kind = p.kind === 'triangle' && !thin && !isSmall(width, height) ? 'wide' : p.kind
    words[at + ROW_WORD.kind] = PRIMITIVE_KIND[isPoint ? 'point' : kind]
    words[at + ROW_WORD.isThin] = thin ? -1 : 0
    floats[at + ROW_WORD.minDepth] = p.viewport.minDepth
    floats[at + ROW_WORD.maxDepth] = p.viewport.maxDepth
  }

  #setPlace(p: ScreenPrimitive, at: number): void {
    const { x, y, z, w, area2 } = p
    const { doubles: d } = this
    setFactors(this.#factors, p, hasDepthPlane(this.words, at * 2))
    this.#setValue(at + ROW_DOUBLE.z0, z[0], z[1], z[2])
    const isWide = this.words[at * 2 + ROW_WORD.kind] === PRIMITIVE_KIND.wide
    d[at + ROW_DOUBLE.x02] = isWide ? 1 : x[0] - x[2]
    d[at + ROW_DOUBLE.minusY02] = isWide ? 0 : y[2] - y[0]
    d[at + ROW_DOUBLE.x10] = isWide ? 0 : x[1] - x[0]
    d[at + ROW_DOUBLE.minusY10] = isWide ? 1 : y[0] - y[1]
    d[at + ROW_DOUBLE.inverseArea] = isWide ? 1 : 1 / area2
    d[at + ROW_DOUBLE.minusX0] = -x[0]
    d[at + ROW_DOUBLE.minusY0] = -y[0]
    // Those of attributes and clip distances too.
    setFactors(this.#factors, p, isWide)
    this.#setValue(at + ROW_DOUBLE.q0, 1 / w[0], 1 / w[1], 1 / w[2])
  }

  /** Sets what is linear on the screen, from its values at the vertices. */
  #setValue(first: number, v0: number, v1: number, v2: number): void {
    const { doubles } = this
    const [d1, d2] = [v1 - v0, v2 - v0]
    doubles[first] = v0
    doubles[first + 1] = changeDown(this.#factors, d1, d2)
    doubles[first + 2] = changeRight(this.#factors, d1, d2)
  }

  #setAttribute(p: ScreenPrimitive, vertices: VertexWords, at: number, n: number): void {
    const { word, mode } = this.attributes[n]!
    const { words } = this
    const [v0, v1, v2] = p.vertices
    const flag = at * 2 + attributeFlag(n)
    if (mode === CONSTANT) {
      words[flag] = -1
      words[flag + 1] = vertices.bits(p.leading, word)
      return
    }
    const a0 = vertices.float(v0, word)
    const a1 = vertices.float(v1, word)
    const a2 = vertices.float(v2, word)
    // The same value everywhere, whatever the weights of places outside make of it; infinities too.
    const isSame = a0 === a1 && a0 === a2
    words[flag] = isSame ? -1 : 0
    if (isSame) words[at * 2 + ROW_WORD.same]! |= sameBit(n)
    words[flag + 1] = isSame ? vertices.bits(v0, word) : 0
    const isOverW = mode === PERSPECTIVE
    const over = (a: number, i: 0 | 1 | 2): number => (isOverW ? a * (1 / p.w[i]) : a)
    this.#setValue(at + attributeDouble(n), over(a0, 0), over(a1, 1), over(a2, 2))
  }

  /** What the attributes of a `fast` row have in common; stores round to float32. */
  #setPlanes({ x, y, w, area2 }: ScreenPrimitive, at: number): void {
    const { words, floats } = this
    const f = this.#weightSlopes
    words[at + PLANE_WORD.x0] = x[0]
    words[at + PLANE_WORD.y0] = y[0]
    const reciprocal = 1 / area2
    f[0] = -(y[0] - y[2]) * reciprocal
    f[1] = (x[0] - x[2]) * reciprocal
    f[2] = -(y[1] - y[0]) * reciprocal
    f[3] = (x[1] - x[0]) * reciprocal
    const q0 = 1 / w[0]
    const [q1, q2] = [1 / w[1], 1 / w[2]]
    floats[at + PLANE_WORD.q0] = q0
    floats[at + PLANE_WORD.q1] = q1
    floats[at + PLANE_WORD.q2] = q2
    f[4] = f[0]! * fround(q1)
    f[5] = f[1]! * fround(q1)
    f[6] = f[2]! * fround(q2)
    f[7] = f[3]! * fround(q2)
    this.#setSlopes(at + PLANE_WORD.qx, fround(q1 - q0), fround(q2 - q0), 0)
    const isModerate = isModerateW(
      floats[at + PLANE_WORD.q0]!,
      floats[at + PLANE_WORD.qx]!,
      floats[at + PLANE_WORD.qy]!,
    )
    this.#keepsSame = this.#isTriangle && isSmall(extentOf(x), extentOf(y)) && isModerate
  }

  /** Stores how a value changes, of its differences and slopes of weights; of lines the differences. */
  #setSlopes(at: number, d1: number, d2: number, first: number): void {
    const { floats } = this
    const f = this.#weightSlopes
    floats[at] = this.#isTriangle ? fround(d1 * f[first]!) + fround(d2 * f[first + 2]!) : d1
    floats[at + 1] = this.#isTriangle ? fround(d1 * f[first + 1]!) + fround(d2 * f[first + 3]!) : d2
  }

  #setPlane(p: ScreenPrimitive, vertices: VertexWords, at: number, n: number): void {
    const { word, mode } = this.attributes[n]!
    const { words, floats } = this
    const first = at + planeWord(n)
    if (mode === CONSTANT) {
      words[first] = vertices.bits(p.leading, word)
      return
    }
    const [v0, v1, v2] = p.vertices
    const [a0, a1, a2] = [vertices.float(v0, word), vertices.float(v1, word), vertices.float(v2, word)]
    floats[first] = a0
    // Infinities that are the same have no difference either.
    const [d1, d2] = [a1 === a0 ? 0 : fround(a1 - a0), a2 === a0 ? 0 : fround(a2 - a0)]
    // A sum of -0 and 0 has another sign.
    const isSame = a1 === a0 && a2 === a0 && !Object.is(a0, -0)
    if (this.#keepsSame && isSame) words[at + ROW_WORD.same]! |= sameBit(n)
    this.#setSlopes(first + 1, d1, d2, mode === PERSPECTIVE ? 4 : 0)
  }

  /** The first double of a clip distance, counted from the start of a row. */
  #distanceDouble(n: number): number {
    return attributesEnd(this.attributes.length, this.precision) + n * DISTANCE_DOUBLES
  }

  #setDistances(p: ScreenPrimitive, vertices: VertexWords, at: number): void {
    let cutting = 0
    for (let n = 0; n < this.#clipDistances.length; n++) {
      const word = this.#clipDistances[n]!
      if (!p.clipDistances.includes(word)) continue
      cutting |= 1 << n
      const [v0, v1, v2] = p.vertices
      const over = (v: number, i: 0 | 1 | 2): number => vertices.float(v, word) * (1 / p.w[i])
      this.#setValue(at + this.#distanceDouble(n), over(v0, 0), over(v1, 1), over(v2, 2))
    }
    this.words[at * 2 + ROW_WORD.clipDistances] = cutting
  }

  /** The first double of clip distance `n` of a primitive, as an element of `doubles`. */
  distanceOf(row: number, n: number): number {
    return row * this.stride + this.#distanceDouble(n)
  }
}
