import { controlOf, SYNC, SYNC_THREADS } from '../../isa/index.ts'
import { place, type Site } from '../context.ts'
import { divergentSyncs } from '../divergence.ts'
import { programRule, type Rule } from '../rule.ts'

const waitsForThreads = (site: Site): boolean =>
  site.row.traits.kind === 'sync' && (controlOf(site.instruction.controls, SYNC) & SYNC_THREADS) !== 0

export const SYNC_RULES: readonly Rule[] = [
  programRule('validate-divergent-sync', (context, report) => {
    for (const site of divergentSyncs(context, waitsForThreads)) {
      report('sync waits for all threads of the group where a condition depends on the thread.', place(site))
    }
  }),
]
