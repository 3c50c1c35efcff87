import { type Diagnostic, diagnostic, type Outcome } from '../diagnostic/index.ts'
import type { Engine, EngineFactory } from '../engine/index.ts'

/** The engines by name, loaded when asked for. The first is the default. */
const ENGINES: Readonly<Record<string, () => Promise<EngineFactory>>> = {
  reference: async () => (await import('../engine/reference/index.ts')).createReferenceEngine,
  wasm: async () => (await import('../engine/wasm/index.ts')).createWasmEngine,
}

export const ENGINE_NAMES: readonly string[] = Object.keys(ENGINES)
export const DEFAULT_ENGINE = ENGINE_NAMES[0]!
/** The engine that tells observers of everything. */
export const DEFAULT_CHECK_ENGINE = 'reference'

/** An engine by name. */
export async function openEngine(name: string = DEFAULT_ENGINE, threads?: number): Promise<Outcome<Engine>> {
  const load = Object.hasOwn(ENGINES, name) ? ENGINES[name] : undefined
  if (load === undefined) {
    const known = `there are ${ENGINE_NAMES.join(', ')}`
    const found: Diagnostic[] = [diagnostic('job-engine', `there is no engine ${JSON.stringify(name)}; ${known}`)]
    return { diagnostics: found }
  }
  const create = await load()
  return { value: create(threads === undefined ? {} : { threads }), diagnostics: [] }
}
