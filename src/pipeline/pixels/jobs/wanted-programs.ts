import { appendAll } from '../../../diagnostic/index.ts'
import type { ElementKernels } from '../../../engine/index.ts'

/**
 * Programs that a draw is about to need. They are made one at a time, between two places where the draw may yield to its host: several one
 * behind the other would hold it for a tenth of a second in a new process.
 */
export class WantedPrograms {
  readonly #kernels: Pick<ElementKernels, 'programCount'> | undefined
  readonly #steps: (() => void)[] = []

  constructor(kernels: Pick<ElementKernels, 'programCount'> | undefined) {
    this.#kernels = kernels
  }

  /** Asks for programs, each of which a step makes. */
  want(steps: readonly (() => void)[]): void {
    appendAll(this.#steps, steps)
  }

  get areAny(): boolean {
    return this.#steps.length > 0
  }

  /** Makes those that come next up to one that had to be compiled; false where there was no such. */
  makeNext(): boolean {
    const before = this.#kernels?.programCount
    while (this.areAny) {
      this.#steps.shift()!()
      if (this.#kernels?.programCount !== before) return true
    }
    return false
  }
}
