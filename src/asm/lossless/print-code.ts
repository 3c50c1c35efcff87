/**
 * The code of a program in the dialect `lossless`. Each statement is fxc's text with exact numbers where that text reads
 * back to the same tokens; else annotations say what it leaves open; else the tokens stand as they are. Which of these
 * holds is found out by reading the text back, so that nothing is lost by a mistake about what fxc's text says.
 */
import * as I from '../../isa/index.ts'
import * as P from '../../program/index.ts'
import { COLORS } from '../listing/colors.ts'
import type { Context } from '../listing/context.ts'
import { planOfOpcode } from '../listing/plan.ts'
import { profileText, statementText } from '../listing/print-code.ts'
import { headText } from '../listing/print-head.ts'
import { NO_CAST, operandText } from '../listing/print-operand.ts'
import { type Profile, parseProgram, readStatementText } from '../parse/parse-program.ts'
import { RAW_STATEMENT_WORD } from '../parse/raw.ts'
import { encodeBase64 } from '../text/base64.ts'
import { CODE_DIRECTIVE } from '../text/directive-text.ts'
import { hexText, integerText } from '../text/numbers.ts'
import { annotatedOperandText, annotationText } from './annotation-text.ts'
import { exactAutoText, exactDoubleText, exactFloatText } from './exact-text.ts'

const STYLE: Context['style'] = {
  colors: COLORS.none,
  literals: { float: exactFloatText, auto: exactAutoText, integer: integerText },
  float: exactFloatText,
  double: exactDoubleText,
  heads: new Map(),
}

/** What printing one program needs. */
interface Printing {
  readonly c: Context
  readonly profile: Profile
  /** Dimensions of the resources that the text printed so far declares, by t#. */
  readonly dimensions: Map<number, number>
}

const DWORDS_PER_LINE = 8

/** Dwords on the directive's line, or in braces over several lines. */
function dwordsText(dwords: readonly number[]): string {
  if (dwords.length <= DWORDS_PER_LINE) return dwords.map((d) => ` ${hexText(d)}`).join('')
  const lines: string[] = []
  for (let i = 0; i < dwords.length; i += DWORDS_PER_LINE) {
    lines.push(
      `\n  ${dwords
        .slice(i, i + DWORDS_PER_LINE)
        .map(hexText)
        .join(' ')}`,
    )
  }
  return ` {${lines.join('')}\n}`
}

function sameTokens(a: ArrayLike<number>, b: ArrayLike<number>): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Whether the text reads back to the tokens. Then it is the text that is printed, and what it declares holds. */
function readsBack(p: Printing, text: string, tokens: Uint32Array): boolean {
  const read = readStatementText(text, p)
  if (read === undefined || !sameTokens(P.statementDwords(read.statement), tokens)) return false
  if (read.declared !== undefined) p.dimensions.set(read.declared[0], read.declared[1])
  return true
}

function commented(text: string): string {
  const line = text.split('\n', 1)[0]!.trim()
  return line === '' ? '' : ` // ${line}`
}

function rawText(tokens: Uint32Array, plain: string): string {
  const dwords = [...tokens]
  // A braced list ends on a line of its own, where a comment would not be beside what it explains.
  const comment = dwords.length <= DWORDS_PER_LINE ? commented(plain) : ''
  return `${CODE_DIRECTIVE.tokens}${dwordsText(dwords)}${comment}`
}

/** The instruction that the text reads as, whatever its tokens. */
function readInstruction(p: Printing, text: string): P.Instruction | undefined {
  const statement = readStatementText(text, p)?.statement
  return statement?.kind === 'instruction' ? statement : undefined
}

function sameOperand(a: P.Operand, b: P.Operand | undefined): boolean {
  if (b === undefined) return false
  const [x, y] = [P.encodeOperands([a]), P.encodeOperands([b])]
  return x.length === y.length && x.every((token, k) => token === y[k])
}

/** The instruction with annotations behind those operands that `read`, its plain text as read, has otherwise. */
function annotatedText(p: Printing, i: P.Instruction, read: P.Instruction | undefined): string | undefined {
  const plan = planOfOpcode(i.opcode)
  if (plan === undefined || plan.isDeclaration) return undefined
  const { row, casts } = plan
  const precision = i.operands[0]?.minPrecision ?? 0
  const operands = i.operands.map((o, k) => {
    const isPlain = sameOperand(o, read?.operands[k])
    const castTo = casts[k] === true ? precision : NO_CAST
    return isPlain ? operandText(p.c, o, row.literals, castTo) : annotatedOperandText(p.c, o, row.literals)
  })
  return `${headText(p.c, row, i)}${operands.join(', ')}${annotationText(i, read)}`
}

