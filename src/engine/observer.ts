import type { Cbv, Srv, Uav } from '../machine/index.ts'
import type { Batch } from './batch.ts'
import type { TexelAxis } from './texel-axes.ts'

/**
 * Observers see a dispatch while it runs; they change nothing, and an engine does no work for callbacks that are absent.
 * A callback that is set while the dispatch runs has its property, undefined, when it begins.
 * An event is of one wave executing one statement: all its active lanes at once. Event objects and the arrays in
 * them are reused: what is needed later must be copied before the callback returns.
 *
 * Order for one statement of one wave: `instruction`; then the events of its execution (`memory`, `undefined`,
 * `branch`, `barrier`) in operand order; then `write` for each register that was written.
 */
export interface Observer {
  /** A dispatch begins; the events that follow until `end` are its. */
  begin?(event: BeginEvent): void
  end?(): void
  /** A group begins: its TGSM and registers are undefined from here. */
  groupBegin?(group: GroupSite): void
  groupEnd?(group: GroupSite): void
  /** Before a statement is executed; source registers can be read from `wave`. */
  instruction?(wave: WaveSite): void
  /** After a statement wrote a register, before the next one. */
  write?(event: WriteEvent): void
  /** After a memory access was performed; also for accesses that were dropped. */
  memory?(event: MemoryEvent): void
  /** At flow control that chooses: `if`, `switch`, conditional breaks, continues, returns and calls. */
  branch?(event: BranchEvent): void
  /** A wave arrived at a `sync`; waves go on after the release when it waits for threads. */
  barrier?(event: BarrierEvent): void
  /** All threads of a group passed a `sync` with the thread flag. */
  release?(event: ReleaseEvent): void
  /** An operation whose result Direct3D leaves undefined, or drops for being out of bounds. */
  undefined?(event: UndefinedEvent): void
}

/** A dispatch begins. */
export interface BeginEvent {
  readonly groups: readonly [number, number, number]
  readonly threads: readonly [number, number, number]
  readonly waveWidth: number
}

/** A thread group of the dispatch; in a draw each wave is a group by itself, all numbered 0. */
export interface GroupSite {
  /** x + y * groupsX + z * groupsX * groupsY. */
  readonly group: number
  readonly groupX: number
  readonly groupY: number
  readonly groupZ: number
}

/** A wave of a group at a statement. Lane l is the thread `firstThread + l` of its group (vThreadIDInGroupFlattened). */
export interface WaveSite extends GroupSite {
  /** Number of the wave in its group. */
  readonly wave: number
  readonly firstThread: number
  /** Lanes that exist: the wave width, less in the last wave of a group. */
  readonly laneCount: number
  /** Index in `Program.statements`: the program counter. */
  readonly statement: number
  /** Subroutine calls that have not returned. */
  readonly callDepth: number
  /** Active lanes in ascending order in `lanes[0]` to `lanes[activeCount - 1]`. */
  readonly lanes: Int32Array
  readonly activeCount: number
  /** In a draw: the batch that the wave runs a part of; lane l is its invocation `firstThread + l`. */
  readonly batch: Batch | undefined
  /** How often this group passed a barrier that waits for threads. */
  readonly epoch: number
  readonly registers: RegisterAccess
}

/** Registers of a wave, as bits. Registers that do not exist read 0. */
export interface RegisterAccess {
  temp(register: number, component: number, lane: number): number
  indexableTemp(register: number, index: number, component: number, lane: number): number
  /** A stage's output; `file` is its register file. */
  output(file: number, register: number, component: number, lane: number): number
  /** The value of source operand `operand` of the current statement for a lane, swizzle, indices and modifiers applied. */
  source(operand: number, component: number, lane: number): number
}

/** A statement wrote a register. */
export interface WriteEvent {
  readonly wave: WaveSite
  /** Index of the destination operand in the statement. */
  readonly operand: number
  readonly file: 'temp' | 'indexable-temp' | 'output'
  readonly register: number
  /** Element of an indexable temp by active lane (as `wave.lanes`), -1 where it was dropped; meaningless for temps. */
  readonly elements: Int32Array
  /** Components written, 4 bits. */
  readonly mask: number
  /** Bits that the register held before: component c of active lane `wave.lanes[k]` is `before[k * 4 + c]`, for written ones. */
  readonly before: Int32Array
}

/** What an access is to. Memory events are of views, shared memory and counters; the others are registers. */
export type MemorySpace =
  | 'uav'
  | 'srv'
  | 'tgsm'
  | 'constant-buffer'
  | 'immediate-constant-buffer'
  | 'indexable-temp'
  | 'counter'

/**
 * Accesses of one statement to one register's memory, one row per active lane: row k is lane `wave.lanes[k]`.
 * Entry `k * width + i` of the arrays is the i-th dword (raw, structured, constant and temporary memory, typed atomics)
 * or, with width 1, the texel of a typed access. Constants and temporary registers are no memory: a statement that reads
 * them makes no event. Of texels that a sample or gather reads there are none either.
 */
