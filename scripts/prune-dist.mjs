// Part of the build: takes out of dist/ what no user reaches. Those are declarations that no exported one names, and modules
// that hold types alone: their compiled form is empty, and nothing loads it.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DIST = join(ROOT, 'dist')
/** Bundles, which are whole by themselves: the command line, and what workers of pages and editors load. */
const BUNDLES = [join(DIST, 'bin'), join(DIST, 'worker')]

const SPECIFIER = /(?:\bfrom |\bimport\(|\bimport |\bnew URL\()['"](\.[^'"]+)['"]/g

/** The file that a specifier means; declarations name the sources (`.ts`) that they were made from. */
function fileMeant(from, specifier) {
  const path = resolve(dirname(from), specifier)
  return from.endsWith('.d.ts') ? path.replace(/\.(?:js|ts)$/, '.d.ts') : path
}

function visit(path, reached) {
  if (reached.has(path) || !existsSync(path)) return
  reached.add(path)
  for (const [, specifier] of readFileSync(path, 'utf8').matchAll(SPECIFIER)) visit(fileMeant(path, specifier), reached)
}

const { exports: doors } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const reached = new Set()
for (const door of Object.values(doors)) {
  for (const file of typeof door === 'string' ? [door] : Object.values(door)) visit(join(ROOT, file), reached)
}

const files = readdirSync(DIST, { recursive: true, withFileTypes: true })
  .filter((e) => e.isFile())
  .map((e) => join(e.parentPath ?? e.path, e.name))
for (const file of files) if (!BUNDLES.some((b) => file.startsWith(b)) && !reached.has(file)) rmSync(file)
