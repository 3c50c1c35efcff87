import { type Diagnostic, diagnostic, hasErrors, type Outcome } from '../../diagnostic/index.ts'
import {
  checkDispatch,
  DEFAULT_DISPATCH_LIMITS,
  type ResolvedBindings,
  type Srv,
  storageOver,
  type Uav,
} from '../../machine/index.ts'
import { type ClassBinding, resolveClassInstances } from '../class-instances.ts'
import type {
  DispatchOptions,
  DispatchResult,
  Engine,
  EngineFactory,
  GroupCounts,
  LoadedShader,
  LoadOptions,
} from '../contract.ts'
import { gatherDeclarations } from '../declarations.ts'
import { createFindings } from '../findings.ts'
import type { BindingUse } from '../lower/bindings.ts'
import { Unsupported } from '../lower/operand.ts'
import { optimise, specialise } from '../lower/optimise.ts'
import { pressureOf } from '../lower/pressure.ts'
import { type TexelBindings, texelExpander } from '../lower/texel-code.ts'
import { type Lowered, translate } from '../lower/translate.ts'
import { Uniformity, VARYING } from '../lower/uniformity.ts'
import { DESCRIPTOR, DESCRIPTOR_WORDS, type Region } from '../lower/value.ts'
import { resetCounters } from '../request.ts'
import { HEADER, HEADER_WORDS, RECORD_WORDS, STOPPED } from './emitter.ts'
import { addFindings, hasUndefined } from './findings.ts'
import { fusedDouble, fusedFloat } from './fused.ts'
import { type HostBindings, performTexel } from './host.ts'
import { compileKernel, type Kernel, type KernelOptions } from './kernel.ts'
import { WasmMemory } from './memory.ts'
import { webAssembly } from './web-assembly.ts'
import { WorkerPool } from './workers/pool.ts'

export const WASM_ENGINE = 'wasm'

/** Code of a shader for one way of running it. */
interface Pipeline {
  readonly kernel: Kernel
  readonly lowered: Lowered
  readonly run: (descriptor: number, first: number, end: number, scratch: number) => void
  /** What host calls of this pipeline run on; set for each dispatch. */
  readonly host: { bindings: HostBindings }
  readonly descriptor: number
  readonly scratch: number
  /** Number of the pipeline, and where workers find its code. */
  readonly number: number
  readonly code: number
}

interface WasmShader extends LoadedShader {
  readonly pipelines: Map<string, Pipeline>
  readonly lowered: Lowered
  /** The program with interface pointers bound, by what they point to. */
  readonly variants: Map<string, Lowered>
}

interface Variant {
  readonly lowered: Lowered
  readonly key: string
  readonly classes: ClassBinding | undefined
}

const isWasmShader = (shader: LoadedShader): shader is WasmShader =>
  shader.engine === WASM_ENGINE && 'pipelines' in shader

function refused(diagnostics: readonly Diagnostic[]): DispatchResult {
  return { stopped: 'refused', diagnostics, undefinedCount: 0, threadInstructionCount: 0 }
}

/** A view in the engine's memory: as it is, or as a copy that is written back. */
interface Staged {
  readonly address: number
  /** Some view writes it. */
  writable: boolean
  readonly finish: (writable: boolean) => void
}

export interface WasmEngineOptions {
  /** v128 per word; chosen by the program where absent. */
  readonly width?: 1 | 2 | 4 | undefined
  /** Threads that run groups, the calling one included; default 1. */
  readonly threads?: number | undefined
}

class WasmEngine implements Engine {
  readonly name = WASM_ENGINE
  readonly memory = new WasmMemory()
  readonly #options: WasmEngineOptions
  readonly #pool: WorkerPool | undefined
  #pipelines = 0

  constructor(options: WasmEngineOptions) {
    this.#options = options
    const workers = Math.floor(options.threads ?? 1) - 1
    this.#pool = workers > 0 ? new WorkerPool(this.memory, workers) : undefined
  }

