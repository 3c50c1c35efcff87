import { afterEach, describe, expect, it, vi } from 'vitest'
import { tasksDuring } from '../../test/support/tasks-during.ts'
import {
  nextTask,
  type PartsLimits,
  restIfDue,
  runPartsInSlices,
  runPartsInTasks,
  SLICE_MS,
  setSliceMilliseconds,
} from './next-task.ts'

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

  it('are each a task of its own where slices take no time', async () => {
    const seen: string[] = []
    const tasks = (n: number): void => {
      seen.push(`part ${n}`)
      setImmediate(() => seen.push(`task ${n}`))
    }
    expect(await runPartsInTasks(parts(3, tasks))).toBe('done')
    expect(seen).toEqual(['part 0', 'task 0', 'part 1', 'task 1', 'part 2', 'task 2'])
  })

  it.each([
    ['in slices', runPartsInSlices],
    ['in tasks', (of: Generator<void, string>, o: PartsLimits) => runPartsInTasks(of, o.signal)],
  ] as const)('give back what they hold when they are canceled %s', async (_, run) => {
    const controller = new AbortController()
    let isHeld = true
    function* holding(): Generator<void, string> {
      try {
        return yield* parts(Number.POSITIVE_INFINITY, () => controller.abort())
      } finally {
        isHeld = false
      }
    }
    await run(holding(), { signal: controller.signal })
    expect(isHeld).toBe(false)
  })

  it('in tasks have no result where they are canceled, and theirs where none of them is left', async () => {
    const controller = new AbortController()
    const cancel = (n: number): void => {
      if (n === 1) controller.abort()
    }
    expect(await runPartsInTasks(parts(3, cancel), controller.signal)).toBeUndefined()
    expect(await runPartsInTasks(parts(0), controller.signal)).toBe('done')
  })
})

describe('short works one behind the other', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it.each([
    ['in slices', (work: () => void) => runPartsInSlices(oncePart(work), {})],
    ['with rests', async (work: () => void) => restIfDue().then(work)],
  ] as const)('give the host a turn as often as a long one: %s', async (_, run) => {
    // Other tests of the process may have made slices shorter.
    const before = SLICE_MS
    setSliceMilliseconds(40)
    let now = 1000
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    await nextTask()
    // Of 60 works of 5 milliseconds each fifth is 25 milliseconds behind the last turn.
    const turns = await tasksDuring(async () => {
      for (let n = 0; n < 60; n++) await run(() => (now += 5))
    })
    setSliceMilliseconds(before)
    expect(turns).toBeGreaterThanOrEqual(11)
    expect(turns).toBeLessThanOrEqual(13)
  })
})

function* oncePart(work: () => void): Generator<void, void> {
  work()
  yield
}
