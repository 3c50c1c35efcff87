import { describe, expect, it } from 'vitest'
import { runDrawInSlices, runPartsInSlices } from './run-in-slices.ts'

/** A draw without an end: what is called of it, in order. */
function endlessDraw(onSlice: (slice: number) => void) {
  const calls: string[] = []
  let isStopped = false
  const run = (): boolean => {
    if (isStopped) return true
    calls.push('slice')
    onSlice(calls.length)
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
})

describe('parts in slices', () => {
  /** Parts of some milliseconds. */
  function* parts(count: number, onPart: (part: number) => void = () => {}): Generator<void, string> {
    for (let n = 0; n < count; n++) {
      const end = performance.now() + 5
      while (performance.now() < end);
      onPart(n)
      yield
    }
    return 'done'
  }

  it('give what the last of them gives', async () => {
    expect(await runPartsInSlices(parts(3), {})).toEqual({ value: 'done' })
  })

  it('end at their limit of time', async () => {
    expect(await runPartsInSlices(parts(Number.POSITIVE_INFINITY), { maxMilliseconds: 20 })).toEqual({
      stopped: 'time',
    })
  })

  it('let a task of the host cancel them', async () => {
    const controller = new AbortController()
    const endless = parts(Number.POSITIVE_INFINITY, (n) => {
      if (n === 0) setImmediate(() => controller.abort())
    })
    expect(await runPartsInSlices(endless, { signal: controller.signal })).toEqual({ stopped: 'canceled' })
  })
})
