/**
 * Random requests, changes and cancellations at the server as it runs: in a process, and in a worker. Each request has one answer,
 * and it comes before the answer to any later request that is not a check: how long that takes does not matter.
 */
import { describe, expect, it } from 'vitest'
import { numberVariable } from '../../bench/variables.mjs'
import { corpusFile } from '../support/corpus.ts'
import { numbersFrom } from '../support/language-sweeps.ts'
import { type RawMessage, type RawServer, serverProcess, serverWorker } from '../support/raw-server.ts'

const FIRST = numberVariable('HEDDLE_SEED', 1)
const COUNT = numberVariable('HEDDLE_STORMS', 8)

/** A shader that runs for as long as it may. */
const ENDLESS = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_temps 1
dcl_thread_group 1, 1, 1
mov r0.x, l(0)
loop
iadd r0.x, r0.x, l(1)
store_raw u0.x, l(0), r0.x
endloop
ret
`

const OF_PLACES = [
  ...['hover', 'completion', 'definition', 'declaration', 'references', 'documentHighlight', 'signatureHelp'],
  ...['prepareRename', 'linkedEditingRange', 'prepareCallHierarchy'],
]
const OF_RANGES = ['inlayHint', 'codeAction', 'semanticTokens/range', 'rangeFormatting']
const OF_TEXTS = [
  ...['documentSymbol', 'foldingRange', 'codeLens', 'semanticTokens/full', 'semanticTokens/full/delta'],
  ...['formatting', 'diagnostic', 'selectionRange'],
]

/** Canceled, the text has changed, and a refusal: names that cannot be given. */
const FINE_ERRORS = new Set([-32800, -32801, -32600])

/** A client that counts the answers to each request. */
class Storm {
  readonly server: RawServer
  readonly answers = new Map<number, RawMessage[]>()
  readonly checks = new Set<number>()
  readonly #waiting = new Map<number, () => void>()
  #lastId = 0

  private constructor(open: (take: (message: RawMessage) => void) => RawServer) {
    this.server = open((message) => this.#take(message))
  }

  static async begin(open: (take: (message: RawMessage) => void) => Promise<RawServer>): Promise<Storm> {
    let take: (message: RawMessage) => void = () => {}
    const server = await open((message) => take(message))
    const storm = new Storm((own) => {
      take = own
      return server
    })
    await storm.answer(
      storm.request('initialize', {
        processId: null,
        rootUri: null,
        capabilities: { textDocument: { diagnostic: {} } },
      }),
    )
    storm.notify('initialized', {})
    return storm
  }

  #take(message: RawMessage): void {
    if (typeof message.id !== 'number') return
    if (message.method !== undefined) {
      this.server.send({ jsonrpc: '2.0', id: message.id, result: null })
      return
    }
    this.answers.get(message.id)!.push(message)
    this.#waiting.get(message.id)?.()
  }

  request(method: string, params: unknown): number {
    const id = ++this.#lastId
    this.answers.set(id, [])
    this.server.send({ jsonrpc: '2.0', id, method, params })
    return id
  }

  notify(method: string, params: unknown): void {
    this.server.send({ jsonrpc: '2.0', method, params })
  }

  open(uri: string, text: string): void {
    this.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'dxbc', version: 1, text } })
  }

  check(uri: string): number {
    const id = this.request('workspace/executeCommand', { command: 'heddle.checkListing', arguments: [uri] })
    this.checks.add(id)
    return id
  }

  cancel(id: number): void {
    this.notify('$/cancelRequest', { id })
  }

  async answer(id: number): Promise<RawMessage> {
    const known = this.answers.get(id)!
    if (known.length === 0) await new Promise<void>((done) => this.#waiting.set(id, done))
    return known[0]!
  }

  /** Requests without an answer, checks aside. */
  get unanswered(): readonly number[] {
    return [...this.answers].flatMap(([id, all]) => (all.length === 0 && !this.checks.has(id) ? [id] : []))
  }
}

const TRANSPORTS = [
  ['in a process', serverProcess],
  ['in a worker', serverWorker],
] as const

/** One message at random. */
function sendOne(
  storm: Storm,
  uris: readonly string[],
  numbers: (below: number) => number,
  versions: Map<string, number>,
) {
  const uri = uris[numbers(uris.length)]!
  const textDocument = { uri }
  const position = { line: numbers(80), character: numbers(30) }
  const end = { line: position.line + numbers(20), character: 0 }
  const pick = (list: readonly string[]): string => `textDocument/${list[numbers(list.length)]}`
  const context = { includeDeclaration: true, diagnostics: [] }
  const options = { tabSize: 2, insertSpaces: true }
  const kind = numbers(100)
  if (kind < 40) storm.request(pick(OF_PLACES), { textDocument, position, context })
  else if (kind < 55)
    storm.request(pick(OF_RANGES), { textDocument, range: { start: position, end }, context, options })
  else if (kind < 70)
    storm.request(pick(OF_TEXTS), { textDocument, options, positions: [position], previousResultId: '1' })
  else if (kind < 72) storm.check(uri)
  else if (kind < 85) storm.cancel(1 + numbers(storm.answers.size + 2))
  else {
    const version = (versions.get(uri) ?? 1) + 1
    versions.set(uri, version)
    const text = ['\n', ' ', 'mov r0.x, r0.y\n', '}', 'loop\n'][numbers(5)]
    const contentChanges = [{ range: { start: position, end: position }, text }]
    storm.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges })
  }
}

describe.each(TRANSPORTS)('the server %s', (_, open) => {
  it('answers each of many requests once, and none is overtaken', async () => {
    const storm = await Storm.begin(open)
    for (let seed = FIRST; seed < FIRST + COUNT; seed++) {
      const numbers = numbersFrom(seed)
      const uris = ['a', 'b', 'c', 'none'].map((name) => `untitled:${name}${seed}.dxasm`)
      storm.open(uris[0]!, corpusFile('cs/raw_access').listing)
      storm.open(uris[1]!, corpusFile('ps/real_pbr').listing)
      storm.open(uris[2]!, ENDLESS)
      const versions = new Map<string, number>()
      for (let burst = 0; burst < 8; burst++) {
        for (let i = numbers(120); i >= 0; i--) sendOne(storm, uris, numbers, versions)
        const last = storm.request('textDocument/hover', {
          textDocument: { uri: uris[0] },
          position: { line: 0, character: 0 },
        })
        await storm.answer(last)
        expect(storm.unanswered, `seed ${seed}`).toEqual([])
      }
      // Checks end when they are taken back, and with them all is answered.
      for (const id of storm.checks) storm.cancel(id)
      await Promise.all([...storm.checks].map((id) => storm.answer(id)))
      const wrong = [...storm.answers].flatMap(([id, all]) =>
        all.length === 1 && (all[0]!.error === undefined || FINE_ERRORS.has(all[0]!.error.code)) ? [] : [{ id, all }],
      )
      expect(wrong, `seed ${seed}`).toEqual([])
      for (const uri of uris) storm.notify('textDocument/didClose', { textDocument: { uri } })
    }
    await storm.server.end()
  })

  it('answers while a check runs, and a check that is taken back gives what it has', async () => {
    const storm = await Storm.begin(open)
    const uri = 'untitled:endless.dxasm'
    storm.open(uri, ENDLESS)
    const check = storm.check(uri)
    for (let i = 0; i < 50; i++) {
      const position = { line: 8, character: 3 }
      const hover = storm.request('textDocument/hover', { textDocument: { uri }, position })
      expect((await storm.answer(hover)).result).toMatchObject({ contents: { kind: 'markdown' } })
    }
    expect(storm.answers.get(check)).toEqual([])
    // A newer check of the text takes its place.
    const again = storm.check(uri)
    const canceled = { text: expect.stringContaining('canceled') }
    expect((await storm.answer(check)).result).toMatchObject(canceled)
    expect(storm.answers.get(again)).toEqual([])
    storm.cancel(again)
    expect((await storm.answer(again)).result).toMatchObject(canceled)
    await storm.server.end()
  })
})
