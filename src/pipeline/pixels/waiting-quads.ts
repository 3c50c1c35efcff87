import type { PixelPlace, QuadBatch, QuadKernel, QuadMemory as QuadMemoryOps, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import { laneBytesOf } from '../lane-bytes.ts'
import { type PrimitiveTable, ROW_WORD, SUBPIXELS } from '../raster/index.ts'
import type { PixelAttributes } from './attributes.ts'
import { parameterWord } from './input-program.ts'
import { type FoundQuads, PARAMETER, placeOf, QUAD_MEMORY, type QuadMemory, type ShadedQuads } from './quads.ts'

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

/** Quads beside each other, of which all pixels have the same covered samples. */
interface QuadRun {
  readonly row: number
  /** The first pixel. */
  readonly x: number
  readonly y: number
  readonly count: number
  readonly mask: number
}

/**
 * Appends a run as far as there is room, and says how many of its quads that was. With `asOne`, of runs with all samples, one quad stands
 * for an even number of them.
 */
export function appendRun(
  shaded: ShadedQuads,
  capacity: number,
  { row, x, y, count, mask }: QuadRun,
  asOne: boolean,
): number {
  const from = shaded.count
  if (asOne && count > 1) {
    shaded.primitives[from] = row
    shaded.x[from] = x
    shaded.y[from] = y
    shaded.runs[from] = count & ~1
    shaded.hasRuns = true
    shaded.count = from + 1
    return count & ~1
  }
  const to = Math.min(capacity, from + count)
  const { primitives, x: xs, y: ys, masks, coverage } = shaded
  // Most runs are short, and to call `fill` takes as long as some ten quads.
  for (let n = from; n < to; n++) {
    primitives[n] = row
    xs[n] = x + (n - from) * 2
    ys[n] = y
    for (let lane = n * 4; lane < n * 4 + 4; lane++) {
      masks[lane] = mask
      coverage[lane] = mask
    }
  }
  shaded.count = to
  return to - from
}

/** Appends a run to quads that were found, as far as there is room, and says how many of its quads that was. */
export function appendFound(found: FoundQuads, { row, x, y, count, mask }: QuadRun): number {
  const from = found.count
  const to = Math.min(found.capacity, from + count)
  const { primitives, x: xs, y: ys, masks } = found
  for (let n = from; n < to; n++) {
    primitives[n] = row
    xs[n] = x + (n - from) * 2
    ys[n] = y
    for (let lane = n * 4; lane < n * 4 + 4; lane++) masks[lane] = mask
  }
  found.count = to
  return to - from
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

/** Quads that were found, from one on, and where they go. */
interface CopiedQuads {
  readonly from: number
  readonly to: number
  readonly count: number
  readonly samples: CopiedSamples
}

/** Copies quads of one draw to those that are shaded: by code where there are many. Each call answers how many lanes are no helpers. */
export class QuadCopies {
  readonly #memory: QuadMemory
  readonly #table: PrimitiveTable
  readonly #hasSlices: boolean
  readonly #compiled: { [samples in CopiedSamples]?: QuadKernel | null } = {}

  constructor(memory: QuadMemory, table: PrimitiveTable, hasSlices: boolean) {
    this.#memory = memory
    this.#table = table
    this.#hasSlices = hasSlices
  }

  /** Makes the code; null where there is none. */
  prepare(samples: CopiedSamples): QuadKernel | null {
    const { kernels } = this.#memory
    return (this.#compiled[samples] ??= kernels?.quadKernelFor(copyProgram(samples)) ?? null)
  }

  /** `isPlain` where they are of plain triangles. */
  run(quads: CopiedQuads, isPlain: boolean): number {
    const { from, to, count, samples } = quads
    const kernel = count < MANY ? null : this.prepare(samples)
    if (kernel !== null) {
      if (this.#hasSlices || !isPlain) copyRest(this.#memory, this.#table, from, to, count)
      return this.#runCode(kernel, quads)
    }
    const masks = this.#memory.found[samples === 'passed' ? 'passed' : 'masks']
    let invocations = 0
    for (let n = 0; n < count; n++) invocations += this.runOne(from + n, to + n, masks, isPlain)
    return invocations
  }

  /** Copies one quad with the samples of these masks. */
  runOne(from: number, to: number, masks: Int32Array, isPlain: boolean): number {
    const { found, shaded } = this.#memory
    shaded.primitives[to] = found.primitives[from]!
    shaded.x[to] = found.x[from]!
    shaded.y[to] = found.y[from]!
    for (let i = 0; i < 4; i++) {
      shaded.masks[to * 4 + i] = masks[from * 4 + i]!
      shaded.coverage[to * 4 + i] = found.masks[from * 4 + i]!
    }
    if (this.#hasSlices || !isPlain) copyRest(this.#memory, this.#table, from, to, 1)
    return lanesIn(masks, from * 4)
  }

  #runCode(kernel: QuadKernel, { from, to, count }: CopiedQuads): number {
    const { parameters: p, start } = this.#memory
    p[PARAMETER.copyFrom] = from
    p[PARAMETER.copyTo] = to
    p[PARAMETER.copyCount] = count
    kernel.run(1, start)
    const at = PARAMETER.helpers
    return count * 4 - (p[at]! + p[at + 1]! + p[at + 2]! + p[at + 3]!)
  }
}

/** Copies what few draws have of quads: slices, whole pixels and factors of alpha. */
function copyRest({ found, shaded }: QuadMemory, table: PrimitiveTable, from: number, to: number, count: number): void {
  for (let n = 0; n < count; n++) {
    shaded.slices[to + n] = table.word(found.primitives[from + n]!, ROW_WORD.slice)
    for (let i = 0; i < 4; i++) {
      shaded.inner[(to + n) * 4 + i] = (found.inner[from + n]! >> i) & 1
      shaded.alphas[(to + n) * 4 + i] = found.alphas[(from + n) * 4 + i]!
    }
  }
}

/** What a pixel shader asks of the quads that wait for it. `offsets` are x and y of each sample in 1/256 pixel from the center. */
export function quadBatchOf(
  shaded: ShadedQuads,
  table: PrimitiveTable,
  attributes: PixelAttributes,
  offsets: Int32Array,
): QuadBatch & { isInPlace: boolean } {
  const { sampleCount } = attributes
  const { helpers, discarded } = shaded
  const place = (lane: number): PixelPlace => placeOf(shaded, table, lane)
  const samplePosition = (index: number): readonly [number, number] =>
    index < sampleCount ? [offsets[index * 2]! / SUBPIXELS, offsets[index * 2 + 1]! / SUBPIXELS] : [0, 0]
  const pixelOf = (lane: number): string => {
    const { x, y, sample } = place(lane)
    return `${x} ${y} ${sample} ${shaded.slices[lane >> 2]}`
  }
  const depth = (lane: number): number => attributes.depth(lane)
  return {
    isInPlace: false,
    helpers,
    discarded,
    sampleCount,
    samplePosition,
    attributes,
    place,
    pixelOf,
    depth,
  }
}
