import { ASM_CODES } from './asm.ts'
import { CHECK_CODES } from './check.ts'
import type { CodeInfo } from './code-info.ts'
import { DEBUG_CODES } from './debug.ts'
import { DIAGNOSTIC_CODES } from './diagnostic.ts'
import { DXBC_CODES } from './dxbc.ts'
import { ENGINE_CODES } from './engine.ts'
import { JOB_CODES } from './job.ts'
import { LANGUAGE_CODES } from './language.ts'
import { MACHINE_CODES } from './machine.ts'
import { PIPELINE_CODES } from './pipeline.ts'
import { PROGRAM_CODES } from './program.ts'
import { SESSION_CODES } from './session.ts'
import { SHADER_CODES } from './shader.ts'
import { SOURCE_CODES } from './source.ts'
import { TUNE_CODES } from './tune.ts'
import { VALIDATE_CODES } from './validate/index.ts'

const REGISTRY = {
  ...DIAGNOSTIC_CODES,
  ...DXBC_CODES,
  ...PROGRAM_CODES,
  ...SHADER_CODES,
  ...ASM_CODES,
  ...VALIDATE_CODES,
  ...MACHINE_CODES,
  ...ENGINE_CODES,
  ...CHECK_CODES,
  ...DEBUG_CODES,
  ...PIPELINE_CODES,
  ...JOB_CODES,
  ...SESSION_CODES,
  ...SOURCE_CODES,
  ...LANGUAGE_CODES,
  ...TUNE_CODES,
} as const

/**
 * A code of the registry, such as `dxbc-magic`: stable between versions, with `FORMER_CODES` where one was renamed.
 */
export type DiagnosticCode = keyof typeof REGISTRY

/** Every code that Heddle can report, with its severity and a paragraph of explanation. */
export const CODES: Readonly<Record<DiagnosticCode, CodeInfo>> = REGISTRY

export type { CodeInfo } from './code-info.ts'
