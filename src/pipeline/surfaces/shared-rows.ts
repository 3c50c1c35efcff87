import { type ElementKernels, inLongerParts, type SharedWork, type WorkThread } from '../../engine/index.ts'
import { type Allocation, type Storage, storageOver } from '../../machine/index.ts'
import { type FillTask, fillRows } from './fill-rows.ts'
import { type MipTask, mipRows } from './mip-rows.ts'
import { type ResolveTask, resolveRows } from './resolve-rows.ts'
import type { RowRunner } from './row-runner.ts'

/**
 * Work on whole surfaces, row by row, on one thread or on several: each takes some rows, then the next. What it leaves does not depend on
 * how many there are, since rows do not depend on each other.
 */

/** What is done to the rows of surfaces, as plain data; bytes are counted from the start of their storages. */
type RowTask = FillTask | ResolveTask | MipTask

/** What takes less time on one thread is not shared: another thread needs some hundredths of a millisecond to begin. */
const LEAST_SHARED_MS = 0.25
/** What is done between two turns of the host takes so long on one thread, about. */
const PART_MS = 16
/** A fill on one thread looks at the clock as often as this, by what it should take. */
const LOOK_MS = 0.25
/** A fill that has taken so long goes on in a part of its own. */
const LONG_PART_MS = 8
/** Parts of a task for each thread: one that begins late takes few. */
const PARTS_OF_A_THREAD = 4

function runnerOf(task: RowTask, storages: readonly Storage[], kernels: ElementKernels | undefined): RowRunner {
  if (task.kind === 'fill') return fillRows(task, storages[0]!, kernels)
  return task.kind === 'resolve' ? resolveRows(task, storages, kernels) : mipRows(task, storages[0]!)
}

/** Memory for that word, kept from task to task. */
const TAKEN_PARTS = new WeakMap<SharedWork, Allocation>()

function takenPartsOf(work: SharedWork): Allocation | undefined {
  const made = TAKEN_PARTS.get(work) ?? work.thread.memory.allocate(64)
  if (made !== undefined) TAKEN_PARTS.set(work, made)
  return made
}

/** What other threads are given. */
export interface SharedRows {
  readonly memoryLength: number
  readonly task: RowTask
  readonly storages: readonly { readonly at: number; readonly length: number }[]
  /** The first row. */
  readonly first: number
  /** The row behind the last. */
  readonly rowCount: number
  readonly rowsAtOnce: number
  /** Byte of the word that counts the parts that are taken: in its low half from the first on, in its high half from the last back. */
  readonly taken: number
}

/** Bits of a half of that word. */
const HALF = 16

/** The next part that no thread has, of so many, from the first on or from the last back; -1 where there is none. */
function takePart(taken: Int32Array, count: number, fromEnd: boolean): number {
  for (;;) {
    const word = Atomics.load(taken, 0)
    const [front, back] = [word & ((1 << HALF) - 1), word >>> HALF]
    if (front + back >= count) return -1
    const next = word + (fromEnd ? 1 << HALF : 1)
    if (Atomics.compareExchange(taken, 0, word, next) === word) return fromEnd ? count - 1 - back : front
  }
}

/** Threads come from two sides, as they do to the tiles of draws: so that each has its rows in its cache. */
function takeRows(
  run: RowRunner,
  taken: Int32Array,
  { first, rowCount, rowsAtOnce }: SharedRows,
  fromEnd: boolean,
  heartbeat: () => void,
): void {
  const count = Math.ceil((rowCount - first) / rowsAtOnce)
  for (let part = takePart(taken, count, fromEnd); part >= 0; part = takePart(taken, count, fromEnd)) {
    heartbeat()
    const from = first + part * rowsAtOnce
    run(from, Math.min(rowCount, from + rowsAtOnce))
  }
}

const takenOver = (buffer: ArrayBufferLike, taken: number): Int32Array => new Int32Array(buffer, taken, 1)

/** The part of a worker. */
export function runWorkerRows(thread: WorkThread, given: SharedRows, heartbeat: () => void): void {
  const buffer = thread.buffer(given.memoryLength)
  const storages = given.storages.map(({ at, length }) => storageOver({ buffer, byteOffset: at }, length))
  const run = runnerOf(given.task, storages, thread.elementKernels)
  takeRows(run, takenOver(buffer, given.taken), given, thread.isWorker, heartbeat)
}

/** What of an engine takes part. */
export interface RowEngine {
  readonly sharedWork?: SharedWork | undefined
  readonly elementKernels?: ElementKernels | undefined
}

/** Some rows of surfaces. */
interface Rows {
  readonly task: RowTask
  readonly storages: readonly Storage[]
  readonly first: number
  readonly end: number
}

/**
 * Does something to all rows of surfaces, part by part: what carries it out may stop, or give way to the host, between the parts.
 * `milliseconds` is about what all takes on one thread, `ofPart` what a part may take.
 */
export function* rowParts(
  task: RowTask,
  storages: readonly Storage[],
  rowCount: number,
  milliseconds: number,
  { sharedWork: work, elementKernels }: RowEngine,
  ofPart = PART_MS,
): Generator<void, void> {
  const run = runnerOf(task, storages, elementKernels)
  const some = Math.max(1, Math.floor((rowCount * ofPart) / milliseconds))
  for (let first = 0; first < rowCount; first += some) {
    const end = Math.min(rowCount, first + some)
    yield* runSome({ task, storages, first, end }, run, (milliseconds * (end - first)) / rowCount, work)
    yield
  }
}

function* runSome(
  rows: Rows,
  run: RowRunner,
  milliseconds: number,
  work: SharedWork | undefined,
): Generator<void, void> {
  const isWorthIt = work?.sharesAll === true || milliseconds >= LEAST_SHARED_MS
  const isShared = work !== undefined && isWorthIt && rows.end - rows.first > 1
  if (!isShared || !runTogether(rows, run, work)) yield* inLongerParts(runAlone(rows, run, milliseconds), LONG_PART_MS)
}

/**
 * Fills look at the clock: memory that is written for the first time is given by the system page by page, which takes many times as long. What
 * else is done to few rows takes longer than to many.
 */
function* runAlone({ task, first, end }: Rows, run: RowRunner, milliseconds: number): Generator<void, void> {
  const looks = task.kind === 'fill' ? Math.max(1, Math.floor(milliseconds / LOOK_MS)) : 1
  const some = Math.ceil((end - first) / looks)
  for (let from = first; from < end; from += some) {
    run(from, Math.min(end, from + some))
    yield
  }
}

/** Whether several threads have done it. Where one of them was lost all of it is done again: it reads nothing that it writes. */
function runTogether({ task, storages, first, end }: Rows, run: RowRunner, work: SharedWork): boolean {
  const { thread, readyCount } = work
  if (readyCount === 0 || !storages.every((s) => thread.reaches(s))) return false
  const made = takenPartsOf(work)
  if (made === undefined) return false
  const buffer = thread.buffer()
  const taken = takenOver(buffer, made.byteOffset)
  Atomics.store(taken, 0, 0)
  const given: SharedRows = {
    memoryLength: buffer.byteLength,
    task,
    storages: storages.map(({ byteOffset, byteLength }) => ({ at: byteOffset, length: byteLength })),
    first,
    rowCount: end,
    rowsAtOnce: Math.ceil((end - first) / (PARTS_OF_A_THREAD * (readyCount + 1))),
    taken: made.byteOffset,
  }
  const running = work.begin(JSON.stringify({ rows: given }))
  if (running === undefined) return false
  takeRows(run, taken, given, false, () => {})
  return running.end(Number.POSITIVE_INFINITY)!.lostCount === 0
}
