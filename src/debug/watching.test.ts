import { expect, it } from 'vitest'
import type { ReleaseEvent } from '../engine/index.ts'
import type { Recording } from './recording.ts'
import { ConditionWatch, type PossibleHit } from './watching.ts'

const HIT: PossibleHit = { group: [0, 0, 0], wave: 0, firstThread: 0, statement: 3, lanes: [0] }

it('a finding that detectors make behind another condition in one statement is a hit too', () => {
  const found: PossibleHit[] = []
  const execution = { clock: 7, inspect: () => [] } as unknown as Recording['execution']
  const barrier = { kind: 'barrier', at: 'release' } as const
  const finding = { kind: 'finding' } as const
  const watch = new ConditionWatch(
    execution,
    [
      { condition: finding, counter: undefined, factory: () => ({ at: () => found }) },
      {
        condition: barrier,
        counter: undefined,
        factory: (report) => ({ observer: { release: () => report(HIT) } }),
      },
    ],
    { from: 0 },
  )
  watch.observer.release!({} as ReleaseEvent)
  found.push(HIT)
  expect(watch.stopsHere()).toBe(true)
  const conditionsHit = watch.hitsAt(undefined).map((h) => h.condition)
  expect(conditionsHit).toContain(barrier)
  expect(conditionsHit).toContain(finding)
  expect(conditionsHit).toHaveLength(2)
})
