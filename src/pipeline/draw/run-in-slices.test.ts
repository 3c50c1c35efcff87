import { describe, expect, it, vi } from 'vitest'
import { SLICE_MS, setSliceMilliseconds } from '../../engine/index.ts'
import { runDrawInSlices } from './run-in-slices.ts'

/** A draw without an end: what is called of it, in order. */
function endlessDraw(onSlice: (slice: number, end: number) => void) {
  const calls: string[] = []
  let isStopped = false
  const run = (end: number): boolean => {
    if (isStopped) return true
    calls.push('slice')
    onSlice(calls.length, end)
    return false
  }
  const stop = (reason: string): void => {
    calls.push(reason)
    isStopped = true
  }
  return { calls, run, stop }
}

describe('a draw in slices', () => {
  it('has no further slice when a task between two of them cancels it', async () => {
    const controller = new AbortController()
    const draw = endlessDraw((slice) => {
      if (slice === 2) setImmediate(() => controller.abort())
    })
    await runDrawInSlices(draw, { signal: controller.signal })
    expect(draw.calls).toEqual(['slice', 'slice', 'canceled'])
  })

  it('ends at its limit of time', async () => {
    const draw = endlessDraw(() => {})
    await runDrawInSlices(draw, { maxMilliseconds: 0 })
    expect(draw.calls).toEqual(['slice', 'time'])
  })

  it('has slices that leave time for the compilation of a program', async () => {
    // Other tests of the process may have made slices shorter; of a clock that runs on, sums of fractions may be a little more.
    const before = SLICE_MS
    setSliceMilliseconds(40)
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1000)
    const lengths: number[] = []
    const draw = endlessDraw((_, end) => lengths.push(end - 1000))
    await runDrawInSlices(draw, { maxMilliseconds: 1000, signal: AbortSignal.abort() })
    clock.mockRestore()
    setSliceMilliseconds(before)
    expect(lengths).toEqual([25])
  })
})
