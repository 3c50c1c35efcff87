import type { CodeInfo } from './code-info.ts'

/** Codes of the room `source`. */
export const SOURCE_CODES = {
  'source-effort': {
    severity: 'warning',
    title: 'Debug data out of proportion',
    explanation:
      'Debug data repeats the same code, names or variables more often than any compiler writes. Reading stopped there, so that a damaged file costs no more than a sound one; what was read until then is used.',
  },
  'source-mismatch': {
    severity: 'warning',
    title: 'Debug data of another program',
    explanation:
      'A PDB says how many bytes of code it describes. This number is not that of the shader, so that lines and variables would be those of another program. Give the PDB that was written with this shader: its name stands in the part ILDN, where the shader was compiled with /Zss or /Zsb.',
  },
} as const satisfies Record<string, CodeInfo>
