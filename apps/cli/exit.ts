/** Exit codes: all is well; something was found; the command could not be understood or the input not be read. */
export const EXIT = { fine: 0, findings: 1, usage: 2 } as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Of several files the worst result counts. */
export function worse(a: ExitCode, b: ExitCode): ExitCode {
  return a > b ? a : b
}
