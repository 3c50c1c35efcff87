import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { buildPage } from '../../scripts/web/build.ts'
import { type PageSite, servePage } from '../../scripts/web/serve.ts'
import { findChromium } from '../browser/chromium.ts'

/** The sizes that every view is looked at in. */
export const SIZES = {
  desktop: { width: 1280, height: 800 },
  phone: { width: 390, height: 780 },
} as const
export type SizeName = keyof typeof SIZES

interface Built {
  readonly folder: string
  remove(): void
}

export async function buildOnce(connect: readonly string[] = []): Promise<Built> {
  const folder = mkdtempSync(join(tmpdir(), 'heddle-page-'))
  await buildPage(folder, connect)
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

const openChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findChromium(),
    // Chromium does not start with its sandbox as root, nor in most containers; it loads pages of this repository only.
    chromiumSandbox: false,
    args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-sync'],
  })

/** The page in a browser of its own, with everything that it asks for and complains of. */
export interface OpenedPage {
  readonly page: Page
  readonly context: BrowserContext
  readonly site: PageSite
  /** Errors that nobody caught, and errors on the console: those of the policy are among them. */
  readonly errors: string[]
  /** Addresses outside of the site. */
  readonly elsewhere: string[]
  close(): Promise<void>
}

interface OpenOptions {
  readonly size?: SizeName
  readonly dark?: boolean
  /** Behind the site's origin. */
  readonly path?: string
  /** Without the headers that `_headers` has. */
  readonly plain?: boolean
  readonly serviceWorkers?: 'allow' | 'block'
  /** What runs in the page before anything of it. */
  readonly before?: () => void
  /** Another build than that of the file's tests. */
  readonly built?: Built
}

async function openHeddle(browser: Browser, built: Built, options: OpenOptions = {}): Promise<OpenedPage> {
  const { size = 'desktop', dark = false, path = '/', plain = false, serviceWorkers = 'block' } = options
  const site = await servePage(built.folder, plain)
  const context = await browser.newContext({
    viewport: SIZES[size],
    colorScheme: dark ? 'dark' : 'light',
    serviceWorkers,
    hasTouch: size === 'phone',
  })
  const page = await context.newPage()
  const errors: string[] = []
  const elsewhere: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  context.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(site.origin) && !url.startsWith('blob:')) elsewhere.push(url)
  })
  if (options.before !== undefined) await page.addInitScript(options.before)
  await page.goto(`${site.origin}${path}`)
  const close = async (): Promise<void> => {
    await context.close()
    site.close()
  }
  return { page, context, site, errors, elsewhere, close }
}

interface Pages {
  readonly open: (options?: OpenOptions) => Promise<OpenedPage>
  /** Opens the page and waits until it is ready. */
  readonly openReady: (options?: OpenOptions) => Promise<OpenedPage>
}

/** Builds the page and starts Chromium for the tests of a file; what a test opened is closed behind it. */
export function pagesOfTests(): Pages {
  let built: Built
  let browser: Browser
  const opened: OpenedPage[] = []
  beforeAll(async () => {
    built = await buildOnce()
    browser = await openChromium()
  })
  afterEach(async () => {
    for (const each of opened.splice(0)) await each.close()
  })
  afterAll(async () => {
    await browser?.close()
    built?.remove()
  })
  const open = async (options: OpenOptions = {}): Promise<OpenedPage> => {
    const made = await openHeddle(browser, options.built ?? built, options)
    opened.push(made)
    return made
  }
  const openReady = async (options: OpenOptions = {}): Promise<OpenedPage> => {
    const made = await open(options)
    await ready(made.page)
    return made
  }
  return { open, openReady }
}

/** The line that says what the page does and has done. */
export const status = (page: Page) => page.getByRole('status')

/** Everything that is loaded behind the first listing is there. */
export const ready = (page: Page): Promise<unknown> => page.waitForSelector('html[data-ready=yes]')

export async function openExample(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Examples' }).click()
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
  await page.locator('.state', { hasText: 'signed' }).waitFor({ state: 'attached' })
}

export const showTab = (page: Page, name: string): Promise<void> => page.getByRole('tab', { name, exact: true }).click()

/** The bytes of a file that the page hands to the browser. */
export async function downloaded(page: Page, click: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
  const [download] = await Promise.all([page.waitForEvent('download'), click()])
  const parts: Buffer[] = []
  for await (const part of await download.createReadStream()) parts.push(part as Buffer)
  return { name: download.suggestedFilename(), bytes: Buffer.concat(parts) }
}

/** The text in the listing, whichever of its forms is shown. */
export async function pasteText(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: 'Paste' }).click()
  await page.getByRole('dialog').getByRole('textbox').fill(text)
  await page.getByRole('dialog').getByRole('button', { name: 'Open', exact: true }).click()
}
