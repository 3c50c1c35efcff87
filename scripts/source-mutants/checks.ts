/** Checks of the test programs that mutants run through (run.ts): all of them, up to the first that finds something wrong. */

export interface Check {
  readonly name: string
  /** What is wrong, if anything is. */
  readonly run: () => Promise<string | undefined>
}

/**
 * Runs checks and ends the process: with 1 after a line that says what is wrong, with 0 where nothing is. Those come first
 * whose names contain the word of the command line, so that a mutant which they notice costs little.
 */
export async function runChecks(checks: readonly Check[]): Promise<never> {
  const word = process.argv[2]
  const isFirst = (check: Check): boolean => word !== undefined && check.name.includes(word)
  const ordered = [...checks.filter(isFirst), ...checks.filter((check) => !isFirst(check))]
  for (const { name, run } of ordered) {
    const wrong = await run().catch((e: unknown) => String(e))
    if (wrong === undefined) continue
    console.log(`${name}: ${wrong}`)
    process.exit(1)
  }
  process.exit(0)
}
