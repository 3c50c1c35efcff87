import type { QuadKernel, QuadProgram } from '../../engine/index.ts'
import { compileThresholds } from '../compile-thresholds.ts'
import { clampDepth, type DepthStencilTest, failsForGood } from '../merge/index.ts'
import {
  centerOf,
  fillDepth,
  fillExactWeights,
  fillLinear,
  newPlaces,
  type PrimitiveTable,
  ROW_WORD,
} from '../raster/index.ts'
import { type WantedProgram, wantedProgram } from './jobs/wanted-programs.ts'
import { type FoundQuads, lowestSample, PARAMETER, type QuadMemory, type ShadedQuads } from './quads.ts'
import { runQuads } from './rows-of-quads.ts'
import { type TestedQuads, testProgram } from './test-program.ts'

/** Tests of samples: clip distances, depth and stencil, before the shader or after it. */

/** Set bits of a mask of 16 samples at most, which are added up in pairs of ever larger parts. */
export function bitCount(mask: number): number {
  const pairs = mask - ((mask >>> 1) & 0x5555)
  const fours = (pairs & 0x3333) + ((pairs >>> 2) & 0x3333)
  const bytes = (fours + (fours >>> 4)) & 0x0f0f
  return (bytes + (bytes >>> 8)) & 31
}

/** Samples of a quad at the most: four pixels of 16. */
const MAX_QUAD_SAMPLES = 64
const PLACES = newPlaces(MAX_QUAD_SAMPLES)
const DISTANCES = new Float64Array(MAX_QUAD_SAMPLES)
const DEPTHS = new Float32Array(MAX_QUAD_SAMPLES)

interface SampleTestsOptions {
  readonly depthStencil: DepthStencilTest
  /** x and y of each sample of the rasterizer in 1/256 pixel from the center. */
  readonly offsets: Int32Array
}

export class SampleTests {
  readonly #memory: QuadMemory
  readonly #table: PrimitiveTable
  readonly #test: DepthStencilTest
  readonly #offsets: Int32Array
  /** Code for quads, and for a look ahead at those found; null where there is none. */
  readonly #kernels: { [which in TestedQuads | 'ahead']?: QuadKernel | null } = {}
  /** Samples that have passed depth and stencil. */
  passedCount = 0

  constructor(memory: QuadMemory, table: PrimitiveTable, o: SampleTestsOptions) {
    this.#memory = memory
    this.#table = table
    this.#test = o.depthStencil
    this.#offsets = o.offsets
  }

  get passesAll(): boolean {
    return this.#test.passesAll
  }

