import type { Diagnostic } from '../diagnostic/index.ts'
import { readDxbc } from '../dxbc/index.ts'
import type { Program } from '../program/index.ts'
import { type ContainerContext, containerContext } from './container-context.ts'
import { type ProgramContext, programContext } from './context.ts'
import { reporter } from './rule.ts'
import { RULES } from './rules/index.ts'

function runProgramRules(context: ProgramContext, diagnostics: Diagnostic[]): void {
  for (const rule of RULES) {
    if (rule.scope === 'program') rule.check(context, reporter(rule.code, diagnostics))
  }
}

function runContainerRules(context: ContainerContext, diagnostics: Diagnostic[]): void {
  for (const rule of RULES) {
    if (rule.scope === 'container') rule.check(context, reporter(rule.code, diagnostics))
  }
}

/** Where a finding stands in the program; what is about the whole comes first. */
const statementOf = (d: Diagnostic): number => (d.place?.kind === 'statement' ? d.place.index : -1)

/**
 * Everything that is wrong with a container (its bytes) or with a program alone: what reading says, then every rule of
 * `RULES`, in the order of the statements. An empty list means that no rule has anything to say, which every shader
 * that fxc makes is held to. Never throws: bytes that are no container give the diagnostics of reading them.
 */
export function validate(input: Uint8Array | Program): readonly Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  if (!(input instanceof Uint8Array)) {
    runProgramRules(programContext(input), diagnostics)
  } else {
    const read = readDxbc(input)
    diagnostics.push(...read.diagnostics)
    if (read.value === undefined) return diagnostics
    const context = containerContext(read.value)
    diagnostics.push(...context.diagnostics)
    runContainerRules(context, diagnostics)
    if (context.program !== undefined) runProgramRules(context.program, diagnostics)
  }
  return diagnostics.sort((a, b) => statementOf(a) - statementOf(b))
}
