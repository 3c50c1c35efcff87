// node bench/compare.mjs <older checkout> [<newer checkout>] [language] [start] [reference] [check] [kernels]
// Measures two built checkouts in turns and prints, for each case, the least time of each and their ratio.
// HEDDLE_ROUNDS=5 for more turns; HEDDLE_CASES=decode,encode for cases whose name contains one of these.
import { fork, spawn } from 'node:child_process'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { geometricMean } from './kernels.mjs'
import { commandLine, corpus } from './language.mjs'
import { ROOT } from './measure.mjs'

const PARTS = ['language', 'start', 'reference', 'check', 'kernels']
const ROUNDS = Number(process.env.HEDDLE_ROUNDS ?? 3)
const STARTS_PER_ROUND = 7

/** Times of all cases of a part, in a process of their own. */
function casesOf(root, other, part) {
  const path = fileURLToPath(new URL('./compare-child.mjs', import.meta.url))
  return new Promise((done, fail) => {
    const child = fork(path, [root, other, part])
    child.once('message', done)
    child.once('exit', (code) => fail(new Error(`${part} of ${root} ended with code ${code} before it had measured`)))
  })
}

/** Makes Node write what processor time it took to its standard error, as its last line. */
const REPORT = `data:text/javascript,process.on('exit',()=>{
  const { user, system } = process.cpuUsage(); process.stderr.write('\\n' + (user + system) / 1000) })`

/** Milliseconds of one run of `heddle dis`: to its first line by the clock, and of the processor to its end. */
function startOf(root, path) {
  return new Promise((done) => {
    const begin = performance.now()
    const child = spawn(process.execPath, ['--import', REPORT, commandLine(root), 'dis', path])
    let first
    let errors = ''
    child.stdout.on('data', () => {
      first ??= performance.now() - begin
    })
    child.stderr.on('data', (text) => {
      errors += text
    })
    child.once('close', () => {
      done({ 'first line of heddle dis, clock': first, 'heddle dis, processor': Number(errors.split('\n').at(-1)) })
    })
  })
}

async function startsOf(root, other) {
  const path = corpus(root)[0].path
  const times = {}
  for (let i = 0; i < STARTS_PER_ROUND; i++) keepLeast(times, await startOf(root, resolve(other, relative(root, path))))
  return times
}

function keepLeast(least, times) {
  for (const [name, ms] of Object.entries(times)) least[name] = Math.min(least[name] ?? Number.POSITIVE_INFINITY, ms)
}

/** The two take turns, so that both see the same machine. */
async function measure(older, newer, part) {
  const least = { older: {}, newer: {} }
  for (let round = 0; round < ROUNDS; round++) {
    const turn = part === 'start' ? startsOf : (root, other) => casesOf(root, other, part)
    keepLeast(least.older, await turn(older, newer))
    keepLeast(least.newer, await turn(newer, older))
  }
  return least
}

function print(part, { older, newer }) {
  console.log(`\n## ${part}: least of ${ROUNDS} turns\n`)
  console.log(`${''.padEnd(40)}${'older ms'.padStart(11)}${'newer ms'.padStart(11)}${'newer / older'.padStart(15)}`)
  const ratios = []
  for (const [name, ms] of Object.entries(older)) {
    if (newer[name] === undefined) continue
    const ratio = newer[name] / ms
    ratios.push({ name, ratio })
    const cells = [ms.toFixed(2).padStart(11), newer[name].toFixed(2).padStart(11), ratio.toFixed(3).padStart(15)]
    console.log(name.padEnd(40) + cells.join(''))
  }
  const slowest = ratios.reduce((a, b) => (b.ratio > a.ratio ? b : a))
  const mean = geometricMean(ratios.map((r) => r.ratio))
  console.log(`geometric mean ${mean.toFixed(3)}; slowest ${slowest.name} ${slowest.ratio.toFixed(3)}`)
}

const asked = process.argv.slice(2)
const folders = asked.filter((a) => !PARTS.includes(a))
if (folders.length === 0 || folders.length > 2) {
  console.error(`usage: node bench/compare.mjs <older checkout> [<newer checkout>] [${PARTS.join('] [')}]`)
  process.exit(2)
}
const [older, newer] = [resolve(folders[0]), resolve(folders[1] ?? ROOT)]
const parts = PARTS.filter((p) => asked.includes(p))
for (const part of parts.length > 0 ? parts : PARTS) print(part, await measure(older, newer, part))
