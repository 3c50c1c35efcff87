/** The language server: one body for every transport. */
import { type Connection, type InitializeResult, MarkupKind, TextDocumentSyncKind } from 'vscode-languageserver'
import { hoverAt } from '../../../src/language/index.ts'
import { VERSION } from '../../../src/version.ts'
import { DiagnosticsPublisher } from './diagnostics.ts'
import { DocumentStore } from './documents.ts'

/** What a host knows that the protocol does not say. */
export interface ServerOptions {
  /** Where the pages of `docs/` are, with a slash at its end. The client's initialization option `docsUrl` goes before it. */
  readonly docsUrl?: string | undefined
}

const CAPABILITIES: InitializeResult = {
  serverInfo: { name: 'heddle', version: VERSION },
  capabilities: {
    positionEncoding: 'utf-16',
    textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental },
    hoverProvider: true,
  },
}

/** What a client may say when it begins. */
interface InitializationOptions {
  readonly docsUrl?: unknown
}

/** Answers a client until it ends the connection. */
export function startServer(connection: Connection, options: ServerOptions = {}): void {
  const documents = new DocumentStore()
  const publisher = new DiagnosticsPublisher(connection, documents)
  publisher.docsUrl = options.docsUrl
  connection.onInitialize(({ initializationOptions }) => {
    const { docsUrl } = (initializationOptions ?? {}) as InitializationOptions
    if (typeof docsUrl === 'string') publisher.docsUrl = docsUrl
    return CAPABILITIES
  })
  connection.onHover(({ textDocument, position }) => {
    const document = documents.get(textDocument.uri)
    const hover = document && hoverAt(document.shader, document.offset(position))
    if (document === undefined || hover === undefined) return null
    return { contents: { kind: MarkupKind.Markdown, value: hover.text }, range: document.range(hover.range) }
  })
  documents.listen(
    connection,
    (uri) => publisher.schedule(uri),
    (uri) => publisher.clear(uri),
  )
  connection.listen()
}
