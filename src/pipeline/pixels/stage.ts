import type { QuadBatch } from '../../engine/index.ts'
import { compileThresholds } from '../compile-thresholds.ts'
import type { VertexArray } from '../geometry.ts'
import type { CurrentPrimitive, PixelRect, PrimitiveTable, ScreenPrimitive, VertexWords } from '../raster/index.ts'
import { DrawStopped } from '../stage-runner.ts'
import type { Viewport } from '../state.ts'
import { PixelAttributes } from './attributes.ts'
import { DepthTriangles } from './depth-triangles.ts'
import { type DepthJobs, depthJobs } from './jobs/depth-jobs.ts'
import { NO_CODE } from './jobs/job-code.ts'
import { PackedShading } from './jobs/packed-shading.ts'
import { quadFinder } from './jobs/quad-finder.ts'
import { type TestedJobs, type TestedWhen, testedJobs } from './jobs/tested-jobs.ts'
import { WantedPrograms } from './jobs/wanted-programs.ts'
import {
  acquireQuadMemory,
  type FoundQuads,
  lowestSample,
  type QuadMemory,
  releaseQuadMemory,
  type ShadedQuads,
  tableIn,
} from './quads.ts'
import { SampleTests } from './sample-tests.ts'
import type { SetupCode } from './setup-code.ts'
import { createShading, type Shading, ShadingWants } from './shading.ts'
import type { PixelCounts, PixelStageOptions } from './stage-options.ts'
import { ReadAhead } from './target-pixels.ts'
import { TriangleJobs } from './triangle-jobs.ts'
import {
  appendFound,
  appendRun,
  type CopiedSamples,
  hasSamples,
  lanesIn,
  QuadCopies,
  quadBatchOf,
  writeQuad,
} from './waiting-quads.ts'

/** Quads of pixels: collected as the rasterizer finds them, tested together, shaded together and merged in their order. */

/** Pixels of primitives other than antialiased lines. */
const FULL_ALPHA: readonly number[] = [1, 1, 1, 1]

/** Runs the pixel shader of a draw over quads in their order, and merges what comes out in the same order. */
export class PixelStage {
  readonly #o: PixelStageOptions
  readonly #memory: QuadMemory
  readonly #found: FoundQuads
  readonly #shaded: ShadedQuads
  readonly #table: PrimitiveTable
  /** Quads of a batch. */
  readonly #capacity: number
  readonly #quads: QuadBatch
  readonly #copies: QuadCopies
  readonly #tests: SampleTests
  readonly #shading: Shading | undefined
  /** Programs that the draw is about to need: it yields to the host between them. */
  readonly wanted: WantedPrograms
  readonly #wants: ShadingWants | undefined
  /** The quads that have been found are those of jobs, and tested: nothing has taken them. */
  #areTested = false
  /** Lanes that are no helpers are the samples that pass. */
  readonly #countsInvocations: boolean
  /** Nothing takes samples from quads before tests. */
  readonly #keepsAll: boolean
  /** Nothing happens to the quads of plain triangles before their shader. */
  readonly #isUntested: boolean
  /** Quads whose late tests are sure to fail need no shader: nobody sees that it has not run. */
  readonly #looksAhead: boolean
  /** The primitive of the quads that are added. */
  #row = 0
  /** The quads that have been collected are of plain triangles. */
  #isPlain = true
  /** For triangles of which depth alone is tested, without clip distances: they need no quads. */
  readonly depthTriangles: DepthTriangles | undefined
  /** Small triangles whose quads compiled code finds, or covers and tests at once; what sets them up. */
  readonly #jobs: TriangleJobs
  readonly setupCode: SetupCode
  readonly #depthJobs: DepthJobs | undefined
  readonly #testedJobs: TestedJobs | undefined
  /** Where triangles are tested with several samples a pixel. */
  readonly readAhead: ReadAhead | undefined
  #invocations = 0
  /** Shades what jobs leave without helpers. */
  readonly #packed: PackedShading | undefined