  /** Atomics on UAVs are real ones where other threads may run groups of the same dispatch. */
  get #sharedAtomics(): boolean {
    return this.#pool !== undefined && this.#pool.size > 0
  }

  load(program: Parameters<Engine['load']>[0], options: LoadOptions = {}): Outcome<LoadedShader> {
    const gathered = gatherDeclarations(program)
    if (gathered.value === undefined) return { diagnostics: gathered.diagnostics }
    const declarations = gathered.value
    if (options.minPrecision === 'round') {
      const text = 'minimum precision with rounding is not compiled'
      return { diagnostics: [...gathered.diagnostics, diagnostic('engine-not-compiled', text)] }
    }
    const translated = translate(declarations, {
      threads: declarations.threads,
      keepDenormals: options.denormals === 'keep',
      fused: options.fma === 'always',
    })
    const diagnostics = [...gathered.diagnostics, ...translated.diagnostics]
    if (translated.value === undefined || hasErrors(diagnostics)) return { diagnostics }
    const lowered = optimise(translated.value)
    const shader: WasmShader = {
      engine: WASM_ENGINE,
      declarations,
      options,
      lowered,
      variants: new Map(),
      pipelines: new Map(),
    }
    try {
      // A program that cannot be compiled is refused here, not at its first dispatch.
      if (usesTexels(lowered.root)) compileKernel(lowered, this.#kernelOptions(lowered))
      else this.#pipeline(shader, { lowered, key: '', classes: undefined }, undefined, NO_TEXELS)
    } catch (e) {
      if (!(e instanceof Unsupported)) throw e
      const place = { kind: 'statement', index: e.statement } as const
      return { diagnostics: [...diagnostics, diagnostic('engine-not-compiled', e.message, place)] }
    }
    return { value: shader, diagnostics }
  }

  #kernelOptions(lowered: Lowered): KernelOptions {
    return {
      width: this.#options.width ?? widthFor(lowered),
      sharedMemory: true,
      sharedAtomics: this.#sharedAtomics,
      reportOffset: fixedBytes(lowered),
    }
  }

  /** The program with its interface pointers bound, or what of it is not compiled. */
  #variant(shader: WasmShader, classes: ClassBinding): Outcome<Variant> {
    if (classes.instances.size === 0) {
      return { value: { lowered: shader.lowered, key: '', classes: undefined }, diagnostics: [] }
    }
    const key = JSON.stringify([...classes.instances])
    let lowered = shader.variants.get(key)
    if (lowered === undefined) {
      const made = translate(shader.declarations, shader.lowered.builder.options, { classes })
      if (made.value === undefined) return { diagnostics: made.diagnostics }
      lowered = optimise(made.value)
      shader.variants.set(key, lowered)
    }
    return { value: { lowered, key, classes }, diagnostics: [] }
  }

  #pipeline(
    shader: WasmShader,
    variant: Variant,
    strides: ReadonlyMap<number, number> | undefined,
    texels: TexelBindings,
  ): Pipeline {
    const { classes } = variant
    let { lowered } = variant
    const key = `${variant.key} ${[...(strides ?? [])].join(';')} ${texelKey(lowered, texels)}`
    const known = shader.pipelines.get(key)
    if (known !== undefined) return known
    if (strides !== undefined) {
      lowered = optimise(translate(shader.declarations, lowered.builder.options, { strides, classes }).value!)
    }
    if (usesTexels(lowered.root)) lowered = specialise(lowered, texelExpander(texels))
    const kernel = compileKernel(lowered, this.#kernelOptions(lowered))
    const pipeline = this.#instantiate(kernel, lowered)
    shader.pipelines.set(key, pipeline)
    return pipeline
  }

  #instantiate(kernel: Kernel, lowered: Lowered): Pipeline {
    const wasm = webAssembly()!
    const host: Pipeline['host'] = { bindings: { views: [], samplers: [] } }
    const texel = (call: number, at: number): void => {
      const { item, width } = kernel.hostCalls[call]!
      const words = new Uint32Array(this.memory.memory.buffer)
      performTexel(item.request, item.args.length, item.results.length, host.bindings, words, at >> 2, width * 4)
    }
    const module = new wasm.Module(kernel.bytes)
    const instance = new wasm.Instance(module, {
      env: { memory: this.memory.memory, fusedFloat, fusedDouble, texel },
    })
    const run = instance.exports.run as Pipeline['run']
    const descriptor = this.memory.allocate(fixedBytes(lowered) + kernel.sites.length * RECORD_WORDS * 4)
    const scratch = this.memory.allocate(kernel.scratchByteLength * (1 + (this.#pool?.size ?? 0)))
    const code = this.memory.allocate(kernel.bytes.length)
    if (descriptor === undefined || scratch === undefined || code === undefined) {
      throw new Unsupported('there is no memory for the shader', 0)
    }
    new Uint8Array(this.memory.memory.buffer, code.byteOffset, kernel.bytes.length).set(kernel.bytes)
    return {
      kernel,
      lowered,
      run,
      host,
      descriptor: descriptor.byteOffset,
      scratch: scratch.byteOffset,
      number: this.#pipelines++,
      code: code.byteOffset,
    }
  }

  /** Strides of bound views that are not the declared ones. */
  #strides(
    uses: readonly BindingUse[],
    views: readonly (Srv | Uav | undefined)[],
  ): ReadonlyMap<number, number> | undefined {
    const found = new Map<number, number>()
    uses.forEach((use, n) => {
      const view = views[n]
      if (view === undefined || use.resource?.shape !== 'structured') return
      const stride = view.shape === 'structured' ? view.stride : 0
      if (stride !== use.resource.stride) found.set(n, stride)
    })
    return found.size === 0 ? undefined : found
  }

  dispatch(
    shader: LoadedShader,
    bindings: ResolvedBindings,
    groups: GroupCounts,
    options: DispatchOptions = {},
  ): DispatchResult {
    if (!isWasmShader(shader)) {
      const text = `the shader was loaded by the engine ${shader.engine}, not by ${WASM_ENGINE}`
      return refused([diagnostic('engine-foreign-shader', text)])
    }
    const classes = resolveClassInstances(shader.declarations, options.classInstances ?? {})
    const found = [...checkDispatch(groups), ...classes.diagnostics]
    if (options.observer !== undefined) {
      found.push(diagnostic('engine-option', 'observers need the reference engine; code has no events'))
    }
    if (options.undefinedPolicy === 'poison') {
      found.push(diagnostic('engine-option', 'undefinedPolicy poison needs the reference engine'))
    }
    if (hasErrors(found)) return refused(found)
    const variant = this.#variant(shader, classes.value!)
    if (variant.value === undefined) return refused([...found, ...variant.diagnostics])
    const { uses } = variant.value.lowered.bindings
    const views = uses.map((u) => (u.register === 't' ? bindings.t.get(u.key) : bindings.u.get(u.key)))
    const viewsOf = uses.map((u, n) => (u.register === 't' || u.register === 'u' ? views[n] : undefined))
    const samplers = uses.map((u) => (u.register === 's' ? bindings.s.get(u.key) : undefined))
    const pipeline = this.#pipeline(shader, variant.value, this.#strides(uses, viewsOf), { views: viewsOf, samplers })
    return this.#run(shader, pipeline, viewsOf, bindings, groups, options, found)
  }

  #run(
    shader: WasmShader,
    pipeline: Pipeline,
    views: readonly (Srv | Uav | undefined)[],
    bindings: ResolvedBindings,
    groups: GroupCounts,
    options: DispatchOptions,
    diagnostics: readonly Diagnostic[],
  ): DispatchResult {
    resetCounters(bindings)
    const staged = new Map<string, Staged>()
    const filled = this.#fillDescriptor(pipeline, views, bindings, groups, options, staged)
    if (!filled) {
      for (const s of staged.values()) s.finish(false)
      return refused([...diagnostics, diagnostic('engine-option', 'there is no memory for the bindings')])
    }
    const total = groups[0] * groups[1] * groups[2]
    const words = new Uint32Array(this.memory.memory.buffer, pipeline.descriptor, HEADER_WORDS)
    const records = new Int32Array(
      this.memory.memory.buffer,
      pipeline.descriptor + fixedBytes(pipeline.lowered),
      pipeline.kernel.sites.length * RECORD_WORDS,
    )
    const context = { shader, kernel: pipeline.kernel, uses: pipeline.lowered.bindings.uses, views, records }
    const traps = options.undefinedPolicy === 'trap'
    const isStopped = (): boolean => words[HEADER.stopped] !== STOPPED.no || (traps && hasUndefined(context))
    const sound = this.#execute(pipeline, total, shader.declarations.threadCount, isStopped)
    for (const s of staged.values()) s.finish(s.writable)
    const stopped = words[HEADER.stopped]!
    if (!sound) throw new Error('a worker of the WebAssembly engine failed')
    const findings = createFindings(options.maxDiagnostics ?? DEFAULT_DISPATCH_LIMITS.maxDiagnostics)
    addFindings(context, findings)
    const all = [...diagnostics, ...findings.diagnostics(shader.options.listing)]
    const result = { diagnostics: all, undefinedCount: findings.undefinedCount, threadInstructionCount: 0 }
    if (stopped !== STOPPED.no) return { ...result, ...stopResult(stopped, words[HEADER.statement]!, options, all) }
    return traps && findings.undefinedCount > 0 ? { ...result, stopped: 'trap' } : result
  }

  /**
   * Runs all groups: on this thread alone while that is quick, then with the workers. Answers false where a worker failed.
   */
  #execute(pipeline: Pipeline, total: number, threadCount: number, isStopped: () => boolean): boolean {
    const chunk = Math.max(1, Math.floor(CHUNK_THREADS / threadCount))
    const isShared = this.#pool !== undefined && !pipeline.kernel.callsHost
    const run = (first: number, count: number): void =>
      pipeline.run(pipeline.descriptor, first, Math.min(first + count, total), pipeline.scratch)
    let done = 0
    const begin = performance.now()
    while (done < total && !isStopped()) {
      // The first groups tell how long the rest takes; they are few, since the workers idle meanwhile.
      const count = done === 0 && isShared ? Math.max(1, Math.min(chunk >> 3, total >> 6)) : chunk
      run(done, count)
      done += count
      if (!isShared || done >= total) continue
      const expected = ((performance.now() - begin) / done) * (total - done)
      if (expected > WORTH_SHARING_MS && this.#share(pipeline, done, total, chunk, run, isStopped))
        return this.#pool!.finish()
    }
    return true
  }

  /** Runs the rest of the groups together with the workers; false where none is ready. */
  #share(
    pipeline: Pipeline,
    first: number,
    total: number,
    largest: number,
    run: (first: number, count: number) => void,
    isStopped: () => boolean,
  ): boolean {
    const pool = this.#pool!
    // Small enough that no thread works long on its last groups while the others wait.
    const chunk = Math.max(1, Math.min(largest, Math.ceil((total - first) / (8 * (pool.size + 1)))))
    const started = pool.start({
      pipeline: pipeline.number,
      codeAddress: pipeline.code,
      codeLength: pipeline.kernel.bytes.length,
      descriptor: pipeline.descriptor,
      first,
      total,
      chunk,
      scratch: pipeline.scratch,
      scratchStride: pipeline.kernel.scratchByteLength,
      stopWord: pipeline.descriptor + HEADER.stopped * 4,
    })
    if (!started) return false
    for (let at = pool.take(chunk); at < total && !isStopped(); at = pool.take(chunk)) run(at, chunk)
    return true
  }

  /** The address of storage in the engine's memory; storage elsewhere is copied in, and back after the dispatch. */
  #stage(
    buffer: ArrayBufferLike,
    byteOffset: number,
    byteLength: number,
    writable: boolean,
    staged: Map<string, Staged>,
  ): number | undefined {
    if (this.memory.owns(buffer)) return byteOffset
    const key = `${this.#bufferNumber(buffer)} ${byteOffset}`
    const known = staged.get(key)
    if (known !== undefined) {
      known.writable ||= writable
      return known.address
    }
    const allocation = this.memory.allocate(byteLength)
    if (allocation === undefined) return undefined
    const theirs = new Uint8Array(buffer, byteOffset, byteLength)
    const ours = (): Uint8Array => new Uint8Array(this.memory.memory.buffer, allocation.byteOffset, byteLength)
    ours().set(theirs)
    const finish = (written: boolean): void => {
      if (written) theirs.set(ours())
      this.memory.release(allocation)
    }
    staged.set(key, { address: allocation.byteOffset, writable, finish })
    return allocation.byteOffset
  }
  readonly #bufferNumbers = new WeakMap<ArrayBufferLike, number>()
  #buffers = 0
  #bufferNumber(buffer: ArrayBufferLike): number {
    let n = this.#bufferNumbers.get(buffer)
    if (n === undefined) {
      n = this.#buffers++
      this.#bufferNumbers.set(buffer, n)
    }
    return n
  }

  #fillDescriptor(
    pipeline: Pipeline,
    views: readonly (Srv | Uav | undefined)[],
    bindings: ResolvedBindings,
    groups: GroupCounts,
    options: DispatchOptions,
    staged: Map<string, Staged>,
  ): boolean {
    const { uses } = pipeline.lowered.bindings
    const fields: number[][] = []
    const hostViews: (Srv | Uav | undefined)[] = []
    // Staging may grow the memory, so all of it comes before the views of the descriptor are made.
    for (const [n] of uses.entries()) {
      const view = views[n]
      if (view === undefined) {
        fields.push([])
        hostViews.push(undefined)
        continue
      }
      const made = this.#viewFields(view, staged)
      if (made === undefined) return false
      fields.push(made.fields)
      hostViews.push(made.view)
    }
    const buffer = this.memory.memory.buffer
    const words = new Uint32Array(buffer, pipeline.descriptor)
    words.fill(0, 0, HEADER_WORDS + uses.length * DESCRIPTOR_WORDS)
    words[HEADER.groupsX] = groups[0]
    words[HEADER.groupsY] = groups[1]
    const budget = options.maxInstructionsPerThread ?? DEFAULT_DISPATCH_LIMITS.maxInstructionsPerThread
    words[HEADER.budget] = Math.min(budget, 0x7fffffff)
    let at = HEADER_WORDS + uses.length * DESCRIPTOR_WORDS
    uses.forEach((use, n) => {
      const d = HEADER_WORDS + n * DESCRIPTOR_WORDS
      if (use.register === 'b') at = this.#copyConstants(pipeline, bindings, use, words, d, at)
      else
        fields[n]!.forEach((word, i) => {
          words[d + i] = word
        })
    })
    const recordsAt = fixedBytes(pipeline.lowered) / 4
    words.fill(0, recordsAt, recordsAt + pipeline.kernel.sites.length * RECORD_WORDS)
    words[HEADER.immediateConstants] = pipeline.descriptor + at * 4
    words.set(pipeline.lowered.declarations.immediateConstants, at)
    pipeline.host.bindings = {
      views: hostViews,
      samplers: uses.map((u) => (u.register === 's' ? bindings.s.get(u.key) : undefined)),
    }
    return true
  }

  /** A constant buffer's words, padded with zeros up to what the code may name. */
  #copyConstants(
    pipeline: Pipeline,
    bindings: ResolvedBindings,
    use: BindingUse,
    words: Uint32Array,
    d: number,
    at: number,
  ): number {
    const view = bindings.b.get(use.key)
    const count = use.constantCount * 4
    words.fill(0, at, at + count)
    words[d + DESCRIPTOR.base] = pipeline.descriptor + at * 4
    if (view !== undefined) {
      const wordCount = Math.min(Math.ceil(view.byteLength / 4), count)
      const from = new Uint32Array(view.storage.buffer, view.storage.byteOffset + view.byteOffset, wordCount)
      words.set(from, at)
      words[d + DESCRIPTOR.elementCount] = Math.ceil(wordCount / 4)
    }
    return at + count
  }

  #viewFields(view: Srv | Uav, staged: Map<string, Staged>): { fields: number[]; view: Srv | Uav } | undefined {
    const { storage } = view
    const address = this.#stage(
      storage.buffer,
      storage.byteOffset,
      storage.words.length * 4,
      view.kind === 'uav',
      staged,
    )
    if (address === undefined) return undefined
    const here = this.memory.owns(storage.buffer)
      ? view
      : {
          ...view,
          storage: storageOver({ buffer: this.memory.memory.buffer, byteOffset: address }, storage.byteLength),
        }
    const fields = new Array<number>(DESCRIPTOR_WORDS).fill(0)
    if (view.shape === 'texture') {
      const level = view.levels[0]!
      fields[DESCRIPTOR.base] = address + level.byteOffset
      fields[DESCRIPTOR.sampleCount] = view.sampleCount
      fields[DESCRIPTOR.width] = level.width
      fields[DESCRIPTOR.height] = level.height
      fields[DESCRIPTOR.depth] = level.depth
      fields[DESCRIPTOR.rowPitch] = level.rowPitch
      fields[DESCRIPTOR.slicePitch] = view.dimension === 'texture3d' ? level.slicePitch : view.arrayPitch
      fields[DESCRIPTOR.arraySize] = view.arraySize
      return { fields, view: here }
    }
    fields[DESCRIPTOR.base] = address + view.byteOffset
    fields[DESCRIPTOR.byteLength] = view.byteLength
    fields[DESCRIPTOR.elementCount] = view.elementCount
    if (view.kind === 'uav' && view.shape === 'structured' && view.counter !== undefined) {
      const { words, index } = view.counter
      const counters = this.#stage(words.buffer, words.byteOffset, words.byteLength, true, staged)
      if (counters === undefined) return undefined
      fields[DESCRIPTOR.counter] = counters + index * 4
    }
    return { fields, view: here }
  }

  dispose(): void {
    // The memory goes with the last view of it.
    this.#pool?.dispose()
  }
}

