import type { CodeInfo } from './code-info.ts'

/** Codes of the room `language`: what only editors say, of texts that are sound. */
export const LANGUAGE_CODES = {
  'language-unused-declaration': {
    severity: 'hint',
    title: 'Declaration that no instruction uses',
    explanation:
      'A register or a binding is declared, and nothing in the program names it. It costs nothing at run time; a binding still asks the application for a resource.',
  },
  'language-unused-result': {
    severity: 'hint',
    title: 'Result that nothing reads',
    explanation:
      'An instruction writes temporary registers, and on every way from there they are written again, or the program ends, before anything reads them. The instruction can be left out.',
  },
} as const satisfies Readonly<Record<string, CodeInfo>>
