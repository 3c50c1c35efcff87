import type { QuadBatch } from '../../../batch.ts'
import { MAX_SAMPLES } from '../../../lower/index.ts'

/** What pixel shaders have beside registers, in the columns behind their inputs and outputs. */

const POSITIONS = new Float32Array(MAX_SAMPLES * 2)
const POSITION_WORDS = new Int32Array(POSITIONS.buffer)

/** Says which pixels of a batch are helpers, from word `at` of the inputs on. */
export function fillHelpers(helpers: Uint8Array, first: number, count: number, inputs: Int32Array, at: number): void {
  for (let i = 0; i < count; i++) inputs[at + i] = -helpers[first + i]!
}

/** Says how many samples the rasterizer has, and where. */
export function fillSamples(quads: QuadBatch, inputs: Int32Array, at: number): void {
  inputs[at] = quads.sampleCount
  POSITIONS.fill(0)
  for (let i = 0; i < Math.min(quads.sampleCount, MAX_SAMPLES); i++) {
    const [x, y] = quads.samplePosition(i)
    POSITIONS[i * 2] = x
    POSITIONS[i * 2 + 1] = y
  }
  inputs.set(POSITION_WORDS, at + 1)
}

/** Marks the pixels that were discarded. */
export function takeDiscarded(outputs: Int32Array, at: number, count: number, quads: QuadBatch, first: number): void {
  const { helpers, discarded } = quads
  for (let i = 0; i < count; i++) {
    if (outputs[at + i] === 0 && helpers[first + i] === 0) discarded[first + i] = 1
  }
}
