/** Runs that are left at random statements and gone back to, held against runs without a stop; for tests and scripts/snapshots.ts. */
import {
  type DispatchOptions,
  type DispatchResult,
  type Execution,
  isOfBatches,
  type Observer,
  type WaveSite,
} from '../../src/engine/index.ts'
import { type ResolvedBindings, WAVE_WIDTHS } from '../../src/machine/index.ts'
import { Random } from './random/random.ts'

/** A dispatch, or one batch of a stage, that has begun. */
export interface Started {
  readonly execution: Execution
  /** What it has left so far beside the bytes of resources; each call gives what was passed on since the last. */
  readonly left: () => readonly string[]
}

export interface SnapshotCase {
  readonly begin: (observer: Pick<DispatchOptions, 'observer'>) => Started
  readonly bindings: ResolvedBindings
  /** Statements at which snapshots are taken. */
  readonly snapshots: number
  readonly seed: number
}

/** The first difference, in words; undefined where there is none. */
export type SnapshotVerdict = string | undefined

/** Every order, wave width and number of groups in flight, by a number. */
export function scheduleOfCase(n: number): NonNullable<DispatchOptions['schedule']> {
  const orders = ['forward', 'reverse', { seed: n }] as const
  return {
    waveWidth: WAVE_WIDTHS[n % WAVE_WIDTHS.length]!,
    order: orders[Math.floor(n / WAVE_WIDTHS.length) % orders.length]!,
    groupsInFlight: 1 + (Math.floor(n / (WAVE_WIDTHS.length * orders.length)) % 3),
  }
}

/** One number an event, of everything in it. */
class EventLog {
  readonly digests: number[] = []
  statements = 0
  #digest = 0

  #mix(...words: readonly number[]): void {
    for (const word of words) this.#digest = Math.imul(this.#digest ^ word, 0x01000193) ^ (this.#digest >>> 15)
  }

  #begin(kind: number, wave?: WaveSite): void {
    this.#digest = kind
    if (wave === undefined) return
    this.#mix(wave.group, wave.wave, wave.firstThread, wave.laneCount, wave.statement, wave.epoch)
    this.#mix(wave.callDepth, wave.activeCount)
    this.#mix(...wave.lanes.subarray(0, wave.activeCount))
  }

  #end(): void {
    this.digests.push(this.#digest)
  }

  readonly observer: Observer = {
    end: () => {
      this.#begin(1)
      this.#end()
    },
    groupBegin: (g) => {
      this.#begin(2)
      this.#mix(g.group, g.groupX, g.groupY, g.groupZ)
      this.#end()
    },
    groupEnd: (g) => {
      this.#begin(3)
      this.#mix(g.group)
      this.#end()
    },
    instruction: (w) => {
      this.statements++
      this.#begin(4, w)
      this.#end()
    },
    write: (e) => {
      this.#begin(5, e.wave)
      this.#mix(e.operand, e.register, e.mask)
      for (let k = 0; k < e.wave.activeCount; k++) {
        for (let c = 0; c < 4; c++) {
          if (((e.mask >> c) & 1) === 0) continue
          this.#mix(e.before[k * 4 + c]!, e.elements[k]!)
          if (e.file === 'temp') this.#mix(e.wave.registers.temp(e.register, c, e.wave.lanes[k]!))
        }
      }
      this.#end()
    },
    memory: (e) => {
      const rows = e.wave.activeCount
      this.#begin(6, e.wave)
      this.#mix(...e.byteOffsets.subarray(0, rows * e.width), ...e.values.subarray(0, rows * e.valuesPerRow))
      if (e.access !== 'load')
        this.#mix(...e.originals.subarray(0, rows * (e.access === 'atomic' ? 1 : e.valuesPerRow)))
      this.#end()
    },
    branch: (e) => {
      this.#begin(7, e.wave)
      this.#mix(...e.taken.subarray(0, e.wave.activeCount))
      this.#end()
    },
    barrier: (e) => {
      this.#begin(8, e.wave)
      this.#mix(e.flags)
      this.#end()
    },
    release: (e) => {
      this.#begin(9)
      this.#mix(e.group, e.statement, e.epoch)
      this.#end()
    },
    undefined: (e) => {
      this.#begin(10, e.wave)
      this.#mix(e.operand, e.lane, e.address, e.limit)
      this.#end()
    },
  }
}

/** What a run left, as text that shows where two differ. */
function endOf(
  c: SnapshotCase,
  result: DispatchResult,
  log: EventLog,
  firstEvent: number,
  left: Started['left'],
): string[] {
  const contents = [...c.bindings.u].flatMap(([key, view]) => {
    const counter = view.shape === 'structured' && view.counter !== undefined ? [...view.counter.words] : []
    return `u${key}: ${[...view.storage.words, ...counter].join(' ')}`
  })
  return [
    `stopped: ${result.stopped}`,
    `${result.undefinedCount} undefined, ${result.threadInstructionCount} instructions`,
    ...result.diagnostics.map((d) => JSON.stringify(d)),
    `events: ${log.digests.slice(firstEvent).join(' ')}`,
    ...contents,
    ...left(),
  ]
}

