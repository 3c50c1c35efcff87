import { diagnostic, failure, type Outcome, outcomeOf, present } from '../diagnostic/index.ts'
import { type Engine, type EngineFactory, type EngineOptions, inPlaceOf, withFallback } from '../engine/index.ts'
import { createReferenceEngine } from '../engine/reference/index.ts'
import { tryCreateWasmEngine } from '../engine/wasm/index.ts'

/** Names of the engines that come with the package. */
export type EngineName = 'wasm' | 'reference'

export const DEFAULT_ENGINE: EngineName = 'wasm'

/**
 * The module that workers run their part of draws with, which lies beside this one. A bundle that leaves it out, or in which
 * this module has no place, draws on one thread.
 */
function workerModule(): string | undefined {
  try {
    return new URL('./draw-worker.js', import.meta.url).href
  } catch {
    return undefined
  }
}

/** Compiled code, and the reference engine for what there is no code for, or no WebAssembly. */
function createCompilingEngine(options: EngineOptions): Engine {
  const reference = createReferenceEngine(options)
  const compiling = tryCreateWasmEngine({ workerModule: workerModule(), ...present(options) })
  if (compiling !== undefined) return withFallback(compiling, reference)
  return inPlaceOf(reference, 'this host lacks WebAssembly SIMD or shared memory')
}

export const ENGINES: Readonly<Record<EngineName, EngineFactory>> = {
  wasm: createCompilingEngine,
  reference: createReferenceEngine,
}

/** An engine by the name that a user gives; the package's default where none is given. */
export function engineNamed(name: string = DEFAULT_ENGINE): Outcome<EngineFactory> {
  const known: Readonly<Record<string, EngineFactory>> = ENGINES
  const value = Object.hasOwn(known, name) ? known[name] : undefined
  if (value !== undefined) return outcomeOf(value)
  const text = `there is no engine ${JSON.stringify(name)}; there are ${Object.keys(known).join(', ')}`
  return failure([diagnostic('job-engine', text)])
}
