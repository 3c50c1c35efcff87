import type { UndefinedKind } from '../check/index.ts'
import type {
  Batch,
  DispatchOptions,
  DispatchResult,
  Engine,
  GroupCounts,
  GroupState,
  LoadedShader,
  MemoryEvent,
  RegisterPlace,
  WaveState,
} from '../engine/index.ts'
import type { Buffer, ResolvedBindings, Texture } from '../machine/index.ts'

/**
 * A moment of a recording, counted in statements that waves have executed: at clock 0 nothing has run, at clock c the
 * first c statements have. A statement of one wave for all its active lanes counts once. The schedule makes the order, so
 * the same recording has the same state at the same clock, however it was come to.
 */
export type Clock = number

/** Position of a thread group: x, y, z. */
export type GroupPosition = readonly [x: number, y: number, z: number]

/** One thread of a dispatch: its group, and vThreadIDInGroupFlattened. */
export interface Thread {
  readonly group: GroupPosition
  readonly thread: number
}

/** Bytes of a resource that is bound, of a group's shared memory, or the hidden counter of a resource's views. */
export type MemoryRange =
  | {
      readonly space: 'resource'
      readonly resource: Buffer | Texture
      readonly byteOffset: number
      readonly byteLength: number
    }
  | {
      readonly space: 'tgsm'
      /** Default: of every group. */
      readonly group?: GroupPosition | undefined
      /** In the group's whole shared memory, where `Declarations.tgsm` places the registers. */
      readonly byteOffset: number
      readonly byteLength: number
    }
  | { readonly space: 'counter'; readonly resource: Buffer | Texture }

/** The statement that comes next at a moment, and the wave that executes it. */
export interface NextStatement {
  readonly group: GroupPosition
  readonly wave: number
  /** Lane 0 of the wave is this thread of the group. */
  readonly firstThread: number
  /** Index in `Program.statements`. */
  readonly statement: number
}

/** A lane at a place where a condition is evaluated; everything in it shows that moment. */
export interface LaneView {
  readonly wave: WaveState
  readonly lane: number
}

/** Which threads a condition is meant for. What is absent does not restrict. */
export interface ThreadFilter {
  readonly group?: GroupPosition | undefined
  /** vThreadIDInGroupFlattened. */
  readonly threads?: readonly number[] | undefined
}

/** Which of the times that a condition is met count: the nth, those from the nth on, or each nth. Counted from clock 0. */
export interface HitFilter {
  readonly kind: 'equal' | 'from' | 'every'
  readonly count: number
  /** Times that were counted before clock 0: in the batches of a draw that ran earlier. */
  readonly before?: number | undefined
}

interface ConditionBase {
  /** Names the condition in hits; one without an id is identified by its object. */
  readonly id?: string | number | undefined
  readonly where?: ThreadFilter | undefined
  /** Called for each active lane that `where` lets through; the stop is for those for which it gives true. */
  readonly when?: ((lane: LaneView) => boolean) | undefined
  readonly hits?: HitFilter | undefined
  /** Of a draw: only in batches of this stage. */
  readonly stage?: string | undefined
}

/** Before one of the statements is executed by a lane that is active. */
export interface StatementCondition extends ConditionBase {
  readonly kind: 'statement'
  /** Indices in `Program.statements`; every statement where absent. */
  readonly statements?: readonly number[] | undefined
}

/** Behind an access to one of the ranges. */
export interface MemoryCondition extends ConditionBase {
  readonly kind: 'memory'
  readonly ranges: readonly MemoryRange[]
  /** `change`: a write after which the bits differ. An atomic is a read and a write. */
  readonly access: 'read' | 'write' | 'change' | 'any'
  /** Only accesses of these statements; all where absent. */
  readonly statements?: readonly number[] | undefined
}

/** Behind a write to a register, of the lanes that `where` and `when` choose. */
export interface RegisterCondition extends ConditionBase {
  readonly kind: 'register'
  /** `component` is ignored where `mask` is there. */
  readonly place: RegisterPlace
  /** Components as 4 bits; default that of the place. */
  readonly mask?: number | undefined
  readonly access: 'write' | 'change'
}

