/**
 * Keeps the files of one build, answers from them, and gives every answer the headers that make the page cross-origin
 * isolated. A scope has one service worker, so that both are done by this one.
 */

/** The build's version and files; the build puts them in. */
declare const BUILD: { readonly version: string; readonly files: readonly string[] }

interface ExtendableEvent extends Event {
  waitUntil(promise: Promise<unknown>): void
}
interface FetchEvent extends ExtendableEvent {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}
interface Scope extends EventTarget {
  readonly clients: { claim(): Promise<void> }
  readonly registration: { readonly scope: string }
  skipWaiting(): Promise<void>
}

const scope = globalThis as unknown as Scope
const CACHE = `heddle-${BUILD.version}`

const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** The response with the headers of isolation; opaque ones cannot be copied and stay as they are. */
function isolated(response: Response): Response {
  if (response.status === 0) return response
  const headers = new Headers(response.headers)
  for (const [name, value] of Object.entries(ISOLATION)) headers.set(name, value)
  return new Response(response.body, { status: response.status, statusText: response.statusText, headers })
}

async function keepAll(): Promise<void> {
  const cache = await caches.open(CACHE)
  // Not from the browser's own store: a file of the build before may be in it under the same name.
  await cache.addAll(BUILD.files.map((file) => new Request(file, { cache: 'reload' })))
}

async function dropOlder(): Promise<void> {
  const names = await caches.keys()
  await Promise.all(names.filter((n) => n.startsWith('heddle-') && n !== CACHE).map((n) => caches.delete(n)))
  await scope.clients.claim()
}

async function answer(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE)
  // Parameters are for the page alone: the file is the same.
  const kept = await cache.match(request, { ignoreSearch: true })
  return isolated(kept ?? (await fetch(request)))
}

scope.addEventListener('install', (event) => {
  ;(event as ExtendableEvent).waitUntil(keepAll().then(() => scope.skipWaiting()))
})
scope.addEventListener('activate', (event) => {
  ;(event as ExtendableEvent).waitUntil(dropOlder())
})
scope.addEventListener('fetch', (event) => {
  const { request } = event as FetchEvent
  const isOwn = request.url.startsWith(scope.registration.scope)
  // The browser allows this kind of request to its own origin only.
  if (!isOwn || request.method !== 'GET' || (request.cache === 'only-if-cached' && request.mode !== 'same-origin'))
    return
  ;(event as FetchEvent).respondWith(answer(request))
})
