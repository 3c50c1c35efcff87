import type { Value } from '../../ir/index.ts'
import type { Target, ValueType } from '../encode/assembler.ts'

/** What is decided about the code of a kernel before any of it is emitted; `run/kernel.ts` makes it. */
export interface EmitSettings<E> {
  /** Threads of a group in x, y, z. */
  readonly threads: readonly [number, number, number]
  /** The group is a batch of a graphics stage: how many of its threads run stands in the descriptor. */
  readonly isBatch: boolean
  /** Constants of the immediate constant buffer. */
  readonly immediateConstantCount: number
  /** Atomics on UAVs must be atomic: other workers run groups of the same dispatch. */
  readonly sharedAtomics: boolean
  /** Private arrays: elements, and the first one's number in the wave's private memory. */
  readonly privateArrays: readonly { readonly first: number; readonly count: number }[]
  /** Byte offset in scratch memory at which calls to the host pass their words. */
  readonly callOffset: number
  /** Some code counts iterations against the budget. */
  readonly hasLoops: boolean
  /** Multiply-adds round once or twice, as the host likes; else once, by calls to it. */
  readonly relaxed: boolean
  /** Code is made so that a host can pack pairs of v128; words go through scratch memory at `exchangeOffset`. */
  readonly pairs: boolean
  /** The host packs pairs of v128, in code that is not made for it too. */
  readonly packsPairs: boolean
  readonly exchangeOffset: number
  /** Byte offset in scratch memory of what a wave leaves for the next one (flow/next-wave.ts). */
  readonly nextWaveOffset: number
  /** Byte offset in scratch memory of the words of runs that are emitted once for all vectors. */
  readonly runOffset: number
  /** Values that must be right in lanes that do not run (analysis/address-inputs.ts). */
  readonly addressInputs: () => ReadonlySet<Value>
  /** Which runs of operations are emitted vector by vector: short ones too, or none (flow/vector-runs.ts). */
  readonly vectorRuns: 'usual' | 'short' | 'none'
  /** Ranges are run without denormal flushes first (flow/speculation.ts). */
  readonly speculates: boolean
  /** Byte offset of the records in scratch memory. */
  readonly reportOffset: number
  /** The dispatch ends at the first finding that is undefined. */
  readonly traps: boolean
  /** Code holds values against what the compiler takes for granted. */
  readonly asserts: boolean
  /** Whether a statement returns a word that is undefined where it is out of bounds. */
  readonly returnsWord: (statement: number) => boolean
  /** Values that are read where they could not be emitted again. */
  readonly mustHold: ReadonlySet<Value>
  readonly code: ValueCode<E>
}

/** Code of single values, on the stack: how each operation is emitted. `run/kernel.ts` brings it together with the emitter. */
interface ValueCode<E> {
  /** Pushes a scalar in its own type, or as an i32 with operands that `lane` pushes. */
  emitScalar(e: E, v: Value, lane?: (v: Value) => void): void
  scalarTypeOf(e: E, v: Value): ValueType
  /** Pushes part `i` of a varying value. */
  emitVector(e: E, v: Value, i: number): void
  /** Parts that a value has in locals. */
  vectorPartsOf(e: E, v: Value): number
  /** Holds a scalar against what is known of it, where code asserts. */
  assertScalar(e: E, v: Value): void
}

/** Something that code takes for granted, by the number that it leaves where that does not hold. */
export interface Assertion {
  /** Statement of the program that it was made for. */
  readonly statement: number
  readonly claim: string
}

/** The code being emitted without some of its denormal flushes (flow/speculation.ts), for those who emit what is in it. */
export interface FastPath {
  readonly elided: ReadonlySet<Value>
  readonly checks: ReadonlyMap<Value, number>
  /** Locals with the minima, by the exponent of the least size. */
  readonly minima: ReadonlyMap<number, number>
  /** Local of the lanes in which a flush that is left out met a denormal, where code has assertions. */
  readonly broken: number | undefined
  /** Where to go from findings: the exact code reports them. */
  readonly failed: Target
  /** Where to go from loops that do not end. */
  readonly endless: Target
}
