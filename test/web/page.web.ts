/** The page as people use it: every row of what it must have, in headless Chromium, under its policy. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { encodeLink } from '../../apps/web/index.ts'
import { checkDescription } from '../../src/host/check.ts'
import { runFrame, runJob } from '../../src/host/job.ts'
import { createHost } from '../../src/host/node/index.ts'
import { assembleOrThrow, disassembleOrThrow } from '../../src/index.ts'
import {
  buildOnce,
  downloaded,
  type OpenedPage,
  openExample,
  pagesOfTests,
  pasteText,
  ready,
  SIZES,
  type SizeName,
  showTab,
  status,
} from './open.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string): Uint8Array => new Uint8Array(readFileSync(`${ROOT}${path}`))
const HISTOGRAM = read('examples/testing/shaders/histogram.dxbc')

const { open, openReady } = pagesOfTests()

/** What no page may ever do: break the policy, throw, or ask others. */
function expectQuiet({ errors, elsewhere }: OpenedPage): void {
  expect(errors).toEqual([])
  expect(elsewhere).toEqual([])
}

/** Whether an element is where its scrolled parent shows it. */
const isInside = (e: Element): boolean => {
  const [own, around] = [e.getBoundingClientRect(), e.parentElement!.getBoundingClientRect()]
  return own.top >= around.top && own.bottom <= around.bottom
}

/** The same from left to right. */
const isAcross = (e: Element): boolean => {
  const [own, around] = [e.getBoundingClientRect(), e.parentElement!.getBoundingClientRect()]
  return own.width > 0 && own.left >= around.left && own.right <= around.right
}

