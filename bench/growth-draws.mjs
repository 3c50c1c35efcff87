// Growth of the compiled pipeline on one thread: time per triangle and per pixel from small draws to large ones, time to compile
// the shaders of a scene cold (a process of its own) and warm, and memory beside the resources at 1920 x 1080.
// Part of npm run bench -- draws; HEDDLE_BENCH=growth for this alone.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { from, valueFrom } from './kernels.mjs'

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
  const engine = createWasmEngineWith({ threads: 1 })
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

const processorNow = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Least processor time of several calls, which together take so long that the host has compiled what small draws run. */
async function leastOf(run, calls, leastMilliseconds) {
  const begin = processorNow()
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < calls || processorNow() - begin < leastMilliseconds; i++) {
    const start = processorNow()
    await run()
    least = Math.min(least, processorNow() - start)
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
    const ms = await leastOf(run, 4, 600)
    parts.push(`${count} in ${ms.toFixed(1)} ms, ${((ms / count) * 1e6).toFixed(0)} ns each`)
  }
  console.log(`${name.padEnd(11)}by ${unit}: ${parts.join('; ')}`)
}

/** What making pipelines and the first small frame takes above a later frame: the first time in a process, and later. */
async function compileTimes(name) {
  await modules()
  const times = []
  for (let i = 0; i < 6; i++) {
    const scene = sceneOf(name, 'small.json')
    const start = processorNow()
    const { run } = await prepare(name, scene)
    await run()
    const all = processorNow() - start
    times.push(all - (await leastOf(run, 5, 0)))
  }
  return { cold: times[0], warm: Math.min(...times.slice(1)) }
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
const inChild = (what, name) =>
  JSON.parse(
    execFileSync(process.execPath, ['--expose-gc', fileURLToPath(import.meta.url), what, name], { encoding: 'utf8' }),
  )

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
    const { cold, warm } = inChild('compile', name)
    const { engine, host } = inChild('memory', name)
    console.log(
      `${name.padEnd(11)}pipelines and first frame above a later one: ${cold.toFixed(0)} ms cold, ${warm.toFixed(0)} ms warm (processor); beside its resources at 1920 x 1080: engine ${engine.toFixed(1)} MB, host ${host.toFixed(1)} MB`,
    )
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [what, name] = process.argv.slice(2)
  console.log(JSON.stringify(await (what === 'compile' ? compileTimes(name) : memoryOf(name))))
}
