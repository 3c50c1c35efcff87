// Part of the build: the command line as a few files instead of some 150, because most of its start was loading modules.
// Verbs stay apart (they are imported when requested); packages stay packages.
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

await build({
  // What workers load lies beside the module that names it.
  entryPoints: [at('apps/cli/main.ts'), at('apps/cli/tune.ts'), at('src/host/draw-worker.ts')],
  outdir: at('dist/bin'),
  entryNames: '[name]',
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  // Spaces are a fifth of the text; names stay, so that a stack says where it is.
  minifyWhitespace: true,
  logLevel: 'warning',
})

// The debug server and the language server, each a module for workers of pages and editor extensions without anything of Node.
await build({
  entryPoints: { 'debug-server': at('apps/dap/worker.ts'), 'language-server': at('apps/lsp/worker/main.ts') },
  outdir: at('dist/worker'),
  bundle: true,
  platform: 'browser',
  format: 'esm',
  target: 'es2023',
  minify: true,
  logLevel: 'warning',
})
