import { type Diagnostic, diagnostic, failure, type Outcome, outcomeOf } from '../diagnostic/index.ts'
import { heapMemory, type Memory } from '../machine/index.ts'
import type { Program } from '../program/index.ts'
import {
  type DispatchResult,
  type Engine,
  type Execution,
  isOfBatches,
  type LoadedShader,
  type LoadOptions,
  type Progress,
  type Until,
} from './contract.ts'
import { once, shaderForFast } from './fast-shader.ts'
import { runPartsAtOnce } from './next-task.ts'
import { runAtOnce } from './run-execution.ts'

/** What an engine says of work that is sound, and that it cannot do: another may. Nothing has run then. */
const BEYOND_IT: ReadonlySet<string> = new Set([
  'engine-not-compiled',
  'engine-code-size',
  'engine-compiler',
  'engine-memory',
])

/** Hints about a program that the first engine cannot run; none where the caller chose what only the other does. */
function fallbackHints(refusal: readonly Diagnostic[], second: string): Diagnostic[] {
  const reason = refusal.find((d) => BEYOND_IT.has(d.code))
  if (reason === undefined || (reason.code === 'engine-not-compiled' && reason.place === undefined)) return []
  return [diagnostic('engine-fallback', `the engine ${second} runs this: ${reason.message}`, reason.place)]
}

const WAY_OUT = [
  'give memory back with dispose() of resources that are no longer used; a page needs wasm-unsafe-eval in its policy',
]

/** The warning that an engine's work runs on a slower one, for the first execution that it concerns. */
function onceReported(): (why: string) => Diagnostic[] {
  let isReported = false
  return (why) => {
    if (isReported) return []
    isReported = true
    const text = `the reference engine runs what compiled code cannot: ${why}`
    return [diagnostic('engine-fallback', text, undefined, WAY_OUT, 'warning')]
  }
}

/** An execution whose result names an engine. A class: objects made with accessors each have a shape of their own. */
class NamedExecution implements Execution {
  readonly #execution: Execution
  readonly #engine: string

  constructor(execution: Execution, engine: string) {
    this.#execution = execution
    this.#engine = engine
  }

  get progress(): Progress {
    return this.#execution.progress
  }