/** Behind a statement with which a detector of the checker reports something for the first time. */
interface FindingCondition extends ConditionBase {
  readonly kind: 'finding'
  /** Codes of diagnostics, as `check-race`; all where absent. */
  readonly codes?: readonly string[] | undefined
}

/** Behind a statement that writes a NaN or an infinity to a register of float32 type. */
export interface NumberCondition extends ConditionBase {
  readonly kind: 'number'
  readonly number: 'nan' | 'infinity' | 'either'
  /** Only where no source of the statement was one: where it first appears. Default true. */
  readonly produced?: boolean | undefined
}

/** Behind the arrival of a wave at a barrier, or behind the release of a group's waves. */
export interface BarrierCondition extends ConditionBase {
  readonly kind: 'barrier'
  readonly at: 'arrival' | 'release'
  readonly statements?: readonly number[] | undefined
}

/** Behind flow control after which the active lanes of a wave do not go the same way. */
interface DivergenceCondition extends ConditionBase {
  readonly kind: 'divergence'
}

/** Behind the last statement of a group. */
interface GroupEndCondition extends ConditionBase {
  readonly kind: 'group-end'
}

/** What a run stops for. */
export type StopCondition =
  | StatementCondition
  | MemoryCondition
  | RegisterCondition
  | FindingCondition
  | NumberCondition
  | BarrierCondition
  | DivergenceCondition
  | GroupEndCondition

/** A condition that holds at the moment of a stop. */
export interface Hit {
  readonly condition: StopCondition
  readonly group: GroupPosition
  readonly wave: number
  readonly firstThread: number
  /** Lanes of the wave that met it, ascending. */
  readonly lanes: readonly number[]
  /** The statement that comes next (`statement`), or that did it. */
  readonly statement: number
  /** The moment at which that statement is next: the stop's own, or the one before it. */
  readonly before: Clock
  /** How often the condition was met from clock 0 on, this time included; of conditions with `hits`. */
  readonly count?: number | undefined
  readonly finding?: RecordedFinding | undefined
}

/** Where a step, a run or a jump ended. */
export interface Stop {
  /**
   * `group`: the thread's group ended before its next statement; backwards: began after the last. `start` and `end`: of the
   * recording. `canceled`: at the moment that was come to, backwards at the one where it began.
   */
  readonly reason: 'reached' | 'condition' | 'group' | 'start' | 'end' | 'canceled'
  readonly clock: Clock
  readonly hits: readonly Hit[]
}

/** For work that may take seconds. It yields to the host between slices. */
export interface RunOptions {
  readonly signal?: AbortSignal | undefined
  /** Statements gone over, of those that the work may take where that is known. */
  readonly onProgress?: ((done: number, total: number | undefined) => void) | undefined
}

export type Direction = 'forward' | 'backward'

/**
 * One step. `any`: the next statement of any wave; `group`, `wave`, `lane`: the next that a wave of the thread's group,
 * the thread's wave, or the thread itself executes. `in` goes into calls, `over` countPasses them, `out` leaves the
 * subroutine. With `source`, a step of a lane goes to where a line begins instead of to a statement.
 */
export type Step =
  | { readonly unit: 'any' }
  | { readonly unit: 'group' | 'wave'; readonly thread: Thread }
  | {
      readonly unit: 'lane'
      readonly thread: Thread
      /** Default `in`. */
      readonly depth?: 'in' | 'over' | 'out' | undefined
      readonly source?: SourcePlaces | undefined
    }

/** What stepping by lines needs of source information. */
export interface SourcePlaces {
  /** Where a statement comes from; undefined for statements that belong to no line. */
  placeOf(statement: number): SourcePlace | undefined
}

/** A line and the functions that were inlined on the way to it. */
export interface SourcePlace {
  /** Equal for statements of one line (or of one source statement, as the steps are to be). */
  readonly line: string | number
  /** Inlined calls around it, the outermost first: equal texts for the same call site. */
  readonly inlined: readonly (string | number)[]
}

