/** Who accessed a resource in a draw, in all of its stages. */
import type { ResolvedBindings } from '../../machine/index.ts'
import { AccessIndex, type IndexTarget } from '../accesses.ts'
import type { Clock } from '../model.ts'
import type { Task } from '../task.ts'
import type { BatchChanges, KeptBatch } from './batches.ts'
import { capturing } from './capture.ts'
import type { RepeatedDraw } from './draw-run.ts'

/** Runs the draw once and writes down every access to a resource, with clocks of the draw; undefined where it was canceled. */
export async function drawAccesses(
  draw: RepeatedDraw,
  batches: readonly KeptBatch[],
  changes: BatchChanges,
  target: IndexTarget,
  options: { readonly loads: boolean; readonly maxBytes: number },
  task: Task,
): Promise<AccessIndex | undefined> {
  let at = -1
  let ofBatch = (): Clock => 0
  const moment = {
    get clock(): Clock {
      return batches[at]!.first + ofBatch()
    },
  }
  draw.rewind()
  const bindings = [...new Set<ResolvedBindings>(batches.map((b) => b.captured.bindings))]
  const { declarations } = batches[0]!.captured.loaded
  const index = new AccessIndex(target, bindings, declarations, moment, options)
  const engine = capturing(draw.source.engine, {
    begins: (_, clock) => {
      at++
      ofBatch = clock
    },
    changesOf: (n) => changes.get(n) ?? [],
    changed: () => index.resync(),
  })
  const result = await draw.run(engine, task, { options: { observerOf: () => index.observer } })
  draw.rewind()
  if (result === undefined) return undefined
  index.requireRoom()
  return index
}
