/**
 * The scenes in random states, a few fixed seeds: on one thread and on two as numbers have them. `npm run differential -- --scenes` goes
 * through others.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../src/engine/index.ts'
import { createWasmEngineWith } from '../src/engine/wasm/index.ts'
import { sharedCounts } from '../src/pipeline/index.ts'
import { randomScene } from './support/scenes/random-scene.ts'
import { differenceOf, runScene, runWithNumbers } from './support/scenes/scene-run.ts'
import { workerModule } from './support/worker-module.ts'

/** Of several scenes; of some the threads set triangles up in shares of rows, of others they take tiles of lists. */
const SEEDS = [1, 3, 4, 7]

describe('scenes as large as frames of games', () => {
  let one: Engine
  let two: Engine

  beforeAll(async () => {
    one = createWasmEngineWith({ threads: 1 })
    two = createWasmEngineWith({ threads: 2, startNow: true, workerModule: await workerModule() })
  })
  afterAll(() => {
    one.dispose?.()
    two.dispose?.()
  })

  it.each(SEEDS)('leave what numbers leave in random states, %i', { timeout: 120_000 }, async (seed) => {
    const scene = randomScene(seed)
    const wanted = (await runWithNumbers(one, scene))!
    const got = [await runScene(one, scene), await runScene(two, scene)]
    expect(got.map((left) => differenceOf(wanted, left!))).toEqual([undefined, undefined])
  })

  it('are drawn by several threads in both ways', () => {
    expect(sharedCounts.bands).toBeGreaterThan(0)
    expect(sharedCounts.draws).toBeGreaterThan(sharedCounts.bands)
  })
})
