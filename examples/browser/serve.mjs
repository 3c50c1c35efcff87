// Serves this folder, and the package's modules under /heddle/. The two headers make the page cross-origin isolated:
// without them a page has no memory that threads can share, and Heddle runs on one thread.
// Usage: node serve.mjs [port], default 8000; 0 takes a free one.
import { createReadStream, existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}
// What Heddle needs of a content security policy: WebAssembly may be compiled, and workers start from blobs.
const POLICY = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src blob:"
const TYPES = { '.html': 'text/html', '.js': 'text/javascript' }

const HERE = new URL('./', import.meta.url)
const MODULES = new URL('./', import.meta.resolve('heddle'))

function fileOf(pathname) {
  if (pathname === '/') return new URL('index.html', HERE)
  return pathname.startsWith('/heddle/') ? new URL(pathname.slice(8), MODULES) : new URL(pathname.slice(1), HERE)
}

const server = createServer((request, response) => {
  const path = fileURLToPath(fileOf(new URL(request.url, 'http://localhost').pathname))
  const found = existsSync(path)
  const type = TYPES[extname(path)] ?? 'application/octet-stream'
  response.writeHead(found ? 200 : 404, { ...ISOLATION, 'Content-Security-Policy': POLICY, 'Content-Type': type })
  if (found) createReadStream(path).pipe(response)
  else response.end()
})
server.listen(Number(process.argv[2] ?? 8000), '127.0.0.1', () => {
  console.log(`http://localhost:${server.address().port}/`)
})
