// The timing kernels of test/kernels on the WebAssembly engine, beside vkd3d and lavapipe in the same run where they can
// be built (peer.mjs), else beside times of them that were recorded.
// npm run bench kernels; HEDDLE_BENCH=copy,nbody for some of them, HEDDLE_THREADS=1, HEDDLE_RUNS=10;
// HEDDLE_TUNE=1 as `heddle run --tune`, HEDDLE_RECORD=file writes the figures.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { median } from './measure.mjs'
import { openPeer } from './peer.mjs'
import { tune } from './tune.mjs'
import { flagVariable, namesVariable, numbersVariable, numberVariable, textVariable } from './variables.mjs'

/** Median ms of the same dispatch, recorded once: vkd3d-shader 1.2 and Mesa 22.3.6 lavapipe, two threads, Zen 4. */
const RECORDED = {
  copy: 11.2,
  rawcopy: 20.3,
  saxpy: 10.4,
  mandelbrot: 19.5,
  nbody: 23.8,
  matmul: 222,
  reduce: 31.8,
  scan: 92,
  histogram: 12.6,
  oit: 30.9,
  bitonic: 188,
  sha256: 24.2,
  xxhash: 12.7,
  blur: 37.7,
  sample: 14.6,
  blackscholes: 23.1,
  raymarch: 126,
}

/** Kernels whose time is arithmetic, not memory. */
export const ARITHMETIC = ['mandelbrot', 'nbody', 'matmul', 'sha256', 'xxhash', 'blackscholes', 'raymarch']
export const KERNELS = Object.keys(RECORDED)
const MODES = ['keep', 'flush']

const built = new URL('../dist/', import.meta.url)
/** The build, or the sources where a loader for TypeScript runs this. */
export const from = (path) =>
  flagVariable('HEDDLE_SOURCES') || !existsSync(built) ? `../src/${path}.ts` : `../dist/${path}.js`
const folder = fileURLToPath(new URL('../test/kernels/', import.meta.url))

function initialBytes(init, byteLength) {
  const f = Math.fround
  const words = new Uint32Array(byteLength / 4)
  const floats = new Float32Array(words.buffer)
  let x = init.seed ?? 0
  for (let i = 0; i < words.length; i++) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0
    if (init.kind === 'fill-u32') words[i] = init.value
    if (init.kind === 'lcg-u32') words[i] = x
    if (init.kind === 'lcg-f32') floats[i] = f(f(init.lo) + f(f((x >>> 8) / 16777216) * f(f(init.hi) - f(init.lo))))
  }
  return new Uint8Array(words.buffer)
}

export const valueFrom = (outcome) => {
  if (outcome.value === undefined) throw new Error(outcome.diagnostics.map((d) => d.message).join('; '))
  return outcome.value
}

/** Bindings of a run, and what puts the writable resources back as they were. */
export function prepare(machine, description, memory) {
  const bindings = {}
  const writable = []
  for (const r of description.resources) {
    if (r.kind === 'cbuffer') {
      const words = new Uint32Array(Math.ceil(r.words.length / 4) * 4)
      words.set(r.words)
      bindings[r.slot] = valueFrom(machine.createCbv(words))
    } else if (r.kind === 'sampler') {
      bindings[r.slot] = valueFrom(machine.createSampler({ filter: r.filter, address: r.address }))
    } else if (r.kind === 'texture2d') {
      const { format, width, height } = r
      const texture = valueFrom(machine.createTexture({ dimension: 'texture2d', format, width, height, memory }))
      const data = initialBytes(r.init, texture.byteLength)
      texture.storage.bytes.set(data)
      bindings[r.slot] = valueFrom(r.slot.startsWith('u') ? machine.createUav(texture) : machine.createSrv(texture))
      if (r.slot.startsWith('u')) writable.push([texture.storage.bytes, data])
    } else {
      const data = initialBytes(r.init, r.size)
      const stride = r.kind === 'structured' ? { stride: r.stride } : {}
      const buffer = valueFrom(machine.createBuffer({ data, memory, ...stride }))
      const shape = r.kind === 'typed' ? { format: r.format } : r.kind === 'raw' ? { raw: true } : {}
      const counter = r.counter === undefined ? {} : { counter: 'counter', initialCount: r.counter, memory }
      if (r.slot.startsWith('u')) {
        bindings[r.slot] = valueFrom(machine.createUav(buffer, { ...shape, ...counter }))
        writable.push([buffer.storage.bytes, data])
      } else bindings[r.slot] = valueFrom(machine.createSrv(buffer, shape))
    }
  }
  const reset = () => {
    for (const [bytes, data] of writable) bytes.set(data)
  }
  return { bindings: valueFrom(machine.resolveBindings(bindings)), reset }
}

export function readKernel(name) {
  const description = JSON.parse(readFileSync(`${folder}${name}.json`, 'utf8'))
  return { description, bytes: new Uint8Array(readFileSync(`${folder}${description.shader}`)) }
}

export async function loadModules(load = (path) => import(from(path))) {
  return {
    machine: await load('machine/index'),
    dxbc: await load('dxbc/index'),
    program: await load('program/index'),
    wasm: await load('engine/wasm/index'),
  }
}

