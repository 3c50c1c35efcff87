// How long a frame holds its host at the most: the longest time between two tasks of the host while a scene at full size is prepared and its first
// two frames run, in new processes, on one thread and on two. Programs are compiled in them, which takes longest then.
// Part of npm run bench -- draws; HEDDLE_BENCH=held for this alone.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { firstFrames } from './growth-draws.mjs'
import { median } from './measure.mjs'

const PROCESSES = 3
const FRAMES = 2

/** Milliseconds between one task's begin and its end, for all tasks that the work has, in their order. */
async function piecesOf(work) {
  const { setImmediate: later } = globalThis
  const pieces = []
  let begin = performance.now()
  const end = () => void pieces.push(performance.now() - begin)
  globalThis.setImmediate = (call, ...values) => {
    end()
    return later(() => {
      begin = performance.now()
      call(...values)
    })
  }
  try {
    await work()
    end()
  } finally {
    globalThis.setImmediate = later
  }
  return pieces
}

export function runHeld(scenes) {
  for (const name of scenes) {
    const texts = [1, 2].map((threads) => {
      const longest = Array.from({ length: PROCESSES }, () =>
        Number(execFileSync(process.execPath, [fileURLToPath(import.meta.url), name, String(threads)])),
      )
      return `${threads === 1 ? 'one thread' : 'two'} ${median(longest).toFixed(0)} ms (${longest.map((ms) => ms.toFixed(0)).join(', ')})`
    })
    console.log(`${name.padEnd(11)}held its host at the most, in new processes: ${texts.join('; ')}`)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, threads] = process.argv.slice(2)
  const work = await firstFrames(name, Number(threads), FRAMES)
  console.log(Math.max(...(await piecesOf(work))))
  process.exit()
}
