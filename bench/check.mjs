// What the checker costs: slow-down of each detector and of all together against the reference engine without observers,
// n-body interactions a second, and shadow memory. npm run bench check; HEDDLE_BENCH=nbody,scan for some kernels.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { prepare } from './kernels.mjs'
import { builtFrom, leastProcessorTime, median, ROOT } from './measure.mjs'
import { namesVariable, numberVariable } from './variables.mjs'

const folder = join(ROOT, 'test', 'kernels')
const RUNS = numberVariable('HEDDLE_RUNS', 5)

/** Oclgrind on this kind of machine, two threads: n-body of 512 x 512, millions of interactions a second. */
const OCLGRIND = { plain: 0.7, checked: 0.25 }

const SETS = [
  ['bounds', ['bounds']],
  ['uninitialized', ['uninitialized']],
  ['races', ['races']],
  ['barriers', ['barriers']],
  ['counters', ['counters']],
  ['all', undefined],
]

const valueOrThrow = (outcome) => {
  if (outcome.value === undefined) throw new Error(outcome.diagnostics.map((d) => d.message).join('; '))
  return outcome.value
}

async function load(from) {
  const check = await from('host/check', 'check')
  const { checkJob } = await from('check/index')
  const { createReferenceEngine } = await from('engine/reference/index')
  const dxbc = await from('dxbc/index')
  const program = await from('program/index')
  const machine = await from('machine/index')
  // Earlier commits, which comparisons load, spell a name otherwise.
  const spelling = (name) => (check.DETECTOR_NAMES.includes(name) ? name : name.replace('lized', 'lised'))
  return { check: { ...check, checkJob }, spelling, engine: createReferenceEngine({}), dxbc, program, machine }
}

/** Short runs are repeated for at least this long, so that code is compiled before it counts. */
const LEAST_MILLISECONDS = 400

async function milliseconds(work) {
  await work()
  return leastProcessorTime(work, RUNS, LEAST_MILLISECONDS)
}

function readJob(h, name) {
  const description = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))
  const bytes = new Uint8Array(readFileSync(join(folder, description.shader)))
  const chunk = h.dxbc.findCodeChunk(valueOrThrow(h.dxbc.readDxbc(bytes)))
  const loaded = valueOrThrow(h.engine.load(valueOrThrow(h.program.decodeProgram(chunk.data))))
  return { description, loaded, ...prepare(h.machine, description) }
}

/** Work by name: the dispatch without observers, without detectors, and with each set of them. */
function checkWork(h, name) {
  const { description, loaded, bindings, reset } = readJob(h, name)
  const groups = description.dispatch
  const job = { engine: h.engine, loaded, bindings, groups, facts: {} }
  const plain = () => {
    reset()
    return h.engine.dispatch(loaded, bindings, groups)
  }
  const checked = (detectors) => () => {
    reset()
    return h.check.checkJob(job, detectors === undefined ? {} : { detectors: detectors.map((d) => h.spelling(d)) })
  }
  return [['plain', plain], ['watched', checked([])], ...SETS.map(([set, detectors]) => [set, checked(detectors)])]
}

async function costs(h, name) {
  const [[, plainWork], ...sets] = checkWork(h, name)
  const plain = await milliseconds(plainWork)
  const cells = []
  for (const [, work] of sets) cells.push(((await milliseconds(work)) / plain).toFixed(2))
  return { plain, cells }
}

/** Work that a comparison measures: each small kernel with each set of detectors. */
export async function checkCases(from) {
  const h = await load(from)
  return chosenKernels().flatMap((kernel) =>
    checkWork(h, kernel).map(([set, work]) => ({ name: `${kernel.split('.')[0]} ${set}`, work })),
  )
}

