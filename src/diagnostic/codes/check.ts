import type { CodeInfo } from './code-info.ts'

/** Codes of the room `check`. */
export const CHECK_CODES = {} as const satisfies Record<string, CodeInfo>
