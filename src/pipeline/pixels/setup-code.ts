import type { QuadKernel, QuadMemory as QuadMemoryOps, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
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
import { PARAMETER, QUAD_MEMORY, type QuadMemory } from './quads.ts'

/** Setup of small triangles without attributes as programs: from vertices on the screen to jobs with their records. */

function setupProgram(state: TriangleSetupState): QuadProgram {
  const meaning = <V>(o: ValueOps<V>, m: QuadMemoryOps<V>): void => {
    const parameter = (n: number): V => parameterWord(o, m, n)
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
      jobs: o.constant(QUAD_MEMORY.jobs),
      records: o.constant(QUAD_MEMORY.records),
    })
    const store = (n: number, word: V): void => m.store(o.constant(QUAD_MEMORY.parameters + n * 4), [word])
    store(PARAMETER.next, end.next)
    store(PARAMETER.jobs, end.jobs)
    const lane = laneBytesOf(o, m, o.constant(0))
    m.store(o.i32Add(lane, o.constant(QUAD_MEMORY.parameters + PARAMETER.pixels * 4)), [end.pixels])
  }
  const { biasUnit, centersOnly, rasterizer: r } = state
  const ofState = [r.frontCounterClockwise, r.cullMode, r.depthBias, r.depthBiasClamp, r.slopeScaledDepthBias]
  // Triangles are set up as numbers are: nothing is flushed.
  return { key: JSON.stringify(['setup', ofState, biasUnit, centersOnly]), keepsDenormals: true, meaning }
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

/** Runs the programs over vertices and triangles of one draw. */
export class SetupCode {
  readonly #memory: QuadMemory
  #kernel: QuadKernel | null | undefined
  #screen: QuadKernel | null | undefined

  constructor(memory: QuadMemory) {
    this.#memory = memory
  }

  /** Whether it can set triangles up. */
  isReadyFor({ screen, state }: TriangleSource): boolean {
    const { kernels } = this.#memory
    if (kernels === undefined || !kernels.reaches(screen.buffer)) return false
    this.#kernel ??= kernels.quadKernelFor(setupProgram(state)) ?? null
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

  /** Sets up triangles as the jobs from the first on; the first that it has not. Behind it are the parameters of what it made. */
  run(source: TriangleSource, from: number, to: number, bounds: PixelRect): number {
    const { parameters, triangles, start } = this.#memory
    triangles.set(source.vertices.subarray(from * 3, to * 3))
    parameters[PARAMETER.triangles] = to - from
    parameters[PARAMETER.screen] = source.screen.byteOffset - start
    parameters[PARAMETER.left] = bounds.left
    parameters[PARAMETER.top] = bounds.top
    parameters[PARAMETER.right] = bounds.right
    parameters[PARAMETER.bottom] = bounds.bottom
    this.#kernel!.run(1, start)
    return from + Math.min(to - from, parameters[PARAMETER.next]!)
  }

  /** Pixels in the boxes of the triangles that were set up. */
  get pixelCount(): number {
    const { parameters: p } = this.#memory
    const at = PARAMETER.pixels
    return p[at]! + p[at + 1]! + p[at + 2]! + p[at + 3]!
  }
}
