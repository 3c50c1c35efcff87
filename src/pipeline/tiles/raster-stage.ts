import type { PrimitiveArray, VertexArray } from '../geometry.ts'
import { BOX_PLAIN, type PixelStage, type RecordList, type TriangleList } from '../pixels/index.ts'
import {
  allSamples,
  type ClipCounts,
  type CurrentPrimitive,
  coverAlphaLine,
  coverLine,
  coverPoint,
  coverQuadrilateralLine,
  coverTriangle,
  coverTriangleConservatively,
  intersect,
  isEmpty,
  type PixelRect,
  PrimitiveSetup,
  type RecordSink,
  type SampleCount,
  type ScreenPrimitive,
  type SetUpPrimitive,
  type SetupState,
  VertexWords,
} from '../raster/index.ts'
import { DrawStopped } from '../stage-runner.ts'
import type { ScissorRect } from '../state.ts'
import { MOST_QUADS, PieceSize } from './piece-size.ts'
import { TriangleBands } from './triangle-bands.ts'
import { boxOf, WaitingTriangles } from './waiting-triangles.ts'

/** Primitives to quads: setup, the rectangles that limit them, and coverage by kind and mode. */

/** What the rasterizer depends on, of the pipeline and of what is bound. */
export interface RasterState extends Omit<SetupState, 'clip' | 'centersOnly' | 'counts'> {
  readonly scissors: readonly ScissorRect[]
  /** The pixels that every bound target has. */
  readonly targetBounds: PixelRect
  /** Slices that every bound target has. */
  readonly sliceCount: number
}

interface RasterStageOptions {
  readonly counts: ClipCounts
  readonly sampleCount: SampleCount
  readonly offsets: Int32Array
  readonly pixels: PixelStage
  /** No result depends on the order in which pixels run, so triangles may be rasterized by bands of the targets. */
  readonly mayReorderPixels?: boolean
  /** Time (performance.now) after which no further primitive begins. */
  readonly deadline: number
  /** Takes primitives for several threads; undefined where this one has all. */
  readonly shared: PrimitiveSink | undefined
}

/** What has become of a primitive: one of which code has to be made first is to come again later, if it may wait. */
export type Taken = 'taken' | 'left' | 'later'

export interface PrimitiveSink {
  /** It takes nothing: this thread has all. */
  readonly isUnshared: boolean
  /** Its primitives so far have so few pixels that this thread has small triangles for as long as nothing is shared. */
  readonly hasFewPixels: boolean
  /** Takes triangles of these vertices as records; undefined where it does not take what comes now. */
  takeRecords(vertices: VertexArray): RecordSink | undefined
  /** Whether it can take a primitive without a wait for other threads; where not, it does a piece of what else there is to do. */
  hasRoom(): boolean
  /** Whether it has taken a primitive, which this thread rasterizes where it is left. */
  take(p: SetUpPrimitive, vertices: VertexWords, bounds: PixelRect, mayWait: boolean): Taken
  /** Whether taking took long since the last call, so that the draw is to yield to the host. */
  tookLong(): boolean
  /** Vertices have been replaced by others of the same numbers. */
  forgetVertices(): void
}

const EMPTY_RECT: PixelRect = { left: 0, top: 0, right: 0, bottom: 0 }
const MAX_VIEWPORTS = 16

/** Whole primitives and quads between two looks at the clock. */
const WORK_BETWEEN = 256
/** Twice the area of a quad, in (1/256 pixel)^2. */
const QUAD_AREA = 2 * 4 * 65536

/** So few quads are worth no look at where they lie. */
const FEW_QUADS = 64

function pixelsOfBox(p: CurrentPrimitive, bounds: PixelRect): number {
  const { left, right, top, bottom } = boxOf(p, bounds)
  return Math.max(0, right - left) * Math.max(0, bottom - top)
}

/** Whether a triangle may have more quads than so many, which are found at once: it has about half as many in twice its area. */
const isLarge = (p: CurrentPrimitive, bounds: PixelRect, quads: number): boolean =>
  Math.abs(p.area2) >= quads * 4 * 65536 && pixelsOfBox(p, bounds) > quads * 4

