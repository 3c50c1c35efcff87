// The language server at a port of the same process: what an editor waits for, at 10,000 lines and at one megabyte.
// Milliseconds of the clock and, of the same runs, of the processor; the least of several runs each.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { ROOT } from './measure.mjs'

const AIM = { key: 100, question: 30, open: 500 }
const RUNS = 12
const LISTING = join(ROOT, 'test/corpus/ps/real_pbr.asm')
const LINES = 10_000
const MEGABYTE = 1_000_000

/** A listing whose code is repeated until the text is long enough, in blocks of their own. */
function longListing(isEnough) {
  const lines = readFileSync(LISTING, 'latin1').split('\n')
  const first = lines.findIndex((l) => l.startsWith('dcl_temps')) + 1
  const last = lines.findLastIndex((l) => l.startsWith('ret'))
  const body = lines.slice(first, last)
  const head = lines.slice(0, first)
  const text = () => [...head, ...out, 'ret ', ''].join('\n')
  const out = []
  let length = 0
  while (!isEnough(head.length + out.length, length)) {
    for (const line of body) {
      out.push(line)
      length += line.length + 1
    }
  }
  return text()
}

/** A client of the server in the built worker. */
async function client() {
  const { port1, port2 } = new MessageChannel()
  globalThis.self = port2
  await import(new URL('../dist/worker/language-server.js', import.meta.url).href)
  let id = 0
  const waiting = new Map()
  let [published, checked] = [() => {}, () => {}]
  port1.on('message', (m) => {
    if (m.method === 'textDocument/publishDiagnostics') published(m.params.diagnostics)
    else if (m.method === '$/heddle/checked') checked(m.params)
    else if (m.id !== undefined && m.method === undefined) waiting.get(m.id)?.(m.result)
  })
  const request = (method, params) =>
    new Promise((done) => {
      waiting.set(++id, done)
      port1.postMessage({ jsonrpc: '2.0', id, method, params })
    })
  const notify = (method, params) => port1.postMessage({ jsonrpc: '2.0', method, params })
  /** The first list of findings that is the one waited for. */
  const firstFindings = (isIt = () => true) =>
    new Promise((done) => {
      published = (found) => isIt(found) && done()
    })
  /** All findings of a version. */
  const allFindings = (uri, version) =>
    new Promise((done) => {
      checked = (p) => p.uri === uri && p.version === version && done()
    })
  await request('initialize', { processId: null, rootUri: null, capabilities: {} })
  notify('initialized', {})
  return { request, notify, firstFindings, allFindings, close: () => port1.close() }
}

async function least(work, runs = RUNS) {
  let [clock, processor] = [Infinity, Infinity]
  for (let i = 0; i < runs; i++) {
    const [start, before] = [performance.now(), process.cpuUsage()]
    await work(i)
    const { user, system } = process.cpuUsage(before)
    clock = Math.min(clock, performance.now() - start)
    processor = Math.min(processor, (user + system) / 1000)
  }
  return { clock, processor }
}

function print(name, { clock, processor }, aim) {
  const shown = (ms) => ms.toFixed(1).padStart(8)
  console.log(
    `${name.padEnd(52)} ${shown(clock)} ms  ${shown(processor)} ms of processor${aim === undefined ? '' : `   (aim ${aim})`}`,
  )
}

