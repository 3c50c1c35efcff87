import type { ElementKernels } from '../engine/index.ts'
import type { Allocation } from '../machine/index.ts'
import type { CodeHistory } from './code-history.ts'
import { ColumnCode } from './column-code.ts'
import { compileThresholds } from './compile-thresholds.ts'

/** Memory of the engine for the vertices of a draw, where its compiled code reads them. */

export class VertexMemory {
  readonly kernels: ElementKernels
  /** Copies vertices to columns and back. */
  readonly code: ColumnCode
  readonly #taken: { readonly allocation: Allocation; readonly byteLength: number }[] = []

  constructor(kernels: ElementKernels, history?: CodeHistory) {
    this.kernels = kernels
    this.code = new ColumnCode(kernels, history)
  }

  /** At least so many words, with whatever they hold, until the draw ends. */
  take(wordCount: number): Int32Array {
    if (wordCount < compileThresholds.vertexWords) return new Int32Array(wordCount)
    // Lengths of few sizes are found again by the next draw.
    const length = 2 ** Math.ceil(Math.log2(wordCount))
    const allocation = this.kernels.allocate(length * 4)
    if (allocation === undefined) return new Int32Array(wordCount)
    this.#taken.push({ allocation, byteLength: length * 4 })
    return new Int32Array(allocation.buffer, allocation.byteOffset, length)
  }

  /** Gives back what nothing reads any more. */
  dispose(): void {
    for (const { allocation, byteLength } of this.#taken) this.kernels.release(allocation, byteLength)
    this.#taken.length = 0
    this.code.dispose()
  }
}
