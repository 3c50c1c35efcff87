import type { TextRange } from '../asm/index.ts'
import { rowOfOpcode } from '../isa/index.ts'
import { type ShaderDocument, statementAt } from './document.ts'

/** What is shown of the thing at a position. */
export interface Hover {
  /** Markdown. */
  readonly text: string
  readonly range: TextRange
}

/** What stands at a position; undefined for nothing that there is anything to say of. */
export function hoverAt(document: ShaderDocument, position: number): Hover | undefined {
  const at = statementAt(document, position)
  const statement = at === undefined ? undefined : document.statements[at]
  const place = at === undefined ? undefined : document.places.statements[at]
  const row = statement?.kind === 'instruction' ? rowOfOpcode(statement.opcode) : undefined
  if (row === undefined || place === undefined) return undefined
  return { text: `**${row.mnemonic}**\n\n${row.summary}`, range: place }
}
