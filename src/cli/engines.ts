import { diagnostic, type Outcome } from '../diagnostic/index.ts'
import type { Engine, EngineFactory } from '../engine/index.ts'

/** The engine that tells observers of everything. */
export const DEFAULT_CHECK_ENGINE = 'reference'

/** An engine by name; the package's default where none is named. Engines are loaded when one is asked for. */
export async function openEngine(name?: string, threads?: number): Promise<Outcome<Engine>> {
  const { DEFAULT_ENGINE, ENGINES } = await import('../engines.ts')
  const known: Readonly<Record<string, EngineFactory>> = ENGINES
  const asked = name ?? DEFAULT_ENGINE
  const create = Object.hasOwn(known, asked) ? known[asked] : undefined
  if (create === undefined) {
    const names = Object.keys(known).join(', ')
    const text = `there is no engine ${JSON.stringify(asked)}; there are ${names}`
    return { diagnostics: [diagnostic('job-engine', text)] }
  }
  return { value: create(threads === undefined ? {} : { threads }), diagnostics: [] }
}
