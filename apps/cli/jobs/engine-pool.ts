import type { Diagnostic } from '../../../src/diagnostic/index.ts'
import type { Engine } from '../../../src/engine/index.ts'
import type { Job } from '../../../src/job/index.ts'
import { openEngine } from '../engines.ts'

/** Engines by their options, so that several jobs share one. */
export function enginePool(tune: boolean) {
  const open = new Map<string, Engine>()
  return {
    async get(job: Pick<Job, 'options'>): Promise<{ engine?: Engine; diagnostics: readonly Diagnostic[] }> {
      const { engine: name, threads } = job.options
      const key = `${name} ${threads}`
      const known = open.get(key)
      if (known !== undefined) return { engine: known, diagnostics: [] }
      const { value, diagnostics } = await openEngine(name, { threads, tune })
      if (value === undefined) return { diagnostics }
      open.set(key, value)
      return { engine: value, diagnostics }
    },
    close(): void {
      for (const engine of open.values()) engine.dispose?.()
    },
  }
}

export type EnginePool = ReturnType<typeof enginePool>