export interface MemoryEvent {
  readonly wave: WaveSite
  /** Operand of the statement that names the memory. */
  readonly operand: number
  readonly access: 'load' | 'store' | 'atomic'
  readonly space: MemorySpace
  /** Register, or range identifier in Shader Model 5.1. */
  readonly register: number
  /** The view accessed, where one is bound to the slot and all lanes use the same. */
  readonly view: Srv | Uav | Cbv | undefined
  /** Views by row where lanes index different slots of a range. */
  readonly views: readonly (Srv | Uav | undefined)[] | undefined
  readonly width: number
  /** Bytes of one access: 4, or the bytes of a texel. */
  readonly byteLength: number
  /**
   * First byte of each access: from the start of the resource's storage for views (so that views of one resource can be
   * compared), of the register for TGSM; 0 for counters. Negative where nothing was accessed: out of bounds, unbound.
   */
  readonly byteOffsets: Int32Array
  /** Bits loaded or stored; for atomics the bits in memory afterwards. Absent bits of typed texels: 4 words a row. */
  readonly values: Int32Array
  /** Words of `values` a row: `width`, or 4 for texels. */
  readonly valuesPerRow: number
  /** Stores and atomics: the bits in memory before, as `values`; 0 where nothing was accessed. Loads leave it as it is. */
  readonly originals: Int32Array
}

/** A wave chose where it goes: `if`, `breakc`, `switch` and the like. */
export interface BranchEvent {
  readonly wave: WaveSite
  /** Active lanes, by row of `wave.lanes`: 1 where the branch is taken (the condition holds), 0 where not. For `switch`
   * the statement index of the case that the lane goes to. */
  readonly taken: Int32Array
}

/** A wave reached a barrier (`sync`). */
export interface BarrierEvent {
  readonly wave: WaveSite
  /** SYNC_THREADS, SYNC_TGSM, SYNC_UAV_GROUP, SYNC_UAV_GLOBAL. */
  readonly flags: number
}

/** All waves of a group have reached a barrier, and go on. */
export interface ReleaseEvent extends GroupSite {
  /** Statement where the waves waited; of the first wave where they differ. */
  readonly statement: number
  readonly flags: number
  /** Barriers the group has passed, this one included. */
  readonly epoch: number
}

/** Why an operation is undefined or dropped. */
export type UndefinedReason =
  /** Address past the end of the view (structure index, raw bytes, typed element, texel): loads 0, stores dropped. */
  | 'out-of-bounds'
  /** Byte offset, with the components, past the structure: the whole UAV, or the result of a load, is undefined. */
  | 'structure-offset'
  /** TGSM past the register's end: a write makes all TGSM of the group undefined, a read its result. */
  | 'tgsm-bounds'
  /** Address not a multiple of 4: the whole UAV or TGSM, or the result of a load, is undefined. */
  | 'misaligned'
  /** x# past its declaration: reads 0, writes dropped. */
  | 'indexable-temp-bounds'
  /** A computed index of an input or output register past what is declared: reads 0, writes dropped. */
  | 'register-bounds'
  /** Derivatives, or a level of detail that needs them, of a value whose neighbors did not compute it (16.8). */
  | 'divergent-derivative'
  /** A geometry shader emits more vertices than it declares: the invocation ends (22.3.5). */
  | 'max-vertex-count'
  /** eval_sample_index with a sample that the target does not have (16.5): the center. */
  | 'sample-index'
  /** cb# past the bound size: reads 0. */
  | 'constant-buffer-bounds'
  /** icb past its end: reads 0. */
  | 'immediate-constant-bounds'
  /** Nothing is bound: loads 0, stores dropped, atomics return 0. */
  | 'unbound'
  /** A slot outside the declared range of Shader Model 5.1. */
  | 'range-bounds'
  /** A mip, sample or array slice that is not there. */
  | 'subresource'
  /** fcall through a pointer without a class instance, or with a table outside its declaration. */
  | 'interface'
  /** Calls nest deeper than 32. */
  | 'call-depth'
  /** this[] past the declared interfaces. */
  | 'this-bounds'
  /** Typed load, store or atomic that the view's format does not have. */
  | 'format'
  /** A counter operation on a UAV without a counter. */
  | 'no-counter'
  /** A barrier that waits for threads, reached by a part of them. */
  | 'divergent-barrier'

/** A statement did what Direct3D leaves undefined. */
export interface UndefinedEvent {
  readonly wave: WaveSite
  readonly reason: UndefinedReason
  readonly operand: number
  readonly access: 'load' | 'store' | 'atomic' | 'other'
  readonly space: MemorySpace | 'other'
  readonly register: number
  /** The lane, and the offending address in the unit of the reason (bytes, elements, or a texel's x). */
  readonly lane: number
  readonly address: number
  /** What the address was compared with: bytes, elements, registers. */
  readonly limit: number
  /** An access outside a texture: all its coordinates with their extents. */
  readonly texel: readonly TexelAxis[] | undefined
  /** Direct3D says what happens (a load of 0, a store that is dropped): nothing is undefined. */
  readonly defined: boolean
}
