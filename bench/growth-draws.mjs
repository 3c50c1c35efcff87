// Growth of the compiled pipeline: time per triangle, pixel and sample on one thread from small draws to large ones, each beside the median of
// its series; the same frames on more threads, by the clock; time to compile a pipeline cold (a process of its own), behind three others, and warm, and
// memory beside the resources at 1920 x 1080.
// Part of npm run bench -- draws; HEDDLE_BENCH=growth for this alone.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { from, valueFrom } from './kernels.mjs'
import { allThreadsMilliseconds, callingThreadMilliseconds, median } from './measure.mjs'
import { tune } from './tune.mjs'

const folder = fileURLToPath(new URL('../test/draws/', import.meta.url))
export const sceneOf = (name, file = 'scene.json') => JSON.parse(readFileSync(join(folder, name, file), 'utf8'))

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

/**
 * The scene texture in a size, with coordinates of textures that grow with it: so a pixel reads as much of its texture, and the same
 * mips, in all sizes. With the same coordinates a small target would read most from two mips and a large one from the first alone.
 */
function withTexels(scene, side) {
  withSize(scene, side, side)
  const { Stride } = scene.pipelines.main.IA.VertexBuffers[0]
  const { AlignedByteOffset } = scene.pipelines.main.IA.InputLayout.find((e) => e.SemanticName === 'TEXCOORD')
  const isCoordinate = (n) => (n * 4) % Stride >= AlignedByteOffset
  const { init } = scene.resources.find((r) => r.id === 'vb')
  init.values = init.values.map((x, n) => (isCoordinate(n) ? (x * side) / 1024 : x))
}

/** The scene msaa in a size, with so many triangles that they keep theirs. */
function withTriangles(scene, side) {
  withSize(scene, side, side)
  const vertices = scene.resources.find((r) => r.id === 'vb')
  const { count, radius } = vertices.init
  vertices.init.count = Math.max(1, Math.round(count * (side / 1024) ** 2))
  vertices.init.radius = (radius * 1024) / side
  vertices.ByteWidth = vertices.init.count * (vertices.ByteWidth / count)
  for (const c of scene.commands) if (c.op === 'Draw') c.VertexCount = vertices.init.count * 3
}

/** The scene msaa with a number of samples; with one there is nothing to resolve. */
function withSamples(scene, count) {
  for (const r of scene.resources) if (r.SampleDesc?.Count > 1) r.SampleDesc = { ...r.SampleDesc, Count: count }
  if (count === 1) scene.commands = scene.commands.filter((c) => c.op !== 'ResolveSubresource')
}

const modules = async () => ({
  ...(await import(from('job/index'))),
  ...(await import(from('job/frame/index'))),
  ...(await import(from('host/node/job-host'))),
  ...(await import(from('engine/wasm/index'))),
})

const optionsOf = (threads) =>
  threads === 1
    ? { threads }
    : { threads, startNow: true, workerModule: new URL(from('host/draw-worker'), import.meta.url).href }

/** A scene ready to run, with the engine that runs it. */
export async function prepare(name, scene, threads = 1) {
  const { parseDescriptionText, prepareFrame, createHost, createWasmEngineWith } = await modules()
  const engine = createWasmEngineWith({ ...optionsOf(threads), pairs: await tune() })
  const at = join(folder, name)
  const { frame } = valueFrom(parseDescriptionText(JSON.stringify(scene)))
  const { commands } = valueFrom(prepareFrame(frame, createHost({ folder: at }), engine))
  const run = async () => {
    const counts = { primitives: 0, pixels: 0, invocations: 0, samples: 0 }
    for (const c of commands) {
      const { stopped, draw } = await c.run({ maxMilliseconds: 600_000 })
      if (stopped !== undefined) throw new Error(`${name}: stopped (${stopped})`)
      counts.primitives += draw?.statistics.cInvocations ?? 0
      counts.pixels += Math.max(draw?.statistics.psInvocations ?? 0, draw?.samplesPassed ?? 0)
      counts.invocations += draw?.statistics.psInvocations ?? 0
      counts.samples += draw?.samplesPassed ?? 0
    }
    return counts
  }
  return { engine, run }
}

/** Prepares a scene in tasks of the host and runs some frames, once it is called: what comes before is loaded. */
export async function firstFrames(name, threads, frames) {
  const { parseDescriptionText, prepareFrameInTasks, createHost, createWasmEngineWith } = await modules()
  const engine = createWasmEngineWith({ ...optionsOf(threads), pairs: await tune() })
  const { frame } = valueFrom(parseDescriptionText(JSON.stringify(sceneOf(name))))
  return async () => {
    const { commands } = valueFrom(await prepareFrameInTasks(frame, createHost({ folder: join(folder, name) }), engine))
    for (let n = 0; n < frames; n++) for (const { run } of commands) await run({})
  }
}

