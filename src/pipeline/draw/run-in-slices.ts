import { hostWaits, nextTask, sliceEnd, sliceMilliseconds } from '../../engine/index.ts'
import type { DrawInProgress } from './draw.ts'
import type { DrawOptions } from './resources.ts'

/** Runs a draw that has begun to its end, in slices that yield to the host; devices and frames use it. */
export async function runDrawInSlices(
  draw: Pick<DrawInProgress, 'run' | 'stop'>,
  { maxMilliseconds, signal }: Pick<DrawOptions, 'maxMilliseconds' | 'signal'>,
): Promise<void> {
  const deadline = performance.now() + (maxMilliseconds ?? Number.POSITIVE_INFINITY)
  const ofSlice = sliceMilliseconds()
  if (hostWaits(ofSlice)) await nextTask()
  while (!draw.run(Math.min(deadline, sliceEnd(ofSlice)))) {
    await nextTask()
    // Tasks of the host cancel draws: to look before them would let another slice run.
    if (signal?.aborted === true) draw.stop('canceled')
    else if (performance.now() >= deadline) draw.stop('time')
  }
}
