// Prints what reading, listing, assembling and validating show on the corpus and the kernels: one line a figure, exit
// code 1 when one that must be whole is not. Needs the build. Usage: node scripts/figures.mjs [--verbose]
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { decodeChunk, encodeChunk, findCodeChunk } from '../dist/dxbc/index.js'
import { assemble, decodeProgram, disassemble, encodeProgram, readDxbc, validate, writeDxbc } from '../dist/index.js'

const verbose = process.argv.includes('--verbose')
const root = fileURLToPath(new URL('../test/', import.meta.url))
const LISTING_FLAGS = {
  '/Ni': { numbers: true },
  '/No': { offsets: true },
  '/Lx': { hexLiterals: true },
  '/Cc': { colors: 'html' },
}

function corpus() {
  const files = ['corpus', 'kernels']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((p) => join(root, folder, p)))
    .filter((p) => p.endsWith('.dxbc'))
    .sort()
  if (files.length < 501) throw new Error(`the corpus has ${files.length} shaders; 501 belong there`)
  return files.map((path) => ({
    path,
    name: relative(root, path),
    synthetic: path.includes('/synthetic/'),
    bytes: new Uint8Array(readFileSync(path)),
    listing: readFileSync(path.replace(/\.dxbc$/, '.asm'), 'latin1'),
  }))
}

/** The further listings of a file, with the flags that its source names for them. */
function furtherListings(file) {
  const stem = file.path.replace(/\.dxbc$/, '')
  const folder = join(stem, '..')
  const base = relative(folder, stem)
  return readdirSync(folder)
    .filter((p) => p.startsWith(`${base}.list-`) && p.endsWith('.asm'))
    .map((p) => {
      const tag = p.slice(`${base}.list-`.length, -'.asm'.length)
      return { file, path: join(folder, p), options: LISTING_FLAGS[`/${tag[0].toUpperCase()}${tag.slice(1)}`] }
    })
}

const same = (a, b) => a !== undefined && Buffer.compare(Buffer.from(a), Buffer.from(b)) === 0
const codeOf = (bytes) => findCodeChunk(readDxbc(bytes).value).data

let failed = false
/** Prints a figure: how many of the items pass; `must` makes the exit code 1 where not all do. */
function figure(title, items, passes, must = true) {
  const wrong = items.filter((item) => !passes(item))
  if (must && wrong.length > 0) failed = true
  console.log(`${title}: ${items.length - wrong.length} of ${items.length}`)
  if (verbose || must)
    for (const item of wrong.slice(0, 10)) console.log(`  not: ${item.name ?? relative(root, item.path)}`)
}

function chunksReEncode({ bytes }) {
  return readDxbc(bytes).value.chunks.every((chunk) => {
    const { value } = decodeChunk(chunk)
    return value.kind !== 'raw' && same(encodeChunk(value), chunk.data)
  })
}

/** What a warning about lost bits says: a literal, a word for an enumeration, data that the text has no form for. */
const LOSS = new Set(['asm-literal-inexact', 'asm-literal-ambiguous', 'asm-information-lost'])

function officialListings(files) {
  const results = files.map((file) => {
    const { value, diagnostics } = assemble(file.listing, { base: file.bytes })
    return {
      ...file,
      errors: diagnostics.filter((d) => d.severity === 'error').length,
      warnings: diagnostics.filter((d) => LOSS.has(d.code)).length,
      equal: value !== undefined && same(codeOf(value), codeOf(file.bytes)),
    }
  })
  const made = results.filter((r) => !r.synthetic)
  figure('official listing assembled over its shader without error', results, (r) => r.errors === 0)
  figure(
    '  code chunk equal where no bits were lost (fxc made)',
    made.filter((r) => r.warnings === 0),
    (r) => r.equal,
  )
  figure('  code chunk equal, or each loss warned of (fxc made)', made, (r) => r.equal || r.warnings > 0)
  const warned = made.filter((r) => r.warnings > 0)
  const places = warned.reduce((n, r) => n + r.warnings, 0)
  console.log(
    `  shaders with warnings: ${warned.length}, places: ${places}; code chunk equal all the same: ${warned.filter((r) => r.equal).length}`,
  )
  figure(
    '  code chunk equal or warned of (patched by hand)',
    results.filter((r) => r.synthetic),
    (r) => r.equal || r.warnings > 0,
    false,
  )
}

const files = corpus()
const made = files.filter((f) => !f.synthetic)
const further = files.flatMap(furtherListings)
if (further.some((l) => l.options === undefined || !existsSync(l.path)))
  throw new Error('a further listing has unknown flags')
const normal = further.filter((l) => l.options.colors === undefined)
figure('listing equal to fxc, byte for byte', files, (f) => disassemble(f.bytes) === f.listing)
figure(
  'listing with numbers, offsets or hex literals equal',
  normal,
  (l) => disassemble(l.file.bytes, l.options) === readFileSync(l.path, 'latin1'),
)
figure(
  'listing with colors equal',
  further.filter((l) => !normal.includes(l)),
  (l) => disassemble(l.file.bytes, l.options) === readFileSync(l.path, 'latin1'),
)
figure('container written as it was read', files, (f) => same(writeDxbc(readDxbc(f.bytes).value), f.bytes))
figure('code chunk encoded from its program', files, (f) =>
  same(encodeProgram(decodeProgram(codeOf(f.bytes)).value), codeOf(f.bytes)),
)
figure('every chunk encoded from its model', files, chunksReEncode)
figure('whole file from its lossless text', files, (f) =>
  same(assemble(disassemble(f.bytes, { dialect: 'lossless' })).value, f.bytes),
)
officialListings(files)
figure('no finding on what fxc made', made, (f) => validate(f.bytes).length === 0)
process.exit(failed ? 1 : 0)
