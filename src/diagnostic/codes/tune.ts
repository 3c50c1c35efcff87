import type { CodeInfo } from './code-info.ts'

/** Codes of tuning the runtime (`--tune`, `HEDDLE_TUNE=1`). */
export const TUNE_CODES = {
  'tune-no-effect': {
    severity: 'hint',
    title: 'Nothing to tune',
    explanation:
      'Tuning turns on a feature of V8 that packs pairs of 128-bit vectors into 256-bit ones. This runtime does not have it (Node 24 on x64 has) or it is known to do nothing for compiled shaders; they run as without tuning.',
  },
  'tune-self-test': {
    severity: 'warning',
    title: 'Tuned code gives wrong results',
    explanation:
      'The feature of V8 that tuning turns on is experimental, so small programs are run with it first and compared with the reference engine bit for bit. They differ here, and the feature cannot be turned off again in a running process. Everything that follows runs on the reference engine, slowly and correctly; leave out the option to run compiled code without the feature.',
  },
} as const satisfies Record<string, CodeInfo>