/** Another site with one shader. */
async function serveShader(headers: Readonly<Record<string, string>>) {
  let requests = 0
  const server = createServer((_, response) => {
    requests++
    response.writeHead(200, { 'Content-Type': 'application/octet-stream', ...headers }).end(HISTOGRAM)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, requests: () => requests, close: () => server.close() }
}

const sizes = Object.keys(SIZES) as SizeName[]

async function pick(page: Page, files: readonly { name: string; bytes: Uint8Array }[]): Promise<void> {
  const payload = files.map(({ name, bytes }) => ({
    name,
    mimeType: 'application/octet-stream',
    buffer: Buffer.from(bytes),
  }))
  await page.locator('header input[type=file]').setInputFiles(payload)
}

describe('the start', () => {
  it('shows a listing with below 300 kB, compressed', async () => {
    const { page, site } = await open()
    await page.locator('.code-row', { hasText: 'cs_5_0' }).first().waitFor()
    // The first listing may be there before everything that was asked for has been answered: all of that counts too.
    const loaded = site.answered.filter(({ path }) => !/engine|debugger|language/.test(path))
    const listing = site.answered.findIndex(({ path }) => path.includes('engine'))
    const before = listing < 0 ? loaded : site.answered.slice(0, listing)
    const kilobytes = before.reduce((sum, a) => sum + a.byteLength, 0) / 1000
    console.log(`first listing: ${kilobytes.toFixed(0)} kB compressed in ${before.length} files`)
    expect(kilobytes).toBeLessThan(300)
    expect(kilobytes).toBeGreaterThan(50)
  })

  it.each(sizes)('runs an example by itself, with what Node gives bit for bit: %s', async (size) => {
    const own = await openReady({ size })
    const { page } = own
    await page.locator('heddle-texels canvas').waitFor()
    const { bytes } = await downloaded(page, () => page.getByRole('button', { name: 'Save bytes' }).first().click())
    const job = readFileSync(`${ROOT}apps/web/examples/mandelbrot.job.json`, 'utf8')
    const report = await runJob(job, createHost({ folder: `${ROOT}apps/web/examples` }))
    expect(bytes.equals(report.run!.prepared.resources[0]!.resource!.storage.bytes)).toBe(true)
    expectQuiet(own)
  })

  it('has eleven examples with a sentence each, which all open', async () => {
    const own = await openReady()
    const { page } = own
    await page.getByRole('button', { name: 'Examples' }).click()
    const items = page.locator('.examples li')
    expect(await items.count()).toBe(11)
    const names = await items.locator('button').allTextContents()
    const sentences = await items.locator('p').allTextContents()
    expect(sentences.every((s) => /^[A-Z].{30,}\.$/.test(s))).toBe(true)
    await page.keyboard.press('Escape')
    for (const name of names) await openExample(page, name)
    expectQuiet(own)
  })
})

describe('files', () => {
  it.each(sizes)('are picked, several at once, and saved as they were: %s', async (size) => {
    const own = await openReady({ size })
    const { page } = own
    const listing = new TextEncoder().encode('cs_5_0\ndcl_thread_group 1, 1, 1\nret\n')
    await pick(page, [
      { name: 'h.dxbc', bytes: HISTOGRAM },
      { name: 'l.dxasm', bytes: listing },
    ])
    if (size === 'phone') await showTab(page, 'Listing')
    await page.getByRole('tab', { name: 'l.dxasm' }).waitFor()
    expect(await page.getByRole('tab', { name: 'h.dxbc' }).getAttribute('aria-selected')).toBe('true')
    await page.locator('.state.signed').waitFor()
    await page.getByRole('button', { name: 'Share' }).click()
    const container = await downloaded(page, () => page.getByRole('button', { name: 'Save .dxbc' }).click())
    expect(container.name).toBe('h.dxbc')
    expect(container.bytes.equals(HISTOGRAM)).toBe(true)
    const text = await downloaded(page, () => page.getByRole('button', { name: 'Save .dxasm' }).click())
    expect(text.bytes.toString()).toBe(disassembleOrThrow(HISTOGRAM))
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'close h.dxbc' }).click()
    expect(await page.getByRole('tab', { name: 'h.dxbc' }).count()).toBe(0)
    expectQuiet(own)
  })

  it.each([
    ['hexadecimal digits', Buffer.from(HISTOGRAM).toString('hex').replace(/(..)/g, '$1 ')],
    ['base64', Buffer.from(HISTOGRAM).toString('base64')],
  ])('are pasted as %s', async (_, text) => {
    const { page } = await openReady()
    await pasteText(page, text)
    await page.getByRole('tab', { name: 'pasted.dxbc' }).waitFor()
    await page.locator('.state.signed').waitFor()
    await showTab(page, 'Inspect')
    await page.getByText(`${HISTOGRAM.length} bytes`).first().waitFor()
  })

  it('are dropped, and what cannot be read is said', async () => {
    const { page } = await openReady()
    const drop = async (name: string, bytes: readonly number[]): Promise<void> => {
      await page.evaluate(
        ([n, b]) => {
          const data = new DataTransfer()
          data.items.add(new File([Uint8Array.from(b as number[])], n as string))
          window.dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }))
        },
        [name, bytes] as const,
      )
    }
    await drop('dropped.cso', [...HISTOGRAM])
    await page.getByRole('tab', { name: 'dropped.cso' }).waitFor()
    await drop('effect.fxo', [1, 0x09, 0xff, 0xfe, 0, 0])
    await page.getByRole('alert').filter({ hasText: 'effect.fxo: it is a compiled effect' }).waitFor()
  })

  it('with broken bytes are opened as far as they go', async () => {
    const own = await openReady()
    const { page } = own
    await pick(page, [{ name: 'cut.dxbc', bytes: HISTOGRAM.slice(0, 500) }])
    await showTab(page, 'Inspect')
    await page.locator('#pane-view .findings .error').first().waitFor()
    expectQuiet(own)
  })
})

