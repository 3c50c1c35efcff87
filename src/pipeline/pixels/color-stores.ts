import type { QuadKernel, QuadProgram } from '../../engine/index.ts'
import { compileThresholds } from '../compile-thresholds.ts'
import type { ColorMerge, CompilableStore, MergedColors } from '../merge/index.ts'
import { type WantedProgram, wantedProgram } from './jobs/wanted-programs.ts'
import { PARAMETER, type QuadMemory } from './quads.ts'
import { colorProgram } from './store-program.ts'

/** Colors of shaded quads into render targets: by code of the engine where there are many, else by numbers. */

/** Quads of a batch with their colors one behind the other, or those of which the shader kept a pixel, by their numbers. */
type StoredQuads = 'all' | 'kept'

interface Compiled {
  readonly store: CompilableStore
  readonly kernel: QuadKernel
}

/** Sets what programs that store to a target read of it. */
export function setTarget({ parameters, start }: QuadMemory, { view, blendFactor }: CompilableStore): void {
  parameters[PARAMETER.target] = view.storage.byteOffset + view.byteOffset - start
  parameters[PARAMETER.targetSlice] = view.slicePitch
  parameters.set(blendFactor, PARAMETER.blendFactor)
}

export class ColorStores {
  readonly #memory: QuadMemory
  readonly #colors: ColorMerge
  /** By target; null where there is no code. */
  readonly #compiled = { all: new Map<number, Compiled | null>(), kept: new Map<number, Compiled | null>() }

  constructor(memory: QuadMemory, colors: ColorMerge) {
    this.#memory = memory
    this.#colors = colors
  }

  /** Writes the quads that were shaded to a target. */
  write(target: number, colors: MergedColors): void {
    const { count, x, y, slices, written } = this.#memory.shaded
    const compiled = this.#compiledOf('all', target, count, colors)
    if (compiled === null) this.#colors.write(target, { count, x, y, slices, masks: written }, colors)
    else this.#run(compiled, count, colors)
  }

  /** The code that writes many quads to a target. */
  wantedFor(which: StoredQuads, target: number, colors: MergedColors): WantedProgram {
    return wantedProgram(
      () => void this.#compiledOf(which, target, compileThresholds.quads, colors),
      () => this.#programOf(which, this.compilable(target), colors),
    )
  }

  /** Whether there is code that writes kept quads to a target. */
  writesKept(target: number, colors: MergedColors): boolean {
    return this.#compiledOf('kept', target, compileThresholds.quads, colors) !== null
  }

  /** Writes the quads of which a pixel was kept, where `writesKept`. */
  writeKept(target: number, colors: MergedColors): void {
    const { count } = this.#memory.shaded
    if (count > 0) this.#run(this.#compiledOf('kept', target, compileThresholds.quads, colors)!, count, colors)
  }

  #compiledOf(which: StoredQuads, target: number, count: number, colors: MergedColors): Compiled | null {
    const known = this.#compiled[which].get(target)
    if (known !== undefined) return known
    if (count < compileThresholds.quads) return null
    const made = this.#compile(which, target, colors)
    this.#compiled[which].set(target, made)
    return made
  }

  /** What code needs that stores to a target; undefined where numbers do it. */
  compilable(target: number): CompilableStore | undefined {
    const store = this.#colors.compilable(target)
    const reaches = store && this.#memory.kernels?.reaches(store.view.storage.buffer)
    return reaches === true ? store : undefined
  }

  #programOf(
    which: StoredQuads,
    store: CompilableStore | undefined,
    { words, stride, first, first1 }: MergedColors,
  ): QuadProgram | undefined {
    if (store === undefined || first < 0 || this.#memory.kernels?.reaches(words.buffer) !== true) return undefined
    return colorProgram(store, stride, first1 >= 0, which === 'kept')
  }

  #compile(which: StoredQuads, target: number, colors: MergedColors): Compiled | null {
    const store = this.compilable(target)
    const program = this.#programOf(which, store, colors)
    const kernel = program && this.#memory.kernels?.quadKernelFor(program)
    return store === undefined || kernel === undefined ? null : { store, kernel }
  }

  #run(compiled: Compiled, count: number, { words, first, first1 }: MergedColors): void {
    const { parameters, start } = this.#memory
    const colors = words.byteOffset - start
    parameters[PARAMETER.source] = colors + first * 4
    parameters[PARAMETER.source1] = colors + first1 * 4
    setTarget(this.#memory, compiled.store)
    compiled.kernel.run(count, start)
  }
}
