import { describe, expect, it } from 'vitest'
import { walkDraws } from './support/time-line/draw-walk.ts'
import { KERNEL_NAMES, walkFault, walkKernel, walkRandom } from './support/time-line/walk.ts'

/** One more of each kind at every run, with a seed that is printed where it fails. */
const FRESH = Math.floor(Math.random() * 2 ** 30)

// Orders, wave widths and groups in flight go by the number of the case; npm run timeline-walks goes further.
describe('a time line shows the same states, forward and backward, as a run that was written down', () => {
  it.each(KERNEL_NAMES.map((name, n) => [name, n] as const))('in the kernel %s', async (name, n) => {
    expect(await walkKernel(name, 7 * n + 1, { steps: 60 })).toBeUndefined()
  })

  it.each(KERNEL_NAMES.map((name, n) => [name, n] as const))('in the kernel %s with a fault', async (name, n) => {
    expect(await walkFault(name, 11 * n + 2, { steps: 60 })).toBeUndefined()
  })

  it.each(Array.from({ length: 8 }, (_, i) => 5003 + 31 * i))('in the random program %i', async (seed) => {
    expect(await walkRandom(seed, { steps: 100 })).toBeUndefined()
  })

  it('over runs that are longer than the first checkpoints', async () => {
    expect(await walkKernel('sha256', 3, { steps: 60, isLong: true })).toBeUndefined()
    expect(await walkKernel('mandelbrot', 27, { steps: 60, isLong: true })).toBeUndefined()
  })

  it('in draws of all stages', async () => {
    const stages = new Set<string>()
    for (let seed = 1; seed <= 8; seed++) expect(await walkDraws(seed, 50, stages), `frame ${seed}`).toBeUndefined()
    expect([...stages].sort()).toEqual(['domain', 'geometry', 'hull', 'pixel', 'vertex'])
  })

  it(`in programs and draws of the fresh seed ${FRESH}`, async () => {
    const name = KERNEL_NAMES[FRESH % KERNEL_NAMES.length]!
    expect(await walkRandom(FRESH, { steps: 100 })).toBeUndefined()
    expect(await walkFault(name, FRESH, { steps: 100 })).toBeUndefined()
    expect(await walkDraws(FRESH, 50, new Set())).toBeUndefined()
  })
})
