import type { PrimitiveArray, RasterizerInputs } from '../geometry.ts'
import { createPool } from '../pool.ts'
import type { RasterizerState, Viewport } from '../state.ts'
import { type ClipContext, clipLine, clipPlanes, clipTriangle, isCulledByDistance } from './clip.ts'
import { isSmall } from './cover-program.ts'
import { addDepthBias, type DepthBiasUnit } from './depth-bias.ts'
import { HALF_PIXEL } from './fixed-point.ts'
import { isThin, isThinTriangle } from './planes.ts'
import { EMPTY_VIEWPORT, newRefilledPrimitive, type PixelRect, type ScreenPrimitive } from './primitive.ts'
import {
  nextRecord,
  PLAIN_TRIANGLE,
  RECORD,
  RECORD_FRONT_FACING,
  RECORD_KINDS,
  RECORD_THIN,
  type RecordRing,
  type RecordSink,
} from './primitive-record.ts'
import { KNOWN, NOT_FINITE, OUTSIDE_PLANES, SCREEN, SCREEN_WORDS, ScreenVertices } from './screen-vertices.ts'

/** From assembled primitives to primitives on the screen: cull distances, clipping, division, viewport, facing and bias. */

export interface SetupState {
  readonly rasterizer: RasterizerState
  readonly viewports: readonly Viewport[]
  readonly biasUnit: DepthBiasUnit
  readonly inputs: RasterizerInputs
  readonly clip: ClipContext
  /** Triangles without a pixel's center in their box need not be passed on. */
  readonly centersOnly: boolean
  /** Counts on where it stands. */
  readonly counts: ClipCounts
}

/** Primitives that reached the clipper and that left it (CInvocations and CPrimitives, 20.4.7). */
export interface ClipCounts {
  clipperInvocations: number
  clipperPrimitives: number
}

const MAX_VIEWPORTS = 16
const NO_DISTANCES: readonly number[] = []
/** Edges of a triangle that was not clipped. */
const ALL_EDGES = 7

/** Fewer triangles are not worth a call of compiled code. */
const FEW_TRIANGLES = 16

type TriangleArrays = Pick<PrimitiveArray, 'vertices' | 'ids' | 'instances'>

/**
 * The primitive that was set up last. Most triangles are small and touch no sample: the rest of what is known of a
 * primitive is found when it is asked for.
 */
export interface CurrentPrimitive {
  readonly kind: ScreenPrimitive['kind']
  /** Snapped positions in 1/256 pixel. */
  readonly x: Int32Array
  readonly y: Int32Array
  readonly area2: number
  readonly viewport: Viewport
  readonly viewportIndex: number
  readonly renderTargetIndex: number
  /** Clip distances that cut this primitive: register * 4 + component. */
  readonly clipDistances: readonly number[]
  /** Depth of each vertex after viewport and bias; the array is filled again. */
  depths(): Float64Array
  /** The whole primitive, in an object that is filled again for the next one that is looked at. */
  look(): ScreenPrimitive
  /** Byte of the memory where its record lies; one that has none is written to the ring. */
  record(ring: RecordRing): number
}

/** A primitive that has been set up on this thread. */
export interface SetUpPrimitive extends CurrentPrimitive {
  /** Writes it as a record from an element on, without a sequence. */
  write(words: Int32Array, floats: Float32Array, at: number): void
}

/** Takes a primitive, which is there until it returns. */
export type PrimitiveSink = (primitive: SetUpPrimitive) => void

/** What primitives are set up in. */
const WORDS = createPool(() => ({
  x: new Int32Array(3),
  y: new Int32Array(3),
  vertices: new Uint32Array(3),
  depths: new Float64Array(3),
  whole: newRefilledPrimitive(),
}))

/** Sets up primitives of a draw one by one. */
export class PrimitiveSetup implements SetUpPrimitive {
  readonly state: SetupState
  readonly #sink: PrimitiveSink
  readonly #hasDistances: boolean
  readonly #isBiased: boolean
  readonly #screens: (ScreenVertices | undefined)[] = []
  #screen: ScreenVertices
  kind: ScreenPrimitive['kind'] = 'point'
  /** Its own: a sink that waits for room sets up triangles of other parts meanwhile. */
  readonly #own = WORDS.acquire()
  readonly x = this.#own.x
  readonly y = this.#own.y
  area2 = 0
  viewportIndex = 0
  renderTargetIndex = 0
  readonly #vertices = this.#own.vertices
  #leading = 0
  #isFrontFacing = true
  #originalEdges = 0
  #primitiveId = 0
  #instance = 0
  clipDistances: readonly number[] = NO_DISTANCES
  readonly #depths = this.#own.depths
  readonly #whole = this.#own.whole

