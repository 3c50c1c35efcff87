import type { CodeInfo } from './code-info.ts'

/** Codes of the room `asm`. */
export const ASM_CODES = {} as const satisfies Record<string, CodeInfo>
