import { describe, expect, it } from 'vitest'
import { SLICE_MS } from '../../engine/index.ts'
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
    const lengths: number[] = []
    const draw = endlessDraw((_, end) => lengths.push(end - performance.now()))
    await runDrawInSlices(draw, { maxMilliseconds: 1000, signal: AbortSignal.abort() })
    expect(lengths).toHaveLength(1)
    expect(lengths[0]).toBeLessThanOrEqual(SLICE_MS - 15)
  })
})
