// Reading, listing and assembling the corpus, repeated to tens of megabytes, on one thread.
import { execFileSync, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { findCodeChunk } from '../dist/dxbc/index.js'
import { assemble, decodeProgram, disassemble, encodeProgram, readDxbc, validate } from '../dist/index.js'
import { filesBelow, median, timings } from './measure.mjs'

const AIM = { decode: 80, listing: 25, assemble: 15, start: 150 }
const REPEAT = 16

function rate(title, megabytes, work, aim) {
  const best = megabytes / (median(timings(work)) / 1000)
  console.log(`${title.padEnd(44)} ${best.toFixed(1).padStart(8)} MB/s${aim === undefined ? '' : `   (aim ${aim})`}`)
}

/** Milliseconds until the command line has printed its first line. */
function firstLine(args) {
  return new Promise((resolve) => {
    const start = performance.now()
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    child.stdout.once('data', () => {
      resolve(performance.now() - start)
      child.stdout.resume()
    })
  })
}

export async function run() {
  const shaders = filesBelow('corpus', '.dxbc').filter((f) => !f.path.includes('/synthetic/'))
  const chunks = shaders.map((s) => findCodeChunk(readDxbc(s.bytes).value).data)
  const listings = shaders.map((s) => disassemble(s.bytes))
  const programs = chunks.map((c) => decodeProgram(c).value)
  const megabytes = (parts) => (parts.reduce((n, p) => n + p.length, 0) * REPEAT) / 1e6
  const repeated = (items, work) => () => {
    for (let i = 0; i < REPEAT; i++) for (const item of items) work(item)
  }
  console.log(
    `${shaders.length} shaders, ${REPEAT} times: code ${megabytes(chunks).toFixed(1)} MB, text ${megabytes(listings).toFixed(1)} MB`,
  )
  rate('decode code chunks', megabytes(chunks), repeated(chunks, decodeProgram), AIM.decode)
  rate('encode code chunks', megabytes(chunks), repeated(programs, encodeProgram))
  rate(
    'list whole shaders (fxc), text',
    megabytes(listings),
    repeated(shaders, (s) => disassemble(s.bytes)),
    AIM.listing,
  )
  rate(
    'list whole shaders (lossless), input',
    megabytes(shaders.map((s) => s.bytes)),
    repeated(shaders, (s) => disassemble(s.bytes, { dialect: 'lossless' })),
  )
  rate(
    'assemble whole listings, text',
    megabytes(listings),
    repeated(listings, (l) => assemble(l)),
    AIM.assemble,
  )
  rate(
    'validate, input',
    megabytes(shaders.map((s) => s.bytes)),
    repeated(shaders, (s) => validate(s.bytes)),
  )
  const cli = fileURLToPath(new URL('../dist/bin/main.js', import.meta.url))
  const start = []
  for (let i = 0; i < 9; i++) start.push(await firstLine([cli, 'dis', shaders[0].path]))
  const bare = timings(() => execFileSync(process.execPath, ['-e', '0']), 5, 1)
  console.log(
    `first line of heddle dis: median ${median(start).toFixed(0)} ms (aim ${AIM.start}); Node alone ${median(bare).toFixed(0)} ms`,
  )
}
