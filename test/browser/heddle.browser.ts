import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Bundle, bundleForBrowser } from '../support/bundle.ts'
import { KERNEL_NAMES, readKernel } from '../support/kernel.ts'
import {
  differentialDigests,
  type KernelReport,
  kernelReports,
  largeDigests,
  type Meeting,
  NOT_COMPARED,
} from './cases.ts'
import { type Browser, openBrowser } from './chromium.ts'
import { type OpenPage, openPage } from './open-page.ts'
import { ISOLATION, type Site, serve } from './server.ts'

/** The strictest policy that a page with Heddle in it can have. */
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:"

type Digests = Readonly<Record<string, string>>

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

let bundle: Bundle
let browser: Browser
const opened: { close(): unknown }[] = []

/** The test page, served with these headers. */
async function open(headers: Readonly<Record<string, string>>): Promise<OpenPage> {
  const texts = {
    '/index.html': '<!doctype html><script type="module" src="/page.js"></script>',
    '/page.js': bundle.text,
  }
  const content = { texts, folders: { '/kernels/': new URL('../kernels/', import.meta.url) } }
  const site: Site = await serve(content, headers)
  const page = await openPage(browser.context, `${site.origin}/index.html`, 'globalThis.heddle !== undefined')
  opened.push(page, site)
  return page
}

/** Starts the example's own server; answers its address. */
function startExample(): Promise<string> {
  if (!existsSync(new URL('../../dist/index.js', import.meta.url)))
    throw new Error('the build is missing: npm run build')
  const script = fileURLToPath(new URL('../../examples/browser/serve.mjs', import.meta.url))
  const server: ChildProcess = spawn(process.execPath, [script, '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  opened.push({ close: () => server.kill() })
  return new Promise((resolve, reject) => {
    createInterface({ input: server.stdout! }).once('line', resolve)
    server.once('exit', (code) => reject(new Error(`the example's server ended with ${code}`)))
  })
}

const pixel = (x: number, y: number): string =>
  `[...document.querySelector('canvas').getContext('2d').getImageData(${x}, ${y}, 1, 1).data]`

/** What the fixed seeds leave here, on both engines. */
const seedsHere = once(async () => ({
  reference: await differentialDigests('reference', 1),
  wasm: await differentialDigests('wasm', 2),
}))

/** The fixed seeds on the page's WebAssembly engine leave what they leave here, on both engines. */
async function expectSameSeeds(page: OpenPage): Promise<void> {
  const { reference, wasm: wasmHere } = await seedsHere()
  const wasm = await page.evaluate<Digests>(`heddle.differential('wasm', 2)`)
  expect(wasm).toEqual(wasmHere)
  const compared = Object.keys(wasm).filter((seed) =>
    [reference, wasm].every((digests) => !digests[seed]!.startsWith(NOT_COMPARED)),
  )
  expect(compared.filter((seed) => wasm[seed] !== reference[seed])).toEqual([])
  // Nearly all are: a set that compares nothing shows nothing.
  expect(compared.length).toBeGreaterThan(0.95 * Object.keys(wasm).length)
  expect(page.errors).toEqual([])
}

const kernelsHere = once(() =>
  kernelReports(
    KERNEL_NAMES.map((name) => readKernel(name)),
    2,
  ),
)

/** Every kernel's small run passes its checks in the page, and leaves what it leaves here. */
async function expectKernels(page: OpenPage): Promise<void> {
  const here = await kernelsHere()
  const there = await page.evaluate<Record<string, KernelReport>>(`heddle.kernels(${JSON.stringify(KERNEL_NAMES)}, 2)`)
  expect(Object.values(there).flatMap((report) => report.failed)).toEqual([])
  expect(Object.values(there).filter((report) => report.engine !== 'wasm')).toEqual([])
  expect(there).toEqual(here)
  expect(page.errors).toEqual([])
}

beforeAll(async () => {
  bundle = await bundleForBrowser('test/browser/page.ts')
  browser = await openBrowser()
})
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})
afterAll(() => browser?.close())

