// What compare.mjs starts for one checkout and one part. Two of these live side by side and are chosen in turns: 'next' for
// the next case, answered with its name, 'run' for a turn of it, answered with its least milliseconds of the processor.
import { readFileSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { checkCases } from './check.mjs'
import { kernelCases } from './kernels.mjs'
import { corpus, languageCases } from './language.mjs'
import { builtFrom, leastProcessorTime } from './measure.mjs'
import { referenceCases } from './reference.mjs'
import { textVariable } from './variables.mjs'

const [root, other, part] = process.argv.slice(2)
const MILLISECONDS_OF_A_TURN = 80

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

const chosen = textVariable('HEDDLE_CASES')?.split(',')

async function* chosenCases() {
  for await (const c of await CASES[part](builtFrom(root))) {
    if (chosen === undefined || chosen.some((a) => c.name.includes(a))) yield c
  }
}

const cases = chosenCases()
let current

async function nextCase() {
  current = (await cases.next()).value
  await current?.work()
  return current?.name ?? null
}

process.on('message', async (request) => {
  process.send(
    request === 'next' ? await nextCase() : await leastProcessorTime(current.work, 1, MILLISECONDS_OF_A_TURN),
  )
})
