/** What facts.ts mutates must be noticed by: the programs of test/support/fact-claims.ts, each of which rests on one claim. */
import { CLAIMS, differencesOfClaim } from '../../test/support/fact-claims.ts'
import { type Check, runChecks } from './checks.ts'

const MODES = [{}, { assertions: true }, { denormals: 'keep' }] as const

await runChecks(
  MODES.flatMap((options) =>
    Object.entries(CLAIMS).map(
      ([name, body]): Check => ({ name, run: async () => (await differencesOfClaim(body, options))[0] }),
    ),
  ),
)
