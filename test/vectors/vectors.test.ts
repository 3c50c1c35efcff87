import { describe, expect, it } from 'vitest'
import { numberOps } from '../../src/engine/reference/number-ops.ts'
import {
  type ComponentType,
  INSTRUCTIONS,
  type InstructionRow,
  rowOfMnemonic,
  type Semantics,
} from '../../src/isa/index.ts'
import { VECTORS } from './index.ts'
import type { Result, Vector } from './vector.ts'

const ops = numberOps({ denormals: 'flush' })
const ALU = INSTRUCTIONS.filter((row) => row.traits.kind === 'alu')

function semanticsOf(row: InstructionRow): Semantics {
  if (row.traits.kind !== 'alu') throw new Error(`${row.mnemonic} is no pure instruction`)
  return row.traits.semantics
}

const hex = (word: Result): string =>
  typeof word === 'string' ? word : `0x${(word >>> 0).toString(16).padStart(8, '0')}`

/** Whether a word is what a vector says. */
function agrees(word: number, expected: Result): boolean {
  switch (expected) {
    case 'any':
      return true
    case 'nan':
      return (word & 0x7fffffff) > 0x7f800000
    case 'nan-high':
      return (word & 0x7ff80000) === 0x7ff80000
    default:
      return word >>> 0 === expected
  }
}

/** The results as the vector writes them. */
function shown(vector: Vector, results: readonly number[]): string {
  const show = (word: number, expected: Result | undefined): string =>
    hex(expected !== undefined && agrees(word, expected) ? expected : word)
  return results.map((r, i) => show(r, vector.results[i])).join(' ')
}

describe('vectors from the specification', () => {
  for (const { mnemonic, vectors } of VECTORS) {
    it(mnemonic, () => {
      const semantics = semanticsOf(rowOfMnemonic(mnemonic)!)
      for (const vector of vectors) {
        const results = semantics(
          ops,
          vector.sources.map((s) => s | 0),
        )
        const label = `${mnemonic} ${vector.sources.map(hex).join(' ')} (${vector.reason}): `
        expect(label + shown(vector, results)).toBe(label + vector.results.map(hex).join(' '))
        expect(results.every((r) => r === (r | 0))).toBe(true)
      }
    })
  }
})

const FLOAT_SPECIALS: Readonly<Record<string, (w: number) => boolean>> = {
  '+0': (w) => w === 0,
  '-0': (w) => w === 0x80000000,
  denormal: (w) => (w & 0x7f800000) === 0 && (w & 0x7fffff) !== 0,
  '+INF': (w) => w === 0x7f800000,
  '-INF': (w) => w === 0xff800000,
  NaN: (w) => (w & 0x7fffffff) > 0x7f800000,
}
const INTEGER_SPECIALS = {
  '0': (w: number): boolean => w === 0,
  INT_MIN: (w: number): boolean => w === 0x80000000,
  '-1': (w: number): boolean => w === 0xffffffff,
}
const SPECIALS: Readonly<Record<ComponentType, Readonly<Record<string, (w: number, low: number) => boolean>>>> = {
  f32: FLOAT_SPECIALS,
  i32: INTEGER_SPECIALS,
  u32: { '0': INTEGER_SPECIALS[0], '-1': INTEGER_SPECIALS['-1'], 'of 32 or more': (w) => w >= 32 },
  bits: { '0': (w) => w === 0, 'with bit 31 set': (w) => w >= 0x80000000 },
  f16: {
    '+0': (w) => w === 0,
    '-0': (w) => w === 0x8000,
    denormal: (w) => w > 0 && w < 0x400,
    INF: (w) => w === 0x7c00,
    NaN: (w) => w > 0x7c00 && w < 0x8000,
  },
  f64: {
    '+0': (w, low) => w === 0 && low === 0,
    '-0': (w, low) => w === 0x80000000 && low === 0,
    denormal: (w, low) => (w & 0x7ff00000) === 0 && ((w & 0xfffff) !== 0 || low !== 0),
    '+INF': (w, low) => w === 0x7ff00000 && low === 0,
    '-INF': (w, low) => w === 0xfff00000 && low === 0,
    NaN: (w, low) => (w & 0x7fffffff) > 0x7ff00000 || ((w & 0x7ff00000) === 0x7ff00000 && low !== 0),
  },
}

/** Types of the source values of a row, one for each value in the list that its meaning takes. */
function sourceTypes(row: InstructionRow): { type: ComponentType; at: number; values: number }[] {
  let at = 0
  return row.operands
    .filter((operand) => operand.role === 'source' || operand.role === 'condition')
    .map((operand) => {
      const values = operand.components ?? 1
      const entry = { type: operand.type, at, values }
      at += operand.type === 'f64' ? 2 : values
      return entry
    })
}

/** Special values of its sources that no vector of a row has. */
function missingSpecials(row: InstructionRow, vectors: readonly Vector[]): string[] {
  return sourceTypes(row).flatMap(({ type, at, values }, index) =>
    Object.entries(SPECIALS[type])
      .filter(([, is]) => {
        const wide = type === 'f64'
        const seen = (v: Vector, i: number): boolean =>
          wide ? is(v.sources[at + 1]!, v.sources[at]!) : is(v.sources[at + i]!, 0)
        return !vectors.some((v) => Array.from({ length: values }, (_, i) => i).some((i) => seen(v, i)))
      })
      .map(([name]) => `${row.mnemonic}: source ${index} ${name}`),
  )
}

describe('totality', () => {
  it('has one table for every pure instruction and no other', () => {
    expect(VECTORS.map((t) => t.mnemonic).sort()).toEqual(ALU.map((row) => row.mnemonic).sort())
  })

  it('has every special value on every source of every pure instruction', () => {
    const missing = ALU.flatMap((row) =>
      missingSpecials(row, VECTORS.find((t) => t.mnemonic === row.mnemonic)?.vectors ?? []),
    )
    expect(missing).toEqual([])
  })

  it('gives as many words as the destinations take', () => {
    for (const row of ALU) {
      const width = row.operands
        .filter((operand) => operand.role === 'dest')
        .reduce((sum, operand) => sum + (operand.type === 'f64' ? 2 : 1), 0)
      for (const vector of VECTORS.find((t) => t.mnemonic === row.mnemonic)?.vectors ?? []) {
        expect([row.mnemonic, vector.results.length]).toEqual([row.mnemonic, width])
        const results = semanticsOf(row)(
          ops,
          vector.sources.map((s) => s | 0),
        )
        expect([row.mnemonic, results.length]).toEqual([row.mnemonic, width])
      }
    }
  })
})
