/** What the page keeps to: no network after the load, isolation, stops, and what screen readers need. Takes the pictures of docs. */
import { mkdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { deflateRawSync } from 'node:zlib'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { openExample, pagesOfTests, pasteText, ready, SIZES, type SizeName, showTab, status } from './open.ts'

const { open, openReady } = pagesOfTests()

/** Reads, edits, runs, checks and steps. */
async function useEverything(page: Page): Promise<void> {
  await openExample(page, 'Missing barrier')
  await showTab(page, 'Inspect')
  await showTab(page, 'Run')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await status(page).filter({ hasText: 'ran:' }).waitFor()
  await showTab(page, 'Check')
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await status(page).filter({ hasText: 'checked: 5 errors' }).waitFor()
  await showTab(page, 'Step')
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('4 barriers passed').waitFor()
  await openExample(page, 'Tessellated surface')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await status(page).filter({ hasText: 'commands' }).waitFor()
}

describe('the network', () => {
  it('is not asked for anything once the page has loaded', async () => {
    const { page, site, elsewhere, errors } = await openReady()
    const before = site.answered.length
    await useEverything(page)
    // Workers of the engine load their part of draws from what the page has loaded already.
    const after = site.answered.slice(before).map((a) => a.path)
    expect(after.filter((path) => !path.startsWith('/draw-worker.js') && !path.startsWith('/chunk-'))).toEqual([])
    expect(elsewhere).toEqual([])
    expect(errors).toEqual([])
  })

  it('is not needed after the first visit', async () => {
    const { page, site, context } = await openReady({ serviceWorkers: 'allow' })
    await page.waitForSelector('html[data-offline=yes]')
    site.close()
    await context.setOffline(true)
    const again = await context.newPage()
    await again.goto(`${site.origin}/`)
    await ready(again)
    await useEverything(again)
  })
})

const isIsolated = (page: Page): Promise<boolean> => page.evaluate(() => crossOriginIsolated)

describe('isolation', () => {
  it('is there at once where the host sends the headers', async () => {
    const { page } = await openReady()
    expect(await isIsolated(page)).toBe(true)
  })

  it('comes by the service worker where the host sends none, and the page reloads once', async () => {
    const { page, site } = await openReady({ plain: true, serviceWorkers: 'allow' })
    await expect.poll(() => isIsolated(page).catch(() => false), { timeout: 20_000 }).toBe(true)
    await ready(page)
    const loads = site.answered.filter((a) => a.path === '/').length
    await useEverything(page)
    expect(site.answered.filter((a) => a.path === '/').length).toBe(loads)
  })

  it('does not come by a reload that would lose work', async () => {
    const { page } = await openReady({ plain: true, serviceWorkers: 'block' })
    expect(await isIsolated(page)).toBe(false)
    await useEverything(page)
  })

  it.each([
    [
      'refuses service workers',
      () => {
        navigator.serviceWorker.register = () => Promise.reject(new DOMException('blocked', 'SecurityError'))
      },
    ],
    [
      'keeps nothing for pages',
      () => {
        for (const name of ['serviceWorker', 'localStorage', 'sessionStorage']) {
          const get = (): never => {
            throw new DOMException('blocked', 'SecurityError')
          }
          Object.defineProperty(name === 'serviceWorker' ? navigator : window, name, { get })
        }
      },
    ],
  ])('is not needed where the browser %s', async (_, before) => {
    const own = await openReady({ plain: true, serviceWorkers: 'allow', before })
    expect(await isIsolated(own.page)).toBe(false)
    await useEverything(own.page)
    await own.page.locator('header button', { hasText: /^(?:Auto|Light|Dark)$/ }).click()
    expect(own.errors).toEqual([])
  })

  it('waits for the next visit where something was typed before', async () => {
    const own = await open({ plain: true, serviceWorkers: 'allow' })
    await own.page.locator('header h1').click()
    await own.page.waitForSelector('html[data-offline=yes]')
    expect(await isIsolated(own.page)).toBe(false)
    await own.page.reload()
    expect(await isIsolated(own.page)).toBe(true)
  })
})

const ENDLESS = `cs_5_0
dcl_uav_structured u0, 4
dcl_input vThreadID.x
dcl_temps 1
dcl_thread_group 64, 1, 1
mov r0.x, l(1)
loop
  iadd r0.x, r0.x, l(1)
  store_structured u0.x, l(0), l(0), r0.x
endloop
ret
`

/** A budget so large that only the user ends the run. */
async function openEndless(page: Page): Promise<void> {
  await pasteText(page, ENDLESS)
  await page.locator('.state.signed', { hasText: 'assembled' }).waitFor({ state: 'attached' })
  await showTab(page, 'Run')
  await page.getByText('Run description (JSON)').click()
  const json = page.getByRole('textbox', { name: 'run description' })
  const job = JSON.parse(await json.inputValue())
  await json.fill(JSON.stringify({ ...job, maxInstructions: 4_000_000_000 }))
  await json.press('Tab')
}

/** Milliseconds from a click on Stop until the page shows no work any more. */
function stopTime(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const begin = performance.now()
    document.querySelector<HTMLButtonElement>('button.stop')!.click()
    while (document.querySelector('.work') !== null) await new Promise((r) => setTimeout(r, 1))
    return performance.now() - begin
  })
}

