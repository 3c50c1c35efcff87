import type { QuadBatch } from '../../batch.ts'
import { MAX_SAMPLES } from '../../lower/index.ts'

/** What pixel shaders have beside registers, in the columns behind their inputs and outputs. */

/** Says which pixels of a batch are helpers, from word `at` of the inputs on. */
export function fillHelpers(helpers: Uint8Array, first: number, count: number, inputs: Int32Array, at: number): void {
  for (let i = 0; i < count; i++) inputs[at + i] = -helpers[first + i]!
}

/** Says how many samples the rasterizer has, and where. */
export function fillSamples(quads: QuadBatch, inputs: Int32Array, at: number): void {
  const floats = new Float32Array(inputs.buffer, inputs.byteOffset, inputs.length)
  inputs[at] = quads.sampleCount
  floats.fill(0, at + 1, at + 1 + MAX_SAMPLES * 2)
  for (let i = 0; i < Math.min(quads.sampleCount, MAX_SAMPLES); i++) {
    const [x, y] = quads.samplePosition(i)
    floats[at + 1 + i * 2] = x
    floats[at + 2 + i * 2] = y
  }
}

/** Marks the pixels that were discarded. */
export function takeDiscarded(outputs: Int32Array, at: number, count: number, quads: QuadBatch, first: number): void {
  const { helpers, discarded } = quads
  for (let i = 0; i < count; i++) {
    if (outputs[at + i] === 0 && helpers[first + i] === 0) discarded[first + i] = 1
  }
}
