/** The language server in a worker, which answers requests of the editor: hover, completion, definitions, names. */
import {
  findReferencesKeymap,
  formatKeymap,
  hoverTooltips,
  jumpToDefinitionKeymap,
  LSPClient,
  renameKeymap,
  serverCompletion,
  signatureHelp,
  type Transport,
} from '@codemirror/lsp-client'
import type { Extension } from '@codemirror/state'
import { keymap } from '@codemirror/view'

/** A diagnostic as the protocol has it: lines and columns from 0. */
export interface ServerDiagnostic {
  readonly range: {
    readonly start: { readonly line: number; readonly character: number }
    readonly end: { readonly line: number; readonly character: number }
  }
  readonly severity?: number
  readonly code?: string | number
  readonly message: string
}

interface Published {
  readonly uri: string
  readonly diagnostics: readonly ServerDiagnostic[]
}

const PUBLISHED = 'textDocument/publishDiagnostics'

/** Messages are texts for the client and objects for the worker. Findings, which may be many, do not become a text and an object again. */
function transportOf(worker: Worker, onDiagnostics: (published: Published) => void): Transport {
  const listeners = new Map<(value: string) => void, (e: MessageEvent) => void>()
  return {
    send: (message) => worker.postMessage(JSON.parse(message)),
    subscribe(handler) {
      const listener = ({ data }: MessageEvent): void => {
        if (data.method === PUBLISHED) onDiagnostics(data.params as Published)
        else handler(JSON.stringify(data))
      }
      listeners.set(handler, listener)
      worker.addEventListener('message', listener)
    },
    unsubscribe(handler) {
      const listener = listeners.get(handler)
      if (listener !== undefined) worker.removeEventListener('message', listener)
      listeners.delete(handler)
    },
  }
}

const KEYS = [...formatKeymap, ...renameKeymap, ...jumpToDefinitionKeymap, ...findReferencesKeymap]

/** A change that the server offers, in lines and columns of the text of the request. */
export interface ServerFix {
  readonly title: string
  readonly diagnostics?: readonly ServerDiagnostic[]
  readonly edit?: {
    readonly changes?: Readonly<
      Record<string, readonly { readonly range: ServerDiagnostic['range']; readonly newText: string }[]>
    >
  }
}

interface Language {
  /** What an editor of a text has of it. */
  plugin(uri: string): Extension
  /** Sends what was typed; without it that is done with the next request. */
  sync(): void
  /** The server's fixes of the findings of a text. */
  fixes(uri: string, lineCount: number): Promise<readonly ServerFix[]>
}

/** Connects once; what it publishes goes to `onDiagnostics` with the file's address. */
export function startLanguage(onDiagnostics: (published: Published) => void): Language {
  const worker = new Worker(new URL('language.js', document.baseURI), { type: 'module' })
  const client = new LSPClient({
    rootUri: 'heddle:/',
    timeout: 10_000,
    extensions: [serverCompletion(), hoverTooltips(), signatureHelp(), keymap.of(KEYS)],
  })
  client.connect(transportOf(worker, onDiagnostics))
  return {
    plugin: (uri) => client.plugin(uri, 'dxbc'),
    sync: () => client.sync(),
    async fixes(uri, lineCount) {
      const range = { start: { line: 0, character: 0 }, end: { line: lineCount, character: 0 } }
      const context = { diagnostics: [], only: ['quickfix'] }
      const found = await client.request('textDocument/codeAction', { textDocument: { uri }, range, context })
      return (found ?? []) as readonly ServerFix[]
    },
  }
}
