/** A client of the language server at the other end of two pipes. */
import { PassThrough } from 'node:stream'
import {
  createProtocolConnection,
  type InitializeParams,
  type InitializeResult,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  type PublishDiagnosticsParams,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node'
import { serveStreams } from '../../apps/lsp/node/index.ts'
import type { ServerOptions } from '../../apps/lsp/server/index.ts'

/** A connection with what was published on it. */
export interface LanguageClient {
  readonly connection: ProtocolConnection
  /** What the server says that it can. */
  readonly capabilities: InitializeResult['capabilities']
  /** The text, opened as a new document; its uri is given. */
  open(text: string, uri?: string): Promise<string>
  /** The findings of a text once they are as the test wants them; the test runs out of time where they never are. */
  findings(uri: string, isEnough: (found: PublishDiagnosticsParams) => boolean): Promise<PublishDiagnosticsParams>
  /** Changes a text and gives the number of its new version. */
  change(uri: string, contentChanges: readonly object[]): Promise<number>
  /** The answer to a request about a text. */
  ask<T>(method: string, uri: string, params?: object): Promise<T>
  dispose(): void
}

const CAPABILITIES: InitializeParams['capabilities'] = {
  textDocument: { completion: { completionItem: { snippetSupport: true } } },
}

function followFindings(connection: ProtocolConnection): LanguageClient['findings'] {
  const last = new Map<string, PublishDiagnosticsParams>()
  const waiting: (() => void)[] = []
  connection.onNotification(PublishDiagnosticsNotification.type, (params) => {
    last.set(params.uri, params)
    for (const wake of waiting.splice(0)) wake()
  })
  return async (uri, isEnough) => {
    for (;;) {
      const found = last.get(uri)
      if (found !== undefined && isEnough(found)) return found
      await new Promise<void>((done) => waiting.push(done))
    }
  }
}

let opened = 0
let changed = 1

/** How a client begins: what it can do, and its answer where the server requests settings. */
export interface Hello {
  readonly capabilities?: InitializeParams['capabilities']
  readonly [other: string]: unknown
}

/** A server and a client that has said hello. */
export async function languageClient(
  initializationOptions?: object,
  hello: Hello = {},
  host: ServerOptions = {},
): Promise<LanguageClient> {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()]
  serveStreams(toServer, toClient, host)
  const connection = createProtocolConnection(new StreamMessageReader(toClient), new StreamMessageWriter(toServer))
  const findings = followFindings(connection)
  const { settings, ...params } = hello
  connection.onRequest('workspace/configuration', ({ items }: { items: readonly unknown[] }) =>
    items.map(() => settings ?? null),
  )
  connection.onRequest('client/registerCapability', () => null)
  connection.listen()
  const answer = await connection.sendRequest<InitializeResult>('initialize', {
    processId: null,
    rootUri: null,
    capabilities: CAPABILITIES,
    initializationOptions,
    ...params,
  })
  await connection.sendNotification('initialized', {})
  return {
    connection,
    capabilities: answer.capabilities,
    findings,
    async open(text, uri = `untitled:${++opened}.dxasm`) {
      const textDocument = { uri, languageId: 'dxbc', version: 1, text }
      await connection.sendNotification('textDocument/didOpen', { textDocument })
      return uri
    },
    async change(uri, contentChanges) {
      const version = ++changed
      await connection.sendNotification('textDocument/didChange', { textDocument: { uri, version }, contentChanges })
      return version
    },
    ask: (method, uri, params = {}) => connection.sendRequest(method, { textDocument: { uri }, ...params }),
    dispose: () => connection.dispose(),
  }
}
