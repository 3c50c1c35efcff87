/**
 * Random frames in a page: compiled code and the reference engine leave the same there, and what the reference engine leaves
 * in Node. `npm run differential -- --draws 300 1 --browser` goes through other seeds.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FRAME_SEEDS } from '../support/frames/index.ts'
import { frameDigests } from './cases.ts'
import { type FramePage, openFramePage } from './frame-page.ts'

/** Frames of one call: as many as share their shaders. */
const PART = 64
/** Frames on two threads: the last of the fixed set are plain, with many triangles. */
const SHARED = 24
const parts = Array.from({ length: Math.ceil(FRAME_SEEDS.length / PART) }, (_, n) =>
  FRAME_SEEDS.slice(n * PART, (n + 1) * PART),
)

describe('random frames in a page', () => {
  let page: FramePage

  beforeAll(async () => {
    page = await openFramePage()
  })
  afterAll(async () => {
    await page?.close()
  })

  it.each(parts.map((seeds) => [seeds[0]!, seeds] as const))(
    'from seed %i on leave what they leave in Node',
    async (_, seeds) => {
      const { verdicts } = await page.run(seeds, 1)
      expect(verdicts).toEqual(frameDigests(seeds))
      expect(page.errors).toEqual([])
    },
  )

  it('leave the same on two threads, of which both take part', async () => {
    const seeds = FRAME_SEEDS.slice(-SHARED)
    const { verdicts, sharedDraws, tilesOfWorkers } = await page.run(seeds, 2)
    expect(verdicts).toEqual(frameDigests(seeds, 2))
    expect(sharedDraws).toBeGreaterThan(0)
    expect(tilesOfWorkers).toBeGreaterThan(0)
    expect(page.errors).toEqual([])
  })
})
