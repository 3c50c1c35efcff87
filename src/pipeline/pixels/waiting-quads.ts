import type { QuadKernel, QuadMemory as QuadMemoryOps, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import { laneBytesOf } from '../lane-bytes.ts'
import { parameterWord } from './input-program.ts'
import { PARAMETER, QUAD_MEMORY, type QuadMemory, type ShadedQuads } from './quads.ts'

/** How quads come to where they wait for their shader: copied from those that were found, or at once. */

/** Lanes of the quad from `lane` on that are no helpers. */
export function lanesIn(masks: ArrayLike<number>, lane: number): number {
  let count = 0
  for (let i = lane; i < lane + 4; i++) if (masks[i] !== 0) count++
  return count
}

/** Whether a quad has a sample. */
export function hasSamples(masks: ArrayLike<number>, quad: number): boolean {
  const lane = quad * 4
  return (masks[lane]! | masks[lane + 1]! | masks[lane + 2]! | masks[lane + 3]!) !== 0
}

/** Writes quad `to` with the samples of its four pixels. */
export function writeQuad(
  { primitives, x, y, masks: into }: Pick<ShadedQuads, 'primitives' | 'x' | 'y' | 'masks'>,
  to: number,
  row: number,
  firstX: number,
  firstY: number,
  masks: Uint32Array,
): void {
  primitives[to] = row
  x[to] = firstX
  y[to] = firstY
  const lane = to * 4
  into[lane] = masks[0]!
  into[lane + 1] = masks[1]!
  into[lane + 2] = masks[2]!
  into[lane + 3] = masks[3]!
}

/** Writes `count` quads beside each other from quad `to` on, of which all pixels have the same covered samples. */
export function writeRun(
  { primitives, x, y, masks, coverage }: ShadedQuads,
  to: number,
  count: number,
  row: number,
  firstX: number,
  firstY: number,
  mask: number,
): void {
  primitives.fill(row, to, to + count)
  y.fill(firstY, to, to + count)
  masks.fill(mask, to * 4, (to + count) * 4)
  coverage.fill(mask, to * 4, (to + count) * 4)
  for (let n = 0; n < count; n++) x[to + n] = firstX + n * 2
}

/** Which samples quads are copied with: all that are covered, or those that passed the tests. */
export type CopiedSamples = 'covered' | 'passed'

/** Quads of a copy from which a call of code is faster. */
const MANY = 16

function copyProgram(samples: CopiedSamples): QuadProgram {
  const meaning = <V>(o: ValueOps<V>, m: QuadMemoryOps<V>): void => {
    const { found, shaded } = QUAD_MEMORY
    const c = (n: number): V => o.constant(n)
    const parameter = (n: number): V => parameterWord(o, m, n)
    const [from, to, count] = [PARAMETER.copyFrom, PARAMETER.copyTo, PARAMETER.copyCount].map(parameter) as [V, V, V]
    const round = ([n, helpers]: readonly V[]): readonly V[] => {
      const [source, target] = [o.i32Add(from, n!), o.i32Add(to, n!)]
      for (const name of ['primitives', 'x', 'y'] as const) {
        const word = m.load(o.i32Add(o.shiftLeft(source, c(2)), c(found[name])), 1)
        m.store(o.i32Add(o.shiftLeft(target, c(2)), c(shaded[name])), word)
      }
      const [sourceLane, targetLane] = [laneBytesOf(o, m, source), laneBytesOf(o, m, target)]
      const covered = m.load(o.i32Add(sourceLane, c(found.masks)), 1)[0]!
      const mask = samples === 'passed' ? m.load(o.i32Add(sourceLane, c(found.passed)), 1)[0]! : covered
      m.store(o.i32Add(targetLane, c(shaded.masks)), [mask])
      m.store(o.i32Add(targetLane, c(shaded.coverage)), [covered])
      // All ones are -1.
      return [o.i32Add(n!, c(1)), o.i32Sub(helpers!, o.i32Equal(mask, c(0)))]
    }
    const ends = m.repeat([c(0), c(0)], ([n]) => o.i32Less(n!, count), round)
    m.store(o.i32Add(laneBytesOf(o, m, c(0)), c(QUAD_MEMORY.parameters + PARAMETER.helpers * 4)), [ends[1]!])
  }
  return { key: JSON.stringify(['copies', samples]), meaning }
}

/** Copies quads of one draw by code, where there are many. */
export class QuadCopies {
  readonly #memory: QuadMemory
  readonly #compiled: { [samples in CopiedSamples]?: QuadKernel | null } = {}

  constructor(memory: QuadMemory) {
    this.#memory = memory
  }

  /** Copies `count` quads from one on to another and those behind it: how many lanes are no helpers; undefined where there is no code. */
  run(from: number, to: number, count: number, samples: CopiedSamples): number | undefined {
    if (count < MANY) return undefined
    const { kernels, parameters: p, start } = this.#memory
    const kernel = (this.#compiled[samples] ??= kernels?.quadKernelFor(copyProgram(samples)) ?? null)
    if (kernel === null) return undefined
    p[PARAMETER.copyFrom] = from
    p[PARAMETER.copyTo] = to
    p[PARAMETER.copyCount] = count
    kernel.run(1, start)
    const at = PARAMETER.helpers
    return count * 4 - (p[at]! + p[at + 1]! + p[at + 2]! + p[at + 3]!)
  }
}
