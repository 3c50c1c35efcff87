/** The process of the language server: standard input and output. */
import { serveStreams } from '../../lsp/node/index.ts'

serveStreams(process.stdin, process.stdout)
