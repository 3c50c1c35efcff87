import type { Storage } from '../../../machine/index.ts'
import type { WorkThread } from '../../contract.ts'
import type { ElementKernels } from '../../element-kernels.ts'
import { type WebAssemblyMemory, webAssembly } from '../encode/web-assembly.ts'
import { WasmElementKernels } from './element-kernels.ts'
import { WasmMemory } from './memory.ts'
import { PipelineCompiler } from './pipeline.ts'
import {
  type RunCode,
  type SharedEntryData,
  type SharedShaderData,
  WasmJoinedExecution,
} from './stages/joined-execution.ts'
import { StageMemories } from './stages/stage-memories.ts'

/** What a thread brings to shared work: instances of code, and memory of its own inside of the engine's. */

/** Pipelines that a thread keeps the code of; the least recently used goes. */
const KEPT_PIPELINES = 64

interface WorkThreadParts {
  readonly isWorker: boolean
  readonly engine: string
  readonly memory: WasmMemory
  readonly memories: StageMemories
  readonly elementKernels: ElementKernels
  /** Called by code that runs for long. */
  readonly heartbeat: () => void
}

class WasmWorkThread implements WorkThread {
  readonly isWorker: boolean
  readonly memory: WasmMemory
  readonly elementKernels: ElementKernels
  readonly #parts: WorkThreadParts
  readonly #codes = new Map<number, RunCode>()
  /** Whether the work that runs is to end; loops call it. */
  #isStopped: () => boolean = () => false

  constructor(parts: WorkThreadParts) {
    this.isWorker = parts.isWorker
    this.memory = parts.memory
    this.elementKernels = parts.elementKernels
    this.#parts = parts
  }

  buffer(least = 0): ArrayBufferLike {
    const { memory } = this.memory
    // Growing by nothing shows what another thread has made (workers/source.ts).
    if (memory.buffer.byteLength < least) memory.grow(0)
    return this.memory.current()
  }

  reaches(storage: Storage): boolean {
    return this.memory.owns(storage.buffer)
  }

  #code({ number, code, codeLength }: SharedEntryData): RunCode {
    const run = this.#codes.get(number) ?? this.#instance(code, codeLength)
    this.#codes.delete(number)
    this.#codes.set(number, run)
    if (this.#codes.size > KEPT_PIPELINES) this.#codes.delete(this.#codes.keys().next().value!)
    return run
  }

  #instance(code: number, codeLength: number): RunCode {
    const wasm = webAssembly()!
    const host = (): never => {
      throw new Error('code that several threads run does not call the host')
    }
    const overdue = (): number => {
      this.#parts.heartbeat()
      return this.#isStopped() ? 1 : 0
    }
    const { memory } = this.memory
    const bytes = new Uint8Array(this.buffer(), code, codeLength).slice()
    const module = new wasm.Module(bytes as Uint8Array<ArrayBuffer>)
    const env = { memory, fusedFloat: host, fusedDouble: host, texel: host, overdue }
    return new wasm.Instance(module, { env }).exports.run as RunCode
  }

  join(shader: unknown, isStopped: () => boolean): WasmJoinedExecution | undefined {
    const data = shader as SharedShaderData
    this.#isStopped = isStopped
    const { engine, memories } = this.#parts
    return WasmJoinedExecution.create(
      engine,
      data,
      (entry) => this.#code(entry),
      memories,
      () => this.buffer(),
    )
  }
}

/** A thread of an engine. */
export const createWorkThread = (parts: WorkThreadParts): WorkThread => new WasmWorkThread(parts)

/** A range of an engine's memory, and how to say that a thread is at work. */
export interface WorkerPlace {
  /** The host packs pairs of vectors. */
  readonly packsPairs: boolean
  readonly memory: unknown
  readonly from: number
  readonly to: number
  readonly heartbeat: () => void
}

/** A worker of an engine, with a range of its memory for what the thread needs by itself. */
export function createWorkerThread({ memory: shared, packsPairs, from, to, heartbeat }: WorkerPlace): WorkThread {
  const memory = WasmMemory.within(shared as WebAssemblyMemory, from, to)
  const compiler = new PipelineCompiler(memory, {
    width: undefined,
    sharing: 'none',
    packsPairs,
    assertions: false,
    vectorRuns: 'usual',
    baselineMs: 0,
  })
  const memories = new StageMemories(memory)
  return createWorkThread({
    isWorker: true,
    engine: 'wasm',
    memory,
    memories,
    elementKernels: new WasmElementKernels(memory, memories, compiler),
    heartbeat,
  })
}