/**
 * So many frames come before those that count, unless they take longer than this: the host compiles what a draw calls once after
 * some thousand calls, and interprets it until then.
 */
const WARM_FRAMES = 2000
const WARM_MS = 4000

async function warmUp(run) {
  const begin = allThreadsMilliseconds()
  for (let i = 0; i < WARM_FRAMES && allThreadsMilliseconds() - begin < WARM_MS; i++) await run()
}

/** Least time of several calls, by `now`. */
async function leastOf(run, calls, leastMilliseconds, now = allThreadsMilliseconds) {
  const begin = allThreadsMilliseconds()
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < calls || allThreadsMilliseconds() - begin < leastMilliseconds; i++) {
    const start = now()
    await run()
    least = Math.min(least, now() - start)
  }
  return least
}

const nanoseconds = (ns) => `${ns < 10 ? ns.toFixed(2) : ns.toFixed(0)} ns`

/** How far a series is from its median: a fifth is the limit. */
function flatness(each) {
  const middle = median(each)
  const off = each.map((ns) => ns / middle - 1)
  const percent = (x) => `${x < 0 ? '-' : '+'}${Math.abs(x * 100).toFixed(0)} %`
  const outside = each.filter((_, n) => Math.abs(off[n]) > 0.2).length
  const verdict = outside === 0 ? 'all within a fifth' : `${outside} of ${each.length} not within a fifth`
  return `${verdict} of the median ${nanoseconds(middle)} (${percent(Math.min(...off))} to ${percent(Math.max(...off))})`
}

/** How often the sizes of a series take turns: what else the host does for some seconds would make one of them slow. */
const TURNS = 3

/** Least times of the processor of the scene's frame in some sizes, on one thread; draws of few milliseconds are repeated. */
async function timesOf(name, change, sizes) {
  const found = []
  for (const size of sizes) {
    const scene = sceneOf(name)
    change(scene, size)
    const { run } = await prepare(name, scene)
    found.push({ size, run, counts: await run(), ms: Number.POSITIVE_INFINITY })
    await warmUp(run)
  }
  for (let turn = 0; turn < TURNS; turn++) {
    for (const f of found) f.ms = Math.min(f.ms, await leastOf(f.run, 2, 400))
  }
  return found
}

/**
 * Times the scene in each of its sizes; `units` are what is counted. Once as a whole, and where there is a least size once above its frame,
 * which has hardly any of them: its commands, the beginning and end of its draws, and what does not grow.
 */
async function growth(name, { sizes, least, change }, ...units) {
  const all = await timesOf(name, change, least === undefined ? sizes : [least, ...sizes])
  const [frame, ...found] = least === undefined ? [undefined, ...all] : all
  for (const unit of units) {
    const eachAbove = (ms) => found.map((f) => ((f.ms - ms) / f.counts[unit]) * 1e6)
    const each = eachAbove(0)
    const parts = found.map(
      ({ size, counts, ms }, n) => `${size}: ${counts[unit]} in ${ms.toFixed(2)} ms, ${nanoseconds(each[n])} each`,
    )
    console.log(`${name.padEnd(11)}by ${unit}: ${parts.join('; ')}`)
    console.log(`${''.padEnd(11)}   ${unit}: ${flatness(each)}`)
    if (frame === undefined) continue
    const above = eachAbove(frame.ms)
    console.log(
      `${''.padEnd(11)}   above a frame of ${frame.counts[unit]}, ${frame.ms.toFixed(3)} ms: ${above.map(nanoseconds).join(', ')}; ${flatness(above)}`,
    )
  }
}

/** Threads that are measured: four only where there are as many cores. */
const THREADS = [1, 2, ...(availableParallelism() >= 4 ? [4] : [])]

