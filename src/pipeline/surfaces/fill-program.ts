import type { ElementKernels, QuadMemory, QuadProgram } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import type { Storage } from '../../machine/index.ts'
import { compileThresholds } from '../compile-thresholds.ts'
import { laneBytesOf } from '../lane-bytes.ts'

/**
 * Fills of rows as code of an engine: in memory that threads share, `fill` of arrays writes one element after the other, which takes three
 * times as long.
 */

/** Bytes that are written at once, and in a round; patterns repeat in these. */
const VECTOR_BYTES = 16
const VECTORS = 4
const ROUND_BYTES = VECTOR_BYTES * VECTORS

/** Words of a call, where its memory begins: bytes counted from there, rows and rounds of a row; the pattern, and bits that stay. */
const CALL = { at: 0, pitch: 1, rows: 2, rounds: 3, pattern: 4, kept: 8 } as const
const CALL_BYTES = 48

function fillProgram(isMasked: boolean): QuadProgram {
  const meaning = <V>(o: ValueOps<V>, m: QuadMemory<V>): void => {
    const c = (n: number): V => o.constant(n)
    const word = (name: keyof typeof CALL): V => m.load(c(CALL[name] * 4), 1)[0]!
    const lane = laneBytesOf(o, m, c(0))
    const vector = (name: 'pattern' | 'kept'): V => m.load(o.i32Add(c(CALL[name] * 4), lane), 1)[0]!
    const [pitch, rows, rounds, pattern] = [word('pitch'), word('rows'), word('rounds'), vector('pattern')]
    const kept = isMasked ? vector('kept') : undefined
    const round = ([n, at]: readonly V[]): readonly V[] => {
      for (let i = 0; i < VECTORS; i++) {
        const to = o.i32Add(o.i32Add(at!, c(i * VECTOR_BYTES)), lane)
        const words = kept === undefined ? pattern : o.or(o.and(m.load(to, 1)[0]!, kept), pattern)
        m.store(to, [words])
      }
      return [o.i32Add(n!, c(1)), o.i32Add(at!, c(ROUND_BYTES))]
    }
    const row = ([n, at]: readonly V[]): readonly V[] => {
      m.repeat([c(0), at!], ([x]) => o.i32Less(x!, rounds), round)
      return [o.i32Add(n!, c(1)), o.i32Add(at!, pitch)]
    }
    m.repeat([c(0), word('at')], ([n]) => o.i32Less(n!, rows), row)
  }
  return { key: JSON.stringify(['fill', isMasked ? 'masked' : 'whole']), keepsDenormals: true, meaning }
}

const PROGRAMS = { whole: fillProgram(false), masked: fillProgram(true) } as const

/** Bytes that engines have filled: for a few code is not worth making. */
const FILLED = new WeakMap<ElementKernels, number>()

/** Runs of a surface: the first byte in its storage, bytes from one to the next, how many, and bytes of each. */
interface Runs {
  readonly at: number
  readonly pitch: number
  readonly count: number
  readonly length: number
}

/** Fills the first bytes of each run with a pattern, a multiple of ROUND_BYTES, and answers how many they are: 0 where nothing was done. */
type FillCode = (storage: Storage, runs: Runs) => number

/** Undefined where there is no code for a pattern. Of each element bits of `mask` alone are written, where it is given. */
export function fillCode(
  kernels: ElementKernels | undefined,
  pattern: Uint8Array,
  mask: Uint8Array | undefined,
): FillCode | undefined {
  if (kernels === undefined || VECTOR_BYTES % pattern.length !== 0) return undefined
  const vector = (byteAt: (i: number) => number): Int32Array =>
    new Int32Array(Uint8Array.from({ length: VECTOR_BYTES }, (_, n) => byteAt(n % pattern.length)).buffer)
  const [bits, kept] = [vector((i) => pattern[i]! & (mask?.[i] ?? 0xff)), vector((i) => ~(mask?.[i] ?? 0xff))]
  return (storage, { at, pitch, count, length }) => {
    const rounds = Math.floor(length / ROUND_BYTES)
    if (rounds === 0 || !isWorthCode(kernels, count * length) || !kernels.reaches(storage.buffer)) return 0
    const kernel = kernels.quadKernelFor(mask === undefined ? PROGRAMS.whole : PROGRAMS.masked)
    const made = kernel && kernels.allocate(CALL_BYTES)
    if (made === undefined) return 0
    const start = made.byteOffset
    const words = new Int32Array(made.buffer, start, CALL_BYTES / 4)
    words[CALL.at] = storage.byteOffset + at - start
    words[CALL.pitch] = pitch
    words[CALL.rows] = count
    words[CALL.rounds] = rounds
    words.set(bits, CALL.pattern)
    words.set(kept, CALL.kept)
    kernel!.run(1, start)
    kernels.release(made, CALL_BYTES)
    return rounds * ROUND_BYTES
  }
}

function isWorthCode(kernels: ElementKernels, byteLength: number): boolean {
  const { filledBytes, filledAtOnce } = compileThresholds
  const filled = (FILLED.get(kernels) ?? 0) + byteLength
  FILLED.set(kernels, filled)
  return filled >= filledBytes && byteLength >= filledAtOnce
}