export class RasterStage {
  readonly setup: PrimitiveSetup
  #current: CurrentPrimitive
  readonly #state: RasterState
  readonly #o: RasterStageOptions
  readonly #words: VertexWords
  readonly #isSolid: boolean
  /** Triangles may be set up as records. */
  readonly #arePlain: boolean
  /** Pixels that each viewport leaves. */
  readonly #bounds: (PixelRect | undefined)[] = []
  #slice = 0
  /** The triangle whose quads are found has been begun: when there is one. */
  #isBegun = false
  #waiting: WaitingTriangles | undefined
  /** Those that wait are to be passed to other threads. */
  #passesOn = false
  /** Null where triangles are found in the order of the draw. */
  #bands: TriangleBands | null | undefined
  #untilClock = 0
  #untilRest = 0
  readonly #piece = new PieceSize()
  /** Programs that there were when it began to take primitives. */
  #programs = 0
  /** The part of the targets that primitives come for; undefined where they come for all. */
  #part: PixelRect | undefined

  /** `vertices` are those of the last stage; clipping appends to them. */
  constructor(vertices: VertexArray, state: RasterState, modes: Uint8Array, o: RasterStageOptions) {
    this.#o = o
    this.#state = state
    const { rasterizer, viewports, biasUnit, inputs } = state
    this.#words = new VertexWords(vertices)
    const clip = { vertices: this.#words, position: inputs.position * 4, modes }
    this.#isSolid = rasterizer.fillMode !== 'WIREFRAME' && rasterizer.conservativeRaster !== 'ON'
    const centersOnly = this.#isSolid && o.sampleCount === 1
    const { counts } = o
    this.setup = new PrimitiveSetup({ rasterizer, viewports, biasUnit, inputs, clip, centersOnly, counts }, (p) =>
      this.#take(p),
    )
    this.#current = this.setup
    this.#arePlain = this.#isSolid && this.setup.arePlain
  }

  /** Takes primitives from `from` on; answers the first that it has left for the next call, `to` where there is none. */
  add(primitives: PrimitiveArray, from: number, to: number): number {
    this.#beginWork()
    const next = this.#addSome(primitives, from, to)
    this.#piece.end(this.#o.pixels.wanted.areAny)
    return next
  }

  #addSome(primitives: PrimitiveArray, from: number, to: number): number {
    const { vertices, verticesPerPrimitive: size, ids, instances } = primitives
    if (this.makesProgram() || !this.#runWaiting()) return from
    for (let i = from; i < to; i++) {
      if (this.#o.shared?.hasRoom() === false) return i
      const sink = size === 3 && this.#arePlain ? this.#takeRecords() : undefined
      if (sink !== undefined) {
        this.#lookAtClock()
        i = this.setup.addPlain(primitives, i, to, this.#boundsOf(this.setup), sink)
        if (sink.mustYield) return i
        if (i === to) break
        this.#bands?.close()
        if (!this.#runBands()) return i
      }
      this.setup.add(vertices, i * size, size, ids[i]!, instances[i]!)
      if (!this.#runWaiting() || this.#mustRest) return i + 1
    }
    this.#o.pixels.findMany()
    return to
  }

  #beginWork(): void {
    this.#piece.begin()
    this.#untilRest = this.#piece.quads
    this.#programs = this.#o.pixels.setupCode.programCount
  }

  /** Makes one of the programs that its draw is about to need, behind which the draw is to yield; false where there is none to make. */
  makesProgram(): boolean {
    const { wanted } = this.#o.pixels
    return wanted.areAny && wanted.makeNext()
  }

  /** The draw is to yield to the host: there were many quads, or programs had to be compiled or are wanted, which take milliseconds each. */
  get #mustRest(): boolean {
    const { setupCode, wanted } = this.#o.pixels
    return this.#untilRest < 0 || setupCode.programCount > this.#programs || wanted.areAny
  }

  /** Pixels of primitives that it has taken are not found yet, or not shaded before there are programs: `add` goes on with them. */
  get isWaiting(): boolean {
    return this.#areWaiting || this.#o.pixels.wanted.areAny
  }

  get #areWaiting(): boolean {
    return this.#waiting?.isEmpty === false || this.#bands?.mustYield === true
  }

  /** Finds the pixels of what is listed, or goes on with it; whether it is done. */
  finish(): boolean {
    this.#beginWork()
    this.#bands?.close()
    const isDone = !(this.isWaiting && this.makesProgram()) && this.#runWaiting()
    this.#piece.end(this.#o.pixels.wanted.areAny)
    return isDone
  }

  /** Goes on with lists of bands that are closed; whether they are done. */
  #runBands(): boolean {
    const bands = this.#bands
    if (!bands?.mustYield) return true
    this.#lookAtClock()
    const bounds = this.#boundsOf(this.setup)
    const jobs = this.#o.pixels.takeRecords(bands.vertices, this.setup.viewport, this.#untilRest)
    const isDone = bands.run((list, from, end, band, isNew) => {
      const part = intersect(bounds, band)
      if (isNew) this.beginPart(part, end - from)
      return jobs!.addListed(list, from, end, part)
    })
    if (!isDone) return false
    // The next triangles take the place of these records.
    this.#o.pixels.finishRecords()
    if (bands.areTooSmall) this.#bands = null
    return true
  }

  /** Goes on with bands and large triangles; whether they are done. */
  #runWaiting(): boolean {
    if (!this.#runBands()) return false
    const waiting = this.#waiting
    if (waiting === undefined || waiting.isEmpty) return true
    if (this.#passesOn) return this.#passOn(waiting)
    // Programs are made by the next call.
    if (this.#o.pixels.wanted.areAny) return false
    return waiting.run(this.#boundsFor, this.#piece.quads, (p, part) => {
      this.#lookAtClock()
      this.#rasterize(p, part, false)
      return !this.#mustRest
    })
  }

  /** Passes on triangles to other threads, which have what they run on by now; whether none waits. */
  #passOn(waiting: WaitingTriangles): boolean {
    const { shared } = this.#o
    const areTaken = waiting.passOn((p) => {
      if (shared?.hasRoom() !== true) return false
      const taken = shared.take(p, this.#words, this.#boundsOf(p), true)
      if (taken === 'left') this.#passesOn = false
      return taken === 'taken'
    })
    if (areTaken) this.#passesOn = false
    return areTaken
  }

  /** A triangle waits, in the order of the draw. */
  #addWaiting(p: SetUpPrimitive): void {
    this.#waiting ??= new WaitingTriangles(this.setup.state.viewports, this.setup.state.inputs.clipDistances)
    this.#waiting.add(p)
  }

  /** Rasterizes a primitive, or has it wait where it, or one before it, has many pixels. */
  #rasterizeLater(p: SetUpPrimitive, bounds: PixelRect): void {
    const isSolid = p.kind === 'triangle' && this.#isSolid
    if (isSolid && isLarge(p, bounds, this.#piece.quads)) this.#wantsPrograms(p, bounds)
    else if (!(isSolid && this.#areWaiting) && this.#rasterize(p, bounds)) return
    this.#addWaiting(p)
  }

  /** What takes plain triangles as records; undefined where they are passed one by one. */
  #takeRecords(): RecordSink | undefined {
    const { shared, pixels } = this.#o
    const { array } = this.#words
    if (shared !== undefined && !shared.isUnshared && !shared.hasFewPixels) return shared.takeRecords(array)
    const jobs = pixels.takeRecords(array, this.setup.viewport, this.#untilRest)
    if (jobs?.findsQuads !== true) return jobs
    return this.#bandsOf(array, (made) => jobs.isReadyFor(made)) ?? jobs
  }

  #bandsOf(vertices: VertexArray, isReadyFor: (made: VertexArray) => boolean): TriangleBands | undefined {
    if (this.#bands !== undefined) return this.#bands ?? undefined
    const { shared, sampleCount, mayReorderPixels, pixels } = this.#o
    const hasBands = shared === undefined && sampleCount > 1 && mayReorderPixels === true
    const made = hasBands ? TriangleBands.create(vertices, this.#boundsOf(this.setup), sampleCount, pixels) : undefined
    this.#bands = made !== undefined && isReadyFor(made.vertices) ? made : null
    return this.#bands ?? undefined
  }

  /** Implicit scissor of the viewport, scissor rectangle and targets (15.6, 15.7). */
  readonly #boundsFor = (p: CurrentPrimitive): PixelRect => this.#boundsOf(p)

  #boundsOf(p: CurrentPrimitive): PixelRect {
    const index = p.viewportIndex < MAX_VIEWPORTS ? p.viewportIndex : 0
    const known = this.#bounds[index]
    if (known !== undefined) return known
    const { topLeftX, topLeftY, width, height } = p.viewport
    const viewport: PixelRect = {
      left: Math.floor(topLeftX),
      top: Math.floor(topLeftY),
      right: Math.floor(Math.fround(topLeftX + width)),
      bottom: Math.floor(Math.fround(topLeftY + height)),
    }
    const { targetBounds, rasterizer, scissors } = this.#state
    const within = this.#part === undefined ? targetBounds : intersect(targetBounds, this.#part)
    const inside = intersect(within, viewport)
    const bounds = rasterizer.scissorEnable ? intersect(inside, scissors[index] ?? EMPTY_RECT) : inside
    this.#bounds[index] = bounds
    return bounds
  }

  /** Few primitives can be many pixels, and without a pixel shader no execution looks at the time. */
  readonly #lookAtClock = (): void => {
    this.#untilClock = WORK_BETWEEN
    if (performance.now() >= this.#o.deadline) throw new DrawStopped('time')
  }

  #take(p: SetUpPrimitive): void {
    if (--this.#untilClock < 0) this.#lookAtClock()
    const bounds = this.#boundsOf(p)
    if (isEmpty(bounds)) return
    const { shared } = this.#o
    const mayWait = p.kind === 'triangle' && this.#isSolid
    const taken = this.#passesOn ? 'later' : (shared?.take(p, this.#words, bounds, mayWait) ?? 'left')
    if (taken === 'later') {
      this.#passesOn = true
      this.#addWaiting(p)
    } else if (taken === 'left') this.#rasterizeLater(p, bounds)
    else if (shared?.tookLong() === true) this.#untilRest = -1
    else this.#untilRest--
  }

  /** The array of vertices is filled anew. */
  clearVertices(): void {
    this.#o.shared?.forgetVertices()
    this.setup.clearVertices()
  }

  /** The triangles that come now have vertices of these words on the screen, and come for a part of the targets. */
  openPart(screen: Int32Array, part: PixelRect): void {
    this.setup.useScreen(screen)
    this.#part = part
    this.#bounds.length = 0
  }

  /** Takes a triangle that has been clipped: those that `add` takes come behind it. */
  addClipped(vertices: ArrayLike<number>, leading: number, primitiveId: number, instance: number): void {
    this.setup.addClipped(vertices, leading, primitiveId, instance)
  }

  /** Sets up small triangles of a list by code, as far as it can, each in its band: the first that it has not. */
  addByCode(list: TriangleList, from: number, to: number): number {
    const { setup } = this
    const jobs = this.#o.pixels.takeRecords(this.#words.array, setup.viewport, MOST_QUADS)
    if (jobs === undefined) return from
    this.#lookAtClock()
    return jobs.setUpListed(list, from, to, this.#boundsOf(setup), setup.state)
  }

  /**
   * Finds the pixels of triangles in a list, from an entry up to another, as far as they are plain, inside of a part of the targets. Answers
   * the entry that comes next: `rasterizeIn` takes that primitive.
   */
  addListed(list: RecordList, from: number, end: number, part: PixelRect): number {
    if ((list.boxes[list.entries[from]! * 2]! & BOX_PLAIN) === 0) return from
    const bounds = intersect(this.#boundsOf(this.setup), part)
    if (isEmpty(bounds)) return from
    const jobs = this.#o.pixels.takeRecords(this.#words.array, this.setup.viewport, this.#piece.quads)
    if (jobs === undefined) return from
    this.#piece.begin()
    const next = jobs.addListed(list, from, end, bounds)
    this.#piece.end(this.#o.pixels.wanted.areAny)
    return next
  }

  /** So many primitives of a part of the targets come next. */
  beginPart(part: PixelRect, count: number): void {
    this.#o.pixels.readAhead?.read(part, count)
  }

  /**
   * Finds the pixels of a primitive that has been set up, inside of a part of the targets; false where programs are to be made first, and
   * the primitive is to come again.
   */
  rasterizeIn(p: CurrentPrimitive, part: PixelRect): boolean {
    const bounds = intersect(this.#boundsOf(p), part)
    if (isEmpty(bounds)) return true
    return this.#rasterize(p, bounds)
  }

  #wantsPrograms(p: CurrentPrimitive, bounds: PixelRect): boolean {
    const all = Math.abs(p.area2) / QUAD_AREA
    // Most of a large one may lie outside of the targets.
    const quads = all < FEW_QUADS ? all : Math.min(all, pixelsOfBox(p, bounds) / 4)
    return this.#o.pixels.wantsPrograms(p, this.#words, this.#sliceOf(p), quads)
  }

  #sliceOf({ renderTargetIndex }: CurrentPrimitive): number {
    return renderTargetIndex < this.#state.sliceCount ? renderTargetIndex : 0
  }

  /** Whether it has found the pixels of a primitive: not where `mayWait` and programs are wanted for it, which are to be made first. */
  #rasterize(p: CurrentPrimitive, bounds: PixelRect, mayWait = true): boolean {
    this.#current = p
    this.#slice = this.#sliceOf(p)
    if (p.kind === 'triangle' && this.#isSolid) {
      const { pixels } = this.#o
      const quads = pixels.addTriangle(p, this.#words, bounds)
      if (quads >= 0) {
        this.#untilRest -= quads
        return true
      }
      if (mayWait && (pixels.wanted.areAny || this.#wantsPrograms(p, bounds))) return false
      const { depthTriangles } = pixels
      if (depthTriangles !== undefined && p.clipDistances.length === 0) {
        // What came before it is tested before.
        pixels.pass()
        this.#untilRest -= depthTriangles.draw(p, bounds, this.#slice, this.#lookAtClock) / 4
        return true
      }
      this.#isBegun = false
      coverTriangle(p.x, p.y, p.area2, this.#o.offsets, bounds, this.#addQuad, this.#addRun)
    } else this.#rasterizeSpecial(p.look(), bounds, this.#slice)
    return true
  }

  /** Takes a quad of the triangle that has been set up. */
  readonly #addQuad = (x: number, y: number, masks: Uint32Array): void => {
    if (!this.#isBegun) this.#begin()
    this.#untilRest--
    this.#o.pixels.add(x, y, masks)
  }

  readonly #addRun = (x: number, y: number, count: number, mask: number): void => {
    if (!this.#isBegun) this.#begin()
    this.#untilRest -= count
    this.#o.pixels.addRun(x, y, count, mask)
  }

  #begin(): void {
    this.#isBegun = true
    this.#o.pixels.beginTriangle(this.#current.look(), this.#words, this.#slice)
  }

  readonly #addSpecial = (
    x: number,
    y: number,
    masks: Uint32Array,
    inner?: number,
    alphas?: ArrayLike<number>,
  ): void => {
    this.#untilRest--
    this.#o.pixels.addSpecial(x, y, masks, inner, alphas)
  }

  #rasterizeSpecial(p: ScreenPrimitive, bounds: PixelRect, slice: number): void {
    const { rasterizer } = this.#state
    const { offsets, pixels, sampleCount } = this.#o
    if (p.kind === 'line') this.#line(p, bounds, slice)
    else if (p.kind === 'triangle' && rasterizer.fillMode === 'WIREFRAME') {
      for (const line of edgeLines(p)) this.#line(line, bounds, slice)
    } else {
      pixels.beginSpecial(p, this.#words, slice)
      if (p.kind === 'point') coverPoint(p.x[0], p.y[0], offsets, bounds, this.#addSpecial)
      else coverTriangleConservatively(p.x, p.y, p.area2, allSamples(sampleCount), bounds, this.#addSpecial)
    }
  }

  /** The line mode is multisampled quadrilaterals, alpha, or aliased, in this order (15.14). */
  #line(p: ScreenPrimitive, bounds: PixelRect, slice: number): void {
    const { rasterizer } = this.#state
    const { pixels, sampleCount, offsets } = this.#o
    pixels.beginSpecial(p, this.#words, slice)
    const [x0, y0, x1, y1] = p.unsnapped
    if (rasterizer.multisampleEnable) coverQuadrilateralLine([x0, y0, x1, y1], offsets, bounds, this.#addSpecial)
    else if (rasterizer.antialiasedLineEnable) {
      coverAlphaLine([x0, y0, x1, y1], allSamples(sampleCount), bounds, (x, y, masks, alphas) =>
        this.#addSpecial(x, y, masks, 0, alphas),
      )
    } else coverLine(p.x[0], p.y[0], p.x[1], p.y[1], allSamples(sampleCount), bounds, this.#addSpecial)
  }
}

/** The edges of a triangle that were edges before clipping, as lines that face as the triangle does (15.13). */
function edgeLines(p: ScreenPrimitive): ScreenPrimitive[] {
  return [0, 1, 2]
    .filter((i) => (p.originalEdges & (1 << i)) !== 0)
    .map((a) => {
      const b = (a + 1) % 3
      const pick = <T>(v: readonly [T, T, T]): readonly [T, T, T] => [v[a]!, v[b]!, v[b]!]
      const u = p.unsnapped
      return {
        ...p,
        kind: 'line' as const,
        vertices: pick(p.vertices),
        x: pick(p.x),
        y: pick(p.y),
        z: pick(p.z),
        w: pick(p.w),
        unsnapped: [u[a * 2]!, u[a * 2 + 1]!, u[b * 2]!, u[b * 2 + 1]!, u[b * 2]!, u[b * 2 + 1]!] as const,
        area2: 0,
      }
    })
}
