import type { Allocation } from '../../../machine/index.ts'
import {
  type ElementKernels,
  QUADS_OF_A_CALL,
  type QuadKernel,
  type QuadProgram,
  type Words,
} from '../../element-kernels.ts'
import { passed } from '../../ir/index.ts'
import { Unsupported } from '../../lower/index.ts'
import { runPartsAtOnce } from '../../next-task.ts'
import { HEADER, HEADER_WORDS } from '../emit/kernel-layout.ts'
import type { WasmMemory } from './memory.ts'
import type { Pipeline, PipelineCompiler } from './pipeline.ts'
import { lowerQuads } from './quad-program.ts'
import type { StageMemories } from './stages/stage-memories.ts'

/** The fixed function as compiled code: programs of quads become kernels whose threads are pixels. */

/** Programs that are kept: draws have few states, with some programs each. */
const MAX_KERNELS = 512

/** Of a compiled program only its function is kept: its values would outlive it by far, and be moved by each collection. */
class WasmQuadKernel implements QuadKernel {
  readonly #run: Pipeline['run']
  readonly #descriptor: Uint32Array
  readonly #scratch: number

  constructor(run: Pipeline['run'], { buffer, byteOffset }: Allocation) {
    this.#run = run
    this.#descriptor = new Uint32Array(buffer, byteOffset, HEADER_WORDS)
    this.#descriptor[HEADER.groupsX] = 1
    this.#descriptor[HEADER.groupsY] = 1
    this.#descriptor[HEADER.budget] = 0x7fffffff
    this.#scratch = byteOffset + HEADER_WORDS * 4
  }

  run(count: number, start: number): void {
    if (count === 0) return
    this.#descriptor[HEADER.inputs] = start
    this.#descriptor[HEADER.invocations] = Math.min(count, QUADS_OF_A_CALL) * 4
    this.#run(this.#descriptor.byteOffset, 0, 1, this.#scratch)
  }
}

export class WasmElementKernels implements ElementKernels {
  readonly #memory: WasmMemory
  readonly #memories: StageMemories
  readonly #compiler: PipelineCompiler
  readonly #kernels = new Map<string, QuadKernel | undefined>()

  constructor(memory: WasmMemory, memories: StageMemories, compiler: PipelineCompiler) {
    this.#memory = memory
    this.#memories = memories
    this.#compiler = compiler
  }

  get programCount(): number {
    return this.#compiler.programCount
  }

  reaches(buffer: ArrayBufferLike): boolean {
    return this.#memory.owns(buffer)
  }

  copy(to: Words, at: number, from: Words, first: number, end: number): boolean {
    if (end > from.length || at + end - first > to.length) return false
    if (!this.reaches(to.buffer) || !this.reaches(from.buffer)) return false
    const { bulk } = this.#memory
    bulk?.copy(to.byteOffset + at * 4, from.byteOffset + first * 4, (end - first) * 4)
    return bulk !== undefined
  }

  allocate(byteLength: number): Allocation | undefined {
    return this.#memories.allocate(byteLength)
  }

  release(allocation: Allocation, byteLength: number): void {
    this.#memories.release(allocation, byteLength)
  }

  quadKernelFor(program: QuadProgram): QuadKernel | undefined {
    const known = this.#kernels.get(program.key)
    if (known !== undefined) return known
    runPartsAtOnce(this.compileInParts(program))
    return this.#kernels.get(program.key)
  }

  has({ key }: QuadProgram): boolean {
    return this.#kernels.has(key)
  }

  *compileInParts(program: QuadProgram): Generator<void, void> {
    const kernels = this.#kernels
    if (kernels.has(program.key) || kernels.size >= MAX_KERNELS) return
    const pipeline = yield* this.#compileOf(program)
    // Another draw may have made it between two parts.
    if (kernels.has(program.key)) return
    const byteLength = HEADER_WORDS * 4 + (pipeline?.kernel.scratchByteLength ?? 0)
    const allocation = pipeline && this.#memory.allocate(byteLength)
    kernels.set(program.key, pipeline && allocation && new WasmQuadKernel(pipeline.run, allocation))
  }

  /** What the builder has made of a program is compiled as it is: rounds of `optimize` took a tenth of a cold frame, and no later frame was measurably quicker for them. */
  *#compileOf(program: QuadProgram): Generator<void, Pipeline | undefined> {
    try {
      const lowered = passed(lowerQuads(program), 'a program of quads')
      yield
      return yield* this.#compiler.inOrderInParts(lowered)
    } catch (e) {
      // The host may have limits of its own; the pipeline computes with numbers then.
      if (e instanceof Unsupported) return undefined
      throw e
    }
  }
}
