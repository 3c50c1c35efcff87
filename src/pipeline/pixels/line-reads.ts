import type { QuadKernel, QuadMemory as QuadMemoryOps, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import type { TargetView } from '../../machine/index.ts'
import { compileThresholds } from '../compile-thresholds.ts'
import { JOB, JOB_WORDS, RECORD, RECORD_WORDS } from '../raster/index.ts'
import { parameterWord } from './input-program.ts'
import { PARAMETER, QUAD_MEMORY, type QuadMemory } from './quads.ts'
import { pixelLayout } from './target-pixels.ts'

/**
 * Reads of lines of memory before triangles are covered: of a target, and of records and vertices that another thread has written, or
 * this one long before. Programs have hundreds of operations between such reads, so that the processor waits for one line that is in no
 * near cache after the other; a loop that does nothing else has many on their way at once.
 */

/** Pixels, to each side: lines of a triangle that begins no farther from the one before it are taken to be there. */
const NEAR = 16
/** Triangles of a call below which the call costs more. */
const FEW = 4
/** Where fewer than one in so many is far from the one before it, so many of the next calls are left out. */
const SELDOM = 8
const LEFT_OUT = 31
/** Records of which one in so many or fewer is named do not come by themselves, as those behind each other do. */
const SCATTERED = 2

function readsProgram({ rowPitch, wordCount }: ReturnType<typeof pixelLayout>): QuadProgram {
  const meaning = <V>(o: ValueOps<V>, m: QuadMemoryOps<V>): void => {
    const c = (n: number): V => o.constant(n >>> 0)
    const [count, target] = [PARAMETER.jobs, PARAMETER.lines].map((n) => parameterWord(o, m, n)) as [V, V]
    const isNear = (a: V, b: V): V => o.u32Less(o.i32Add(o.i32Sub(a, b), c(NEAR)), c(2 * NEAR + 1))
    const rows = (left: V, top: V, right: V, bottom: V, sum: V): V => {
      const pixel = (n: V): V => o.i32Mul(n, c(wordCount * 4))
      const first = o.i32Add(o.i32Add(target, o.i32Mul(top, c(rowPitch))), pixel(left))
      const last = pixel(o.i32Sub(o.i32Sub(right, left), c(1)))
      const round = ([y, at, read]: readonly V[]): readonly V[] => {
        const [a, b] = [at!, o.i32Add(at!, last)].map((place) => m.load(place, 1)[0]!) as [V, V]
        return [o.i32Add(y!, c(1)), o.i32Add(at!, c(rowPitch)), o.or(read!, o.or(a, b))]
      }
      return m.repeat([top, first, sum], ([y]) => o.i32Less(y!, bottom), round)[2]!
    }
    const round = ([n, sum, far, beforeX, beforeY]: readonly V[]): readonly V[] => {
      const job = o.i32Add(o.i32Mul(n!, c(JOB_WORDS * 4)), c(QUAD_MEMORY.jobs))
      const [left, top, right, bottom] = [JOB.left, JOB.top, JOB.right, JOB.bottom].map(
        (word) => m.load(o.i32Add(job, c(word * 4)), 1)[0]!,
      ) as [V, V, V, V]
      const [read, reads] = m.choose(
        o.and(isNear(left, beforeX!), isNear(top, beforeY!)),
        () => [sum!, far!],
        () => [rows(left, top, right, bottom, sum!), o.i32Add(far!, c(1))],
      )
      return [o.i32Add(n!, c(1)), read!, reads!, left, top]
    }
    const ends = m.repeat([c(0), c(0), c(0), c(-1000), c(-1000)], ([n]) => o.i32Less(n!, count), round)
    // What nothing takes would not be read.
    m.store(c(QUAD_MEMORY.parameters + PARAMETER.lines * 4), [ends[1]!, ends[2]!])
  }
  return { key: JSON.stringify(['reads', rowPitch, wordCount]), keepsDenormals: true, meaning }
}

/** Reads of one target. */
export class LineReads {
  readonly #memory: QuadMemory
  readonly #view: TargetView
  /** Null where there is no code, or none is needed. */
  #kernel: QuadKernel | null | undefined
  #leftOut = 0

  constructor(memory: QuadMemory, view: TargetView) {
    this.#memory = memory
    this.#view = view
  }

  /** Reads the lines of the jobs that wait, `count` of them, all of the first slice. */
  run(count: number): void {
    if (count < FEW || this.#kernel === null || this.#leftOut-- > 0) return
    const { parameters, start, kernels } = this.#memory
    const { storage, byteOffset } = this.#view
    this.#kernel ??= this.#isFar ? (kernels?.quadKernelFor(readsProgram(pixelLayout(this.#view))) ?? null) : null
    parameters[PARAMETER.jobs] = count
    parameters[PARAMETER.lines] = storage.byteOffset + byteOffset - start
    this.#kernel?.run(1, start)
    this.#leftOut = parameters[PARAMETER.lines + 1]! * SELDOM < count ? LEFT_OUT : 0
  }

  get #isFar(): boolean {
    const { storage, rowPitch, height } = this.#view
    return rowPitch * height >= compileThresholds.farBytes && this.#memory.kernels?.reaches(storage.buffer) === true
  }
}

function recordsProgram(vertexBytes: number): QuadProgram {
  const meaning = <V>(o: ValueOps<V>, m: QuadMemoryOps<V>): void => {
    const c = (n: number): V => o.constant(n >>> 0)
    const count = parameterWord(o, m, PARAMETER.jobs)
    const wordAt = (base: V, byte: number): V => m.load(o.i32Add(base, c(byte)), 1)[0]!
    const round = ([n, sum]: readonly V[]): readonly V[] => {
      const job = o.i32Add(o.i32Mul(n!, c(JOB_WORDS * 4)), c(QUAD_MEMORY.jobs))
      const [record, vertices] = [JOB.record, JOB.vertices].map((word) => wordAt(job, word * 4)) as [V, V]
      const ofVertices = [0, 1, 2].flatMap((i) => {
        const number = wordAt(record, (RECORD.vertices + i) * 4)
        const vertex = o.i32Add(vertices, o.i32Mul(number, c(vertexBytes)))
        return [wordAt(vertex, 0), wordAt(vertex, vertexBytes - 4)]
      })
      const words = [wordAt(record, 0), wordAt(record, (RECORD_WORDS - 1) * 4), ...ofVertices]
      return [o.i32Add(n!, c(1)), words.reduce((a, b) => o.or(a, b), sum!)]
    }
    const ends = m.repeat([c(0), c(0)], ([n]) => o.i32Less(n!, count), round)
    m.store(c(QUAD_MEMORY.parameters + PARAMETER.lines * 4), [ends[1]!])
  }
  return { key: JSON.stringify(['reads', 'records', vertexBytes]), keepsDenormals: true, meaning }
}

/** Reads of the records of triangles, at both ends, and of both ends of their vertices. */
export class RecordReads {
  readonly #memory: QuadMemory
  readonly #vertexBytes: number
  /** Made when records are scattered, which they are seldom on one thread; null where there is no code. */
  #kernel: QuadKernel | null | undefined

  constructor(memory: QuadMemory, vertexBytes: number) {
    this.#memory = memory
    this.#vertexBytes = vertexBytes
  }

  /** Reads those of the jobs that wait, `count` of them, if they do not follow each other closely. */
  run(count: number): void {
    if (count < FEW || this.#kernel === null) return
    const { parameters, start, jobs } = this.#memory
    const distance = jobs[(count - 1) * JOB_WORDS + JOB.record]! - jobs[JOB.record]!
    if (distance < SCATTERED * count * RECORD_WORDS * 4) return
    parameters[PARAMETER.jobs] = count
    this.#kernel ??= this.#memory.kernels?.quadKernelFor(recordsProgram(this.#vertexBytes)) ?? null
    this.#kernel?.run(1, start)
  }
}
