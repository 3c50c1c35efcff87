/**
 * Random frames in headless Chromium (`npm run differential -- --draws 300 1 --browser`): compiled code and the reference engine there
 * against the reference engine in Node.
 */

import { frameDigests } from '../test/browser/cases.ts'
import { openFramePage } from '../test/browser/frame-page.ts'
import { FRAMES_OF_POOL } from '../test/support/frames/index.ts'

export interface BrowserRun {
  readonly count: number
  readonly first: number
  readonly threads: number
}

/** Answers how many frames differ. Frames that share their shaders run in one call. */
export async function runFramesInBrowser({ count, first, threads }: BrowserRun): Promise<number> {
  const page = await openFramePage()
  let [differ, shared, tiles] = [0, 0, 0]
  try {
    for (let seed = first; seed < first + count; ) {
      const end = Math.min(first + count, (Math.floor(seed / FRAMES_OF_POOL) + 1) * FRAMES_OF_POOL)
      const seeds = Array.from({ length: end - seed }, (_, n) => seed + n)
      // Node works out what is wanted while the page runs.
      const inPage = page.run(seeds, threads)
      const digests = frameDigests(seeds, threads)
      const { verdicts, sharedDraws, tilesOfWorkers } = await inPage
      for (const [name, want] of Object.entries(digests)) {
        if (verdicts[name] === want) continue
        differ++
        console.log(`${name} in the page, ${threads} threads: ${verdicts[name]?.slice(0, 900)}; in Node ${want}`)
        const replay = name.replace('seed', 'npm run differential -- --draws 1')
        console.log(`  replay: ${replay} --browser --threads ${threads}`)
      }
      shared += sharedDraws
      tiles += tilesOfWorkers
      seed = end
      console.log(`${seed - first} of ${count} run in the page, ${differ} differ`)
    }
    for (const error of page.errors) console.log(`the page says: ${error}`)
    if (threads > 1) console.log(`${shared} draws were shared with workers, which ran ${tiles} of their tiles`)
    return differ + page.errors.length
  } finally {
    await page.close()
  }
}
