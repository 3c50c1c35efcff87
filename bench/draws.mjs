// The full scenes of test/draws, a frame at a time: with compiled shaders on one thread and on two, exact and fast, and on the reference engine, the first
// frame, which is cold, and the median of those that come when it is warm (after 8 s of frames, when V8 optimizes little more: up to 60 of them, or 4 s), triangles and pixel
// invocations a second, and where the time goes by part of the house (samples of V8's profiler in one frame that does not count); beside vkd3d and lavapipe in the same run where they can be built (peer.mjs).
// npm run bench -- draws; HEDDLE_BENCH=grid,tess for some of them (small: draws of one triangle, one after the other;
// growth: with triangles and pixels, memory; compile: each pipeline's time; turns: one thread against two; cancel: how soon a canceled draw ends; held: how long the first frames hold the host),
// HEDDLE_ENGINE=compiled (two, fast, fast-two, reference) for one, HEDDLE_SMALL=1 for the small frames, HEDDLE_SECONDS=60 to stop each frame after that long,
// HEDDLE_TUNE=1 as `heddle run --tune`, HEDDLE_RECORD=file writes the figures.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runCancel } from './cancel-draws.mjs'
import { runCompile, runGrowth } from './growth-draws.mjs'
import { runHeld } from './held-draws.mjs'
import { from, geometricMean, valueFrom } from './kernels.mjs'
import { median } from './measure.mjs'
import { openDrawPeer } from './peer.mjs'
import { runSmallDraws } from './small-draws.mjs'
import { tune } from './tune.mjs'
import { runTurns } from './turns-draws.mjs'
import { flagVariable, namesVariable, numberVariable, textVariable } from './variables.mjs'

const folder = fileURLToPath(new URL('../test/draws/', import.meta.url))
const SCENES = readdirSync(folder, { withFileTypes: true }).flatMap((e) => (e.isDirectory() ? [e.name] : []))

/** What a part of the sources does in a draw; the first that fits counts. */
const PHASES = [
  ['input', 'pipeline/input/'],
  ['tessellator', 'pipeline/tessellator/'],
  ['streams', 'pipeline/streams/'],
  ['setup and coverage', 'pipeline/raster/'],
  ['tests and blending', 'pipeline/merge/'],
  ['pixels in and out', 'pipeline/pixels/'],
  ['draw loop', 'pipeline/'],
  ['sampling', 'machine/sampling/'],
  ['shaders', 'engine/'],
  ['shaders', 'isa/'],
  ['memory', 'machine/'],
]

const post = (session, method, parameters) =>
  new Promise((resolve, reject) => {
    session.post(method, parameters, (error, result) => (error ? reject(error) : resolve(result)))
  })

/** Runs work under the profiler: what it gives, and the share of each phase. */
async function profiled(work) {
  const session = new Session()
  session.connect()
  await post(session, 'Profiler.enable')
  await post(session, 'Profiler.setSamplingInterval', { interval: 2000 })
  await post(session, 'Profiler.start')
  const value = await work()
  const { profile } = await post(session, 'Profiler.stop')
  session.disconnect()
  const phaseOf = new Map(
    profile.nodes.map((n) => {
      const { url, functionName } = n.callFrame
      if (functionName === '(garbage collector)') return [n.id, 'garbage']
      return [n.id, PHASES.find(([, path]) => url.includes(`/${path}`))?.[0] ?? 'other']
    }),
  )
  const times = {}
  profile.samples.forEach((id, i) => {
    const phase = phaseOf.get(id)
    times[phase] = (times[phase] ?? 0) + profile.timeDeltas[i]
  })
  const all = Object.values(times).reduce((a, b) => a + b, 0)
  return { value, shares: Object.fromEntries(Object.entries(times).map(([k, v]) => [k, v / all])) }
}

