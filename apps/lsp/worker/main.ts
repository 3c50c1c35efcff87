/** What a worker loads that is the language server and nothing else. */
import { serveOnPort } from './index.ts'

declare const self: Parameters<typeof serveOnPort>[0]

serveOnPort(self, {
  // Where bundles have parts, engine and checker are loaded with the first check.
  check: async (...listing) => (await import('../checker/index.ts')).checkAlone(...listing),
})
