// Bad input through every entry point: mutated files and texts, floods, nests and chains, run descriptions. No call may throw
// anything but a ShaderError, take longer than its limit, or need more memory than its limit.
// Usage: node scripts/fuzz.mjs [--cases 100000] [--seed N] [--seconds 2] [--jobs N] [--only SEED] [--keep-going] [--build FOLDER]
// Needs the build. Without --seed a fresh one is drawn and printed. Blocks of cases run in as many processes as --jobs says,
// one a processor by default. A failure prints its seed; `--only` runs that case again.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { numberVariable } from '../bench/variables.mjs'
import { inputOf } from './fuzz-inputs.mjs'

/** Seconds that a call may take; --seconds. The aim is 2; a machine that others share needs more. */
const SECONDS_PER_CALL = numberVariable('HEDDLE_FUZZ_SECONDS', 2, { least: 0.001, isWhole: false })
const HEAP_MEGABYTES = 800
/** Resident memory of a process that runs one case after another. */
const MAX_MEGABYTES = 1024
const CASES_PER_PROCESS = 2500
const WATCHDOG_SECONDS = 120

function corpus() {
  const folder = fileURLToPath(new URL('../test/corpus/', import.meta.url))
  const paths = readdirSync(folder, { recursive: true }).map((p) => join(folder, p))
  const read = (ending) =>
    paths
      .filter((p) => p.endsWith(ending))
      .sort()
      .map((p) => new Uint8Array(readFileSync(p)))
  const binaries = read('.dxbc')
  if (binaries.length === 0) throw new Error('no corpus to mutate')
  return { binaries, listings: read('.asm').map((b) => Buffer.from(b).toString('latin1')) }
}

/** What a dispatch and a check of an input may take: large programs run longer. */
function limitsOf({ size }) {
  const dispatch = { maxInstructionsPerThread: size === 'small' ? 200 : 2000 }
  return { dispatch, check: { ...dispatch, maxMilliseconds: 500, maxShadowByteLength: 1 << 26 } }
}

/** Cases that share a device and what is bound: to make them costs more than a small case. */
const CASES_PER_DEVICE = 100
const ENGINES = ['reference', 'wasm']

/** Something for each slot that the shaders of the corpus and of the generator name first. */
function bindingsOn(device, { cbv, sampler, srv, uav }) {
  const texture = device.createTexture({
    dimension: 'texturecube',
    format: 'R8G8B8A8_UNORM',
    width: 8,
    height: 8,
    mipLevels: 0,
  })
  const structured = device.createBuffer({ byteLength: 4096, stride: 4 })
  const raw = device.createBuffer({ byteLength: 4096 })
  const bindings = {
    u0: uav(structured),
    u1: uav(raw, { raw: true }),
    t0: srv(texture),
    s0: sampler({ filter: 'ANISOTROPIC', maxAnisotropy: 16 }),
    b0: cbv(new Uint32Array(64)),
  }
  const clear = () => [structured, raw].forEach((buffer) => void buffer.write(new Uint32Array(1024)))
  return { bindings, clear }
}

/** A device of each engine with what is bound, made anew after a number of cases; buffers are zeros for each case. */
class Devices {
  #cases = 0
  #made = []
  #lib

  constructor(lib) {
    this.#lib = lib
  }