describe('links', () => {
  it('bring everything back, and run nothing', async () => {
    const own = await openReady()
    const { page, site } = own
    await openExample(page, 'Missing barrier')
    await page.getByRole('button', { name: 'Share' }).click()
    const link = await page.getByRole('dialog').getByRole('textbox').inputValue()
    expect(link.length).toBeLessThan(4000)
    const asked = site.answered.length
    await page.goto('about:blank')
    await page.goto(link)
    await ready(page)
    expect(site.answered.slice(asked).every((a) => !a.path.includes('v1'))).toBe(true)
    await page.getByRole('tab', { name: 'pick-best.asm' }).waitFor()
    await page.getByText('nothing of it has run').waitFor()
    expect(await page.getByRole('tab', { name: 'Check' }).getAttribute('aria-selected')).toBe('true')
    expectQuiet(own)
  })

  it.each(['v1=AAAA', 'v2=AAAA'])('that cannot be opened say so: %s', async (fragment) => {
    const own = await openReady({ path: `/#${fragment}` })
    await own.page.getByRole('alert').filter({ hasText: 'this link cannot be opened' }).waitFor()
    expectQuiet(own)
  })

  it('of others cannot reach the network, nor run by themselves', async () => {
    const hostile = '"><img src="http://example.com/x.png"><script>fetch("http://example.com")</script>'
    const fragment = await encodeLink({
      files: [
        { name: hostile, text: `// ${hostile}\ncs_5_0\ndcl_temps 1\ndcl_thread_group 1, 1, 1\nloop\nendloop\nret\n` },
      ],
      active: 0,
      job: JSON.stringify({ name: hostile, comment: hostile, shader: hostile, dispatch: [1, 1, 1] }),
      view: 'run',
    })
    const own = await openReady({ path: `/#${fragment}` })
    const { page } = own
    expect(await page.locator('img, script:not([src])').count()).toBe(0)
    expect(await page.locator('.work').count()).toBe(0)
    for (const view of ['Inspect', 'Run', 'Check', 'Step']) await showTab(page, view)
    expectQuiet(own)
  })

  it('lead the debugger to a moment and a thread', async () => {
    const folder = `${ROOT}examples/check-missing-barrier`
    const fragment = await encodeLink({
      files: [{ name: 'pick-best.asm', text: readFileSync(`${folder}/pick-best.asm`, 'utf8') }],
      active: 0,
      job: readFileSync(`${folder}/pick-best.job.json`, 'utf8'),
      view: 'step',
      clock: 19,
      thread: 3,
    })
    const own = await openReady({ path: `/#${fragment}` })
    await own.page.getByRole('button', { name: 'Start' }).click()
    await own.page.getByText('focus: thread 3').waitFor()
    expect(await clock(own.page)).toBe('19')
    expectQuiet(own)
  })

  it('that are broken say so', async () => {
    const { page } = await openReady({ path: '/#v1=AAAA' })
    await page.getByRole('alert').filter({ hasText: 'this link cannot be opened' }).waitFor()
  })

  it('by address open shaders of the same site, and the policy refuses others', async () => {
    const { page } = await openReady({ path: '/?url=icon.svg' })
    await page.getByRole('alert').filter({ hasText: 'it is no compiled shader' }).waitFor()
    const other = await open({ path: '/?url=https%3A%2F%2Fexample.com%2Fa.dxbc' })
    other.page.on('dialog', (d) => void d.accept())
    await other.page.reload()
    await other.page
      .getByRole('alert')
      .filter({ hasText: 'the policy of this page allows it no other sites' })
      .waitFor()
    expect(other.elsewhere).toEqual([])
  })

  it('by address open shaders of another site that the policy names and that allows it', async () => {
    const sites = await Promise.all([serveShader({ 'Access-Control-Allow-Origin': '*' }), serveShader({})])
    const [allows, refuses] = sites.map((s) => s.origin)
    const own = await buildOnce(sites.map((s) => s.origin))
    try {
      const openFrom = async (origin: string, answer: 'accept' | 'dismiss'): Promise<Page> => {
        const { page, site } = await open({ built: own })
        page.on('dialog', (d) => void d[answer]())
        await page.goto(`${site.origin}/?url=${encodeURIComponent(`${origin}/shaders/histogram.dxbc`)}`)
        return page
      }
      const page = await openFrom(allows!, 'accept')
      await page.getByRole('tab', { name: 'histogram.dxbc' }).waitFor()
      await page.locator('.state', { hasText: 'signed' }).waitFor({ state: 'attached' })
      const refused = await openFrom(refuses!, 'accept')
      await refused.getByRole('alert').filter({ hasText: 'Access-Control-Allow-Origin' }).waitFor()
      const asked = sites[0]!.requests()
      await ready(await openFrom(allows!, 'dismiss'))
      expect(sites[0]!.requests()).toBe(asked)
    } finally {
      own.remove()
      for (const s of sites) s.close()
    }
  })
})

