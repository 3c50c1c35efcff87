// The folder of the VS Code extension, build/vscode: its manifest, bundles for Node and for browsers, and what they
// need. With --package also heddle.vsix. Usage: node scripts/build-vscode.mjs [--package]
import { copyFileSync, cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const SOURCE = join(ROOT, 'apps/vscode')
const OUT = join(ROOT, 'build/vscode')

/** Files as they are, by their place in the extension. */
const FILES = {
  'package.json': join(SOURCE, 'manifest.json'),
  'README.md': join(SOURCE, 'README.md'),
  'language-configuration.json': join(SOURCE, 'language-configuration.json'),
  LICENSE: join(ROOT, 'LICENSE'),
  'schema/job.schema.json': join(ROOT, 'schema/job.schema.json'),
}

const common = {
  bundle: true,
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  // The engines run on the thread of the extension: a worker would need a module of its own beside the bundle.
  define: { 'import.meta.url': 'undefined' },
}
const node = { ...common, platform: 'node', format: 'cjs', target: 'node20', external: ['vscode'] }
const web = { ...common, platform: 'browser', target: 'es2023', external: ['vscode'] }

rmSync(OUT, { recursive: true, force: true })
for (const [to, from] of Object.entries(FILES)) {
  mkdirSync(dirname(join(OUT, to)), { recursive: true })
  copyFileSync(from, join(OUT, to))
}
cpSync(join(SOURCE, 'syntaxes'), join(OUT, 'syntaxes'), { recursive: true })
await Promise.all([
  build({ ...node, entryPoints: [join(SOURCE, 'src/main-node.ts')], outfile: join(OUT, 'dist/extension.js') }),
  build({ ...node, entryPoints: [join(SOURCE, 'src/server-node.ts')], outfile: join(OUT, 'dist/server.js') }),
  build({
    ...web,
    format: 'cjs',
    entryPoints: [join(SOURCE, 'src/main-web.ts')],
    outfile: join(OUT, 'dist/extension-web.js'),
  }),
  build({
    ...web,
    format: 'iife',
    entryPoints: [join(SOURCE, 'src/server-web.ts')],
    outfile: join(OUT, 'dist/server-web.js'),
  }),
])

if (process.argv.includes('--package')) {
  const { createVSIX } = await import('@vscode/vsce')
  const packagePath = join(ROOT, 'heddle.vsix')
  if (existsSync(packagePath)) rmSync(packagePath)
  await createVSIX({ cwd: OUT, packagePath, dependencies: false, allowMissingRepository: true })
}
