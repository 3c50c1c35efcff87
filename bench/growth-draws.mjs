// Growth of the compiled pipeline on one thread: time per triangle and per pixel from small draws to large ones, time to compile
// the shaders of a scene cold (a process of its own) and warm, and memory beside the resources at 1920 x 1080.
// Part of npm run bench -- draws; HEDDLE_BENCH=growth for this alone.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { from, valueFrom } from './kernels.mjs'
import { allThreadsMilliseconds, callingThreadMilliseconds } from './measure.mjs'
import { tune } from './tune.mjs'

const folder = fileURLToPath(new URL('../test/draws/', import.meta.url))
const sceneOf = (name, file = 'scene.json') => JSON.parse(readFileSync(join(folder, name, file), 'utf8'))

/** The terrain of grid and shadow with n x n cells of two triangles. */
function withCells(scene, n) {
  for (const r of scene.resources) {
    if (r.init.kind === 'terrain') r.ByteWidth = (n + 1) ** 2 * 32
    else if (r.init.kind === 'grid-indices') r.ByteWidth = n * n * 24
    else continue
    r.init.n = n
  }
  for (const c of scene.commands) if (c.op === 'DrawIndexed') c.IndexCount = n * n * 6
}

/** Targets and viewports of a size; textures that no draw writes keep theirs. */
function withSize(scene, width, height) {
  for (const r of scene.resources) {
    if (!r.BindFlags.some((f) => f === 'RENDER_TARGET' || f === 'DEPTH_STENCIL')) continue
    r.Width = width
    r.Height = height
  }
  for (const p of Object.values(scene.pipelines)) {
    for (const v of p.RS.Viewports) {
      v.Width = width
      v.Height = height
    }
  }
}

const modules = async () => ({
  ...(await import(from('job/index'))),
  ...(await import(from('job/frame/index'))),
  ...(await import(from('host/node/job-host'))),
  ...(await import(from('engine/wasm/index'))),
})

async function prepare(name, scene) {
  const { parseDescriptionText, prepareFrame, createHost, createWasmEngineWith } = await modules()
  const engine = createWasmEngineWith({ threads: 1, pairs: await tune() })
  const at = join(folder, name)
  const { frame } = valueFrom(parseDescriptionText(JSON.stringify(scene)))
  const { commands } = valueFrom(prepareFrame(frame, createHost({ folder: at }), engine))
  const run = async () => {
    const counts = { primitives: 0, pixels: 0 }
    for (const c of commands) {
      const { stopped, draw } = await c.run({ maxMilliseconds: 600_000 })
      if (stopped !== undefined) throw new Error(`${name}: stopped (${stopped})`)
      counts.primitives += draw?.statistics.cInvocations ?? 0
      counts.pixels += Math.max(draw?.statistics.psInvocations ?? 0, draw?.samplesPassed ?? 0)
    }
    return counts
  }
  return { engine, run }
}

/** Least processor time of several calls, which together take so long that the host has compiled what small draws run. */
async function leastOf(run, calls, leastMilliseconds) {
  const begin = allThreadsMilliseconds()
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < calls || allThreadsMilliseconds() - begin < leastMilliseconds; i++) {
    const start = allThreadsMilliseconds()
    await run()
    least = Math.min(least, allThreadsMilliseconds() - start)
  }
  return least
}

/** Times the scene in each of its sizes; draws of few milliseconds are repeated. */
async function growth(name, sizes, change, unit) {
  const parts = []
  for (const size of sizes) {
    const scene = sceneOf(name)
    change(scene, size)
    const { run } = await prepare(name, scene)
    const { [unit]: count } = await run()
    const ms = await leastOf(run, 4, 2400)
    parts.push(`${count} in ${ms.toFixed(1)} ms, ${((ms / count) * 1e6).toFixed(0)} ns each`)
  }
  console.log(`${name.padEnd(11)}by ${unit}: ${parts.join('; ')}`)
}

/** The scene with one of its pipelines, or without any, and what else its frame does. */
function withPipeline(scene, name) {
  scene.pipelines = name in scene.pipelines ? { [name]: scene.pipelines[name] } : {}
  scene.commands = scene.commands.filter((c) => c.pipeline === undefined || c.pipeline === name)
  return scene
}

/** Both times that compiling is measured in. */
const timesNow = () => ({ calling: callingThreadMilliseconds(), all: allThreadsMilliseconds() })
const timesSince = (before) => {
  const now = timesNow()
  return { calling: now.calling - before.calling, all: now.all - before.all }
}
const leastTimes = (times) => ({
  calling: Math.min(...times.map((t) => t.calling)),
  all: Math.min(...times.map((t) => t.all)),
})

