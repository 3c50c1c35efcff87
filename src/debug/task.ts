/** Long work of a time line: it yields to the host between slices, reports its progress, and can be canceled. */
import { nextTask, SLICE_MS } from '../engine/index.ts'
import type { RunOptions } from './model.ts'

export class Task {
  readonly #options: RunOptions
  readonly #total: number | undefined
  #sliceEnd = performance.now() + SLICE_MS
  #done = 0

  /** `total`: the statements that it takes, where that is known. */
  constructor(options: RunOptions = {}, total?: number) {
    this.#options = options
    this.#total = total
  }

  get isCanceled(): boolean {
    return this.#options.signal?.aborted === true
  }

  /** The same without the test whether it is canceled: to come back to a moment. */
  get uncanceled(): Task {
    return new Task()
  }

  /** The slice is over: the work has to yield. */
  get isDue(): boolean {
    return performance.now() >= this.#sliceEnd
  }

  /** Notes statements that were gone over. */
  count(statements: number): void {
    this.#done += statements
  }

  async yieldToHost(): Promise<void> {
    this.#options.onProgress?.(this.#done, this.#total)
    await nextTask()
    this.#sliceEnd = performance.now() + SLICE_MS
  }
}
