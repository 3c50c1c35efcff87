/** What has no effect: declarations of registers that nothing names, statements whose results nothing reads. */
import type { TextRange } from '../asm/index.ts'
import { type RegisterFileName, registerFile, rowOfOpcode } from '../isa/index.ts'
import { DECLARATION_CLASS, parameterOf } from '../program/index.ts'
import type { ShaderDocument } from './document.ts'
import { perDocument } from './per-document.ts'
import { statementsWithoutEffect } from './program/liveness.ts'
import { registerUses } from './program/uses.ts'

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

/** Class instances bind resources that the code names by no register. */
const hasInterfaces = (d: ShaderDocument): boolean => registerUses(d).some((u) => OF_CLASSES.has(u.written.file.name))

/** How many registers an index range covers; undefined of other statements. */
function rangeCount(d: ShaderDocument, statement: number): number | undefined {
  const s = d.statements[statement]
  const traits = s?.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined
  if (s?.kind !== 'instruction' || traits?.kind !== 'declaration' || traits.declares !== 'index-range') return undefined
  return Math.min(parameterOf(s, 'count') ?? 0, MOST_REGISTERS)
}

/** More than any file has. */
const MOST_REGISTERS = 64

/** The keys of the registers of an index range, whose declarations it needs. */
function keysOfRange(key: string, count: number): readonly string[] {
  const [file, first, phase] = key.split(' ')
  return Array.from({ length: count }, (_, i) => `${file} ${Number(first) + i} ${phase}`)
}

function unusedDeclarations(d: ShaderDocument): readonly number[] {
  if (!d.isWhole || hasInterfaces(d)) return []
  const named = new Set<string>()
  let anyComputed = false
  const declared = new Map<number, string>()
  for (const { access, key, statement, operand } of registerUses(d)) {
    if (access !== 'declared') {
      named.add(key)
      anyComputed ||= key.includes('*')
    } else if (operand <= 0 && !declared.has(statement)) {
      const range = rangeCount(d, statement)
      if (range === undefined) declared.set(statement, key)
      else for (const covered of keysOfRange(key, range)) named.add(covered)
    }
  }
  return [...declared].flatMap(([statement, key]) => {
    const mayBeComputed =
      anyComputed && [...named].some((n) => n.includes('*') && n.split(' ')[0] === key.split(' ')[0])
    return named.has(key) || mayBeComputed || !mayGoUnused(d, statement) ? [] : [statement]
  })
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
