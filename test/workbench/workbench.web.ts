/** The extension as users install it, in a real workbench of VS Code: from the VSIX, in headless Chromium. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findChromium } from '../browser/chromium.ts'
import { SEVEN, sevenJob } from '../support/seven.ts'
import { workbenchFolder } from './package.ts'
import { serveWorkbench, type WorkbenchSite } from './serve.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PICTURES = join(ROOT, 'build/workbench-pictures')

const BROKEN = 'ps_5_0\ndcl_output o0.xyzw\ndcl_temps 1\nmvo r0.x, l(1.0)\nmov o0.xyzw, r1.xxxx\nret\n'

const FILES: Readonly<Record<string, string | Uint8Array>> = {
  'seven.dxasm': SEVEN,
  'seven.job.json': JSON.stringify(sevenJob(), undefined, 2),
  'broken.dxasm': BROKEN,
  'saxpy.dxbc': readFileSync(join(ROOT, 'test/kernels/saxpy.dxbc')),
}

const MANIFEST = {
  name: 'checks',
  publisher: 'heddle',
  version: '0.0.1',
  engines: { vscode: '^1.100.0' },
  browser: './checks.js',
  activationEvents: ['onFileSystem:memory', 'onStartupFinished'],
}

async function checksExtension(): Promise<Readonly<Record<string, Uint8Array>>> {
  const files = Object.entries(FILES).map(([name, content]) => [name, Buffer.from(content).toString('base64')])
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'test/workbench/checks.ts')],
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'browser',
    external: ['vscode'],
    define: { FILES: JSON.stringify(Object.fromEntries(files)) },
  })
  return { 'package.json': Buffer.from(JSON.stringify(MANIFEST)), 'checks.js': outputFiles[0]!.contents }
}

interface Seen {
  readonly name: string
  readonly value?: unknown
  readonly failed?: string
}

/** A line of the console, which the editor sets words and colors around. */
const CHECK = /check: (\{.*\}) color: /

const seen = new Map<string, Seen>()
const elsewhere: string[] = []
/** Messages that the editor shows. */
const said = new Set<string>()
let browser: Browser
let site: WorkbenchSite

/** Follows the checks to their end, with a picture behind each. */
async function followChecks(page: Page): Promise<void> {
  let pictures = Promise.resolve()
  await new Promise<void>((done) => {
    page.on('console', (message) => {
      const line = CHECK.exec(message.text())?.[1]
      if (line === undefined) return
      const found = JSON.parse(line) as Seen
      seen.set(found.name, found)
      const path = join(PICTURES, `${found.name}.png`)
      pictures = pictures.then(async () => {
        await page.screenshot({ path })
        for (const text of await page.locator('.notification-list-item-message').allTextContents()) said.add(text)
      })
      if (found.name === 'end') done()
    })
  })
  await pictures
}

beforeAll(async () => {
  execFileSync('node', ['scripts/build-vscode.mjs', '--package'], { cwd: ROOT, stdio: 'ignore' })
  mkdirSync(PICTURES, { recursive: true })
  site = await serveWorkbench(workbenchFolder(), join(ROOT, 'heddle.vsix'), await checksExtension())
  // Chromium does not start with its sandbox as root, nor in most containers.
  browser = await chromium.launch({ executablePath: findChromium(), chromiumSandbox: false, args: ['--disable-gpu'] })
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  context.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(site.origin) && !/^(?:blob|data):/.test(url)) elsewhere.push(url)
  })
  const page = await context.newPage()
  const followed = followChecks(page)
  await page.goto(site.origin)
  await followed
})
afterAll(async () => {
  await browser?.close()
  await site?.close()
})

const seenOf = (name: string): unknown => {
  const found = seen.get(name)
  expect(found?.failed, name).toBeUndefined()
  return found?.value
}

describe('the extension in VS Code', () => {
  it('knows the language and becomes active', () => {
    expect(seenOf('language')).toMatchObject({ version: '1.100.3', languageId: 'dxbc' })
  })

  it('has findings, and a fix that ends one', () => {
    expect(seenOf('diagnostics')).toEqual(['asm-mnemonic', 'validate-undeclared-temp'])
    expect(seenOf('fix')).toMatchObject({ line: 'mov r0.x, l(1.0)' })
  })

  it('says what an instruction does, and offers others', () => {
    expect(seenOf('hover')).toContain('ishl')
    expect(seenOf('completion')).toBeGreaterThan(50)
  })

  it('shows a compiled shader in an editor of its own', () => {
    expect(seenOf('container')).toContain('heddle.container')
  })

  it('has its listing as a document that is saved back into the container', () => {
    expect(seenOf('listing')).toEqual({ languageId: 'dxbc', profile: true, errors: [] })
    // nop is one dword.
    expect(seenOf('save')).toEqual({ saved: true, longer: 4 })
  })

  it('stops at a breakpoint and goes on to the end', () => {
    const expected = { started: true, line: 0, column: 1, source: 'seven.dxasm', scopes: true }
    expect(seenOf('debug')).toEqual(expected)
  })

  it('steps both ways', () => {
    expect(seenOf('frame')).toEqual({ stepped: true, back: true })
  })

  it('shows no messages', () => {
    expect([...said]).toEqual([])
  })

  it('requests nothing from elsewhere', () => {
    expect(elsewhere).toEqual([])
  })
})
