import type {
  Cbv,
  ResolvedBindings,
  Sampler,
  Srv,
  Storage,
  Uav,
  UndefinedPolicy,
  WrittenPages,
} from '../../../machine/index.ts'
import type { Batch } from '../../batch.ts'
import type { ClassInstance } from '../../contract.ts'
import type { Findings } from '../../findings.ts'
import type { MemoryEvent, Observer, WaveSite } from '../../observer.ts'

/** A bound view with what every access needs at hand. */
export interface ViewSlot {
  readonly view: Srv | Uav
  readonly storage: Storage
  /** The storage as signed words; index = byte offset / 4. */
  readonly words: Int32Array
  /** Of the view's first byte, from the start of the storage. */
  readonly byteOffset: number
  /** Bytes of the view; 0 for textures. */
  readonly byteLength: number
  /** Bytes of a structure; 0 unless structured. */
  readonly stride: number
  /** Structures or typed elements; bytes of a raw view. */
  readonly count: number
}

/** Everything that the waves of one dispatch share. */
export interface Dispatch {
  readonly bindings: ResolvedBindings
  /** Slots that instructions name without an index, resolved once, in the order of the program's references. */
  readonly views: readonly (ViewSlot | undefined)[]
  readonly samplers: readonly (Sampler | undefined)[]
  readonly cbvs: ReadonlyMap<number, CbvSlot>
  /** Class instances by interface pointer number. */
  readonly instances: ReadonlyMap<number, ClassInstance>
  /** Words of this[], four a pointer. */
  readonly thisWords: Int32Array
  readonly viewCache: Map<Srv | Uav, ViewSlot>
  readonly policy: UndefinedPolicy
  readonly observer: Observer | undefined
  /** Where snapshots are of written pages: what is about to be written is kept there first. */
  pages: WrittenPages | undefined
  readonly findings: Findings
  readonly maxInstructionsPerThread: number
  /** Instructions executed, counted per thread. */
  threadInstructions: number
  /** Statements executed, each of one wave; phases of one shader count together. */
  readonly clock: Clock
}

export interface CbvSlot {
  readonly view: Cbv
  readonly words: Int32Array
  /** Index of the first bound word. */
  readonly first: number
  /** Words bound. */
  readonly wordCount: number
}

/** How far a run is: what waves have booked; the one that runs books its last statements when its mask changes or it stops. */
export interface Clock {
  statements: number
}

/** A thread group in flight. */
export interface Group {
  readonly dispatch: Dispatch
  readonly threads: readonly [number, number, number]
  group: number
  groupX: number
  groupY: number
  groupZ: number
  readonly tgsm: Int32Array
  /** The invocations of a graphics stage; undefined for a thread group. Invocation i is thread i of the group. */
  batch: Batch | undefined
  readonly waves: readonly Wave[]
  /** Barriers passed. */
  epoch: number
}

/** Why a wave is not running. */
export const READY = 0
export const WAITING = 1
export const ENDED = 2
/** Its time slice is used up; it is ready again at its next turn. */
export const YIELDED = 3

/** An open block or call of a wave. Which fields mean something depends on the statement that opened it. */
export interface Frame {
  /** Lanes that wait for the end of the block: of the finished branch, that broke out, that returned. */
  joinLow: number
  joinHigh: number
  /** Lanes that wait for the other branch, or for the loop's next turn. */
  otherLow: number
  otherHigh: number
  /** switch: where each lane goes. */
  readonly targets: Int32Array
  /** call: where to go on (-1 of a block), and bodies that other lanes still have to run. */
  returnTo: number
  pending: PendingCall[]
}
interface PendingCall {
  readonly pc: number
  readonly low: number
  readonly high: number
}

