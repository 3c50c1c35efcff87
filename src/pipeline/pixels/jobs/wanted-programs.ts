import { appendAll } from '../../../diagnostic/index.ts'
import { type ElementKernels, inLongerParts, type QuadProgram } from '../../../engine/index.ts'

/** Milliseconds that a program is compiled between two looks of the draw whether it is to yield. */
const PART_MS = 8

/** A program that a draw is about to need, or may need. */
export interface WantedProgram<Taken = void> {
  /** What is compiled in parts, asked when its turn comes; undefined where nothing is, or where it is short. */
  readonly program?: (() => QuadProgram | undefined) | undefined
  /** Takes its code, and makes what is not there yet. */
  readonly take: () => Taken
}

/** As arguments functions are made like other objects: as properties they would be kept up to the next collection of everything. */
export const wantedProgram = <Taken>(take: () => Taken, program?: WantedProgram['program']): WantedProgram<Taken> => ({
  program,
  take,
})

type Kernels = Pick<ElementKernels, 'programCount' | 'has' | 'compileInParts'>

/**
 * Programs that a draw is about to need. They are made in parts, between which the draw may yield to its host: a long one, or several
 * one behind the other, would hold it for a tenth of a second in a new process.
 */
export class WantedPrograms {
  readonly #kernels: Kernels | undefined
  readonly #wanted: WantedProgram[] = []
  /** What is left of the first of them, once it is begun. */
  #parts: Generator<void, void> | undefined

  constructor(kernels: Kernels | undefined) {
    this.#kernels = kernels
  }

  /** Asks for programs, in this order. */
  want(programs: readonly WantedProgram[]): void {
    appendAll(this.#wanted, programs)
  }

  /** As `want`; what is compiled is taken at once. */
  wantUnlessMade(program: QuadProgram, take: () => void): void {
    if (this.#kernels?.has(program) === true) take()
    else this.#wanted.push(wantedProgram(take, () => program))
  }

  get areAny(): boolean {
    return this.#wanted.length > 0
  }

  /** Goes on with those that come next up to a part of one that has to be compiled; false where there is no such. */
  makeNext(): boolean {
    const before = this.#kernels?.programCount
    while (this.areAny) {
      const next = this.#wanted[0]!
      this.#parts ??= this.#partsOf(next)
      if (this.#parts.next().done !== true) return true
      this.#parts = undefined
      this.#wanted.shift()
      next.take()
      if (this.#kernels?.programCount !== before) return true
    }
    return false
  }

  *#partsOf({ program }: WantedProgram): Generator<void, void> {
    const kernels = this.#kernels
    if (kernels === undefined) return
    const needed = program?.()
    if (needed !== undefined) yield* inLongerParts(kernels.compileInParts(needed), PART_MS)
  }
}
