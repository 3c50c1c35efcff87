import { describe, expect, it } from 'vitest'
import { nextTask, withFallback } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { beginDraw, sharedCounts } from '../../src/pipeline/index.ts'
import { compareFrame, type PreparedDraw, randomFrame, visitDraws } from '../support/frames/index.ts'
import { Random } from '../support/random/random.ts'
import { createSharingEngine } from '../support/sharing.ts'
import { workerModule } from '../support/worker-module.ts'

/** Draws of random frames that are canceled at any moment: the engine draws the frame right afterwards as the reference engine does. */

const REFERENCE = createReferenceEngine({})

/** Plain frames, whose draws are long, and others. */
const SEEDS = Array.from({ length: 12 }, (_, n) => 300_032 + n)

describe('draws that are canceled', () => {
  it.each([1, 2])(
    'leave an engine of %i threads that draws on',
    async (threads) => {
      const module = threads > 1 ? await workerModule() : undefined
      const compiled = createSharingEngine({ threads, width: 1, workerModule: module })
      const engine = withFallback(compiled, REFERENCE)
      const random = new Random(threads)
      const before = sharedCounts.draws
      let canceled = 0
      const cancel = async ({ pipeline, resources, call, options }: PreparedDraw): Promise<void> => {
        const draw = beginDraw(engine, pipeline, resources, call, options).value
        if (draw === undefined) return
        // Most moments are early ones: a draw has one turn or hundreds.
        for (let turns = random.below(2 ** random.below(9)); turns > 0; turns--) {
          if (draw.run(performance.now())) break
          if (turns % 16 === 0) await nextTask()
        }
        draw.stop('canceled')
        if (draw.result().stopped === 'canceled') canceled++
      }
      for (const seed of SEEDS) {
        const frame = randomFrame(seed)
        await visitDraws(frame, engine, cancel)
        const { verdict } = compareFrame(frame, REFERENCE, compiled, 4)
        expect({ seed, ...verdict, run: undefined }).toEqual({ seed, kind: 'equal', run: undefined })
      }
      compiled.dispose?.()
      expect(canceled).toBeGreaterThan(SEEDS.length / 2)
      if (threads > 1) expect(sharedCounts.draws - before).toBeGreaterThan(SEEDS.length / 4)
    },
    120_000,
  )
})
