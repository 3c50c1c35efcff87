/** What engines report of blocks that do not nest; both of them refuse such programs with the same words. */
import { type Diagnostic, diagnostic } from '../diagnostic/index.ts'
import type { BlockFault } from '../program/index.ts'

export function flowDiagnostic({ statement, message }: BlockFault): Diagnostic {
  return diagnostic('engine-flow', message, { kind: 'statement', index: statement })
}
