import type { CodeInfo } from './code-info.ts'

/** Codes of the room `engine`. */
export const ENGINE_CODES = {} as const satisfies Record<string, CodeInfo>
