import { dest, instruction, own, SM50, src } from '../build-row.ts'
import { PRECISE } from '../controls.ts'
import type { CountedAs, InstructionRow, OperandSlot, Semantics, ShaderModelNumber } from '../row.ts'
import * as B from '../semantics/bitwise.ts'
import { words1, words2, words3, words4 } from '../semantics/lift.ts'

const D = dest('dest', 'bits')
const S = (name: string): OperandSlot => src(name, 'bits')

/** Rows that the statistics count; those of Shader Model 5 are not counted. */
const COUNTED: Readonly<Record<string, readonly CountedAs[]>> = {
  and: ['uint', 'truth-mask'],
  ishl: ['int'],
  ishr: ['int'],
  not: ['uint'],
  or: ['uint'],
  ushr: ['uint'],
  xor: ['uint'],
}

function bitwise(
  mnemonic: string,
  opcode: number,
  operands: readonly OperandSlot[],
  spec: string,
  summary: string,
  semantics: Semantics,
  since?: ShaderModelNumber,
): InstructionRow {
  return instruction({
    mnemonic,
    opcode,
    traits: { kind: 'alu', lanes: 'componentwise', semantics },
    operands: [D, ...operands],
    controls: [PRECISE],
    countedAs: COUNTED[mnemonic] ?? [],
    summary,
    spec,
    ...(since === undefined ? {} : { since }),
  })
}

/** Bit searches answer in numbers and read at their own precision. */
const search = (
  mnemonic: string,
  opcode: number,
  spec: string,
  summary: string,
  semantics: Semantics,
): InstructionRow => bitwise(mnemonic, opcode, [own('src0', 'bits')], spec, summary, semantics, SM50)

export const BITWISE_ROWS: readonly InstructionRow[] = [
  bitwise('and', 1, [S('src0'), S('src1')], '22.11.1', 'Component-wise bitwise and.', words2(B.and)),
  bitwise(
    'ishl',
    41,
    [S('src0'), own('src1', 'u32')],
    '22.11.7',
    'Component-wise shift left by the low 5 bits of src1 (one amount for all components in SM4).',
    words2(B.ishl),
  ),
  bitwise(
    'ishr',
    42,
    [src('src0', 'i32'), own('src1', 'u32')],
    '22.11.8',
    'Component-wise arithmetic shift right by the low 5 bits of src1 (one amount for all components in SM4).',
    words2(B.ishr),
  ),
  bitwise('not', 59, [S('src0')], '22.11.9', 'Component-wise bitwise complement.', words1(B.not)),
  bitwise('or', 60, [S('src0'), S('src1')], '22.11.10', 'Component-wise bitwise or.', words2(B.or)),
  bitwise(
    'ushr',
    85,
    [src('src0', 'u32'), own('src1', 'u32')],
    '22.11.12',
    'Component-wise logical shift right by the low 5 bits of src1 (one amount for all components in SM4).',
    words2(B.ushr),
  ),
  bitwise('xor', 87, [S('src0'), S('src1')], '22.11.13', 'Component-wise bitwise exclusive or.', words2(B.xor)),
  search('countbits', 134, '22.11.4', 'Component-wise number of bits set.', words1(B.countbits)),
  search(
    'firstbit_hi',
    135,
    '22.11.5',
    'Component-wise position of the first set bit counted from the top; all ones where there is none.',
    words1(B.firstbitHi),
  ),
  search(
    'firstbit_lo',
    136,
    '22.11.5',
    'Component-wise position of the lowest set bit; all ones where there is none.',
    words1(B.firstbitLo),
  ),
  search(
    'firstbit_shi',
    137,
    '22.11.5',
    'Component-wise position from the top of the first bit unlike the sign; all ones where there is none.',
    words1(B.firstbitShi),
  ),
  bitwise(
    'ubfe',
    138,
    [src('width', 'u32'), own('offset', 'u32'), own('src2', 'u32')],
    '22.11.11',
    'Component-wise unsigned bit field: src2 at offset, width bits (low 5 bits of each).',
    words3(B.ubfe),
    SM50,
  ),
  bitwise(
    'ibfe',
    139,
    [src('width', 'u32'), own('offset', 'u32'), own('src2', 'i32')],
    '22.11.6',
    'Component-wise sign-extended bit field: src2 at offset, width bits (low 5 bits of each).',
    words3(B.ibfe),
    SM50,
  ),
  bitwise(
    'bfi',
    140,
    [own('width', 'u32'), own('offset', 'u32'), S('src2'), S('src3')],
    '22.11.2',
    'Component-wise insertion of the low width bits of src2 into src3 at offset.',
    words4(B.bfi),
    SM50,
  ),
  bitwise('bfrev', 141, [S('src0')], '22.11.3', 'Component-wise reversal of the 32 bits.', words1(B.bfrev), SM50),
]
