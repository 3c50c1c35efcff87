import { type Diagnostic, diagnostic, hasErrors, type Outcome } from '../diagnostic/index.ts'
import { heapMemory, type Memory } from '../machine/index.ts'
import type { StageExecution } from './batch.ts'
import type { Engine, LoadedShader, LoadOptions } from './contract.ts'

/** What an engine says of work that is sound, and that it cannot do: another may. Nothing has run then. */
const BEYOND_IT: ReadonlySet<string> = new Set([
  'engine-not-compiled',
  'engine-code-size',
  'engine-compiler',
  'engine-memory',
])

/** What the caller learns of a program that the first engine gave up on; nothing where it asked for what only the other does. */
function handedOver(refusal: readonly Diagnostic[], second: string): Diagnostic[] {
  const reason = refusal.find((d) => BEYOND_IT.has(d.code))
  if (reason === undefined || (reason.code === 'engine-not-compiled' && reason.place === undefined)) return []
  return [diagnostic('engine-fallback', `the engine ${second} runs this: ${reason.message}`, reason.place)]
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

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

function refuseStage(engine: Engine, shader: LoadedShader): Outcome<StageExecution> {
  const text = `the engine ${engine.name} does not run ${shader.declarations.stage.kind} shaders`
  return { diagnostics: [diagnostic('engine-stage', text)] }
}

/**
 * Two engines as one: what the first cannot run, the second does, over the same memory. A dispatch runs on one of them as
 * a whole; its result names that one. What neither runs is refused in the second's words.
 */
export function withFallback(first: Engine, second: Engine): Engine {
  const { name } = first
  const isBoth = (shader: LoadedShader): shader is Both => shader.engine === name && 'second' in shader
  /** Shaders whose code is found to be too large when it is made for what is bound: that takes long, so it is done once. */
  const tooLarge = new WeakMap<Both, readonly Diagnostic[]>()
  return {
    name,
    ...(first.memory === undefined ? {} : { memory: roomier(first.memory) }),
    load(program, options: LoadOptions = {}) {
      const loaded = first.load(program, options)
      const loadSecond = once(() => second.load(program, options))
      const outcome = loaded.value === undefined || hasErrors(loaded.diagnostics) ? loadSecond() : loaded
      if (outcome.value === undefined) return { diagnostics: outcome.diagnostics }
      const { declarations } = outcome.value
      const both: Both = { engine: name, declarations, options, first: loaded.value, second: loadSecond }
      const hints = outcome === loaded ? [] : handedOver(loaded.diagnostics, second.name)
      return { value: both, diagnostics: [...hints, ...outcome.diagnostics] }
    },
    async dispatch(shader, bindings, groups, options) {
      if (!isBoth(shader)) return first.dispatch(shader, bindings, groups, options)
      let refusal = tooLarge.get(shader)
      if (shader.first !== undefined && refusal === undefined) {
        const result = await first.dispatch(shader.first, bindings, groups, options)
        const isBeyond = result.stopped === 'refused' && result.diagnostics.some((d) => BEYOND_IT.has(d.code))
        if (!isBeyond) return { engine: name, ...result }
        refusal = result.diagnostics
        if (refusal.some((d) => d.code === 'engine-code-size')) tooLarge.set(shader, refusal)
      }
      const loaded = shader.second()
      if (loaded.value === undefined) {
        return { stopped: 'refused', diagnostics: loaded.diagnostics, undefinedCount: 0, engine: second.name }
      }
      const result = await second.dispatch(loaded.value, bindings, groups, options)
      const diagnostics = [...handedOver(refusal ?? [], second.name), ...result.diagnostics]
      return { engine: second.name, ...result, diagnostics }
    },
    beginStage(shader, bindings, options) {
      if (!isBoth(shader)) return refuseStage(first, shader)
      const ofFirst = shader.first === undefined ? undefined : first.beginStage?.(shader.first, bindings, options)
      if (ofFirst?.value !== undefined) return ofFirst
      const loaded = shader.second()
      if (loaded.value === undefined) return { diagnostics: loaded.diagnostics }
      return second.beginStage?.(loaded.value, bindings, options) ?? refuseStage(second, shader)
    },
    dispose() {
      first.dispose?.()
      second.dispose?.()
    },
  }
}
