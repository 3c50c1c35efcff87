/** What workers of an engine load for shared work: their part of a draw. */
import { createWorkerThread, type WorkerPlace } from '../engine/wasm/index.ts'
import { runShared } from '../pipeline/index.ts'

/** What a worker is given: a place in the memory, and a text that says what to do. */
interface Work extends WorkerPlace {
  readonly text: string
}

/** Made with the first work: a worker serves one engine. */
let thread: ReturnType<typeof createWorkerThread> | undefined

/** Does the work, and answers what it leaves as text. */
export function work(given: Work): string {
  thread ??= createWorkerThread(given)
  return runShared(thread, given.text, given.heartbeat)
}
