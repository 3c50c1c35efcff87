/** The state of a batch under way as plain data; an execution takes it and goes back to it. */
import { contentsByteLength, fitsContents, restoreContents, saveContents } from '../../../machine/index.ts'
import type { Batch } from '../../batch.ts'
import type { ExecutionSnapshot } from '../../contract.ts'
import type { FindingsState } from '../../findings.ts'
import { type BatchEvent, type BatchRun, type BatchStop, currentEntry, placeWave } from './batch-run.ts'
import { doesNotFit, restoreWave, saveWave, type WaveSnapshot, waveBytes } from './snapshot.ts'
import type { EmittedEvent, Wave } from './state.ts'

/** What a wave of a geometry shader has emitted so far, by lane. */
interface Emitted {
  readonly counts: Int32Array
  readonly events: readonly (readonly EmittedEvent[])[]
}

export interface BatchSnapshot extends ExecutionSnapshot {
  readonly engine: 'reference'
  /** What the snapshot fits: the batch's entry and size, and by entry the words of a wave and the statements of the code. */
  readonly entry: number
  readonly count: number
  readonly sizes: readonly (readonly [columnWords: number, statementCount: number])[]
  readonly done: number
  /** Undefined where the batch has ended. */
  readonly wave: WaveSnapshot | undefined
  readonly ofWave: Emitted
  readonly ofBatch: readonly BatchEvent[]
  /** What the invocations that have ended left, and where a pixel was discarded. */
  readonly outputs: Int32Array
  readonly discarded: Uint8Array
  readonly end: BatchStop | undefined
  /** By entry. */
  readonly threadInstructions: readonly number[]
  readonly findings: FindingsState
  readonly clock: number
}

const sizesOf = (r: BatchRun): BatchSnapshot['sizes'] =>
  r.entries.map(({ code }) => [code.columns.size, code.ops.length] as const)

const emittedBy = (w: Wave): Emitted => ({ counts: w.emitCounts.slice(), events: w.emitted.map((list) => [...list]) })

const discardedOf = ({ quads }: Batch): Uint8Array => quads?.discarded.slice() ?? new Uint8Array(0)

/** What a batch consists of now. Pages of resources that are as in `before` are shared with it. */
export function saveBatch(r: BatchRun, before: BatchSnapshot | undefined): BatchSnapshot {
  const { batch } = r
  if (batch === undefined) throw doesNotFit('a snapshot is of a batch, and none has been started')
  const { dispatch, wave, code } = r.entries[batch.entry]!
  const contents = dispatch.pages?.save() ?? saveContents(dispatch.bindings, before?.contents)
  const saved = currentEntry(r) === undefined ? undefined : saveWave(wave, code.columns)
  const [outputs, discarded] = [batch.outputs.slice(), discardedOf(batch)]
  const ownByteLength = (saved === undefined ? 0 : waveBytes(saved)) + outputs.byteLength + discarded.byteLength
  return {
    engine: 'reference',
    entry: batch.entry,
    count: batch.count,
    sizes: sizesOf(r),
    done: r.done,
    wave: saved,
    ofWave: emittedBy(wave),
    ofBatch: [...r.emitted],
    outputs,
    discarded,
    end: r.end,
    threadInstructions: r.entries.map((e) => e.dispatch.threadInstructions),
    findings: dispatch.findings.save(),
    contents,
    clock: dispatch.clock.statements,
    ownByteLength,
    byteLength: ownByteLength + contentsByteLength(contents, before?.contents),
  }
}

function requireFit(r: BatchRun, snapshot: ExecutionSnapshot): asserts snapshot is BatchSnapshot {
  const s = snapshot as Partial<BatchSnapshot>
  const { batch } = r
  const fits =
    batch !== undefined &&
    s.engine === 'reference' &&
    s.entry === batch.entry &&
    s.count === batch.count &&
    JSON.stringify(s.sizes) === JSON.stringify(sizesOf(r)) &&
    s.outputs?.length === batch.outputs.length &&
    s.contents !== undefined &&
    fitsContents(r.entries[0]!.dispatch.bindings, s.contents)
  if (!fits)
    throw doesNotFit('the snapshot is of another shader, other options, bindings or invocations than the execution')
}

/** Makes a batch what it was when a snapshot was taken. */
export function restoreBatch(r: BatchRun, snapshot: ExecutionSnapshot): BatchSnapshot {
  requireFit(r, snapshot)
  const batch = r.batch!
  const entry = r.entries[batch.entry]!
  const { dispatch, wave } = entry
  r.done = snapshot.done
  r.emitted = [...snapshot.ofBatch]
  r.end = snapshot.end
  if (snapshot.wave !== undefined) {
    placeWave(r, entry, batch)
    restoreWave(wave, snapshot.wave)
  }
  wave.emitCounts.set(snapshot.ofWave.counts)
  wave.emitted = snapshot.ofWave.events.map((list) => [...list])
  batch.outputs.set(snapshot.outputs)
  batch.quads?.discarded.set(snapshot.discarded)
  for (const [i, count] of snapshot.threadInstructions.entries()) r.entries[i]!.dispatch.threadInstructions = count
  dispatch.clock.statements = snapshot.clock
  dispatch.findings.restore(snapshot.findings)
  if (dispatch.pages === undefined) restoreContents(dispatch.bindings, snapshot.contents)
  else dispatch.pages.restore(snapshot.contents)
  return snapshot
}
