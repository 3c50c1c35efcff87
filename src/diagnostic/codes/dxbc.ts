import type { CodeInfo } from './code-info.ts'

/** Codes of the room `dxbc`. */
export const DXBC_CODES = {} as const satisfies Record<string, CodeInfo>
