/**
 * The scenes of `test/draws` in random states and sizes (`npm run differential -- --scenes 200 1 --threads 2`): code on one thread and on several
 * against numbers.
 */
import type { Engine } from '../src/engine/index.ts'
import { createWasmEngineWith } from '../src/engine/wasm/index.ts'
import { type RandomScene, randomScene } from '../test/support/scenes/random-scene.ts'
import { differenceOf, runScene, runWithNumbers, type SceneLeft } from '../test/support/scenes/scene-run.ts'

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
  const create = (of: number): Engine => createWasmEngineWith({ threads: of, startNow: of > 1, workerModule })
  const engines = new Map<string, Engine>()
  const engineOf = (name: string, of: number): Engine => {
    const engine = engines.get(name) ?? create(of)
    engines.set(name, engine)
    return engine
  }
  const renew = (): void => {
    for (const e of engines.values()) e.dispose?.()
    engines.clear()
  }
  const compare = (seed: number, { name, precision }: RandomScene, wanted: SceneLeft, got: SceneLeft, on: string) => {
    const text = differenceOf(wanted, got)
    if (text === undefined) return true
    console.log(`seed ${seed}, ${name}, ${precision}, ${on}: ${text}`)
    console.log(`  replay: npm run differential -- --scenes 1 ${seed} --threads ${threads}`)
    return false
  }
  for (let seed = first; seed < first + count; seed++) {
    const scene = randomScene(seed)
    const wanted = await runWithNumbers(engineOf('numbers', 1), scene)
    const one = await runScene(engineOf('one thread', 1), scene)
    const several = threads > 1 ? await runScene(engineOf('several', threads), scene) : one
    if (wanted === undefined || one === undefined || several === undefined) counts.stopped++
    else {
      const isEqual = compare(seed, scene, wanted, one, 'one thread')
      const areEqual = compare(seed, scene, wanted, several, `${threads} threads`)
      counts[isEqual && areEqual ? 'equal' : 'differs']++
    }
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
