import { serveStreams, WORKSPACE_FILES } from '../../lsp/node/index.ts'

/** Where the pages of docs/ lie beside the bundled command line. */
const DOCS = '../../docs/'

/** `heddle lsp`: the language server on standard input and output. Ends when the client says so, or with its input. */
export function lsp(): void {
  serveStreams(process.stdin, process.stdout, {
    docsUrl: new URL(DOCS, import.meta.url).href,
    // Engines and checker are loaded with the first check, so that the server starts at once.
    check: async (...listing) => (await import('../../lsp/node/checker/index.ts')).checkFile(...listing),
    files: WORKSPACE_FILES,
  })
}