/** The frame in some sizes on several threads, by the clock: least times, and one thread's over those of more. */
async function growthOfThreads(name, sizes, change) {
  for (const size of sizes) {
    const times = []
    for (const threads of THREADS) {
      const scene = sceneOf(name)
      change(scene, size)
      const { run, engine } = await prepare(name, scene, threads)
      await warmUp(run)
      times.push(await leastOf(run, 8, 1200 * threads, () => performance.now()))
      engine.dispose?.()
    }
    const parts = THREADS.map((threads, n) => {
      const ratio = n === 0 ? '' : ` (${(times[0] / times[n]).toFixed(2)})`
      return `${threads} ${times[n].toFixed(2)} ms${ratio}`
    })
    console.log(`${name.padEnd(11)}by threads, ${size}: ${parts.join('; ')} (clock)`)
  }
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

const costOf = async (work) => {
  const before = timesNow()
  const value = await work()
  return { value, ...timesSince(before) }
}

/** Times of the parts of a round: the frame's resources, then with the pipeline, its first frame, and the least of some later ones. */
async function compileRound(name, pipeline) {
  const of = (which) => withPipeline(sceneOf(name, 'small.json'), which)
  const resources = await costOf(() => prepare(name, of('')))
  const prepared = await costOf(() => prepare(name, of(pipeline)))
  const { run } = prepared.value
  const first = await costOf(run)
  const later = []
  for (let n = 0; n < 5; n++) later.push(await costOf(run))
  return { resources, prepared, first, later: leastTimes(later) }
}

/** Of three of these scenes one pipeline each is compiled before another scene's, so that the host has run the compiler. */
const OTHERS = ['blend', 'deferred', 'msaa', 'texture']

/**
 * What a pipeline takes from its shaders' bytes to its first small frame, above the resources of the frame and above a later frame: the first
 * time in a process, or there behind those of other scenes, and the least of later times, each with an engine of its own, which knows
 * nothing of those before.
 */
async function compileTimes(name, pipeline, isBehind) {
  await modules()
  const others = isBehind ? OTHERS.filter((other) => other !== name).slice(0, 3) : []
  for (const other of others) await compileRound(other, Object.keys(sceneOf(other, 'small.json').pipelines)[0])
  const rounds = []
  for (let i = 0; i < (isBehind ? 1 : 9); i++) rounds.push(await compileRound(name, pipeline))
  // Least times of each part: differences of one round would be least where the host happened to compile in what is subtracted.
  const compiled = (some) => {
    const { resources, prepared, first, later } = Object.fromEntries(
      ['resources', 'prepared', 'first', 'later'].map((part) => [part, leastTimes(some.map((r) => r[part]))]),
    )
    const of = (which) => prepared[which] - resources[which] + first[which] - later[which]
    return { calling: of('calling'), all: of('all') }
  }
  return { cold: compiled(rounds.slice(0, 1)), warm: isBehind ? null : compiled(rounds.slice(1)) }
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
  const behind = Array.from({ length: 3 }, () => inChild('behind', scene, pipeline))
  return {
    cold: leastTimes(found.map((f) => f.cold)),
    behind: leastTimes(behind.map((f) => f.cold)),
    warm: leastTimes(found.map((f) => f.warm)),
  }
}

export function runCompile(scenes) {
  for (const scene of scenes) {
    for (const pipeline of Object.keys(sceneOf(scene, 'small.json').pipelines)) {
      const { cold, behind, warm } = leastCompileTimes(scene, pipeline)
      const text = ({ calling, all }) =>
        `${calling.toFixed(0)} ms of the calling thread, ${all.toFixed(0)} of all threads`
      console.log(
        `${scene.padEnd(11)}pipeline ${pipeline}, compiled with its first frame above a later one: cold ${text(cold)}; behind three others ${text(behind)}; warm ${text(warm)} (processor)`,
      )
    }
  }
}

const SIDES = [256, 512, 1024, 2048, 4096]
/** Cells a side: 10^3 to 10^6 triangles. */
const CELLS = [22, 71, 224, 707]
const SAMPLES = [1, 2, 4, 8]

/** The target grows with the cells, so that triangles keep their size. */
function withCellsAndSize(scene, n) {
  withCells(scene, n)
  const side = Math.round((1024 * n) / 317)
  withSize(scene, side, side)
}
const withSide = (scene, side) => withSize(scene, side, side)

export async function runGrowth(scenes) {
  const cells = { sizes: CELLS, least: 1, change: withCellsAndSize }
  for (const name of ['shadow', 'grid']) await growth(name, cells, 'primitives')
  await growth('texture', { sizes: SIDES, least: 8, change: withTexels }, 'pixels')
  await growth('blend', { sizes: SIDES, least: 8, change: withSide }, 'pixels')
  await growth('msaa', { sizes: SIDES, least: 8, change: withTriangles }, 'samples')
  console.log('msaa       as many triangles in each size, which grow with it:')
  await growth('msaa', { sizes: SIDES, change: withSide }, 'samples')
  await growth('msaa', { sizes: SAMPLES, change: withSamples }, 'invocations', 'samples')
  for (const name of ['shadow', 'grid']) await growthOfThreads(name, CELLS, withCellsAndSize)
  await growthOfThreads('blend', [256, 1024, 4096], withSide)
  await growthOfThreads('msaa', SAMPLES, withSamples)
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
  console.log(
    JSON.stringify(await (what === 'memory' ? memoryOf(name) : compileTimes(name, pipeline, what === 'behind'))),
  )
}
