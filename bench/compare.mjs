// node bench/compare.mjs <older checkout> [<newer checkout>] [language] [start] [reference] [check] [kernels]
// Measures two built checkouts in turns and prints, for each case, the least time of each and their ratio.
// HEDDLE_TURNS=20 for more turns; HEDDLE_CASES=decode,encode for cases whose name contains one of these.
import { fork, spawn } from 'node:child_process'
import { relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { geometricMean } from './kernels.mjs'
import { commandLine, corpus } from './language.mjs'
import { ROOT } from './measure.mjs'
import { numberVariable } from './variables.mjs'

const PARTS = ['language', 'start', 'reference', 'check', 'kernels']
const TURNS = numberVariable('HEDDLE_TURNS', 10)

/** A process that holds the cases of a part for one checkout. */
function openCases(root, other, part) {
  const child = fork(fileURLToPath(new URL('./compare-child.mjs', import.meta.url)), [root, other, part])
  const request = (name) =>
    new Promise((done, fail) => {
      const ended = (code) => fail(new Error(`${part} of ${root} ended with code ${code} while it measured`))
      child.once('exit', ended)
      child.once('message', (answer) => {
        child.off('exit', ended)
        done(answer)
      })
      child.send(name)
    })
  return { request, close: () => child.kill() }
}

/** The two take turns with each case, so that both see the same machine. */
async function casesInTurns(older, newer, part) {
  const [theirs, ours] = [openCases(older, newer, part), openCases(newer, older, part)]
  const times = []
  for (;;) {
    const [name, same] = [await theirs.request('next'), await ours.request('next')]
    if (name !== same) throw new Error(`the two measure different cases: ${name} and ${same}`)
    if (name === null) break
    const time = { name, older: Number.POSITIVE_INFINITY, newer: Number.POSITIVE_INFINITY }
    for (let turn = 0; turn < TURNS; turn++) {
      time.older = Math.min(time.older, await theirs.request('run'))
      time.newer = Math.min(time.newer, await ours.request('run'))
    }
    times.push(time)
  }
  theirs.close()
  ours.close()
  return times
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

async function startsInTurns(older, newer) {
  const path = corpus(older)[0].path
  const runs = { older: [], newer: [] }
  for (let turn = 0; turn < 2 * TURNS; turn++) {
    runs.older.push(await startOf(older, path))
    runs.newer.push(await startOf(newer, resolve(newer, relative(older, path))))
  }
  const least = (of, name) => Math.min(...of.map((run) => run[name]))
  return Object.keys(runs.older[0]).map((name) => ({
    name,
    older: least(runs.older, name),
    newer: least(runs.newer, name),
  }))
}

function print(part, times) {
  console.log(`\n## ${part}: least of ${TURNS} turns\n`)
  console.log(`${''.padEnd(40)}${'older ms'.padStart(11)}${'newer ms'.padStart(11)}${'newer / older'.padStart(15)}`)
  for (const { name, older, newer } of times) {
    const cells = [
      older.toFixed(2).padStart(11),
      newer.toFixed(2).padStart(11),
      (newer / older).toFixed(3).padStart(15),
    ]
    console.log(name.padEnd(40) + cells.join(''))
  }
  const slowest = times.reduce((a, b) => (b.newer / b.older > a.newer / a.older ? b : a))
  const mean = geometricMean(times.map((t) => t.newer / t.older))
  const worst = (slowest.newer / slowest.older).toFixed(3)
  console.log(`geometric mean ${mean.toFixed(3)}; slowest ${slowest.name} ${worst}`)
}

const chosen = process.argv.slice(2)
const folders = chosen.filter((a) => !PARTS.includes(a))
if (folders.length === 0 || folders.length > 2) {
  console.error(`usage: node bench/compare.mjs <older checkout> [<newer checkout>] [${PARTS.join('] [')}]`)
  process.exit(2)
}
const [older, newer] = [resolve(folders[0]), resolve(folders[1] ?? ROOT)]
const parts = PARTS.filter((p) => chosen.includes(p))
for (const part of parts.length > 0 ? parts : PARTS) {
  print(part, await (part === 'start' ? startsInTurns(older, newer) : casesInTurns(older, newer, part)))
}
