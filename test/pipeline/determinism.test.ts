import { describe, expect, it } from 'vitest'
import { type Schedule, WAVE_WIDTHS } from '../../src/machine/index.ts'
import { Random } from '../support/random/random.ts'
import { leftOf as left, randomScene } from '../support/random-draws.ts'

// Random small draws leave the same bytes, counts and findings for every schedule and at every repetition.

const SCHEDULES: readonly Schedule[] = [
  ...WAVE_WIDTHS.map((waveWidth): Schedule => ({ waveWidth, order: 'forward', groupsInFlight: 1 })),
  { waveWidth: 32, order: 'reverse', groupsInFlight: 1 },
  { waveWidth: 8, order: 'reverse', groupsInFlight: 4 },
  { waveWidth: 32, order: { seed: 7 }, groupsInFlight: 1 },
  { waveWidth: 4, order: { seed: 1234 }, groupsInFlight: 3 },
]

describe('random draws', () => {
  it('leave the same for every width of a wave, every order and every repetition', () => {
    let covered = 0
    let tessellated = 0
    for (let seed = 1; seed <= 60; seed++) {
      const scene = randomScene(new Random(seed))
      const first = left(scene)
      if (!first.includes('"samplesPassed":0')) covered++
      if (scene.hs !== undefined && !first.includes('"dsInvocations":0')) tessellated++
      for (const schedule of SCHEDULES) {
        const again = left({ ...scene, options: { schedule } })
        const name = JSON.stringify(schedule)
        if (again !== first) expect(`seed ${seed}, ${name}: ${again}`).toBe(`seed ${seed}: ${first}`)
      }
    }
    // They are not all empty.
    expect(covered).toBeGreaterThan(20)
    expect(tessellated).toBeGreaterThan(10)
  })
})
