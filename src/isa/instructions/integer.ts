import { dest, instruction, own, SM50, src } from '../build-row.ts'
import { PRECISE } from '../controls.ts'
import type { ComponentType, CountedAs, InstructionRow, Semantics } from '../row.ts'
import * as I from '../semantics/integer.ts'
import { type Binary, words1, words2, words2To2, words3 } from '../semantics/lift.ts'
import type { Pair, ValueOps } from '../semantics/value-ops.ts'

/** Rows that the statistics count otherwise than by the type of their sources. */
const COUNTED: Readonly<Record<string, readonly CountedAs[]>> = {
  ine: ['int', 'truth-test'],
  uaddc: [],
  usubb: [],
}

type Word = Extract<ComponentType, 'i32' | 'u32' | 'bits'>

/** Rows of integer arithmetic: `sources` values of one type to one destination. fxc marks them precise now and then. */
function integer(
  mnemonic: string,
  opcode: number,
  type: Word,
  sources: 1 | 2 | 3,
  spec: string,
  summary: string,
  semantics: Semantics,
): InstructionRow {
  const names = ['src0', 'src1', 'src2'].slice(0, sources)
  return instruction({
    mnemonic,
    opcode,
    traits: { kind: 'alu', lanes: 'componentwise', semantics },
    operands: [dest('dest', type), ...names.map((n) => src(n, type))],
    controls: [PRECISE],
    countedAs: COUNTED[mnemonic] ?? (type === 'i32' ? ['int'] : ['uint']),
    summary,
    spec,
  })
}

function compare(
  mnemonic: string,
  opcode: number,
  type: Word,
  spec: string,
  relation: string,
  f: Binary,
): InstructionRow {
  return {
    ...integer(mnemonic, opcode, type, 2, spec, `Component-wise all ones where ${relation}, else 0.`, words2(f)),
    operands: [dest('dest', 'bits'), own('src0', type), own('src1', type)],
  }
}

/** Two results, either of which may be null. */
function twoResults(
  mnemonic: string,
  opcode: number,
  type: Word,
  names: readonly [string, string],
  spec: string,
  summary: string,
  f: <V>(o: ValueOps<V>, a: V, b: V) => Pair<V>,
): InstructionRow {
  return {
    ...integer(mnemonic, opcode, type, 2, spec, summary, words2To2(f)),
    operands: [
      dest(names[0], type, { nullable: true }),
      dest(names[1], type, { nullable: true }),
      src('src0', type),
      src('src1', type),
    ],
  }
}

export const INTEGER_ROWS: readonly InstructionRow[] = [
  integer('iadd', 30, 'i32', 2, '22.12.1', 'Component-wise 32-bit addition, wrapping.', words2(I.iadd)),
  integer('imad', 35, 'i32', 3, '22.12.3', 'Component-wise low 32 bits of src0 * src1, plus src2.', words3(I.imad)),
  integer('imax', 36, 'i32', 2, '22.12.4', 'Component-wise signed maximum.', words2(I.imax)),
  integer('imin', 37, 'i32', 2, '22.12.5', 'Component-wise signed minimum.', words2(I.imin)),
  twoResults(
    'imul',
    38,
    'i32',
    ['destHi', 'destLo'],
    '22.12.6',
    'Component-wise signed product: high and low 32 bits.',
    I.imul,
  ),
  integer('ineg', 40, 'i32', 1, '22.12.7', "Component-wise two's complement.", words1(I.ineg)),
  twoResults(
    'udiv',
    78,
    'u32',
    ['destQuotient', 'destRemainder'],
    '22.12.9',
    'Component-wise unsigned quotient and remainder; all ones where src1 is 0.',
    I.udiv,
  ),
  {
    ...twoResults(
      'umul',
      81,
      'u32',
      ['destHi', 'destLo'],
      '22.12.13',
      'Component-wise unsigned product: high and low 32 bits.',
      I.umul,
    ),
    evidence: 'patched',
  },
  {
    ...integer(
      'umad',
      82,
      'u32',
      3,
      '22.12.10',
      'Component-wise low 32 bits of src0 * src1, plus src2.',
      words3(I.imad),
    ),
    evidence: 'patched',
  },
  integer('umax', 83, 'u32', 2, '22.12.11', 'Component-wise unsigned maximum.', words2(I.umax)),
  integer('umin', 84, 'u32', 2, '22.12.12', 'Component-wise unsigned minimum.', words2(I.umin)),
  {
    ...twoResults(
      'uaddc',
      132,
      'u32',
      ['dest', 'destCarry'],
      '22.12.8',
      'Component-wise addition; the second result is the carry, 1 or 0.',
      I.uaddc,
    ),
    since: SM50,
  },
  {
    ...twoResults(
      'usubb',
      133,
      'u32',
      ['dest', 'destBorrow'],
      '22.12.14',
      'Component-wise subtraction; the second result is the borrow, 1 or 0.',
      I.usubb,
    ),
    since: SM50,
    evidence: 'patched',
  },
  {
    ...integer(
      'msad',
      213,
      'u32',
      3,
      '22.12.15',
      'Component-wise masked sum of absolute differences of bytes, added to src2.',
      words3(I.msad),
    ),
    since: SM50,
    requires: ['shader-extensions'],
  },
  compare('ieq', 32, 'i32', '22.6.4', 'src0 equals src1', I.ieq),
  compare('ige', 33, 'i32', '22.6.3', 'src0 >= src1, signed', I.ige),
  compare('ilt', 34, 'i32', '22.6.5', 'src0 < src1, signed', I.ilt),
  compare('ine', 39, 'i32', '22.6.6', 'src0 differs from src1', I.ine),
  compare('ult', 79, 'u32', '22.6.10', 'src0 < src1, unsigned', I.ult),
  compare('uge', 80, 'u32', '22.6.9', 'src0 >= src1, unsigned', I.uge),
]
