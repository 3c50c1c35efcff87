import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../src/diagnostic/index.ts'
import { type DispatchResult, matchBindings } from '../src/engine/index.ts'
import { createReferenceEngine } from '../src/engine/reference/index.ts'
import { DEFAULT_SCHEDULE, type Schedule } from '../src/machine/index.ts'
import { failedChecks, KERNEL_NAMES, type Kernel, outcomeOf, prepareKernel, readKernel } from './support/kernel.ts'

const ENGINE = createReferenceEngine({})

function run(kernel: Kernel, schedule: Schedule, dispatch = kernel.dispatch) {
  const prepared = prepareKernel(kernel)
  const shader = valueOrThrow(ENGINE.load(kernel.program))
  const bindings = valueOrThrow(matchBindings(shader.declarations, prepared.bindings))
  const result = ENGINE.dispatch(shader, bindings, dispatch, { schedule }) as DispatchResult
  return { prepared, result }
}

/** Each width and each order at least once, with groups interleaved and not. */
const SCHEDULES: readonly Schedule[] = [
  { waveWidth: 1, order: { seed: 1 }, groupsInFlight: 2 },
  { waveWidth: 4, order: 'reverse', groupsInFlight: 1 },
  { waveWidth: 8, order: { seed: 2 }, groupsInFlight: 1 },
  { waveWidth: 16, order: { seed: 3 }, groupsInFlight: 4 },
  { waveWidth: 64, order: 'reverse', groupsInFlight: 3 },
]

/** A corner of the grid of kernels that take long: other groups would do the same. */
function corner([x, y, z]: readonly [number, number, number], most: number): readonly [number, number, number] {
  const columns = Math.min(x, most)
  return [columns, Math.max(1, Math.min(y, Math.floor(most / columns))), z]
}

describe('the kernels', () => {
  it('are all there', () => {
    expect(KERNEL_NAMES).toHaveLength(18)
  })

  it.each(KERNEL_NAMES)('%s gives what it must', (name) => {
    const kernel = readKernel(name)
    const { prepared, result } = run(kernel, DEFAULT_SCHEDULE)
    expect(failedChecks(kernel, prepared)).toEqual([])
    expect(result.stopped).toBeUndefined()
    expect(result.undefinedCount).toBe(0)
  })

  it.each(KERNEL_NAMES)('%s gives the same under every schedule', (name) => {
    const kernel = readKernel(name)
    const dispatch = corner(kernel.dispatch, 12)
    const want = outcomeOf(kernel, run(kernel, DEFAULT_SCHEDULE, dispatch).prepared)
    for (const schedule of SCHEDULES) {
      const got = outcomeOf(kernel, run(kernel, schedule, dispatch).prepared)
      expect(got, JSON.stringify(schedule)).toEqual(want)
    }
  })
})
