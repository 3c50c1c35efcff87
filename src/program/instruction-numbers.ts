/**
 * How people number the instructions of a program: as `heddle dis --numbers` and fxc /Ni do, declarations not counted.
 * Every report names a place by these numbers; a declaration, which has none, by its statement.
 */
import { type Diagnostic, type Place, type StatementPlace, withPlaces } from '../diagnostic/index.ts'
import { type InstructionRow, rowOfOpcode } from '../isa/index.ts'
import type { CustomData, Program, Statement } from './model.ts'
import { decodeShaderMessage, MESSAGE_ID } from './shader-message.ts'

/** Whether statements of a row have numbers; declarations and the mark in front of them have none. */
export function isNumberedRow({ traits }: InstructionRow): boolean {
  return traits.kind !== 'declaration' && !(traits.kind === 'phase' && traits.phase === 'declarations')
}

/** Custom data that is printf or errorf, which executes. */
function isMessage(data: CustomData): boolean {
  const id = decodeShaderMessage(data)?.id
  return id === MESSAGE_ID.printf || id === MESSAGE_ID.errorf
}

/** Whether a statement has a number. */
export function isNumbered(s: Statement): boolean {
  switch (s.kind) {
    case 'instruction': {
      const row = rowOfOpcode(s.opcode)
      return row !== undefined && isNumberedRow(row)
    }
    case 'custom-data':
      return isMessage(s)
    case 'unknown':
      return s.seenAs !== undefined && isNumbered(s.seenAs)
  }
}

const KNOWN = new WeakMap<Program, readonly (number | undefined)[]>()

/** The number of each statement that has one. */
export function instructionNumbers(program: Program): readonly (number | undefined)[] {
  let numbers = KNOWN.get(program)
  if (numbers === undefined) {
    let next = 0
    numbers = program.statements.map((s) => (isNumbered(s) ? next++ : undefined))
    KNOWN.set(program, numbers)
  }
  return numbers
}

/** `instruction 12`, or `statement 3` of a declaration. */
export function statementName(program: Program, statement: number): string {
  const number = instructionNumbers(program)[statement]
  return number === undefined ? `statement ${statement}` : `instruction ${number}`
}

/** Text of statements, by index. */
export type StatementText = (statement: number) => string | undefined

function namedPlace(place: StatementPlace, program: Program, textOf: StatementText | undefined): StatementPlace {
  const instruction = instructionNumbers(program)[place.index]
  const listing = place.listing ?? textOf?.(place.index)
  return {
    ...place,
    ...(instruction === undefined ? {} : { instruction }),
    ...(listing === undefined ? {} : { listing }),
  }
}

/** Diagnostics about a program whose places have the number of their instruction and, where a lister is given, its text. */
export function withNamedPlaces(
  diagnostics: readonly Diagnostic[],
  program: Program,
  textOf?: StatementText,
): readonly Diagnostic[] {
  const named = (place: Place): Place => (place.kind === 'statement' ? namedPlace(place, program, textOf) : place)
  return diagnostics.map((d) => withPlaces(d, named))
}