describe('inspecting', () => {
  it.each(sizes)('shows tables, and a row marks its lines: %s', async (size) => {
    const own = await openReady({ size })
    const { page } = own
    await pick(page, [{ name: 'h.dxbc', bytes: HISTOGRAM }])
    await showTab(page, 'Inspect')
    for (const title of ['Bindings', 'Statistics', 'Chunks']) await page.getByRole('heading', { name: title }).waitFor()
    // The reflection of histogram.hlsl: a constant buffer with count and perThread, at bytes 0 and 4.
    const layout = page.locator('tr', { has: page.getByRole('button', { name: 'perThread' }) })
    expect((await layout.locator('td').allTextContents()).slice(0, 3)).toEqual(['uint', '4', '0.y'])
    const u0 = page.locator('tr', { hasText: 'u0' }).getByRole('button').first()
    await u0.click()
    expect(await u0.getAttribute('aria-pressed')).toBe('true')
    if (size === 'phone') await showTab(page, 'Listing')
    const marked = await page.locator('heddle-editor .mark-selected').allTextContents()
    expect(marked.length).toBeGreaterThan(0)
    expect(marked.every((line) => /\bu0\b/.test(line))).toBe(true)
    if (size === 'phone') await showTab(page, 'Inspect')
    await page.getByRole('button', { name: 'SHEX' }).click()
    await page.locator('.hex-row').first().waitFor()
    // cs_5_0: program type 5, version 5.0.
    expect(await page.locator('.hex-row').first().textContent()).toMatch(/^00000050 00 05 00/)
    expectQuiet(own)
  })
})

describe('editing', () => {
  it('tells errors while typing, and what is assembled is what Node assembles', async () => {
    const own = await openReady()
    const { page } = own
    const text = 'cs_5_0\ndcl_uav_structured u0, 4\ndcl_temps 1\ndcl_thread_group 1, 1, 1\nmov r0.x, l(3)\nret \n'
    await pasteText(page, text)
    await page.locator('.state.signed').waitFor()
    const editor = page.locator('heddle-editor .cm-content')
    await editor.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('bogus r0.x\n')
    await page.locator('.state.error').waitFor()
    await page.locator('heddle-editor .cm-lintRange-error').first().waitFor()
    for (let i = 0; i < 11; i++) await page.keyboard.press('Backspace')
    await page.keyboard.type('ret \n')
    await page.locator('.state.signed', { hasText: 'assembled and signed' }).waitFor()
    await page.getByRole('button', { name: 'Share' }).click()
    const { bytes } = await downloaded(page, () => page.getByRole('button', { name: 'Save .dxbc' }).click())
    expect(bytes.equals(assembleOrThrow(`${text}ret \n`))).toBe(true)
    expectQuiet(own)
  })

  it('offers fixes of a finding, by a button and by a key', async () => {
    const own = await openReady()
    const { page } = own
    await pasteText(page, 'cs_5_0\ndcl_thread_group 1, 1, 1\nmvo r1.x, l(3)\nret \n')
    const editor = page.locator('heddle-editor')
    await editor.locator('.cm-lintRange-error').first().hover()
    await editor.getByRole('button', { name: 'write mov' }).click()
    await editor.locator('.cm-line', { hasText: 'mov r1.x' }).waitFor()
    // What is wrong now is told of the text as it has become.
    await editor.locator('.cm-lintRange-error', { hasText: 'r1' }).waitFor()
    await editor.locator('.cm-line', { hasText: 'mov r1.x' }).click()
    const fixedLine = editor.locator('.cm-line', { hasText: 'dcl_temps 2' })
    await expect
      .poll(async () => {
        if ((await fixedLine.count()) === 0) await page.keyboard.press('Control+.')
        return fixedLine.count()
      })
      .toBe(1)
    await page.locator('.state.signed', { hasText: 'assembled and signed' }).waitFor()
    expectQuiet(own)
  })

  it('has the language server: words about an instruction under the cursor', async () => {
    const own = await openReady()
    const { page } = own
    await pasteText(page, 'cs_5_0\ndcl_temps 1\ndcl_thread_group 1, 1, 1\nmov r0.x, l(3)\nret \n')
    await page.locator('.state.signed').waitFor()
    await page
      .locator('heddle-editor .cm-line', { hasText: 'mov r0.x' })
      .locator('span', { hasText: 'mov' })
      .first()
      .hover()
    await page.locator('heddle-editor .cm-tooltip-hover, heddle-editor .cm-lsp-hover-tooltip').first().waitFor()
    expectQuiet(own)
  })
})

/** Bytes of the first output of an example, saved from the page. */
async function firstOutput(page: Page, name: string): Promise<Buffer> {
  await openExample(page, name)
  await showTab(page, 'Run')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await status(page).filter({ hasText: 'ran:' }).waitFor()
  return (await downloaded(page, () => page.getByRole('button', { name: 'Save bytes' }).first().click())).bytes
}

