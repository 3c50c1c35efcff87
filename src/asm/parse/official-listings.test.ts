import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { amount, everyNth } from '../../../test/support/amount.ts'
import { codeChunk, corpusFiles } from '../../../test/support/corpus.ts'
import type { Diagnostic } from '../../diagnostic/index.ts'
import { FILE } from '../../isa/index.ts'
import {
  decodeProgram,
  decodeShaderMessage,
  encodeProgram,
  encodeShaderMessage,
  type Program,
  type Statement,
} from '../../program/index.ts'
import { DEFAULT_FLOAT_TEXT, doubleText, floatText } from '../text/numbers.ts'
import { parseProgram } from './index.ts'

const MADE = corpusFiles().filter((f) => !f.synthetic)

/** Every literal dword of a statement. */
function literalDwords(s: Statement): readonly number[] {
  if (s.kind === 'custom-data') return s.dwords
  return s.kind === 'instruction' ? s.operands.flatMap((o) => o.values) : []
}

/** The statement with its literals out of the way. */
function withoutLiterals(s: Statement): unknown {
  if (s.kind === 'custom-data') return { ...s, dwords: s.dwords.length }
  if (s.kind !== 'instruction') return s
  return { ...s, operands: s.operands.map((o) => ({ ...o, values: o.values.length })) }
}

/** The texts of literals, one for each dword: a double's two dwords have one text. */
function literalTexts(s: Statement): readonly string[] {
  if (s.kind !== 'instruction') return literalDwords(s).map((d) => floatText(d, DEFAULT_FLOAT_TEXT))
  return s.operands.flatMap(({ type, values }) =>
    values.map((d, k) => {
      if (type !== FILE.immediate64) return floatText(d, DEFAULT_FLOAT_TEXT)
      return `${doubleText(values[k & ~1]!, values[k | 1]!, DEFAULT_FLOAT_TEXT)}l`
    }),
  )
}

/** Literals that came back otherwise, as the listing has them. */
function changedLiterals(original: Program, parsed: Program): string[] {
  return original.statements.flatMap((s, i) => {
    const back = literalDwords(parsed.statements[i]!)
    const texts = literalTexts(s)
    return literalDwords(s).flatMap((dword, k) => (dword === back[k] ? [] : [texts[k]!]))
  })
}

function warnedTexts(diagnostics: readonly Diagnostic[]): ReadonlySet<string> {
  const texts = diagnostics.map((d) => {
    if (d.place?.kind !== 'text') return ''
    const { sourceLine, column, length } = d.place
    return sourceLine.slice(column - 1, column - 1 + length)
  })
  return new Set(texts)
}

/** The program with points for the control characters of its messages that the listing shows as points. */
function withPoints(program: Program): Program {
  const statements = program.statements.map((s) => {
    const message = s.kind === 'custom-data' ? decodeShaderMessage(s) : undefined
    if (message === undefined) return s
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced.
    return encodeShaderMessage({ ...message, text: message.text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '.') })
  })
  return { ...program, statements }
}

describe('parseProgram on the official listings', () => {
  it('gives the code of every shader that fxc made, but for literals that it warns of', () => {
    let equal = 0
    for (const { name, bytes, listing } of everyNth(MADE, 5)) {
      const chunk = codeChunk(bytes)
      const { value, diagnostics } = parseProgram(listing)
      expect(value, name).toBeDefined()
      const original = withPoints(decodeProgram(chunk).value!)
      expect(value!.statements.map(withoutLiterals), name).toEqual(original.statements.map(withoutLiterals))
      const changed = changedLiterals(original, value!)
      const warned = warnedTexts(diagnostics)
      for (const text of changed) expect(warned.has(text), `${name}: ${text}`).toBe(true)
      if (changed.length > 0) continue
      expect(encodeProgram(value!), name).toEqual(encodeProgram(original))
      equal++
    }
    // Shaders whose literals are all the nearest floats to their text; the others have lost bits.
    expect(equal).toBeGreaterThanOrEqual(amount(70, 396))
  })

  it('warns of nothing in listings with hexadecimal literals, and gives every bit back', () => {
    let count = 0
    for (const { name, path, bytes } of MADE) {
      const listing = `${path.slice(0, -'.dxbc'.length)}.list-lx.asm`
      if (!readdirSync(dirname(path)).includes(basename(listing))) continue
      const { value, diagnostics } = parseProgram(readFileSync(listing, 'latin1'))
      expect(diagnostics, name).toEqual([])
      expect(encodeProgram(value!), name).toEqual(codeChunk(bytes))
      count++
    }
    expect(count).toBeGreaterThanOrEqual(10)
  })

  it('reads listings with numbers and offsets as those without', () => {
    let count = 0
    for (const { name, path, listing } of MADE) {
      const stem = basename(path, '.dxbc')
      const further = readdirSync(dirname(path)).filter((f) => f.startsWith(`${stem}.list-n`) && f.endsWith('.asm'))
      for (const f of further) {
        const { value } = parseProgram(readFileSync(join(dirname(path), f), 'latin1'))
        expect(value, `${name} ${f}`).toEqual(parseProgram(listing).value)
        count++
      }
    }
    expect(count).toBeGreaterThanOrEqual(10)
  })

  it('reads patched listings without an error, and says where they hide something', () => {
    for (const { name, bytes, listing } of corpusFiles().filter((f) => f.synthetic)) {
      const { value, diagnostics } = parseProgram(listing)
      expect(
        diagnostics.filter((d) => d.severity === 'error'),
        name,
      ).toEqual([])
      expect(value, name).toBeDefined()
      if (listing.includes('???')) expect(diagnostics.map((d) => d.code)).toContain('asm-information-lost')
      expect(decodeProgram(codeChunk(bytes)).value!.stageNumber).toBe(value!.stageNumber)
    }
  })
})
