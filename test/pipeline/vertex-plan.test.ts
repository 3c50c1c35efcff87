import { describe, expect, it } from 'vitest'
import { VertexPlanner } from '../../src/pipeline/stages/vertex-plan.ts'
import { Random } from '../support/random/random.ts'

// A vertex is shaded once for each window of 256 elements that names it, in the order of the elements.

const WINDOW = 256

/** What is to be shaded, and the number of each element; of cuts none. */
function modelOf(ids: readonly number[], cuts: readonly number[] | undefined, shadesAll: boolean) {
  const shaded: number[] = []
  const numbers: (number | undefined)[] = []
  let known = new Map<number, number>()
  let taken = 0
  ids.forEach((id, at) => {
    if (cuts?.[at] === 1) {
      numbers.push(undefined)
      return
    }
    if (taken++ % WINDOW === 0) known = new Map()
    const number = shadesAll ? undefined : known.get(id)
    if (number === undefined) {
      known.set(id, shaded.length)
      shaded.push(id)
    }
    numbers.push(number ?? shaded.length - 1)
  })
  return { shaded, numbers }
}

function planOf(planner: VertexPlanner, ids: readonly number[], cuts?: readonly number[], shadesAll = false) {
  const sequence = {
    ...{ length: ids.length, vertexCount: ids.length, ids: Uint32Array.from(ids), base: 0, isCounted: false },
    cuts: cuts && Uint8Array.from(cuts),
  }
  const running = planner.plan(sequence, shadesAll)
  for (;;) {
    const step = running.next()
    if (step.done === true) return step.value
  }
}

function check(planner: VertexPlanner, ids: readonly number[], cuts?: readonly number[], shadesAll = false): void {
  const { shaded, numbers } = modelOf(ids, cuts, shadesAll)
  const plan = planOf(planner, ids, cuts, shadesAll)
  expect([...plan.ids.subarray(0, plan.count)]).toEqual(shaded)
  expect(ids.map((_, at) => (cuts?.[at] === 1 ? undefined : plan.numbers[at]))).toEqual(numbers)
  if (shaded.length === 0) return
  expect(plan.least).toBeLessThanOrEqual(shaded.reduce((a, b) => Math.min(a, b)))
  expect(plan.largest).toBe(shaded.reduce((a, b) => Math.max(a, b)))
}

describe('what is shaded of a sequence', () => {
  it('is each vertex once in a window, near or far from each other', () => {
    const planner = new VertexPlanner()
    for (let seed = 0; seed < 60; seed++) {
      const r = new Random(seed)
      // Up to, and from, what one table of all identifiers has room for.
      const span = r.pick([1, 7, 300, 32767, 32768, 32769, 2 ** 32])
      const least = span === 2 ** 32 ? 0 : r.pick([0, 5, 2 ** 31, 2 ** 32 - span])
      const count = r.pick([0, 1, 255, 256, 257, 1000, 5000])
      const ids = Array.from({ length: count }, () => least + Math.floor((r.next() >>> 0) * (span / 2 ** 32)))
      if (count > 2) [ids[1], ids[2]] = [least, least + span - 1]
      check(planner, ids)
      // Indices of a mesh, of which most come again.
      check(
        planner,
        ids.map((_, n) => least + Math.min(span - 1, (n >> 1) + r.below(9))),
      )
    }
  })

  it('counts no cuts, and has every vertex where each is shaded', () => {
    const planner = new VertexPlanner()
    for (let seed = 0; seed < 20; seed++) {
      const r = new Random(seed)
      const ids = Array.from({ length: 600 }, () => r.below(40))
      const cuts = ids.map(() => (r.chance(0.1) ? 1 : 0))
      check(planner, ids, cuts)
      check(planner, ids, undefined, true)
      check(planner, ids, cuts, true)
    }
  })

  it('of few elements finds arrays again that many have left', () => {
    const planner = new VertexPlanner()
    for (const length of [40_000, 3, 300, 40_000])
      check(
        planner,
        Array.from({ length }, (_, n) => (n * 7) % 1000),
      )
  })
})