/** Bytes of the descriptor before its records: header, bindings, constants, the immediate constant buffer. */
function fixedBytes(lowered: Lowered): number {
  const { uses } = lowered.bindings
  const constants = uses.reduce((n, u) => n + u.constantCount * 16, 0)
  return (
    (HEADER_WORDS + uses.length * DESCRIPTOR_WORDS) * 4 + constants + lowered.declarations.immediateConstants.length * 4
  )
}

const hasLoop = (region: Region): boolean =>
  region.items.some((item) => {
    if (item.kind === 'loop') return true
    if (item.kind === 'block') return hasLoop(item.body)
    return item.kind === 'if' && (hasLoop(item.taken) || hasLoop(item.otherwise))
  })

/** Values alive at once beyond which four vectors a word spill too much to pay in code without loops. */
const MOST_FOR_FOUR = 8

/**
 * v128 per word, by measurements of the kernels (bench/): four where loops or few live values let scalar work be shared
 * by more lanes, two in straight code of many values; never more lanes than the group has, nor a badly filled last wave.
 */
function widthFor(lowered: Lowered): 1 | 2 | 4 {
  const { threadCount, threads } = lowered.declarations
  if (threadCount <= 4) return 1
  if (threadCount <= 8 || threadCount % 16 !== 0) return 2
  const uniformity = new Uniformity(lowered.builder, lowered.root, threads, 8)
  const most = pressureOf(lowered.root, (v) => uniformity.level(v) === VARYING)
  return hasLoop(lowered.root) || most <= MOST_FOR_FOUR ? 4 : 2
}

