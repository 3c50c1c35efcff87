import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { containerPage } from '../../apps/vscode/src/container-page.ts'
import { corpusFile } from '../support/corpus.ts'
import { type Browser, openBrowser } from './chromium.ts'

let browser: Browser
beforeAll(async () => {
  browser = await openBrowser()
})
afterAll(() => browser?.close())

const ADDRESS = 'http://editor.test/'

/** The page as an editor shows it: with its colors as variables, its state and its messages. */
async function shown(html: string, state: object | undefined): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.context.newPage()
  const errors: string[] = []
  page.on('pageerror', (e) => errors.push(e.message))
  page.on('console', (m) => void (m.type() === 'error' && errors.push(m.text())))
  page.on('request', (r) => void (r.url() !== ADDRESS && errors.push(`asks for ${r.url()}`)))
  await page.route(ADDRESS, (route) => route.fulfill({ contentType: 'text/html', body: html }))
  await page.addInitScript(`globalThis.state = ${JSON.stringify(state)}; globalThis.sent = []
globalThis.acquireVsCodeApi = () => ({ getState: () => globalThis.state, setState: (s) => { globalThis.state = s }, postMessage: (m) => sent.push(m) })
document.addEventListener('DOMContentLoaded', () => {
  const { style } = document.documentElement
  style.setProperty('--vscode-foreground', '#cccccc'); style.setProperty('--vscode-editor-background', '#1e1e1e')
  style.setProperty('--vscode-button-foreground', '#ffffff'); style.setProperty('--vscode-button-background', '#0e639c')
})`)
  await page.goto(ADDRESS)
  return { page, errors }
}

it('the page of a compiled shader works under its policy, keeps its state, and is accessible', async () => {
  const html = containerPage(corpusFile('cs/real_light_cull').bytes, '0123456789abcdef0123456789abcdef')
  const first = await shown(html, undefined)
  expect(await first.page.locator('details').count()).toBeGreaterThan(4)
  await first.page.getByRole('button', { name: 'Open listing' }).click()
  expect(await first.page.evaluate('sent')).toEqual([{ command: 'openListing' }])
  await first.page.locator('summary', { hasText: 'Bindings' }).click()
  await expect.poll(() => first.page.evaluate('state.closed')).toEqual(['Bindings'])
  expect((await new AxeBuilder({ page: first.page }).analyze()).violations.map((v) => `${v.id}: ${v.help}`)).toEqual([])
  const again = await shown(html, await first.page.evaluate<object>('state'))
  expect(await again.page.locator('details:not([open])').getAttribute('id')).toBe('Bindings')
  expect([...first.errors, ...again.errors]).toEqual([])
})

it('a script that a file brings does not run', async () => {
  const html = containerPage(corpusFile('cs/icb').bytes, 'a'.repeat(32))
  const { page, errors } = await shown(
    html.replace('</body>', '<script>globalThis.ran = true</script></body>'),
    undefined,
  )
  expect(await page.evaluate('globalThis.ran')).toBeUndefined()
  expect(errors.join('\n')).toContain('Content Security Policy')
})