describe('a shader that never ends', () => {
  it.each([
    ['Run', 'Run'],
    ['Check', 'Check'],
    ['Step', 'Continue'],
  ])('holds nothing up in %s, and Stop ends it', async (view, button) => {
    const { page, errors } = await openReady()
    await openEndless(page)
    await showTab(page, view)
    if (view === 'Step') {
      await page.getByRole('button', { name: 'Start' }).click()
      await page.getByRole('button', { name: 'Continue' }).waitFor()
    }
    await page.getByRole('button', { name: button, exact: view !== 'Step' }).click()
    await page.locator('button.stop').waitFor()
    // The page answers while it runs.
    await page.getByRole('button', { name: 'help and keys' }).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    // The run of the other workers goes on where this does not end it: the budget lasts for hours.
    console.log(`stop of ${view}: ${(await stopTime(page)).toFixed(0)} ms`)
    // Everything works again.
    await openExample(page, 'Missing barrier')
    await showTab(page, 'Check')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await status(page).filter({ hasText: 'checked: 5 errors' }).waitFor()
    expect(errors).toEqual([])
  })

  it('ends by itself where the description says nothing of a budget', async () => {
    const { page } = await openReady()
    await pasteText(page, ENDLESS)
    await page.locator('.state.signed', { hasText: 'assembled' }).waitFor()
    await showTab(page, 'Run')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.locator('.summary', { hasText: 'stopped' }).waitFor({ timeout: 60_000 })
  })
})

const HEAD = 'ps_5_0\ndcl_temps 4\n'
const linkOf = (state: unknown): string => `v1=${deflateRawSync(JSON.stringify(state)).toString('base64url')}`
const ofText = (text: string, more: object = {}): string =>
  linkOf({ files: [{ name: 'a.dxasm', text }], active: 0, ...more })

/** Opens a link, and gives the longest time that the page was held, in milliseconds. */
function heldBy(page: Page, link: string): Promise<number> {
  return page.evaluate(async (fragment) => {
    const sign = (): string => document.querySelector('footer')!.textContent!
    const before = sign()
    let longest = 0
    let last = performance.now()
    location.hash = fragment
    while (sign() === before || document.querySelector('.state.reading') !== null) {
      await new Promise((r) => setTimeout(r, 1))
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }
    return longest
  }, link)
}

describe('a link that holds as much as it can', () => {
  it.each([
    ['lines', ofText(`${HEAD}${'mov r0.x, r1.x\n'.repeat(130_000)}ret\n`), 'from the link'],
    ['errors', ofText(`${HEAD}${'mvo r0.x, r1.x\n'.repeat(130_000)}ret\n`), 'from the link'],
    ['one line', ofText(`${HEAD}mov r0.x, ${'r1.x '.repeat(390_000)}\nret\n`), 'from the link'],
    ['a description', ofText(`${HEAD}ret\n`, { job: `{"a":${'['.repeat(1_900_000)}`, view: 'run' }), 'from the link'],
    ['more than is read', ofText(' '.repeat(64 << 20)), 'it holds more than 2 MB'],
  ])('leaves the page to its user: %s', async (what, link, said) => {
    const { page, errors } = await openReady()
    console.log(`held by a link of ${what}: ${(await heldBy(page, link)).toFixed(0)} ms`)
    await page.locator('footer', { hasText: said }).waitFor()
    await openExample(page, 'Missing barrier')
    await showTab(page, 'Check')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await status(page).filter({ hasText: 'checked: 5 errors' }).waitFor()
    expect(errors).toEqual([])
  })
})

async function expectAccessible(page: Page, view: string): Promise<void> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze()
  const told = violations.map((v) => `${view}: ${v.id}: ${v.nodes.map((n) => n.html.slice(0, 120)).join(' | ')}`)
  expect(told).toEqual([])
}

