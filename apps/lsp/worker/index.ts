/**
 * The language server behind `postMessage`: in a worker, or at the end of a MessageChannel. Messages are objects of the
 * protocol. Bundled for browsers from `main.ts`, by esbuild with `platform: 'browser'`.
 */
import { BrowserMessageReader, BrowserMessageWriter, createConnection } from 'vscode-languageserver/browser'
import { type ServerOptions, STRATEGY, startServer } from '../server/index.ts'

type ReaderPort = ConstructorParameters<typeof BrowserMessageReader>[0]

/** Serves one client at the other end of a port, or of the worker that this runs in (`self`). */
export function serveOnPort(port: ReaderPort, options: ServerOptions = {}): void {
  const [reader, writer] = [new BrowserMessageReader(port), new BrowserMessageWriter(port)]
  startServer(createConnection(reader, writer, STRATEGY), options)
}