describe('running', () => {
  it('runs the shaders of a pipeline where Run is pressed as soon as the first of them is read', async () => {
    const own = await openReady()
    const { page } = own
    await page.getByRole('button', { name: 'Examples' }).click()
    await page.evaluate(() => {
      const runWhereRead = (): void => {
        const isRead = document.querySelector('.state')?.textContent.startsWith('assembled')
        const button = document.querySelector<HTMLButtonElement>('button.primary')
        if (!isRead || button?.disabled !== false) return
        observer.disconnect()
        button.click()
      }
      const observer = new MutationObserver(runWhereRead)
      observer.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })
    })
    await page.getByRole('dialog').getByRole('button', { name: 'Tessellated surface', exact: true }).click()
    await status(page).filter({ hasText: '3 commands' }).waitFor()
    expectQuiet(own)
  })

  it('says which shader of a pipeline has errors', async () => {
    const own = await openReady()
    const { page } = own
    await openExample(page, 'Tessellated surface')
    await page.getByRole('tab', { name: 'tiles.ps.asm' }).click()
    await page.locator('heddle-editor .cm-line', { hasText: 'ret' }).click()
    await page.keyboard.press('End')
    await page.keyboard.type('urn')
    await page.locator('.state', { hasText: 'error' }).waitFor()
    await page.getByRole('tab', { name: 'patch.vs.asm' }).click()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('its tab shows them; fix them to run it').waitFor()
    await page.getByText(/tiles\.ps\.asm.*it has errors/).waitFor()
    expectQuiet(own)
  })

  it.each([
    ['Tessellated surface', 'tessellation'],
    ['Particles', 'particles'],
    ['Shadow map', 'shadow-map'],
  ])('%s draws what Node draws, bit for bit', async (name, file) => {
    const own = await openReady()
    const bytes = await firstOutput(own.page, name)
    const folder = `${ROOT}examples/drawing`
    const report = await runFrame(readFileSync(`${folder}/${file}.job.json`, 'utf8'), createHost({ folder }))
    const resources = [...report.run!.prepared.resources.values()]
    const shown = await own.page.locator('.output h3 button').first().textContent()
    const picture = resources.find((r) => r.name === shown)!.resource
    expect(bytes.equals(picture.storage.bytes)).toBe(true)
    expectQuiet(own)
  })

  it.each(sizes)('takes resources by form, and shows tables by the names of the reflection: %s', async (size) => {
    const own = await openReady({ size })
    const { page } = own
    await openExample(page, 'Histogram')
    await showTab(page, 'Run')
    await page.getByLabel('b0 count').fill('2')
    await page.getByLabel('b0 count').press('Tab')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await status(page).filter({ hasText: 'ran:' }).waitFor()
    const folder = `${ROOT}examples/testing`
    const description = JSON.parse(readFileSync(`${folder}/histogram.job.json`, 'utf8'))
    description.resources[2].values.count = 2
    const report = await runJob(description, createHost({ folder }))
    const u0 = report.run!.prepared.resources.find((r) => r.slot.register === 'u')!
    const { bytes } = await downloaded(page, () => page.getByRole('button', { name: 'Save bytes' }).first().click())
    expect(bytes.equals(u0.resource!.storage.bytes)).toBe(true)
    await page.getByRole('button', { name: /^b0/ }).click()
    await page.locator('.output td', { hasText: 'perThread' }).waitFor()
    expectQuiet(own)
  })

  it('makes a description of a shader that came alone, with generators', async () => {
    const own = await openReady()
    const { page } = own
    await pick(page, [{ name: 'alone.dxbc', bytes: HISTOGRAM }])
    await showTab(page, 'Run')
    await page.getByLabel('t0 contents').selectOption('ramp-u32')
    await page.getByLabel('t0 step').fill('3')
    await page.getByLabel('t0 step').press('Tab')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await status(page).filter({ hasText: 'ran:' }).waitFor()
    await page.getByRole('button', { name: 'Share' }).click()
    const job = await downloaded(page, () => page.getByRole('button', { name: 'Save .job.json' }).click())
    const text = job.bytes.toString()
    expect(text).toContain('"kind": "ramp-u32"')
    const here = await runJob(text, { ...createHost({ folder: ROOT }), readFile: () => HISTOGRAM })
    await page.keyboard.press('Escape')
    const { bytes } = await downloaded(page, () => page.getByRole('button', { name: 'Save bytes' }).first().click())
    const u0 = here.run!.prepared.resources.find((r) => r.slot.register === 'u')!
    expect(bytes.equals(u0.resource!.storage.bytes)).toBe(true)
    expectQuiet(own)
  })

  it('shows buffers as pictures of their bytes', async () => {
    const own = await openReady()
    const { page } = own
    await openExample(page, 'Histogram')
    await showTab(page, 'Run')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await status(page).filter({ hasText: 'ran:' }).waitFor()
    const shownAs = page.getByRole('combobox', { name: / shown as$/ }).first()
    await shownAs.selectOption({ label: 'picture of integers' })
    const width = page.getByLabel('pixels in a row')
    await width.fill('8')
    await width.press('Enter')
    await page.locator('heddle-texels canvas').first().waitFor()
    await expect.poll(() => page.locator('heddle-texels canvas').first().getAttribute('width')).toBe('8')
    expectQuiet(own)
  })

  it('shows the texel under the cursor, and zooms', async () => {
    const { page } = await openReady()
    const canvas = page.locator('heddle-texels canvas')
    const before = (await canvas.boundingBox())!
    await canvas.hover({ position: { x: 10.5, y: 20.5 } })
    expect(await page.locator('.texel').textContent()).toMatch(/^\(10, 20\): r [\d.]+, g [\d.]+, b [\d.]+, a 1$/)
    await page.getByRole('button', { name: 'zoom in' }).click()
    expect((await canvas.boundingBox())!.width).toBe(2 * before.width)
    await page.locator('.picture').focus()
    await page.keyboard.press('ArrowRight')
    expect(await page.locator('.texel').textContent()).toContain('(11, 20)')
  })
})

