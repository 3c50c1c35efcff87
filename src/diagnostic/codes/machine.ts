import type { CodeInfo } from './code-info.ts'

/** Codes of the room `machine`. */
export const MACHINE_CODES = {} as const satisfies Record<string, CodeInfo>
