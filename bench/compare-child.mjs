// What compare.mjs starts for one checkout and one part: sends the least processor time of each of its cases, in ms.
import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { checkCases } from './check.mjs'
import { kernelCases } from './kernels.mjs'
import { corpus, languageCases } from './language.mjs'
import { builtFrom, leastProcessorTime } from './measure.mjs'
import { referenceCases } from './reference.mjs'

const [root, other, part] = process.argv.slice(2)
const RUNS = 4
const LEAST_MILLISECONDS = { language: 1200, reference: 1200, check: 150, kernels: 800 }

const equal = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i])

/** The corpus grows: only shaders that are the same in both checkouts are compared. */
function sharedShaders() {
  const theirs = new Set(corpus(other).map((s) => relative(other, s.path)))
  return corpus(root).filter((s) => {
    const path = relative(root, s.path)
    return theirs.has(path) && equal(s.bytes, readFileSync(resolve(other, path)))
  })
}

const CASES = {
  language: (from) => languageCases(from, sharedShaders()),
  reference: referenceCases,
  check: checkCases,
  kernels: kernelCases,
}

const asked = process.env.HEDDLE_CASES?.split(',')
const times = {}
for await (const { name, work } of await CASES[part](builtFrom(root))) {
  if (asked !== undefined && !asked.some((a) => name.includes(a))) continue
  times[name] = await leastProcessorTime(work, RUNS, LEAST_MILLISECONDS[part])
}
process.send(times, () => process.exit())
