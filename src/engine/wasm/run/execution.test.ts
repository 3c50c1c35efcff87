import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Execution, Executor } from './execution.ts'
import type { WasmMemory } from './memory.ts'
import type { Pipeline } from './pipeline.ts'

/** Groups that take `msPerGroup` of a clock that only they move; answers which groups each call ran. */
function prepare(msPerGroup: number, total: number) {
  let now = 1000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const calls: [first: number, end: number][] = []
  const run = (_descriptor: number, first: number, end: number): void => {
    calls.push([first, end])
    now += (end - first) * msPerGroup
  }
  const pipeline = { run, mayShare: true, kernel: { callsHost: false } } as unknown as Pipeline
  const execution: Execution = {
    ...{ pipeline, descriptor: 0, total, threadCount: 64 },
    ...{ isStopped: () => false, mayRunAgain: true },
  }
  const executor = new Executor({} as WasmMemory, { threads: 1, startNow: false })
  return { calls, executor, begun: executor.begin(execution, 0), now: () => now }
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the groups of a dispatch', () => {
  it('that take long run one by one, and it yields to the host when the time has come', () => {
    const { calls, executor, begun, now } = prepare(30, 5)
    expect(executor.advance(begun, now() + 40)).toBe(false)
    expect(calls).toEqual([
      [0, 1],
      [1, 2],
    ])
    expect(executor.advance(begun, now() + 1000)).toBe(true)
    expect(calls.slice(2)).toEqual([
      [2, 3],
      [3, 4],
      [4, 5],
    ])
  })

  it('that take little time run many in a call, of 20 milliseconds at the most', () => {
    const { calls, executor, begun } = prepare(0.5, 100)
    expect(executor.advance(begun, Number.POSITIVE_INFINITY)).toBe(true)
    expect(calls).toEqual([
      [0, 1],
      [1, 41],
      [41, 81],
      [81, 100],
    ])
  })
})
