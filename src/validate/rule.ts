import type { CodeInfo, DiagnosticCode, DiagnosticDetails, DiagnosticSink, Place } from '../diagnostic/index.ts'
import { CODES, diagnostic } from '../diagnostic/index.ts'
import type { ContainerContext } from './container-context.ts'
import type { ProgramContext } from './context.ts'

/** Says what was found and where. Severity and prose come from the registry of codes. */
export type Report = (message: string, place?: Place, notes?: readonly string[], details?: DiagnosticDetails) => void

/** A rule about the tokens of one program. */
export interface ProgramCheck {
  readonly code: DiagnosticCode
  readonly scope: 'program'
  /** It checks each of `ProgramContext.sites` by itself against what the program declares, whatever other sites there are. */
  readonly isPerInstruction: boolean
  readonly check: (program: ProgramContext, report: Report) => void
}

/** A rule about the parts of a container and how they fit its program. */
export interface ContainerCheck {
  readonly code: DiagnosticCode
  readonly scope: 'container'
  readonly check: (container: ContainerContext, report: Report) => void
}

/** What rules about signatures need of a container: a listing has it as well. */
export type SignatureContext = Pick<ContainerContext, 'program' | 'signatures'>

/** A rule about a program and its signatures. */
export interface SignatureCheck {
  readonly code: DiagnosticCode
  readonly scope: 'container'
  readonly check: (context: SignatureContext, report: Report) => void
}

/** A rule as data: what the registry says about its code, and the check. */
export type Rule = (ProgramCheck | ContainerCheck) & CodeInfo

export const programRule = (code: DiagnosticCode, check: ProgramCheck['check']): Rule => ({
  ...CODES[code],
  code,
  scope: 'program',
  isPerInstruction: false,
  check,
})

export const instructionRule = (code: DiagnosticCode, check: ProgramCheck['check']): Rule => ({
  ...CODES[code],
  code,
  scope: 'program',
  isPerInstruction: true,
  check,
})

export const containerRule = (code: DiagnosticCode, check: ContainerCheck['check']): Rule => ({
  ...CODES[code],
  code,
  scope: 'container',
  check,
})

export const signatureRule = (code: DiagnosticCode, check: SignatureCheck['check']): SignatureCheck & CodeInfo => ({
  ...CODES[code],
  code,
  scope: 'container',
  check,
})

/** Findings of one rule beyond this are left out: damaged files can hold very many. */
export const MAX_FINDINGS_PER_RULE = 64

/** The `report` of one rule: adds findings to `diagnostics` until there are enough. */
export function reporter(code: DiagnosticCode, diagnostics: DiagnosticSink): Report {
  let found = 0
  return (message, place, notes, details) => {
    found++
    if (found > MAX_FINDINGS_PER_RULE) return
    const more = found === MAX_FINDINGS_PER_RULE ? ['further findings of this rule are left out'] : []
    diagnostics.push({ ...diagnostic(code, message, place, [...(notes ?? []), ...more]), ...details })
  }
}
