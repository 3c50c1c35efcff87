// Serves this folder, the package's modules under /heddle/, and the shaders of examples/drawing under /drawing/. The two headers make the page cross-origin isolated:
// without them a page has no memory that threads can share, and Heddle runs on one thread.
// Usage: node serve.mjs [port], default 8000; 0 takes a free one.
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname } from 'node:path'

const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}
// What Heddle needs of a content security policy: WebAssembly may be compiled, and workers start from blobs.
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:"
const TYPES = { '.html': 'text/html', '.js': 'text/javascript' }

const HERE = new URL('./', import.meta.url)
const DRAWING = new URL('../drawing/', import.meta.url)
const MODULES = new URL('./', import.meta.resolve('heddle'))

function fileOf(pathname) {
  if (pathname === '/') return new URL('index.html', HERE)
  if (pathname.startsWith('/heddle/')) return new URL(pathname.slice(8), MODULES)
  if (pathname.startsWith('/drawing/')) return new URL(pathname.slice(9), DRAWING)
  return new URL(pathname.slice(1), HERE)
}

const server = createServer(async (request, response) => {
  const file = fileOf(new URL(request.url, 'http://localhost').pathname)
  const body = await readFile(file).catch(() => undefined)
  const type = TYPES[extname(file.pathname)] ?? 'application/octet-stream'
  const headers = { ...ISOLATION, 'Content-Security-Policy': POLICY, 'Content-Type': type }
  response.writeHead(body === undefined ? 404 : 200, headers).end(body)
})
server.listen(Number(process.argv[2] ?? 8000), '127.0.0.1', () => {
  console.log(`http://localhost:${server.address().port}/`)
})
