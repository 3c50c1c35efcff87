/** The language server behind streams of Node: standard input and output of `heddle lsp`, pipes of tests. */
import { createConnection } from 'vscode-languageserver/node'
import { type ServerOptions, STRATEGY, startServer } from '../server/index.ts'

/** Serves one client; the process ends when the client says so, or with its input. */
export function serveStreams(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  options: ServerOptions = {},
): void {
  startServer(createConnection(input, output, STRATEGY), options)
}

export { WORKSPACE_FILES } from './workspace-files.ts'
