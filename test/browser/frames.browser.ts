/**
 * Random frames in a page: compiled code and the reference engine leave the same there, and what the reference engine leaves
 * in Node. HEDDLE_FRAMES is the number of frames, and HEDDLE_FIRST_FRAME the first seed, where other than the fixed set.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { numberVariable } from '../../bench/variables.mjs'
import { bundleForBrowser } from '../support/bundle.ts'
import { FRAME_SEEDS } from '../support/frames/index.ts'
import { frameDigests } from './cases.ts'
import { type Browser, openBrowser } from './chromium.ts'
import { type OpenPage, openPage } from './open-page.ts'
import { ISOLATION, type Site, serve } from './server.ts'

const FRAMES = numberVariable('HEDDLE_FRAMES', 0)
const FIRST_FRAME = numberVariable('HEDDLE_FIRST_FRAME', 1, { least: 0 })
const SEEDS = FRAMES === 0 ? FRAME_SEEDS : Array.from({ length: FRAMES }, (_, n) => FIRST_FRAME + n)
/** Frames of one call: as many as share their shaders. */
const PART = 64
const parts = Array.from({ length: Math.ceil(SEEDS.length / PART) }, (_, n) => SEEDS.slice(n * PART, (n + 1) * PART))

describe('random frames in a page', () => {
  let browser: Browser
  let site: Site
  let page: OpenPage

  beforeAll(async () => {
    browser = await openBrowser()
    const texts = {
      '/index.html': '<!doctype html><script type="module" src="/page.js"></script>',
      '/page.js': (await bundleForBrowser('test/browser/page.ts')).text,
    }
    site = await serve({ texts, folders: {} }, ISOLATION)
    page = await openPage(browser.context, `${site.origin}/index.html`, 'globalThis.heddle !== undefined')
  })
  afterAll(async () => {
    await page?.close()
    site?.close()
    await browser?.close()
  })

  it.each(parts.map((seeds) => [seeds[0]!, seeds] as const))(
    'from seed %i on leave what they leave in Node',
    async (_, seeds) => {
      const there = await page.evaluate<Record<string, string>>(`heddle.frames(${JSON.stringify(seeds)})`)
      expect(there).toEqual(frameDigests(seeds))
      expect(page.errors).toEqual([])
    },
  )
})
