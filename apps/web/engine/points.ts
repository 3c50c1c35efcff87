/** Breakpoints as the listing marks them. */
import type { Breakpoint } from '../../../src/session/index.ts'

/** The statement that a breakpoint stands at, of those that stand at one. */
export function statementOfBreakpoint({ place }: Breakpoint): number | undefined {
  return place.kind === 'statements' ? place.statements[0] : undefined
}
