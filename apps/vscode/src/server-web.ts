/** The worker of the language server. Checks are commands of the extension, which has the files of the workspace. */
import { serveOnPort } from '../../lsp/worker/index.ts'

declare const self: Parameters<typeof serveOnPort>[0]

serveOnPort(self)
