import type { RegisterAccess } from './observer.ts'

/**
 * What a debugger sees of an execution that stands between two statements. All of it is live: it shows what there is now,
 * and must be requested again after the execution has moved on to other groups.
 */

/** A set of lanes as bits: lanes 0 to 31, and 32 to 63. */
export interface LaneSet {
  readonly low: number
  readonly high: number
}

/** A register's component, by the numbers of the token format: an operand type (`FILE` of isa) and its indices. */
export interface RegisterPlace {
  readonly file: number
  /** `[r]` of r#, `[x, element]` of x#, `[register]` or `[vertex, register]` of inputs and outputs; none of system values. */
  readonly indices: readonly number[]
  /** 0 to 3. */
  readonly component: number
}

/** An open block, or a call that has not returned, with the lanes that wait in it. */
export interface FrameState {
  /** The statement of the call; undefined for a block. */
  readonly call: number | undefined
  /** Lanes that go on behind the block, or in the caller: of the finished branch, that broke out, that returned. */
  readonly joins: LaneSet
  /** Lanes that wait for the other branch, the loop's next turn or a later case; of a call, for another body. */
  readonly others: LaneSet
}

/** A wave of a group in flight. */
export interface WaveState {
  readonly group: GroupState
  readonly wave: number
  /** Lane l is the thread `firstThread + l` of its group; in a draw, the invocation of its batch. */
  readonly firstThread: number
  readonly laneCount: number
  /** The statement that it executes next; where a function ends without ret, the function's last. */
  readonly statement: number
  /** `waiting`: at a barrier, which is `barrier`. */
  readonly status: 'ready' | 'waiting' | 'ended'
  readonly barrier: number | undefined
  readonly active: LaneSet
  /** Lanes that have returned from the shader. */
  readonly ended: LaneSet
  readonly callDepth: number
  /** Open blocks and calls, the outermost first. */
  frames(): readonly FrameState[]
  /** Values of operands as instructions read them; `source` is of the statement that was executed last. */
  readonly registers: RegisterAccess
  /** A word of a register of a lane; undefined where the shader does not declare it. */
  register(place: RegisterPlace, lane: number): number | undefined
  /** Changes a word; false where the shader does not declare it. */
  setRegister(place: RegisterPlace, lane: number, bits: number): boolean
}

/** A thread group in flight; of a draw, the part of a batch that runs. */
export interface GroupState {
  /** x + y * groupsX + z * groupsX * groupsY. */
  readonly group: number
  readonly position: readonly [x: number, y: number, z: number]
  /** Barriers passed. */
  readonly epoch: number
  /** Shared memory: the registers g# one after the other, as `Declarations.tgsm` places them. */
  readonly tgsm: Int32Array
  readonly waves: readonly WaveState[]
}
