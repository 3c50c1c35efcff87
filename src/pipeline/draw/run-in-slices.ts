import { nextTask, SLICE_MS } from '../../engine/index.ts'
import type { DrawInProgress } from './draw.ts'
import type { DrawOptions } from './resources.ts'

/** Runs a draw that has begun to its end, in slices that give way to the host; devices and frames use it. */
export async function runDrawInSlices(
  draw: DrawInProgress,
  { maxMilliseconds, signal }: Pick<DrawOptions, 'maxMilliseconds' | 'signal'>,
): Promise<void> {
  const deadline = performance.now() + (maxMilliseconds ?? Number.POSITIVE_INFINITY)
  while (!draw.run(Math.min(deadline, performance.now() + SLICE_MS))) {
    if (signal?.aborted === true) draw.stop('canceled')
    else if (performance.now() >= deadline) draw.stop('time')
    else await nextTask()
  }
}
