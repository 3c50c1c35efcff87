import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { beforeAll, describe, expect, it } from 'vitest'
import oniguruma from 'vscode-oniguruma'
import textmate from 'vscode-textmate'
import { GRAMMAR_FILES } from '../../scripts/grammar.ts'
import { parseProgram } from '../../src/asm/index.ts'
import { rowOfOpcode } from '../../src/isa/index.ts'
import { everyNth } from '../support/amount.ts'
import { corpusFiles } from '../support/corpus.ts'

const ROOT = new URL('../../', import.meta.url)
const [GRAMMAR_FILE] = GRAMMAR_FILES[0]!

let grammar: textmate.IGrammar

beforeAll(async () => {
  const wasm = new Uint8Array(
    readFileSync(createRequire(import.meta.url).resolve('vscode-oniguruma/release/onig.wasm')),
  ).buffer
  await oniguruma.loadWASM(wasm)
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(readFileSync(new URL(GRAMMAR_FILE, ROOT), 'utf8'), GRAMMAR_FILE),
  })
  grammar = (await registry.loadGrammar('source.dxbc'))!
})

/** The words of a line with the last of their scopes, without the language's name. */
function wordsOf(line: string): readonly (readonly [text: string, scope: string])[] {
  return grammar
    .tokenizeLine(line, textmate.INITIAL)
    .tokens.map((t) => [line.slice(t.startIndex, t.endIndex), t.scopes.at(-1)!.replace(/\.dxbc$/, '')] as const)
    .filter(([text, scope]) => text.trim() !== '' && scope !== 'source')
}

describe('the grammar for editors', () => {
  it.each(GRAMMAR_FILES)('%s is what the generator makes: npm run docs', (path, text) => {
    expect(readFileSync(new URL(path, ROOT), 'utf8')).toBe(text)
  })

  it('tells the words of statements apart', () => {
    expect(wordsOf('  mad_sat r0.xy, -v1.xyxx, l(2.000000, 0, 0x10, 1), cb0[r1.x + 3].w // note')).toEqual([
      ['mad_sat', 'support.function.arithmetic'],
      ['r0', 'variable.other.register'],
      ['.xy', 'variable.other.property'],
      ['v1', 'variable.parameter.input'],
      ['.xyxx', 'variable.other.property'],
      ['l', 'storage.type.literal'],
      ['2.000000', 'constant.numeric'],
      ['0', 'constant.numeric'],
      ['0x10', 'constant.numeric.hex'],
      ['1', 'constant.numeric'],
      ['cb0', 'variable.other.constant'],
      ['r1', 'variable.other.register'],
      ['.x', 'variable.other.property'],
      ['3', 'constant.numeric'],
      ['.w', 'variable.other.property'],
      ['// note', 'comment.line'],
    ])
    expect(wordsOf('dcl_input_ps linear centroid v1.xy')).toEqual([
      ['dcl_input_ps', 'storage.type.declaration'],
      ['linear', 'constant.language'],
      ['centroid', 'constant.language'],
      ['v1', 'variable.parameter.input'],
      ['.xy', 'variable.other.property'],
    ])
    expect(wordsOf('   7: if_nz vThreadIDInGroupFlattened.x').map(([, scope]) => scope)).toEqual([
      'constant.numeric.line',
      'keyword.control',
      'variable.parameter.input',
      'variable.other.property',
    ])
    expect(wordsOf('movies r0.x')[0]).toEqual(['movies', 'constant.language'])
    expect(wordsOf('ps_5_0')).toEqual([['ps_5_0', 'keyword.other.profile']])
  })

  it('knows the instructions of every listing of the corpus', () => {
    const missed = new Set<string>()
    // Many listings have the same lines.
    const seen = new Set<string>()
    for (const { listing, synthetic } of everyNth(corpusFiles(), 9)) {
      const { value, places } = parseProgram(listing)
      const lines = listing.split('\n')
      if (value === undefined || synthetic) continue
      value.statements.forEach((s, at) => {
        const row = s.kind === 'instruction' ? rowOfOpcode(s.opcode) : undefined
        if (row === undefined) return
        const { start, line } = places.statements[at]!
        const text = lines[line - 1] ?? ''
        if (seen.has(text)) return
        seen.add(text)
        const word = /^\w+/.exec(listing.slice(start, start + 80))![0]
        const found = wordsOf(text).find(([, scope]) => !scope.startsWith('constant.numeric'))
        if (found?.[0] !== word || found[1] === 'constant.language') missed.add(`${word} in ${text.trim()}`)
      })
    }
    expect([...missed]).toEqual([])
  })
})
