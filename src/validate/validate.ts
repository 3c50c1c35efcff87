import {
  argumentFault,
  type Diagnostic,
  DiagnosticCollector,
  type DiagnosticSink,
  isBytes,
  isRecord,
} from '../diagnostic/index.ts'
import { readDxbc, type SignatureElement } from '../dxbc/index.ts'
import { type Program, withNamedPlaces } from '../program/index.ts'
import { type ContainerContext, containerContext, type SignatureKind } from './container-context.ts'
import { type ProgramContext, programContext } from './context.ts'
import { reporter } from './rule.ts'
import { RULES } from './rules/index.ts'
import { SIGNATURE_RULES } from './rules/signature.ts'

function runProgramRules(context: ProgramContext, diagnostics: DiagnosticSink): void {
  for (const rule of RULES) {
    if (rule.scope === 'program') rule.check(context, reporter(rule.code, diagnostics))
  }
}

function runContainerRules(context: ContainerContext, diagnostics: DiagnosticSink): void {
  for (const rule of RULES) {
    if (rule.scope === 'container') rule.check(context, reporter(rule.code, diagnostics))
  }
}

/** Where a finding stands in the program; what is about the whole comes first, what was left out last. */
function statementOf(d: Diagnostic): number {
  if (d.code === 'diagnostics-more') return Number.POSITIVE_INFINITY
  return d.place?.kind === 'statement' ? d.place.index : -1
}

/**
 * Everything that is wrong with a container (its bytes) or with a program alone: what reading says, then every rule of
 * `RULES`, in the order of the statements. An empty list means that no rule has anything to say, which every shader
 * that fxc makes is held to. Never throws: bytes that are no container give the diagnostics of reading them.
 */
export function validate(input: Uint8Array | Program): readonly Diagnostic[] {
  const fits = isBytes(input) || (isRecord(input) && Array.isArray(input.statements))
  const fault = argumentFault('validate', 'bytes as a Uint8Array, or a Program', input, fits)
  if (fault !== undefined) return [fault]
  const diagnostics = new DiagnosticCollector()
  let program: Program | undefined
  if (!isBytes(input)) {
    runProgramRules(programContext(input), diagnostics)
    program = input
  } else {
    const read = readDxbc(input)
    diagnostics.pushAll(read.diagnostics)
    if (read.value === undefined) return diagnostics.finish()
    const context = containerContext(read.value)
    diagnostics.pushAll(context.diagnostics)
    runContainerRules(context, diagnostics)
    if (context.program !== undefined) runProgramRules(context.program, diagnostics)
    program = context.program?.program
  }
  const found = [...diagnostics.finish()].sort((a, b) => statementOf(a) - statementOf(b))
  return program === undefined ? found : withNamedPlaces(found, program)
}

/** Signatures that are known without a container: from the comments of a listing. */
export type Signatures = Readonly<Partial<Record<SignatureKind, readonly SignatureElement[]>>>

/** What the rules about signatures say of a program, beside what `validate` says of the program alone. */
export function validateSignatures(program: Program, signatures: Signatures): readonly Diagnostic[] {
  const diagnostics = new DiagnosticCollector()
  const context = { program: programContext(program), signatures }
  for (const { code, check } of SIGNATURE_RULES) check(context, reporter(code, diagnostics))
  return withNamedPlaces(diagnostics.finish(), program)
}
