import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname } from 'node:path'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
}

/** What a page must be served with to be cross-origin isolated: without both, threads have no memory in common. */
export const ISOLATION: Readonly<Record<string, string>> = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
}

export interface Site {
  readonly origin: string
  close(): void
}

/** Files by the start of their path: texts that are in memory, and folders of the disk. */
export interface Content {
  readonly texts: Readonly<Record<string, string>>
  readonly folders: Readonly<Record<string, URL>>
}

function find(content: Content, path: string): string | Buffer | undefined {
  if (Object.hasOwn(content.texts, path)) return content.texts[path]
  const folder = Object.keys(content.folders).find((f) => path.startsWith(f))
  if (folder === undefined) return undefined
  try {
    return readFileSync(new URL(path.slice(folder.length), content.folders[folder]))
  } catch {
    return undefined
  }
}

/** A site on a free port of this machine; every answer has `headers`. */
export function serve(content: Content, headers: Readonly<Record<string, string>>): Promise<Site> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost')
    const body = find(content, pathname)
    response.writeHead(body === undefined ? 404 : 200, {
      ...headers,
      'Content-Type': TYPES[extname(pathname)] ?? 'application/octet-stream',
    })
    response.end(body)
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      resolve({ origin: `http://127.0.0.1:${port}`, close: () => server.close() })
    })
  })
}