/** A wave: lanes that execute one statement after the other together, some of them switched off. */
export interface Wave {
  readonly group: Group
  readonly dispatch: Dispatch
  readonly wave: number
  firstThread: number
  laneCount: number
  readonly I: Int32Array
  readonly F: Float32Array
  /** Index in the code of the next statement. */
  pc: number
  /** Index in `Program.statements` of the statement that is executed; kept only where an observer looks. */
  statement: number
  status: typeof READY | typeof WAITING | typeof ENDED | typeof YIELDED
  /** Active lanes as bits 0 to 31 and 32 to 63, and as a list. */
  low: number
  high: number
  readonly lanes: Int32Array
  activeCount: number
  /** Every lane is active. */
  full: boolean
  /** Lanes that have ended. */
  endedLow: number
  endedHigh: number
  /** Lanes whose stores and atomics reach memory: all but the helpers of a quad and pixels that were discarded. */
  storeLow: number
  storeHigh: number
  /** Vertices that each lane has emitted, and what it emitted, in order. */
  emitCounts: Int32Array
  emitted: EmittedEvent[][]
  readonly frames: Frame[]
  depth: number
  callDepth: number
  /** Statements executed by the wave, and by each lane up to the last change of the mask. */
  steps: number
  stepsAtMask: number
  sliceEnd: number
  readonly laneSteps: Float64Array
  /** Barrier that the wave waits at: its statement and flags. */
  waitStatement: number
  waitFlags: number
  /** Work space of memory accesses: byte offsets by row, and texels. */
  readonly offsets: Int32Array
  readonly texels: Uint32Array
  readonly rowSlots: (ViewSlot | undefined)[]
  /** Set where the dispatch has an observer. */
  observed: ObservedWave | undefined
  /** Lanes that do not execute the statement are read for their neighbors: what they do wrong is not reported. */
  quiet: boolean
}

/** A vertex that a geometry shader emitted, or the end of a strip. */
export type EmittedEvent =
  | { readonly kind: 'vertex'; readonly stream: number; readonly words: Int32Array }
  | { readonly kind: 'cut'; readonly stream: number }

/** What only waves of observed dispatches have. */
export interface ObservedWave {
  readonly site: WaveSite
  readonly values: Int32Array
  readonly originals: Int32Array
  readonly taken: Int32Array
  /** The event of a memory access: one object for all of the wave. */
  readonly access: { -readonly [K in keyof MemoryEvent]: MemoryEvent[K] }
}

/** Ends a dispatch from inside an instruction; thrown and caught in this room. */
export interface Halt {
  readonly halt: 'trap' | 'budget' | 'abort'
  /** Index in `Program.statements`; of the loop for a budget. */
  readonly statement: number
}

export function isHalt(e: unknown): e is Halt {
  return typeof e === 'object' && e !== null && 'halt' in e
}

/** Rows of one access times the most entries a row has: 64 lanes, 4 components. */
export const MAX_ENTRIES = 256

function newFrame(width: number): Frame {
  return {
    joinLow: 0,
    joinHigh: 0,
    otherLow: 0,
    otherHigh: 0,
    targets: new Int32Array(width),
    returnTo: -1,
    pending: [],
  }
}

/** Opens a frame; frames are kept and used again. */
export function pushFrame(w: Wave): Frame {
  let frame = w.frames[w.depth]
  if (frame === undefined) {
    frame = newFrame(w.lanes.length)
    w.frames.push(frame)
  }
  w.depth++
  frame.joinLow = 0
  frame.joinHigh = 0
  frame.otherLow = 0
  frame.otherHigh = 0
  frame.returnTo = -1
  return frame
}

/** Books the statements executed under the current mask to its lanes. */
export function countSteps(w: Wave): void {
  const steps = w.steps - w.stepsAtMask
  w.stepsAtMask = w.steps
  if (steps === 0) return
  for (let k = 0; k < w.activeCount; k++) w.laneSteps[w.lanes[k]!]! += steps
  w.dispatch.threadInstructions += steps * w.activeCount
  w.dispatch.clock.statements += steps
}

/** Statements that the run has begun, that of `w` under way included. */
export const clockOf = (w: Wave): number => w.dispatch.clock.statements + w.steps - w.stepsAtMask

/** Makes exactly the lanes of these bits active. */
export function setMask(w: Wave, low: number, high: number): void {
  if (low === w.low && high === w.high) return
  countSteps(w)
  w.low = low
  w.high = high
  let count = 0
  for (let bits = low; bits !== 0; bits &= bits - 1) w.lanes[count++] = 31 - Math.clz32(bits & -bits)
  for (let bits = high; bits !== 0; bits &= bits - 1) w.lanes[count++] = 63 - Math.clz32(bits & -bits)
  w.activeCount = count
  w.full = count === w.laneCount
}
