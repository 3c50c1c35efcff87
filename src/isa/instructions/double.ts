import { condition, dest, instruction, own, SM50, src } from '../build-row.ts'
import { PRECISE, SATURATE } from '../controls.ts'
import type { ComponentType, InstructionRow, LiteralStyle, OperandSlot, Requirement, Semantics } from '../row.ts'
import * as D from '../semantics/double.ts'
import { pairs1, pairs2, pairs3, pairsToWord, pairToWord, wordToPair } from '../semantics/lift.ts'
import { dmov, dmovc } from '../semantics/move.ts'
import type { Pair, ValueOps } from '../semantics/value-ops.ts'

const EXTENDED: readonly Requirement[] = ['double', 'double-extensions']
const DEST = dest('dest', 'f64')

function double(
  mnemonic: string,
  opcode: number,
  operands: readonly OperandSlot[],
  literals: LiteralStyle,
  spec: string,
  summary: string,
  semantics: Semantics,
  requires: readonly Requirement[] = ['double'],
): InstructionRow {
  return instruction({
    mnemonic,
    opcode,
    traits: { kind: 'alu', lanes: 'pairs', semantics },
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
  semantics: Semantics,
  requires?: readonly Requirement[],
): InstructionRow =>
  double(
    mnemonic,
    opcode,
    [DEST, ...['src0', 'src1', 'src2'].slice(0, sources).map((n) => src(n, 'f64'))],
    literals,
    spec,
    summary,
    semantics,
    requires,
  )

const compare = (
  mnemonic: string,
  opcode: number,
  spec: string,
  relation: string,
  f: <V>(o: ValueOps<V>, a: Pair<V>, b: Pair<V>) => V,
): InstructionRow => ({
  ...double(
    mnemonic,
    opcode,
    [dest('dest', 'bits'), own('src0', 'f64'), own('src1', 'f64')],
    'float',
    spec,
    `All ones where ${relation}, else 0, one result per pair.`,
    pairsToWord(f),
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
  semantics: Semantics,
  requires?: readonly Requirement[],
): InstructionRow => ({
  ...double(mnemonic, opcode, [dest('dest', to), own('src0', from)], literals, spec, summary, semantics, requires),
  countedAs: ['conversion'],
})

export const DOUBLE_ROWS: readonly InstructionRow[] = [
  arithmetic('dadd', 191, 2, 'float', '22.14.1', 'Sum of doubles.', pairs2(D.dadd)),
  arithmetic(
    'dmax',
    192,
    2,
    'float',
    '22.14.2',
    'Maximum of doubles; the other value where one is NaN.',
    pairs2(D.dmax),
  ),
  arithmetic(
    'dmin',
    193,
    2,
    'float',
    '22.14.3',
    'Minimum of doubles; the other value where one is NaN.',
    pairs2(D.dmin),
  ),
  arithmetic('dmul', 194, 2, 'float', '22.14.4', 'Product of doubles.', pairs2(D.dmul)),
  compare('deq', 195, '22.15.1', 'src0 equals src1', D.deq),
  compare('dge', 196, '22.15.2', 'src0 >= src1', D.dge),
  compare('dlt', 197, '22.15.3', 'src0 < src1', D.dlt),
  compare('dne', 198, '22.15.4', 'src0 differs from src1', D.dne),
  arithmetic('dmov', 199, 1, 'float', '22.16.1', 'Move of doubles.', pairs1(dmov)),
  double(
    'dmovc',
    200,
    [DEST, condition('src0'), src('src1', 'f64'), src('src2', 'f64')],
    'float',
    '22.16.2',
    'src1 where any bit of src0 is set, else src2, per double.',
    dmovc,
  ),
  convert('dtof', 201, 'f32', 'f64', 'float', '22.17.1', 'Double to float.', pairToWord(D.dtof)),
  convert('ftod', 202, 'f64', 'f32', 'float', '22.17.2', 'Float to double.', wordToPair(D.ftod)),
  arithmetic('ddiv', 210, 2, 'float', '22.14.6', 'Quotient of doubles.', pairs2(D.ddiv), EXTENDED),
  arithmetic(
    'dfma',
    211,
    3,
    'integer',
    '22.14.7',
    'src0 * src1 + src2 of doubles with one rounding.',
    pairs3(D.dfma),
    EXTENDED,
  ),
  arithmetic('drcp', 212, 1, 'integer', '22.14.5', 'Reciprocal of doubles.', pairs1(D.drcp), EXTENDED),
  convert(
    'dtoi',
    214,
    'i32',
    'f64',
    'integer',
    '22.17.3',
    'Double to signed integer, towards zero, clamped, NaN to 0.',
    pairToWord(D.dtoi),
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
    pairToWord(D.dtou),
    EXTENDED,
  ),
  convert(
    'itod',
    216,
    'f64',
    'i32',
    'integer',
    '22.17.5',
    'Signed integer to double, exact.',
    wordToPair(D.itod),
    EXTENDED,
  ),
  convert(
    'utod',
    217,
    'f64',
    'u32',
    'integer',
    '22.17.6',
    'Unsigned integer to double, exact.',
    wordToPair(D.utod),
    EXTENDED,
  ),
]
