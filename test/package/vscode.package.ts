import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { build } from 'esbuild'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-languageserver-protocol/node'
import { assembleOrThrow } from '../../src/asm/index.ts'
import { ROOT } from './packed.ts'

const BUILT = join(ROOT, 'build/vscode')
const bundle = (name: string): string => readFileSync(join(BUILT, 'dist', name), 'utf8')

beforeAll(() => {
  const { status, stderr } = spawnSync('npm', ['run', 'package:vscode'], { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
})

/** What each file of the extension is for. */
const RULES: readonly RegExp[] = [
  /^(?:\[Content_Types\]\.xml|extension\.vsixmanifest)$/,
  /^extension\/(?:package\.json|readme\.md|LICENSE\.txt|language-configuration\.json)$/,
  /^extension\/dist\/(?:extension|extension-web|server|server-web)\.js$/,
  /^extension\/schema\/job\.schema\.json$/,
  /^extension\/syntaxes\/dxbc\.tmLanguage\.json$/,
]

describe('the VSIX', () => {
  const files = () => unzipSync(readFileSync(join(ROOT, 'heddle.vsix')))

  it('has a file for each rule, and no other; nothing of it is native code', () => {
    const names = Object.keys(files())
    expect(names.filter((n) => !RULES.some((rule) => rule.test(n)))).toEqual([])
    expect(RULES.filter((rule) => !names.some((n) => rule.test(n)))).toEqual([])
  })

  it('has every file that its manifest names, and runs on desktops and in browsers', () => {
    const all = files()
    const text = new TextDecoder().decode(all['extension/package.json'])
    const named = [...text.matchAll(/"\.\/([\w/.-]+)"/g)].map((m) => `extension/${m[1]}`)
    expect(named.length).toBeGreaterThan(4)
    expect(named.filter((n) => all[n] === undefined)).toEqual([])
    const manifest = new TextDecoder().decode(all['extension.vsixmanifest'])
    expect(manifest).not.toContain('TargetPlatform')
    expect(manifest).toContain('__web_extension')
  })

  it('takes less than 3 MB', () => {
    expect(readFileSync(join(ROOT, 'heddle.vsix')).length).toBeLessThan(3_000_000)
  })
})

/** Runs a script in a worker, in a context that has what browsers have and nothing of Node. */
function inBrowserContext(script: string, data: object): Worker {
  const code = `
const { parentPort, workerData } = require('node:worker_threads')
const vm = require('node:vm')
const { TextEncoder, TextDecoder, URL, AbortController, performance, crypto, console, WebAssembly, setTimeout, clearTimeout,
  setInterval, clearInterval, queueMicrotask, MessageChannel, EventTarget, Event } = globalThis
const context = { TextEncoder, TextDecoder, URL, AbortController, performance, crypto, console, WebAssembly, setTimeout,
  clearTimeout, setInterval, clearInterval, queueMicrotask, MessageChannel, EventTarget, Event,
  data: workerData, post: (m) => parentPort.postMessage(m), listen: (f) => parentPort.on('message', f) }
context.self = context.globalThis = context
vm.runInNewContext(workerData.script, context)`
  return new Worker(code, { eval: true, workerData: { ...data, script } })
}

const workers: (Worker | ChildProcess)[] = []
afterAll(async () => {
  for (const w of workers) w instanceof Worker ? await w.terminate() : w.kill()
})

describe('the extension in a browser', () => {
  it('opens, runs and saves shaders with nothing of Node', async () => {
    const made = await build({
      entryPoints: [join(ROOT, 'test/vscode/fake.ts')],
      bundle: true,
      write: false,
      format: 'cjs',
      platform: 'browser',
    })
    const script = `(async () => {
const load = (code, require) => { const module = { exports: {} }; new Function('module', 'exports', 'require', code)(module, module.exports, require); return module.exports }
const fake = load(data.fake)
// The language client extends classes of the editor that the fake has not.
const vscode = new Proxy(fake, { get: (all, name) => all[name] ?? class {} })
const started = []
globalThis.Worker = class { constructor(url) { started.push(url) } postMessage() {} addEventListener() {} terminate() {} }
const { activate } = load(data.code, (name) => { if (name !== 'vscode') throw new Error('no module ' + name); return vscode })
activate({ subscriptions: [], extensionUri: fake.Uri.parse('https://host/extension') })
const uri = fake.Uri.parse('vscode-vfs://github/owner/shaders/seven.dxbc')
fake.writeBeside(uri, data.bytes)
const panel = { webview: { html: '', onDidReceiveMessage() {} }, onDidDispose() {} }
const editor = fake.seen.editors.get('heddle.container')
await editor.resolveCustomEditor(editor.openCustomDocument(uri), panel)
await fake.seen.commands.get('heddle.openListing')(uri)
await fake.seen.commands.get('heddle.run')(uri)
await fake.seen.commands.get('heddle.check')(uri)
post({ html: panel.webview.html, shown: fake.seen.shown, messages: fake.seen.messages, started })
})().catch((e) => post({ failed: String(e.stack ?? e) }))`
    const shader = [
      'cs_5_0',
      'dcl_uav_raw u0',
      'dcl_thread_group 1, 1, 1',
      'store_raw u0.x, l(0), l(7)',
      'ret',
      '',
    ].join('\n')
    const worker = inBrowserContext(script, {
      code: bundle('extension-web.js'),
      fake: made.outputFiles[0]!.text,
      bytes: assembleOrThrow(shader),
    })
    workers.push(worker)
    const answer = await new Promise<Record<string, unknown>>((done) => worker.once('message', done))
    expect(answer.failed).toBeUndefined()
    expect(answer.html).toContain('cs_5_0')
    expect(answer.shown).toHaveLength(1)
    expect(answer.messages).toEqual(expect.arrayContaining(['seven.dxbc: as expected', 'seven.dxbc: as expected']))
    expect(answer.started).toEqual(['https://host/extension/dist/server-web.js'])
  })

  it('asks for nothing but the editor itself', () => {
    const asked = [...bundle('extension-web.js').matchAll(/\brequire\("([^"]+)"\)/g)].map((m) => m[1])
    expect(new Set(asked)).toEqual(new Set(['vscode']))
    expect(bundle('server-web.js')).not.toMatch(/\brequire\("/)
    const onDesktop = [...bundle('extension.js').matchAll(/\brequire\("([^"]+)"\)/g)].map((m) =>
      m[1]!.replace(/^node:/, ''),
    )
    expect(
      onDesktop.filter(
        (m) =>
          !/^(?:vscode|assert|buffer|child_process|crypto|events|fs|net|os|path|readline|stream|timers|tty|url|util|worker_threads|zlib)(?:\/|$)/.test(
            m,
          ),
      ),
    ).toEqual([])
  })
})

const BROKEN = 'cs_5_0\ndcl_thread_group 1, 1, 1\nmoov r0.x, l(1)\nret\n'
const OPENED = { textDocument: { uri: 'dxbc:/x.dxasm', languageId: 'dxbc', version: 1, text: BROKEN } }

describe('the language server of the extension', () => {
  it('answers as a process', async () => {
    const child = spawn(process.execPath, [join(BUILT, 'dist/server.js'), '--stdio'])
    workers.push(child)
    const connection = createMessageConnection(
      new StreamMessageReader(child.stdout),
      new StreamMessageWriter(child.stdin),
    )
    const found = new Promise<{ diagnostics: { message: string }[] }>((done) =>
      connection.onNotification('textDocument/publishDiagnostics', done),
    )
    connection.listen()
    await connection.sendRequest('initialize', { processId: null, rootUri: null, capabilities: {} })
    await connection.sendNotification('initialized', {})
    await connection.sendNotification('textDocument/didOpen', OPENED)
    expect((await found).diagnostics[0]!.message).toContain('moov')
    connection.dispose()
  })

  it('answers in a worker', async () => {
    const worker = inBrowserContext(
      `globalThis.postMessage = post
globalThis.addEventListener = (_, listener) => listen((data) => listener({ data }))
listen((data) => globalThis.onmessage?.({ data }))
new Function('self', data.code)(globalThis)`,
      { code: bundle('server-web.js') },
    )
    workers.push(worker)
    const messages: { id?: number; method?: string; params?: { diagnostics: { message: string }[] } }[] = []
    worker.on('message', (m) => messages.push(m))
    const send = (message: object): void => worker.postMessage({ jsonrpc: '2.0', ...message })
    send({ id: 1, method: 'initialize', params: { processId: null, rootUri: null, capabilities: {} } })
    await expect.poll(() => messages.some((m) => m.id === 1), { timeout: 20_000 }).toBe(true)
    send({ method: 'initialized', params: {} })
    send({ method: 'textDocument/didOpen', params: OPENED })
    const published = () => messages.find((m) => m.method === 'textDocument/publishDiagnostics')
    await expect.poll(published, { timeout: 20_000 }).toBeDefined()
    expect(published()!.params!.diagnostics[0]!.message).toContain('moov')
  })
})