  /** Puts the samples of a pixel behind the `count` places there are; the number of all. */
  #place(x: number, y: number, mask: number, count: number): number {
    let n = count
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      const sample = lowestSample(rest)
      PLACES.x[n] = centerOf(x) + this.#offsets[sample * 2]!
      PLACES.y[n] = centerOf(y) + this.#offsets[sample * 2 + 1]!
      n++
    }
    return n
  }

  /** Places all samples of a quad, pixel by pixel; answers how many. */
  #placeQuad(x: number, y: number, masks: Int32Array, lane: number): number {
    let count = 0
    for (let i = 0; i < 4; i++) count = this.#place(x + (i & 1), y + (i >> 1), masks[lane + i]!, count)
    return count
  }

  /** Leaves the samples of quads that lie on the inner side of all clip distances. */
  clip({ count, primitives, x, y, masks }: FoundQuads): void {
    for (let quad = 0; quad < count; quad++) {
      const row = primitives[quad]!
      const cutting = this.#table.word(row, ROW_WORD.clipDistances)
      for (let rest = cutting; rest !== 0; rest &= rest - 1) {
        this.#clipQuad(row, lowestSample(rest), x[quad]!, y[quad]!, masks, quad * 4)
      }
    }
  }

  #clipQuad(row: number, distance: number, x: number, y: number, masks: Int32Array, lane: number): void {
    const count = this.#placeQuad(x, y, masks, lane)
    fillExactWeights(this.#table, row, PLACES, 0, count)
    fillLinear(this.#table, this.#table.distanceOf(row, distance), PLACES, 0, count, DISTANCES, 0)
    let n = 0
    for (let i = 0; i < 4; i++) {
      for (let rest = masks[lane + i]!; rest !== 0; rest &= rest - 1) {
        if (!(DISTANCES[n++]! >= 0)) masks[lane + i]! &= ~(1 << lowestSample(rest))
      }
    }
  }

  /** The code for many quads. */
  wantedFor(which: TestedQuads | 'ahead'): WantedProgram {
    return wantedProgram(
      () => void this.#kernelOf(which, compileThresholds.quads),
      () => this.#programOf(which),
    )
  }

  #kernelOf(which: TestedQuads | 'ahead', count: number): QuadKernel | null {
    const known = this.#kernels[which]
    if (known !== undefined) return known
    if (count < compileThresholds.quads) return null
    const made = this.#compile(which)
    this.#kernels[which] = made
    return made
  }

  #programOf(which: TestedQuads | 'ahead'): QuadProgram | undefined {
    const { state: given } = this.#test
    if (given === undefined) return undefined
    const state = which === 'ahead' ? { ...given, writesDepth: false, writesStencil: false } : given
    const { view } = state
    const isReached = this.#memory.kernels?.reaches(view.storage.buffer) === true
    if (!isReached || view.sampleCount * 2 !== this.#offsets.length) return undefined
    return testProgram(which === 'ahead' ? 'found' : which, state, this.#table.stride * 8, this.#offsets)
  }

  #compile(which: TestedQuads | 'ahead'): QuadKernel | null {
    const { kernels, parameters, start } = this.#memory
    const program = this.#programOf(which)
    if (kernels === undefined || program === undefined) return null
    const { view, reference } = this.#test.state!
    parameters[PARAMETER.depth] = view.storage.byteOffset + view.byteOffset - start
    parameters[PARAMETER.depthSlice] = view.slicePitch
    parameters[PARAMETER.stencilReference] = reference & 0xff
    return kernels.quadKernelFor(program) ?? null
  }

  /**
   * Fills `passed` with the samples of quads that pass depth and stencil, in the order of the quads; `isPlain` where all are of
   * triangles that have an area.
   */
  testFound(quads: FoundQuads, isPlain: boolean): void {
    const { count, primitives, x, y, masks, passed } = quads
    const kernel = isPlain ? this.#kernelOf('found', count) : null
    if (kernel !== null) runQuads(kernel, this.#memory, count)
    else {
      for (let quad = 0; quad < count; quad++) {
        const row = primitives[quad]!
        const lane = quad * 4
        fillDepth(this.#table, row, PLACES, 0, this.#placeQuad(x[quad]!, y[quad]!, masks, lane), DEPTHS, 0)
        let first = 0
        for (let i = 0; i < 4; i++) {
          const mask = masks[lane + i]!
          passed[lane + i] = this.#testPixel(row, x[quad]! + (i & 1), y[quad]! + (i >> 1), mask, first, undefined)
          first += bitCount(mask)
        }
      }
    }
    this.#countTested(passed, count, kernel !== null)
  }

  /** Counts the samples that quads have left, as code has counted them. */
  #countTested(masks: Int32Array, quadCount: number, isByCode: boolean): void {
    const { parameters: p } = this.#memory
    const at = PARAMETER.counted
    if (isByCode) this.passedCount += p[at]! + p[at + 1]! + p[at + 2]! + p[at + 3]!
    else this.count(masks, quadCount * 4)
  }

  /** Samples that fail now fail after the shader too. */
  get failsForGood(): boolean {
    const { state } = this.#test
    return state !== undefined && failsForGood(state)
  }

  /** Fills `passed` with the samples of plain triangles that would pass now, and writes nothing; false where there is no code for it. */
  lookAhead(count: number): boolean {
    const kernel = this.#kernelOf('ahead', count)
    if (kernel !== null) runQuads(kernel, this.#memory, count)
    return kernel !== null
  }

  /** Counts samples that have passed. */
  count(masks: Int32Array, laneCount: number): void {
    let count = 0
    if (this.#offsets.length === 2) for (let lane = 0; lane < laneCount; lane++) count += masks[lane]!
    else for (let lane = 0; lane < laneCount; lane++) count += bitCount(masks[lane]!)
    this.passedCount += count
  }

  /**
   * Takes samples that fail from `written`, of triangles that have an area and where nothing that shaders wrote takes part. False
   * where there is no code for it, which so many quads that were shaded decide.
   */
  testShaded({ count, written }: ShadedQuads, shadedCount: number): boolean {
    const kernel = this.#kernelOf('shaded', shadedCount)
    if (kernel === null) return false
    runQuads(kernel, this.#memory, count)
    this.#countTested(written, count, true)
    return true
  }

  /** Samples of a mask that pass; what a shader wrote takes the place of the primitive's depth and the draw's reference. */
  testLate(
    row: number,
    x: number,
    y: number,
    mask: number,
    depth: number | undefined,
    reference: number | undefined,
  ): number {
    const count = depth === undefined ? this.#place(x, y, mask, 0) : bitCount(mask)
    if (depth === undefined) fillDepth(this.#table, row, PLACES, 0, count, DEPTHS, 0)
    else DEPTHS.fill(depth, 0, count)
    const passed = this.#testPixel(row, x, y, mask, 0, reference)
    this.passedCount += bitCount(passed)
    return passed
  }

  /** Tests the samples of a pixel, whose depths lie from `first` on. */
  #testPixel(row: number, x: number, y: number, mask: number, first: number, reference: number | undefined): number {
    const table = this.#table
    const at = row * table.stride * 2
    const slice = table.words[at + ROW_WORD.slice]!
    const isFrontFacing = table.words[at + ROW_WORD.isFrontFacing] !== 0
    const minDepth = table.floats[at + ROW_WORD.minDepth]!
    const maxDepth = table.floats[at + ROW_WORD.maxDepth]!
    let passed = 0
    let n = first
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      const sample = lowestSample(rest)
      const z = clampDepth(DEPTHS[n++]!, minDepth, maxDepth)
      if (this.#test.test(x, y, slice, sample, z, isFrontFacing, reference)) passed |= 1 << sample
    }
    return passed
  }
}
