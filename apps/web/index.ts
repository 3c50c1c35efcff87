/**
 * The page: shaders read, edited, run, checked and stepped through in a browser, without a server. Static files; what takes
 * long runs in workers of the page.
 *
 * Invariants: the page's own thread never decodes, assembles or runs a shader; whatever is opened can be stopped at once,
 * because its worker can be ended; nothing is requested from the network once the page has loaded, but what a link names.
 * `model` is data and functions without a document, which tests reach; `reader` and `engine` run in workers; `ui` draws.
 */
export { decodeLink, encodeLink, PREFERRED_LINK_BYTES, type SharedFile, type SharedState } from './model/link.ts'
