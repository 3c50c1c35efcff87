import { type CodeHistory, codeHistoryOf, isWorthTriangles } from '../code-history.ts'
import { copyWords } from '../copy-words.ts'
import type { VertexArray } from '../geometry.ts'
import {
  type CurrentPrimitive,
  isSmall,
  JOB,
  JOB_WORDS,
  nextRecord,
  type PixelRect,
  RECORD_WORDS,
  type RecordSink,
  setPixelBox,
  type TriangleSource,
  type VertexSource,
  type VertexWords,
} from '../raster/index.ts'
import type { Viewport } from '../state.ts'
import type { JobCode } from './jobs/job-code.ts'
import { type WantedPrograms, wantedProgram } from './jobs/wanted-programs.ts'
import { RecordReads } from './line-reads.ts'
import type { PixelLinkage } from './link-inputs.ts'
import { JOB_CAPACITY, LISTED_CAPACITY, PARAMETER, QUAD_MEMORY, type QuadMemory } from './quads.ts'
import { SetupCode, type TriangleList } from './setup-code.ts'

/** Small triangles whose quads and rows compiled code finds, many in one call. */

/** Quads of one job at the most: higher triangles are several, from top to bottom. */
const MOST_QUADS = 256

/** Records of primitives with the boxes of their pixels, and lists of their numbers. */
export interface RecordList {
  readonly primitives: Int32Array
  /** By primitive two words: left and right of its box, with BOX_PLAIN where the record is plain; top and bottom. */
  readonly boxes: Int32Array
  readonly entries: Int32Array
}

/** Bit of the first word of a box. */
export const BOX_PLAIN = 1 << 31
const BOX_MASK = 0x7fff

/** Quads of a box of pixels. */
function quadsOfBox({ left, top, right, bottom }: PixelRect): number {
  if (left >= right || top >= bottom) return 0
  return ((((right + 1) & ~1) - (left & ~1)) >> 1) * ((((bottom + 1) & ~1) - (top & ~1)) >> 1)
}

/** Triangles of the first call that sets up many; each that follows has twice as many, up to all that fit. */
const FIRST_CALL = 2

interface TriangleJobsParts {
  readonly offsets: Int32Array
  readonly code: JobCode
  readonly linkage: Pick<PixelLinkage, 'inputs'>
  readonly wanted: WantedPrograms
}

export class TriangleJobs implements RecordSink {
  readonly #memory: QuadMemory
  readonly #jobCode: JobCode
  readonly #wanted: WantedPrograms
  readonly #offsets: Int32Array
  readonly #capacity: number
  /** Triangles that could have been jobs, and quads of their boxes. */
  #seen = 0
  #seenQuads = 0
  #codeState: 'none' | 'wanted' | 'made' = 'none'
  /** For jobs of records that were listed, as those are that come now. */
  #reads: RecordReads | undefined
  #areListed = false
  readonly #hasAttributes: boolean
  count = 0
  /** Quads that those which wait may have. */
  quadCount = 0
  /** The pixels of the triangle that was looked at. */
  readonly box = { left: 0, top: 0, right: 0, bottom: 0 }

  /** Quads until the draw is to yield to the host. */
  untilRest = 0
  mustYield = false
  /** Programs that there were when triangles began to be taken. */
  #programs = 0
  /** The element of the record that is written. */
  #record = 0
  /** Where the vertices of triangles begin. */
  #vertices = 0
  /** Runs what waits, and makes room for what is found; whether the programs that shade it have been asked for. */
  readonly #pass: () => boolean
  /** What it answered last. */
  #isShadingAsked = false
  /** Triangles that the next call sets up: few at first, so that the draw may yield before it shades many. */
  #most = FIRST_CALL

  readonly setup: SetupCode
  #listed: SetupCode | undefined
  readonly #history: CodeHistory

  constructor(memory: QuadMemory, capacity: number, parts: TriangleJobsParts, pass: () => boolean) {
    const { offsets, code, linkage, wanted } = parts
    const history = codeHistoryOf(linkage.inputs)
    this.setup = new SetupCode(memory, code.findsQuads ? 'records' : 'jobs', history)
    this.#history = history
    this.#hasAttributes = linkage.inputs.some(({ kind }) => kind === 'attribute')
    this.#pass = pass
    this.#wanted = wanted
    this.#memory = memory
    this.#jobCode = code
    this.#offsets = offsets
    this.#capacity = Math.min(JOB_CAPACITY, capacity)
  }

