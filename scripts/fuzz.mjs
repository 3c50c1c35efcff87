// Bad input: mutated containers and listings go through reading, listing, assembling and validating. None may throw
// anything but a ShaderError, take 2 seconds, or 256 MB. Usage: node scripts/fuzz.mjs [--cases 100000] [--seed 1]
// Needs the build. A failure prints its seed; `--only SEED` runs that one case again.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isMainThread, Worker, workerData } from 'node:worker_threads'

const SECONDS_PER_CASE = 2
const HEAP_MEGABYTES = 256
/** What the library, the corpus and the runtime take before any case runs. */
const BASE_MEGABYTES = 96
const CASES_PER_WORKER = 20_000

/** mulberry32: a small generator whose whole state is its seed. */
function random(seed) {
  let a = seed >>> 0
  return () => {
    a = (a + 0x6d2b79f5) >>> 0
    let t = Math.imul(a ^ (a >>> 15), a | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

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

const LIES = [0, 1, 2, 3, 0x7f, 0xff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff]

/** One to several edits of bytes: flipped bits, dwords that lie, copied and removed stretches, truncation. */
function mutateBytes(source, next) {
  let bytes = source.slice()
  const pick = (n) => Math.floor(next() * n)
  const view = () => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const edits = 1 + pick(6)
  for (let i = 0; i < edits && bytes.length > 8; i++) {
    const at = pick(bytes.length)
    const aligned = Math.min(at & ~3, (bytes.length & ~3) - 4)
    switch (pick(7)) {
      case 0:
        bytes[at] ^= 1 << pick(8)
        break
      case 1:
        view().setUint32(aligned, LIES[pick(LIES.length)], true)
        break
      case 2:
        view().setUint32(aligned, pick(bytes.length * 2), true)
        break
      case 3:
        bytes = bytes.slice(0, at)
        break
      case 4:
        bytes.copyWithin(pick(bytes.length), at, Math.min(bytes.length, at + pick(64)))
        break
      case 5: {
        // A dword that is a small multiple of another: offsets that point back, cycles.
        view().setUint32(aligned, view().getUint32(pick((bytes.length >> 2) - 1) * 4, true), true)
        break
      }
      default:
        bytes[at] = pick(256)
    }
  }
  return bytes
}

const WORDS = [
  'l(',
  ')',
  '[',
  ']',
  '{',
  '}',
  'r4294967295',
  '-',
  '|',
  '.xyzw',
  ',',
  '\n',
  'if_nz',
  'loop',
  'cb0[r0.x + ',
  '"',
  '1e999',
  'dcl_',
  '(',
  '0x',
  'é',
  '\0',
  '//',
  '.chunk',
]

/** Edits of text: characters, words, lines doubled and removed, deep nesting, truncation. */
function mutateText(source, next) {
  const pick = (n) => Math.floor(next() * n)
  let text = source
  const edits = 1 + pick(6)
  for (let i = 0; i < edits; i++) {
    const at = pick(text.length + 1)
    const word = WORDS[pick(WORDS.length)]
    switch (pick(6)) {
      case 0:
        text = text.slice(0, at) + String.fromCharCode(pick(256)) + text.slice(at + 1)
        break
      case 1:
        text = text.slice(0, at) + word + text.slice(at)
        break
      case 2:
        text = text.slice(0, at) + word.repeat(1 + pick(3000)) + text.slice(at)
        break
      case 3:
        text = text.slice(0, at)
        break
      case 4:
        text = text.slice(0, at) + text.slice(at + pick(80))
        break
      default:
        text = text.slice(0, at) + text.slice(pick(text.length + 1), pick(text.length + 1)) + text.slice(at)
    }
    if (text.length > 400_000) text = text.slice(0, 400_000)
  }
  return text
}

async function library() {
  const heddle = await import('../dist/index.js')
  const dxbc = await import('../dist/dxbc/index.js')
  const { ShaderError } = heddle
  const quietly = (work) => {
    try {
      return work()
    } catch (e) {
      if (!(e instanceof ShaderError)) throw e
      return undefined
    }
  }
  const binary = (bytes) => {
    const container = heddle.readDxbc(bytes).value
    if (container !== undefined) {
      heddle.writeDxbc(container)
      const { contents } = dxbc.decodeChunks(container)
      for (const content of contents ?? []) dxbc.encodeChunk(content)
      const code = dxbc.findCodeChunk(container)
      if (code !== undefined) {
        const program = heddle.decodeProgram(code.data).value
        if (program !== undefined) heddle.encodeProgram(program)
      }
    }
    quietly(() => heddle.disassemble(bytes))
    const lossless = quietly(() => heddle.disassemble(bytes, { dialect: 'lossless' }))
    heddle.validate(bytes)
    return lossless
  }
  const text = (t) => heddle.assemble(t)
  return { binary, text }
}

function runCase(seed, files, run) {
  const next = random(seed)
  const kind = next()
  if (kind < 0.6) {
    run.binary(mutateBytes(files.binaries[Math.floor(next() * files.binaries.length)], next))
  } else if (kind < 0.9) {
    run.text(mutateText(files.listings[Math.floor(next() * files.listings.length)], next))
  } else {
    const listing = run.binary(files.binaries[Math.floor(next() * files.binaries.length)])
    if (listing !== undefined) run.text(mutateText(listing, next))
  }
}

async function work({ first, count, progress }) {
  const files = corpus()
  const run = await library()
  const state = new Int32Array(progress)
  for (let seed = first; seed < first + count; seed++) {
    Atomics.store(state, 0, seed)
    Atomics.store(state, 1, 1)
    const start = performance.now()
    runCase(seed, files, run)
    const milliseconds = performance.now() - start
    if (milliseconds > state[2]) {
      state[2] = Math.ceil(milliseconds)
      state[3] = seed
    }
    if (milliseconds > SECONDS_PER_CASE * 1000) throw new Error(`took ${Math.round(milliseconds)} ms`)
  }
}

/** Runs a block of cases in a worker of bounded memory; resolves to an explanation where one failed. */
function block(first, count) {
  const progress = new SharedArrayBuffer(16)
  const state = new Int32Array(progress)
  return new Promise((resolve) => {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { first, count, progress },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES + BASE_MEGABYTES },
    })
    let [lastSeed, since] = [-1, Date.now()]
    const watch = setInterval(() => {
      if (state[0] !== lastSeed) [lastSeed, since] = [state[0], Date.now()]
      else if (state[1] === 1 && Date.now() - since > 10 * SECONDS_PER_CASE * 1000) finish('hangs')
    }, 500)
    const finish = (failure) => {
      clearInterval(watch)
      void worker.terminate()
      resolve({ failure: failure && `seed ${state[0]}: ${failure}`, slowest: state[2], slowestSeed: state[3] })
    }
    worker.on('error', (e) =>
      finish(e.code === 'ERR_WORKER_OUT_OF_MEMORY' ? `more than ${HEAP_MEGABYTES} MB` : e.stack),
    )
    worker.on('exit', (code) => finish(code === 0 ? undefined : `the worker ended with ${code}`))
  })
}

async function main() {
  const { values } = parseArgs({
    options: {
      cases: { type: 'string', default: '100000' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string' },
    },
  })
  const first = Number(values.only ?? values.seed)
  const cases = values.only === undefined ? Number(values.cases) : 1
  let [slowest, slowestSeed] = [0, 0]
  for (let done = 0; done < cases; done += CASES_PER_WORKER) {
    const result = await block(first + done, Math.min(CASES_PER_WORKER, cases - done))
    if (result.slowest > slowest) [slowest, slowestSeed] = [result.slowest, result.slowestSeed]
    if (result.failure !== undefined) {
      console.error(`FAILED ${result.failure}\nagain: node scripts/fuzz.mjs --only SEED`)
      process.exit(1)
    }
  }
  console.log(
    `${cases} mutated inputs: no exception, slowest ${slowest} ms (seed ${slowestSeed}), heap below ${HEAP_MEGABYTES} MB`,
  )
}

if (isMainThread) await main()
else await work(workerData)
