import type { Engine } from '../../src/engine/index.ts'
import { createWasmEngineWith, type WasmEngineOptions } from '../../src/engine/wasm/run/engine.ts'
import { WorkerPool } from '../../src/engine/wasm/run/workers/pool.ts'
import { workerModule } from './worker-module.ts'

/** As `baselineMs` of an engine less than any batch takes: shaders go on in optimized code from their second batch on. */
export const BRIEF_MS = 1e-6

/**
 * A compiled engine for random programs. Where it has several threads, its workers take part in every dispatch of several
 * groups, and with a module for them in every draw: by itself an engine leaves dispatches as short as these to the calling thread.
 */
export function createSharingEngine(options: WasmEngineOptions & { readonly threads: number }): Engine {
  return createWasmEngineWith({ ...options, startNow: options.threads > 1, minSharedMs: 0 })
}

export type EnginesByThreads = Readonly<Record<1 | 2 | 3, Engine>>

/** Engines of one, two and three threads, of which workers take part in every draw of the last two. To be disposed of. */
export async function enginesByThreads(): Promise<EnginesByThreads> {
  const module = await workerModule()
  return {
    1: createWasmEngineWith({ threads: 1 }),
    2: createSharingEngine({ threads: 2, workerModule: module }),
    3: createSharingEngine({ threads: 3, workerModule: module }),
  }
}

/** Counts the dispatches from now on that workers have a part in. */
export function countSharedDispatches(): () => number {
  let count = 0
  const { run } = WorkerPool.prototype
  WorkerPool.prototype.run = function (job) {
    const isShared = run.call(this, job)
    if (isShared) count++
    return isShared
  }
  return () => count
}
