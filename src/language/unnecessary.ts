/** What has no effect: declarations of registers that nothing names, statements whose results nothing reads. */
import type { TextRange } from '../asm/index.ts'
import { type DeclarationForm, type RegisterFileName, registerFile, rowOfOpcode } from '../isa/index.ts'
import { DECLARATION_CLASS, parameterOf } from '../program/index.ts'
import type { ShaderDocument } from './document.ts'
import { perDocument } from './per-document.ts'
import { statementsWithoutEffect } from './program/liveness.ts'
import { type NamedRegister, statementRegisters } from './program/statement-registers.ts'
import { phaseNumbers } from './program/uses.ts'

/** A statement without effect. */
export interface Unnecessary {
  readonly statement: number
  readonly range: TextRange
  readonly what: 'declaration' | 'statement'
  readonly message: string
}

/** Registers whose declarations say what the program requires of its surroundings, beside what it names. */
function mayGoUnused(d: ShaderDocument, statement: number): boolean {
  const s = d.statements[statement]
  const traits = s?.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined
  if (s?.kind !== 'instruction' || traits?.kind !== 'declaration') return false
  const cls = DECLARATION_CLASS[traits.declares]
  const file = registerFile(s.operands[0]?.type ?? -1)
  // An output that is not written is in the signature all the same; patch constants count for the whole of a patch.
  if (cls === 'input') return file?.name === 'input' || file?.class === 'input'
  return cls === 'binding' || traits.declares === 'indexable-temp'
}

const OF_CLASSES: ReadonlySet<RegisterFileName> = new Set(['interface', 'this-pointer'])

/** How many registers a declaration is of: an index range covers several. */
function countOf(d: ShaderDocument, statement: number): number {
  const s = d.statements[statement]
  return s?.kind === 'instruction' ? Math.min(parameterOf(s, 'count') ?? 0, MOST_REGISTERS) : 0
}

/** More than any file has. */
const MOST_REGISTERS = 64

const formOf = (d: ShaderDocument, statement: number): DeclarationForm | undefined => {
  const s = d.statements[statement]
  const traits = s?.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined
  return traits?.kind === 'declaration' ? traits.declares : undefined
}

/** The registers that a program names beside declarations of them; by phase, those that each phase has for itself. */
class Named {
  readonly #names = new Map<number, Set<string>>()
  /** Files of which a register is named whose number is computed. */
  readonly #computed = new Set<string>()

  add({ name, file, isOfPhase }: NamedRegister, phase: number): void {
    const key = isOfPhase ? phase : 0
    let names = this.#names.get(key)
    if (names === undefined) this.#names.set(key, (names = new Set()))
    names.add(name)
    if (name.endsWith('*')) this.#computed.add(file)
  }

  /** The registers of an index range, which needs their declarations. */
  addRange(register: NamedRegister, count: number, phase: number): void {
    const [file, first] = register.name.split(' ')
    for (let i = 0; i < count; i++) this.add({ ...register, name: `${file} ${Number(first) + i}` }, phase)
  }

  mayBe({ name, file, isOfPhase }: NamedRegister, phase: number): boolean {
    return this.#computed.has(file) || this.#names.get(isOfPhase ? phase : 0)?.has(name) === true
  }
}

function unusedDeclarations(d: ShaderDocument): readonly number[] {
  if (!d.isWhole) return []
  const named = new Named()
  const phases = phaseNumbers(d)
  const registers = statementRegisters(d)
  const declared: number[] = []
  for (let at = 0; at < registers.length; at++) {
    const { others, declared: own } = registers[at]!
    for (const register of others) {
      // Class instances bind resources that the code names by no register.
      if (OF_CLASSES.has(register.file)) return []
      named.add(register, phases[at]!)
    }
    const form = formOf(d, at)
    if (form === 'interface') return []
    if (own === undefined) continue
    if (form === 'index-range') named.addRange(own, countOf(d, at), phases[at]!)
    else if (mayGoUnused(d, at)) declared.push(at)
  }
  return declared.filter((at) => !named.mayBe(registers[at]!.declared!, phases[at]!))
}

/** Everything in a text that could be left out. */
export const unnecessaryRanges = perDocument((d: ShaderDocument): readonly Unnecessary[] => {
  const place = (statement: number): TextRange => {
    const { start, end } = d.places.statements[statement]!
    return { start, end }
  }
  const unused = unusedDeclarations(d).map((statement): Unnecessary => {
    const message = 'this is declared, and no instruction uses it'
    return { statement, range: place(statement), what: 'declaration', message }
  })
  const dead = statementsWithoutEffect(d).map((statement): Unnecessary => {
    return { statement, range: place(statement), what: 'statement', message: 'what is written here is not read' }
  })
  return [...unused, ...dead]
})
