import { bundleForBrowser } from '../support/bundle.ts'
import type { FrameVerdicts } from './cases.ts'
import { openBrowser } from './chromium.ts'
import { openPage } from './open-page.ts'
import { ISOLATION, serve } from './server.ts'

/** A page that runs random frames: for the tests of browsers, and for the command that goes through other seeds. */

export interface FramePage {
  /** With several threads the page runs them in a worker, which may wait for others. */
  run(seeds: readonly number[], threads: number): Promise<FrameVerdicts>
  readonly errors: readonly string[]
  close(): Promise<void>
}

export async function openFramePage(): Promise<FramePage> {
  const [page, worker] = await Promise.all(
    ['test/browser/page.ts', 'src/host/draw-worker.ts'].map((path) => bundleForBrowser(path)),
  )
  const index = '<!doctype html><script type="module" src="/page.js"></script>'
  const texts = { '/index.html': index, '/page.js': page!.text, '/draw-worker.js': worker!.text }
  const browser = await openBrowser()
  const site = await serve({ texts, folders: {} }, ISOLATION)
  const opened = await openPage(browser.context, `${site.origin}/index.html`, 'globalThis.heddle !== undefined')
  return {
    errors: opened.errors,
    run(seeds, threads) {
      const given = JSON.stringify(seeds)
      const module = JSON.stringify(`${site.origin}/draw-worker.js`)
      return opened.evaluate<FrameVerdicts>(
        threads === 1 ? `heddle.frames(${given})` : `heddle.inWorker('frames', ${given}, ${threads}, ${module})`,
      )
    },
    async close() {
      await opened.close()
      site.close()
      await browser.close()
    },
  }
}
