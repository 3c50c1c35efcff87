import type { CodeInfo } from './code-info.ts'

/** Codes of the room `validate`. */
export const VALIDATE_CODES = {} as const satisfies Record<string, CodeInfo>
