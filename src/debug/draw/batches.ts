/** The batches of a draw, each with what the draw had written when it began. */
import type { PixelPlace } from '../../engine/index.ts'
import type { ResolvedBindings } from '../../machine/index.ts'
import type { DrawResult, ShaderStage } from '../../pipeline/index.ts'
import type { Clock, RecordedChange, RecordedFinding } from '../model.ts'
import type { Task } from '../task.ts'
import { type CapturedBatch, capturing } from './capture.ts'
import { type DrawMemory, type RepeatedDraw, tooLarge } from './draw-run.ts'

/** One batch of a draw: which invocations of which stage ran together, and when. */
export interface DrawBatch {
  readonly stage: ShaderStage
  /** Phase of a hull shader; 0 for the other stages. */
  readonly entry: number
  readonly invocations: number
  /** The clock at which it begins. */
  readonly first: Clock
  readonly statements: number
  readonly bindings: ResolvedBindings
  /** What people call an invocation: `vertex 12 of instance 3`. */
  describe(invocation: number): string
  /** Of pixels: it runs for the derivatives of its neighbors only. */
  isHelper(invocation: number): boolean
  /** Of pixels: where it is, and of which primitive. */
  placeOf(invocation: number): PixelPlace | undefined
}

export interface KeptBatch extends DrawBatch {
  readonly captured: CapturedBatch
  readonly memory: DrawMemory
}

/** The batches of a draw, with what it gave and left. */
export interface DrawRecording {
  readonly batches: readonly KeptBatch[]
  readonly result: DrawResult
  readonly end: DrawMemory
}

/** A finding, and the batches that its two sides are in. */
export interface DrawFinding extends RecordedFinding {
  readonly batch: KeptBatch
  readonly otherBatch: KeptBatch | undefined
}

/** What a user changed, by batch; clocks count from the batch's begin. */
export type BatchChanges = ReadonlyMap<number, readonly RecordedChange[]>

/** A name of an invocation, and what else belongs to it. */
const INVOCATION_BYTES = 128

/** Runs the draw and keeps its batches; undefined where it was canceled. Changes that were made are added to `made`. */
export async function keptBatches(
  draw: RepeatedDraw,
  changes: BatchChanges,
  maxByteLength: number,
  task: Task,
  made = new Set<RecordedChange>(),
): Promise<DrawRecording | undefined> {
  const found: Pick<KeptBatch, 'captured' | 'memory'>[] = []
  let bytes = 0
  const begins = (captured: CapturedBatch): void => {
    const { batch } = captured
    bytes += batch.inputs.byteLength + batch.outputs.byteLength + batch.count * INVOCATION_BYTES
    if (bytes > maxByteLength) throw tooLarge(`the batches of the draw take more than ${maxByteLength} bytes`)
    found.push({ captured, memory: draw.save() })
  }
  const engine = capturing(draw.source.engine, {
    begins,
    changesOf: (n) => changes.get(n) ?? [],
    changed: (c) => made.add(c),
  })
  const result = await draw.run(engine, task)
  const end = draw.save()
  draw.rewind()
  return result === undefined ? undefined : { batches: withClocks(found), result, end }
}

function withClocks(found: readonly Pick<KeptBatch, 'captured' | 'memory'>[]): KeptBatch[] {
  let clock = 0
  return found.map(({ captured, memory }) => {
    const { batch, loaded, statements } = captured
    const first = clock
    clock += statements
    return {
      stage: loaded.declarations.stage.kind as ShaderStage,
      entry: batch.entry,
      invocations: batch.count,
      first,
      statements,
      bindings: captured.bindings,
      describe: (i) => batch.describe(i),
      isHelper: (i) => batch.quads?.helpers[i] === 1,
      placeOf: (i) => batch.quads?.place?.(i),
      captured,
      memory,
    }
  })
}

/** The invocation of a batch that people call by a name; undefined where it has none of that name. */
export function invocationNamed(batch: DrawBatch, name: string): number | undefined {
  for (let i = 0; i < batch.invocations; i++) if (batch.describe(i) === name) return i
  return undefined
}
