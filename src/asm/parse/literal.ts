/** Literals as operands. */
import * as I from '../../isa/index.ts'
import * as P from '../../program/index.ts'
import { LITERAL32_PREFIX, LITERAL64_PREFIX } from '../text/operand-text.ts'
import { readDoubleDwords, readLiteralDword } from './number.ts'
import type { OperandContext } from './operand-context.ts'
import { CODE, isDigitCode } from './source.ts'

/** `l(...)`: one dword or four. Also a group in parentheses or a single number, as people and the pages write. */
function readLiteral32(c: OperandContext): readonly number[] {
  const s = c.source
  if (s.peek() !== CODE.open) return [readLiteralDword(s, c.literals)]
  const start = s.position
  s.position++
  const values = [readLiteralDword(s, c.literals)]
  while (s.accept(CODE.comma)) {
    values.push(readLiteralDword(s, c.literals))
    if (values.length > 4) break
  }
  s.expect(CODE.close, 'after the components of the literal')
  if (values.length !== 1 && values.length !== 4) {
    return s.fail('asm-literal-size', `a literal has one component or four, not ${values.length}`, start, s.position)
  }
  return values
}

/** `d(...)`: one double or two, or their dwords in hexadecimal. */
function readLiteral64(c: OperandContext): readonly number[] {
  const s = c.source
  const start = s.position
  s.position++
  const values: number[] = []
  do readDoubleDwords(s, c.literals.exact, values)
  while (values.length < 6 && s.accept(CODE.comma))
  s.expect(CODE.close, 'after the components of the literal')
  if (values.length !== 2 && values.length !== 4) {
    return s.fail('asm-literal-size', 'a 64-bit literal has one double or two (two dwords or four)', start, s.position)
  }
  return values
}

/** The operand of a literal with these dwords. */
export function literalOperand(type: number, values: readonly number[]): P.Operand {
  const isScalar = type === I.FILE.immediate64 ? values.length === 2 : values.length === 1
  const components = isScalar ? P.COMPONENTS_1 : P.COMPONENTS_4
  return {
    type,
    components,
    mode: 0,
    selection: 0,
    indices: P.NO_INDICES,
    modifier: 0,
    minPrecision: 0,
    nonUniform: false,
    values,
  }
}

const LITERAL32_CODE = LITERAL32_PREFIX.charCodeAt(0)
const LITERAL64_CODE = LITERAL64_PREFIX.charCodeAt(0)

/** A literal, where one stands here. */
export function readLiteral(c: OperandContext): P.Operand | undefined {
  const s = c.source
  const code = s.peek()
  if (s.peekAt(1) === CODE.open && (code === LITERAL32_CODE || code === LITERAL64_CODE)) {
    s.position++
    return code === LITERAL32_CODE
      ? literalOperand(I.FILE.immediate32, readLiteral32(c))
      : literalOperand(I.FILE.immediate64, readLiteral64(c))
  }
  const isNumber = isDigitCode(code) || code === CODE.open || code === CODE.dot
  return isNumber ? literalOperand(I.FILE.immediate32, readLiteral32(c)) : undefined
}
