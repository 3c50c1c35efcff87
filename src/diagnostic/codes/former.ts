import type { DiagnosticCode } from './index.ts'

/** Codes under names they had before, with the names they have now: `heddle explain` answers both. */
export const FORMER_CODES: Readonly<Record<string, DiagnosticCode>> = {
  'asm-literal': 'asm-literal-size',
  'asm-lost': 'asm-information-lost',
  'asm-more': 'asm-too-many-errors',
  'asm-number': 'asm-number-range',
  'asm-word': 'asm-unknown-keyword',
  'check-call': 'check-invalid-call',
  'check-infinity-born': 'check-infinity-produced',
  'check-nan-born': 'check-nan-produced',
  'check-uninitialised-indexable-temp': 'check-uninitialized-indexable-temp',
  'check-uninitialised-temp': 'check-uninitialized-temp',
  'check-uninitialised-tgsm': 'check-uninitialized-tgsm',
  'check-uninitialised-uav': 'check-uninitialized-uav',
  'engine-cancelled': 'engine-canceled',
  'engine-option': 'engine-invalid-option',
  'job-type': 'job-wrong-type',
  'job-value': 'job-out-of-range',
  'tune-nothing': 'tune-no-effect',
}
