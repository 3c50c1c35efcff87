import type { QuadKernel, QuadMemory as QuadMemoryOps, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import type { Allocation } from '../../machine/index.ts'
import { compileThresholds } from '../compile-thresholds.ts'
import { laneBytesOf } from '../lane-bytes.ts'
import { comparedDepth, type DepthStencilTestState, failsForGood, passableDepth } from '../merge/index.ts'
import type { ComparisonFunc } from '../state.ts'
import { parameterWord } from './input-program.ts'
import { type WantedProgram, wantedProgram } from './jobs/wanted-programs.ts'
import { PARAMETER, QUAD_MEMORY, type QuadMemory } from './quads.ts'
import type { DrawWords, TriangleQuad, TriangleWords } from './triangle-quads.ts'

/**
 * Bounds of what a depth buffer has: for blocks of 8 x 8 pixels a depth that is at least the farthest of those that something may still
 * pass. Triangles that are nowhere nearer fail in the whole block. Depth that a draw writes comes nearer alone, so bounds hold to its end,
 * however old they are, and whatever other threads write.
 */

const BLOCK_SHIFT = 3
export const BLOCK = 1 << BLOCK_SHIFT
const BLOCK_VECTORS = BLOCK / 4
/**
 * So much farther than their vertices' depths, of all their sizes, samples can come out of the rounding of sums: 2^-42. The sum for a plane
 * is off by 12 * 64 * 2^-53 of both differences at the most, which are twice the sizes.
 */
const ROUNDING_HIGH = 0x3d500000

/** Whether bounds can say which samples fail: of one sample a pixel, since those of several take as long to find as they spare. */
export function canHaveBounds(state: DepthStencilTestState): boolean {
  const { view, depthStencil } = state
  const { depthFunc, depthEnable } = depthStencil
  const isNearer = depthEnable && (depthFunc === 'LESS' || depthFunc === 'LESS_EQUAL')
  const hasBlocks = view.width % BLOCK === 0 && view.height % BLOCK === 0
  return isNearer && hasBlocks && view.sampleCount === 1 && view.bytesPerTexel === 4 && failsForGood(state)
}

function boundsProgram(state: DepthStencilTestState): QuadProgram {
  const { view, depthStencil, testsStencil } = state
  const meaning = <V>(o: ValueOps<V>, m: QuadMemoryOps<V>): void => {
    const c = (n: number): V => o.constant(n)
    const parameter = (n: number): V => parameterWord(o, m, n)
    const reference = parameter(PARAMETER.stencilReference)
    const lane = laneBytesOf(o, m, c(0))
    const larger = (a: V, b: V): V => o.select(o.i32Less(a, b), b, a)
    const scratch = QUAD_MEMORY.parameters + PARAMETER.counted * 4
    const farthest = (first: V): V => {
      const at = o.i32Add(first, lane)
      const words = Array.from({ length: BLOCK * BLOCK_VECTORS }, (_, n) => {
        const offset = Math.floor(n / BLOCK_VECTORS) * view.rowPitch + (n % BLOCK_VECTORS) * 16
        return passableDepth(o, state, reference, m.load(o.i32Add(at, c(offset)), 1)[0]!)
      })
      m.store(o.i32Add(lane, c(scratch)), [words.reduce(larger)])
      return m.load(c(scratch), 4).reduce(larger)
    }
    const row = ([first, at]: readonly V[]): readonly V[] => {
      const end = o.i32Add(first!, c(view.width * 4))
      const [, next] = m.repeat(
        [first!, at!],
        ([x]) => o.u32Less(x!, end),
        ([x, to]) => {
          m.store(to!, [farthest(x!)])
          return [o.i32Add(x!, c(BLOCK * 4)), o.i32Add(to!, c(4))]
        },
      )
      return [o.i32Add(first!, c(view.rowPitch * BLOCK)), next!]
    }
    const start = parameter(PARAMETER.depth)
    const end = o.i32Add(start, c(view.rowPitch * view.height))
    m.repeat([start, parameter(PARAMETER.bounds)], ([y]) => o.u32Less(y!, end), row)
  }
  const { frontFace, backFace, stencilReadMask } = depthStencil
  const stencil = testsStencil && [frontFace.stencilFunc, backFace.stencilFunc, stencilReadMask]
  const { format, width, height, rowPitch } = view
  return {
    key: JSON.stringify(['bounds', format.name, width, height, rowPitch, stencil]),
    keepsDenormals: true,
    meaning,
  }
}

/** The least depth, as it is compared, that a sample of a triangle can have. */
export function leastDepth<V>(
  o: ValueOps<V>,
  state: DepthStencilTestState,
  draw: DrawWords<V>,
  t: TriangleWords<V>,
): V {
  const smaller = (a: V, b: V): V => o.select(o.f32Less(a, b), a, b)
  const sizes = t.depths.map((z) => o.f32ToF64(o.and(z, o.constant(0x7fffffff))))
  const size = sizes.reduce((a, b) => o.f64Add(a, b))
  const rounding = o.f64Mul(size, [o.constant(0), o.constant((ROUNDING_HIGH | 0x80000000) >>> 0)])
  const depth = o.f64ToF32(o.f64Add(o.f32ToF64(t.depths.reduce(smaller)), rounding))
  return comparedDepth(o, state.view, { ...draw, depth })
}

/** All ones where what is at least so far fails by the bound of a block. */
export const isNotNearer = <V>(o: ValueOps<V>, func: ComparisonFunc, least: V, bound: V): V =>
  func === 'LESS' ? o.not(o.i32Less(least, bound)) : o.i32Less(bound, least)

/** All ones where every sample of a quad fails by the bound of its block. */
export function isBeyond<V>(
  o: ValueOps<V>,
  m: QuadMemoryOps<V>,
  { view, depthStencil }: DepthStencilTestState,
  bounds: V,
  quad: TriangleQuad<V>,
  least: V,
): V {
  const block = (p: V): V => o.shiftRightLogical(p, o.constant(BLOCK_SHIFT))
  const number = o.i32Add(o.i32Mul(block(quad.y), o.constant(view.width / BLOCK)), block(quad.x))
  const bound = m.load(o.i32Add(bounds, o.shiftLeft(number, o.constant(2))), 1)[0]!
  return isNotNearer(o, depthStencil.depthFunc, least, bound)
}

/** The bounds of one draw. */
export class DepthBounds {
  readonly #memory: QuadMemory
  readonly #state: DepthStencilTestState
  #room: Allocation | undefined
  #kernel: QuadKernel | undefined
  /** Quads of boxes of triangles, and how many there must be for bounds to be found anew. */
  #quads = 0
  #next: number
  /** As many as the depth buffer has: bounds that are found more often take longer than they spare. */
  readonly #between: number

  constructor(memory: QuadMemory, state: DepthStencilTestState) {
    this.#memory = memory
    this.#state = state
    this.#between = (state.view.width * state.view.height) / 4
    this.#next = Math.max(this.#between, compileThresholds.boundedQuads)
  }

  get #byteLength(): number {
    const { width, height } = this.#state.view
    // Bounds are read by four words, which may end behind the last one.
    return (width / BLOCK) * (height / BLOCK) * 4 + 16
  }

  /** There are bounds. */
  get isOpen(): boolean {
    return this.#room !== undefined
  }

  /** It is time to find them. */
  get areDue(): boolean {
    return this.#quads >= this.#next
  }

  /** The code that finds them. */
  get wanted(): WantedProgram {
    const program = boundsProgram(this.#state)
    return wantedProgram(
      () => void (this.#kernel ??= this.#memory.kernels?.quadKernelFor(program)),
      () => program,
    )
  }

  /** Counts quads that are to be tested; finds bounds where it is time and there is code. Parameters of the depth buffer are set. */
  count(quads: number): void {
    this.#quads += quads
    if (!this.areDue || this.#kernel === undefined) return
    while (this.areDue) this.#next += this.#between
    const { kernels, parameters, start } = this.#memory
    this.#room ??= kernels?.allocate(this.#byteLength)
    if (this.#room === undefined) return
    parameters[PARAMETER.bounds] = this.#room.byteOffset - start
    this.#kernel.run(1, start)
  }

  dispose(): void {
    if (this.#room !== undefined) this.#memory.kernels?.release(this.#room, this.#byteLength)
    this.#room = undefined
  }
}
