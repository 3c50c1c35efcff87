/** What other editors send, from what their language clients are documented to do; each takes the same path through the protocol. */
import { afterEach, describe, expect, it } from 'vitest'
import type * as P from 'vscode-languageserver-protocol'
import { type Hello, type LanguageClient, languageClient } from '../support/language-client.ts'

interface Editor extends Hello {
  readonly initializationOptions?: object
  /** Parameters of the change of settings that it sends behind `initialized`. */
  readonly changed?: object
  /** What it sees of completions, of other places of findings, and of hints of instruction numbers. */
  readonly sees: { readonly snippets: boolean; readonly related: boolean; readonly numbers: boolean }
}

const NUMBERS = { inlayHints: { numbers: true } }
const HINTS = { inlayHint: { dynamicRegistration: false, resolveSupport: { properties: ['tooltip'] } } }
const snippets = (snippetSupport: boolean) => ({ completion: { completionItem: { snippetSupport } } })
const related = (relatedInformation: boolean) => ({ publishDiagnostics: { relatedInformation } })

const EDITORS: Readonly<Record<string, Editor>> = {
  Helix: {
    capabilities: {
      general: { positionEncodings: ['utf-8', 'utf-32', 'utf-16'] },
      workspace: { configuration: true, didChangeConfiguration: { dynamicRegistration: false } },
      textDocument: { ...snippets(true), ...related(true), ...HINTS, diagnostic: { dynamicRegistration: false } },
    },
    // The table `config` is sent whole at the start and behind it; the section is asked for in vain.
    initializationOptions: { settings: NUMBERS },
    changed: { settings: { settings: NUMBERS } },
    settings: null,
    sees: { snippets: true, related: true, numbers: true },
  },
  Zed: {
    capabilities: {
      general: { positionEncodings: ['utf-16'] },
      workspace: { configuration: true, didChangeConfiguration: { dynamicRegistration: true }, diagnostics: {} },
      textDocument: { ...snippets(true), ...related(true), ...HINTS, diagnostic: { relatedDocumentSupport: true } },
      experimental: { serverStatusNotification: true },
    },
    initializationOptions: { settings: NUMBERS },
    changed: { settings: {} },
    settings: null,
    sees: { snippets: true, related: true, numbers: true },
  },
  'Emacs with eglot and without snippets': {
    rootPath: '/home/me/shaders/',
    rootUri: 'file:///home/me/shaders',
    capabilities: {
      general: { positionEncodings: ['utf-32', 'utf-8', 'utf-16'] },
      workspace: { applyEdit: true, configuration: true, didChangeWatchedFiles: { dynamicRegistration: true } },
      textDocument: { ...snippets(false), ...related(false), ...HINTS },
    },
    initializationOptions: {},
    changed: { settings: { heddle: NUMBERS } },
    settings: NUMBERS,
    sees: { snippets: false, related: false, numbers: true },
  },
  'Sublime Text': {
    capabilities: {
      general: { positionEncodings: ['utf-16'] },
      window: { workDoneProgress: true },
      workspace: { configuration: true, didChangeConfiguration: { dynamicRegistration: true } },
      textDocument: { ...snippets(true), ...related(true), ...HINTS, diagnostic: { dynamicRegistration: true } },
    },
    initializationOptions: { settings: NUMBERS },
    changed: { settings: {} },
    settings: {},
    sees: { snippets: true, related: true, numbers: true },
  },
  'a client that says nothing of itself': {
    capabilities: {},
    sees: { snippets: false, related: false, numbers: false },
  },
}

/** Letters beyond ASCII stand in front of the finding's column: each is one unit of UTF-16 and two of UTF-8. */
const BROKEN = `ps_5_0
dcl_sampler s0, mode_default
/* äöü */ dcl_sampler s0, mode_default
ret
`

let client: LanguageClient | undefined
afterEach(() => client?.dispose())

describe.each(Object.entries(EDITORS))('%s', (_, { sees, changed, initializationOptions, ...hello }) => {
  it('is served by what it can', async () => {
    client = await languageClient(initializationOptions, hello)
    const { connection, capabilities } = client
    // Positions are counted as every client can. Clients that request findings get them so, and others by notification.
    expect(capabilities.positionEncoding).toBe('utf-16')
    const pulls = hello.capabilities?.textDocument?.diagnostic !== undefined
    expect(capabilities.diagnosticProvider !== undefined).toBe(pulls)
    expect(capabilities.codeLensProvider).toBeUndefined()
    if (changed !== undefined) await connection.sendNotification('workspace/didChangeConfiguration', changed)
    const uri = await client.open(BROKEN)
    const diagnostics = pulls
      ? (await client.ask<P.FullDocumentDiagnosticReport>('textDocument/diagnostic', uri)).items
      : (await client.findings(uri, (f) => f.diagnostics.length > 0)).diagnostics
    const found = diagnostics.find((d) => d.code === 'validate-duplicate-binding')!
    expect(found.range).toEqual({ start: { line: 2, character: 22 }, end: { line: 2, character: 24 } })
    expect(found.relatedInformation?.map((r) => r.location.range.start.line)).toEqual(sees.related ? [1] : undefined)
    expect(String(found.message).includes('line 2: it is declared here first')).toBe(!sees.related)
    const position = { line: 3, character: 0 }
    const { items } = await client.ask<P.CompletionList>('textDocument/completion', uri, { position })
    const mad = items.find((i) => i.label === 'mad')!
    const { newText } = mad.textEdit as P.TextEdit
    expect([newText.includes('$'), mad.insertTextFormat]).toEqual(sees.snippets ? [true, 2] : [false, 1])
    const context = { diagnostics: [found], only: ['quickfix'] }
    const actions = await client.ask<P.CodeAction[]>('textDocument/codeAction', uri, { range: found.range, context })
    expect(actions.map((a) => a.title)).toContain('remove this declaration')
    const range = { start: { line: 0, character: 0 }, end: { line: 4, character: 0 } }
    const numbers = async (): Promise<boolean> =>
      (await client!.ask<P.InlayHint[]>('textDocument/inlayHint', uri, { range })).some((h) => h.label === '0')
    // Settings may come a message later than the first answer.
    await expect.poll(numbers).toBe(sees.numbers)
  })
})
