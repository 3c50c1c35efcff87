import { nextTask, SLICE_MS } from '../../engine/index.ts'
import type { DrawInProgress } from './draw.ts'
import type { DrawOptions } from './resources.ts'

/** Carries out parts of a work to their end, or up to a limit, in slices that yield to the host. */
export async function runPartsInSlices<T>(
  parts: Generator<void, T>,
  { maxMilliseconds, signal }: Pick<DrawOptions, 'maxMilliseconds' | 'signal'>,
): Promise<{ readonly value: T } | { readonly stopped: 'canceled' | 'time' }> {
  const deadline = performance.now() + (maxMilliseconds ?? Number.POSITIVE_INFINITY)
  for (let rest = performance.now() + SLICE_MS; ; ) {
    const { done, value } = parts.next()
    if (done === true) return { value }
    const now = performance.now()
    if (now >= deadline) return { stopped: 'time' }
    if (now < rest) continue
    await nextTask()
    if (signal?.aborted === true) return { stopped: 'canceled' }
    rest = performance.now() + SLICE_MS
  }
}

/** Runs a draw that has begun to its end, in slices that yield to the host; devices and frames use it. */
export async function runDrawInSlices(
  draw: Pick<DrawInProgress, 'run' | 'stop'>,
  { maxMilliseconds, signal }: Pick<DrawOptions, 'maxMilliseconds' | 'signal'>,
): Promise<void> {
  const deadline = performance.now() + (maxMilliseconds ?? Number.POSITIVE_INFINITY)
  while (!draw.run(Math.min(deadline, performance.now() + SLICE_MS))) {
    await nextTask()
    // Tasks of the host cancel draws: to look before them would let another slice run.
    if (signal?.aborted === true) draw.stop('canceled')
    else if (performance.now() >= deadline) draw.stop('time')
  }
}
