import { PROFILE_PREFIXES } from '../../isa/index.ts'
import { type Instruction, type Program, type Statement, statementByteOffsets } from '../../program/index.ts'
import { hexText } from '../text/numbers.ts'
import { type Context, contextOf } from './context.ts'
import type { ListingOptions } from './options.ts'
import { planOfOpcode, type RowPlan } from './plan.ts'
import { customDataText } from './print-custom-data.ts'
import { declarationText } from './print-declaration.ts'
import { headText } from './print-head.ts'
import { NO_CAST, operandText } from './print-operand.ts'

/** Text that debug data adds to a listing, by index into `Program.statements`. */
export interface CodeNotes {
  /** Whole lines before a statement, each with its line end. */
  readonly before: ReadonlyMap<number, string>
  /** Text behind a statement, on its line. */
  readonly behind: ReadonlyMap<number, string>
}

const NO_NOTES: CodeNotes = { before: new Map(), behind: new Map() }

/** Blocks deeper than this are not indented further: Direct3D ends at 64, and a listing must not grow as a square. */
const MAX_INDENT = 128
const INDENTS: readonly string[] = Array.from({ length: MAX_INDENT + 1 }, (_, depth) => '  '.repeat(depth))

const NO_NUMBER = '      '

function operandsText(c: Context, plan: RowPlan, i: Instruction): string {
  const { operands } = i
  const { row, casts } = plan
  const count = operands.length
  if (count === 0) return ''
  const destination = operands[0]!
  const precision = destination.minPrecision
  let text = operandText(c, destination, row.literals, NO_CAST)
  for (let k = 1; k < count; k++) {
    text += `, ${operandText(c, operands[k]!, row.literals, casts[k] === true ? precision : NO_CAST)}`
  }
  return text
}

/** Parameters of instructions that are no declarations: the call site of fcall, in brackets behind the interface. */
function parametersText(plan: RowPlan, i: Instruction): string {
  let text = ''
  for (let k = 0; k < plan.row.parameters.length; k++) text += `[${i.parameters[k] ?? 0}]`
  return text
}

function instructionText(c: Context, plan: RowPlan, i: Instruction): string {
  if (plan.isDeclaration) return declarationText(c, plan.row, i)
  const text = headText(c, plan.row, i) + operandsText(c, plan, i)
  return plan.row.parameters.length === 0 ? text : text + parametersText(plan, i)
}

const DWORDS_PER_LINE = 8

/** Tokens that no reader understands, as comments: fxc stops with an error there. */
function unknownText(dwords: readonly number[]): string {
  const lines: string[] = []
  for (let i = 0; i < dwords.length; i += DWORDS_PER_LINE) {
    const tokens = dwords.slice(i, i + DWORDS_PER_LINE).map(hexText)
    lines.push(`// ${i === 0 ? 'unknown tokens:' : '               '} ${tokens.join(' ')}`)
  }
  return lines.join('\n')
}

/** `ps_5_0`; a stage number that Direct3D 11 does not have is given as it is. */
export function profileText(program: Program): string {
  const prefix = PROFILE_PREFIXES[program.stageNumber] ?? `stage${program.stageNumber}`
  return `${prefix}_${program.major}_${program.minor}`
}

interface Line {
  readonly text: string
  readonly isNumbered: boolean
  readonly closes: number
  readonly opens: number
}

function lineOf(c: Context, s: Statement): Line {
  switch (s.kind) {
    case 'instruction': {
      const plan = planOfOpcode(s.opcode)!
      return { text: instructionText(c, plan, s), isNumbered: plan.isNumbered, closes: plan.closes, opens: plan.opens }
    }
    case 'custom-data': {
      const { text, isInstruction } = customDataText(c, s)
      return { text, isNumbered: isInstruction, closes: 0, opens: 0 }
    }
    case 'unknown':
      if (s.seenAs !== undefined) return lineOf(c, s.seenAs)
      return { text: unknownText(s.dwords), isNumbered: false, closes: 0, opens: 0 }
  }
}

/** One statement, as the listing has it without indent and numbers. */
export function statementText(c: Context, s: Statement): string {
  return lineOf(c, s).text
}

/** The indentation of each statement. */
export function statementIndents(program: Program): readonly string[] {
  let depth = 0
  return program.statements.map((s) => {
    const seen = s.kind === 'unknown' ? s.seenAs : s
    const plan = seen?.kind === 'instruction' ? planOfOpcode(seen.opcode) : undefined
    depth = Math.max(0, depth - (plan?.closes ?? 0))
    const indent = INDENTS[Math.min(depth, MAX_INDENT)]!
    depth += plan?.opens ?? 0
    return indent
  })
}

/** What stands in front of a line: fxc's /No, /Ni, and the invisible mark of /Cc. */
function prefixText(c: Context, options: ListingOptions, number: number | undefined, byteOffset: number): string {
  let text = ''
  if (c.style.colors.marksInstructions && number !== undefined) text += `<!-- id=${number} -->`
  if (options.offsets) text += `0x${byteOffset.toString(16).toUpperCase().padStart(8, '0')}: `
  if (options.numbers) text += number === undefined ? NO_NUMBER : `${String(number).padStart(4)}: `
  return text
}

/**
 * The code part of fxc's listing: from the profile line to the last instruction, with a line end behind each line.
 * `notes` is what debug data adds. Its tokens and words come from the rows and from `text/`.
 */
export function printCode(program: Program, options: ListingOptions = {}, notes: CodeNotes = NO_NOTES): string {
  const c = contextOf(program, options)
  const hasPrefix = options.offsets === true || options.numbers === true || c.style.colors.marksInstructions
  const hasNotes = notes !== NO_NOTES
  const { statements } = program
  let text = `${prefixText(c, options, undefined, 0)}${profileText(program)}\n`
  let depth = 0
  let number = 0
  const byteOffsets = options.offsets === true ? statementByteOffsets(program) : []
  for (let at = 0; at < statements.length; at++) {
    const statement = statements[at]!
    const line = lineOf(c, statement)
    if (hasNotes) text += notes.before.get(at) ?? ''
    if (hasPrefix) text += prefixText(c, options, line.isNumbered ? number : undefined, byteOffsets[at] ?? 0)
    depth = Math.max(0, depth - line.closes)
    text += INDENTS[Math.min(depth, MAX_INDENT)]! + line.text
    if (hasNotes) text += notes.behind.get(at) ?? ''
    text += '\n'
    depth += line.opens
    if (line.isNumbered) number++
  }
  return text
}
