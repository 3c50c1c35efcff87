/**
 * Scripts of the debugger, made from programs and run forward and backward: each kernel, each draw of the scenes, each shader
 * of the corpus with debug data. What they expect comes from plain runs. Behind its script each is run whole, both ways: it must
 * leave the bytes, statistics and findings that it leaves without the debugger.
 *
 *     npm run debug-scripts -- [seed] [moments] [word of their names]
 */

import { numberArgument } from '../bench/variables.mjs'
import { runScript } from '../src/session/index.ts'
import { scriptedRuns } from '../test/support/scripted-runs.ts'

const seed = numberArgument('the seed', process.argv[2], Math.floor(Math.random() * 2 ** 30))
const moments = numberArgument('the number of moments', process.argv[3], 12, { least: 1 })
let [failed, stops, expectations] = [0, 0, 0]
const runs = scriptedRuns(process.argv[4])
console.log(`${runs.length} programs, ${moments} moments each, seed ${seed}`)
for (const { name, open, script: make, wrongEnd } of runs) {
  const script = await make({ seed, moments, words: 4 })
  const report = await runScript(await open(), script)
  const { diagnostics, repeated } = report
  stops += report.stops
  expectations += report.expectations
  const wrong = await wrongEnd()
  const isGood = diagnostics.length === 0 && repeated === report.stops && wrong === undefined
  if (!isGood) failed++
  console.log(
    `${name}: ${report.stops} stops, ${report.expectations} expectations, ${repeated} stops come to again${isGood ? '' : ', FAILED'}`,
  )
  if (wrong !== undefined) console.log(`  ${wrong}`)
  for (const d of diagnostics.slice(0, 5)) {
    console.log(`  line ${d.place?.kind === 'text' ? `${d.place.line} "${d.place.sourceLine}"` : 0}: ${d.message}`)
  }
}
console.log(
  `${runs.length} scripts, ${failed} failed, ${stops} stops and ${expectations} expectations held forward and backward; bytes, statistics and findings are those of plain runs`,
)
process.exitCode = failed > 0 ? 1 : 0
