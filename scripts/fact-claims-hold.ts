/** Runs the programs of test/support/fact-claims.ts, and ends with 1 at the first that differs: what fact-mutants.ts mutates. */
import { CLAIMS, differencesOfClaim } from '../test/support/fact-claims.ts'

const MODES = [{}, { assertions: true }, { denormals: 'keep' }] as const

async function firstDifference(): Promise<string | undefined> {
  for (const options of MODES) {
    for (const [name, body] of Object.entries(CLAIMS)) {
      const found = await differencesOfClaim(body, options).catch((e: unknown) => [String(e)])
      if (found.length > 0) return `${name}: ${found[0]}`
    }
  }
  return undefined
}

const difference = await firstDifference()
if (difference !== undefined) console.log(difference)
process.exit(difference === undefined ? 0 : 1)
