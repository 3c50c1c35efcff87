/** Gives way to the host: long dispatches use it between their slices, so that timers, signals and pages get their time. */

/** The globals of the host that yielding needs; the language's library declares none of them. */
interface HostGlobals {
  readonly setImmediate?: (call: () => void) => unknown
  readonly MessageChannel?: new () => { readonly port1: Port; readonly port2: Port }
  readonly setTimeout: (call: () => void, milliseconds: number) => unknown
}
interface Port {
  onmessage: (() => void) | null
  postMessage(message: undefined): void
  close(): void
}

/** Longest that the host's event loop is held, in milliseconds, where an engine can yield. */
export let SLICE_MS = 40

/** A work that gives way to its host between its parts. */
export type Parts = Generator<void, void>

/** Milliseconds between two looks at the clock, about, where code runs for the first time in a process. */
const PIECE_MS = 15

/** Milliseconds of a slice of work in pieces: it ends as much earlier than SLICE_MS as its last piece may take. */
export const sliceMilliseconds = (): number => Math.max(SLICE_MS / 2, SLICE_MS - PIECE_MS)

/** Sets how long runs hold the event loop of this process or worker: servers that answer meanwhile need it to be short. */
export function setSliceMilliseconds(milliseconds: number): void {
  SLICE_MS = milliseconds
}

/** When the host had its last turn that is known of. */
let lastTurn = performance.now()

/** Whether the host has had no turn for so many milliseconds: short works one behind the other are not to hold it for longer than a long one. */
export const hostWaits = (milliseconds: number): boolean => performance.now() - lastTurn >= milliseconds

/** The time at which a slice of so many milliseconds ends, which began with the last turn of the host. */
export const sliceEnd = (milliseconds: number): number => Math.min(lastTurn, performance.now()) + milliseconds

/** Gives way to the host between pieces of work that are short by themselves, as often as slices do. */
export async function restIfDue(): Promise<void> {
  if (hostWaits(sliceMilliseconds())) await nextTask()
}

/** Carries out all parts of a work without a rest. */
export function runPartsAtOnce<T>(parts: Generator<void, T>): T {
  for (;;) {
    const { done, value } = parts.next()
    if (done === true) return value
  }
}

/** The same parts, as many of them together as take about so many milliseconds. */
export function* inLongerParts<T>(parts: Generator<void, T>, milliseconds: number): Generator<void, T> {
  for (let end = performance.now() + milliseconds; ; ) {
    const { done, value } = parts.next()
    if (done === true) return value
    if (performance.now() < end) continue
    yield
    end = performance.now() + milliseconds
  }
}

/** When a work ends before its end, and how often it gives way to the host. */
export interface PartsLimits {
  readonly maxMilliseconds?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Longest that parts hold the event loop together; with 0 each is a task of its own. Default: `sliceMilliseconds()`. */
  readonly sliceMilliseconds?: number
}

/** Carries out parts of a work to their end, or up to a limit, in slices that yield to the host. A work that is stopped gives back what it holds. */
export async function runPartsInSlices<T>(
  parts: Generator<void, T>,
  { maxMilliseconds, signal, sliceMilliseconds: ofSlice = sliceMilliseconds() }: PartsLimits,
): Promise<{ readonly value: T } | { readonly stopped: 'canceled' | 'time' }> {
  const deadline = performance.now() + (maxMilliseconds ?? Number.POSITIVE_INFINITY)
  const stop = (stopped: 'canceled' | 'time'): { readonly stopped: 'canceled' | 'time' } => {
    parts.return(undefined as T)
    return { stopped }
  }
  if (ofSlice > 0 && hostWaits(ofSlice)) await nextTask()
  for (let rest = sliceEnd(ofSlice); ; rest = sliceEnd(ofSlice)) {
    for (;;) {
      const { done, value } = parts.next()
      if (done === true) return { value }
      const now = performance.now()
      if (now >= deadline) return stop('time')
      if (now >= rest) break
    }
    await nextTask()
    if (signal?.aborted === true) return stop('canceled')
  }
}

/**
 * Carries out parts of a work, each in a task of its own: programs are compiled in them, which takes milliseconds each. Undefined
 * where it was canceled between two of them.
 */
export async function runPartsInTasks<T>(parts: Generator<void, T>, signal?: AbortSignal): Promise<T | undefined> {
  const ended = await runPartsInSlices(parts, { signal, sliceMilliseconds: 0 })
  return 'value' in ended ? ended.value : undefined
}

/** Resolves in a later task of the host's event loop, after what is due has run. */
export function nextTask(): Promise<void> {
  const host = globalThis as unknown as HostGlobals
  return new Promise((done) => {
    const resolve = (): void => {
      lastTurn = performance.now()
      done()
    }
    if (host.setImmediate !== undefined) {
      host.setImmediate(resolve)
      return
    }
    if (host.MessageChannel === undefined) {
      host.setTimeout(resolve, 0)
      return
    }
    // Timers of pages wait for milliseconds once they are nested; messages do not.
    const { port1, port2 } = new host.MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