const NO_TEXELS: TexelBindings = { views: [], samplers: [] }

function usesTexels(region: Region): boolean {
  return region.items.some((item) => {
    if (item.kind === 'texel') return true
    if (item.kind === 'if') return usesTexels(item.taken) || usesTexels(item.otherwise)
    return (item.kind === 'block' || item.kind === 'loop') && usesTexels(item.body)
  })
}

/** What code for texels depends on, as text: formats, dimensions, samplers. */
function texelKey(lowered: Lowered, { views, samplers }: TexelBindings): string {
  return lowered.bindings.uses
    .map((use, n) => {
      if (use.register === 's') return JSON.stringify(samplers[n] ?? null)
      if (use.resource?.shape !== 'typed') return ''
      const view = views[n]
      if (view === undefined) return 'none'
      if (view.shape !== 'texture') return view.shape === 'typed' ? `${view.format.name}*` : view.shape
      const { format, dimension, levels, sampleCount, minLod } = view
      return [format.name, dimension, levels.length, sampleCount, minLod].join(' ')
    })
    .join('|')
}

/** Waking workers takes tens of microseconds: what is over sooner runs where it is. */
const WORTH_SHARING_MS = 0.1

/** Threads that one call of the code runs at most: short calls let V8 replace its quick first code by optimised code. */
const CHUNK_THREADS = 16384

function stopResult(
  stopped: number,
  statement: number,
  options: DispatchOptions,
  diagnostics: readonly Diagnostic[],
): Pick<DispatchResult, 'stopped' | 'diagnostics'> {
  if (stopped === STOPPED.abort) {
    const place = { kind: 'statement', index: statement } as const
    const text = `a thread executed abort at statement ${statement}`
    return { stopped: 'abort', diagnostics: [...diagnostics, diagnostic('engine-abort', text, place)] }
  }
  const limit = options.maxInstructionsPerThread ?? DEFAULT_DISPATCH_LIMITS.maxInstructionsPerThread
  const text = `a thread executed more than ${limit} instructions`
  return { stopped: 'budget', diagnostics: [...diagnostics, diagnostic('engine-budget', text)] }
}

/** The engine that compiles programs to WebAssembly SIMD. */
export const createWasmEngine: EngineFactory = (options): Engine => new WasmEngine({ threads: options.threads })

/** The same with choices that tests and benchmarks make. */
export function createWasmEngineWith(options: WasmEngineOptions): Engine {
  return new WasmEngine(options)
}
