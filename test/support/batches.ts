import type { Batch, BatchExecution, QuadBatch } from '../../src/engine/index.ts'
import { bits } from './draw-text.ts'

/** Batches of stages without a pipeline around them. */

export function batchOf(e: BatchExecution, count: number, entry = 0, more: Partial<Batch> = {}): Batch {
  const { inputs, outputs } = e.layouts[entry]!
  return {
    entry,
    count,
    capacity: count,
    inputs: new Int32Array(inputs.slotCount * count),
    outputs: new Int32Array(outputs.slotCount * count),
    describe: (i) => `invocation ${i}`,
    ...more,
  }
}

/** Quads whose attributes at chosen places tell the place. */
export function quadsOf(count: number, helpers: readonly number[] = []): QuadBatch {
  const marks = new Uint8Array(count)
  for (const h of helpers) marks[h] = 1
  return {
    helpers: marks,
    discarded: new Uint8Array(count),
    sampleCount: 4,
    samplePosition: (index) => (index < 4 ? [index / 16, -index / 16] : [0, 0]),
    pixelOf: (i) => `${i}`,
    depth: () => 0,
    attributes: {
      snapped: (i, r, c, u, v) => bits(i * 1000 + r * 100 + c * 10 + u + v / 16),
      sample: (i, r, c, index) => bits(i * 1000 + r * 100 + c * 10 + index),
      centroid: (i, r, c) => bits(i * 1000 + r * 100 + c * 10 + 5),
    },
  }
}