describe('the bundle for browsers', () => {
  it('is made of this package alone, without the command line and modules of Node', () => {
    expect(bundle.inputs.filter((path) => !/^(src|apps|test)\//.test(path) || path.startsWith('apps/cli/'))).toEqual([])
    expect(bundle.imports).toEqual([])
  })
})

/** Kernels with shared memory, atomics, counters, textures, and barriers in loops, in sizes that workers share. */
const LARGE = ['bitonic', 'histogram', 'mandelbrot', 'matmul', 'oit', 'sample', 'scan']

describe('a page that is cross-origin isolated', () => {
  const headers = { ...ISOLATION, 'Content-Security-Policy': POLICY }

  it('runs the fixed seeds as Node does, on both engines', async () => {
    const page = await open(headers)
    expect(await page.evaluate('heddle.isIsolated()')).toBe(true)
    const reference = await page.evaluate<Digests>(`heddle.differential('reference', 1)`)
    expect(reference).toEqual((await seedsHere()).reference)
    await expectSameSeeds(page)
  })

  it('runs every kernel through Device, with the results that it must have', async () => {
    await expectKernels(await open(headers))
  })

  it('runs groups at the same time on workers, and says nothing', async () => {
    const page = await open(headers)
    expect(await page.evaluate<Meeting>('heddle.meet(2, 100)')).toEqual({ met: true, lost: 0, said: [] })
    expect(await page.evaluate<Meeting>('heddle.meet(1, 2)')).toEqual({ met: false, lost: 0, said: [] })
    expect(page.errors).toEqual([])
  })

  it('leaves the same with workers as on one thread, and as in Node', async () => {
    const page = await open(headers)
    const here = await largeDigests(
      LARGE.map((name) => readKernel(name, 'large')),
      1,
    )
    expect(await page.evaluate(`heddle.largeKernels(${JSON.stringify(LARGE)}, 2)`)).toEqual(here)
    expect(await page.evaluate(`heddle.largeKernels(${JSON.stringify(LARGE)}, 1)`)).toEqual(here)
    expect(page.errors).toEqual([])
  })

  it('does the same in a worker of its own, where devices start workers in turn', async () => {
    const page = await open(headers)
    const met = await page.evaluate<Meeting>(`heddle.inWorker('meet', 2, 100)`)
    expect(met).toEqual({ met: true, lost: 0, said: [] })
    const here = await kernelReports([readKernel('matmul')], 2)
    expect(await page.evaluate(`heddle.inWorker('kernels', ['matmul'], 2)`)).toEqual(here)
    expect(page.errors).toEqual([])
  })

  it('gets its workers back from a device that is disposed of', async () => {
    const page = await open(headers)
    expect(page.workerCount()).toBe(0)
    expect(await page.evaluate<Meeting>('heddle.meet(4, 100)')).toEqual({ met: true, lost: 0, said: [] })
    await expect.poll(page.workerCount).toBe(3)
    await page.evaluate('heddle.dispose()')
    await expect.poll(page.workerCount).toBe(0)
    expect(page.errors).toEqual([])
  })
})

describe('a page that is not cross-origin isolated', () => {
  const said = ['hint engine-threads: the page is not cross-origin isolated: groups run on one thread']

  it('runs the fixed seeds as Node does', async () => {
    const page = await open({})
    expect(await page.evaluate('heddle.isIsolated()')).toBe(false)
    await expectSameSeeds(page)
  })

  it('runs every kernel through Device, with the results that it must have', async () => {
    await expectKernels(await open({}))
  })

  it('runs groups on one thread, and says so once', async () => {
    const page = await open({})
    expect(await page.evaluate<Meeting>('heddle.meet(2, 3)')).toEqual({ met: false, lost: 0, said })
    expect(await page.evaluate<Meeting>('heddle.meet(1, 3)')).toEqual({ met: false, lost: 0, said: [] })
    expect(page.errors).toEqual([])
  })

  it('does the same in a worker of its own', async () => {
    const page = await open({})
    expect(await page.evaluate(`heddle.inWorker('meet', 2, 3)`)).toEqual({ met: false, lost: 0, said })
    expect(page.errors).toEqual([])
  })
})

describe('a page whose policy keeps code from being compiled', () => {
  it('runs shaders on the reference engine', async () => {
    const page = await open({ ...ISOLATION, 'Content-Security-Policy': POLICY.replace(" 'wasm-unsafe-eval'", '') })
    const there = await page.evaluate<Record<string, KernelReport>>(`heddle.kernels(['matmul'], 2)`)
    expect(there.matmul).toEqual({ ...(await kernelsHere()).matmul, engine: 'reference' })
  })
})

describe('a page whose policy keeps workers from starting', () => {
  it('runs groups on one thread, and says so once', async () => {
    const page = await open({ ...ISOLATION, 'Content-Security-Policy': POLICY.replace(' blob:', '') })
    const { met, lost, said } = await page.evaluate<Meeting>('heddle.meet(2, 10)')
    expect({ met, lost }).toEqual({ met: false, lost: 0 })
    expect(said).toEqual(['hint engine-threads: workers did not start, or died: groups run on fewer threads'])
    expect(page.errors.join()).toMatch(/violates the following Content Security Policy directive: "worker-src/)
  })
})

describe('examples/browser', () => {
  it('draws with modules that no bundler touched', async () => {
    const page = await openPage(browser.context, await startExample(), "document.querySelector('canvas') !== null")
    opened.push(page)
    const text = (): Promise<string> => page.evaluate(`document.querySelector('p').textContent`)
    await expect.poll(text, { timeout: 20_000 }).toMatch(/^480 x 400 pixels in [\d.]+ ms$/)
    // c = -0.1 never escapes; c = -2.25 - 1.25i is outside the circle of radius 2, so its first turn is its last.
    expect(await page.evaluate(pixel(344, 200))).toEqual([0, 0, 0, 255])
    expect(await page.evaluate(pixel(0, 0))).toEqual([3, 72, 160, 255])
    expect(page.errors).toEqual([])
  })

  it('draws a surface that turns, and says how many frames a second', async () => {
    const address = `${await startExample()}scene.html`
    const page = await openPage(browser.context, address, "document.querySelector('canvas') !== null")
    opened.push(page)
    const text = (): Promise<string> => page.evaluate(`document.querySelector('p').textContent`)
    await expect.poll(text, { timeout: 60_000 }).toMatch(/^192 x 192: [\d.]+ frames a second$/)
    const picture = (): Promise<string> => page.evaluate(`document.querySelector('canvas').toDataURL()`)
    const first = await picture()
    await expect.poll(picture, { timeout: 20_000 }).not.toBe(first)
    // The color that the frame is cleared to, above the surface; and the surface in the middle.
    expect(await page.evaluate(pixel(2, 2))).toEqual([26, 31, 46, 255])
    expect(await page.evaluate(pixel(96, 100))).not.toEqual([26, 31, 46, 255])
    expect(page.errors).toEqual([])
  }, 90_000)
})