  next() {
    if (this.#cases++ % CASES_PER_DEVICE === 0) {
      for (const { device } of this.#made) device.dispose()
      this.#made = ENGINES.map((engine) => {
        const device = new this.#lib.heddle.Device({ engine, threads: 1 })
        return { engine, device, ...bindingsOn(device, this.#lib.heddle) }
      })
    }
    for (const { clear } of this.#made) clear()
    return this.#made
  }
}

/** Every entry point, by name, for an input: a call a step, each of which is timed. */
async function* callsOf(input, { heddle, dxbc, parseJob }, devices) {
  if (input.job !== undefined) {
    yield ['parseJob', () => parseJob(input.job)]
    return
  }
  let { bytes } = input
  if (input.text !== undefined) {
    yield ['assemble', () => void (bytes = heddle.assemble(input.text).value)]
    if (bytes === undefined) return
  }
  let lossless
  yield ['readDxbc', () => heddle.readDxbc(bytes)]
  yield [
    'decodeChunks',
    () => {
      const container = heddle.readDxbc(bytes).value
      if (container === undefined) return
      heddle.writeDxbc(container)
      for (const content of dxbc.decodeChunks(container).contents) dxbc.encodeChunk(content)
    },
  ]
  yield [
    'reflect',
    () => {
      const container = heddle.readDxbc(bytes).value
      if (container !== undefined) heddle.reflect(container)
    },
  ]
  yield [
    'decodeProgram',
    () => {
      const container = heddle.readDxbc(bytes).value
      const code = container && heddle.findCodeChunk(container)
      const program = code && heddle.decodeProgram(code.data).value
      if (program !== undefined) heddle.encodeProgram(program)
    },
  ]
  yield ['disassemble', () => heddle.disassemble(bytes)]
  yield ['disassemble lossless', () => void (lossless = heddle.disassemble(bytes, { dialect: 'lossless' }))]
  if (lossless !== undefined && input.text === undefined) yield ['assemble lossless', () => heddle.assemble(lossless)]
  yield ['validate', () => heddle.validate(bytes)]
  if (!input.runs) return
  const limits = limitsOf(input)
  for (const { engine, device, bindings } of devices.next()) {
    let shader
    yield [`createShader ${engine}`, () => void (shader = device.createShader(bytes))]
    if (shader === undefined) continue
    let used = {}
    yield [
      `dispatch of nothing ${engine}`,
      async () => {
        const { stopped } = await device.tryDispatch(shader, bindings, [0, 0, 0], limits.dispatch)
        if (stopped !== 'refused') used = bindings
      },
    ]
    yield [`dispatch ${engine}`, () => device.tryDispatch(shader, used, [1, 1, 1], limits.dispatch)]
    if (engine === 'reference') yield ['check', () => heddle.check(device, bytes, used, [1, 1, 1], limits.check)]
  }
}

async function library(folder) {
  const load = (path) => import(pathToFileURL(join(folder, 'dist', path)).href)
  const jobs = existsSync(join(folder, 'dist/job/index.js')) ? 'job/index.js' : 'cli/job/index.js'
  return { heddle: await load('index.js'), dxbc: await load('dxbc/index.js'), parseJob: (await load(jobs)).parseJob }
}

async function runOnce(call, lib) {
  try {
    await call()
  } catch (e) {
    if (!(e instanceof lib.heddle.ShaderError)) throw e
  }
}

/** Milliseconds of a call: of the clock, or where these are too many, of the processor, since others may use it too. */
async function measured(call, lib) {
  const start = performance.now()
  await runOnce(call, lib)
  let milliseconds = performance.now() - start
  // One measurement says little: what counts is whether the call can be quicker.
  for (let again = 0; again < 2 && milliseconds > SECONDS_PER_CALL * 1000; again++) {
    const cpu = process.cpuUsage()
    await runOnce(call, lib)
    const { user, system } = process.cpuUsage(cpu)
    milliseconds = Math.min(milliseconds, (user + system) / 1000)
  }
  return milliseconds
}

/** Runs all calls of a case; the longest of them in milliseconds. */
async function runCase(seed, files, lib, devices) {
  let longest = 0
  for await (const [name, call] of callsOf(inputOf(seed, lib, files), lib, devices)) {
    let milliseconds
    try {
      milliseconds = await measured(call, lib)
    } catch (e) {
      throw new Error(`${name}: ${e.stack}`)
    }
    if (milliseconds > SECONDS_PER_CALL * 1000) throw new Error(`${name} took ${Math.round(milliseconds)} ms`)
    longest = Math.max(longest, milliseconds)
  }
  return longest
}

/** Calls that take less need little memory. */
const QUICK_MILLISECONDS = 20

/** Megabytes that were resident at most, and milliseconds of the processor. */
function usage() {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  return ` ${Math.round(maxRSS / 1024)} ${Math.round((userCPUTime + systemCPUTime) / 1000)}`
}

/** The cases of a block, in a process of their own; each is announced before it runs, and its cost reported after. */
async function work({ first, count, folder }) {
  const files = corpus()
  const lib = await library(folder)
  const devices = new Devices(lib)
  for (let n = 0; n < count; n++) {
    const seed = first + n
    // Written at once: a process that the engine's compiler ends leaves the seed behind.
    writeSync(1, `start ${n} ${seed}\n`)
    const milliseconds = Math.ceil(await runCase(seed, files, lib, devices))
    // The most that was ever resident: to ask after every small case would cost more than some of them.
    const asks = milliseconds > QUICK_MILLISECONDS || n % 10 === 0 || n === count - 1
    writeSync(1, `end ${n} ${milliseconds}${asks ? usage() : ''}\n`)
  }
}

/** Runs a block of cases in a process of bounded memory; how far it came, and why it ended where a case failed. */
function block(first, count, folder) {
  const result = { failure: undefined, seed: first, done: 0, slowest: 0, slowestSeed: first, megabytes: 0, used: 0 }
  return new Promise((resolve) => {
    const flags = [`--max-old-space-size=${HEAP_MEGABYTES}`, fileURLToPath(import.meta.url)]
    const child = spawn(process.execPath, [...flags, '--block', JSON.stringify({ first, count, folder })])
    let [since, rest, errors] = [Date.now(), '', '']
    const watch = setInterval(() => {
      if (Date.now() - since <= WATCHDOG_SECONDS * 1000) return
      result.failure = 'hangs'
      child.kill('SIGKILL')
    }, 500)
    const line = (text) => {
      since = Date.now()
      const [what, ...numbers] = text.split(' ')
      const [n, a, b, used] = numbers.map(Number)
      if (what === 'start') result.seed = a
      if (what !== 'end') return
      result.done = n + 1
      if (a > result.slowest) [result.slowest, result.slowestSeed] = [a, result.seed]
      if (b === undefined) return
      result.used = used
      if (b > MAX_MEGABYTES && result.failure === undefined) {
        result.failure = `${b} MB resident`
        child.kill('SIGKILL')
      } else result.megabytes = Math.max(result.megabytes, b)
    }
    child.stdout.on('data', (data) => {
      const lines = (rest + data).split('\n')
      rest = lines.pop()
      for (const text of lines) line(text)
    })
    child.stderr.on('data', (data) => void (errors = (errors + data).slice(0, 4000)))
    child.on('close', (code, signal) => {
      clearInterval(watch)
      if (code !== 0 && result.failure === undefined) {
        result.failure = `the process ended with ${signal ?? code}\n${errors.trim()}`
        result.done++
      } else if (result.failure === 'hangs') result.done++
      resolve(result)
    })
  })
}

/** Runs a block to its end: where one of its cases fails, in a process anew from the next one on. */
async function wholeBlock(first, count, totals, { folder, keepGoing }) {
  for (let done = 0; done < count; ) {
    let result = await block(first + done, count - done, folder)
    done += result.done
    totals.used += result.used
    // What earlier cases left behind may weigh in a process: a case fails by its memory if it does so alone.
    if (result.failure?.endsWith('resident') && result.done > 1) result = await block(result.seed, 1, folder)
    if (result.slowest > totals.slowest) {
      totals.slowest = result.slowest
      totals.slowestSeed = result.slowestSeed
    }
    totals.megabytes = Math.max(totals.megabytes, result.megabytes)
    if (result.failure === undefined) continue
    totals.failures++
    console.error(`FAILED seed ${result.seed}: ${result.failure}\nagain: node scripts/fuzz.mjs --only ${result.seed}`)
    if (!keepGoing) process.exit(1)
  }
}

async function main() {
  const { values } = parseArgs({
    options: {
      cases: { type: 'string', default: '100000' },
      seed: { type: 'string' },
      only: { type: 'string' },
      seconds: { type: 'string', default: '2' },
      jobs: { type: 'string' },
      build: { type: 'string', default: fileURLToPath(new URL('..', import.meta.url)) },
      'keep-going': { type: 'boolean', default: false },
    },
  })
  const first = Number(values.only ?? values.seed ?? Math.floor(Math.random() * 2 ** 31))
  const cases = values.only === undefined ? Number(values.cases) : 1
  const jobs = Math.max(1, Number(values.jobs ?? availableParallelism()))
  const how = { folder: resolve(values.build), keepGoing: values['keep-going'] }
  // Read by the processes of the blocks.
  process.env.HEDDLE_FUZZ_SECONDS = values.seconds
  console.log(`${cases} cases from seed ${first}`)
  const totals = { slowest: 0, slowestSeed: first, failures: 0, megabytes: 0, used: 0 }
  const perBlock = Math.min(CASES_PER_PROCESS, Math.ceil(cases / jobs))
  let begun = 0
  const runBlocks = async () => {
    while (begun < cases) {
      const at = begun
      begun += perBlock
      await wholeBlock(first + at, Math.min(perBlock, cases - at), totals, how)
    }
  }
  await Promise.all(Array.from({ length: jobs }, runBlocks))
  const slowest = `slowest call ${totals.slowest} ms (seed ${totals.slowestSeed})`
  const mean = `${(totals.used / cases).toFixed(1)} ms of the processor a case`
  console.log(
    `${cases} inputs: ${totals.failures} failures, ${slowest}, at most ${totals.megabytes} MB resident, ${mean}`,
  )
  if (totals.failures > 0) process.exit(1)
}

const blockAt = process.argv.indexOf('--block')
if (blockAt > 0) await work(JSON.parse(process.argv[blockAt + 1]))
else await main()
