import { failure, type Outcome, outcomeOf } from '../../src/diagnostic/index.ts'
import type { Engine } from '../../src/engine/index.ts'

/** The engine that calls observers. */
export const DEFAULT_CHECK_ENGINE = 'reference'

/** `HEDDLE_TUNE=1` has the effect of `--tune`. */
export const isTuningRequested = (option: boolean | undefined): boolean => option ?? process.env.HEDDLE_TUNE === '1'

/** How an engine is opened. */
interface OpenOptions {
  readonly threads?: number | undefined
  /** Turns on what makes compiled code faster in this runtime (tune.ts). */
  readonly tune?: boolean
}

/** An engine by name; the package's default where none is named. Engines are loaded when one is requested. */
export async function openEngine(name?: string, { threads, tune }: OpenOptions = {}): Promise<Outcome<Engine>> {
  const { engineNamed, ENGINES } = await import('../../src/host/index.ts')
  const { value: create, diagnostics: unknown } = engineNamed(name)
  if (create === undefined) return failure(unknown)
  if (tune !== true || create === ENGINES.reference) return outcomeOf(create({ threads }))
  const { tuneRuntime } = await import('./tune.ts')
  const { pairs, failed, diagnostics } = await tuneRuntime()
  const tuned = failed ? ENGINES.reference : create
  return outcomeOf(tuned({ threads, pairs }), diagnostics)
}
