import type { Allocation, Storage } from '../../../machine/index.ts'
import {
  type ElementKernel,
  type ElementKernels,
  type ElementProgram,
  QUADS_OF_A_CALL,
  type QuadKernel,
  type QuadProgram,
} from '../../element-kernels.ts'
import { type AccessAddress, BindingTable, Builder, type Lowered, type Value } from '../../ir/index.ts'
import { Unsupported } from '../../lower/index.ts'
import { optimize } from '../../transform/index.ts'
import { HEADER, HEADER_WORDS } from '../emit/kernel-layout.ts'
import type { WasmMemory } from './memory.ts'
import type { Pipeline, PipelineCompiler } from './pipeline.ts'
import { lowerQuads, NOTHING_DECLARED } from './quad-program.ts'
import type { StageMemories } from './stage-memories.ts'

/** The fixed function as compiled code: programs of elements become kernels whose threads are pixels. */

/** Pixels of one call, as many as pixel shaders have in a batch. */
const CAPACITY = 1024
/** Columns before those of the program: where elements are, and which of them are written. */
const OWN_COLUMNS = 2
/** Programs that are kept: draws have few states. */
const MAX_KERNELS = 256

/** The program as values: each sample is read, changed and written where its bit is set. */
function lower(p: ElementProgram): Lowered {
  const o = new Builder({ threads: [CAPACITY, 1, 1], keepDenormals: false, fused: false })
  const [first, mask] = [0, 1].map((slot) => o.make('input', [], slot)) as [Value, Value]
  const columns = Array.from({ length: p.columnCount }, (_, n) => o.make('input', [], OWN_COLUMNS + n))
  const words = Array.from({ length: p.wordCount }, (_, n) => n)
  for (let s = 0; s < p.sampleCount; s++) {
    // All ones where the bit of the sample is set.
    const valid = o.shiftRightArithmetic(o.shiftLeft(mask, o.constant(31 - s)), o.constant(31))
    const address: AccessAddress = {
      space: { kind: 'batch', part: 'outputs', byteOffset: 0, everyLane: false },
      index: undefined,
      offset: o.i32Add(first, o.constant(s * p.wordCount * 4)),
      stride: 0,
      valid,
    }
    const results = words.map((n) => o.result(n))
    o.push({ kind: 'load', statement: 0, address, components: words, dwords: words, results })
    o.push({ kind: 'store', statement: 0, address, values: p.meaning(o, columns, results) })
  }
  const bindings = new BindingTable(NOTHING_DECLARED)
  return { declarations: NOTHING_DECLARED, builder: o, root: o.root, bindings, privateArrays: [] }
}

class WasmElementKernel implements ElementKernel {
  readonly capacity = CAPACITY
  readonly byteOffsets: Int32Array
  readonly masks: Int32Array
  readonly columns: readonly Int32Array[]
  readonly #pipeline: Pipeline
  readonly #descriptor: Uint32Array
  readonly #scratch: number

  constructor(p: ElementProgram, pipeline: Pipeline, { buffer, byteOffset }: Allocation) {
    const inputs = byteOffset + HEADER_WORDS * 4
    const column = (n: number): Int32Array => new Int32Array(buffer, inputs + n * CAPACITY * 4, CAPACITY)
    this.#pipeline = pipeline
    this.#descriptor = new Uint32Array(buffer, byteOffset, HEADER_WORDS)
    this.#descriptor[HEADER.groupsX] = 1
    this.#descriptor[HEADER.groupsY] = 1
    this.#descriptor[HEADER.budget] = 0x7fffffff
    this.#descriptor[HEADER.inputs] = inputs
    this.#scratch = inputs + (OWN_COLUMNS + p.columnCount) * CAPACITY * 4
    this.byteOffsets = column(0)
    this.masks = column(1)
    this.columns = Array.from({ length: p.columnCount }, (_, n) => column(OWN_COLUMNS + n))
  }

  run(count: number, storage: Storage): void {
    this.#descriptor[HEADER.outputs] = storage.byteOffset
    this.#descriptor[HEADER.invocations] = count
    this.#pipeline.run(this.#descriptor.byteOffset, 0, 1, this.#scratch)
  }
}

class WasmQuadKernel implements QuadKernel {
  readonly #pipeline: Pipeline
  readonly #descriptor: Uint32Array
  readonly #scratch: number

  constructor(pipeline: Pipeline, { buffer, byteOffset }: Allocation) {
    this.#pipeline = pipeline
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
    this.#pipeline.run(this.#descriptor.byteOffset, 0, 1, this.#scratch)
  }
}

export class WasmElementKernels implements ElementKernels {
  readonly #memory: WasmMemory
  readonly #memories: StageMemories
  readonly #compiler: PipelineCompiler
  readonly #kernels = new Map<string, ElementKernel | undefined>()
  readonly #quadKernels = new Map<string, QuadKernel | undefined>()

  constructor(memory: WasmMemory, memories: StageMemories, compiler: PipelineCompiler) {
    this.#memory = memory
    this.#memories = memories
    this.#compiler = compiler
  }

  reaches(storage: Storage): boolean {
    return this.#memory.owns(storage.buffer)
  }

  take(byteLength: number): Allocation | undefined {
    return this.#memories.take(byteLength)
  }

  give(allocation: Allocation, byteLength: number): void {
    this.#memories.give(allocation, byteLength)
  }

  quadKernelFor(program: QuadProgram): QuadKernel | undefined {
    const kernels = this.#quadKernels
    const known = kernels.get(program.key)
    if (known !== undefined || kernels.has(program.key) || kernels.size >= MAX_KERNELS) return known
    const pipeline = this.#compileOf(() => lowerQuads(program))
    const byteLength = HEADER_WORDS * 4 + (pipeline?.kernel.scratchByteLength ?? 0)
    const allocation = pipeline && this.#memory.allocate(byteLength)
    const made = pipeline && allocation && new WasmQuadKernel(pipeline, allocation)
    kernels.set(program.key, made)
    return made
  }

  kernelFor(program: ElementProgram, storage: Storage): ElementKernel | undefined {
    if (!this.reaches(storage)) return undefined
    const known = this.#kernels.get(program.key)
    if (known !== undefined || this.#kernels.has(program.key) || this.#kernels.size >= MAX_KERNELS) return known
    const made = this.#compile(program)
    this.#kernels.set(program.key, made)
    return made
  }

  #compileOf(lowered: () => Lowered): Pipeline | undefined {
    try {
      return this.#compiler.inOrder(optimize(lowered()))
    } catch (e) {
      // The host may have limits of its own; the pipeline computes with numbers then.
      if (e instanceof Unsupported) return undefined
      throw e
    }
  }

  #compile(program: ElementProgram): ElementKernel | undefined {
    const pipeline = this.#compileOf(() => lower(program))
    if (pipeline === undefined) return undefined
    const columns = (OWN_COLUMNS + program.columnCount) * CAPACITY
    const byteLength = (HEADER_WORDS + columns) * 4 + pipeline.kernel.scratchByteLength
    const allocation = this.#memory.allocate(byteLength)
    return allocation && new WasmElementKernel(program, pipeline, allocation)
  }
}
