/**
 * Registers that a statement names, from its operands alone: what does not depend on the text around it is kept from one
 * version of a text to the next. Where they stand in the text is in `uses.ts`.
 */
import { type RegisterFileName, registerFile, rowOfOpcode } from '../../isa/index.ts'
import { decodeShaderMessage, type Operand, parameterOf, type Statement } from '../../program/index.ts'
import type { ShaderDocument } from '../document.ts'
import { perVersion } from '../per-document.ts'
import { masksOf } from './reads.ts'
import { accessOf, isOfPhase, numberText, type RegisterAccess, registersOf } from './uses.ts'

/** A register without the phase of a hull shader that has it for itself. */
export interface NamedRegister {
  readonly file: RegisterFileName
  /** File and number, as in the keys of `uses.ts`. */
  readonly name: string
  readonly isOfPhase: boolean
}

/** The registers of a statement. */
interface StatementRegisters {
  /** Temporary registers: of each the number, then the masks that are read and, shifted by 4, written. */
  readonly temps: readonly number[]
  /** Other registers that are read or written. */
  readonly others: readonly NamedRegister[]
  /** The register that it declares. */
  readonly declared: NamedRegister | undefined
}

const NOTHING: readonly never[] = []

function named(value: Operand): NamedRegister | undefined {
  const file = registerFile(value.type)
  if (file === undefined) return undefined
  return { file: file.name, name: `${file.name} ${numberText(file, value)}`, isOfPhase: isOfPhase(file) }
}

/** An array of temporary registers is declared by a parameter, not by an operand. */
function declaredArray(statement: Statement): NamedRegister | undefined {
  const traits = statement.kind === 'instruction' ? rowOfOpcode(statement.opcode)?.traits : undefined
  if (statement.kind !== 'instruction' || traits?.kind !== 'declaration') return undefined
  if (traits.declares !== 'indexable-temp') return undefined
  const name = `indexable-temp ${parameterOf(statement, 'register') ?? 0}`
  return { file: 'indexable-temp', name, isOfPhase: true }
}

class Gathered {
  readonly temps: number[] = []
  readonly others: NamedRegister[] = []
  declared: NamedRegister | undefined

  add(statement: Statement, operand: number, value: Operand, access: RegisterAccess, isOuter: boolean): void {
    if (access === 'declared') {
      this.declared ??= named(value)
      return
    }
    const index = value.indices[0]
    if (registerFile(value.type)?.name === 'temp' && index?.kind === 'immediate') {
      const masks = masksOf(statement, operand, value, access, isOuter)
      if (masks !== 0) this.temps.push(index.value, masks)
      return
    }
    const register = named(value)
    if (register !== undefined) this.others.push(register)
  }

  addAll(statement: Statement, operand: number, value: Operand, access: RegisterAccess): void {
    if (value.values.length > 0) return
    let isOuter = true
    for (const register of registersOf(value)) {
      this.add(statement, operand, register, isOuter ? access : 'read', isOuter)
      isOuter = false
    }
  }
}

function registersOfStatement(statement: Statement): StatementRegisters {
  const found = new Gathered()
  if (statement.kind === 'instruction') {
    const row = rowOfOpcode(statement.opcode)
    const { operands } = statement
    for (let k = 0; k < operands.length; k++) {
      found.addAll(statement, k, operands[k]!, accessOf(row?.operands[k]?.role, row?.traits))
    }
  } else if (statement.kind === 'custom-data') {
    for (const value of decodeShaderMessage(statement)?.operands ?? NOTHING) found.addAll(statement, -1, value, 'read')
  }
  const { temps, others } = found
  const declared = found.declared ?? declaredArray(statement)
  return { temps: temps.length === 0 ? NOTHING : temps, others: others.length === 0 ? NOTHING : others, declared }
}

interface Known {
  readonly list: readonly StatementRegisters[]
  readonly byStatement: ReadonlyMap<Statement, StatementRegisters>
}

const known = perVersion(({ statements }: ShaderDocument, before: Known | undefined): Known => {
  const list = statements.map((s) => before?.byStatement.get(s) ?? registersOfStatement(s))
  return { list, byStatement: new Map(statements.map((s, i) => [s, list[i]!])) }
})

/** The registers of each statement, in their order. */
export const statementRegisters = (d: ShaderDocument): readonly StatementRegisters[] => known(d).list
