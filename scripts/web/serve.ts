/** Serves a built page: `npm run web`, `npm run web -- --port 8000`. `--plain` leaves out the headers, as hosts do that have none. */
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { buildPage } from './build.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
}

/** The headers that `_headers` has for all paths. */
function headersOf(folder: string): Readonly<Record<string, string>> {
  const lines = readFileSync(join(folder, '_headers'), 'utf8').split('\n')
  const end = lines.findIndex((l, i) => i > 0 && l.startsWith('/'))
  return Object.fromEntries(
    lines.slice(1, end).map((l) => [l.slice(0, l.indexOf(':')).trim(), l.slice(l.indexOf(':') + 1).trim()]),
  )
}

export interface Answered {
  readonly path: string
  /** As it went over the wire. */
  readonly byteLength: number
}

export interface PageSite {
  readonly origin: string
  /** Everything that was requested, in order. */
  readonly answered: Answered[]
  close(): void
}

/** A site on a free port, or on the one given; answers are compressed as hosts do. */
export function servePage(folder: string, isPlain = false, port = 0): Promise<PageSite> {
  const headers = isPlain ? {} : headersOf(folder)
  const answered: Answered[] = []
  const server: Server = createServer((request, response) => {
    const { pathname } = new URL(request.url!, 'http://localhost')
    const path = normalize(join(folder, pathname.endsWith('/') ? `${pathname}index.html` : pathname))
    if (!path.startsWith(folder) || !existsSync(path)) {
      response.writeHead(404, headers).end()
      return
    }
    const body = gzipSync(readFileSync(path))
    answered.push({ path: pathname, byteLength: body.length })
    const type = TYPES[extname(path)] ?? 'application/octet-stream'
    response.writeHead(200, { ...headers, 'Content-Type': type, 'Content-Encoding': 'gzip' }).end(body)
  })
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      const own = typeof address === 'object' && address !== null ? address.port : 0
      resolve({
        origin: `http://127.0.0.1:${own}`,
        answered,
        close: () => {
          server.closeAllConnections()
          server.close()
        },
      })
    })
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = fileURLToPath(new URL('../../dist-web', import.meta.url))
  const { values } = parseArgs({
    options: { port: { type: 'string', default: '8080' }, plain: { type: 'boolean', default: false } },
  })
  await buildPage(folder)
  const { origin } = await servePage(folder, values.plain, Number(values.port))
  console.log(`${origin}/`)
}
