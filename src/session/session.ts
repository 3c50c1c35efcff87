import type {
  Change,
  Direction,
  DrawBatch,
  Hit,
  LaneView,
  RecordedFinding,
  RunOptions,
  Step,
  Stop,
  StopCondition,
  Thread,
  TimeLine,
} from '../debug/index.ts'
import { appendAll, diagnostic, failure, type Outcome, outcomeOf, ShaderError } from '../diagnostic/index.ts'
import {
  type Breakpoint,
  type BreakpointFilter,
  type BreakpointPlace,
  printMessage,
  stopConditionOf,
} from './breakpoints.ts'
import { conditionFault, type Evaluation, evaluateAt, holdsAt } from './evaluate.ts'
import type { PixelWithHistory } from './invocations.ts'
import { type BreakpointHome, homeOf, placeIn } from './kept-breakpoints.ts'
import { firstActive, isHelper, laneAt, laneStatus } from './lanes.ts'
import { sourcePlaces } from './places.ts'
import { type DebuggedFrame, type DebuggedProgram, type DebuggedRun, runOf, type Subject } from './run.ts'

/** Why a session stands where it does. */
export type StopReason =
  | 'entry'
  | 'step'
  | 'breakpoint'
  | 'data'
  | 'finding'
  | 'event'
  | 'moment'
  | 'start'
  | 'end'
  | 'canceled'

/** Where a session has come to. */
export interface SessionStop {
  readonly reason: StopReason
  readonly stop: Stop
  /** Breakpoints that were hit. */
  readonly breakpoints: readonly Breakpoint[]
  readonly findings: readonly RecordedFinding[]
  /** What log messages printed on the way. */
  readonly logs: readonly string[]
}

/** Opens a command of a frame, the first that can be debugged where none is named. */
export type CommandOpener = (
  command: number | undefined,
  options?: RunOptions,
) => Promise<Outcome<{ readonly subject: Subject; readonly frame: DebuggedFrame }>>

/** How far a step goes. */
export interface StepRequest {
  readonly direction: Direction
  /** `line`: to where a line begins; without debug data a line is a statement. */
  readonly unit: 'line' | 'statement' | 'wave' | 'group' | 'any'
  readonly depth?: 'in' | 'over' | 'out' | undefined
}

/** Up to how many statements a run is followed without a command, to find what nothing has written: a fraction of a second. */
const MOST_FOLLOWED = 50_000

function reasonOf({ reason, hits }: Stop, requested: StopReason): StopReason {
  if (reason !== 'condition') return reason === 'reached' || reason === 'group' ? requested : reason
  const kinds = new Set(hits.map((h) => h.condition.kind))
  if (kinds.has('finding')) return 'finding'
  if (kinds.has('statement')) return 'breakpoint'
  return kinds.has('memory') || kinds.has('register') ? 'data' : 'event'
}

/**
 * A run under a debugger: the moment and the thread that are looked at, with breakpoints. What a terminal, an editor and
 * a page have in common.
 */
export class DebugSession {
  /** The frame that the run is of. */
  frame: DebuggedFrame | undefined
  /** The last pixel whose history was shown. */
  pixel: PixelWithHistory | undefined
  /** The thread that is looked at; of a draw, the invocation of the batch. */
  focus: Thread
  readonly #openCommand: CommandOpener | undefined
  #subject: Subject
  #runNow: () => DebuggedRun
  readonly #breakpoints = new Map<number, Breakpoint>()
  /** Those of shaders and resources of other commands, until one of these is opened again. */
  readonly #waiting = new Map<number, Breakpoint>()
  readonly #homes = new Map<number, BreakpointHome>()
  /** Kept as long as its breakpoint is: hits are counted by condition. */
  readonly #conditions = new Map<number, StopCondition>()
  #nextId = 1
  /** Why the condition of a breakpoint could not be evaluated where it was asked last. */
  readonly #conditionFaults = new Map<number, string>()
  /** The function of the focus that names are looked up in, 0 the innermost. */
  level = 0
  /** Expressions that are shown at each stop, by their numbers. */
  readonly displays = new Map<number, string>()

