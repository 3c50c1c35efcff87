import { type Finding, type FindingWatch, watchFindings } from '../check/index.ts'
import { type Observer, tgsmOffset } from '../engine/index.ts'
import { DEFAULT_SCHEDULE, slotKey } from '../machine/index.ts'
import type { Clock, MemoryRange, RecordedFinding, RecordingSource } from './model.ts'
import { type Follower, type Recording, showStart } from './recording.ts'
import type { PossibleHit } from './watching.ts'

/** A finding, and which lane of which wave it is about. */
export interface SeenFinding {
  readonly finding: RecordedFinding
  readonly hit: PossibleHit
}

/** The bytes that a finding is about. */
export function rangeOf(
  { loaded, bindings }: Pick<RecordingSource, 'loaded' | 'bindings'>,
  memory: Finding['memory'],
): MemoryRange | undefined {
  const byteOffset = memory?.byteOffset
  if (memory === undefined || byteOffset === undefined) return undefined
  const { declarations } = loaded
  const { space, register } = memory
  if (space === 'tgsm') {
    return { space, byteOffset: tgsmOffset(declarations, register) + byteOffset, byteLength: 4 }
  }
  if (space !== 'uav' && space !== 'srv') return undefined
  const declared = (space === 'uav' ? declarations.uavs : declarations.resources).find((r) => r.id === register)
  const key = declared === undefined ? -1 : slotKey(declared.first, declared.space)
  const view = space === 'uav' ? bindings.u.get(key) : bindings.t.get(key)
  return view === undefined ? undefined : { space: 'resource', resource: view.resource, byteOffset, byteLength: 4 }
}

const NO_WATCH: FindingWatch = { observer: {}, finish: () => undefined, byteLength: 0 }

/** The detectors of the checker as they see a recording, each statement once, and what they found at which moment. */
export class FindingIndex implements Follower {
  seen: Clock = -1
  readonly #recording: Recording
  #watch: FindingWatch
  #all: SeenFinding[] = []
  #byClock = new Map<Clock, SeenFinding[]>()
  #isFinished = false

  constructor(recording: Recording) {
    this.#recording = recording
    this.#watch = this.#newWatch()
  }

  get observer(): Observer {
    return this.#watch.observer
  }

  get all(): readonly RecordedFinding[] {
    return this.#all.map((f) => f.finding)
  }

  /** What was found in the statement before a clock. */
  at(clock: Clock): readonly SeenFinding[] {
    return this.#byClock.get(clock) ?? []
  }

  #newWatch(): FindingWatch {
    const { source } = this.#recording
    return source.batch === undefined ? watchFindings(source, (finding) => this.#add(finding)) : NO_WATCH
  }

  start(): void {
    showStart(this.observer, this.#recording)
  }

  finish(): void {
    if (this.#isFinished) return
    this.#isFinished = true
    this.observer.end?.()
    this.#watch.finish()
  }

  #add(found: Finding): void {
    const { source, clock } = this.#recording
    const { code, message, severity, site, other } = found
    const { waveWidth } = source.options?.schedule ?? DEFAULT_SCHEDULE
    const finding: RecordedFinding = {
      code,
      message,
      severity,
      before: clock - 1,
      thread: { group: site.group, thread: site.thread },
      statement: site.statement,
      other: other && { group: other.group, thread: other.thread, statement: other.statement },
      memory: rangeOf(source, found.memory),
    }
    const wave = Math.floor(site.thread / waveWidth)
    const lanes = [site.thread - wave * waveWidth]
    const { group, statement } = site
    const seen = { finding, hit: { group, wave, firstThread: wave * waveWidth, statement, lanes } }
    this.#all.push(seen)
    const here = this.#byClock.get(clock)
    if (here === undefined) this.#byClock.set(clock, [seen])
    else here.push(seen)
  }

  /** Detectors do not go back: what they have seen behind a clock makes them begin again. */
  forgetFrom(clock: Clock): void {
    if (this.seen <= clock) return
    this.seen = -1
    this.#all = []
    this.#byClock = new Map()
    this.#isFinished = false
    this.#watch = this.#newWatch()
  }
}
