import { describe, expect, it } from 'vitest'
import { numberOps } from '../../src/engine/reference/number-ops.ts'
import { type AtomicOperation, atomicResult, rowOfMnemonic } from '../../src/isa/index.ts'
import { words } from './exact.ts'

/** Integer and bit instructions on random words, against the specification's pseudo-code over BigInt and strings. */
const ops = numberOps({ denormals: 'flush' })
const next = words(99)
const word = (): number =>
  (next() & 7) === 0 ? [0, 0xffffffff, 0x80000000, 0x7fffffff][next() & 3]! : next() >>> (next() & 31)

type Oracle = (...s: readonly bigint[]) => readonly bigint[]
const U32 = 1n << 32n
const signed = (n: bigint): bigint => BigInt.asIntN(32, n)
const bool = (b: boolean): bigint => (b ? U32 - 1n : 0n)
const either = (first: boolean, a: bigint, b: bigint): readonly bigint[] => [first ? a : b]
const bits = (n: bigint): string => n.toString(2).padStart(32, '0')
const position = (found: number): bigint => (found < 0 ? U32 - 1n : BigInt(found))
const five = (n: bigint): bigint => n & 31n

/** 22.11.6 and 22.11.11 as they are written, with the right shift that they differ in. */
const extract =
  (shiftRight: (n: bigint, by: bigint) => bigint): Oracle =>
  (w, o, a) => {
    const width = five(w!)
    const offset = five(o!)
    if (width === 0n) return [0n]
    if (width + offset < 32n) return [shiftRight(BigInt.asUintN(32, a! << (32n - (width + offset))), 32n - width)]
    return [shiftRight(a!, offset)]
  }

const byteOf = (n: bigint, i: number): bigint => (n >> BigInt(8 * i)) & 0xffn

/** 22.12.15, byte after byte. */
const msad: Oracle = (reference, source, start) => {
  let total = start!
  for (let i = 0; i < 4; i++) {
    const r = byteOf(reference!, i)
    const s = byteOf(source!, i)
    if (r === 0n) continue
    const difference = r >= s ? r - s : s - r
    if (U32 - 1n - total < difference) return [U32 - 1n]
    total += difference
  }
  return [total]
}

const ORACLES: Readonly<Record<string, Oracle>> = {
  iadd: (a, b) => [a! + b!],
  imad: (a, b, c) => [a! * b! + c!],
  umad: (a, b, c) => [a! * b! + c!],
  ineg: (a) => [-a!],
  imul: (a, b) => [(signed(a!) * signed(b!)) >> 32n, a! * b!],
  umul: (a, b) => [(a! * b!) >> 32n, a! * b!],
  udiv: (a, b) => (b === 0n ? [-1n, -1n] : [a! / b!, a! % b!]),
  uaddc: (a, b) => [a! + b!, (a! + b!) >> 32n],
  usubb: (a, b) => [a! - b!, a! < b! ? 1n : 0n],
  imax: (a, b) => either(signed(a!) > signed(b!), a!, b!),
  imin: (a, b) => either(signed(a!) < signed(b!), a!, b!),
  umax: (a, b) => either(a! > b!, a!, b!),
  umin: (a, b) => either(a! < b!, a!, b!),
  ieq: (a, b) => [bool(a === b)],
  ine: (a, b) => [bool(a !== b)],
  ilt: (a, b) => [bool(signed(a!) < signed(b!))],
  ige: (a, b) => [bool(signed(a!) >= signed(b!))],
  ult: (a, b) => [bool(a! < b!)],
  uge: (a, b) => [bool(a! >= b!)],
  msad,
  and: (a, b) => [a! & b!],
  or: (a, b) => [a! | b!],
  xor: (a, b) => [a! ^ b!],
  not: (a) => [~a!],
  ishl: (a, b) => [a! << five(b!)],
  ishr: (a, b) => [signed(a!) >> five(b!)],
  ushr: (a, b) => [a! >> five(b!)],
  countbits: (a) => [BigInt(bits(a!).split('1').length - 1)],
  firstbit_hi: (a) => [position(bits(a!).indexOf('1'))],
  firstbit_lo: (a) => [position([...bits(a!)].reverse().indexOf('1'))],
  firstbit_shi: (a) => [position(bits(a!).indexOf(signed(a!) < 0n ? '0' : '1'))],
  bfrev: (a) => [BigInt(`0b${[...bits(a!)].reverse().join('')}`)],
  ubfe: extract((n, by) => n >> by),
  ibfe: extract((n, by) => signed(n) >> by),
  bfi: (w, o, field, base) => {
    const mask = BigInt.asUintN(32, ((1n << five(w!)) - 1n) << five(o!))
    return [((field! << five(o!)) & mask) | (base! & ~mask)]
  },
}

describe('integer instructions on random words', () => {
  for (const [mnemonic, oracle] of Object.entries(ORACLES)) {
    it(mnemonic, () => {
      const row = rowOfMnemonic(mnemonic)!
      if (row.traits.kind !== 'alu') throw new Error(mnemonic)
      const count = row.operands.filter((operand) => operand.role === 'source').length
      for (let i = 0; i < 1500; i++) {
        const sources = Array.from({ length: count }, word)
        const results = row.traits.semantics(
          ops,
          sources.map((s) => s | 0),
        )
        const expected = oracle(...sources.map(BigInt)).map((r) => Number(BigInt.asIntN(32, r)))
        expect([mnemonic, ...sources, ...results]).toEqual([mnemonic, ...sources, ...expected])
      }
    })
  }
})

describe('atomics leave in memory', () => {
  const M = 0x80000005 | 0
  const results: Readonly<Record<AtomicOperation, number>> = {
    and: 0x00000001,
    or: 0x80000007 | 0,
    xor: 0x80000006 | 0,
    add: 0x80000008 | 0,
    'signed-max': 3,
    'signed-min': M,
    'unsigned-max': M,
    'unsigned-min': 3,
    exchange: 3,
    'compare-exchange': M,
  }
  for (const [operation, expected] of Object.entries(results)) {
    it(operation, () => {
      expect(atomicResult(ops, operation as AtomicOperation, M, 3, 4)).toBe(expected)
    })
  }

  it('the second value of cmp-exch where memory equals the first', () => {
    expect(atomicResult(ops, 'compare-exchange', M, 3, M)).toBe(3)
    // Bits are compared, not floats: -0 is not 0.
    expect(atomicResult(ops, 'compare-exchange', 0x80000000 | 0, 3, 0)).toBe(0x80000000 | 0)
  })

  it('wraps additions', () => {
    expect(atomicResult(ops, 'add', -1, 1)).toBe(0)
    expect(atomicResult(ops, 'add', 0x7fffffff, 1)).toBe(0x80000000 | 0)
  })
})
