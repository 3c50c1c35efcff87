import { describe, expect, it } from 'vitest'
import { KERNEL_NAMES, walkKernel, walkRandom } from './support/time-line-walks.ts'

// Orders, wave widths and groups in flight go by the number of the case; npm run timeline-walks goes further.
describe('a time line shows the same states, forward and backward, as a run that was written down', () => {
  it.each(KERNEL_NAMES.map((name, n) => [name, n] as const))('in the kernel %s', async (name, n) => {
    expect(await walkKernel(name, 7 * n + 1, 10)).toBeUndefined()
  })

  it.each(Array.from({ length: 8 }, (_, i) => 5003 + 31 * i))('in the random program %i', async (seed) => {
    expect(await walkRandom(seed, 30)).toBeUndefined()
  })
})