  constructor(state: SetupState, sink: PrimitiveSink) {
    this.state = state
    this.#sink = sink
    this.#screen = this.#screenOf(0)
    this.#isBiased = state.rasterizer.depthBias !== 0 || state.rasterizer.slopeScaledDepthBias !== 0
    this.#hasDistances = state.inputs.clipDistances.length + state.inputs.cullDistances.length > 0
  }

  get viewport(): Viewport {
    return this.#screen.viewport
  }

  /** The array of vertices has been filled anew. */
  clearVertices(): void {
    for (const screen of this.#screens) screen?.clear()
  }

  /** Gives back what the next draw takes. */
  dispose(): void {
    WORDS.release(this.#own)
    for (const screen of this.#screens) screen?.dispose()
  }

  /** Words of the vertices in the first viewport, by SCREEN_WORDS, as far as they have been looked at. */
  get screenWords(): Int32Array {
    return this.#screenOf(0).words
  }

  /** The vertices that come now have these words in the first viewport. */
  useScreen(words: Int32Array): void {
    this.#screenOf(0).use(words)
  }

  /** Sets up a triangle that has been clipped already; its leading vertex may be another one. */
  addClipped(vertices: ArrayLike<number>, leading: number, primitiveId: number, instance: number): void {
    this.#leading = leading
    this.#primitiveId = primitiveId
    this.#instance = instance
    this.#addScreenTriangle(vertices[0]!, vertices[1]!, vertices[2]!, ALL_EDGES)
  }

  #screenOf(index: number): ScreenVertices {
    const known = this.#screens[index]
    if (known !== undefined) return known
    const { viewports, rasterizer, clip } = this.state
    const viewport = viewports[index] ?? EMPTY_VIEWPORT
    const made = new ScreenVertices(clip, viewport, clipPlanes(viewport, rasterizer.depthClipEnable))
    this.#screens[index] = made
    return made
  }

  /** Hands what is left of a primitive to the sink: of `size` vertices from element `at` on, the leading one first. */
  add(vertices: Int32Array, at: number, size: number, primitiveId: number, instance: number): void {
    const { inputs, clip } = this.state
    this.state.counts.clipperInvocations++
    if (inputs.position < 0) return
    const leading = vertices[at]!
    this.#leading = leading
    this.#primitiveId = primitiveId
    this.#instance = instance
    if (inputs.viewportIndex >= 0) this.#selectViewport(clip.vertices.bits(leading, inputs.viewportIndex) >>> 0)
    if (inputs.renderTargetIndex >= 0)
      this.renderTargetIndex = clip.vertices.bits(leading, inputs.renderTargetIndex) >>> 0
    if (this.#hasDistances && this.#isCulled([...vertices.subarray(at, at + size)])) return
    if (size === 3) this.#addTriangle(leading, vertices[at + 1]!, vertices[at + 2]!)
    else if (size === 2) this.#addLine(leading, vertices[at + 1]!)
    else this.#addPoint(leading)
  }

  /** Whether triangles that are filled need nothing but their positions to be set up: `addPlain` takes those. */
  get arePlain(): boolean {
    return arePlainInputs(this.state.inputs)
  }

  /**
   * Sets up triangles from `from` on that lie inside of all planes and are small, and writes those that may have pixels in the bounds as
   * records. Answers the first that it has not: one that `add` must look at, or where there is to be a rest.
   */
  addPlain(triangles: TriangleArrays, from: number, to: number, bounds: PixelRect, sink: RecordSink): number {
    for (let at = from; at < to && !sink.mustYield; ) {
      const isByCode = to - at >= FEW_TRIANGLES && sink.setsUp?.(to - at) === true
      const next = isByCode ? this.#addByCode(triangles, at, to, bounds, sink) : at
      // What code leaves is looked at here, with some of those behind it.
      const end = isByCode ? Math.min(to, next + FEW_TRIANGLES) : to
      at = sink.mustYield ? next : this.#addSome(triangles, next, end, bounds, sink)
      if (at < end || sink.mustYield) return at
    }
    return to
  }

  #addByCode(triangles: TriangleArrays, from: number, to: number, bounds: PixelRect, sink: RecordSink): number {
    if (sink.setUp === undefined) return from
    const { counts } = this.state
    const screen = this.#screen
    screen.transformAll(sink)
    const { vertices, ids, instances } = triangles
    const source = { vertices, ids, instances, screen: screen.words, state: this.state }
    const next = sink.setUp(source, from, to, bounds)
    counts.clipperInvocations += next - from
    counts.clipperPrimitives += next - from
    return next
  }

  #addSome(triangles: TriangleArrays, from: number, to: number, bounds: PixelRect, sink: RecordSink): number {
    const { vertices, ids, instances } = triangles
    const { centersOnly, counts, rasterizer } = this.state
    const { frontCounterClockwise, cullMode } = rasterizer
    const screen = this.#screen
    const before = centersOnly ? HALF_PIXEL - 1 : 0
    const behind = centersOnly ? HALF_PIXEL : 0
    let { words: v } = screen
    for (let i = from; i < to; i++) {
      const a = vertices[i * 3]! * SCREEN_WORDS
      const b = vertices[i * 3 + 1]! * SCREEN_WORDS
      const c = vertices[i * 3 + 2]! * SCREEN_WORDS
      const [fa, fb, fc] = [v[a + SCREEN.flags]!, v[b + SCREEN.flags]!, v[c + SCREEN.flags]!]
      let flags = fa | fb | fc
      if ((fa & fb & fc & KNOWN) === 0) {
        flags = this.#flagsOf(vertices, i * 3)
        ;({ words: v } = screen)
      }
      if (flags !== KNOWN) return i
      const [x0, x1, x2] = [v[a + SCREEN.x]!, v[b + SCREEN.x]!, v[c + SCREEN.x]!]
      const [y0, y1, y2] = [v[a + SCREEN.y]!, v[b + SCREEN.y]!, v[c + SCREEN.y]!]
      const minX = Math.min(x0, x1, x2)
      const maxX = Math.max(x0, x1, x2)
      const minY = Math.min(y0, y1, y2)
      const maxY = Math.max(y0, y1, y2)
      if (!isSmall(maxX - minX, maxY - minY)) return i
      counts.clipperInvocations++
      counts.clipperPrimitives++
      const area2 = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
      const isFrontFacing = frontCounterClockwise ? area2 < 0 : area2 > 0
      if (area2 === 0 || cullMode === (isFrontFacing ? 'FRONT' : 'BACK')) continue
      const left = Math.max(bounds.left, (minX + before) >> 8)
      const top = Math.max(bounds.top, (minY + before) >> 8)
      const right = Math.min(bounds.right, ((maxX - behind) >> 8) + 1)
      const bottom = Math.min(bounds.bottom, ((maxY - behind) >> 8) + 1)
      if (left >= right || top >= bottom) continue
      const at = sink.begin()
      const { words, floats } = sink
      const thin = isThin(maxX - minX, maxY - minY, area2) ? RECORD_THIN : 0
      words[at + RECORD.kind] = PLAIN_TRIANGLE | (isFrontFacing ? RECORD_FRONT_FACING : 0) | thin
      words[at + RECORD.primitiveId] = ids[i]!
      words[at + RECORD.instance] = instances[i]!
      this.#writePlain(words, floats, at, vertices, i * 3)
      if (this.#isBiased) this.#writeBiased(words, floats, at, area2)
      sink.add(left, top, right, bottom)
      if (sink.mustYield) return i + 1
    }
    return to
  }

  /** Flags of the vertices of a triangle, which are looked at where they are not known. */
  #flagsOf(vertices: Int32Array, at: number): number {
    const screen = this.#screen
    return screen.flags(vertices[at]!) | screen.flags(vertices[at + 1]!) | screen.flags(vertices[at + 2]!)
  }

  /** Writes what a record has of the vertices of a triangle. */
  #writePlain(words: Int32Array, floats: Float32Array, at: number, vertices: Int32Array, first: number): void {
    const { words: v, floats: f } = this.#screen
    for (let i = 0; i < 3; i++) {
      const vertex = vertices[first + i]!
      const from = vertex * SCREEN_WORDS
      words[at + RECORD.vertices + i] = vertex
      words[at + RECORD.x + i] = v[from + SCREEN.x]!
      words[at + RECORD.y + i] = v[from + SCREEN.y]!
      floats[at + RECORD.z + i] = f[from + SCREEN.z]!
      floats[at + RECORD.w + i] = f[from + SCREEN.w]!
    }
    words[at + RECORD.leading] = vertices[first]!
    words[at + RECORD.viewportIndex] = 0
    words[at + RECORD.renderTargetIndex] = 0
    words[at + RECORD.clipDistances] = 0
    words[at + RECORD.sequence] = 0
  }

