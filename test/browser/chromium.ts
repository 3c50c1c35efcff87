import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type BrowserContext, chromium } from 'playwright-core'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

/** The Chromium that `HEDDLE_CHROMIUM` names, or the first on the path. Throws where there is none. */
export function findChromium(): string {
  const named = process.env.HEDDLE_CHROMIUM
  if (named !== undefined && named !== '') {
    if (existsSync(named)) return named
    throw new Error(`HEDDLE_CHROMIUM names ${named}, which is not there`)
  }
  const folders = (process.env.PATH ?? '').split(delimiter)
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path))
  if (found === undefined) {
    throw new Error(
      'this test needs Chromium: install it (Debian: apt-get install chromium), or name one in HEDDLE_CHROMIUM',
    )
  }
  return found
}

export interface Browser {
  readonly context: BrowserContext
  close(): Promise<void>
}

/** A headless Chromium with a profile of its own, which goes with it. */
export async function openBrowser(): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'heddle-chromium-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: findChromium(),
    headless: true,
    // Chromium does not start with its sandbox as root, nor in most containers; it loads pages of this repository only.
    chromiumSandbox: false,
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  return {
    context,
    async close() {
      await context.close()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
