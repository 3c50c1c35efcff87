import { type Engine, type EngineFactory, type EngineOptions, withFallback } from './engine/index.ts'
import { createReferenceEngine } from './engine/reference/index.ts'
import { tryCreateWasmEngine } from './engine/wasm/index.ts'

/** Names of the engines that come with the package. */
export type EngineName = 'wasm' | 'reference'

export const DEFAULT_ENGINE: EngineName = 'wasm'

/** Compiled code, and the reference engine for what there is no code for, or no WebAssembly. */
function createCompilingEngine(options: EngineOptions): Engine {
  const reference = createReferenceEngine(options)
  const compiling = tryCreateWasmEngine(options)
  return compiling === undefined ? reference : withFallback(compiling, reference)
}

export const ENGINES: Readonly<Record<EngineName, EngineFactory>> = {
  wasm: createCompilingEngine,
  reference: createReferenceEngine,
}
