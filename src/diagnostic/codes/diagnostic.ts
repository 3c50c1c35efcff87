import type { CodeInfo } from './code-info.ts'

/** Codes of the room `diagnostic`. */
export const DIAGNOSTIC_CODES = {
  'argument-type': {
    severity: 'error',
    title: 'Argument of another type',
    explanation:
      'A function that reads or judges shaders was given something else than it takes. Compiled shaders are a Uint8Array (a Buffer of Node is one; of an ArrayBuffer make `new Uint8Array(buffer)`), assembly texts are strings, and what takes a container or a program takes what readDxbc or decodeProgram gave as its value.',
  },
  'diagnostics-more': {
    severity: 'warning',
    title: 'More findings than are listed',
    explanation:
      'Damaged or generated input can hold a fault in every one of a million statements. Of each severity the first 1000 findings of a call are kept; this last one says how many errors, warnings and hints are left out, and has the highest severity among them. Fix what is listed and run again to see the others.',
  },
} as const satisfies Record<string, CodeInfo>
