import { expect, it } from 'vitest'
import { runScript } from '../src/session/index.ts'
import { debugScript } from './support/debug-script.ts'
import { scriptedRuns } from './support/scripted-runs.ts'

const SEED = 20261122

// npm run debug-scripts makes longer ones, with fresh seeds.
it.each(scriptedRuns())(
  'a script made from a plain run of $name holds forward and backward',
  async ({ open, lineOf }) => {
    const script = await debugScript(open, { seed: SEED, moments: 2, words: 1, lineOf })
    const report = await runScript(await open(), script)
    expect(report.diagnostics.map((d) => d.message)).toEqual([])
    expect(report.repeated).toBe(report.stops)
    expect(report.expectations).toBeGreaterThan(10)
  },
)
