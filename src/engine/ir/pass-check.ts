import type { Lowered } from './program.ts'

/**
 * What looks at a program after each pass of the compiler: the verifier in tests and differential runs, which set it;
 * nothing in production. Every pass that makes a program calls `passed`.
 */
let check: ((lowered: Lowered, pass: string) => void) | undefined

/** Has each pass of this process followed by a check, which throws where the program is broken. */
export function checkPasses(by: ((lowered: Lowered, pass: string) => void) | undefined): void {
  check = by
}

/** A program that a pass has made. */
export function passed(lowered: Lowered, pass: string): Lowered {
  check?.(lowered, pass)
  return lowered
}