function difference(want: readonly string[], got: readonly string[]): string | undefined {
  const at = want.findIndex((line, i) => line !== got[i])
  if (at < 0 && want.length === got.length) return undefined
  return `${got[at]?.slice(0, 300)}, not ${want[at]?.slice(0, 300)}`
}

const FOREVER = { time: Number.POSITIVE_INFINITY, deadline: Number.POSITIVE_INFINITY }

function toEnd(execution: Execution): DispatchResult {
  for (;;) {
    const result = execution.run(FOREVER)
    if (isOfBatches(execution)) return execution.finish()
    if (result !== undefined) return result
  }
}

/** The result where the steps came to an end of the whole. */
function stepped(execution: Execution, count: number): DispatchResult | undefined {
  const result = execution.step!(count)
  return result !== undefined && isOfBatches(execution) ? execution.finish() : result
}

/** The bytes that the dispatch finds, by storage, kept in another way than snapshots keep them. */
function keepInputs({ bindings }: SnapshotCase): () => void {
  const kept = [...bindings.u.values()].map((view) => {
    const counter = view.shape === 'structured' ? view.counter : undefined
    return { bytes: view.storage.bytes, copy: view.storage.bytes.slice(), counter, words: counter?.words.slice() }
  })
  return () => {
    for (const { bytes, copy, counter, words } of kept) {
      bytes.set(copy)
      if (words !== undefined) counter?.words.set(words)
    }
  }
}

const begin = (c: SnapshotCase, log: EventLog | undefined): Started =>
  c.begin(log === undefined ? {} : { observer: log.observer })

/**
 * Runs a dispatch or a batch to its end, then again by steps with snapshots at random statements; goes back to each, in any order,
 * and on to the end, in the same execution and in a new one, observed and not.
 */
export function checkSnapshots(c: SnapshotCase): SnapshotVerdict {
  const reset = keepInputs(c)
  const baseLog = new EventLog()
  const base = begin(c, baseLog)
  const wanted = endOf(c, toEnd(base.execution), baseLog, 0, base.left)
  const random = new Random(c.seed)
  // At the end of a batch what it emitted has been passed on, and does not come again.
  const most = isOfBatches(base.execution) ? baseLog.statements : baseLog.statements + 1
  const places = Array.from({ length: c.snapshots }, () => random.below(most)).sort((a, b) => a - b)

  reset()
  const log = new EventLog()
  const started = begin(c, log)
  const { execution } = started
  let at = 0
  let ended: DispatchResult | undefined
  const taken = places.flatMap((place) => {
    if (ended === undefined && place > at) ended = stepped(execution, place - at)
    at = place
    return ended === undefined ? { place, snapshot: execution.snapshot!(), event: log.digests.length } : []
  })
  ended ??= toEnd(execution)
  const wrongSteps = difference(wanted, endOf(c, ended, log, 0, started.left))
  if (wrongSteps !== undefined) return `by steps to ${places.join(', ')}: ${wrongSteps}`

  for (const { place, snapshot, event } of taken.reverse()) {
    const wantedFrom = [...wanted]
    wantedFrom[wanted.findIndex((line) => line.startsWith('events: '))] =
      `events: ${baseLog.digests.slice(event).join(' ')}`
    for (const isNew of [false, true]) {
      const again = isNew ? new EventLog() : log
      const other = isNew ? begin(c, again) : started
      other.execution.restore!(snapshot)
      const first = again.digests.length
      const wrong = difference(wantedFrom, endOf(c, toEnd(other.execution), again, first, other.left))
      if (wrong !== undefined)
        return `back to ${place} of ${baseLog.statements}${isNew ? ' in another execution' : ''}: ${wrong}`
    }
  }
  return checkUnobserved(c, reset, places, wanted)
}

/** The same without an observer, for which there is other code. */
function checkUnobserved(
  c: SnapshotCase,
  reset: () => void,
  places: readonly number[],
  wanted: readonly string[],
): SnapshotVerdict {
  const silent = new EventLog()
  const wantedSilent = wanted.map((line) => (line.startsWith('events: ') ? 'events: ' : line))
  reset()
  const { execution, left } = begin(c, undefined)
  const place = places[0] ?? 0
  const ended = place === 0 ? undefined : stepped(execution, place)
  if (ended !== undefined) return undefined
  const snapshot = execution.snapshot!()
  toEnd(execution)
  left()
  execution.restore!(snapshot)
  const wrong = difference(wantedSilent, endOf(c, toEnd(execution), silent, 0, left))
  return wrong === undefined ? undefined : `back to ${place}, not observed: ${wrong}`
}
