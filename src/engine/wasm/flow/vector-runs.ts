import type { Item, Value } from '../../ir/index.ts'
import type { Emitter } from '../emit/emitter.ts'
import type { Mask } from '../emit/kernel-layout.ts'
import { I32 } from '../encode/assembler.ts'
import { OP, SIMD } from '../encode/opcodes.ts'
import { define, emitChunks, emitRolledRun, isOfOneVector, MIN_ROLLED } from './rolled-runs.ts'
import { runChunks } from './run-chunks.ts'

/**
 * Runs of operations of lanes, emitted for one vector of the wave after the other in chunks. V8 (11.3) orders the operations of a block by how far
 * they are from its end, so that all vectors of a wave advance together and most of what they compute is spilled. A branch that
 * skips a chunk where no lane of its vector runs keeps the chunk's operations together: what is alive between chunks is little, and chunks
 * of several vectors fit what a processor looks ahead, so that none of them waits for its longest chain.
 */

/**
 * Operations of lanes, flushes aside, from which a run in a loop is emitted so, or one outside of loops, and operations of a chunk, about.
 * A processor looks far enough ahead for shorter ones (deferred, 103 in its loop: 1.15 of its time in chunks; raymarch, 149: 0.8).
 */
const USUAL = { inLoop: 128, rolled: MIN_ROLLED, chunk: 12 }
/** The same in engines of tests, whose programs are short. */
const SHORT = { inLoop: 3, rolled: 4, chunk: 3 }
const sizesOf = ({ settings }: Emitter): typeof USUAL => (settings.vectorRuns === 'short' ? SHORT : USUAL)

/** How much code was emitted so in this process: runs as loops, chunks that are skipped where no lane runs, and chunks that are not. */
export const vectorRunCounts = { rolled: 0, skipped: 0, always: 0 }

/** A run of items, all of them values. */
interface VectorRun {
  readonly end: number
  readonly values: readonly Value[]
  readonly inLoop: boolean
}

/** Runs of a list of items that are worth it, by where they begin. */
export function findVectorRuns(
  e: Emitter,
  items: readonly Item[],
  mask: Mask,
  inLoop: boolean,
): ReadonlyMap<number, VectorRun> {
  const found = new Map<number, VectorRun>()
  if (mask === 'full' || e.width === 1 || e.settings.vectorRuns === 'none') return found
  if (e.settings.pairs || e.assertions !== undefined) return found
  const sizes = sizesOf(e)
  for (let first = 0; first < items.length; first++) {
    let end = first
    let count = 0
    for (; end < items.length; end++) {
      const item = items[end]!
      if (item.kind !== 'value' || !isOfOneVector(e, item.value)) break
      if (item.value.op !== 'flushDenormal' && e.isVarying(item.value)) count++
    }
    if (count >= (inLoop ? sizes.inLoop : sizes.rolled)) {
      const values = items.slice(first, end).flatMap((item) => (item.kind === 'value' ? item.value : []))
      found.set(first, { end, values, inLoop })
    }
    first = end
  }
  return found
}

/**
 * One chunk of a run, for each vector of the wave. What is skipped leaves zeros, except where addresses depend on it: accesses of lanes that
 * do not run rely on what is known of addresses, too. Such chunks are never skipped, but keep a branch that the host cannot foresee.
 */
function emitChunk(e: Emitter, chunk: readonly Value[], outputs: readonly Value[], flags: readonly number[]): void {
  const { f } = e
  const addressInputs = e.settings.addressInputs()
  const skips = !chunk.some((v) => addressInputs.has(v))
  vectorRunCounts[skips ? 'skipped' : 'always']++
  e.again(outputs)
  e.byParts(chunk, (i) => {
    for (const v of outputs) {
      e.pushConstant(0)
      f.set(e.vectorLocals(v)[i]!)
    }
    f.block((end) => {
      f.get(skips ? flags[i]! : e.scratch)
        .op(OP.i32Eqz)
        .brIf(end)
      e.scope(() => {
        for (let n = 0; n < chunk.length; n++) define(e, chunk[n]!)
      })
    })
    return () => {}
  })
}

/** Emits a run for the lanes of a mask. */
export function emitVectorRun(e: Emitter, run: VectorRun, mask: readonly number[]): void {
  const { f } = e
  const lanes = run.values.filter((v) => e.isVarying(v))
  for (let n = 0; n < run.values.length; n++) if (!e.isVarying(run.values[n]!)) define(e, run.values[n]!)
  if (!run.inLoop) {
    if (emitRolledRun(e, lanes, sizesOf(e).chunk)) vectorRunCounts.rolled++
    else for (const v of lanes) define(e, v)
    return
  }
  const flags = mask.map((m) => {
    const flag = f.local(I32)
    f.get(m).simd(SIMD.anyTrue).set(flag)
    return flag
  })
  emitChunks(e, runChunks(lanes, sizesOf(e).chunk), (chunk, outputs) => emitChunk(e, chunk, outputs, flags))
}
