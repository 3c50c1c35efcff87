import { describe, expect, it } from 'vitest'
import { corpusFiles } from '../../test/support/corpus.ts'
import { CONTROLS_MASK, INSTRUCTIONS, REGISTER_FILES, rowOfMnemonic, rowOfOpcode } from './index.ts'

/** Opcode numbers that the token format header reserves: three ends of instruction groups and one withdrawn opcode. */
const RESERVED = [107, 112, 209, 218]

describe('the instruction table', () => {
  it('has every opcode from 0 to 234 but the reserved ones, each once', () => {
    const opcodes = INSTRUCTIONS.map((r) => r.opcode)
    const wanted = Array.from({ length: 235 }, (_, i) => i).filter((n) => !RESERVED.includes(n))
    expect(opcodes).toEqual(wanted)
  })

  it('finds a row by its opcode, its mnemonic and its aliases', () => {
    for (const row of INSTRUCTIONS) {
      expect(rowOfOpcode(row.opcode)).toBe(row)
      for (const name of [row.mnemonic, ...row.aliases]) expect(rowOfMnemonic(name), name).toBe(row)
    }
    expect(rowOfOpcode(107)).toBeUndefined()
    expect(rowOfMnemonic('frobnicate')).toBeUndefined()
  })

  it('gives no name to two rows', () => {
    const names = INSTRUCTIONS.flatMap((r) => [r.mnemonic, ...r.aliases])
    expect(new Set(names).size).toBe(names.length)
    expect(new Set(INSTRUCTIONS.map((r) => r.enumName)).size).toBe(INSTRUCTIONS.length)
  })

  it('prints what fxc prints: each mnemonic begins a line of an official listing', () => {
    const words = { corpus: new Set<string>(), patched: new Set<string>() }
    for (const file of corpusFiles()) {
      const set = file.synthetic ? words.patched : words.corpus
      for (const m of file.listing.matchAll(/^ *([A-Za-z]\w*)/gm)) set.add(m[1]!)
    }
    const begins = (mnemonic: string, set: ReadonlySet<string>): boolean =>
      [...set].some((w) => w === mnemonic || w.startsWith(`${mnemonic}_`) || w.startsWith(`${mnemonic}(`))
    const missing = INSTRUCTIONS.filter((r) => r.traits.kind !== 'custom-data').filter(
      (r) => !begins(r.mnemonic, words[r.evidence]),
    )
    expect(missing.map((r) => r.mnemonic)).toEqual([])
    // A row marked as patched must really be absent from what fxc made, or the mark is wrong.
    const wronglyPatched = INSTRUCTIONS.filter((r) => r.evidence === 'patched' && words.corpus.has(r.mnemonic))
    expect(wronglyPatched.map((r) => r.mnemonic)).toEqual([])
  })

  it('keeps controls inside bits 11 to 23 and apart from each other', () => {
    for (const row of INSTRUCTIONS) {
      let used = 0
      for (const c of row.controls) {
        const mask = ((1 << c.width) - 1) << c.shift
        expect(mask & ~CONTROLS_MASK, `${row.mnemonic} ${c.name}`).toBe(0)
        expect(used & mask, `${row.mnemonic} ${c.name}`).toBe(0)
        used |= mask
      }
    }
  })

  it('puts destinations before sources', () => {
    for (const row of INSTRUCTIONS) {
      const roles = row.operands.map((o) => o.role === 'dest')
      expect(roles, row.mnemonic).toEqual([...roles].sort((a, b) => Number(b) - Number(a)))
    }
  })
})

describe('register files', () => {
  it('stand at the index of their operand type', () => {
    REGISTER_FILES.forEach((f, i) => {
      expect(f.number).toBe(i)
    })
    expect(REGISTER_FILES.length).toBe(43)
  })
})
