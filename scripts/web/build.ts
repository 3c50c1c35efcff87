/**
 * Builds the page: `npm run build:web` leaves a folder that any static host serves. `--connect ORIGIN` lets `?url=` fetch from
 * that origin, which the policy refuses otherwise.
 */
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import { examplesModule } from './examples.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const at = (path: string): string => join(ROOT, path)

const examplesPlugin: Plugin = {
  name: 'examples',
  setup(b) {
    b.onResolve({ filter: /^heddle-examples$/ }, () => ({ path: 'examples', namespace: 'examples' }))
    b.onLoad({ filter: /.*/, namespace: 'examples' }, () => ({ contents: examplesModule(), loader: 'js' }))
  },
}

/** What the page may do: its own files, WebAssembly, and workers of its own. */
export function policyOf(connect: readonly string[]): string {
  const more = connect.length === 0 ? '' : `; connect-src 'self' ${connect.join(' ')}`
  return `default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; base-uri 'none'; form-action 'none'${more}`
}

/** For hosts that read it (Netlify, Cloudflare Pages); others have the policy in the page, and isolation by the service worker. */
const headersFile = (policy: string): string => `/*
  Content-Security-Policy: ${policy}; frame-ancestors 'self'
  Cross-Origin-Opener-Policy: same-origin
  Cross-Origin-Embedder-Policy: require-corp
  Cross-Origin-Resource-Policy: same-origin
  X-Content-Type-Options: nosniff
  Referrer-Policy: no-referrer
  Cache-Control: no-cache
/chunk-*
  Cache-Control: public, max-age=31536000, immutable
`

const COMMON: BuildOptions = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'browser',
  target: 'es2022',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [examplesPlugin],
}

const ENTRIES = {
  main: at('apps/web/ui/main.ts'),
  reader: at('apps/web/reader/main.ts'),
  engine: at('apps/web/engine/main.ts'),
  debugger: at('apps/web/engine/debug-main.ts'),
  language: at('apps/lsp/worker/main.ts'),
  // What workers of the engine load for draws lies beside them.
  'draw-worker': at('src/host/draw-worker.ts'),
}

/** Writes the page into a folder. */
export async function buildPage(folder: string, connect: readonly string[] = []): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await build({
    ...COMMON,
    entryPoints: ENTRIES,
    outdir: folder,
    format: 'esm',
    splitting: true,
    chunkNames: 'chunk-[hash]',
  })
  cpSync(at('apps/web/static'), folder, { recursive: true })
  const policy = policyOf(connect)
  const page = join(folder, 'index.html')
  writeFileSync(page, readFileSync(page, 'utf8').replace('%POLICY%', policy))
  const files = readdirSync(folder).sort()
  const hash = createHash('sha256')
  for (const file of files) hash.update(file).update(readFileSync(join(folder, file)))
  const version = hash.digest('hex').slice(0, 16)
  const kept = ['./', ...files.filter((f) => f !== 'index.html')]
  await build({
    ...COMMON,
    entryPoints: [at('apps/web/service/service-worker.ts')],
    outfile: join(folder, 'service-worker.js'),
    format: 'iife',
    define: { BUILD: JSON.stringify({ version, files: kept }) },
  })
  writeFileSync(join(folder, '_headers'), headersFile(policy))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: at('dist-web') },
      connect: { type: 'string', multiple: true, default: [] },
    },
  })
  await buildPage(values.out, values.connect)
  const sizes = readdirSync(values.out).map((file) => readFileSync(join(values.out, file)).length)
  console.log(`${values.out}: ${sizes.length} files, ${Math.round(sizes.reduce((a, b) => a + b, 0) / 1000)} kB`)
}