describe('keys alone', () => {
  it('keep their place where what was pressed goes, and are followed by what is under way', async () => {
    const own = await openReady()
    const { page } = own
    await page.getByRole('button', { name: 'Examples' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Missing barrier' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('.state', { hasText: 'signed' }).waitFor({ state: 'attached' })
    await page.getByRole('tab', { name: 'pick-best.asm' }).waitFor()
    expect(await page.evaluate(() => document.activeElement!.id)).toBe('pane-view')
    const press = async (name: string): Promise<void> => {
      await page.locator('#pane-view').getByRole('button', { name, exact: true }).focus()
      await page.keyboard.press('Enter')
    }
    const focused = () => page.evaluate(() => document.activeElement!.closest('#pane-view') !== null)
    await showTab(page, 'Run')
    await press('Run')
    await status(page).filter({ hasText: 'ran:' }).waitFor()
    expect(await page.evaluate(() => document.activeElement!.textContent)).toBe('Run')
    await showTab(page, 'Check')
    await press('Check')
    const items = page.locator('#pane-view ol.findings > li')
    await items.first().getByRole('button', { name: 'Suppress' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => items.count()).toBe(4)
    expect(await focused()).toBe(true)
    await showTab(page, 'Step')
    await press('Start')
    await page.getByRole('button', { name: 'Continue' }).waitFor()
    // Letters step where the view has the focus.
    await expect.poll(focused).toBe(true)
    await page.keyboard.press('n')
    await expect.poll(() => page.locator('.time output').innerText()).toBe('1')
    expectQuiet(own)
  })
})

describe('checking', () => {
  it.each(sizes)('finds what Node finds, and shows both places: %s', async (size) => {
    const own = await openReady({ size })
    const { page } = own
    await openExample(page, 'Missing barrier')
    await showTab(page, 'Check')
    await page.getByRole('button', { name: 'Check', exact: true }).click()
    await status(page).filter({ hasText: 'checked:' }).waitFor()
    const folder = `${ROOT}examples/check-missing-barrier`
    const here = await checkDescription(readFileSync(`${folder}/pick-best.job.json`, 'utf8'), createHost({ folder }))
    const items = page.locator('#pane-view ol.findings > li')
    expect(await items.count()).toBe(here.findings.length)
    const texts = await items.locator('.message').allTextContents()
    expect(texts).toEqual(here.findings.map((f) => `${f.severity}: ${f.message}`))
    await items.first().locator('.message').click()
    expect(await items.first().textContent()).toContain(here.findings[0]!.other!.listing)
    if (size === 'phone') await page.getByRole('button', { name: 'Show in the listing' }).click()
    const editor = page.locator('heddle-editor')
    expect(await page.getByRole('tab', { name: 'pick-best.asm' }).evaluate(isAcross)).toBe(true)
    const signs = editor.locator('.cm-lint-marker-error')
    const drawn = await signs.first().evaluate((e) => [getComputedStyle(e, '::before').content, e.clientWidth > 5])
    expect(drawn).toEqual(['"✖"', true])
    expect((await editor.locator('.mark-finding').textContent())?.trim()).toBe(here.findings[0]!.site.listing)
    expect((await editor.locator('.mark-other').textContent())?.trim()).toBe(here.findings[0]!.other!.listing)
    expect(await editor.locator('.cm-lintRange-error').count()).toBeGreaterThan(1)
    if (size === 'phone') await showTab(page, 'Check')
    await items.first().getByRole('button', { name: 'Explain' }).click()
    expect((await page.locator('.explanation').first().textContent())!.length).toBeGreaterThan(80)
    await items.first().getByRole('button', { name: 'Suppress' }).click()
    await expect.poll(() => items.count()).toBe(here.findings.length - 1)
    expectQuiet(own)
  })
})

/** The moment that the slider shows. */
const clock = (page: Page): Promise<string> => page.locator('.time output').innerText()

describe('stepping', () => {
  it.each(sizes)('goes both ways, through lanes, memory and time: %s', async (size) => {
    const own = await openReady({ size })
    const { page } = own
    await openExample(page, 'Missing barrier')
    await showTab(page, 'Step')
    await page.getByRole('button', { name: 'Start' }).click()
    // 4 groups of 2 waves with one barrier each; the races of heddle check.
    await page.getByText('4 barriers passed, 5 findings').waitFor()
    const [next, back] = [page.getByRole('button', { name: 'Next' }), page.getByRole('button', { name: 'Back' })]
    await next.click()
    await expect.poll(() => clock(page)).toBe('1')
    await next.click()
    await expect.poll(() => clock(page)).toBe('2')
    await back.click()
    await expect.poll(() => clock(page)).toBe('1')
    const cells = page.getByRole('gridcell')
    expect(await cells.count()).toBe(64)
    await cells.nth(0).focus()
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key)
    await page.getByText('focus: thread 33').waitFor()
    await page.getByRole('textbox', { name: 'expression to watch' }).fill('vThreadIDInGroupFlattened')
    await page.getByRole('button', { name: 'Watch' }).click()
    await page
      .locator('tr', { hasText: 'vThreadIDInGroupFlattened' })
      .locator('td', { hasText: '33' })
      .first()
      .waitFor()
    await page.getByText('Findings', { exact: true }).click()
    await page.getByRole('button', { name: 'access at 19', exact: true }).click()
    await expect.poll(() => clock(page)).toBe('19')
    await page.getByText('focus: thread 0').waitFor()
    await page.getByText('Memory', { exact: true }).click()
    await page.getByLabel('space').selectOption('g')
    await page.getByLabel('from byte').fill('128')
    await page.getByLabel('from byte').press('Tab')
    // Thread 16 stored its element (16 times 8 bytes) at clock 14.
    const word = page.locator('tr', { has: page.getByRole('button', { name: '+128', exact: true }) })
    await word.getByText('thread 16, instruction 10').waitFor()
    await word.getByRole('button', { name: '+128' }).click()
    await page.getByRole('heading', { name: 'History of g+128' }).waitFor()
    await word.getByRole('button', { name: 'clock 14' }).click()
    await expect.poll(() => clock(page)).toBe('14')
    await page.getByLabel(/^Moment/).fill('100')
    await expect.poll(() => clock(page)).toBe('100')
    expectQuiet(own)
  })

  it('shows the HLSL of debug data, line by line, with its variables', async () => {
    const own = await openReady()
    const { page } = own
    await openExample(page, 'Light culling')
    await showTab(page, 'Step')
    await page.getByRole('button', { name: 'Start' }).click()
    const source = page.getByRole('table', { name: 'source' })
    await source.locator('.next', { hasText: 'if (i == 0) { zMin' }).waitFor()
    await page.keyboard.press('F10')
    await source.locator('.next', { hasText: 'if (i < 4)' }).waitFor()
    await page.getByRole('rowheader', { name: 'i', exact: true }).waitFor()
    await expect(source.locator('.next').evaluate(isInside)).resolves.toBe(true)
    expectQuiet(own)
  })

  it('marks words of shared memory that nothing has stored to', async () => {
    const own = await openReady()
    const { page } = own
    await openExample(page, 'Uninitialized memory')
    await showTab(page, 'Step')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('Memory', { exact: true }).click()
    await page.getByRole('combobox', { name: 'space' }).selectOption('g')
    const words = page.getByRole('region', { name: 'memory of g' }).locator('tbody tr')
    await expect.poll(() => words.count()).toBeGreaterThan(1)
    expect(await words.filter({ hasText: 'never written' }).count()).toBe(await words.count())
    expectQuiet(own)
  })

  it('stops at breakpoints of the listing, in both directions, and takes commands', async () => {
    const own = await openReady()
    const { page } = own
    await openExample(page, 'Uninitialized memory')
    await showTab(page, 'Step')
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByText('barrier passed, 1 finding').waitFor()
    await page.locator('heddle-editor .cm-line', { hasText: 'store_structured u0.x' }).click()
    await page.keyboard.press('F9')
    await page.locator('heddle-editor .breakpoint:visible').first().waitFor()
    await page.keyboard.press('F5')
    await page.locator('.stop', { hasText: 'breakpoint' }).waitFor()
    const at = await clock(page)
    await page.getByRole('button', { name: 'Next' }).click()
    await expect.poll(() => clock(page)).not.toBe(at)
    await page.getByRole('button', { name: 'Reverse' }).click()
    await expect.poll(() => clock(page)).toBe(at)
    await page.getByText('Commands', { exact: true }).click()
    await page.getByRole('textbox', { name: 'command' }).fill('lanes')
    await page.keyboard.press('Enter')
    await page.getByRole('log').getByText('at instruction').first().waitFor()
    expectQuiet(own)
  })
})

describe('draws', () => {
  it('are stepped through by stage, and each pixel has a history', async () => {
    const own = await openReady()
    const { page } = own
    await openExample(page, 'Tessellated surface')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await status(page).filter({ hasText: 'commands' }).waitFor()
    await page
      .locator('heddle-texels canvas')
      .first()
      .click({ position: { x: 96.5, y: 95.5 } })
    await page.getByRole('button', { name: 'History of this pixel' }).first().click()
    await page.getByRole('log').getByText('> pixel 96,95').waitFor()
    await page.getByRole('log').locator('pre').nth(1).waitFor()
    await page.locator('.work').waitFor({ state: 'detached' })
    await page.getByRole('textbox', { name: 'command' }).fill('fragment 0')
    await page.keyboard.press('Enter')
    await page.locator('.stop', { hasText: 'pixel shader' }).waitFor()
    expect(await page.getByRole('tab', { name: 'tiles.ps.asm' }).getAttribute('aria-selected')).toBe('true')
    await page.locator('heddle-editor .mark-next').waitFor()
    await page.getByRole('button', { name: 'Back' }).click()
    await page.locator('.work').waitFor({ state: 'detached' })
    expectQuiet(own)
  })
})

describe('keys', () => {
  it('run, check, step and explain themselves', async () => {
    const own = await openReady()
    const { page } = own
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Help' }).waitFor()
    await page.keyboard.press('Escape')
    await openExample(page, 'Out of bounds')
    await page.getByText('Each thread reads its right neighbor').first().waitFor()
    await page.keyboard.press('Control+Enter')
    // The example of the start has run too: its message is no sign that this one did.
    await page.getByRole('heading', { name: 'Outputs' }).waitFor()
    await page.locator('.work').waitFor({ state: 'detached' })
    await status(page).filter({ hasText: 'ran:' }).waitFor()
    await page.keyboard.press('Control+Shift+Enter')
    await status(page).filter({ hasText: 'checked:' }).waitFor()
    await showTab(page, 'Step')
    await page.keyboard.press('F10')
    await page.locator('.time').waitFor()
    await page.getByText('findings').first().waitFor()
    await page.keyboard.press('F10')
    await expect.poll(() => clock(page)).toBe('1')
    await page.locator('#pane-view').focus()
    await page.keyboard.press('n')
    await expect.poll(() => clock(page)).toBe('2')
    await page.keyboard.press('b')
    await expect.poll(() => clock(page)).toBe('1')
    await page.keyboard.press('Shift+F10')
    await expect.poll(() => clock(page)).toBe('0')
    await page.getByRole('tab', { name: 'Step' }).focus()
    await page.keyboard.press('ArrowLeft')
    expect(await page.getByRole('tab', { name: 'Check' }).getAttribute('aria-selected')).toBe('true')
    const splitter = page.getByRole('separator')
    await splitter.focus()
    const before = Number(await splitter.getAttribute('aria-valuenow'))
    await page.keyboard.press('ArrowLeft')
    expect(Number(await splitter.getAttribute('aria-valuenow'))).toBe(before - 4)
    expectQuiet(own)
  })
})
