import { condition, dest, instruction, own, SM50, src } from '../build-row.ts'
import { PRECISE, SATURATE } from '../controls.ts'
import type { ComponentType, InstructionRow, LiteralStyle, OperandSlot, Requirement } from '../row.ts'

const EXTENDED: readonly Requirement[] = ['double', 'double-extensions']
const D = dest('dest', 'f64')

function double(
  mnemonic: string,
  opcode: number,
  operands: readonly OperandSlot[],
  literals: LiteralStyle,
  spec: string,
  summary: string,
  requires: readonly Requirement[] = ['double'],
): InstructionRow {
  return instruction({
    mnemonic,
    opcode,
    traits: { kind: 'alu', lanes: 'pairs' },
    since: SM50,
    requires,
    operands,
    controls: [SATURATE, PRECISE],
    literals,
    summary,
    spec,
  })
}

const arithmetic = (
  mnemonic: string,
  opcode: number,
  sources: number,
  literals: LiteralStyle,
  spec: string,
  summary: string,
  requires?: readonly Requirement[],
): InstructionRow =>
  double(
    mnemonic,
    opcode,
    [D, ...['src0', 'src1', 'src2'].slice(0, sources).map((n) => src(n, 'f64'))],
    literals,
    spec,
    summary,
    requires,
  )

const compare = (mnemonic: string, opcode: number, spec: string, relation: string): InstructionRow => ({
  ...double(
    mnemonic,
    opcode,
    [dest('dest', 'bits'), own('src0', 'f64'), own('src1', 'f64')],
    'float',
    spec,
    `All ones where ${relation}, else 0, one result per pair.`,
  ),
  controls: [PRECISE],
})

const convert = (
  mnemonic: string,
  opcode: number,
  to: ComponentType,
  from: ComponentType,
  literals: LiteralStyle,
  spec: string,
  summary: string,
  requires?: readonly Requirement[],
): InstructionRow => double(mnemonic, opcode, [dest('dest', to), own('src0', from)], literals, spec, summary, requires)

export const DOUBLE_ROWS: readonly InstructionRow[] = [
  arithmetic('dadd', 191, 2, 'float', '22.14.1', 'Sum of doubles.'),
  arithmetic('dmax', 192, 2, 'float', '22.14.2', 'Maximum of doubles; the other value where one is NaN.'),
  arithmetic('dmin', 193, 2, 'float', '22.14.3', 'Minimum of doubles; the other value where one is NaN.'),
  arithmetic('dmul', 194, 2, 'float', '22.14.4', 'Product of doubles.'),
  compare('deq', 195, '22.15.1', 'src0 equals src1'),
  compare('dge', 196, '22.15.2', 'src0 >= src1'),
  compare('dlt', 197, '22.15.3', 'src0 < src1'),
  compare('dne', 198, '22.15.4', 'src0 differs from src1'),
  arithmetic('dmov', 199, 1, 'float', '22.16.1', 'Move of doubles.'),
  double(
    'dmovc',
    200,
    [D, condition('src0'), src('src1', 'f64'), src('src2', 'f64')],
    'float',
    '22.16.2',
    'src1 where any bit of src0 is set, else src2, per double.',
  ),
  convert('dtof', 201, 'f32', 'f64', 'float', '22.17.1', 'Double to float.'),
  convert('ftod', 202, 'f64', 'f32', 'float', '22.17.2', 'Float to double.'),
  arithmetic('ddiv', 210, 2, 'float', '22.14.6', 'Quotient of doubles.', EXTENDED),
  arithmetic('dfma', 211, 3, 'integer', '22.14.7', 'src0 * src1 + src2 of doubles with one rounding.', EXTENDED),
  arithmetic('drcp', 212, 1, 'integer', '22.14.5', 'Reciprocal of doubles.', EXTENDED),
  convert(
    'dtoi',
    214,
    'i32',
    'f64',
    'integer',
    '22.17.3',
    'Double to signed integer, towards zero, clamped, NaN to 0.',
    EXTENDED,
  ),
  convert(
    'dtou',
    215,
    'u32',
    'f64',
    'integer',
    '22.17.4',
    'Double to unsigned integer, towards zero, clamped, NaN to 0.',
    EXTENDED,
  ),
  convert('itod', 216, 'f64', 'i32', 'integer', '22.17.5', 'Signed integer to double, exact.', EXTENDED),
  convert('utod', 217, 'f64', 'u32', 'integer', '22.17.6', 'Unsigned integer to double, exact.', EXTENDED),
]
