import type { ElementKernels, QuadKernel, QuadMemory as QuadMemoryOps, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import { type CodeHistory, isWorthCode } from '../code-history.ts'
import { compileThresholds } from '../compile-thresholds.ts'
import { laneBytesOf } from '../lane-bytes.ts'
import {
  isOfFloats,
  LISTED,
  listedWords,
  type PixelRect,
  placeVertices,
  type RowShares,
  SCREEN_WORDS,
  type ScreenProgramState,
  setUpTriangles,
  type TriangleSetupState,
  type TriangleSource,
  type VertexSource,
} from '../raster/index.ts'
import { parameterWord } from './input-program.ts'
import type { WantedPrograms } from './jobs/wanted-programs.ts'
import { JOB_CAPACITY, PARAMETER, QUAD_MEMORY, type QuadMemory } from './quads.ts'

/** Setup of small triangles as programs: from vertices on the screen to records, with jobs or boxes, or to lists for shares of rows. */

/** What the program leaves: jobs with what records of depth alone have, or whole records with boxes, of triangles or of those in a list; lists. */
type SetupResult = 'jobs' | 'jobs of a list' | 'records' | 'records of a list' | 'lists'

const NO_SHARES: RowShares = { shift: 0, count: 0, hasPixels: false }

function setupProgram(state: TriangleSetupState, result: SetupResult, shares: RowShares): QuadProgram {
  const isListed = result === 'jobs of a list' || result === 'records of a list'
  const isWhole = result === 'records' || result === 'records of a list'
  const meaning = <V>(o: ValueOps<V>, m: QuadMemoryOps<V>): void => {
    const parameter = (n: number): V => parameterWord(o, m, n)
    const listed = parameter(PARAMETER.listed)
    const identifiers = {
      ids: isListed ? o.i32Add(listed, o.constant(LISTED.id * 4)) : o.constant(QUAD_MEMORY.triangleIds),
      instances: isListed
        ? o.i32Add(listed, o.constant(LISTED.instance * 4))
        : o.constant(QUAD_MEMORY.triangleInstances),
      bytes: isListed ? listedWords(shares) * 4 : 4,
      firstVertex: parameter(PARAMETER.firstVertex),
    }
    const ends = Array.from({ length: shares.count }, (_, n) => parameter(PARAMETER.lists + n))
    const end = setUpTriangles(o, m, state, {
      triangles: isListed ? listed : o.constant(QUAD_MEMORY.triangles),
      listedFor: isListed ? shares : undefined,
      count: parameter(PARAMETER.triangles),
      screen: parameter(PARAMETER.screen),
      bounds: {
        left: parameter(PARAMETER.left),
        top: parameter(PARAMETER.top),
        right: parameter(PARAMETER.right),
        bottom: parameter(PARAMETER.bottom),
      },
      jobs: o.constant(isWhole ? QUAD_MEMORY.boxes : QUAD_MEMORY.jobs),
      // Without attributes nothing reads where the vertices lie.
      vertices: isWhole ? parameter(PARAMETER.vertices) : o.constant(0),
      records: isWhole ? parameter(PARAMETER.records) : o.constant(QUAD_MEMORY.records),
      whole: isWhole ? identifiers : undefined,
      lists: result === 'lists' ? { shares, ends, identifiers } : undefined,
    })
    const store = (n: number, word: V): void => m.store(o.constant(QUAD_MEMORY.parameters + n * 4), [word])
    store(PARAMETER.next, end.next)
    store(PARAMETER.jobs, end.jobs)
    const lane = laneBytesOf(o, m, o.constant(0))
    const storeLanes = (n: number, word: V): void =>
      m.store(o.i32Add(lane, o.constant(QUAD_MEMORY.parameters + n * 4)), [word])
    storeLanes(PARAMETER.pixels, end.pixels)
    for (const word of end.quads) storeLanes(PARAMETER.boxQuads, word)
    for (const [n, word] of end.lists.entries()) store(PARAMETER.lists + n, word)
  }
  const { biasUnit, centersOnly, rasterizer: r } = state
  const bias = `${r.depthBias},${r.depthBiasClamp},${r.slopeScaledDepthBias},${biasUnit.kind === 'unorm' ? biasUnit.bits : 0}`
  // Triangles are set up as numbers are: nothing is flushed.
  const { shift, count, hasPixels } = shares
  const ofShares = `${shift},${count},${hasPixels}`
  const key = `["setup",${r.frontCounterClockwise},"${r.cullMode}",${bias},${centersOnly},${ofShares},"${result}"]`
  return { key, keepsDenormals: true, meaning }
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
  const { viewport: v, planes, vertexBytes } = state
  // The planes follow from the viewport, with those of depth or without.
  const ofViewport = `${v.topLeftX},${v.topLeftY},${v.width},${v.height},${v.minDepth},${v.maxDepth}`
  return { key: `["screen",${ofViewport},${planes.length},${vertexBytes}]`, keepsDenormals: true, meaning }
}

/** Triangles that are set up in one call at the most. */
export const TRIANGLES_OF_A_CALL = JOB_CAPACITY
/** Triangles, as multiples of those of a draw that are worth any code, from which code for whole records pays. */
const WORTH_WHOLE = 8
/** Triangles that code must take of a call to be tried with the next ones, and the most calls that it is left out of. */
const FEW_TAKEN = 16
const MOST_LEFT_OUT = 64

/** Where whole records go: the byte of the memory, and the number that vertex 0 of the triangles has in them. */
interface RecordPlace {
  readonly byteOffset: number
  readonly firstVertex: number
}

/** Triangles in the list of a share, by LISTED_WORDS, with their vertices on the screen. */
export interface TriangleList {
  readonly words: Int32Array
  readonly screen: Int32Array
  readonly shares: RowShares
}

/** Runs the programs over vertices and triangles of one draw. */
export class SetupCode {
  readonly #memory: QuadMemory
  readonly result: SetupResult
  #kernel: QuadKernel | null | undefined
  #screen: QuadKernel | null | undefined
  /** They have been asked for. */
  #isKernelWanted = false
  #isScreenWanted = false
  #offered = 0
  /** Calls that it is left out of, and how many these are the next time that it takes few. */
  #leftOut = 0
  #nextLeftOut = 1

  readonly #history: CodeHistory
  readonly #shares: RowShares

  constructor(memory: QuadMemory, result: SetupResult, history: CodeHistory, shares = NO_SHARES) {
    this.#memory = memory
    this.#shares = shares
    this.#history = history
    this.result = result
  }

  /** What works in the same memory, one at a time, and leaves lists for shares of rows, or jobs of triangles in them. */
  ofShares(result: 'lists' | 'jobs of a list' | 'records of a list', shares: RowShares): SetupCode {
    return new SetupCode(this.#memory, result, this.#history, shares)
  }

  /** Programs that the engine has compiled, of any kind. */
  get programCount(): number {
    return this.#memory.kernels?.programCount ?? 0
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

  /** Whether it can set triangles up; its program is made where it is not there yet. */
  isReadyFor(source: Pick<TriangleSource, 'screen' | 'state'>): boolean {
    if (!this.#reaches(source)) return false
    this.#prepare(source)
    return this.#kernel != null
  }

  /** As `isReadyFor`; what has to be compiled is wanted. */
  isReadyOrWanted(source: Pick<TriangleSource, 'screen' | 'state'>, wanted: WantedPrograms): boolean {
    if (!this.#reaches(source)) return false
    if (this.#kernel === undefined && !this.#isKernelWanted) {
      this.#isKernelWanted = true
      wanted.wantUnlessMade(this.#programOf(source), () => this.#prepare(source))
    }
    return this.#kernel != null
  }

  #reaches({ screen }: Pick<TriangleSource, 'screen'>): boolean {
    return this.#memory.kernels?.reaches(screen.buffer) === true
  }

  #programOf({ state }: Pick<TriangleSource, 'state'>): QuadProgram {
    return setupProgram(state, this.result, this.#shares)
  }

  #prepare(source: Pick<TriangleSource, 'state'>): void {
    this.#kernel ??= this.#memory.kernels?.quadKernelFor(this.#programOf(source)) ?? null
  }

  /** As `RecordSink.place`; the vertices of a draw have one viewport. Where programs can be wanted, they are not made here. */
  place(source: VertexSource, from: number, count: number, wanted?: WantedPrograms): boolean {
    const { viewport, vertices, width, position, screen } = source
    const { kernels, parameters, start } = this.#memory
    if (kernels?.reaches(vertices.buffer) !== true || !kernels.reaches(screen.buffer) || !isOfFloats(viewport))
      return false
    if (this.#screen === undefined) this.#makeOrWantScreen(source, kernels, wanted)
    if (this.#screen == null) return false
    parameters[PARAMETER.positions] = vertices.byteOffset + (from * width + position) * 4 - start
    parameters[PARAMETER.screen] = screen.byteOffset + from * SCREEN_WORDS * 4 - start
    parameters[PARAMETER.vertexCount] = count
    this.#screen.run(1, start)
    return true
  }

  #makeOrWantScreen(source: VertexSource, kernels: ElementKernels, wanted: WantedPrograms | undefined): void {
    const { viewport, planes, width } = source
    const program = screenProgram({ viewport, planes, vertexBytes: width * 4 })
    const take = (): void => {
      this.#screen ??= kernels.quadKernelFor(program) ?? null
    }
    if (wanted === undefined) take()
    else if (!this.#isScreenWanted) wanted.wantUnlessMade(program, take)
    this.#isScreenWanted = true
  }

  /**
   * Sets up triangles, TRIANGLES_OF_A_CALL at the most, and writes records; the first that it has not. Whole records go where `place` says, with
   * their boxes in the memory; others are the jobs from the first on.
   */
  run(source: TriangleSource, from: number, to: number, bounds: PixelRect, place?: RecordPlace): number {
    const { parameters, triangles, triangleIds, triangleInstances, start } = this.#memory
    triangles.set(source.vertices.subarray(from * 3, to * 3))
    if (place !== undefined) {
      triangleIds.set(source.ids.subarray(from, to))
      triangleInstances.set(source.instances.subarray(from, to))
      parameters[PARAMETER.records] = place.byteOffset - start
      parameters[PARAMETER.firstVertex] = place.firstVertex
    }
    return from + this.#run(source.screen, to - from, bounds)
  }

  /** Lists triangles for shares of rows: `ends` are the next bytes of the lists, before and after, and vertex 0 has a number in them. */
  list(
    source: TriangleSource,
    [from, to]: readonly [number, number],
    bounds: PixelRect,
    ends: Float64Array,
    firstVertex: number,
  ): number {
    const { parameters, triangles, triangleIds, triangleInstances, start } = this.#memory
    triangles.set(source.vertices.subarray(from * 3, to * 3))
    if (this.#shares.hasPixels) {
      triangleIds.set(source.ids.subarray(from, to))
      triangleInstances.set(source.instances.subarray(from, to))
    }
    parameters[PARAMETER.firstVertex] = firstVertex
    for (let n = 0; n < ends.length; n++) parameters[PARAMETER.lists + n] = ends[n]! - start
    const taken = this.#run(source.screen, to - from, bounds)
    for (let n = 0; n < ends.length; n++) ends[n] = parameters[PARAMETER.lists + n]! + start
    return from + taken
  }

  /** Sets up triangles of a list, as `run` does; whole records go to the byte that is given. */
  runListed({ words, screen }: TriangleList, from: number, to: number, bounds: PixelRect, byteOffset = 0): number {
    const { parameters, start } = this.#memory
    parameters[PARAMETER.listed] = words.byteOffset + from * listedWords(this.#shares) * 4 - start
    parameters[PARAMETER.records] = byteOffset - start
    parameters[PARAMETER.firstVertex] = 0
    return from + this.#run(screen, to - from, bounds)
  }

  /** Runs the program over triangles whose vertices have such words; how many of them it has set up. */
  #run(screen: Int32Array, count: number, bounds: PixelRect): number {
    const { parameters, start } = this.#memory
    parameters[PARAMETER.triangles] = count
    parameters[PARAMETER.screen] = screen.byteOffset - start
    parameters[PARAMETER.left] = bounds.left
    parameters[PARAMETER.top] = bounds.top
    parameters[PARAMETER.right] = bounds.right
    parameters[PARAMETER.bottom] = bounds.bottom
    this.#kernel!.run(1, start)
    const taken = Math.min(count, parameters[PARAMETER.next]!)
    this.#learn(taken >= Math.min(count, FEW_TAKEN))
    return taken
  }

  /** Draws of which most triangles are large are left alone. */
  #learn(hasTaken: boolean): void {
    this.#leftOut = hasTaken ? 0 : this.#nextLeftOut
    this.#nextLeftOut = hasTaken ? 1 : Math.min(MOST_LEFT_OUT, this.#nextLeftOut * 2)
  }

  /** Records of the last run. */
  get count(): number {
    return this.#memory.parameters[PARAMETER.jobs]!
  }

  /** Boxes of whole records, by JOB_WORDS. */
  get boxes(): Int32Array {
    return this.#memory.boxes
  }

  #sumOf(at: number): number {
    const { parameters: p } = this.#memory
    return p[at]! + p[at + 1]! + p[at + 2]! + p[at + 3]!
  }

  /** Pixels in the boxes of the triangles that were set up. */
  get pixelCount(): number {
    return this.#sumOf(PARAMETER.pixels)
  }

  /** Quads in the boxes of whole records. */
  get quadCount(): number {
    return this.#sumOf(PARAMETER.boxQuads)
  }
}
