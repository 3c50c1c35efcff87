/**
 * The scenes of `test/draws` in random states and sizes (`npm run differential -- --scenes 200 1 --threads 2`): code on one thread and on several
 * against numbers.
 */
import type { Engine } from '../src/engine/index.ts'
import { createWasmEngineWith } from '../src/engine/wasm/index.ts'
import { randomScene } from '../test/support/scenes/random-scene.ts'
import { differenceOf, runScene, runWithNumbers } from '../test/support/scenes/scene-run.ts'

interface SceneRun {
  readonly count: number
  readonly first: number
  readonly threads: number
  readonly workerModule: string | undefined
}

/** Scenes after which engines are made anew, so that the process stays small. */
const SCENES_OF_AN_ENGINE = 25

/** Answers how many differ. */
export async function runScenes({ count, first, threads, workerModule }: SceneRun): Promise<number> {
  const counts = { equal: 0, differs: 0, stopped: 0 }
  const create = (threadCount: number): Engine =>
    createWasmEngineWith({ threads: threadCount, startNow: threadCount > 1, workerModule })
  const engines = new Map<string, Engine>()
  const engineOf = (name: string, threadCount: number): Engine => {
    const engine = engines.get(name) ?? create(threadCount)
    engines.set(name, engine)
    return engine
  }
  const renew = (): void => {
    for (const e of engines.values()) e.dispose?.()
    engines.clear()
  }
  const verdictOf = async (seed: number): Promise<keyof typeof counts> => {
    const scene = randomScene(seed)
    const wanted = await runWithNumbers(engineOf('numbers', 1), scene)
    let verdict: keyof typeof counts = 'equal'
    for (const threadCount of threads > 1 ? [1, threads] : [1]) {
      const on = `${threadCount} thread${threadCount === 1 ? '' : 's'}`
      const got = wanted && (await runScene(engineOf(on, threadCount), scene))
      if (wanted === undefined || got === undefined) return 'stopped'
      const text = differenceOf(wanted, got)
      if (text === undefined) continue
      verdict = 'differs'
      console.log(`seed ${seed}, ${scene.name}, ${scene.precision}, on ${on}: ${text}`)
      console.log(`  replay: npm run differential -- --scenes 1 ${seed} --threads ${threads}`)
    }
    return verdict
  }
  for (let seed = first; seed < first + count; seed++) {
    counts[await verdictOf(seed)]++
    const done = seed - first + 1
    if (done % SCENES_OF_AN_ENGINE === 0) {
      renew()
      console.log(`${done} of ${count} run, ${counts.differs} differ`)
    }
  }
  renew()
  console.log(`${counts.equal} of ${count} scenes equal, ${counts.differs} differ, ${counts.stopped} took too long`)
  return counts.differs
}
