/** Every register that a program names, with its place in the text. */
import type { TextRange } from '../../asm/index.ts'
import {
  type OperandRole,
  type RegisterFile,
  type RegisterFileName,
  rowOfOpcode,
  type Traits,
} from '../../isa/index.ts'
import {
  decodeShaderMessage,
  type Instruction,
  isPlainlyIndexed,
  type Operand,
  type Statement,
} from '../../program/index.ts'
import type { ShaderDocument } from '../document.ts'
import { perDocument } from '../per-document.ts'
import { type WrittenRegister, writtenRegisters } from './scan.ts'

/** What a statement does with a register that it names. */
export type RegisterAccess = 'declared' | 'read' | 'write' | 'both'

/** A register where it is named. */
export interface RegisterUse {
  /** Index of the statement. */
  readonly statement: number
  /** Operand in token order that the register is or stands in; -1 where the text names it and no operand does. */
  readonly operand: number
  readonly written: WrittenRegister
  /** The register as it was read; undefined where no operand holds it. */
  readonly value: Operand | undefined
  readonly access: RegisterAccess
  /** The same for all uses of one register: file, number, and the phase where phases have registers of their own. */
  readonly key: string
}

/** Files whose registers each phase of a hull shader has for itself. */
const OF_PHASE: ReadonlySet<RegisterFileName> = new Set(['temp', 'indexable-temp', 'input', 'output'])
/** Files that declarations name without an operand: their number is a parameter. */
const NAMED_BY_PARAMETER: ReadonlySet<RegisterFileName> = new Set([
  'indexable-temp',
  'function-body',
  'function-table',
  'interface',
])
/** Files of which the last index names the register, the first a vertex or control point. */
const NAMED_LAST: ReadonlySet<RegisterFileName> = new Set([
  'input',
  'output',
  'input-control-point',
  'output-control-point',
  'patch-constant',
])

/** In place of the number of a register that has none, or whose number is known at run time alone. */
const NO_NUMBER = -1
const COMPUTED = -2

/** The number of the register that an operand names. */
function numberOf({ file, number }: Pick<WrittenRegister, 'file' | 'number'>, value: Operand | undefined): number {
  if (file.indices[1] === 0) return NO_NUMBER
  const index = NAMED_LAST.has(file.name) ? value?.indices.at(-1) : value?.indices[0]
  if (index === undefined) return number ?? COMPUTED
  return index.kind === 'immediate' ? index.value : COMPUTED
}

const NUMBER_TEXT: Readonly<Record<number, string>> = { [NO_NUMBER]: '', [COMPUTED]: '*' }

/** The number of the register that an operand names as keys have it: empty where there is none, `*` where it is computed. */
export function numberText(file: RegisterFile, value: Operand): string {
  const number = numberOf({ file, number: undefined }, value)
  return NUMBER_TEXT[number] ?? String(number)
}

/** Whether each phase of a hull shader has registers of a file for itself. */
export const isOfPhase = (file: RegisterFile): boolean => OF_PHASE.has(file.name)

/** The key of a temporary register. */
export const tempKey = (number: number, phase: number): string => `temp ${number} ${phase}`

type KeyOf = (file: RegisterFile, number: number, phase: number) => string

/** The keys of the registers of a text, each made once in a phase: most registers are named many times. */
function registerKeys(): KeyOf {
  let last = 0
  let known = new Map<RegisterFile, Map<number, string>>()
  return (file, number, phase) => {
    if (phase !== last) known = new Map()
    last = phase
    const keys = known.get(file) ?? new Map<number, string>()
    if (keys.size === 0) known.set(file, keys)
    let key = keys.get(number)
    if (key === undefined) {
      key = `${file.name} ${NUMBER_TEXT[number] ?? number} ${OF_PHASE.has(file.name) ? phase : 0}`
      keys.set(number, key)
    }
    return key
  }
}

/** The phase of a hull shader that each statement is in; 0 throughout in other shaders. */
export const phaseNumbers = perDocument(({ statements }: ShaderDocument): readonly number[] => {
  let phase = 0
  return statements.map((s) => {
    if (s.kind === 'instruction' && rowOfOpcode(s.opcode)?.traits.kind === 'phase') phase++
    return phase
  })
})

/** A register and the registers in its brackets, in the order of the text. */
export function* registersOf(operand: Operand): Generator<Operand> {
  yield operand
  for (const index of operand.indices) {
    if (index.kind !== 'immediate' && index.kind !== 'immediate64') yield* registersOf(index.register)
  }
}

