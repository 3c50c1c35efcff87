import { describe, expect, it } from 'vitest'
import { createTimeLine } from '../../src/debug/index.ts'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { recordedBatch, STAGE_NAMES } from '../support/batch-snapshots.ts'
import { Random } from '../support/random/random.ts'
import { wholeDigest } from '../support/time-line/digest.ts'

/** Components of r0 to r2, which all stages of these tests declare. */
const PLACES = [0, 1, 2].flatMap((r) => [0, 1, 2, 3].map((component) => ({ file: 0, indices: [r], component })))

describe('a time line of a batch', () => {
  it.each(STAGE_NAMES)('shows each moment as it was, both ways: %s', async (name) => {
    const source = recordedBatch(name, 11)
    const line = valueOrThrow(createTimeLine(source))
    const places = name === 'fork' ? PLACES.slice(0, 8) : name === 'geometry' ? PLACES.slice(0, 8) : PLACES
    const digest = wholeDigest(source.bindings, places)
    const look = (): string => `${JSON.stringify(line.next)} ${digest(line.groups)} ${line.result !== undefined}`
    const seen: string[] = []
    do seen.push(look())
    while ((await line.step('forward', { unit: 'any' })).reason === 'reached' && line.end === undefined)
    seen.push(look())
    const left = [...source.batch!.outputs, ...(source.batch!.quads?.discarded ?? [])]
    expect(line.end).toBe(seen.length - 1)
    expect(seen.length).toBeGreaterThan(5)
    const random = new Random(5)
    for (let i = 0; i < 60; i++) {
      const clock = random.below(seen.length)
      await line.goTo(clock)
      expect(look()).toBe(seen[clock])
    }
    for (let clock = line.clock; clock > 0; clock--) {
      await line.step('backward', { unit: 'any' })
      expect(look()).toBe(seen[clock - 1])
    }
    await line.goTo(Number.MAX_SAFE_INTEGER)
    expect([...source.batch!.outputs, ...(source.batch!.quads?.discarded ?? [])]).toEqual(left)
  })

  it('steps an invocation to its end, and stops there', async () => {
    const line = valueOrThrow(createTimeLine(recordedBatch('vertex', 7)))
    const thread = { group: [0, 0, 0] as const, thread: 1 }
    let steps = 0
    while ((await line.step('forward', { unit: 'lane', thread })).reason === 'reached') steps++
    expect(steps).toBeGreaterThan(5)
    let back = 0
    while ((await line.step('backward', { unit: 'lane', thread })).reason === 'reached') back++
    // The first statement is at clock 0 where the invocation is of the first wave: no step led to it.
    expect(back).toBe(steps + 1)
  })
})