const PICTURES = fileURLToPath(new URL('../../docs/page/', import.meta.url))
/** The pictures that docs/page.md shows; the others would only make the repository larger. */
const SHOWN: ReadonlySet<string> = new Set([
  'run-desktop',
  'inspect-phone',
  'check-desktop-dark',
  'step-desktop',
  'step-phone-dark',
])

/** Takes a picture for docs, where HEDDLE_PICTURES asks for it: they change with the fonts of the computer. */
async function takePicture(page: Page, name: string): Promise<void> {
  if (process.env.HEDDLE_PICTURES === undefined || !SHOWN.has(name)) return
  mkdirSync(PICTURES, { recursive: true })
  const path = `${PICTURES}${name}.jpg`
  await page.screenshot({ path, animations: 'disabled', type: 'jpeg', quality: 72 })
  console.log(`${name}.jpg: ${Math.round(statSync(path).size / 1000)} kB`)
}

const LOOKS: readonly { readonly size: SizeName; readonly dark: boolean }[] = (
  Object.keys(SIZES) as SizeName[]
).flatMap((size) => [
  { size, dark: false },
  { size, dark: true },
])

describe('every view', () => {
  it.each(LOOKS)('is accessible: $size, dark: $dark', async ({ size, dark }) => {
    const { page } = await openReady({ size, dark })
    const name = (view: string): string => `${view}-${size}${dark ? '-dark' : ''}`
    const look = async (view: string): Promise<void> => {
      await expectAccessible(page, name(view))
      await takePicture(page, name(view))
    }
    await page.locator('heddle-texels canvas').waitFor()
    await look('run')
    await openExample(page, 'Histogram')
    await showTab(page, 'Inspect')
    await page.getByRole('button', { name: 'RDEF' }).click()
    await page.locator('#pane-view').evaluate((e) => {
      e.scrollTop = 0
    })
    await look('inspect')
    if (size === 'phone') {
      await showTab(page, 'Listing')
      await look('listing')
    } else {
      await page.getByLabel('plain table').check()
      await look('plain')
      await page.getByLabel('plain table').uncheck()
    }
    await openExample(page, 'Missing barrier')
    await showTab(page, 'Check')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await page.locator('ol.findings .message').first().click()
    await page.getByRole('button', { name: 'Explain' }).first().click()
    await look('check')
    await showTab(page, 'Step')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('4 barriers passed').waitFor()
    await page.getByText('Findings', { exact: true }).click()
    await page.getByRole('button', { name: 'access at 19', exact: true }).click()
    await page.getByText('focus: thread 0').waitFor()
    await page.getByText('Findings', { exact: true }).click()
    await page.getByText('Memory', { exact: true }).click()
    await page.getByRole('columnheader', { name: 'last written' }).waitFor()
    await page.locator('.moment').evaluate((e) => {
      e.scrollTop = 0
    })
    await look('step')
    for (const [button, view] of [
      ['Examples', 'examples'],
      ['help and keys', 'help'],
      ['Share', 'share'],
      ['Paste', 'paste'],
    ] as const) {
      await page.getByRole('button', { name: button }).click()
      await page.getByRole('dialog').waitFor()
      await expectAccessible(page, name(view))
      await page.keyboard.press('Escape')
    }
  })
})

describe('settings of the user', () => {
  it('are heeded: colors of their own, less motion, 200 %', async () => {
    const { page } = await openReady()
    await page.emulateMedia({ forcedColors: 'active', reducedMotion: 'reduce' })
    // What a desktop has at 200 %.
    await page.setViewportSize({ width: 640, height: 400 })
    await page.reload()
    await ready(page)
    await openExample(page, 'Missing barrier')
    await showTab(page, 'Step')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('4 barriers passed').waitFor()
    // Nothing is beside the page, and the values below the buttons can be reached.
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
    await page.getByText('Registers', { exact: true }).scrollIntoViewIfNeeded()
    expect(await page.getByText('Registers', { exact: true }).isVisible()).toBe(true)
    await expectAccessible(page, 'forced colors')
    await showTab(page, 'Listing')
    const style = (selector: string, property: string): Promise<string> =>
      page
        .locator(selector)
        .first()
        .evaluate((e, name) => getComputedStyle(e).getPropertyValue(name), property)
    // Backgrounds are not drawn: the next line has a line around it, and the cursor stands still.
    expect(await style('heddle-editor .mark-next', 'outline-style')).toBe('solid')
    expect(await style('heddle-editor .cm-cursorLayer', 'animation-duration')).toMatch(/^0s$|^$/)
  })
})
