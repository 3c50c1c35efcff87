// Bad input through every entry point: mutated files and texts, floods, nests and chains, run descriptions. No call may throw
// anything but a ShaderError, take longer than its limit, or need more memory than its limit.
// Usage: node scripts/fuzz.mjs [--cases 100000] [--seed N] [--seconds 2] [--only SEED] [--keep-going] [--build FOLDER]
// Needs the build. Without --seed a fresh one is drawn and printed. A failure prints its seed; `--only` runs that case again.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { inputOf } from './fuzz-inputs.mjs'

/** Seconds that a call may take; --seconds. The aim is 2; a machine that others share needs more. */
const SECONDS_PER_CALL = Number(process.env.HEDDLE_FUZZ_SECONDS ?? 2)
const HEAP_MEGABYTES = 800
/** Resident memory of a process that runs one case after another. */
const MOST_MEGABYTES = 1024
const CASES_PER_PROCESS = 1000
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

const LIMITS = { maxInstructionsPerThread: 2000 }
const CHECK_LIMITS = { ...LIMITS, maxMilliseconds: 500, maxShadowByteLength: 1 << 26 }

/** Something for each slot that the shaders of the corpus and of the generator name first. */
function bindingsOn(device, { cbv, sampler, srv, uav }) {
  const texture = device.createTexture({
    dimension: 'texturecube',
    format: 'R8G8B8A8_UNORM',
    width: 8,
    height: 8,
    mipLevels: 0,
  })
  return {
    u0: uav(device.createBuffer({ byteLength: 4096, stride: 4 })),
    u1: uav(device.createBuffer({ byteLength: 4096 }), { raw: true }),
    t0: srv(texture),
    s0: sampler({ filter: 'ANISOTROPIC', maxAnisotropy: 16 }),
    b0: cbv(new Uint32Array(64)),
  }
}

/** Every entry point, by name, for an input: a call a step, each of which is timed. */
async function* callsOf(input, { heddle, dxbc, parseJob }) {
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
  for (const engine of ['reference', 'wasm']) {
    const device = new heddle.Device({ engine, threads: 1 })
    const bindings = bindingsOn(device, heddle)
    let shader
    yield [`createShader ${engine}`, () => void (shader = device.createShader(bytes))]
    if (shader === undefined) continue
    const used = device.tryDispatch(shader, bindings, [0, 0, 0], LIMITS)
    const isUsable = (await used).stopped !== 'refused'
    yield [`dispatch ${engine}`, () => device.tryDispatch(shader, isUsable ? bindings : {}, [1, 1, 1], LIMITS)]
    if (engine === 'reference')
      yield ['check', () => heddle.check(device, bytes, isUsable ? bindings : {}, [1, 1, 1], CHECK_LIMITS)]
    device.dispose()
  }
}

async function library(folder) {
  const load = (path) => import(pathToFileURL(join(folder, 'dist', path)).href)
  const jobs = existsSync(join(folder, 'dist/job/index.js')) ? 'job/index.js' : 'cli/job/index.js'
  return { heddle: await load('index.js'), dxbc: await load('dxbc/index.js'), parseJob: (await load(jobs)).parseJob }
}

async function runOnce(call, lib) {
  const start = performance.now()
  const cpu = process.cpuUsage()
  try {
    await call()
  } catch (e) {
    if (!(e instanceof lib.heddle.ShaderError)) throw e
  }
  const { user, system } = process.cpuUsage(cpu)
  // Waiting for a busy machine is no fault of the call.
  return Math.min(performance.now() - start, (user + system) / 1000)
}

/** Runs all calls of a case; the longest of them in milliseconds. */
async function runCase(seed, files, lib) {
  let longest = 0
  for await (const [name, call] of callsOf(inputOf(seed, lib, files), lib)) {
    let milliseconds
    try {
      milliseconds = await runOnce(call, lib)
      // On a busy machine one measurement says little: what counts is whether the call can be quicker.
      for (let again = 0; again < 2 && milliseconds > SECONDS_PER_CALL * 1000; again++) {
        milliseconds = Math.min(milliseconds, await runOnce(call, lib))
      }
    } catch (e) {
      throw new Error(`${name}: ${e.stack}`)
    }
    if (milliseconds > SECONDS_PER_CALL * 1000) throw new Error(`${name} took ${Math.round(milliseconds)} ms`)
    longest = Math.max(longest, milliseconds)
  }
  return longest
}

/** The cases of a block, in a process of their own; each is announced before it runs, and its cost reported after. */
async function work({ first, count, folder }) {
  const files = corpus()
  const lib = await library(folder)
  for (let n = 0; n < count; n++) {
    const seed = first + n
    // Written at once: a process that the engine's compiler ends leaves the seed behind.
    writeSync(1, `start ${n} ${seed}\n`)
    const milliseconds = Math.ceil(await runCase(seed, files, lib))
    writeSync(1, `end ${n} ${milliseconds} ${Math.round(process.resourceUsage().maxRSS / 1024)}\n`)
  }
}

/** Runs a block of cases in a process of bounded memory; how far it came, and why it ended where a case failed. */
function block(first, count, folder) {
  const result = { failure: undefined, seed: first, done: 0, slowest: 0, slowestSeed: first, megabytes: 0 }
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
      const [n, a, b] = numbers.map(Number)
      if (what === 'start') result.seed = a
      if (what !== 'end') return
      result.done = n + 1
      if (a > result.slowest) [result.slowest, result.slowestSeed] = [a, result.seed]
      if (b > MOST_MEGABYTES && result.failure === undefined) {
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

async function main() {
  const { values } = parseArgs({
    options: {
      cases: { type: 'string', default: '100000' },
      seed: { type: 'string' },
      only: { type: 'string' },
      seconds: { type: 'string', default: '2' },
      build: { type: 'string', default: fileURLToPath(new URL('..', import.meta.url)) },
      'keep-going': { type: 'boolean', default: false },
    },
  })
  const first = Number(values.only ?? values.seed ?? Math.floor(Math.random() * 2 ** 31))
  const cases = values.only === undefined ? Number(values.cases) : 1
  const folder = resolve(values.build)
  // Read by the processes of the blocks.
  process.env.HEDDLE_FUZZ_SECONDS = values.seconds
  console.log(`${cases} cases from seed ${first}`)
  let [slowest, slowestSeed, failures, memory] = [0, 0, 0, 0]
  for (let done = 0; done < cases; ) {
    let result = await block(first + done, Math.min(CASES_PER_PROCESS, cases - done), folder)
    done += result.done
    // What earlier cases left behind may weigh in a process: a case fails by its memory if it does so alone.
    if (result.failure?.endsWith('resident') && result.done > 1) result = await block(result.seed, 1, folder)
    if (result.slowest > slowest) [slowest, slowestSeed] = [result.slowest, result.slowestSeed]
    memory = Math.max(memory, result.megabytes)
    if (result.failure === undefined) continue
    failures++
    console.error(`FAILED seed ${result.seed}: ${result.failure}\nagain: node scripts/fuzz.mjs --only ${result.seed}`)
    if (!values['keep-going']) process.exit(1)
  }
  console.log(
    `${cases} inputs: ${failures} failures, slowest call ${slowest} ms (seed ${slowestSeed}), at most ${memory} MB resident`,
  )
  if (failures > 0) process.exit(1)
}

const blockAt = process.argv.indexOf('--block')
if (blockAt > 0) await work(JSON.parse(process.argv[blockAt + 1]))
else await main()
