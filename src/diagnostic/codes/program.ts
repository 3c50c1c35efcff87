import type { CodeInfo } from './code-info.ts'

/** Codes of the room `program`. */
export const PROGRAM_CODES = {} as const satisfies Record<string, CodeInfo>