/** What the user changed at a moment; it is part of the recording from there on. */
export type Change =
  | { readonly kind: 'register'; readonly thread: Thread; readonly place: RegisterPlace; readonly bits: number }
  | { readonly kind: 'memory'; readonly range: MemoryRange; readonly bytes: Uint8Array }

/** A change with its moment. */
export interface RecordedChange {
  readonly clock: Clock
  readonly change: Change
}

/** One access of one lane to bytes of one word of memory; an access to several words is several of these. */
export interface RecordedAccess {
  /** The moment at which the statement is next; behind it the access has happened. */
  readonly before: Clock
  readonly access: 'load' | 'store' | 'atomic'
  readonly group: GroupPosition
  readonly thread: number
  readonly statement: number
  readonly byteOffset: number
  readonly byteLength: number
  /** The bytes from `byteOffset` on, before and after. */
  readonly original: Uint8Array
  readonly value: Uint8Array
  /** Of a draw: the stage, and what people call the invocation. */
  readonly stage?: string
  readonly invocation?: string
}

/** Words that a statement wrote. */
export interface RegisterWrite {
  readonly place: RegisterPlace
  readonly lane: number
  readonly original: number
  readonly value: number
}

/** What one statement did: of one wave, for all its active lanes. */
export interface StatementEffects extends NextStatement {
  readonly before: Clock
  readonly lanes: readonly number[]
  readonly registers: readonly RegisterWrite[]
  readonly memory: readonly MemoryEffect[]
}

/** Words of memory that one lane loaded or stored, as events have them. */
export interface MemoryEffect extends Pick<MemoryEvent, 'access' | 'space' | 'register' | 'byteLength' | 'operand'> {
  readonly lane: number
  readonly resource: Buffer | Texture | undefined
  /** Of each entry; negative where nothing was accessed. */
  readonly byteOffsets: readonly number[]
  readonly values: readonly number[]
  readonly originals: readonly number[]
}

/** A finding of a detector with the moment at which it was made. */
export interface RecordedFinding {
  readonly code: string
  readonly message: string
  readonly severity: 'error' | 'warning' | 'hint'
  /** The moment at which the statement that it is about is next, and its thread. */
  readonly before: Clock
  readonly thread: Thread
  /** Negative where the finding is about none, but about the pipeline of a draw. */
  readonly statement: number
  /** The other access of a race, or where an undefined value matters. `TimeLine.otherMoment` finds the side that is not at `before`. */
  readonly other: (Thread & { readonly statement: number }) | undefined
  readonly memory: MemoryRange | undefined
  /** Of a draw: the stage, and what people call the invocation. */
  readonly stage?: string
  readonly invocation?: string
}

/** What is recorded: a dispatch, or a batch of a stage of a draw, that could run, with everything that decides how. */
export interface RecordingSource {
  /** One that keeps everything of a run as data and calls observers: the reference engine. */
  readonly engine: Engine
  readonly loaded: LoadedShader
  readonly bindings: ResolvedBindings
  /** Of a batch 1, 1, 1. */
  readonly groups: GroupCounts
  /**
   * Invocations of a stage of a draw in place of groups. All are of group (0, 0, 0), their numbers in the batch are their threads,
   * and one wave runs a part of them after the other. Detectors do not watch batches: there are no findings.
   */
  readonly batch?: Batch | undefined
  /** Its schedule, policy and limits count; an observer, limits of time and a signal do not. */
  readonly options?: DispatchOptions | undefined
}

/** Limits of a time line. */
export interface TimeLineOptions {
  /** Bytes that checkpoints may take, default 200 MiB. */
  readonly maxCheckpointBytes?: number | undefined
  /** Bytes that the index of accesses may take, default 1 GiB. */
  readonly maxIndexBytes?: number | undefined
}

