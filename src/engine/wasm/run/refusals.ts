import { type Diagnostic, diagnostic, ShaderError } from '../../../diagnostic/index.ts'
import { DEFAULT_DISPATCH_LIMITS } from '../../../machine/index.ts'
import { withNamedPlaces } from '../../../program/index.ts'
import type { DispatchOptions, DispatchResult, LoadedShader } from '../../contract.ts'
import { CodeTooLarge } from '../../ir/index.ts'
import { Unsupported } from '../../lower/index.ts'
import { haltDiagnostics } from '../../run-execution.ts'
import { STOPPED } from '../emit/kernel-layout.ts'
import type { CompiledKernel } from '../report/compiled-kernel.ts'

/** What the engine does not run, and why code ended before its end; `engine.ts` and `stage-shader.ts` ask. */

/** Why a program was not compiled. Nothing has run, so another engine may still run it. */
export function notCompiled(e: unknown): Diagnostic {
  if (e instanceof Unsupported) {
    return diagnostic('engine-not-compiled', e.message, { kind: 'statement', index: e.statement })
  }
  if (e instanceof CodeTooLarge) {
    return diagnostic('engine-code-size', e.message, { kind: 'statement', index: e.statement })
  }
  return diagnostic('engine-compiler', `the compiler failed: ${e instanceof Error ? e.message : String(e)}`)
}

/** The same of a shader, with the places of its listing. */
export const notCompiledShader = (e: unknown, { declarations, options }: LoadedShader): readonly Diagnostic[] =>
  withNamedPlaces([notCompiled(e)], declarations.program, options.listing)

/** The error that an assertion in compiled code failed. */
export function failedClaim({ assertions }: CompiledKernel, shader: LoadedShader, number: number): ShaderError {
  const { statement, claim } = assertions[number]!
  const text = `the compiler took for granted that ${claim}, and it does not hold`
  const found = diagnostic('engine-assertion', text, { kind: 'statement', index: statement })
  return new ShaderError(withNamedPlaces([found], shader.declarations.program, shader.options.listing))
}

/** Why a dispatch with these options cannot be compiled; undefined where it can. */
export function notCompiledOf(options: DispatchOptions): string | undefined {
  if (options.observer !== undefined) return 'compiled code does not call observers'
  if (options.undefinedPolicy === 'poison') return "the policy 'poison' is not compiled"
  if (options.schedule !== undefined) return 'schedules are not compiled'
  return undefined
}

/** Compiled code counts in 31 bits, so an unlimited budget is capped here. */
const MAX_INSTRUCTIONS = 2 ** 31 - 1

export function budgetOf({ maxInstructionsPerThread }: DispatchOptions): number {
  return Math.min(maxInstructionsPerThread ?? DEFAULT_DISPATCH_LIMITS.maxInstructionsPerThread, MAX_INSTRUCTIONS)
}

/** What a stopped dispatch reports; undefined for one that ran to its end. */
export function stopOf(
  stopped: number,
  statement: number,
  shader: LoadedShader,
  options: DispatchOptions,
): Required<Pick<DispatchResult, 'stopped' | 'diagnostics'>> | undefined {
  if (stopped === STOPPED.none) return undefined
  if (stopped === STOPPED.trap) return { stopped: 'trap', diagnostics: [] }
  const halt = stopped === STOPPED.abort ? 'abort' : 'budget'
  return { stopped: halt, diagnostics: haltDiagnostics(halt, shader, statement, budgetOf(options)) }
}