function instructionText(p: Printing, i: P.Instruction, plain: string): string {
  const tokens = P.statementDwords(i)
  if (readsBack(p, plain, tokens)) return plain
  // The empty annotation says that what the words do not say is 0.
  const marked = `${plain} {${RAW_STATEMENT_WORD}}`
  const read = readInstruction(p, plain) ?? readInstruction(p, marked)
  for (const text of [
    marked,
    `${plain}${annotationText(i, read)}`,
    annotatedText(p, i, read),
    annotatedText(p, i, undefined),
  ]) {
    if (text !== undefined && readsBack(p, text, tokens)) return text
  }
  return rawText(tokens, plain)
}

function customDataText(p: Printing, data: P.CustomData, plain: string): string {
  if (readsBack(p, plain, P.statementDwords(data))) return plain
  return `${CODE_DIRECTIVE.customData} ${data.dataClass}${dwordsText(data.dwords)}`
}

function exactStatementText(p: Printing, statement: P.Statement): string {
  const plain = statementText(p.c, statement)
  switch (statement.kind) {
    case 'instruction':
      return instructionText(p, statement, plain)
    case 'custom-data':
      return customDataText(p, statement, plain)
    case 'unknown':
      return rawText(P.statementDwords(statement), statement.seenAs === undefined ? '' : plain)
  }
}

function versionText(program: P.Program): string {
  const isWord = program.major >= 4 && program.major <= 5
  const isKnown = isWord && program.versionSpare === 0 && I.PROFILE_PREFIXES[program.stageNumber] !== undefined
  if (isKnown) return profileText(program)
  const { stageNumber, versionSpare, major, minor } = program
  const token = ((stageNumber << 16) | (versionSpare << 8) | (major << 4) | minor) >>> 0
  return `${CODE_DIRECTIVE.version} ${hexText(token)}`
}

/** Blocks deeper than this are not indented further, so that the text stays linear in the program. */
const MAX_INDENT = 64

/** The lines of the program, statements by `textOf`. */
function programText(program: P.Program, textOf: (statement: P.Statement) => string): string {
  const lines = [versionText(program)]
  if (program.declaredDwordCount !== undefined) {
    lines.push(`${CODE_DIRECTIVE.length} ${program.declaredDwordCount}`)
  }
  let depth = 0
  for (const statement of program.statements) {
    const plan = statement.kind === 'instruction' ? planOfOpcode(statement.opcode) : undefined
    depth = Math.max(0, depth - (plan?.closes ?? 0))
    lines.push('  '.repeat(Math.min(depth, MAX_INDENT)) + textOf(statement))
    depth += plan?.opens ?? 0
  }
  if (program.trailing.length > 0) lines.push(`${CODE_DIRECTIVE.rest} ${encodeBase64(program.trailing)}`)
  return `${lines.join('\n')}\n`
}

/**
 * The program's text where it reads back as a whole, as what a compiler wrote does; else each statement is to be looked at.
 * Tokens that do not hold together are in no text.
 */
function exactWhole(program: P.Program, c: Context): string | undefined {
  if (program.statements.some((s) => s.kind === 'unknown')) return undefined
  const plain = programText(program, (statement) => statementText(c, statement))
  const { value, diagnostics } = parseProgram(plain, { exact: true })
  if (value === undefined || diagnostics.length > 0) return undefined
  return sameTokens(P.encodeProgram(value), P.encodeProgram(program)) ? plain : undefined
}

/** The lines of the program, each with its line end. `encodeProgram` of what they read as is `encodeProgram` of it. */
export function printExactCode(program: P.Program): string {
  const { stageNumber, major, minor } = program
  const c: Context = { style: STYLE, isModel51: major === 5 && minor >= 1 }
  const plain = exactWhole(program, c)
  if (plain !== undefined) return plain
  const profile = { stageNumber, major, minor }
  const p: Printing = { c, profile, dimensions: new Map() }
  return programText(program, (statement) => exactStatementText(p, statement))
}
