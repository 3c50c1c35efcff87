import type { CodeInfo } from './code-info.ts'

/** Codes of the room `shader`. */
export const SHADER_CODES = {
  'shader-no-code': {
    severity: 'error',
    title: 'No program in the container',
    explanation:
      'The program of a shader stands in the part SHEX, or SHDR up to Shader Model 4.1. A container without either has nothing to list: it may hold a root signature alone, an effect, or a library of a later shader model (DXIL).',
  },
} as const satisfies Record<string, CodeInfo>
