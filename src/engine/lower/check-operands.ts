import { FILE, registerFile, rowOfOpcode } from '../../isa/index.ts'
import type { Operand } from '../../program/index.ts'
import { type Declarations, hasRanges } from '../declarations.ts'
import { Unsupported } from './unsupported.ts'

/**
 * Operands that no code can be made of, wherever they stand: translation does not see what is never reached. The reference
 * engine says what is wrong with them.
 */

const WRITABLE: ReadonlySet<number> = new Set([FILE.temp, FILE['indexable-temp'], FILE.null])
const RANGED: ReadonlySet<number> = new Set([FILE.resource, FILE.uav, FILE.sampler, FILE['constant-buffer']])

function isDeclared(d: Declarations, operand: Operand): boolean {
  const first = operand.indices[0]
  if (operand.type === FILE.temp) return first?.kind === 'immediate' && first.value < d.tempCount
  if (operand.type !== FILE['indexable-temp']) return true
  return first?.kind === 'immediate' && d.indexableTemps.some((x) => x.register === first.value)
}

/** What is wrong with an operand or with the registers in its indices. */
function problemOf(d: Declarations, operand: Operand): string | undefined {
  const file = registerFile(operand.type)
  if (file === undefined) return `there is no register file ${operand.type}`
  const least = file.indices[0] + (hasRanges(d.program) && RANGED.has(operand.type) ? 1 : 0)
  if (operand.indices.length < least) return `${file.prefix}# lacks an index`
  if (!isDeclared(d, operand)) return `${file.prefix}# is not declared`
  for (let n = 0; n < operand.indices.length; n++) {
    const index = operand.indices[n]!
    if (index.kind === 'immediate64' || index.kind === 'relative-plus64') return 'an index has 64 bits'
    const found = 'register' in index ? problemOf(d, index.register) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

/** Programs that were found sound: each phase of a hull shader is translated by itself. */
const SOUND = new WeakSet<Declarations>()

/** Throws where an operand of an instruction is none that can be executed. */
export function checkOperands(d: Declarations): void {
  if (SOUND.has(d)) return
  d.program.statements.forEach((s, statement) => {
    const row = s.kind === 'instruction' ? rowOfOpcode(s.opcode) : undefined
    if (s.kind !== 'instruction' || row === undefined || row.traits.kind === 'declaration') return
    s.operands.forEach((operand, n) => {
      const found = problemOf(d, operand)
      if (found !== undefined) throw new Unsupported(found, statement)
      if (d.stage.kind === 'compute' && row.operands[n]?.role === 'dest' && !WRITABLE.has(operand.type)) {
        throw new Unsupported(`${registerFile(operand.type)!.prefix}# cannot be written by a compute shader`, statement)
      }
    })
  })
  SOUND.add(d)
}
