// Reading, listing and assembling the corpus, repeated to tens of megabytes, on one thread.
import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { builtFrom, filesBelow, median, ROOT, timings } from './measure.mjs'

const AIM = { decode: 80, listing: 25, assemble: 15, start: 150 }
const REPEAT = 16

/** The shaders of the corpus that fxc made. */
export const corpus = (root) => filesBelow('corpus', '.dxbc', root).filter((f) => !f.path.includes('/synthetic/'))

/** What is measured: `work` reads or writes all of the shaders once, `megabytes` is what the rate counts. */
export async function languageCases(from, shaders) {
  const { findCodeChunk } = await from('dxbc/index')
  const { assemble, decodeProgram, disassemble, encodeProgram, readDxbc, validate } = await from('index')
  const chunks = shaders.map((s) => findCodeChunk(readDxbc(s.bytes).value).data)
  const listings = shaders.map((s) => disassemble(s.bytes))
  const programs = chunks.map((c) => decodeProgram(c).value)
  const megabytes = (parts) => parts.reduce((n, p) => n + p.length, 0) / 1e6
  const code = megabytes(chunks)
  const text = megabytes(listings)
  const input = megabytes(shaders.map((s) => s.bytes))
  const each = (items, work) => () => {
    for (const item of items) work(item)
  }
  const lossless = (s) => disassemble(s.bytes, { dialect: 'lossless' })
  return [
    { name: 'decode code chunks', megabytes: code, work: each(chunks, decodeProgram), aim: AIM.decode },
    { name: 'encode code chunks', megabytes: code, work: each(programs, encodeProgram) },
    {
      name: 'list whole shaders (fxc), text',
      megabytes: text,
      work: each(shaders, (s) => disassemble(s.bytes)),
      aim: AIM.listing,
    },
    { name: 'list whole shaders (lossless), input', megabytes: input, work: each(shaders, lossless) },
    {
      name: 'assemble whole listings, text',
      megabytes: text,
      work: each(listings, (l) => assemble(l)),
      aim: AIM.assemble,
    },
    { name: 'validate, input', megabytes: input, work: each(shaders, (s) => validate(s.bytes)) },
  ]
}

function printRate({ name, megabytes, work, aim }) {
  const repeated = () => {
    for (let i = 0; i < REPEAT; i++) work()
  }
  const rate = (megabytes * REPEAT) / (median(timings(repeated)) / 1000)
  console.log(`${name.padEnd(44)} ${rate.toFixed(1).padStart(8)} MB/s${aim === undefined ? '' : `   (aim ${aim})`}`)
}

export const commandLine = (root) => join(root, 'dist', 'bin', 'main.js')

/** Milliseconds until Node with these arguments has printed its first line. */
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
  const shaders = corpus(ROOT)
  const cases = await languageCases(builtFrom(ROOT), shaders)
  console.log(`${shaders.length} shaders, ${REPEAT} times`)
  for (const c of cases) printRate(c)
  const start = []
  for (let i = 0; i < 9; i++) start.push(await firstLine([commandLine(ROOT), 'dis', shaders[0].path]))
  const bare = timings(() => execFileSync(process.execPath, ['-e', '0']), 5, 1)
  console.log(
    `first line of heddle dis: median ${median(start).toFixed(0)} ms (aim ${AIM.start}); Node alone ${median(bare).toFixed(0)} ms`,
  )
}
