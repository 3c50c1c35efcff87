import type { ElementKernels, QuadKernel, QuadMemory, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import type { Storage } from '../../machine/index.ts'
import { compileThresholds } from '../compile-thresholds.ts'
import { laneBytesOf } from '../lane-bytes.ts'

/** Means of four samples of 32 bits, of four components, as code of an engine: four pixels of a row at once. */

export const SAMPLES = 4
export const PIXELS_AT_ONCE = 4

/** Four components of 8 bits: two sums in a word, which do not meet. */
const PAIR = 0xff00ff
const HALVES = 0x20002

/** Words of a call, where its memory begins: bytes counted from there, rows and groups of pixels of a row. */
const CALL = { from: 0, fromPitch: 1, to: 2, toPitch: 3, rows: 4, groups: 5 } as const
const CALL_BYTES = 32

const RESOLVE: QuadProgram = {
  key: '["resolve","four bytes"]',
  keepsDenormals: true,
  meaning<V>(o: ValueOps<V>, m: QuadMemory<V>): void {
    const c = (n: number): V => o.constant(n)
    const word = (name: keyof typeof CALL): V => m.load(c(CALL[name] * 4), 1)[0]!
    const [fromPitch, toPitch, rows, groups] = [word('fromPitch'), word('toPitch'), word('rows'), word('groups')]
    const lane = laneBytesOf(o, m, c(0))
    const group = (from: V, to: V): void => {
      const samples = m.load(o.i32Add(from, o.shiftLeft(lane, c(2))), SAMPLES)
      const mean = (shift: number): V => {
        const parts = samples.map((s) => o.and(o.shiftRightLogical(s, c(shift)), c(PAIR)))
        const sum = parts.reduce((a, b) => o.i32Add(a, b), c(HALVES))
        return o.shiftLeft(o.and(o.shiftRightLogical(sum, c(2)), c(PAIR)), c(shift))
      }
      // To look first whether all samples are alike takes twice as long: at edges the branch is hard to foresee.
      m.store(o.i32Add(to, lane), [o.or(mean(0), mean(8))])
    }
    const row = ([n, from, to]: readonly V[]): readonly V[] => {
      m.repeat(
        [c(0), from!, to!],
        ([x]) => o.i32Less(x!, groups),
        ([x, source, target]) => {
          group(source!, target!)
          const next = (at: V, samples: number): V => o.i32Add(at, c(PIXELS_AT_ONCE * samples * 4))
          return [o.i32Add(x!, c(1)), next(source!, SAMPLES), next(target!, 1)]
        },
      )
      return [o.i32Add(n!, c(1)), o.i32Add(from!, fromPitch), o.i32Add(to!, toPitch)]
    }
    m.repeat([c(0), word('from'), word('to')], ([n]) => o.i32Less(n!, rows), row)
  },
}

/** Rows of pixels: the bytes of the first and from one to the next, in the memory of the engine. */
interface Rows {
  readonly byteOffset: number
  readonly rowPitch: number
}

/** Resolves rows from one place to another, so many pixels of each: a multiple of PIXELS_AT_ONCE. False where there is no room. */
type ResolveCode = (from: Rows, to: Rows, rowCount: number, width: number) => boolean

/** Undefined where an engine has none for these storages, or that many pixels are too few for it. */
export function resolveCode(
  kernels: ElementKernels | undefined,
  storages: readonly Storage[],
  pixels: number,
): ResolveCode | undefined {
  if (kernels === undefined || pixels < compileThresholds.resolved) return undefined
  if (!storages.every(({ buffer }) => kernels.reaches(buffer))) return undefined
  const kernel: QuadKernel | undefined = kernels.quadKernelFor(RESOLVE)
  if (kernel === undefined) return undefined
  return (from, to, rowCount, width) => {
    const made = kernels.allocate(CALL_BYTES)
    if (made === undefined) return false
    const start = made.byteOffset
    const words = new Int32Array(made.buffer, start, CALL_BYTES / 4)
    words[CALL.from] = from.byteOffset - start
    words[CALL.fromPitch] = from.rowPitch
    words[CALL.to] = to.byteOffset - start
    words[CALL.toPitch] = to.rowPitch
    words[CALL.rows] = rowCount
    words[CALL.groups] = width / PIXELS_AT_ONCE
    kernel.run(1, start)
    kernels.release(made, CALL_BYTES)
    return true
  }
}
