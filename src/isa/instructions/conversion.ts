import { dest, instruction, own, SM50 } from '../build-row.ts'
import { PRECISE, SATURATE } from '../controls.ts'
import type { ComponentType, InstructionRow, LiteralStyle } from '../row.ts'
import * as C from '../semantics/conversion.ts'
import { type Unary, words1 } from '../semantics/lift.ts'

/** The statistics leave the conversions of halves out. */
const UNCOUNTED: readonly string[] = ['f16tof32', 'f32tof16']

function convert(
  mnemonic: string,
  opcode: number,
  to: ComponentType,
  from: ComponentType,
  literals: LiteralStyle,
  spec: string,
  summary: string,
  f: Unary,
): InstructionRow {
  return instruction({
    mnemonic,
    opcode,
    traits: { kind: 'alu', lanes: 'componentwise', semantics: words1(f) },
    operands: [dest('dest', to), own('src0', from)],
    controls: to === 'f32' ? [SATURATE, PRECISE] : [PRECISE],
    literals,
    countedAs: UNCOUNTED.includes(mnemonic) ? [] : ['conversion'],
    summary,
    spec,
  })
}

export const CONVERSION_ROWS: readonly InstructionRow[] = [
  convert(
    'ftoi',
    27,
    'i32',
    'f32',
    'float',
    '22.13.3',
    'Component-wise float to signed integer, towards zero, clamped, NaN to 0.',
    C.ftoi,
  ),
  convert(
    'ftou',
    28,
    'u32',
    'f32',
    'float',
    '22.13.4',
    'Component-wise float to unsigned integer, towards zero, clamped, NaN to 0.',
    C.ftou,
  ),
  convert(
    'itof',
    43,
    'f32',
    'i32',
    'integer',
    '22.13.5',
    'Component-wise signed integer to float, to nearest even.',
    C.itof,
  ),
  convert(
    'utof',
    86,
    'f32',
    'u32',
    'integer',
    '22.13.6',
    'Component-wise unsigned integer to float, to nearest even.',
    C.utof,
  ),
  {
    ...convert(
      'f32tof16',
      130,
      'bits',
      'f32',
      'float',
      '22.13.2',
      'Component-wise float to 16-bit float in the low half, upper half 0.',
      C.f32tof16,
    ),
    since: SM50,
  },
  {
    ...convert(
      'f16tof32',
      131,
      'f32',
      'f16',
      'integer',
      '22.13.1',
      'Component-wise 16-bit float in the low half to float.',
      C.f16tof32,
    ),
    since: SM50,
  },
]
