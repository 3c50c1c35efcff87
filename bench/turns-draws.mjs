// One thread against two by the clock, in turns: what else the host does for some seconds makes both slow, where figures of minutes apart are as
// far from each other as the host is uneven. Part of npm run bench -- draws; HEDDLE_BENCH=turns for this alone.
import { prepare, sceneOf } from './growth-draws.mjs'
import { geometricMean } from './kernels.mjs'
import { median } from './measure.mjs'

/** Frames before those that count: V8 compiles functions again until then, with two threads longer than with one. */
const WARM_MS = [4000, 6000]
/** A turn, and all of them. */
const TURN_MS = 300
const MEASURED_MS = 12_000
/** Scenes of which threads are asked to gain. */
const LEAST_MS = 5

async function framesFor(run, milliseconds) {
  const times = []
  for (const begin = performance.now(); times.length === 0 || performance.now() - begin < milliseconds; ) {
    const start = performance.now()
    await run()
    times.push(performance.now() - start)
  }
  return times
}

/** Medians of all frames, and the ratios of the medians of each pair of turns. */
async function measureTurns(name) {
  const prepared = [await prepare(name, sceneOf(name), 1), await prepare(name, sceneOf(name), 2)]
  for (const [n, { run }] of prepared.entries()) await framesFor(run, WARM_MS[n])
  const times = [[], []]
  const ratios = []
  for (const begin = performance.now(); performance.now() - begin < MEASURED_MS; ) {
    const turn = []
    for (const { run } of prepared) {
      // The frame behind those of the other engine finds nothing of its own in caches.
      await run()
      turn.push(await framesFor(run, TURN_MS))
    }
    for (const [n, some] of turn.entries()) times[n].push(...some)
    ratios.push(median(turn[0]) / median(turn[1]))
  }
  for (const { engine } of prepared) engine.dispose?.()
  return { one: median(times[0]), two: median(times[1]), ratio: median(ratios) }
}

export async function runTurns(scenes) {
  const found = []
  for (const name of scenes) {
    const { one, two, ratio } = await measureTurns(name)
    const note = one < LEAST_MS ? ` (of less than ${LEAST_MS} ms)` : ''
    console.log(
      `${name.padEnd(11)}in turns: one thread ${one.toFixed(1)} ms, two ${two.toFixed(1)}, two against one ${ratio.toFixed(2)}${note}`,
    )
    if (one >= LEAST_MS) found.push(ratio)
  }
  console.log(
    `two threads against one in turns: mean ${geometricMean(found).toFixed(2)}, least ${Math.min(...found).toFixed(2)}`,
  )
}
