/**
 * Mutants of the source, each of which the checks of its list must notice:
 *
 *     npm run bounds-mutants -- [parts of file names or of what goes wrong]
 *     npm run mutants:facts -- [the same]
 */
import { BOUNDS_MUTANTS } from './bounds.ts'
import { FACT_MUTANTS } from './facts.ts'
import { reportMutants, type SourceMutant } from './run.ts'

const LISTS: Readonly<Record<string, { readonly checks: string; readonly mutants: readonly SourceMutant[] }>> = {
  bounds: { checks: 'bounds-checks.ts', mutants: BOUNDS_MUTANTS },
  facts: { checks: 'fact-checks.ts', mutants: FACT_MUTANTS },
}

const [name = '', ...words] = process.argv.slice(2)
const list = LISTS[name]
if (list === undefined)
  throw new Error(`there is no list of mutants "${name}", only ${Object.keys(LISTS).join(' and ')}`)
const isWanted = ({ file, why }: SourceMutant): boolean => words.some((w) => `${file}: ${why}`.includes(w))
const mutants = words.length === 0 ? list.mutants : list.mutants.filter(isWanted)
process.exitCode = await reportMutants({ entry: `scripts/source-mutants/${list.checks}`, mutants })
