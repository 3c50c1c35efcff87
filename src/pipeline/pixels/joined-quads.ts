import type { QuadKernel, QuadMemory as QuadMemoryWords, QuadProgram, ShaderOperations } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import { setTarget } from './color-stores.ts'
import { type InputProgramOptions, inputWords, quadWords } from './input-program.ts'
import type { PixelInputs } from './inputs.ts'
import type { PixelMerge, PlainTarget } from './merge.ts'
import { QUAD_MEMORY, type QuadMemory } from './quads.ts'
import { colorProgram, storeColors } from './store-program.ts'

/**
 * Interpolation, pixel shader and store as one program of quads, where the shader is some operations and nothing comes between it and
 * its target: the words between them stay in registers, and one loop goes over the quads.
 */

/** Quads from which it is worth code of its own. */
const MANY = 128

interface JoinedProgramOptions extends PlainTarget {
  readonly operations: ShaderOperations
  readonly inputs: InputProgramOptions
  /** Invocations of a column of the shader's registers. */
  readonly capacity: number
}

function joinedProgram({ operations, inputs, capacity, store, slot, slot1 }: JoinedProgramOptions): QuadProgram {
  const { program, view } = store
  const meaning = <V>(o: ValueOps<V>, m: QuadMemoryWords<V>): void => {
    const quad = quadWords(o, m, QUAD_MEMORY.shaded, inputs.rowLength)
    const masks = m.load(o.i32Add(quad.laneBytes, o.constant(QUAD_MEMORY.shaded.masks)), 1)[0]!
    const words = new Map<number, V>()
    inputWords(o, m, inputs, quad, (first, word) => void words.set(first / capacity, word))
    // Inputs that nothing feeds are 0.
    const outputs = m.outputsOf(operations, (n) => words.get(n) ?? o.constant(0))
    const register = (first: number): readonly V[] =>
      [0, 1, 2, 3].map((c) => (first < 0 ? o.constant(0) : outputs[first + c]!))
    const write = (): void =>
      storeColors(o, m, program, view, { source: register(slot), source1: register(slot1), masks })
    if (program.keepsDenormals) m.keepingDenormals(write)
    else write()
  }
  const stored = colorProgram(program, view, capacity, slot1 >= 0).key
  const key = JSON.stringify(['joined', { ...inputs, offsets: [...inputs.offsets] }, operations, stored, slot, slot1])
  return { key, meaning }
}

/** What the program is made of, once it is wanted. */
interface JoinedQuadsOptions {
  readonly operations: ShaderOperations
  readonly inputs: PixelInputs
  readonly merge: PixelMerge
  readonly capacity: number
}

export class JoinedQuads {
  readonly #memory: QuadMemory
  readonly #o: JoinedQuadsOptions
  #joined: { readonly kernel: QuadKernel; readonly store: PlainTarget['store'] } | undefined
  #isTried = false

  constructor(memory: QuadMemory, o: JoinedQuadsOptions) {
    this.#memory = memory
    this.#o = o
  }

  /** Shades and stores the quads that wait, all of plain triangles; false where that is not done here. */
  run(count: number): boolean {
    if (!this.#isTried && count >= MANY) this.#compile()
    if (this.#joined === undefined) return false
    setTarget(this.#memory, this.#joined.store)
    this.#joined.kernel.run(count, this.#memory.start)
    return true
  }

  #compile(): void {
    this.#isTried = true
    const { kernels, offsets } = this.#memory
    const { operations, inputs, merge, capacity } = this.#o
    const [options, target] = [inputs.programOptions, merge.plainTarget]
    if (kernels === undefined || options === undefined || target === undefined) return
    offsets.set(options.offsets)
    const kernel = kernels.quadKernelFor(joinedProgram({ ...target, operations, inputs: options, capacity }))
    if (kernel !== undefined) this.#joined = { kernel, store: target.store }
  }
}