/** What a statement does with the operand of a role. */
export function accessOf(role: OperandRole | undefined, traits: Traits | undefined): RegisterAccess {
  switch (role) {
    case 'declared':
      return 'declared'
    case 'dest':
      return 'write'
    case 'memory':
      return traits?.kind === 'store' ? 'write' : 'both'
    case 'label':
      return traits?.kind === 'flow' && traits.action === 'label' ? 'declared' : 'read'
    default:
      return 'read'
  }
}

type Add = (operand: number, written: WrittenRegister, value: Operand | undefined, access: RegisterAccess) => void

/** The registers of one operand; those in brackets are read. */
function addOperand(
  text: string,
  range: TextRange,
  k: number,
  operand: Operand,
  access: RegisterAccess,
  add: Add,
): void {
  if (operand.values.length > 0) return
  const written = writtenRegisters(text, range)
  if (written.length === 1 && isPlainlyIndexed(operand)) {
    add(k, written[0]!, operand, access)
    return
  }
  const values = [...registersOf(operand)]
  // Where text and tokens do not agree (annotations of the lossless dialect), the text alone says what is named.
  const agree = written.length === values.length
  written.forEach((w, i) => {
    add(k, w, agree ? values[i] : undefined, w.depth === 0 ? access : 'read')
  })
}

function addInstruction(d: ShaderDocument, instruction: Instruction, range: Range, add: Add): void {
  const row = rowOfOpcode(instruction.opcode)
  const traits = row?.traits
  if (traits?.kind === 'declaration' && instruction.operands.length === 0) {
    const at = d.text.slice(range.start, range.end).search(/\s/)
    const rest = at < 0 ? range : { start: range.start + at, end: range.end }
    writtenRegisters(d.text, rest).forEach((w, i) => {
      if (NAMED_BY_PARAMETER.has(w.file.name)) add(-1, w, undefined, i === 0 ? 'declared' : 'read')
    })
    return
  }
  const { operands } = instruction
  for (let k = 0; k < operands.length; k++) {
    const place = range.operands[k]
    if (place !== undefined) addOperand(d.text, place, k, operands[k]!, accessOf(row?.operands[k]?.role, traits), add)
  }
}

interface Range extends TextRange {
  readonly operands: readonly TextRange[]
}

function addStatement(d: ShaderDocument, statement: Statement, range: Range, add: Add): void {
  if (statement.kind === 'instruction') addInstruction(d, statement, range, add)
  if (statement.kind !== 'custom-data') return
  const message = decodeShaderMessage(statement)
  const quote = d.text.lastIndexOf('"', range.end - 1)
  if (message === undefined || quote < range.start) return
  const values = message.operands.flatMap((o) => [...registersOf(o)])
  const written = writtenRegisters(d.text, { start: quote + 1, end: range.end })
  const registers = values.filter((v) => v.values.length === 0)
  written.forEach((w, i) => {
    add(-1, w, written.length === registers.length ? registers[i] : undefined, 'read')
  })
}

/** Every register that the program names, in the order of the text. */
export const registerUses = perDocument((d: ShaderDocument): readonly RegisterUse[] => {
  const uses: RegisterUse[] = []
  const phases = phaseNumbers(d)
  const keyOf = registerKeys()
  let statement = 0
  const add: Add = (operand, written, value, access) => {
    const key = keyOf(written.file, numberOf(written, value), phases[statement]!)
    uses.push({ statement, operand, written, value, access, key })
  }
  const { statements: ranges } = d.places
  for (; statement < d.statements.length; statement++) {
    const range = ranges[statement]
    if (range !== undefined) addStatement(d, d.statements[statement]!, range, add)
  }
  return uses
})

/** The uses of each register, by key. */
export const usesByKey = perDocument((d: ShaderDocument): ReadonlyMap<string, readonly RegisterUse[]> => {
  const byKey = new Map<string, RegisterUse[]>()
  for (const use of registerUses(d)) {
    const list = byKey.get(use.key)
    if (list === undefined) byKey.set(use.key, [use])
    else list.push(use)
  }
  return byKey
})

/** The register whose name or components a position is in, the innermost of those around it. */
export function useAt(d: ShaderDocument, position: number): RegisterUse | undefined {
  let found: RegisterUse | undefined
  for (const use of registerUses(d)) {
    const { start, end } = use.written.whole
    if (start > position) break
    if (position <= end && (found === undefined || use.written.depth >= found.written.depth)) found = use
  }
  return found
}
