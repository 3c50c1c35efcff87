// The reference engine, one thread, no observer: thread-instructions a second on kernels of different kinds, the time of
// all small kernels together, and memory per thread.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { builtFrom, median, ROOT } from './measure.mjs'

const AIM = 10
const TIMED = ['copy', 'mandelbrot', 'nbody', 'matmul', 'bitonic', 'sha256', 'blur', 'sample', 'raymarch']
const RUNS = 7
const folder = join(ROOT, 'test', 'kernels')

async function loadModules(from) {
  const { createReferenceEngine } = await from('engine/reference/index')
  const { createHost } = await from('host/node/job-host', 'cli/job/index')
  return { createReferenceEngine, createHost, ...(await from('job/index', 'cli/job/index')) }
}

function prepare({ createReferenceEngine, createHost, parseJobText, prepareJob }, name) {
  const path = join(folder, `${name}.small.json`)
  const job = parseJobText(readFileSync(path, 'utf8'))
  const { value, diagnostics } = prepareJob(job.value, createHost({ folder: dirname(path) }), createReferenceEngine({}))
  if (value === undefined) throw new Error(diagnostics.map((d) => d.message).join('; '))
  return value
}

/** Work that a comparison measures: a dispatch of each timed kernel on the reference engine. */
export async function referenceCases(from) {
  const modules = await loadModules(from)
  const engine = modules.createReferenceEngine({})
  return TIMED.map((name) => {
    const { loaded, bindings, groups, options, resources } = prepare(modules, name)
    const restore = modules.snapshotResources(resources)
    const schedule = { waveWidth: 32, order: 'forward', groupsInFlight: 1 }
    const work = () => {
      restore()
      return engine.dispatch(loaded, bindings, groups, { ...options, schedule })
    }
    return { name, work }
  })
}

async function time(modules, engine, prepared, waveWidth) {
  const restore = modules.snapshotResources(prepared.resources)
  const schedule = { waveWidth, order: 'forward', groupsInFlight: 1 }
  const times = []
  let instructions = 0
  for (let i = 0; i < RUNS + 2; i++) {
    restore()
    const start = performance.now()
    const result = await engine.dispatch(prepared.loaded, prepared.bindings, prepared.groups, {
      ...prepared.options,
      schedule,
    })
    times.push(performance.now() - start)
    instructions = result.threadInstructionCount
  }
  return { milliseconds: median(times.slice(2)), instructions }
}

export async function run() {
  const modules = await loadModules(builtFrom(ROOT))
  memoryPerThread(modules)
  const engine = modules.createReferenceEngine({})
  console.log('kernel         M thread-instr/s, wave 32   wave 64')
  for (const name of TIMED) {
    const prepared = prepare(modules, name)
    const rates = []
    for (const width of [32, 64]) {
      const { milliseconds, instructions } = await time(modules, engine, prepared, width)
      rates.push((instructions / milliseconds / 1000).toFixed(1).padStart(9))
    }
    console.log(`${name.padEnd(14)} ${rates[0].padStart(25)} ${rates[1]}   (aim ${AIM})`)
  }
  const names = readdirSync(folder).filter((f) => f.endsWith('.small.json'))
  const start = performance.now()
  for (const file of names) {
    const prepared = prepare(modules, file.slice(0, -'.small.json'.length))
    await engine.dispatch(prepared.loaded, prepared.bindings, prepared.groups, prepared.options)
  }
  console.log(
    `all ${names.length} small kernels, prepared and run once: ${((performance.now() - start) / 1000).toFixed(1)} s (aim: under 60)`,
  )
}

/** Bytes that registers and values of a group in flight take: the growth of typed arrays while the first group runs. */
function memoryPerThread(modules) {
  const engine = modules.createReferenceEngine({})
  for (const name of ['nbody', 'raymarch']) {
    const prepared = prepare(modules, name)
    const threads = prepared.loaded.declarations.stage.threadCount
    globalThis.gc?.()
    const before = process.memoryUsage().arrayBuffers
    let most = 0
    const observer = {
      groupBegin: () => {},
      instruction: () => (most = Math.max(most, process.memoryUsage().arrayBuffers - before)),
    }
    void engine.dispatch(prepared.loaded, prepared.bindings, [1, 1, 1], { ...prepared.options, observer })
    console.log(`memory of a group in flight, ${name}: about ${Math.ceil(most / threads)} bytes a thread`)
  }
}
