/**
 * The language server without a transport: requests of the language server protocol answered by `src/language`.
 *
 * Invariants: texts change by parts, an answer is about the version that the editor has; no request fails on any text.
 * It uses neither Node nor a browser; `node/` and `worker/` give it connections.
 */
export type { Checked, CheckListing } from './checks.ts'
export type { ListingFile, ListingFiles } from './pulls.ts'
export { type ServerOptions, startServer } from './server.ts'
export { STRATEGY } from './strategy.ts'