  constructor(subject: Subject, frame?: DebuggedFrame & { readonly open: CommandOpener }) {
    this.#subject = subject
    this.#runNow = runOf(subject)
    this.frame = frame
    this.#openCommand = frame?.open
    this.focus = this.#firstFocus()
  }

  #firstFocus(): Thread {
    const { next } = this.timeLine
    return { group: next?.group ?? [0, 0, 0], thread: next?.firstThread ?? 0 }
  }

  /** What the present moment is of: the dispatch, or the stage of the draw. */
  get run(): DebuggedRun {
    return this.#runNow()
  }

  /** The shaders that run: of a draw, those of all its stages. */
  get programs(): readonly DebuggedProgram[] {
    return this.#subject.programs
  }

  /** The shader of a stage; the present one where none is named. */
  programOf(stage: string | undefined): DebuggedProgram {
    return (stage === undefined ? undefined : this.programs.find((p) => p.stage === stage)) ?? this.run
  }

  /**
   * Debugs another command of the frame, from its begin. Breakpoints stay where it runs the same shader, or has the resource;
   * the others wait for a command that does.
   */
  async openCommand(command: number, options: RunOptions = {}): Promise<Outcome<DebuggedFrame>> {
    if (this.#openCommand === undefined)
      return failure([diagnostic('session-frame', 'the run description is of one dispatch: it has no commands')])
    const { value, diagnostics } = await this.#openCommand(command, options)
    if (value === undefined) return failure(diagnostics)
    this.timeLine.dispose()
    this.#subject = value.subject
    this.#runNow = runOf(value.subject)
    this.frame = value.frame
    this.pixel = undefined
    this.#keepBreakpoints()
    this.focus = this.#firstFocus()
    return outcomeOf(value.frame, diagnostics)
  }

  #keepBreakpoints(): void {
    const all = [...this.#breakpoints.values(), ...this.#waiting.values()].sort((a, b) => a.id - b.id)
    this.#breakpoints.clear()
    this.#conditions.clear()
    this.#waiting.clear()
    for (const b of all) {
      const place = placeIn(b.place, this.#homes.get(b.id)!, this)
      if (place === undefined) this.#waiting.set(b.id, b)
      else this.#set({ ...b, place })
    }
  }

  /** Breakpoints of other commands of the frame. */
  get waiting(): readonly Breakpoint[] {
    return [...this.#waiting.values()]
  }

  get timeLine(): TimeLine {
    return this.#subject.timeLine
  }

  /** The statement that the focus executes next, or waits at; undefined where its group is not in flight. */
  get statement(): number | undefined {
    return laneAt(this.timeLine.groups, this.focus)?.wave.statement
  }

  get breakpoints(): readonly Breakpoint[] {
    return [...this.#breakpoints.values()]
  }

  /** Why an expression can never be evaluated where a breakpoint stops; undefined where it may. */
  faultOf(place: BreakpointPlace, expression: string): string | undefined {
    const isOfStage = place.kind === 'statements' || place.kind === 'register'
    const programs = isOfStage ? [this.programOf(place.stage)] : this.programs
    const statements = place.kind === 'statements' ? place.statements : []
    const faults = programs.map((program) => conditionFault(program, expression, statements))
    return faults.includes(undefined) ? undefined : faults[0]
  }

  /** Sets a breakpoint; `set` names those that are replaced together. */
  add(label: string, place: BreakpointPlace, filter: BreakpointFilter = {}, set = ''): Breakpoint {
    const breakpoint: Breakpoint = { ...filter, id: this.#nextId++, label, set, place }
    this.#homes.set(breakpoint.id, homeOf(place, this))
    return this.#set(breakpoint)
  }

  #set(breakpoint: Breakpoint): Breakpoint {
    this.#breakpoints.set(breakpoint.id, breakpoint)
    const { condition } = breakpoint
    const when = condition === undefined || condition.trim() === '' ? undefined : this.#test(breakpoint.id, condition)
    this.#conditions.set(breakpoint.id, stopConditionOf(breakpoint, when))
    return breakpoint
  }

  /** Gives a breakpoint other conditions, or turns it on or off; its number stays. */
  edit(id: number, change: Partial<Pick<Breakpoint, 'condition' | 'hitCondition' | 'isDisabled'>>): boolean {
    const known = this.#breakpoints.get(id)
    if (known !== undefined) this.#set({ ...known, ...change })
    return known !== undefined
  }

  remove(id: number): boolean {
    this.#conditions.delete(id)
    this.#conditionFaults.delete(id)
    this.#homes.delete(id)
    return this.#breakpoints.delete(id) || this.#waiting.delete(id)
  }

  /** Takes away all breakpoints of a set. */
  clear(set: string): void {
    for (const b of [...this.breakpoints, ...this.waiting]) if (b.set === set) this.remove(b.id)
  }

  #test(id: number, condition: string): (lane: LaneView) => boolean {
    return ({ wave, lane }) => {
      const thread = { group: wave.group.position, thread: wave.firstThread + lane }
      const { value, diagnostics } = holdsAt(this.run, thread, condition)
      if (value === undefined) this.#conditionFaults.set(id, diagnostics[0]?.message ?? 'it cannot be evaluated')
      return value === true
    }
  }

  /** What is said of breakpoints that did not stop a run because their conditions could not be evaluated. */
  #takeFaults(): string[] {
    const texts = [...this.#conditionFaults].map(
      ([id, why]) => `the condition of breakpoint ${id} has no value: ${why}`,
    )
    this.#conditionFaults.clear()
    return texts
  }

  /**
   * Lets values and memory say what nothing has written, at this moment and before it. False where the run has not been followed so far,
   * and that takes longer than a look may.
   */
  followUndefined(options: RunOptions = {}, maxStatements = MOST_FOLLOWED): Promise<boolean> {
    return this.timeLine.followUndefined({ ...options, maxStatements })
  }

  /** An expression where the focus is. */
  evaluate(text: string): Outcome<Evaluation> {
    return evaluateAt(this.run, this.focus, text, this.level)
  }

  /** An expression where another thread is, in one of its functions. */
  evaluateFor(thread: Thread, text: string, frame = 0): Outcome<Evaluation> {
    return evaluateAt(this.run, thread, text, frame)
  }

  /** One step of the focus. */
  async step({ direction, unit, depth = 'in' }: StepRequest, options?: RunOptions): Promise<SessionStop> {
    const thread = this.focus
    const source = unit === 'line' ? sourcePlaces(this.run) : undefined
    const batch = this.#subject.draw?.line.batch
    const step: Step =
      unit === 'any'
        ? { unit }
        : unit === 'wave' || unit === 'group'
          ? { unit, thread }
          : { unit: 'lane', thread, depth, ...(source && { source }) }
    const stop = await this.timeLine.step(direction, step, options)
    // In another batch the number is of another invocation.
    const isElsewhere = batch !== this.#subject.draw?.line.batch
    if (isElsewhere || (unit !== 'line' && unit !== 'statement')) this.#followNext(isElsewhere)
    return this.#stopped(stop, 'step')
  }

  /** Runs to the next breakpoint in a direction; `more` are conditions for this run alone. */
  async continue(
    direction: Direction,
    options?: RunOptions,
    more: readonly StopCondition[] = [],
  ): Promise<SessionStop> {
    const logs: string[] = []
    this.#conditionFaults.clear()
    const own = this.breakpoints.flatMap((b) => (b.isDisabled === true ? [] : [this.#conditions.get(b.id)!]))
    for (;;) {
      const stop = await this.timeLine.run(direction, [...own, ...more], options)
      const found = this.#breakpointsOf(stop.hits)
      const silent = found.filter((b) => b.logMessage !== undefined)
      for (const b of silent)
        for (const hit of stop.hits) if (hit.condition.id === b.id) appendAll(logs, this.#messages(b, hit))
      const isOnlyLogs =
        stop.reason === 'condition' && stop.hits.every((h) => silent.some((b) => b.id === h.condition.id))
      if (!isOnlyLogs) {
        const stopped = await this.#stopped(stop, 'step')
        for (const b of found) if (b.isTemporary === true) this.remove(b.id)
        return { ...stopped, logs: stop.reason === 'condition' ? logs : [...logs, ...this.#takeFaults()] }
      }
      if (options?.signal?.aborted === true)
        return { ...(await this.#stopped({ ...stop, reason: 'canceled', hits: [] }, 'canceled')), logs }
    }
  }

  /** Runs to a condition, past breakpoints. */
  async runTo(direction: Direction, condition: StopCondition, options?: RunOptions): Promise<SessionStop> {
    return this.#stopped(await this.timeLine.run(direction, [condition], options), 'moment')
  }

  async goTo(clock: number, options?: RunOptions): Promise<SessionStop> {
    const batch = this.#subject.draw?.line.batch
    const stop = await this.timeLine.goTo(clock, options)
    if (batch !== this.#subject.draw?.line.batch) this.#followNext(true)
    return this.#stopped(stop, 'moment')
  }

  /** Goes to the begin of an invocation of a draw, and looks at it. */
  async enter(batch: DrawBatch, invocation: number, options?: RunOptions): Promise<SessionStop> {
    const { draw } = this.#subject
    if (draw === undefined) throw new ShaderError([diagnostic('session-command', 'a dispatch has threads')])
    const stop = await draw.line.enter(batch, invocation, options)
    this.focus = { group: [0, 0, 0], thread: invocation }
    return this.#stopped(stop, 'moment')
  }

  /** Makes changes at the present moment. */
  async change(changes: readonly Change[]): Promise<void> {
    for (const change of changes) await this.timeLine.change(change)
  }

  /** A log message once for each lane that met it. */
  #messages({ logMessage = '' }: Breakpoint, hit: Hit): string[] {
    const lanes = hit.lanes.map((lane) => ({ group: hit.group, thread: hit.firstThread + lane }))
    return lanes.map((thread) =>
      printMessage(logMessage, (text) => {
        const { value, diagnostics } = this.evaluateFor(thread, text)
        return value?.node.value ?? `{${diagnostics[0]?.message ?? text}}`
      }),
    )
  }

  #breakpointsOf(hits: readonly Hit[]): readonly Breakpoint[] {
    const ids = new Set(hits.map((h) => h.condition.id))
    return this.breakpoints.filter((b) => ids.has(b.id))
  }

  async #stopped(stop: Stop, requested: StopReason): Promise<SessionStop> {
    this.#followHits(stop.hits)
    this.level = 0
    if (this.displays.size > 0) await this.followUndefined()
    const findings = stop.hits.flatMap((h) => h.finding ?? [])
    return {
      reason: this.#reasonOf(stop, requested),
      stop,
      breakpoints: this.#breakpointsOf(stop.hits),
      findings,
      logs: [],
    }
  }

  #reasonOf(stop: Stop, requested: StopReason): StopReason {
    // Behind the last group there is nothing more to step to.
    if (stop.reason === 'group' && this.timeLine.next === undefined) return 'end'
    return reasonOf(stop, requested)
  }

  /** The focus goes to who met a condition; it stays where it met it itself, and where it still runs. */
  #followHits(hits: readonly Hit[]): void {
    const { group, thread } = this.focus
    const isOwn = (h: Hit): boolean =>
      h.group.every((at, axis) => at === group[axis]) && h.lanes.includes(thread - h.firstThread)
    const [first] = hits
    if (first !== undefined && !hits.some(isOwn)) {
      const stores = first.lanes.find((lane) => !isHelper(this.run, first.firstThread + lane))
      this.focus = { group: first.group, thread: first.firstThread + (stores ?? first.lanes[0] ?? 0) }
    } else if (first === undefined && !this.#isRunning()) this.#followNext()
  }

  /** Whether the focus has anything left to execute. */
  #isRunning(): boolean {
    const own = laneAt(this.timeLine.groups, this.focus)
    return own !== undefined && laneStatus(own.wave, own.lane) !== 'ended'
  }

  /** The focus goes to the wave that executes next, unless it is active there and may stay. */
  #followNext(isNew = false): void {
    const { next, groups } = this.timeLine
    if (next === undefined) return
    const own = laneAt(groups, this.focus)
    const found = laneAt(groups, { group: next.group, thread: next.firstThread })
    if (found === undefined) return
    const isThere = !isNew && own?.wave === found.wave && laneStatus(own.wave, own.lane) === 'active'
    if (!isThere) this.focus = firstActive(found.wave)
  }
}
