/** The operations of atomics, described once: rows take their texts and operands from here, engines all that they need of one. */
import { iadd, imax, imin, umax, umin } from './integer.ts'
import type { ValueOps } from './value-ops.ts'

/** One operation of atomics on a dword in memory. */
interface AtomicDescription {
  /** What it does, for the summary of its rows. */
  readonly summary: string
  /** Where their results are not read, several of them leave the same in any order. */
  readonly commutative: boolean
  /** The value with which it leaves memory as it is, whatever that is; undefined where no value does. */
  readonly identity: number | undefined
  /** R32_FLOAT views have it too; R32_UINT and R32_SINT have all. */
  readonly onFloat32: boolean
  /** It has a second value, which stands first in the instruction and is compared with memory. */
  readonly compares: boolean
  /** The word left in memory (functional specification 22.17.8 to 22.17.28); `compare` is 0 where nothing is compared. */
  readonly result: <V>(o: ValueOps<V>, memory: V, value: V, compare: V) => V
}

const COMMUTING = { commutative: true, onFloat32: false, compares: false } as const

/** What each atomic operation does to a word of memory, and what holds of it. */
export const ATOMIC_OPERATIONS = {
  add: { ...COMMUTING, summary: 'addition', identity: 0, result: (o, memory, value) => iadd(o, memory, value) },
  and: { ...COMMUTING, summary: 'bitwise and', identity: -1, result: (o, memory, value) => o.and(memory, value) },
  or: { ...COMMUTING, summary: 'bitwise or', identity: 0, result: (o, memory, value) => o.or(memory, value) },
  xor: {
    ...COMMUTING,
    summary: 'bitwise exclusive or',
    identity: 0,
    result: (o, memory, value) => o.xor(memory, value),
  },
  'signed-max': {
    ...COMMUTING,
    summary: 'signed maximum',
    identity: -0x80000000,
    result: (o, memory, value) => imax(o, memory, value),
  },
  'signed-min': {
    ...COMMUTING,
    summary: 'signed minimum',
    identity: 0x7fffffff,
    result: (o, memory, value) => imin(o, memory, value),
  },
  'unsigned-max': {
    ...COMMUTING,
    summary: 'unsigned maximum',
    identity: 0,
    result: (o, memory, value) => umax(o, memory, value),
  },
  'unsigned-min': {
    ...COMMUTING,
    summary: 'unsigned minimum',
    identity: -1,
    result: (o, memory, value) => umin(o, memory, value),
  },
  exchange: {
    summary: 'exchange',
    commutative: false,
    identity: undefined,
    onFloat32: true,
    compares: false,
    result: (_o, _memory, value) => value,
  },
  'compare-exchange': {
    summary: 'compare and write',
    commutative: false,
    identity: undefined,
    onFloat32: false,
    compares: true,
    result: (o, memory, value, compare) => o.select(o.i32Equal(memory, compare), value, memory),
  },
} as const satisfies Readonly<Record<string, AtomicDescription>>

/** An operation of `atomic_*` and `imm_atomic_*`. */
export type AtomicOperation = keyof typeof ATOMIC_OPERATIONS

/** What the table says of an operation, whichever it is. */
export function atomicOperation(operation: AtomicOperation): AtomicDescription {
  return ATOMIC_OPERATIONS[operation]
}

/** The word that an atomic leaves in memory; what the shader gets back is the word that was there before. */
export function atomicResult<V>(
  o: ValueOps<V>,
  operation: AtomicOperation,
  memory: V,
  value: V,
  compare: V = o.constant(0),
): V {
  return atomicOperation(operation).result(o, memory, value, compare)
}

/** Whether views of a format have an atomic; `support` is the format's `typedUavAtomic`. */
export function supportsAtomic(support: 'all' | 'exchange' | 'none', operation: AtomicOperation): boolean {
  return support === 'all' || (support === 'exchange' && atomicOperation(operation).onFloat32)
}