  /** Adds the bias to the depths of a record. */
  #writeBiased(words: Int32Array, floats: Float32Array, at: number, area2: number): void {
    const depths = this.#depths
    for (let i = 0; i < 3; i++) {
      this.x[i] = words[at + RECORD.x + i]!
      this.y[i] = words[at + RECORD.y + i]!
      depths[i] = floats[at + RECORD.z + i]!
    }
    this.area2 = area2
    addDepthBias(depths, this.state, this)
    for (let i = 0; i < 3; i++) floats[at + RECORD.z + i] = depths[i]!
  }

  #selectViewport(index: number): void {
    this.viewportIndex = index
    this.#screen = this.#screenOf(index < MAX_VIEWPORTS ? index : 0)
  }

  /** Looks at clip and cull distances; false where the primitive stays. */
  #isCulled(vertices: readonly number[]): boolean {
    const { inputs, clip } = this.state
    if (isCulledByDistance(clip.vertices, vertices, inputs.cullDistances, inputs.clipDistances)) return true
    // A distance that is negative nowhere cuts nothing, and one that is infinite everywhere could not be interpolated.
    this.clipDistances = inputs.clipDistances.filter((word) => vertices.some((v) => clip.vertices.float(v, word) < 0))
    return false
  }

  #addPoint(vertex: number): void {
    if ((this.#screen.flags(vertex) & (OUTSIDE_PLANES | NOT_FINITE)) !== 0) return
    this.state.counts.clipperPrimitives++
    this.#emit('point', vertex, vertex, vertex)
  }

  #addLine(from: number, to: number): void {
    const screen = this.#screen
    let [a, b] = [from, to]
    const outside = screen.flags(a) | screen.flags(b)
    // NaN drops a primitive, and so do infinities here (15.4).
    if ((outside & NOT_FINITE) !== 0) return
    if ((outside & OUTSIDE_PLANES) !== 0) {
      const clipped = clipLine(this.state.clip, [a, b], screen.planes)
      if (clipped === undefined) return
      ;[a, b] = clipped
    }
    this.state.counts.clipperPrimitives++
    screen.flags(a)
    screen.flags(b)
    this.#emit('line', a, b, b)
  }

  #addTriangle(a: number, b: number, c: number): void {
    const screen = this.#screen
    const fa = screen.flags(a)
    const fb = screen.flags(b)
    const fc = screen.flags(c)
    const outside = fa | fb | fc
    if ((outside & NOT_FINITE) !== 0) return
    if ((outside & OUTSIDE_PLANES) === 0) {
      this.state.counts.clipperPrimitives++
      this.#addScreenTriangle(a, b, c, ALL_EDGES)
      return
    }
    // The first plane that cuts at all leaves nothing where all vertices are outside of it.
    const first = outside & OUTSIDE_PLANES & -(outside & OUTSIDE_PLANES)
    if ((fa & fb & fc & first) === 0) this.#clipTriangle(a, b, c)
  }

  #clipTriangle(a: number, b: number, c: number): void {
    const { vertices, original } = clipTriangle(this.state.clip, [a, b, c], this.#screen.planes)
    const count = vertices.length
    if (count < 3) return
    this.state.counts.clipperPrimitives += count - 2
    for (let i = 0; i < count; i++) this.#screen.flags(vertices[i]!)
    for (let i = 1; i + 1 < count; i++) {
      // Of the fan's inner edges none is an edge of the triangle.
      const first = i === 1 && original[0]! ? 1 : 0
      const middle = original[i]! ? 2 : 0
      const last = i + 2 === count && original[i + 1]! ? 4 : 0
      this.#addScreenTriangle(vertices[0]!, vertices[i]!, vertices[i + 1]!, first | middle | last)
    }
  }

  #addScreenTriangle(a: number, b: number, c: number, originalEdges: number): void {
    const { words: v } = this.#screen
    const [va, vb, vc] = [a * SCREEN_WORDS, b * SCREEN_WORDS, c * SCREEN_WORDS]
    const [x0, x1, x2] = [v[va + SCREEN.x]!, v[vb + SCREEN.x]!, v[vc + SCREEN.x]!]
    const [y0, y1, y2] = [v[va + SCREEN.y]!, v[vb + SCREEN.y]!, v[vc + SCREEN.y]!]
    const area2 = (x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0)
    const { frontCounterClockwise, cullMode } = this.state.rasterizer
    // A triangle of no area is back facing (15.11.1).
    const isFrontFacing = frontCounterClockwise ? area2 < 0 : area2 > 0
    if (cullMode === (isFrontFacing ? 'FRONT' : 'BACK')) return
    if (this.state.centersOnly && (area2 === 0 || hasNoCenter(x0, x1, x2) || hasNoCenter(y0, y1, y2))) return
    this.#originalEdges = originalEdges
    this.#emit('triangle', a, b, c, area2, isFrontFacing)
  }

  #emit(kind: ScreenPrimitive['kind'], a: number, b: number, c: number, area2 = 0, isFrontFacing = true): void {
    const { words: v } = this.#screen
    this.kind = kind
    this.area2 = area2
    this.#isFrontFacing = isFrontFacing
    this.#vertices[0] = a
    this.#vertices[1] = b
    this.#vertices[2] = c
    for (let i = 0; i < 3; i++) {
      const from = this.#vertices[i]! * SCREEN_WORDS
      this.x[i] = v[from + SCREEN.x]!
      this.y[i] = v[from + SCREEN.y]!
    }
    this.#sink(this)
  }

  look(): ScreenPrimitive {
    const whole = this.#whole
    const { floats: f, viewport } = this.#screen
    const depths = this.depths()
    whole.kind = this.kind
    whole.leading = this.#leading
    whole.area2 = this.area2
    whole.isFrontFacing = this.#isFrontFacing
    whole.viewport = viewport
    whole.viewportIndex = this.viewportIndex
    whole.renderTargetIndex = this.renderTargetIndex
    whole.primitiveId = this.#primitiveId
    whole.instance = this.#instance
    whole.clipDistances = this.clipDistances
    whole.originalEdges = this.kind === 'triangle' ? this.#originalEdges : 0
    for (let i = 0; i < 3; i++) {
      const vertex = this.#vertices[i]!
      whole.vertices[i] = vertex
      whole.x[i] = this.x[i]!
      whole.y[i] = this.y[i]!
      const from = vertex * SCREEN_WORDS
      whole.unsnapped[i * 2] = f[from + SCREEN.px]!
      whole.unsnapped[i * 2 + 1] = f[from + SCREEN.py]!
      whole.z[i] = depths[i]!
      whole.w[i] = f[from + SCREEN.w]!
    }
    return whole
  }

  record(ring: RecordRing): number {
    const at = nextRecord(ring)
    this.write(ring.words, ring.floats, at)
    return ring.words.byteOffset + at * 4
  }

  write(words: Int32Array, floats: Float32Array, at: number): void {
    const { floats: f } = this.#screen
    const depths = this.depths()
    const edges = this.kind === 'triangle' ? this.#originalEdges : 0
    const facing = this.#isFrontFacing ? RECORD_FRONT_FACING : 0
    const thin = this.kind === 'triangle' && isThinTriangle(this.x, this.y, this.area2) ? RECORD_THIN : 0
    words[at + RECORD.kind] = RECORD_KINDS.indexOf(this.kind) | facing | (edges << 3) | thin
    for (let i = 0; i < 3; i++) {
      const vertex = this.#vertices[i]!
      words[at + RECORD.vertices + i] = vertex
      words[at + RECORD.x + i] = this.x[i]!
      words[at + RECORD.y + i] = this.y[i]!
      const from = vertex * SCREEN_WORDS
      floats[at + RECORD.unsnapped + i * 2] = f[from + SCREEN.px]!
      floats[at + RECORD.unsnapped + i * 2 + 1] = f[from + SCREEN.py]!
      floats[at + RECORD.z + i] = depths[i]!
      floats[at + RECORD.w + i] = f[from + SCREEN.w]!
    }
    words[at + RECORD.leading] = this.#leading
    words[at + RECORD.viewportIndex] = this.viewportIndex
    words[at + RECORD.renderTargetIndex] = this.renderTargetIndex
    words[at + RECORD.primitiveId] = this.#primitiveId
    words[at + RECORD.clipDistances] = 0
    words[at + RECORD.sequence] = 0
    words[at + RECORD.instance] = this.#instance
  }

  depths(): Float64Array {
    const { floats: f } = this.#screen
    const depths = this.#depths
    for (let i = 0; i < 3; i++) depths[i] = f[this.#vertices[i]! * SCREEN_WORDS + SCREEN.z]!
    if (this.kind === 'triangle' && this.#isBiased) addDepthBias(depths, this.state, this)
    return depths
  }
}

/** Whether triangles with such vertices need nothing but their positions to be set up. */
export const arePlainInputs = (i: RasterizerInputs): boolean =>
  i.clipDistances.length + i.cullDistances.length === 0 &&
  i.position >= 0 &&
  i.viewportIndex < 0 &&
  i.renderTargetIndex < 0

/** Whether no center of a pixel lies between the least and the largest of three coordinates. */
function hasNoCenter(a: number, b: number, c: number): boolean {
  const least = Math.min(a, b, c)
  const largest = Math.max(a, b, c)
  return (least + HALF_PIXEL - 1) >> 8 > (largest - HALF_PIXEL) >> 8
}