/** 512 bodies, each with 512: the job that the peer was measured with. */
async function nbody(h) {
  const { description, loaded } = readJob(h, 'nbody.small')
  const wanted = 512
  const data = new Float32Array(wanted * 4)
  for (let i = 0; i < data.length; i++) data[i] = ((i * 2654435761) % 1000) / 500 - 1
  const buffer = () => valueOrThrow(h.machine.createBuffer({ data, stride: 16 }))
  const words = new Uint32Array(description.resources.find((r) => r.slot === 'b0').words)
  words[0] = wanted
  const bindings = valueOrThrow(
    h.machine.resolveBindings({
      t0: h.machine.createSrv(buffer()),
      t1: h.machine.createSrv(buffer()),
      u0: h.machine.createUav(buffer()),
      u1: h.machine.createUav(buffer()),
      b0: h.machine.createCbv(words),
    }),
  )
  const groups = [wanted / 64, 1, 1]
  const plain = await milliseconds(async () => h.engine.dispatch(loaded, bindings, groups))
  const checked = await milliseconds(() => h.check.checkJob({ engine: h.engine, loaded, bindings, groups, facts: {} }))
  const rate = (ms) => (wanted * wanted) / ms / 1000
  console.log(`\nn-body ${wanted} x ${wanted}, one thread, millions of interactions a second`)
  console.log(`  plain   ${rate(plain).toFixed(2)}   (Oclgrind, two threads: ${OCLGRIND.plain})`)
  console.log(`  checked ${rate(checked).toFixed(2)}   (Oclgrind with races and uninitialized: ${OCLGRIND.checked})`)
}

/** Shadow memory of a UAV of 64 MiB, every dword written, and read and written. */
async function memory(h, from) {
  const { parseProgram } = await from('asm/index')
  const byteLength = 2 ** 26
  const buffer = valueOrThrow(h.machine.createBuffer({ byteLength }))
  const bindings = { u0: valueOrThrow(h.machine.createUav(buffer, { raw: true })) }
  const text = (body) => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadID.x
dcl_temps 2
dcl_thread_group 1024, 1, 1
ishl r0.x, vThreadID.x, l(4)
${body}
ret`
  const bodies = {
    written: 'store_raw u0.xyzw, r0.x, l(1,2,3,4)',
    'read and written':
      'ld_raw r1.xyzw, r0.x, u0.xyzw\niadd r1.xyzw, r1.xyzw, l(1,1,1,1)\nstore_raw u0.xyzw, r0.x, r1.xyzw',
  }
  console.log('\nshadow memory of a UAV of 64 MiB, bytes a byte')
  for (const [name, body] of Object.entries(bodies)) {
    const loaded = valueOrThrow(h.engine.load(valueOrThrow(parseProgram(text(body)))))
    const start = performance.now()
    const report = await h.check.check(h.engine, loaded, bindings, [byteLength / 16 / 1024, 1, 1])
    const seconds = (performance.now() - start) / 1000
    const { shadowByteLength } = report.stats
    const partial = report.partial === undefined ? '' : `, partial: ${report.partial}`
    console.log(
      `  ${name.padEnd(18)} ${(shadowByteLength / byteLength).toFixed(2)}   (${seconds.toFixed(1)} s${partial})`,
    )
  }
}

function chosenKernels() {
  const names = readdirSync(folder).flatMap((f) =>
    f.endsWith('.small.json') ? [f.slice(0, -'.small.json'.length)] : [],
  )
  const chosen = namesVariable('HEDDLE_BENCH', names) ?? names
  return names
    .filter((name) => chosen.includes(name))
    .map((name) => `${name}.small`)
    .sort()
}

export async function run() {
  const from = builtFrom(ROOT)
  const h = await load(from)
  const heads = ['ms plain', 'watched', ...SETS.map(([name]) => name)]
  console.log('slow-down against the reference engine without observers')
  console.log(''.padEnd(22) + heads.map((c) => c.padStart(15)).join(''))
  const all = []
  for (const name of chosenKernels()) {
    const { plain, cells } = await costs(h, name)
    all.push(Number(cells.at(-1)))
    console.log(name.padEnd(22) + [plain.toFixed(1), ...cells].map((c) => c.padStart(15)).join(''))
  }
  console.log(`all detectors: median ${median(all).toFixed(2)}, worst ${Math.max(...all).toFixed(2)}`)
  await nbody(h)
  await memory(h, from)
}
