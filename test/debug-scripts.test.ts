import { expect, it } from 'vitest'
import { runScript } from '../src/session/index.ts'
import { scriptedRuns } from './support/scripted-runs.ts'

const SEED = 20261122

/** Draws of each stage, of both kinds of debug data, and those scenes that are short. */
const DRAWS =
  /^(?:vs\/(?:basic|sm51)|hs\/|ds\/|gs\/|ps\/class|quirks\/)|scene (?:billboards|streamout|tess|foliage command 2)/

// npm run debug-scripts makes longer ones of all scenes and shaders, with fresh seeds.
it.each(scriptedRuns().filter((r) => r.isDispatch || DRAWS.test(r.name)))(
  'a script made from a plain run of $name holds forward and backward',
  async ({ open, script: make, wrongEnd }) => {
    const script = await make({ seed: SEED, moments: 2, words: 1 })
    const report = await runScript(await open(), script)
    expect(report.diagnostics.map((d) => d.message)).toEqual([])
    expect(report.repeated).toBe(report.stops)
    expect(report.expectations).toBeGreaterThan(10)
    expect(await wrongEnd()).toBeUndefined()
  },
)
