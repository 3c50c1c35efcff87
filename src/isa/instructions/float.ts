import { dest, instruction, own, SM50, src } from '../build-row.ts'
import { PRECISE, SATURATE } from '../controls.ts'
import type { CountedAs, InstructionRow, OperandSlot, Semantics } from '../row.ts'
import * as F from '../semantics/float.ts'
import { type Binary, type Unary, words1, words2, words3 } from '../semantics/lift.ts'
import * as T from '../semantics/transcendental.ts'

const ARITHMETIC = [SATURATE, PRECISE]
const D = dest('dest', 'f32')
const COMPARED = dest('dest', 'bits')

/** Rows that the statistics count otherwise than as float arithmetic. */
const COUNTED: Readonly<Record<string, readonly CountedAs[]>> = {
  frc: ['float', 'conversion'],
  round_ne: ['float', 'conversion'],
  round_ni: ['float', 'conversion'],
  round_pi: ['float', 'conversion'],
  round_z: ['float', 'conversion'],
  ne: ['float', 'truth-test'],
  rcp: [],
}

function arithmetic(
  mnemonic: string,
  opcode: number,
  spec: string,
  summary: string,
  semantics: Semantics,
): InstructionRow {
  return instruction({
    mnemonic,
    opcode,
    traits: { kind: 'alu', lanes: 'componentwise', semantics },
    operands: [D, src('src0', 'f32')],
    controls: ARITHMETIC,
    literals: 'float',
    countedAs: COUNTED[mnemonic] ?? ['float'],
    summary,
    spec,
  })
}

function unary(mnemonic: string, opcode: number, spec: string, summary: string, f: Unary): InstructionRow {
  return arithmetic(mnemonic, opcode, spec, summary, words1(f))
}

function binary(mnemonic: string, opcode: number, spec: string, summary: string, f: Binary): InstructionRow {
  return {
    ...arithmetic(mnemonic, opcode, spec, summary, words2(f)),
    operands: [D, src('src0', 'f32'), src('src1', 'f32')],
  }
}

function dot(mnemonic: string, opcode: number, components: 2 | 3 | 4, spec: string): InstructionRow {
  const operand = (name: string): OperandSlot => src(name, 'f32', { components })
  const semantics = F.dot(components)
  const summary = `Dot product of ${components} components, replicated to the write mask.`
  return {
    ...arithmetic(mnemonic, opcode, spec, summary, semantics),
    traits: { kind: 'alu', lanes: 'reduce', semantics },
    operands: [D, operand('src0'), operand('src1')],
  }
}

function compare(mnemonic: string, opcode: number, spec: string, summary: string, f: Binary): InstructionRow {
  return {
    ...arithmetic(mnemonic, opcode, spec, summary, words2(f)),
    operands: [COMPARED, own('src0', 'f32'), own('src1', 'f32')],
    controls: [PRECISE],
  }
}

export const FLOAT_ROWS: readonly InstructionRow[] = [
  binary('add', 0, '22.10.1', 'Component-wise src0 + src1.', F.add),
  binary('div', 14, '22.10.2', 'Component-wise src0 / src1.', F.div),
  dot('dp2', 15, 2, '22.10.3'),
  dot('dp3', 16, 3, '22.10.4'),
  dot('dp4', 17, 4, '22.10.5'),
  unary('exp', 25, '22.10.6', 'Component-wise 2 to the power of src0.', T.exp),
  unary('frc', 26, '22.10.7', 'Component-wise fraction: src0 less its round_ni, in [0, 1).', F.frc),
  unary('log', 47, '22.10.8', 'Component-wise base 2 logarithm of src0.', T.log),
  {
    ...arithmetic('mad', 50, '22.10.9', 'Component-wise src0 * src1 + src2.', words3(F.mad)),
    operands: [D, src('src0', 'f32'), src('src1', 'f32'), src('src2', 'f32')],
  },
  binary('min', 51, '22.10.11', 'Component-wise minimum; the other value where one is NaN.', F.min),
  binary('max', 52, '22.10.10', 'Component-wise maximum; the other value where one is NaN.', F.max),
  binary('mul', 56, '22.10.12', 'Component-wise src0 * src1.', F.mul),
  unary(
    'round_ne',
    64,
    '22.10.14',
    'Component-wise rounding to the nearest integral value, ties to even.',
    F.roundNearestEven,
  ),
  unary('round_ni', 65, '22.10.15', 'Component-wise rounding towards negative infinity.', F.roundNegativeInfinity),
  unary('round_pi', 66, '22.10.16', 'Component-wise rounding towards positive infinity.', F.roundPositiveInfinity),
  unary('round_z', 67, '22.10.17', 'Component-wise rounding towards zero.', F.roundZero),
  unary('rsq', 68, '22.10.19', 'Component-wise reciprocal of the square root.', F.rsq),
  unary('sqrt', 75, '22.10.21', 'Component-wise square root.', F.sqrt),
  {
    ...arithmetic(
      'sincos',
      77,
      '22.10.20',
      'Component-wise sine and cosine of src0 in radians; either result may be null.',
      T.sincos,
    ),
    operands: [
      dest('destSin', 'f32', { nullable: true }),
      dest('destCos', 'f32', { nullable: true }),
      src('src0', 'f32'),
    ],
  },
  { ...unary('rcp', 129, '22.10.18', 'Component-wise reciprocal.', F.rcp), since: SM50, literals: 'integer' },
  compare('eq', 24, '22.6.1', 'Component-wise all ones where src0 equals src1, else 0; false with NaN.', F.eq),
  compare('ge', 29, '22.6.2', 'Component-wise all ones where src0 >= src1, else 0; false with NaN.', F.ge),
  compare('lt', 49, '22.6.7', 'Component-wise all ones where src0 < src1, else 0; false with NaN.', F.lt),
  compare('ne', 57, '22.6.8', 'Component-wise all ones where src0 differs from src1, else 0; true with NaN.', F.ne),
]