  #runAll(): void {
    this.#isShadingAsked = this.#pass()
    this.#restBehindPrograms()
  }

  get findsQuads(): boolean {
    return this.#jobCode.findsQuads
  }

  get testsQuads(): boolean {
    return this.#jobCode.testsQuads
  }

  /** Quads that there is room for. */
  get #mostQuads(): number {
    const { testsQuads, packing } = this.#jobCode
    return testsQuads || packing?.isOn === true ? LISTED_CAPACITY : this.#memory.found.capacity
  }

  /** Whether a triangle can be a job: quads that it may have inside of the bounds, or -1. Code for many is wanted where there is none. */
  look(p: CurrentPrimitive, vertices: VertexWords, bounds: PixelRect): number {
    const { kernels } = this.#memory
    if (kernels === undefined || p.area2 === 0 || p.clipDistances.length > 0) return -1
    if (p.viewportIndex !== 0 || p.renderTargetIndex !== 0) return -1
    const [x0, x1, x2, y0, y1, y2] = [p.x[0]!, p.x[1]!, p.x[2]!, p.y[0]!, p.y[1]!, p.y[2]!]
    const width = Math.max(x0, x1, x2) - Math.min(x0, x1, x2)
    const height = Math.max(y0, y1, y2) - Math.min(y0, y1, y2)
    if (!isSmall(width, height)) return -1
    setPixelBox(this.box, p.x, p.y, this.#offsets.length === 2, bounds)
    const quads = quadsOfBox(this.box)
    this.#history.triangles++
    this.#seenQuads += quads
    const isWorth = isWorthTriangles(++this.#seen, this.#seenQuads, this.#history)
    if (!isWorth || !this.#reaches(vertices.array)) return -1
    if (this.#codeState === 'none') this.#want(vertices.array)
    return this.#codeState === 'made' ? quads : -1
  }

  #want(array: VertexArray): void {
    this.#codeState = 'wanted'
    const { registerCount } = array
    let isThere = true
    const programs = this.#jobCode.programs({ registerCount }).map(({ program, take }) =>
      wantedProgram(
        () => void (isThere &&= take()),
        () => (isThere ? program?.() : undefined),
      ),
    )
    this.#wanted.want([...programs, wantedProgram(() => this.#setMade(isThere, registerCount))])
  }

  #setMade(isThere: boolean, registerCount: number): void {
    this.#codeState = isThere ? 'made' : 'none'
    // Only where they have attributes are vertices sure to be there.
    const readsVertices = this.findsQuads && this.#hasAttributes
    if (isThere && readsVertices) this.#reads = new RecordReads(this.#memory, registerCount * 16)
    if (!isThere) this.#seen = Number.NEGATIVE_INFINITY
  }

  /** Triangles that a call sets up at the most. */
  #nextMost(): number {
    const most = this.#most
    this.#most = Math.min(this.#capacity, most * 2)
    return most
  }

  /** Whether a draw may hand triangles over as records, with vertices of this array. */
  isReadyFor(vertices: VertexArray): boolean {
    return this.#codeState === 'made' && this.#reaches(vertices)
  }

  /** Whether code reaches what it reads of vertices: of depth alone nothing. */
  #reaches({ words }: VertexArray): boolean {
    return !this.findsQuads || this.#memory.kernels?.reaches(words.buffer) === true
  }

  /** The triangles that come now have vertices of this array, and this viewport. */
  open({ words }: VertexArray, { minDepth, maxDepth }: Viewport): void {
    const { start, parameters } = this.#memory
    this.#vertices = words.byteOffset - start
    this.#areListed = false
    DEPTHS[0] = minDepth
    DEPTHS[1] = maxDepth
    parameters[PARAMETER.vertices] = this.#vertices
    parameters[PARAMETER.minDepth] = DEPTH_BITS[0]!
    parameters[PARAMETER.maxDepth] = DEPTH_BITS[1]!
  }

  /** Triangles are taken from now on, until they have had so many quads. */
  takeUntil(quads: number): void {
    this.untilRest = quads
    this.mustYield = false
    this.#programs = this.setup.programCount
  }

  /** Programs take milliseconds each to compile: the draw is to yield to the host behind them, and before those that are wanted. */
  #restBehindPrograms(): void {
    if (this.setup.programCount > this.#programs || this.#wanted.areAny) this.mustYield = true
  }

  setsUp(count: number): boolean {
    return this.setup.setsUp(count)
  }

  place(source: VertexSource, from: number, count: number): boolean {
    return this.setup.place(source, from, count, this.#wanted)
  }

  setUp(source: TriangleSource, from: number, to: number, bounds: PixelRect): number {
    // What places vertices may just have been wanted.
    this.#restBehindPrograms()
    if (this.mustYield) return from
    const isReady = this.setup.isReadyOrWanted(source, this.#wanted)
    this.#restBehindPrograms()
    if (!isReady) return from
    let at = from
    while (at < to && !this.mustYield) {
      if (this.count > 0) this.#runAll()
      if (this.mustYield) return at
      const end = Math.min(to, at + this.#nextMost())
      const next = this.findsQuads
        ? this.#setUpWhole(source, at, end, bounds)
        : this.#setUpJobs(source, at, end, bounds)
      if (next < end) return next
      at = next
    }
    return at
  }

  #setUpJobs(source: TriangleSource, from: number, to: number, bounds: PixelRect): number {
    const setup = this.setup
    const next = setup.run(source, from, to, bounds)
    this.untilRest -= setup.pixelCount / 2
    if (this.untilRest < 0) this.mustYield = true
    this.count = setup.count
    if (this.count > 0) this.#runAll()
    return next
  }

  /** Sets up triangles in the list of a share of rows; answers the first that it has not. */
  setUpListed(list: TriangleList, from: number, to: number, bounds: PixelRect, state: TriangleSource['state']): number {
    const isWhole = this.findsQuads
    this.#listed ??= this.setup.ofShares(isWhole ? 'records of a list' : 'jobs of a list', list.shares)
    const setup = this.#listed
    if (!setup.setsUp(to - from)) return from
    if (!setup.isReadyOrWanted({ screen: list.screen, state }, this.#wanted)) return from
    if (this.count > 0) this.#runAll()
    const end = Math.min(to, from + this.#nextMost())
    if (isWhole) {
      const next = setup.runListed(list, from, end, bounds, this.#memory.records.words.byteOffset)
      this.#addWhole(setup)
      return next
    }
    const next = setup.runListed(list, from, end, bounds)
    this.count = setup.count
    if (this.count > 0) this.#runAll()
    return next
  }

  /** Sets up triangles as the first records of the ring, and adds their jobs. */
  #setUpWhole(source: TriangleSource, from: number, to: number, bounds: PixelRect): number {
    const { setup } = this
    const place = { byteOffset: this.#memory.records.words.byteOffset, firstVertex: 0 }
    let next = setup.run(source, from, to, bounds, place)
    // What the first find is to fit, so that the draw may yield before it shades.
    while (!this.#isShadingAsked && setup.quadCount > this.#mostQuads && next - from > 1)
      next = setup.run(source, from, from + ((next - from) >> 1), bounds, place)
    this.#addWhole(setup)
    return next
  }

  /** Adds the jobs of the first records of the ring: nothing waits. */
  #addWhole(setup: SetupCode): void {
    const { count, boxes: b, quadCount } = setup
    const { records } = this.#memory
    records.next = count
    for (let at = 0; at < count; ) {
      at = this.#addTogether(b, at, count)
      // The next is of many quads, or there is no room left.
      if (at < count) this.#addBox(b, at++)
    }
    this.untilRest -= quadCount
    if (this.untilRest < 0) this.mustYield = true
  }

  /** Adds the jobs of boxes one behind the other, as far as there is room for; the first box that it has not added. */
  #addTogether(boxes: Int32Array, from: number, to: number): number {
    const { found, jobs, kernels } = this.#memory
    const most = Math.min(to, from + this.#capacity - this.count)
    const room = this.#mostQuads - found.count
    let { quadCount } = this
    let end = from
    for (let at = from * JOB_WORDS; end < most; end++, at += JOB_WORDS) {
      const columns = ((boxes[at + JOB.right]! + 1) >> 1) - (boxes[at + JOB.left]! >> 1)
      const quads = columns * (((boxes[at + JOB.bottom]! + 1) >> 1) - (boxes[at + JOB.top]! >> 1))
      if (quads > MOST_QUADS || quadCount + quads > room) break
      quadCount += quads
    }
    copyWords(kernels, jobs, this.count * JOB_WORDS, boxes, from * JOB_WORDS, end * JOB_WORDS)
    this.count += end - from
    this.quadCount = quadCount
    return end
  }

  #addBox(boxes: Int32Array, n: number): void {
    const at = n * JOB_WORDS
    const [left, top, right, bottom] = [
      boxes[at + JOB.left]!,
      boxes[at + JOB.top]!,
      boxes[at + JOB.right]!,
      boxes[at + JOB.bottom]!,
    ]
    this.#addJobs(boxes[at + JOB.record]!, left, top, right, bottom)
  }

  get words(): Int32Array {
    return this.#memory.records.words
  }

  get floats(): Float32Array {
    return this.#memory.records.floats
  }

  begin(): number {
    this.#record = nextRecord(this.#memory.records)
    return this.#record
  }

  add(left: number, top: number, right: number, bottom: number): void {
    this.untilRest -= this.#addJobs(QUAD_MEMORY.records + this.#record * 4, left, top, right, bottom)
    if (this.untilRest < 0) this.mustYield = true
  }

  /**
   * Adds the pixels inside of bounds of the triangles in a list, from an entry on, until one is not plain, or there is to be a rest, or the
   * list ends. Answers the entry that comes next.
   */
  addListed({ primitives, boxes, entries }: RecordList, from: number, end: number, bounds: PixelRect): number {
    const { found, jobs, start } = this.#memory
    const first = primitives.byteOffset - start
    const { left: l, top: t, right: r, bottom: b } = bounds
    const vertices = this.#vertices
    const capacity = this.#capacity
    this.#areListed = true
    let { count, quadCount, untilRest } = this
    let room = this.findsQuads ? this.#mostQuads - found.count : Number.POSITIVE_INFINITY
    let entry = from
    for (; entry < end && untilRest >= 0; entry++) {
      const primitive = entries[entry]!
      const [xs, ys] = [boxes[primitive * 2]!, boxes[primitive * 2 + 1]!]
      if ((xs & BOX_PLAIN) === 0) break
      const left = Math.max(l, xs & BOX_MASK)
      const top = Math.max(t, ys & BOX_MASK)
      const right = Math.min(r, (xs >>> 16) & BOX_MASK)
      const bottom = Math.min(b, (ys >>> 16) & BOX_MASK)
      if (left >= right || top >= bottom) continue
      const record = first + primitive * (RECORD_WORDS * 4)
      const quads = (((right + 1) >> 1) - (left >> 1)) * (((bottom + 1) >> 1) - (top >> 1))
      untilRest -= quads
      if (quads <= MOST_QUADS && quadCount + quads <= room && count < capacity) {
        const at = count++ * JOB_WORDS
        jobs[at + JOB.record] = record
        jobs[at + JOB.vertices] = vertices
        jobs[at + JOB.left] = left
        jobs[at + JOB.top] = top
        jobs[at + JOB.right] = right
        jobs[at + JOB.bottom] = bottom
        quadCount += quads
        continue
      }
      // Several jobs, or what waits runs first.
      this.count = count
      this.quadCount = quadCount
      this.#addJobs(record, left, top, right, bottom)
      ;({ count, quadCount } = this)
      room = this.findsQuads ? this.#mostQuads - found.count : room
      if (this.#wanted.areAny) untilRest = -1
    }
    this.count = count
    this.quadCount = quadCount
    this.untilRest = untilRest
    if (untilRest < 0) this.mustYield = true
    return entry
  }

  /** Adds a triangle that was looked at. */
  addLooked(p: CurrentPrimitive, { array }: VertexWords): void {
    const { records, start } = this.#memory
    const { left, top, right, bottom } = this.box
    this.open(array, p.viewport)
    this.#addJobs(p.record(records) - start, left, top, right, bottom)
  }

  /** Adds the jobs of a triangle, one below the other; the quads that it may have. */
  #addJobs(record: number, left: number, top: number, right: number, bottom: number): number {
    const columns = (((right + 1) & ~1) - (left & ~1)) >> 1
    const rows = (((bottom + 1) & ~1) - (top & ~1)) >> 1
    if (columns * rows <= MOST_QUADS) this.#addJob(record, left, top, right, bottom, columns * rows)
    else {
      const height = Math.floor(MOST_QUADS / columns) * 2
      for (let from = top; from < bottom; ) {
        const to = Math.min(bottom, (from & ~1) + height)
        this.#addJob(record, left, from, right, to, columns * ((((to + 1) & ~1) - (from & ~1)) >> 1))
        from = to
      }
    }
    return columns * rows
  }

  #addJob(record: number, left: number, top: number, right: number, bottom: number, quads: number): void {
    const { found, jobs } = this.#memory
    const isFull = this.findsQuads && found.count + this.quadCount + quads > this.#mostQuads
    if (isFull || this.count === this.#capacity) this.#runAll()
    const at = this.count++ * JOB_WORDS
    jobs[at + JOB.record] = record
    jobs[at + JOB.vertices] = this.#vertices
    jobs[at + JOB.left] = left
    jobs[at + JOB.top] = top
    jobs[at + JOB.right] = right
    jobs[at + JOB.bottom] = bottom
    this.quadCount += quads
  }

  /** Does what there is to do. */
  run(): void {
    if (this.#areListed) this.#reads?.run(this.count)
    this.#jobCode.run(this.count, this.quadCount)
    this.count = 0
    this.quadCount = 0
  }
}

const DEPTHS = new Float32Array(2)
const DEPTH_BITS = new Int32Array(DEPTHS.buffer)