export async function run() {
  const c = await client()
  const big = longListing((_, length) => length >= MEGABYTE)
  const opened = async (uri, text) => {
    const [first, all] = [c.firstFindings(), c.allFindings(uri, 1)]
    const start = process.cpuUsage()
    c.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'dxbc', version: 1, text } })
    await first
    const { user, system } = process.cpuUsage(start)
    firstOfOpen = (user + system) / 1000
    await all
  }
  let firstOfOpen = 0
  // The first text is opened by a server that has compiled nothing yet.
  const megabytes = (big.length / 1e6).toFixed(1)
  print(`open ${megabytes} MB, all findings, server just started`, await least(() => opened('big:0', big), 1))
  const until = firstOfOpen.toFixed(1).padStart(8)
  console.log(
    `${'  until the first of them'.padEnd(52)} ${' '.repeat(11)}  ${until} ms of processor   (aim ${AIM.open})`,
  )
  print('open it again, all findings', await least((i) => opened(`big:${i + 1}`, big), 5), AIM.open)
  const text = longListing((lines) => lines >= LINES)
  const uri = 'listing:1'
  await opened(uri, text)
  const lines = text.split('\n')
  const line = lines.findIndex((l) => l.startsWith('mul r'))
  const target = lines[line].indexOf('r')
  console.log(`${lines.length} lines, ${(text.length / 1000).toFixed(0)} kB`)
  let version = 1
  const type = (newText, character = 0) => {
    const found = c.allFindings(uri, version + 1)
    const start = { line, character }
    const end = { line, character: newText === '' ? character + 1 : character }
    c.notify('textDocument/didChange', {
      textDocument: { uri, version: ++version },
      contentChanges: [{ range: { start, end }, text: newText }],
    })
    return found
  }
  const settled = () => new Promise((done) => setTimeout(done, 300))
  /** From a key to the finding that it makes; the key is taken back. */
  const untilFound = async (key, character, code) => {
    let [clock, processor] = [Infinity, Infinity]
    for (let i = 0; i < RUNS; i++) {
      const found = c.firstFindings((list) => list.some((d) => d.code === code))
      const [begin, start] = [performance.now(), process.cpuUsage()]
      const all = type(key, character)
      await found
      const { user, system } = process.cpuUsage(start)
      clock = Math.min(clock, performance.now() - begin)
      processor = Math.min(processor, (user + system) / 1000)
      await all
      await type('', character)
    }
    return { clock, processor }
  }
  print('a finding of the assembler after its key', await untilFound('x', 0, 'asm-mnemonic'), AIM.key)
  print('a finding of the rules after its key', await untilFound('9', target + 1, 'validate-undeclared-temp'), AIM.key)
  const key = await least(async (i) => type(i % 2 === 0 ? ' ' : ''))
  print('these and what has no effect after a key', key)
  const wrong = await least(async (i) => type(i % 2 === 0 ? 'x' : ''))
  print('the same after a key that makes an error, or takes it away', wrong)
  await settled()
  const at = { textDocument: { uri }, position: { line, character: target } }
  const all = { textDocument: { uri } }
  const middle = { start: { line, character: 0 }, end: { line: line + 60, character: 0 } }
  const questions = [
    ['hover of a register', 'textDocument/hover', at, AIM.question],
    ['hover of a mnemonic', 'textDocument/hover', { ...at, position: { line, character: 1 } }, AIM.question],
    ['completion of a mnemonic', 'textDocument/completion', { ...at, position: { line, character: 2 } }, AIM.question],
    [
      'completion of an operand',
      'textDocument/completion',
      { ...at, position: { line, character: lines[line].indexOf(',') + 2 } },
      AIM.question,
    ],
    ['definition', 'textDocument/definition', at, AIM.question],
    ['highlights', 'textDocument/documentHighlight', at],
    ['hints of a screen', 'textDocument/inlayHint', { ...all, range: middle }],
    ['tokens of a screen', 'textDocument/semanticTokens/range', { ...all, range: middle }],
    ['all tokens', 'textDocument/semanticTokens/full', all],
    ['outline', 'textDocument/documentSymbol', all],
    ['formatting', 'textDocument/formatting', { ...all, options: { tabSize: 2, insertSpaces: true } }],
  ]
  for (const [name, method, params, aim] of questions) print(name, await least(() => c.request(method, params)), aim)
  const fresh = await least(async (i) => {
    void type(i % 2 === 0 ? ' ' : '')
    await c.request('textDocument/hover', at)
  })
  print('a key and a hover right behind it', fresh, AIM.key + AIM.question)
  c.close()
}