  constructor(o: PixelStageOptions) {
    this.#o = o
    const { offsets, linkage } = o
    const memory = acquireQuadMemory(o.kernels)
    this.#memory = memory
    this.wanted = new WantedPrograms(o.kernels)
    this.#found = memory.found
    this.#shaded = memory.shaded
    this.#capacity = o.capacity / 4
    const columns = { ...linkage, attributes: o.shader === undefined ? [] : linkage.attributes }
    const table = tableIn(memory, columns, o.precision)
    this.#table = table
    this.#copies = new QuadCopies(memory, table, o.hasSlices)
    if (o.shader === undefined && o.forcedOutput === undefined) {
      const { alone } = o.depthStencil
      const coversSample = offsets.length === 2 && (o.sampleMask & 1) !== 0
      this.depthTriangles = alone !== undefined && coversSample ? new DepthTriangles(alone) : undefined
      this.#depthJobs = depthJobs(memory, o.depthStencil, offsets, o.sampleMask)
    }
    const attributes = new PixelAttributes(memory.shaded, table, linkage, offsets, o.sampleMask)
    const { sampleCount } = attributes
    this.#tests = new SampleTests(memory, table, o)
    const isSingle = sampleCount === 1 && !o.isSampleFrequency && o.shader !== undefined
    this.#countsInvocations = isSingle && o.testsEarly && this.#tests.passesAll
    const all = 2 ** sampleCount - 1
    this.#keepsAll = linkage.clipDistances.length === 0 && (o.sampleMask & all) === all && !o.isSampleFrequency
    this.#quads = quadBatchOf(memory.shaded, table, attributes, offsets)
    memory.shaded.samples.fill(-1)
    memory.shaded.slices.fill(0)
    this.#shading =
      o.shader && createShading(o.shader, o, { memory, table, attributes, tests: this.#tests, quads: this.#quads })
    const mayLook = !o.testsEarly && !o.isSampleFrequency && o.forcedOutput === undefined
    const isUnseen = o.shader?.execution.hasOutputsAlone === true && this.#shading?.merge.testsOwn === true
    this.#looksAhead = mayLook && isUnseen && this.#tests.failsForGood
    const isTested = o.testsEarly && !this.#countsInvocations
    const isLimited = !this.#keepsAll || o.forcedOutput !== undefined || o.hasSlices
    this.#isUntested = o.shader !== undefined && !isTested && !isLimited && !this.#looksAhead
    const areTested = isTested && !this.#tests.passesAll
    const isCoveredByJobs = o.shader !== undefined && !o.isSampleFrequency && o.forcedOutput === undefined
    const when: TestedWhen | undefined = areTested ? 'early' : this.#looksAhead ? 'ahead' : undefined
    this.#testedJobs =
      isCoveredByJobs && when ? testedJobs(memory, table, when, o.depthStencil, o, this.wanted) : undefined
    const views = [o.depthStencil.state?.view, this.#shading?.merge.plainTarget?.store.view]
    this.readAhead = sampleCount > 1 && this.#testedJobs ? new ReadAhead(memory, views) : undefined
    const found = this.#testedJobs ?? quadFinder(memory, table, offsets, this.#shading?.merge.views ?? [])
    const code = this.#depthJobs ?? (this.depthTriangles && NO_CODE) ?? found
    const { wanted } = this
    this.#jobs = new TriangleJobs(memory, table.capacity, { offsets, code, linkage, wanted }, () => this.#makeRoom())
    this.setupCode = this.#jobs.setup
    const copies = o.isSampleFrequency ? undefined : this.#copies
    const before = { wanted, tests: this.#tests, copies, when, isUntested: this.#isUntested }
    this.#wants = this.#shading && new ShadingWants(this.#shading, before)
    const joined = (code.testsQuads ? isTested : this.#isUntested) ? this.#shading?.joined : undefined
    this.#packed = joined && code.packing && new PackedShading(memory, code.packing, joined, code.testsQuads)
  }

  /** Lanes that wait for tests or for their shader. */
  get waitingCount(): number {
    return (this.#jobs.quadCount + this.#waitingQuads) * 4
  }

  /** Gives its memory back: after it there are its counts alone. */
  dispose(): void {
    this.#testedJobs?.dispose()
    releaseQuadMemory(this.#memory)
  }

  get counts(): PixelCounts {
    const alone = (this.depthTriangles?.passedCount ?? 0) + (this.#depthJobs?.passedCount ?? 0)
    const samplesPassed = this.#tests.passedCount + alone
    const undefinedWrites = this.#shading?.merge.undefinedCount ?? 0
    return { invocations: this.#invocations, samplesPassed, undefinedWrites }
  }

  /** The quads that are added next belong to this triangle, which has an area. */
  beginTriangle(p: ScreenPrimitive, vertices: VertexWords, slice: number): void {
    this.#begin(p, vertices, slice, true)
  }

  /** The quads that are added next belong to another primitive, or to a triangle that is covered in another way: by `addSpecial`. */
  beginSpecial(p: ScreenPrimitive, vertices: VertexWords, slice: number): void {
    this.#begin(p, vertices, slice, false)
  }

  /**
   * Takes a triangle whose quads are found later, where compiled code can: how many quads it may have inside of the bounds, or -1.
   */
  addTriangle(p: CurrentPrimitive, vertices: VertexWords, bounds: PixelRect): number {
    const jobs = this.#jobs
    const quads = jobs.look(p, vertices, bounds)
    if (quads <= 0) return quads
    this.#beginPlain()
    jobs.addLooked(p, vertices)
    return quads
  }

  /**
   * Whether programs are to be made before about so many quads of a triangle are found, which it asks for where nothing has: those that
   * shade many.
   */
  wantsPrograms(p: CurrentPrimitive, vertices: VertexWords, slice: number, quads: number): boolean {
    const wants = this.#wants
    if (wants === undefined || wants.isForOthers || quads + this.#waitingQuads < compileThresholds.quads)
      return this.wanted.areAny
    // What triangles have the same at all vertices goes into the programs.
    this.beginTriangle(p.look(), vertices, slice)
    wants.wantForOthers()
    return this.wanted.areAny
  }

  get #waitingQuads(): number {
    return this.#found.count + this.#shaded.count
  }

  /** Finds the quads of jobs where they are many and what shades them is not there yet: the draw may yield before it shades them. */
  findMany(): void {
    const isEnough = this.#jobs.quadCount + this.#waitingQuads >= 2 * compileThresholds.quads
    if (isEnough && this.#wants?.isForJobs === false) this.#runJobs(true)
  }

  /** Whether the quads that jobs have found are left where they are, until there are the programs that shade them. */
  #waitsForShading(): boolean {
    const wants = this.#wants
    if (wants === undefined || wants.isForJobs || this.#waitingQuads < compileThresholds.quads) return false
    wants.wantForJobs(this.#jobs.testsQuads)
    return this.wanted.areAny
  }

  #beginPlain(): void {
    if (!this.#isPlain) this.flush()
    // Quads that were found before are tested before.
    else if (!this.#jobs.findsQuads || this.#jobs.testsQuads) this.#pass()
    this.#isPlain = true
  }

  /** Takes triangles of these vertices as records until anything else is called, `quads` of them before a rest; undefined where it cannot. */
  takeRecords(vertices: VertexArray, viewport: Viewport, quads: number): TriangleJobs | undefined {
    const jobs = this.#jobs
    if (!jobs.isReadyFor(vertices)) return undefined
    this.#beginPlain()
    jobs.open(vertices, viewport)
    jobs.takeUntil(quads)
    return jobs
  }

  /** Finds the quads of triangles whose records are written anew from now on. */
  finishRecords(): void {
    this.#runJobs()
  }

  /** Makes room for more jobs; what they find may be left where it is. Whether the programs that shade it have been asked for. */
  #makeRoom(): boolean {
    if (this.#jobs.count === 0) this.#pass()
    else this.#runJobs(true)
    return this.#wants?.isForJobs !== false
  }

  /** Finds the quads of the triangles that wait. */
  #runJobs(mayLeave = false): void {
    const jobs = this.#jobs
    if (this.#areTested) this.#takeLeft()
    if (jobs.count === 0) return
    if (this.#table.count + jobs.count > this.#table.capacity) this.#flushFound()
    if (performance.now() >= this.#o.deadline) throw new DrawStopped('time')
    const packed = this.#packed?.isOn === true ? this.#packed : undefined
    if (packed !== undefined) this.#pass()
    jobs.run()
    this.#packed?.choose(this.wanted)
    if (packed !== undefined) this.#shadePacked(packed)
    else if (mayLeave && this.#waitsForShading()) this.#areTested = jobs.testsQuads
    else if (jobs.testsQuads) this.#takeTested(this.#testedJobs!)
    else this.#pass()
  }

  /** Takes the quads of jobs that were left where they are. */
  #takeLeft(): void {
    this.#areTested = false
    this.#takeTested(this.#testedJobs!)
  }

  #shadePacked(packed: PackedShading): void {
    this.#shade()
    this.#invocations += packed.pixelCount
    this.#tests.passedCount += packed.pixelCount
    packed.run()
    this.#table.count = 0
  }

  /** Appends the quads of jobs that were tested. */
  #takeTested({ when, counted, invoked }: TestedJobs): void {
    const found = this.#found
    if (when === 'early') this.#tests.passedCount += counted
    else this.#invocations += counted
    if (when !== 'early' || !this.#shadeFound(invoked)) {
      this.#appendRun(0, found.count, when === 'early' ? 'passed' : 'covered')
    }
    found.count = 0
  }

  /** Shades the quads that were tested where they lie, which have so many pixels that are no helpers; false where that is not done. */
  #shadeFound(invocations: number): boolean {
    const joined = this.#shading?.joined
    const { count } = this.#found
    if (joined?.takesFound(count) !== true) return false
    this.#shade()
    this.#invocations += invocations
    joined.runFound(count)
    this.#table.count = 0
    return true
  }

  #begin(p: ScreenPrimitive, vertices: VertexWords, slice: number, isPlain: boolean): void {
    this.#runJobs()
    if (this.#table.count === this.#table.capacity || isPlain !== this.#isPlain) this.flush()
    this.#isPlain = isPlain
    this.#row = this.#table.add(p, vertices, slice)
  }

  /** Takes a quad: covered samples of its four pixels as bits, clip distances and the sample mask not yet applied. */
  add(x: number, y: number, masks: Uint32Array): void {
    const found = this.#found
    if (this.#isUntested && this.#isPlain && found.count === 0) {
      const shaded = this.#shaded
      const at = shaded.count++
      writeQuad(shaded, at, this.#row, x, y, masks)
      for (let i = 0; i < 4; i++) shaded.coverage[at * 4 + i] = masks[i]!
      this.#countCopied(lanesIn(masks, 0))
      this.#shadeFull()
      return
    }
    const n = found.count++
    writeQuad(found, n, this.#row, x, y, masks)
    if (n + 1 === found.capacity) this.#pass()
  }

  /** Takes `count` quads beside each other, of which all pixels have all samples: those of the mask. */
  addRun(x: number, y: number, count: number, mask: number): void {
    const found = this.#found
    if (this.#isUntested && this.#isPlain && found.count === 0) {
      this.#waitAtOnce(x, y, count, mask)
      return
    }
    for (let done = 0; done < count; ) {
      done += appendFound(found, { row: this.#row, x: x + done * 2, y, count: count - done, mask })
      if (found.count === found.capacity) this.#pass()
    }
  }

  /**
   * As `add`: `inner` has a bit for each pixel that lies in the primitive as a whole; `alphas` are factors of o0.a, those of
   * antialiased lines.
   */
  addSpecial(x: number, y: number, masks: Uint32Array, inner = 0, alphas: ArrayLike<number> = FULL_ALPHA): void {
    const { inner: inners, alphas: factors, count } = this.#found
    inners[count] = inner
    for (let i = 0; i < 4; i++) factors[count * 4 + i] = alphas[i]!
    this.add(x, y, masks)
  }

  /** Finds and tests all quads, and passes on what is left of them. */
  pass(): void {
    this.#runJobs()
    this.#pass()
  }

  /** As `addRun` where every quad is shaded. */
  #waitAtOnce(x: number, y: number, count: number, mask: number): void {
    for (let done = 0; done < count; ) {
      const whole = this.#shading!.joined?.takesRuns === true && this.#table.takesRuns(this.#row)
      const run = { row: this.#row, x: x + done * 2, y, count: count - done, mask }
      const some = appendRun(this.#shaded, this.#capacity, run, whole)
      this.#countCopied(some * 4)
      done += some
      this.#shadeFull()
    }
  }

  /** Shades where no more quads can wait. */
  #shadeFull(): void {
    if (this.#shaded.count < this.#capacity) return
    if (performance.now() >= this.#o.deadline) throw new DrawStopped('time')
    this.#shade()
  }

  /** Tests the quads that were found, and passes on what is left of them. */
  #pass(): void {
    const found = this.#found
    if (this.#areTested) this.#takeLeft()
    if (found.count === 0) return
    if (performance.now() >= this.#o.deadline) throw new DrawStopped('time')
    const { sampleMask, forcedOutput, testsEarly, linkage, offsets } = this.#o
    const laneCount = found.count * 4
    const all = 2 ** (offsets.length / 2) - 1
    if (forcedOutput === 0) found.count = 0
    if ((sampleMask & all) !== all) for (let i = 0; i < laneCount; i++) found.masks[i]! &= sampleMask
    if (linkage.clipDistances.length > 0) this.#tests.clip(found)
    let { masks } = found
    // Without a shader only depth and stencil are written; early or late is the same.
    if (testsEarly || this.#shading === undefined) {
      // What is shaded with one sample is counted there.
      if (this.#tests.passesAll) {
        if (!this.#countsInvocations) this.#tests.count(masks, found.count * 4)
      } else {
        this.#tests.testFound(found, this.#isPlain)
        masks = found.passed
      }
    }
    const { passed } = found
    if (this.#looksAhead && this.#isPlain && this.#tests.lookAhead(found.count)) this.#append(masks, passed)
    else if (this.#shading !== undefined) {
      // Quads leave the rasterizer with a sample at least.
      if (this.#keepsAll && masks === found.masks) this.#appendRun(0, found.count)
      else this.#append(masks)
    }
    found.count = 0
  }

  /** Appends the quads of which a sample may still be written; the others count as shaded. */
  #append(masks: Int32Array, kept = masks): void {
    if (this.#o.isSampleFrequency) {
      this.#appendSamples(masks)
      return
    }
    const { count, passed } = this.#found
    const samples = masks === passed ? 'passed' : 'covered'
    for (let quad = 0; quad < count; ) {
      if (!hasSamples(kept, quad)) {
        this.#invocations += lanesIn(masks, quad * 4)
        quad++
        continue
      }
      const from = quad
      while (quad < count && hasSamples(kept, quad)) quad++
      this.#appendRun(from, quad, samples)
    }
  }

  #countCopied(invocations: number): void {
    this.#shaded.invocations += invocations
    if (this.#countsInvocations) this.#tests.passedCount += invocations
  }

  /** Appends quads from `from` up to, not including, `to`, with all their samples or with those that passed the tests. */
  #appendRun(from: number, to: number, samples: CopiedSamples = 'covered'): void {
    const shaded = this.#shaded
    for (let first = from; first < to; ) {
      const at = shaded.count
      const count = Math.min(to - first, this.#capacity - at)
      this.#countCopied(this.#copies.run({ from: first, to: at, count, samples }, this.#isPlain))
      shaded.count = at + count
      first += count
      if (shaded.count === this.#capacity) this.#shade()
    }
  }

  /** Appends each quad once for each of its samples that has passed. */
  #appendSamples(masks: Int32Array): void {
    const shaded = this.#shaded
    for (let quad = 0; quad < this.#found.count; quad++) {
      const lane = quad * 4
      let rest = masks[lane]! | masks[lane + 1]! | masks[lane + 2]! | masks[lane + 3]!
      for (; rest !== 0; rest &= rest - 1) {
        const at = shaded.count
        this.#countCopied(this.#copies.runOne(quad, at, masks, this.#isPlain))
        shaded.samples[at] = lowestSample(rest)
        for (let i = at * 4; i < at * 4 + 4; i++) {
          if (shaded.masks[i] === 0) continue
          shaded.masks[i]! &= rest & -rest
          if (shaded.masks[i] === 0) shaded.invocations--
        }
        shaded.count = at + 1
        if (shaded.count === this.#capacity) this.#shade()
      }
    }
  }

  /** Runs the shader over what waits for it, and merges what it leaves. */
  #shade(): void {
    const shaded = this.#shaded
    if (shaded.count === 0 || this.#shading === undefined) return
    const { runner, inputs, merge, joined } = this.#shading
    // Of a batch that stops the draw the invocations count too.
    this.#invocations += shaded.invocations
    shaded.invocations = 0
    if (this.#isPlain && joined?.run(shaded.count) === true) {
      shaded.count = 0
      return
    }
    inputs.fill(this.#isPlain)
    this.#quads.isInPlace = inputs.isInPlace
    if (!inputs.isInPlace) shaded.discarded.fill(0)
    runner.run(shaded.count * 4)
    merge.merge(inputs.isInPlace, this.#isPlain)
    shaded.count = 0
  }

  /** Runs what has been collected and merges it. */
  flush(): void {
    this.#runJobs()
    this.#flushFound()
  }

  #flushFound(): void {
    this.#pass()
    this.#shade()
    this.#table.count = 0
  }
}
