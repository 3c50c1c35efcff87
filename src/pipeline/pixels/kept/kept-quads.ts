import type { QuadKernel, QuadMemory as QuadMemoryOps, QuadProgram } from '../../../engine/index.ts'
import type { ValueOps } from '../../../isa/index.ts'
import type { TargetView } from '../../../machine/index.ts'
import { compileThresholds } from '../../compile-thresholds.ts'
import { laneBytesOf } from '../../lane-bytes.ts'
import { parameterWord } from '../input-program.ts'
import { PARAMETER, QUAD_MEMORY, type QuadMemory } from '../quads.ts'
import { type PixelLayout, pixelLayout } from '../target-pixels.ts'

/**
 * Quads of which a shader that discards has kept a pixel: one behind the other, so that tests and stores go over no others. Colors stay
 * where the shader left them; stores find them by the quad's number.
 */

const SHADED = QUAD_MEMORY.shaded

function keptProgram(target: TargetView | undefined): QuadProgram {
  const layout = target && pixelLayout(target)
  const meaning = <V>(o: ValueOps<V>, m: QuadMemoryOps<V>): void => {
    const c = (n: number): V => o.constant(n)
    const [count, kept] = [PARAMETER.quads, PARAMETER.kept].map((n) => parameterWord(o, m, n)) as [V, V]
    const wordAt = (at: V): V => m.load(at, 1)[0]!
    const round = ([n, to]: readonly V[]): readonly V[] => {
      const [from, into] = [o.shiftLeft(n!, c(2)), o.shiftLeft(to!, c(2))]
      const lane = laneBytesOf(o, m, n!)
      const samples = o.and(wordAt(o.i32Add(lane, c(SHADED.masks))), wordAt(o.i32Add(kept, lane)))
      for (const column of [SHADED.primitives, SHADED.slices, SHADED.x, SHADED.y]) {
        m.store(o.i32Add(into, c(column)), [wordAt(o.i32Add(from, c(column)))])
      }
      m.store(o.i32Add(laneBytesOf(o, m, to!), c(SHADED.written)), [samples])
      m.store(o.i32Add(into, c(SHADED.numbers)), [n!])
      // What is not kept is written over by the next: all ones are -1.
      const isEmpty = o.i32Equal(m.signs(o.i32Equal(samples, c(0))), c(15))
      return [o.i32Add(n!, c(1)), o.i32Add(o.i32Add(to!, c(1)), isEmpty)]
    }
    const [, end] = m.repeat([c(0), c(0)], ([n]) => o.i32Less(n!, count), round)
    m.store(c(QUAD_MEMORY.parameters + PARAMETER.keptQuads * 4), [end!])
    if (layout !== undefined) readLines(o, m, layout, end!)
  }
  return { key: JSON.stringify(['kept', layout ?? null]), keepsDenormals: true, meaning }
}

/**
 * Reads a word of both rows of each kept quad: the store, which has a hundred operations a quad, would wait for one line that is in no near
 * cache after the other, where a loop that does nothing else has many on their way at once. Lane i takes quad i of four.
 */
function readLines<V>(o: ValueOps<V>, m: QuadMemoryOps<V>, { rowPitch, wordCount }: PixelLayout, count: V): void {
  const c = (n: number): V => o.constant(n)
  const start = parameterWord(o, m, PARAMETER.lines)
  const lane = o.i32Add(m.column, o.shiftLeft(m.row, c(1)))
  const round = ([n, sum]: readonly V[]): readonly V[] => {
    const quad = o.i32Add(n!, lane)
    const isThere = o.i32Less(quad, count)
    const ofQuad = (column: number): V => m.load(o.i32Add(o.shiftLeft(quad, c(2)), c(column)), 1)[0]!
    const inRow = o.i32Mul(ofQuad(SHADED.x), c(wordCount * 4))
    const first = o.i32Add(start, o.i32Add(o.i32Mul(ofQuad(SHADED.y), c(rowPitch)), inRow))
    const [upper, lower] = [first, o.i32Add(first, c(rowPitch))].map((at) => m.load(at, 1, isThere)[0]!) as [V, V]
    return [o.i32Add(n!, c(4)), o.or(sum!, o.or(upper, lower))]
  }
  const [, read] = m.repeat([c(0), c(0)], ([n]) => o.i32Less(n!, count), round)
  // What nothing takes would not be read.
  m.store(o.i32Add(laneBytesOf(o, m, c(0)), c(QUAD_MEMORY.parameters + PARAMETER.keptLines * 4)), [read!])
}

export class KeptQuads {
  readonly #memory: QuadMemory
  /** Where the engine says which pixels are kept. */
  readonly #words: Int32Array
  /** The target that is read ahead. */
  readonly #view: TargetView | undefined
  readonly #kernel: QuadKernel

  private constructor(memory: QuadMemory, words: Int32Array, view: TargetView | undefined, kernel: QuadKernel) {
    this.#memory = memory
    this.#words = words
    this.#view = view
    this.#kernel = kernel
  }

  /** Undefined where there is no code. `views` are those that stores write to, all of them by code. */
  static of(memory: QuadMemory, words: Int32Array, views: readonly TargetView[]): KeptQuads | undefined {
    const { kernels } = memory
    if (kernels?.reaches(words.buffer) !== true) return undefined
    const isFar = ({ rowPitch, height }: TargetView): boolean => rowPitch * height >= compileThresholds.farBytes
    const view = views.find((v) => isFar(v) && pixelLayout(v).hasWholeQuads)
    const kernel = kernels.quadKernelFor(keptProgram(view))
    return kernel && new KeptQuads(memory, words, view, kernel)
  }

  /**
   * Leaves the places of the quads that wait of which a pixel is kept, in their order, with `written` of them and their numbers: how many
   * there are is their count from now on.
   */
  run(): void {
    const { parameters, shaded, start } = this.#memory
    parameters[PARAMETER.quads] = shaded.count
    parameters[PARAMETER.kept] = this.#words.byteOffset - start
    if (this.#view !== undefined) {
      const { storage, byteOffset } = this.#view
      parameters[PARAMETER.lines] = storage.byteOffset + byteOffset - start
    }
    this.#kernel.run(1, start)
    shaded.count = parameters[PARAMETER.keptQuads]!
  }
}