/** An engine of its own with the kernel's code made for what is bound. */
async function readyKernel({ machine, dxbc, program, wasm }, name, { threads, width, pairs, denormals }) {
  const { description, bytes } = readKernel(name)
  const engine = wasm.createWasmEngineWith({ threads, width, pairs, startNow: true })
  const { bindings, reset } = prepare(machine, description, engine.memory)
  const begin = performance.now()
  const code = dxbc.findCodeChunk(dxbc.readDxbcOrThrow(bytes)).data
  const shader = valueFrom(engine.load(program.decodeProgramOrThrow(code), { denormals }))
  // A dispatch of no groups makes the code for what is bound and runs nothing.
  await engine.dispatch(shader, bindings, [0, 1, 1])
  const compile = performance.now() - begin
  return {
    engine,
    description,
    reset,
    compile,
    dispatch: () => engine.dispatch(shader, bindings, description.dispatch),
  }
}

export async function measureKernel(modules, name, options) {
  const { engine, description, reset, compile, dispatch } = await readyKernel(modules, name, options)
  const times = []
  let first
  for (let i = -options.warmups; i < options.runs; i++) {
    if (description.reset) reset()
    const start = clock()
    const result = await dispatch()
    const ms = clock() - start
    if (result.stopped !== undefined) throw new Error(`${name} stopped: ${result.stopped}`)
    first ??= ms
    if (i >= 0) times.push(ms)
  }
  engine.dispose?.()
  return { compile, first, median: median(times), least: Math.min(...times) }
}

/** Work that a comparison measures: one dispatch of each kernel on one thread, in both modes. One is ready at a time. */
export async function* kernelCases(from) {
  const modules = await loadModules(from)
  for (const name of KERNELS) {
    for (const denormals of ['keep', 'flush']) {
      const { engine, dispatch, description, reset } = await readyKernel(modules, name, { threads: 1, denormals })
      const work = () => {
        if (description.reset) reset()
        return dispatch()
      }
      yield { name: `${name} ${denormals}`, work }
      engine.dispose?.()
    }
  }
}

/** Milliseconds; with HEDDLE_CPU=1 those of the processor, for one thread on a machine that others use too. */
function clock() {
  if (!flagVariable('HEDDLE_CPU')) return performance.now()
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

export const geometricMean = (values) => Math.exp(values.reduce((sum, v) => sum + Math.log(v), 0) / values.length)
export const cell = (text, width) => String(text).padStart(width)

/** The peer's times: of this run with as many threads as the column, or those that were recorded, with two. */
function peerTimes() {
  const { time, reason } = openPeer()
  if (time !== undefined) {
    console.log('vkd3d and lavapipe: measured in this run, each column against as many threads of them\n')
    return { source: 'this run', of: (name, threads, runs) => time(`${folder}${name}.json`, threads, runs).median }
  }
  console.log(`vkd3d and lavapipe were not run: ${reason}`)
  console.log('their times, and so the ratios, are RECORDED: two threads, another hour, perhaps another machine\n')
  return { source: 'recorded', of: (name) => RECORDED[name] }
}

/** A line of the table, and what is kept of it. */
async function measureLine(name, columns, peer, options) {
  const theirs = new Map([...new Set(columns.map((c) => c.threads))].map((t) => [t, peer.of(name, t, options.runs)]))
  const record = {}
  let line = name.padEnd(13)
  let last
  for (const c of columns) {
    last = await measureKernel(options.modules, name, { ...options, ...c })
    const lavapipe = theirs.get(c.threads)
    const ratio = lavapipe / last.median
    record[`${c.denormals} ${c.threads}T`] = { ...last, lavapipe, ratio }
    line += cell(lavapipe.toFixed(1), 10) + cell(last.median.toFixed(2), 10) + cell(ratio.toFixed(2), 7)
  }
  return { record, line: line + cell(last.compile.toFixed(1), 9) + cell(last.first.toFixed(1), 8) }
}

export async function run() {
  const pairs = await tune()
  const modules = await loadModules()
  const chosen = namesVariable('HEDDLE_BENCH', KERNELS)
  const names = KERNELS.filter((n) => chosen === undefined || chosen.includes(n))
  const threads = numbersVariable('HEDDLE_THREADS', [1, 2])
  const modes = namesVariable('HEDDLE_MODES', MODES) ?? MODES
  const runs = numberVariable('HEDDLE_RUNS', 10)
  const width = numberVariable('HEDDLE_WIDTH', undefined, { least: 4, most: 64 })
  const columns = threads.flatMap((t) => modes.map((denormals) => ({ threads: t, denormals })))
  const peer = peerTimes()
  const heads = columns.map((c) => `${c.denormals} ${c.threads}T`)
  const titles = heads.map((h) => cell('lavapipe', 10) + cell(h, 10) + cell('ratio', 7)).join('')
  console.log(`${'kernel'.padEnd(13)}${titles}${cell('compile', 9)}${cell('first', 8)}`)
  const kernels = {}
  for (const name of names) {
    if (!readdirSync(folder).includes(`${name}.json`)) continue
    const { record, line } = await measureLine(name, columns, peer, { modules, runs, warmups: 5, width, pairs })
    kernels[name] = record
    console.log(line)
  }
  const meanOf = (head) => geometricMean(Object.values(kernels).map((k) => k[head].ratio))
  console.log(`${'geomean'.padEnd(13)}${heads.map((h) => cell('', 20) + cell(meanOf(h).toFixed(2), 7)).join('')}`)
  const file = textVariable('HEDDLE_RECORD')
  if (file !== undefined) {
    const about = { node: process.version, v8: process.versions.v8, runs, tuned: pairs, peer: peer.source }
    writeFileSync(file, `${JSON.stringify({ about, kernels }, null, 1)}\n`)
  }
}
