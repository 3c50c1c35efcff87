// The scenes of test/draws on the reference engine, one thread: a frame's time, triangles and pixel invocations a second,
// and where the time goes by part of the house (samples of V8's profiler). Time is that of the processor: on a machine that
// does other work too, that of the clock says little.
// npm run bench -- draws; HEDDLE_BENCH=grid,tess for some of them, HEDDLE_SMALL=1 for the small frames,
// HEDDLE_SECONDS=60 to stop each frame after that long, HEDDLE_RECORD=file writes the figures.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { from, valueFrom } from './kernels.mjs'

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

export async function run() {
  const { parseDescriptionText } = await import(from('job/index'))
  const { prepareFrame } = await import(from('job/frame/index'))
  const { createHost } = await import(from('host/node/job-host'))
  const { createReferenceEngine } = await import(from('engine/reference/index'))
  const asked = process.env.HEDDLE_BENCH?.split(',') ?? SCENES
  const file = process.env.HEDDLE_SMALL === '1' ? 'small.json' : 'scene.json'
  const maxMilliseconds = Number(process.env.HEDDLE_SECONDS ?? 600) * 1000
  const figures = []
  for (const name of SCENES.filter((s) => asked.includes(s))) {
    const at = join(folder, name)
    const { frame } = valueFrom(parseDescriptionText(readFileSync(join(at, file), 'utf8')))
    const { commands } = valueFrom(prepareFrame(frame, createHost({ folder: at }), createReferenceEngine({})))
    const deadline = performance.now() + maxMilliseconds
    const { value: results, shares } = await profiled(async () => {
      const done = []
      const before = process.cpuUsage()
      for (const c of commands) {
        done.push(await c.run({ maxMilliseconds: Math.max(1, deadline - performance.now()) }))
        if (done.at(-1).stopped !== undefined) break
      }
      return { done, ms: processorMilliseconds(before) }
    })
    const { done, ms } = results
    const sum = (of) => done.reduce((n, r) => n + (r.draw?.statistics[of] ?? 0), 0)
    const stop = done.at(-1)?.stopped
    const [primitives, pixels] = [sum('cInvocations') || sum('gsInvocations'), sum('psInvocations')]
    const stopped = stop === undefined ? '' : ' (stopped)'
    const parts = Object.entries(shares)
      .filter(([, s]) => s >= 0.03)
      .sort(([, a], [, b]) => b - a)
      .map(([phase, s]) => `${phase} ${Math.round(s * 100)} %`)
    figures.push({ name, ms, primitives, pixels, stopped: stop, shares })
    console.log(
      `${name.padEnd(11)}${ms.toFixed(0).padStart(8)} ms${stopped}  ${perSecond(primitives, ms)} primitives/s, ${perSecond(pixels, ms)} pixels/s; ${parts.join(', ')}`,
    )
  }
  if (process.env.HEDDLE_RECORD !== undefined)
    writeFileSync(process.env.HEDDLE_RECORD, `${JSON.stringify(figures, null, 2)}\n`)
}
