import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The corpus in the repository: shaders compiled by fxc 10.1 (test/corpus/README.md) and the kernels. */
export const CORPUS_FOLDER = fileURLToPath(new URL('../corpus/', import.meta.url))
export const KERNELS_FOLDER = fileURLToPath(new URL('../kernels/', import.meta.url))

/** A compiled shader and, where there is one, its official listing. */
export interface CorpusFile {
  /** Path below its folder, without `.dxbc`: `cs/raw_access`, `kernels/blur`. */
  readonly name: string
  readonly path: string
  readonly bytes: Uint8Array
  readonly listing: string
  /** Patched by hand, not made by fxc: may break any rule. */
  readonly synthetic: boolean
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesBelow(path)
    else yield path
  }
}

function filesOf(folder: string, prefix: string): CorpusFile[] {
  if (!existsSync(folder)) throw new Error(`no corpus at ${folder}: the tests cannot run without it`)
  const files: CorpusFile[] = []
  for (const path of filesBelow(folder)) {
    if (!path.endsWith('.dxbc')) continue
    const name = prefix + path.slice(folder.length, -'.dxbc'.length)
    files.push({
      name,
      path,
      bytes: new Uint8Array(readFileSync(path)),
      listing: readFileSync(path.replace(/\.dxbc$/, '.asm'), 'latin1'),
      synthetic: name.startsWith('synthetic/'),
    })
  }
  return files
}

const LEAST_FILES = 501

/** Every shader of the corpus and the kernels, in a fixed order. Throws where files are missing. */
export function corpusFiles(): readonly CorpusFile[] {
  const files = [...filesOf(CORPUS_FOLDER, ''), ...filesOf(KERNELS_FOLDER, 'kernels/')]
  if (files.length < LEAST_FILES)
    throw new Error(`the corpus has ${files.length} shaders, at least ${LEAST_FILES} belong there`)
  return files
}

/** One shader of the corpus by its name. */
export function corpusFile(name: string): CorpusFile {
  const path = join(CORPUS_FOLDER, `${name}.dxbc`)
  const listing = readFileSync(join(CORPUS_FOLDER, `${name}.asm`), 'latin1')
  return { name, path, bytes: new Uint8Array(readFileSync(path)), listing, synthetic: name.startsWith('synthetic/') }
}

/** The data of the code chunk (SHDR or SHEX) of a container, found without the library under test. */
export function codeChunk(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const count = view.getUint32(28, true)
  for (let i = 0; i < count; i++) {
    const offset = view.getUint32(32 + 4 * i, true)
    const fourCc = String.fromCharCode(...bytes.subarray(offset, offset + 4))
    if (fourCc === 'SHDR' || fourCc === 'SHEX')
      return bytes.slice(offset + 8, offset + 8 + view.getUint32(offset + 4, true))
  }
  throw new Error('no code chunk')
}