/** Milliseconds of the processor since `before`, of all threads of the process. */
function processorMilliseconds(before) {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const perSecond = (count, ms) => {
  const rate = (count / ms) * 1000
  return rate >= 1e6 ? `${(rate / 1e6).toFixed(2)} M` : `${(rate / 1e3).toFixed(0)} k`
}

/** Frames are run for so long before those that count: until then V8 compiles functions again, with two threads longer than with one. */
const WARM_UP_MS = 8000
/** Frames that count: until they have taken so long, or so many of them. */
const MEASURED_MS = 4000
const MOST_FRAMES = 60

async function commandsOf(name, file, engine, precision = 'exact') {
  const { parseDescriptionText } = await import(from('job/index'))
  const { prepareFrame } = await import(from('job/frame/index'))
  const { createHost } = await import(from('host/node/job-host'))
  const at = join(folder, name)
  const { frame } = valueFrom(parseDescriptionText(readFileSync(join(at, file), 'utf8')))
  const pipelines = frame.pipelines.map((p) => (p.kind === 'graphics' ? { ...p, precision } : p))
  return valueFrom(prepareFrame({ ...frame, pipelines }, createHost({ folder: at }), engine)).commands
}

/** A frame that is run with limits, of which the draw is told: why it was stopped. */
async function limited(name, engine) {
  const commands = await commandsOf(name, 'scene.json', engine)
  return async (limits) => {
    for (const c of commands) {
      const { stopped } = await c.run(limits)
      if (stopped !== undefined) return stopped
    }
  }
}

/** A frame ready to run on an engine, again and again. */
async function prepare(name, file, engine, precision) {
  const commands = await commandsOf(name, file, engine, precision)
  return async (maxMilliseconds) => {
    const deadline = performance.now() + maxMilliseconds
    const start = performance.now()
    const before = process.cpuUsage()
    const done = []
    for (const c of commands) {
      done.push(await c.run({ maxMilliseconds: Math.max(1, deadline - performance.now()) }))
      if (done.at(-1).stopped !== undefined) break
    }
    return { done, ms: performance.now() - start, processor: processorMilliseconds(before) }
  }
}

async function engines() {
  const { createReferenceEngine } = await import(from('engine/reference/index'))
  const { createWasmEngineWith } = await import(from('engine/wasm/index'))
  const { withFallback } = await import(from('engine/fallback'))
  const pairs = await tune()
  const compiled = () => withFallback(createWasmEngineWith({ threads: 1, pairs }), createReferenceEngine({}))
  // Processor time of it is that of both threads.
  const shared = () => {
    const options = {
      threads: 2,
      pairs,
      startNow: true,
      workerModule: new URL(from('host/draw-worker'), import.meta.url).href,
    }
    return withFallback(createWasmEngineWith(options), createReferenceEngine({}))
  }
  const all = [
    { name: 'compiled', create: compiled, precision: 'exact' },
    { name: 'two', create: shared, precision: 'exact' },
    { name: 'fast', create: compiled, precision: 'fast' },
    { name: 'fast-two', create: shared, precision: 'fast' },
    { name: 'reference', create: () => createReferenceEngine({}), precision: 'exact' },
  ]
  const chosen = namesVariable(
    'HEDDLE_ENGINE',
    all.map((e) => e.name),
  )
  return all.filter((e) => chosen?.includes(e.name) ?? true)
}

/** The first frame and the frames that count, with where the time of the one before those goes. */
async function measure(frame, maxMilliseconds) {
  const first = await frame(maxMilliseconds)
  if (first.done.at(-1)?.stopped !== undefined) return { first, warm: [first], shares: {} }
  // Long frames, those of the reference engine, are warm after one.
  for (let spent = first.ms > WARM_UP_MS ? first.ms : 0; spent < WARM_UP_MS; ) {
    spent += (await frame(maxMilliseconds)).ms
  }
  const { value: profiledFrame, shares } = await profiled(() => frame(maxMilliseconds))
  if (profiledFrame.ms > MEASURED_MS) return { first, warm: [profiledFrame], shares }
  const warm = []
  for (let spent = 0; spent < MEASURED_MS && warm.length < MOST_FRAMES; spent += warm.at(-1).ms) {
    warm.push(await frame(maxMilliseconds))
  }
  return { first, warm, shares }
}

function describe(name, engine, { first, warm, shares }) {
  const ms = median(warm.map((f) => f.ms))
  const processor = median(warm.map((f) => f.processor))
  const sum = (of) => first.done.reduce((n, r) => n + (r.draw?.statistics[of] ?? 0), 0)
  const stopped = first.done.at(-1)?.stopped
  const [primitives, pixels] = [sum('cInvocations') || sum('gsInvocations'), sum('psInvocations')]
  const parts = Object.entries(shares)
    .filter(([, s]) => s >= 0.03)
    .sort(([, a], [, b]) => b - a)
    .map(([phase, s]) => `${phase} ${Math.round(s * 100)} %`)
  console.log(
    `${name.padEnd(11)}${engine.padEnd(10)}${first.ms.toFixed(0).padStart(8)}${ms.toFixed(1).padStart(9)} ms${stopped === undefined ? '' : ' (stopped)'}, processor ${processor.toFixed(1)} ms; ${perSecond(primitives, ms)} primitives/s, ${perSecond(pixels, ms)} pixels/s; ${parts.join(', ')}`,
  )
  return { name, engine, first: first.ms, frames: warm.length, ms, processor, primitives, pixels, stopped, shares }
}

/** Which of ours is compared with how many threads of lavapipe. */
const COMPARED = [
  ['compiled', 1],
  ['two', 2],
  ['fast', 1],
  ['fast-two', 2],
]

const ratioTexts = (ratios) =>
  COMPARED.flatMap(([engine, threads], n) =>
    ratios[n] === undefined ? [] : [`${engine} on ${threads} ${ratios[n].toFixed(2)}`],
  ).join(', ')

export async function run() {
  const chosen = namesVariable('HEDDLE_BENCH', [...SCENES, 'small', 'growth', 'compile', 'turns', 'cancel', 'held'])
  const isChosen = (name) => chosen?.includes(name) ?? true
  const file = flagVariable('HEDDLE_SMALL') ? 'small.json' : 'scene.json'
  const maxMilliseconds = numberVariable('HEDDLE_SECONDS', 600) * 1000
  if (await tune()) console.log(`tuned: Node ${process.version}, V8 ${process.versions.v8}, code for pairs of vectors`)
  const peer = file === 'scene.json' ? openDrawPeer() : { reason: 'it has the full frames alone' }
  if (peer.reason !== undefined) console.log(`vkd3d and lavapipe: not measured, ${peer.reason}`)
  if (isChosen('small')) await runSmallDraws()
  if (isChosen('growth')) await runGrowth(SCENES)
  if (isChosen('compile')) runCompile(SCENES)
  if (isChosen('turns')) await runTurns(SCENES)
  if (isChosen('held')) runHeld(SCENES)
  if (isChosen('cancel'))
    await runCancel(
      (await engines()).filter((e) => e.name === 'compiled' || e.name === 'two').map((e) => [e.name, e.create]),
      limited,
    )
  const figures = []
  const ratios = []
  for (const name of SCENES.filter(isChosen)) {
    for (const { name: engine, create, precision } of await engines()) {
      const frame = await prepare(name, file, create(), precision)
      figures.push(describe(name, engine, await measure(frame, maxMilliseconds)))
    }
    if (peer.time === undefined) continue
    // As many frames as ours; its code is the same from the first frame on.
    const framesOf = (engine) => figures.find((f) => f.name === name && f.engine === engine)?.frames ?? MOST_FRAMES
    const times = [1, 2].map((threads) => peer.time(name, threads, framesOf(threads === 1 ? 'compiled' : 'two')).median)
    figures.push({ name, engine: 'lavapipe', one: times[0], two: times[1] })
    const beside = COMPARED.map(([engine, threads]) => {
      const own = figures.find((f) => f.name === name && f.engine === engine)
      return own === undefined ? undefined : times[threads - 1] / own.ms
    })
    ratios.push(beside)
    const texts = times.map((ms, n) => `${n + 1} thread${n === 0 ? '' : 's'} ${ms.toFixed(1)} ms`)
    console.log(`${name.padEnd(11)}lavapipe  ${texts.join(', ')}: ratios ${ratioTexts(beside)}`)
  }
  if (ratios.length > 0) {
    const means = COMPARED.map((_, n) => {
      const some = ratios.flatMap((r) => (r[n] === undefined ? [] : [r[n]]))
      return some.length === 0 ? undefined : geometricMean(some)
    })
    console.log(`geometric means of lavapipe's time over ours: ${ratioTexts(means)}`)
  }
  const record = textVariable('HEDDLE_RECORD')
  if (record !== undefined) writeFileSync(record, `${JSON.stringify(figures, null, 2)}\n`)
}
