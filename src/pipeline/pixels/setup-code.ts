import type { QuadKernel, QuadMemory as QuadMemoryOps, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import { type CodeHistory, isWorthCode } from '../code-history.ts'
import { compileThresholds } from '../compile-thresholds.ts'
import { laneBytesOf } from '../lane-bytes.ts'
import {
  isOfFloats,
  type PixelRect,
  placeVertices,
  SCREEN_WORDS,
  type ScreenProgramState,
  setUpTriangles,
  type TriangleSetupState,
  type TriangleSource,
  type VertexSource,
} from '../raster/index.ts'
import { parameterWord } from './input-program.ts'
import { JOB_CAPACITY, PARAMETER, QUAD_MEMORY, type QuadMemory } from './quads.ts'

/** Setup of small triangles as programs: from vertices on the screen to records, with jobs or boxes, or to the rows that triangles touch. */

/** What the program leaves: jobs with what records of depth alone have, whole records with boxes, or triangles with their rows. */
type SetupResult = 'jobs' | 'records' | 'rows'

/** Elements of each column of triangles with their rows; code may write behind the last triangle. */
export const MAX_ROW_TRIANGLES = 4096
export const ROW_COLUMN_WORDS = MAX_ROW_TRIANGLES + 8

function setupProgram(state: TriangleSetupState, result: SetupResult): QuadProgram {
  const isWhole = result === 'records'
  const meaning = <V>(o: ValueOps<V>, m: QuadMemoryOps<V>): void => {
    const parameter = (n: number): V => parameterWord(o, m, n)
    const identifiers = {
      ids: o.constant(QUAD_MEMORY.triangleIds),
      instances: o.constant(QUAD_MEMORY.triangleInstances),
      firstVertex: parameter(PARAMETER.firstVertex),
    }
    const rows = {
      identifiers,
      vertices: parameter(PARAMETER.records),
      columns: parameter(PARAMETER.rowColumns),
      columnBytes: ROW_COLUMN_WORDS * 4,
    }
    const end = setUpTriangles(o, m, state, {
      triangles: o.constant(QUAD_MEMORY.triangles),
      count: parameter(PARAMETER.triangles),
      screen: parameter(PARAMETER.screen),
      bounds: {
        left: parameter(PARAMETER.left),
        top: parameter(PARAMETER.top),
        right: parameter(PARAMETER.right),
        bottom: parameter(PARAMETER.bottom),
      },
      jobs: o.constant(isWhole ? QUAD_MEMORY.boxes : QUAD_MEMORY.jobs),
      records: isWhole ? parameter(PARAMETER.records) : o.constant(QUAD_MEMORY.records),
      whole: isWhole ? identifiers : undefined,
      rows: result === 'rows' ? rows : undefined,
    })
    const store = (n: number, word: V): void => m.store(o.constant(QUAD_MEMORY.parameters + n * 4), [word])
    store(PARAMETER.next, end.next)
    store(PARAMETER.jobs, end.jobs)
    const lane = laneBytesOf(o, m, o.constant(0))
    const storeLanes = (n: number, word: V): void =>
      m.store(o.i32Add(lane, o.constant(QUAD_MEMORY.parameters + n * 4)), [word])
    storeLanes(PARAMETER.pixels, end.pixels)
    if (result !== 'rows') return
    storeLanes(PARAMETER.firstRows, end.rows[0])
    storeLanes(PARAMETER.endRows, end.rows[1])
  }
  const { biasUnit, centersOnly, rasterizer: r } = state
  const ofState = [r.frontCounterClockwise, r.cullMode, r.depthBias, r.depthBiasClamp, r.slopeScaledDepthBias]
  // Triangles are set up as numbers are: nothing is flushed.
  return { key: JSON.stringify(['setup', ofState, biasUnit, centersOnly, result]), keepsDenormals: true, meaning }
}

function screenProgram(state: ScreenProgramState): QuadProgram {
  const meaning = <V>(o: ValueOps<V>, m: QuadMemoryOps<V>): void => {
    const parameter = (n: number): V => parameterWord(o, m, n)
    placeVertices(o, m, state, {
      positions: parameter(PARAMETER.positions),
      screen: parameter(PARAMETER.screen),
      count: parameter(PARAMETER.vertexCount),
    })
  }
  return { key: JSON.stringify(['screen', state]), keepsDenormals: true, meaning }
}

/** Triangles that are set up in one call at the most. */
export const TRIANGLES_OF_A_CALL = JOB_CAPACITY
/** Triangles, as multiples of those of a draw that are worth any code, from which code for whole records pays. */
const WORTH_WHOLE = 8
/** Triangles that code must take of a call to be tried with the next ones, and the most calls that it is left out of. */
const FEW_TAKEN = 16
const MOST_LEFT_OUT = 64

/**
 * Where whole records, or the vertices of triangles with their rows, go: the byte of the memory, and the number that vertex 0 of the
 * triangles has in them; of triangles with rows the byte of the first column.
 */
interface RecordPlace {
  readonly byteOffset: number
  readonly firstVertex: number
  readonly columns?: number
}

/** Runs the programs over vertices and triangles of one draw. */
export class SetupCode {
  readonly #memory: QuadMemory
  readonly result: SetupResult
  #kernel: QuadKernel | null | undefined
  #screen: QuadKernel | null | undefined
  #offered = 0
  /** Calls that it is left out of, and how many these are the next time that it takes few. */
  #leftOut = 0
  #nextLeftOut = 1

  readonly #history: CodeHistory
  /** Triangles that it has set up. */
  takenCount = 0

  constructor(memory: QuadMemory, result: SetupResult, history: CodeHistory) {
    this.#memory = memory
    this.#history = history
    this.result = result
  }

  /** What sets triangles up in the same memory, one at a time, and leaves their rows. */
  ofRows(): SetupCode {
    return new SetupCode(this.#memory, 'rows', this.#history)
  }

  /** As `RecordSink.setsUp`. */
  setsUp(count: number): boolean {
    this.#offered += count
    this.#history.setUp += count
    const many = WORTH_WHOLE * compileThresholds.triangles
    if (this.result === 'records' && !isWorthCode(this.#offered, this.#history.setUp, many)) return false
    if (this.#kernel === null || this.#memory.kernels === undefined) return false
    if (this.#leftOut === 0) return true
    this.#leftOut--
    return false
  }

  /** Whether it can set triangles up. */
  isReadyFor({ screen, state }: TriangleSource): boolean {
    const { kernels } = this.#memory
    if (kernels === undefined || !kernels.reaches(screen.buffer)) return false
    this.#kernel ??= kernels.quadKernelFor(setupProgram(state, this.result)) ?? null
    return this.#kernel !== null
  }

  /** As `RecordSink.place`; the vertices of a draw have one viewport. */
  place({ viewport, planes, vertices, width, position, screen }: VertexSource, from: number, count: number): boolean {
    const { kernels, parameters, start } = this.#memory
    if (kernels?.reaches(vertices.buffer) !== true || !kernels.reaches(screen.buffer) || !isOfFloats(viewport))
      return false
    this.#screen ??= kernels.quadKernelFor(screenProgram({ viewport, planes, vertexBytes: width * 4 })) ?? null
    if (this.#screen === null) return false
    parameters[PARAMETER.positions] = vertices.byteOffset + (from * width + position) * 4 - start
    parameters[PARAMETER.screen] = screen.byteOffset + from * SCREEN_WORDS * 4 - start
    parameters[PARAMETER.vertexCount] = count
    this.#screen.run(1, start)
    return true
  }

  /**
   * Sets up triangles, TRIANGLES_OF_A_CALL at the most, and writes records; the first that it has not. Whole records go where `place` says, with
   * their boxes in the memory, and so do triangles with rows; others are the jobs from the first on.
   */
  run(source: TriangleSource, from: number, to: number, bounds: PixelRect, place?: RecordPlace): number {
    const { parameters, triangles, triangleIds, triangleInstances, start } = this.#memory
    triangles.set(source.vertices.subarray(from * 3, to * 3))
    if (place !== undefined) {
      triangleIds.set(source.ids.subarray(from, to))
      triangleInstances.set(source.instances.subarray(from, to))
      parameters[PARAMETER.records] = place.byteOffset - start
      parameters[PARAMETER.firstVertex] = place.firstVertex
      if (place.columns !== undefined) parameters[PARAMETER.rowColumns] = place.columns - start
    }
    parameters[PARAMETER.triangles] = to - from
    parameters[PARAMETER.screen] = source.screen.byteOffset - start
    parameters[PARAMETER.left] = bounds.left
    parameters[PARAMETER.top] = bounds.top
    parameters[PARAMETER.right] = bounds.right
    parameters[PARAMETER.bottom] = bounds.bottom
    this.#kernel!.run(1, start)
    const taken = Math.min(to - from, parameters[PARAMETER.next]!)
    this.takenCount += taken
    this.#learn(taken >= Math.min(to - from, FEW_TAKEN))
    return from + taken
  }

  /** Draws of which most triangles are large are left alone. */
  #learn(hasTaken: boolean): void {
    this.#leftOut = hasTaken ? 0 : this.#nextLeftOut
    this.#nextLeftOut = hasTaken ? 1 : Math.min(MOST_LEFT_OUT, this.#nextLeftOut * 2)
  }

  /** Records, or triangles with rows, of the last run. */
  get count(): number {
    return this.#memory.parameters[PARAMETER.jobs]!
  }

  /** The first row of any triangle of the last run, of those with rows. */
  get firstRow(): number {
    const { parameters: p } = this.#memory
    const at = PARAMETER.firstRows
    return Math.min(p[at]!, p[at + 1]!, p[at + 2]!, p[at + 3]!)
  }

  /** The one behind the last row. */
  get endRow(): number {
    const { parameters: p } = this.#memory
    const at = PARAMETER.endRows
    return Math.max(p[at]!, p[at + 1]!, p[at + 2]!, p[at + 3]!)
  }

  /** Boxes of whole records, by JOB_WORDS. */
  get boxes(): Int32Array {
    return this.#memory.boxes
  }

  /** Pixels in the boxes of the triangles that were set up. */
  get pixelCount(): number {
    const { parameters: p } = this.#memory
    const at = PARAMETER.pixels
    return p[at]! + p[at + 1]! + p[at + 2]! + p[at + 3]!
  }
}
