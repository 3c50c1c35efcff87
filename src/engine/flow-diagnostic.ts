/** What engines report of blocks that do not nest; both of them refuse such programs with the same words. */
import { type Diagnostic, DiagnosticCollector, diagnostic } from '../diagnostic/index.ts'
import { blockFaults, flowSteps, type Program } from '../program/index.ts'

/** Where the blocks of the statements `first` to `end` do not nest: damaged programs have very many such places. */
export function flowFaults(program: Program, first: number, end: number): readonly Diagnostic[] {
  const found = new DiagnosticCollector()
  for (const { statement, message } of blockFaults(flowSteps(program, first, end))) {
    found.pushMade('error', () => diagnostic('engine-flow', message, { kind: 'statement', index: statement }))
  }
  return found.finish()
}