  run(until: Until): DispatchResult | undefined {
    const result = this.#execution.run(until)
    return result && { engine: this.#engine, ...result }
  }

  stop(why: 'time' | 'canceled'): DispatchResult {
    return { engine: this.#engine, ...this.#execution.stop(why) }
  }

  dispose(): void {
    this.#execution.dispose()
  }
}

/** An engine in place of a faster one that the host does not have: its first result says so. */
export function inPlaceOf(engine: Engine, why: string): Engine {
  const report = onceReported()
  const begin: Engine['begin'] = (shader, bindings, invocations, options) => {
    const begun = engine.begin(shader, bindings, invocations, options)
    return begun.value === undefined ? begun : { ...begun, diagnostics: [...report(why), ...begun.diagnostics] }
  }
  return {
    ...engine,
    begin,
    dispatch: (shader, bindings, groups, options) =>
      runAtOnce(begin(shader, bindings, { kind: 'grid', groups }, options), options),
  }
}

interface Both extends LoadedShader {
  readonly first: LoadedShader | undefined
  /** The second engine's shader, loaded when it is wanted. */
  readonly second: () => Outcome<LoadedShader>
}

/** The first engine's memory, and the heap where that has no room: both engines run over any memory. */
function roomier(memory: Memory): Memory {
  // Pages that are not cross-origin isolated have no SharedArrayBuffer.
  const heap = heapMemory(typeof SharedArrayBuffer !== 'undefined')
  const ofHeap = new WeakSet<ArrayBufferLike>()
  return {
    shared: true,
    allocate(byteLength) {
      const own = memory.allocate(byteLength)
      if (own !== undefined) return own
      const other = heap.allocate(byteLength)
      if (other !== undefined) ofHeap.add(other.buffer)
      return other
    },
    release(allocation) {
      if (!ofHeap.has(allocation.buffer)) memory.release?.(allocation)
    },
  }
}

/**
 * Two engines as one: what the first cannot run, the second does, over the same memory. A dispatch runs on one of them as
 * a whole; its result names that one. What neither runs is refused in the second's words.
 */
export function withFallback(first: Engine, second: Engine): Engine {
  const { name } = first
  const shaders = new WeakSet<LoadedShader>()
  const isBoth = (shader: LoadedShader): shader is Both => shader.engine === name && 'second' in shader
  /** Shaders whose code is found to be too large when it is made for what is bound: that takes long, so it is done once. */
  const tooLarge = new WeakMap<Both, readonly Diagnostic[]>()
  const report = onceReported()
  const named = (engine: string, begun: Outcome<Execution>): Outcome<Execution> => {
    const { value, diagnostics } = begun
    // One of batches says itself which engine runs it.
    if (value === undefined || isOfBatches(value)) return begun
    return outcomeOf(new NamedExecution(value, engine), diagnostics)
  }
  const begin: Engine['begin'] = (shader, bindings, invocations, options) => {
    if (!isBoth(shader) || !shaders.has(shader)) return first.begin(shader, bindings, invocations, options)
    let refusal = tooLarge.get(shader)
    if (shader.first !== undefined && refusal === undefined) {
      const begun = first.begin(shader.first, bindings, invocations, options)
      const isBeyond = begun.value === undefined && begun.diagnostics.some((d) => BEYOND_IT.has(d.code))
      if (!isBeyond) return named(name, begun)
      refusal = begun.diagnostics
      if (refusal.some((d) => d.code === 'engine-code-size')) tooLarge.set(shader, refusal)
    }
    const loaded = shader.second()
    if (loaded.value === undefined) return failure(loaded.diagnostics)
    const begun = named(second.name, second.begin(loaded.value, bindings, invocations, options))
    const full = refusal?.find((d) => d.code === 'engine-memory')
    const added = full === undefined ? fallbackHints(refusal ?? [], second.name) : report(full.message)
    return added.length === 0 ? begun : { ...begun, diagnostics: [...added, ...begun.diagnostics] }
  }
  function* loadInParts(program: Program, options: LoadOptions = {}): Generator<void, Outcome<LoadedShader>> {
    const loaded = first.loadInParts ? yield* first.loadInParts(program, options) : first.load(program, options)
    const loadSecond = once(() => second.load(program, options))
    const outcome = !loaded.ok ? loadSecond() : loaded
    if (outcome.value === undefined) return failure(outcome.diagnostics)
    const { declarations, forFast } = outcome.value
    const fast = forFast && shaderForFast(declarations, options, (o) => both.load(program, o))
    const shader: Both = { engine: name, declarations, options, first: loaded.value, second: loadSecond, ...fast }
    const hints = outcome === loaded ? [] : fallbackHints(loaded.diagnostics, second.name)
    shaders.add(shader)
    return outcomeOf(shader, [...hints, ...outcome.diagnostics])
  }
  const both: Engine = {
    name,
    ...(first.memory === undefined ? {} : { memory: roomier(first.memory) }),
    ...(first.elementKernels === undefined ? {} : { elementKernels: first.elementKernels }),
    ...(first.sharedWork === undefined ? {} : { sharedWork: first.sharedWork }),
    load: (program, options) => runPartsAtOnce(loadInParts(program, options)),
    loadInParts,
    *prepareInParts(shader, bindings, options) {
      const own = isBoth(shader) ? shader.first : shader
      if (isBoth(shader) && tooLarge.has(shader)) return
      if (own !== undefined && first.prepareInParts !== undefined) yield* first.prepareInParts(own, bindings, options)
    },
    begin,
    dispatch: (shader, bindings, groups, options) =>
      runAtOnce(begin(shader, bindings, { kind: 'grid', groups }, options), options),
    dispose() {
      first.dispose?.()
      second.dispose?.()
    },
  }
  return both
}
