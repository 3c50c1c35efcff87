// How long a draw runs on after it is canceled: the scene raymarch, whose frame is one draw of hundreds of milliseconds, on one thread and
// on two. Counted from the moment that the abort was due, in time of the clock, so that holding up the event loop counts too.
// Part of npm run bench -- draws; HEDDLE_BENCH=cancel for this alone.

/** Milliseconds after which the draw is canceled: early, and at places in the middle. */
const DELAYS = [5, 20, 45, 80, 110, 140, 170, 200]

/** Runs a frame until it is canceled; milliseconds from then to its end, undefined where it ended before. */
async function canceledAfter(run, delay) {
  const controller = new AbortController()
  const due = performance.now() + delay
  const timer = setTimeout(() => controller.abort(), delay)
  const stopped = await run({ signal: controller.signal })
  clearTimeout(timer)
  return stopped === 'canceled' ? performance.now() - due : undefined
}

/** `engines` are names with functions that make one, `prepare` gives a frame of a scene, run with limits, which answers why it was stopped. */
export async function runCancel(engines, prepare) {
  for (const [name, create] of engines) {
    const run = await prepare('raymarch', create())
    await run({})
    const times = []
    for (const delay of DELAYS) times.push(await canceledAfter(run, delay))
    const canceled = times.filter((t) => t !== undefined)
    const after = await run({})
    console.log(
      `cancel      raymarch ${name}: ${canceled.length} of ${DELAYS.length} frames canceled, at an end ${Math.max(...canceled).toFixed(0)} ms later at most; a frame after them ${after === undefined ? 'ran whole' : `was stopped: ${after}`}`,
    )
  }
}
