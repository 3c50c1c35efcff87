/** Serves the workbench of VS Code without a server behind it, the extension from its VSIX, and an extension that tests it. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { unzipSync } from 'fflate'

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.html': 'text/html',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.ttf': 'font/ttf',
  '.wasm': 'application/wasm',
}

/** code-server expects a server behind the workbench and keeps settings there: in the page here. */
const WITHOUT_SERVER: readonly (readonly [string, string])[] = [
  ['{...JSON.parse(e),remoteAuthority:location.host}', 'JSON.parse(e)'],
  [
    'N.file(this.userDataPath).with({scheme:K.vscodeRemote})',
    'N.file(this.userDataPath).with({scheme:"vscode-userdata"})',
  ],
]

/** What is served, by path: files of the workbench below `/static/`, of extensions below `/heddle/` and `/checks/`. */
export interface WorkbenchSite {
  readonly origin: string
  close(): Promise<void>
}

function page(port: number): string {
  const at = (path: string) => ({ scheme: 'http', authority: `127.0.0.1:${port}`, path })
  const settings = {
    userDataPath: '/user',
    webviewEndpoint: `http://127.0.0.1:${port}/static/out/vs/workbench/contrib/webview/browser/pre`,
    isEnabledFileDownloads: false,
    isEnabledFileUploads: false,
    isEnabledCoderGettingStarted: false,
    additionalBuiltinExtensions: [at('/heddle'), at('/checks')],
    folderUri: { scheme: 'memory', path: '/work' },
    productConfiguration: { enableTelemetry: false },
    configurationDefaults: {
      'security.workspace.trust.enabled': false,
      'workbench.startupEditor': 'none',
      'telemetry.telemetryLevel': 'off',
    },
  }
  const escaped = JSON.stringify(settings).replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  return `<!DOCTYPE html><html><head><meta charset="utf-8">
<meta id="vscode-workbench-web-configuration" data-settings="${escaped}">
<link rel="stylesheet" href="/static/out/vs/code/browser/workbench/workbench.css"></head><body>
<script>globalThis._VSCODE_FILE_ROOT = location.origin + '/static/out/'</script>
<script type="module" src="/static/out/nls.messages.js"></script>
<script type="module" src="/static/out/vs/code/browser/workbench/workbench.js"></script>
</body></html>`
}

function workbenchFile(folder: string, path: string): Uint8Array | undefined {
  const name = normalize(path)
  if (name.startsWith('..')) return undefined
  try {
    const bytes = readFileSync(join(folder, name))
    if (!name.endsWith('browser/workbench/workbench.js')) return bytes
    let text = bytes.toString()
    for (const [from, to] of WITHOUT_SERVER) {
      if (!text.includes(from)) throw new Error(`this workbench has another text in place of ${from}`)
      text = text.replace(from, to)
    }
    return Buffer.from(text)
  } catch (e) {
    if ((e as NodeJS.ErrnoException).code === undefined) throw e
    return undefined
  }
}

/** Files of a VSIX, by their path in the extension. */
function filesOfVsix(path: string): Readonly<Record<string, Uint8Array>> {
  const all = Object.entries(unzipSync(new Uint8Array(readFileSync(path))))
  return Object.fromEntries(
    all.flatMap(([name, bytes]) => (name.startsWith('extension/') ? [[name.slice('extension/'.length), bytes]] : [])),
  )
}

export async function serveWorkbench(
  folder: string,
  vsix: string,
  checks: Readonly<Record<string, Uint8Array>>,
): Promise<WorkbenchSite> {
  const extension = filesOfVsix(vsix)
  const find = (path: string): Uint8Array | undefined => {
    const [, area, rest] = /^\/(static|heddle|checks)\/(.*)$/.exec(path) ?? []
    if (area === undefined || rest === undefined) return undefined
    return area === 'static' ? workbenchFile(folder, rest) : (area === 'heddle' ? extension : checks)[rest]
  }
  let port = 0
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname)
    const found = path === '/' ? Buffer.from(page(port)) : find(path)
    const type = path === '/' ? 'text/html' : (TYPES[extname(path)] ?? 'application/octet-stream')
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': type, 'access-control-allow-origin': '*' })
    response.end(found)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    origin: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      return new Promise((done) => server.close(() => done()))
    },
  }
}
