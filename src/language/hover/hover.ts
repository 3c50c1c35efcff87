import type { TextRange } from '../../asm/index.ts'
import { rowOfOpcode } from '../../isa/index.ts'
import { type ShaderDocument, statementAt } from '../document.ts'
import { useAt } from '../program/uses.ts'
import { controlsText, rowText } from './instruction.ts'
import { literalAt, literalText } from './literal.ts'
import { registerText } from './register.ts'

/** What is shown of the thing at a position. */
export interface Hover {
  /** Markdown. */
  readonly text: string
  readonly range: TextRange
  /** The page of `docs/` that has more. */
  readonly page?: string
}

/** What stands at a position; undefined for nothing that there is anything to say of. */
export function hoverAt(d: ShaderDocument, position: number): Hover | undefined {
  const at = statementAt(d, position)
  if (at === undefined) return undefined
  const use = useAt(d, position)
  if (use !== undefined) return { text: registerText(d, use), range: use.written.whole }
  const literal = literalAt(d, position)
  if (literal !== undefined) return { text: literalText(literal), range: literal.range }
  const statement = d.statements[at]!
  const place = d.places.statements[at]!
  const row = statement.kind === 'instruction' ? rowOfOpcode(statement.opcode) : undefined
  if (row === undefined) return undefined
  const word = /^\w+/.exec(d.text.slice(place.start, Math.min(place.end, place.start + 100)))?.[0] ?? ''
  const text = [rowText(row), ...controlsText(statement)].join('\n\n')
  return { text, range: { start: place.start, end: place.start + word.length }, page: 'instructions.md' }
}
