import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { disassemble } from '../src/asm/disassemble.ts'
import { type ListingOptions, statementLister } from '../src/asm/listing/index.ts'
import { instructionNumbers } from '../src/program/index.ts'
import { readShader } from '../src/shader/index.ts'
import { CORPUS_FOLDER, type CorpusFile, corpusFiles } from './support/corpus.ts'

/** Options by the tag of a further listing, as the `// list[TAG:L]: FLAGS` lines of the sources name them. */
const FLAGS: Readonly<Record<string, ListingOptions>> = {
  ni: { numbers: true },
  no: { offsets: true },
  lx: { hexLiterals: true },
  cc: { colors: 'html' },
}

interface Variant {
  readonly name: string
  readonly options: ListingOptions
  readonly file: CorpusFile
  readonly listing: string
}

function variants(files: readonly CorpusFile[]): Variant[] {
  const byName = new Map(files.map((f) => [f.name, f]))
  const found: Variant[] = []
  for (const folder of new Set(
    files.filter((f) => f.path.startsWith(CORPUS_FOLDER)).map((f) => f.name.split('/')[0]!),
  )) {
    for (const entry of readdirSync(CORPUS_FOLDER + folder)) {
      const [, name, tag] = /^(.+)\.list-(\w+)\.asm$/.exec(entry) ?? []
      if (name === undefined || tag === undefined) continue
      const listing = readFileSync(`${CORPUS_FOLDER}${folder}/${entry}`, 'latin1')
      found.push({ name: `${folder}/${entry}`, options: FLAGS[tag]!, file: byName.get(`${folder}/${name}`)!, listing })
    }
  }
  return found
}

/** The first line that differs, so that a failure says what is wrong and not 40 kB of text. */
function difference(printed: string, official: string): string | undefined {
  if (printed === official) return undefined
  const p = printed.split('\n')
  const o = official.split('\n')
  const at = o.findIndex((line, i) => line !== p[i])
  return at < 0 ? `line ${o.length}: printed more` : `line ${at + 1}: printed ${p[at]}, fxc has ${o[at]}`
}

const FILES = corpusFiles()

describe('the listing', () => {
  it('equals that of fxc for every file of the corpus and the kernels, byte for byte', () => {
    const differing: string[] = []
    for (const file of FILES) {
      const found = difference(disassemble(file.bytes), file.listing)
      if (found !== undefined) differing.push(`${file.name}, ${found}`)
    }
    expect(differing).toEqual([])
    expect(FILES.length).toBeGreaterThanOrEqual(489)
  })

  it('equals that of fxc with /Ni, /No, /Lx and /Cc wherever the corpus has one', () => {
    const all = variants(FILES)
    const differing: string[] = []
    for (const { name, options, file, listing } of all) {
      const found = difference(disassemble(file.bytes, options), listing)
      if (found !== undefined) differing.push(`${name}, ${found}`)
    }
    expect(differing).toEqual([])
    expect(all.length).toBeGreaterThanOrEqual(42)
  })

  it('gives every instruction the number by which reports name it', () => {
    const differing: string[] = []
    let count = 0
    for (const { name, bytes } of FILES) {
      const program = readShader(bytes).value!.program
      const list = statementLister(program)
      const numbers = instructionNumbers(program)
      const expected = program.statements.flatMap((_, at) =>
        numbers[at] === undefined ? [] : [`${numbers[at]}: ${list(at)?.trimEnd()}`],
      )
      // Level 9 code, in comments, has numbers of its own. Debug data adds what instructions set behind them.
      const lines = disassemble(bytes, { numbers: true })
        .split('\n')
        .filter((line) => /^ *\d+: /.test(line))
      const printed = lines.map((line) =>
        line
          .replace(/ {2}\/\/ .*/, '')
          .trimEnd()
          .replace(/^ *(\d+:) */, '$1 '),
      )
      count += expected.length
      const at = difference(printed.join('\n'), expected.join('\n'))
      if (at !== undefined) differing.push(`${name}, ${at}`)
    }
    expect(differing).toEqual([])
    expect(count).toBeGreaterThanOrEqual(10_000)
  })
})