/**
 * What a pipeline takes from its shaders' bytes to its first small frame, above the resources of the frame and above a later frame: the first
 * time in a process, and the least of later times, each with an engine of its own, which knows nothing of those before.
 */
async function compileTimes(name, pipeline) {
  await modules()
  const of = (which) => withPipeline(sceneOf(name, 'small.json'), which)
  const costOf = async (work) => {
    const before = timesNow()
    const value = await work()
    return { value, ...timesSince(before) }
  }
  const rounds = []
  for (let i = 0; i < 9; i++) {
    const resources = await costOf(() => prepare(name, of('')))
    const prepared = await costOf(() => prepare(name, of(pipeline)))
    const { run } = prepared.value
    const first = await costOf(run)
    const later = []
    for (let n = 0; n < 5; n++) later.push(await costOf(run))
    rounds.push({ resources, prepared, first, later: leastTimes(later) })
  }
  // Least times of each part: differences of one round would be least where the host happened to compile in what is subtracted.
  const compiled = (some) => {
    const { resources, prepared, first, later } = Object.fromEntries(
      ['resources', 'prepared', 'first', 'later'].map((part) => [part, leastTimes(some.map((r) => r[part]))]),
    )
    const of = (which) => prepared[which] - resources[which] + first[which] - later[which]
    return { calling: of('calling'), all: of('all') }
  }
  return { cold: compiled(rounds.slice(0, 1)), warm: compiled(rounds.slice(1)) }
}

const MB = 1024 * 1024

/** Bytes that frames add to the engine's memory and to that of the process, above the resources. */
async function memoryOf(name) {
  const scene = sceneOf(name)
  withSize(scene, 1920, 1080)
  const { engine, run } = await prepare(name, scene)
  const now = () => {
    globalThis.gc()
    const allocation = engine.memory.allocate(16)
    engine.memory.release(allocation)
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return { engine: allocation.buffer.byteLength, host: heapUsed + arrayBuffers }
  }
  const before = now()
  for (let i = 0; i < 3; i++) await run()
  const after = now()
  return { engine: (after.engine - before.engine) / MB, host: (after.host - before.host) / MB }
}

/** Measures in a process of its own. */
const inChild = (...what) =>
  JSON.parse(
    execFileSync(process.execPath, ['--expose-gc', fileURLToPath(import.meta.url), ...what], { encoding: 'utf8' }),
  )

/** Of several processes: what runs beside them makes each longer, none shorter. */
function leastCompileTimes(scene, pipeline) {
  const found = Array.from({ length: 3 }, () => inChild('compile', scene, pipeline))
  return { cold: leastTimes(found.map((f) => f.cold)), warm: leastTimes(found.map((f) => f.warm)) }
}

export function runCompile(scenes) {
  for (const scene of scenes) {
    for (const pipeline of Object.keys(sceneOf(scene, 'small.json').pipelines)) {
      const { cold, warm } = leastCompileTimes(scene, pipeline)
      const text = ({ calling, all }) =>
        `${calling.toFixed(0)} ms of the calling thread, ${all.toFixed(0)} of all threads`
      console.log(
        `${scene.padEnd(11)}pipeline ${pipeline}, compiled with its first frame above a later one: cold ${text(cold)}; warm ${text(warm)} (processor)`,
      )
    }
  }
}

const SIDES = [256, 512, 1024, 2048, 4096]
/** Cells a side: 10^3 to 10^6 triangles. */
const CELLS = [22, 71, 224, 707]

export async function runGrowth(scenes) {
  for (const name of ['shadow', 'grid']) {
    // The target grows with the cells, so that triangles keep their size.
    const change = (scene, n) => {
      withCells(scene, n)
      const side = Math.round((1024 * n) / 317)
      withSize(scene, side, side)
    }
    await growth(name, CELLS, change, 'primitives')
  }
  for (const name of ['texture', 'blend']) {
    await growth(name, SIDES, (scene, side) => withSize(scene, side, side), 'pixels')
  }
  for (const name of scenes) {
    const { engine, host } = inChild('memory', name)
    console.log(
      `${name.padEnd(11)}beside its resources at 1920 x 1080: engine ${engine.toFixed(1)} MB, host ${host.toFixed(1)} MB`,
    )
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [what, name, pipeline] = process.argv.slice(2)
  // Before anything is timed.
  await tune()
  console.log(JSON.stringify(await (what === 'compile' ? compileTimes(name, pipeline) : memoryOf(name))))
}
