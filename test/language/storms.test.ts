/** The server as a hostile or hasty client meets it: it answers everything, and what it says is what a fresh server says. */
import { describe, expect, test } from 'vitest'
import type { Diagnostic, PublishDiagnosticsParams, Range } from 'vscode-languageserver-protocol'
import { CancellationTokenSource } from 'vscode-languageserver-protocol/node'
import { amount } from '../support/amount.ts'
import { corpusFile } from '../support/corpus.ts'
import { type LanguageClient, languageClient } from '../support/language-client.ts'
import { numbersFrom } from '../support/language-sweeps.ts'
import { edited, type RandomEdit, randomEdit } from '../support/text-edits.ts'

/** Lines and columns as the protocol counts them: lines end at \n, \r\n and \r, columns are UTF-16 code units. */
function positionOf(text: string, at: number): Range['start'] {
  let line = 0
  let start = 0
  for (const end of text.matchAll(/\r\n|\r|\n/g)) {
    const next = end.index + end[0].length
    if (next > at) break
    line++
    start = next
  }
  return { line, character: at - start }
}

/** Whether a position lies between the two characters that end a line: the protocol has no such place. */
const isInLineEnd = (text: string, at: number): boolean => text[at - 1] === '\r' && text[at] === '\n'

function changeOf(text: string, { start, end, text: put }: RandomEdit): object {
  return { range: { start: positionOf(text, start), end: positionOf(text, end) }, text: put }
}

const sorted = (found: readonly Diagnostic[]): readonly string[] => found.map((d) => JSON.stringify(d)).sort()

/** All findings of the present version: the server says when it has them all. */
function checked(client: LanguageClient, uri: string, version: number): Promise<readonly Diagnostic[]> {
  let last: readonly Diagnostic[] = []
  return new Promise((done) => {
    const listening = client.connection.onNotification(
      'textDocument/publishDiagnostics',
      (p: PublishDiagnosticsParams) => {
        if (p.uri === uri) last = p.diagnostics
      },
    )
    const ended = client.connection.onNotification('$/heddle/checked', (p: { uri: string; version: number }) => {
      if (p.uri !== uri || p.version < version) return
      listening.dispose()
      ended.dispose()
      done(last)
    })
  })
}

const METHODS = ['hover', 'completion', 'definition', 'references', 'documentHighlight', 'signatureHelp']
const OF_TEXTS = ['documentSymbol', 'foldingRange', 'semanticTokens/full', 'inlayHint']

test.each(['ps/real_pbr', 'cs/raw_access.sm51'])(
  'random changes of parts leave what the whole text gives: %s',
  async (name) => {
    const { listing } = corpusFile(name)
    const numbers = numbersFrom(listing.length)
    const [client, other] = [await languageClient(), await languageClient()]
    const first = `😀 é ${listing}`.replace('😀 é ', '// 😀 é\r\n')
    const uri = await client.open(first)
    let text = first
    for (let round = 0; round < amount(6, 30); round++) {
      const changes: object[] = []
      for (let i = 0; i < 1 + numbers(4); i++) {
        const edit = randomEdit(text, first, numbers)
        if (isInLineEnd(text, edit.start) || isInLineEnd(text, edit.end)) continue
        changes.push(changeOf(text, edit))
        text = edited(text, edit)
      }
      if (changes.length === 0) continue
      const version = await client.change(uri, changes)
      const [found, fresh] = await Promise.all([
        checked(client, uri, version),
        other.open(text).then((opened) => checked(other, opened, 1)),
      ])
      expect(sorted(found)).toEqual(sorted(fresh))
    }
    client.dispose()
    other.dispose()
  },
)

describe('no request fails', () => {
  test('of texts that are not open, at places that no text has', async () => {
    const client = await languageClient()
    const uri = await client.open('')
    const far = { position: { line: 4_000_000, character: 2_000_000_000 }, context: { includeDeclaration: true } }
    for (const of of ['untitled:none', uri, 'not a uri']) {
      for (const method of METHODS) await client.ask(`textDocument/${method}`, of, far)
      for (const method of OF_TEXTS)
        await client.ask(`textDocument/${method}`, of, { range: { start: far.position, end: far.position } })
    }
    await client.change('untitled:none', [{ text: 'ps_5_0' }])
    await client.connection.sendNotification('textDocument/didClose', { textDocument: { uri: 'untitled:none' } })
    await client.change(uri, [{ range: { start: far.position, end: far.position }, text: 'ps_5_0\nret\n' }])
    expect(await client.ask('textDocument/documentSymbol', uri)).not.toEqual([])
    client.dispose()
  })

  test('when many are taken back', async () => {
    const client = await languageClient()
    const uri = await client.open(corpusFile('ps/real_pbr').listing)
    const numbers = numbersFrom(5)
    const ends = { canceled: 0, answered: 0 }
    const all = Array.from({ length: 400 }, async (_, i) => {
      const source = new CancellationTokenSource()
      const position = { line: numbers(200), character: numbers(12) }
      if (i % 10 === 0) await client.change(uri, [{ range: { start: position, end: position }, text: ' ' }])
      const params = { textDocument: { uri }, position, context: { includeDeclaration: true } }
      const answer = client.connection.sendRequest(`textDocument/${METHODS[i % METHODS.length]}`, params, source.token)
      if (i % 4 !== 0) source.cancel()
      await answer.then(
        () => ends.answered++,
        (e: { code: number }) => {
          // -32800: canceled, -32801: the text has changed; everything else is a fault.
          expect([-32800, -32801]).toContain(e.code)
          ends.canceled++
        },
      )
    })
    await Promise.all(all)
    expect(ends.canceled + ends.answered).toBe(400)
    expect(ends.answered).toBeGreaterThanOrEqual(100)
    client.dispose()
  })

  test('behind shutdown it is refused, as the protocol wants', async () => {
    const client = await languageClient()
    const uri = await client.open('ps_5_0\nret\n')
    await client.connection.sendRequest('shutdown')
    await expect(client.ask('textDocument/documentSymbol', uri)).rejects.toMatchObject({ code: -32600 })
    client.dispose()
  })
})