/** Which words of a moment have no value of their own. */
export interface UndefinedMoment {
  /** Of temporary registers, their arrays, and outputs: undefined where the word has a value. */
  register(thread: Thread, place: RegisterPlace): UndefinedKind | undefined
  /** Of a group's shared memory. */
  shared(group: GroupPosition, byteOffset: number): UndefinedKind | undefined
  /** Whether the run has stored to a word of a resource; else it is as it was bound. */
  isStored(resource: Buffer | Texture, byteOffset: number): boolean
}

/** What a time line takes at present. */
export interface RecordingSize {
  readonly checkpoints: number
  readonly checkpointBytes: number
  readonly indexBytes: number
}

/**
 * A dispatch that can be looked at at any of its moments. It holds the resources that are bound: they show the moment
 * that is looked at. One of its methods that give promises works at a time; a second call waits for the first.
 */
export interface TimeLine {
  readonly source: RecordingSource
  /** The moment that is looked at. */
  readonly clock: Clock
  /** The clock of the end, where it has been come to. A change takes it away again. */
  readonly end: Clock | undefined
  /** Undefined at the end. */
  readonly next: NextStatement | undefined
  /** What the dispatch gave; at the end only. */
  readonly result: DispatchResult | undefined
  /** Groups in flight at the moment, with their waves, registers and shared memory; live. */
  readonly groups: readonly GroupState[]
  /** The wave and lane of a thread; undefined where its group is not in flight. */
  laneOf(thread: Thread): LaneView | undefined

  goTo(clock: Clock, options?: RunOptions): Promise<Stop>
  step(direction: Direction, step: Step, options?: RunOptions): Promise<Stop>
  /**
   * Runs to the nearest moment, behind the present one or before it, at which a condition holds. In both directions the
   * same conditions stop at the same moments.
   */
  run(direction: Direction, conditions: readonly StopCondition[], options?: RunOptions): Promise<Stop>

  /** Which of some conditions hold at the present moment. */
  holding(conditions: readonly StopCondition[], options?: RunOptions): Promise<readonly Hit[]>

  /** What the statement just before the present moment did; undefined at the start. */
  effects(options?: RunOptions): Promise<StatementEffects | undefined>
  /**
   * Every access to a range in the whole run, in order: who wrote this word. The first question about a resource (the first
   * with `loads`, which are left out otherwise) runs the dispatch once; the present moment stays. What the user changed is
   * not in it: see `changes`. Undefined where it was canceled; throws ShaderError where the index has no room.
   */
  history(
    range: MemoryRange,
    options?: RunOptions & { readonly loads?: boolean | undefined },
  ): Promise<readonly RecordedAccess[] | undefined>

  /**
   * Goes over the run up to the present moment, as far as that was not done, to know what has no value. False where that takes more
   * statements than `maxStatements`, was canceled, or is more than can be kept. Moments before it are known too then.
   */
  followUndefined(options?: RunOptions & { readonly maxStatements?: number | undefined }): Promise<boolean>
  /** What has no value at the present moment; undefined where that is not known. */
  readonly undefinedMoment: UndefinedMoment | undefined

  /** Everything that the detectors find in the whole run, in the order of its moments. */
  findings(options?: RunOptions): Promise<readonly RecordedFinding[]>
  /** The moment at which the other side of a finding is next: the first access of a race, the origin of an undefined value. */
  otherMoment(finding: RecordedFinding, options?: RunOptions): Promise<Clock | undefined>

  readonly changes: readonly RecordedChange[]
  /**
   * For each of `changes`, whether it is made in the run as it is now. One whose thread does not run at its clock any more, because
   * of another change, is left out until it does.
   */
  changesMade(options?: RunOptions): Promise<readonly boolean[]>
  /** Changes state at the present moment. What was known of later moments is forgotten. */
  change(change: Change): Promise<void>
  /** Takes a change back; where the present moment is behind it, the same clock is come to without it. */
  dropChange(change: RecordedChange, options?: RunOptions): Promise<void>

  readonly size: RecordingSize
  dispose(): void
}
