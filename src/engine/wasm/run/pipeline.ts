import { failure, type Outcome, outcomeOf } from '../../../diagnostic/index.ts'
import type { ResolvedBindings, Sampler, Srv, TextureSrv, Uav } from '../../../machine/index.ts'
import { findDivergentQuad, findSpinLoop } from '../../analysis/index.ts'
import type { ClassBinding } from '../../class-instances.ts'
import type { DispatchOptions, LoadedShader } from '../../contract.ts'
import {
  type BindingUse,
  type BoundRegisters,
  CodeTooLarge,
  type ComputedRange,
  type Item,
  type Lowered,
  rangeName,
  someItem,
} from '../../ir/index.ts'
import { translate, Unsupported } from '../../lower/index.ts'
import { inLongerParts, runPartsAtOnce } from '../../next-task.ts'
import {
  type CopyKind,
  copyKindOf,
  type SampledBinding,
  sampledBindings,
  type TexelBindings,
  texelExpander,
} from '../../texture/index.ts'
import { specialize } from '../../transform/index.ts'
import { type WebAssemblyHost, type WebAssemblyModule, webAssembly } from '../encode/web-assembly.ts'
import { dependsOnGroupOrder, isRepeatable } from '../flow/group-order.ts'
import type { CompiledKernel } from '../report/compiled-kernel.ts'
import { Baseline, CODE_PART_MS, currentCode, enoughFor } from './baseline.ts'
import { fusedDouble, fusedFloat } from './exact-fma.ts'
import { type HostBindings, performTexel } from './host-calls.ts'
import { compileKernelInParts, type KernelOptions } from './kernel.ts'
import type { WasmMemory } from './memory.ts'
import {
  boundRegisters,
  isPairingProfitable,
  NO_TEXELS,
  simplifiedInParts,
  stridesOf,
  texelKey,
  usesTexels,
  variantKey,
  widthFor,
} from './specialization.ts'

/** Makes and keeps the compiled code of shaders, by what dispatches bind; the engine calls it before every dispatch. */

/** Lanes of the narrowest wave: one vector of four words. */
const NARROWEST_WAVE = 4
/** Vectors of a word in the widest one. */
const WIDEST = 4

/** Code of a shader for one way of running it. */
export interface Pipeline {
  readonly kernel: CompiledKernel
  readonly lowered: Lowered
  readonly run: (descriptor: number, first: number, end: number, scratch: number) => void
  /** What host calls of this pipeline run on; set for each dispatch. */
  readonly host: { bindings: HostBindings; deadline: number }
  /** By which workers recognize the code. */
  readonly number: number
  /** Workers may run groups of it. */
  readonly mayShare: boolean
  /** Groups that ran in part may run again: they read nothing that they write. */
  readonly isRepeatable: boolean
  /** Of baseline code: what takes its place, and when. */
  readonly baseline: Baseline<Pipeline> | undefined
}

export interface WasmShader extends LoadedShader {
  readonly pipelines: Map<string, Pipeline>
  /** Why code that was asked for could not be made, by the same names: to find that out may take as long as making it. */
  readonly refusals: Map<string, Unsupported | CodeTooLarge>
  readonly lowered: Lowered
  /** Of a graphics shader: the entry that is compiled, as an index in `Declarations.entries`. */
  readonly entry?: number | undefined
  /** The program with interface pointers and computed registers bound, by what they are bound to. */
  readonly variants: Map<string, Lowered>
}

/** A program with its interface pointers bound, for the registers that something is bound to. */
export interface Variant {
  readonly lowered: Lowered
  readonly key: string
  readonly classes: ClassBinding | undefined
  readonly bound: BoundRegisters | undefined
}

/** Code with the views and samplers of its program's bindings, in their order. */
export interface BoundPipeline extends TexelBindings {
  readonly pipeline: Pipeline
  readonly decoded: ReadonlyMap<number, CopyKind>
}

const viewOf = (u: BindingUse, { t, u: uavs }: ResolvedBindings): Srv | Uav | undefined =>
  u.register === 't' ? t.get(u.key) : u.register === 'u' ? uavs.get(u.key) : undefined
const samplerOf = (u: BindingUse, { s }: ResolvedBindings): Sampler | undefined =>
  u.register === 's' ? s.get(u.key) : undefined

interface LastBound {
  readonly traps: boolean
  bound: BoundPipeline
}

/**
 * What a program was bound to last: most draws bind the views and samplers of the draw before. By the first of them, so that
 * no entry keeps a resource that nothing else refers to.
 */
const LAST_BOUND = new WeakMap<Lowered, WeakMap<object, LastBound>>()

/** The key of programs with neither views nor samplers. */
const NOTHING_BOUND = {}

function firstBound(uses: readonly BindingUse[], bindings: ResolvedBindings): object {
  for (const u of uses) {
    const bound = viewOf(u, bindings) ?? samplerOf(u, bindings)
    if (bound !== undefined) return bound
  }
  return NOTHING_BOUND
}

const haveSame = (a: ReadonlyMap<number, CopyKind>, b: ReadonlyMap<number, CopyKind>): boolean =>
  a.size === b.size && [...a].every(([n, kind]) => b.get(n) === kind)

function bindsTheSame(last: BoundPipeline, uses: readonly BindingUse[], bindings: ResolvedBindings): boolean {
  return uses.every((u, n) => last.views[n] === viewOf(u, bindings) && last.samplers[n] === samplerOf(u, bindings))
}

/** Bindings that a program only samples, which are the same for all draws. */
const SAMPLED = new WeakMap<Lowered, readonly SampledBinding[]>()

/** Bindings of views whose texels the code reads from copies. */
function decodedBindings(
  lowered: Lowered,
  bindings: ResolvedBindings,
  isDecoded: IsDecoded,
): ReadonlyMap<number, CopyKind> {
  let sampled = SAMPLED.get(lowered)
  if (sampled === undefined) SAMPLED.set(lowered, (sampled = sampledBindings(lowered.root)))
  if (sampled.length === 0) return NO_COPIES
  const { uses } = lowered.bindings
  const isFast = lowered.builder.options.fastSamples === true
  const found = new Map<number, CopyKind>()
  for (const { binding, samplers, maySumCodes } of sampled) {
    const view = viewOf(uses[binding]!, bindings)
    const given = samplers.map((s) => (s === undefined ? undefined : samplerOf(uses[s]!, bindings)))
    const kind = copyKindOf(view, given, maySumCodes, isFast)
    if (kind !== undefined && isDecoded(view as TextureSrv, kind)) found.set(binding, kind)
  }
  return found
}

const NO_COPIES: ReadonlyMap<number, CopyKind> = new Map()

/** Whether there is a copy of a texture that holds this, or should be. */
export type IsDecoded = (view: TextureSrv, kind: CopyKind) => boolean

/** What an engine decides for all its code. */
interface CompilerOptions {
  /** v128 per word; chosen by the program where absent. */
  readonly width: 1 | 2 | 4 | undefined
  /** Programs of which workers may run groups: none, those where the order of groups never shows, or all. */
  readonly sharing: 'none' | 'unordered' | 'all'
  /** The host packs pairs of v128. */
  readonly packsPairs: boolean
  /** Code asserts what the compiler takes for granted. */
  readonly assertions: boolean
  /** Which runs of operations are emitted vector by vector: short ones too, or none. */
  readonly vectorRuns: 'usual' | 'short' | 'none'
  /** Milliseconds that baseline code of draws runs, after which optimized code is made at once: 0 for none of it, undefined where the program decides. */
  readonly baselineMs: number | undefined
}

/** What the options of a dispatch ask of code. */
interface CodeRequest {
  /** It ends at the first operation that is undefined. */
  readonly traps: boolean
  /** Its instructions are limited: they are counted by wave, so that there is no baseline code, whose waves are narrower. */
  readonly isLimited: boolean
}

/** Whether what code reports is an item of its own, so that it is known before code is made. */
const reports = (items: readonly Item[]): boolean => someItem(items, (item) => item.kind === 'report')

/** Throws Unsupported where lanes of a quad that may be apart are compared. */
export function requireWholeQuads(lowered: Lowered): void {
  const divergent = lowered.declarations.stage.kind === 'pixel' ? findDivergentQuad(lowered) : undefined
  if (divergent !== undefined) throw new Unsupported('a derivative in flow that pixels of a quad take apart', divergent)
}

/** Makes pipelines of programs, and keeps them with their shader. */
export class PipelineCompiler {
  readonly #memory: WasmMemory
  readonly #options: CompilerOptions
  #pipelines = 0

  constructor(memory: WasmMemory, options: CompilerOptions) {
    this.#memory = memory
    this.#options = options
  }

  /** Programs that have been compiled. */
  get programCount(): number {
    return this.#pipelines
  }

  #mayShare(lowered: Lowered): boolean {
    const { sharing } = this.#options
    return sharing === 'all' || (sharing === 'unordered' && !dependsOnGroupOrder(lowered))
  }

  #compileInParts(lowered: Lowered, traps: boolean): Generator<void, CompiledKernel> {
    // Effects happen invocation by invocation, quad by quad (docs/drawing.md), so that no two quads run at once.
    const isOrdered = lowered.declarations.stage.kind !== 'compute' && lowered.declarations.uavs.length > 0
    const pairs = !isOrdered && this.#options.packsPairs && isPairingProfitable(lowered)
    const fixed = isOrdered ? 1 : this.#options.width
    const { width, uniformity } =
      fixed === undefined ? widthFor(lowered, pairs) : { width: fixed, uniformity: undefined }
    const options: KernelOptions = {
      width,
      pairs: pairs && width > 1,
      packsPairs: this.#options.packsPairs,
      sharedMemory: true,
      scratchWidth: lowered.declarations.stage.kind === 'compute' ? width : WIDEST,
      speculates: true,
      // Atomics on UAVs are real ones where other threads may run groups of the same dispatch.
      sharedAtomics: this.#mayShare(lowered),
      traps,
      assertions: this.#options.assertions,
      vectorRuns: this.#options.vectorRuns,
    }
    return compileKernelInParts(lowered, options, uniformity)
  }

  /** Code with one vector a word, without what takes long to find: attempts without flushes, orders of operations. */
  #compileBaseline(lowered: Lowered, traps: boolean): Generator<void, CompiledKernel> {
    const options: KernelOptions = {
      width: 1,
      scratchWidth: WIDEST,
      pairs: false,
      packsPairs: this.#options.packsPairs,
      sharedMemory: true,
      sharedAtomics: this.#mayShare(lowered),
      traps,
      assertions: this.#options.assertions,
      vectorRuns: 'none',
      speculates: false,
    }
    return compileKernelInParts(lowered, options)
  }

  /**
   * Compiles, in parts, what can be compiled before bindings are known; throws Unsupported where the program cannot be. Code for
   * texels is made for their formats alone, at the first dispatch: to make it twice would take twice as long.
   */
  *compileEarly(shader: WasmShader): Generator<void, void> {
    const { lowered } = shader
    if (usesTexels(lowered.root)) return
    const variant = { lowered, key: '', classes: undefined, bound: undefined }
    const request = { traps: false, isLimited: false }
    yield* inLongerParts(this.#pipelineInParts(shader, variant, undefined, NO_TEXELS, request), CODE_PART_MS)
  }

  /** The program with its interface pointers and computed registers bound, or what of it is not compiled. */
  variant(shader: WasmShader, classes: ClassBinding, bindings: ResolvedBindings): Outcome<Variant> {
    const called = classes.instances.size === 0 ? undefined : classes
    let ranges: readonly ComputedRange[] = []
    for (;;) {
      const bound = ranges.length === 0 ? undefined : boundRegisters(ranges, bindings)
      const made = this.#lowered(shader, called, bound)
      if (made.value === undefined) return made
      // What a register reads as 0 while nothing is bound may be what computes another: each round may find more.
      const names = new Set(ranges.map(rangeName))
      const found = made.value.lowered.bindings.computed.filter((c) => !names.has(rangeName(c)))
      if (found.length === 0) return made
      ranges = [...ranges, ...found]
    }
  }

  #lowered(shader: WasmShader, classes: ClassBinding | undefined, bound: BoundRegisters | undefined): Outcome<Variant> {
    const { builder } = shader.lowered
    const key = classes === undefined && bound === undefined ? '' : variantKey(classes, bound)
    let lowered = key === '' ? shader.lowered : shader.variants.get(key)
    if (lowered === undefined) {
      const made = translate(shader.declarations, builder.options, { classes, bound, entry: shader.entry })
      if (made.value === undefined) return failure(made.diagnostics)
      requireWholeQuads(made.value)
      lowered = runPartsAtOnce(simplifiedInParts(made.value))
      shader.variants.set(key, lowered)
    }
    return outcomeOf({ lowered, key, classes, bound })
  }

  /** Views whose texels the code for what is bound reads from copies; none where there is no code for it, as `forBindings` says. */
  decodedViews(
    shader: WasmShader,
    classes: ClassBinding,
    bindings: ResolvedBindings,
    isDecoded: IsDecoded,
  ): readonly (readonly [TextureSrv, CopyKind])[] {
    const value = this.#variantOrNone(shader, classes, bindings)
    if (value === undefined) return []
    const { uses } = value.lowered.bindings
    const found = decodedBindings(value.lowered, bindings, isDecoded)
    return [...found].map(([n, kind]) => [viewOf(uses[n]!, bindings) as TextureSrv, kind])
  }

  #variantOrNone(shader: WasmShader, classes: ClassBinding, bindings: ResolvedBindings): Variant | undefined {
    try {
      return this.variant(shader, classes, bindings).value
    } catch {
      // To begin the stage meets the same, and says what it is.
      return undefined
    }
  }

  /**
   * The code for what is bound; throws Unsupported where the program cannot be compiled. `isDecoded` says of which textures
   * that may be there are copies for it.
   */
  forBindings(
    shader: WasmShader,
    classes: ClassBinding,
    bindings: ResolvedBindings,
    options: DispatchOptions,
    isDecoded?: IsDecoded,
  ): Outcome<BoundPipeline> {
    return runPartsAtOnce(this.forBindingsInParts(shader, classes, bindings, options, isDecoded))
  }

  *forBindingsInParts(
    shader: WasmShader,
    classes: ClassBinding,
    bindings: ResolvedBindings,
    { undefinedPolicy, maxInstructionsPerThread }: DispatchOptions,
    isDecoded: IsDecoded = () => false,
  ): Generator<void, Outcome<BoundPipeline>> {
    const variant = this.variant(shader, classes, bindings)
    if (variant.value === undefined) return failure(variant.diagnostics)
    const { lowered } = variant.value
    const { uses } = lowered.bindings
    const decoded = decodedBindings(lowered, bindings, isDecoded)
    const traps = undefinedPolicy === 'trap'
    const isLimited = maxInstructionsPerThread !== undefined
    const first = firstBound(uses, bindings)
    let known = LAST_BOUND.get(lowered)
    const last = known?.get(first)
    const isKnown = last?.traps === traps && haveSame(last.bound.decoded, decoded)
    if (isKnown && bindsTheSame(last.bound, uses, bindings)) {
      const pipeline = currentCode(last.bound.pipeline, isLimited)
      const { views, samplers } = last.bound
      if (pipeline !== last.bound.pipeline) last.bound = { pipeline, views, samplers, decoded }
      return outcomeOf(last.bound)
    }
    const views = uses.map((u) => viewOf(u, bindings))
    const samplers = uses.map((u) => samplerOf(u, bindings))
    const texels = { views, samplers, decoded }
    const request = { traps, isLimited }
    const strides = stridesOf(uses, views)
    const pipeline = yield* this.#pipelineInParts(shader, variant.value, strides, texels, request)
    const bound = { pipeline, ...texels }
    if (known === undefined) {
      known = new WeakMap()
      LAST_BOUND.set(lowered, known)
    }
    known.set(first, { traps, bound })
    return outcomeOf(bound)
  }

  /** The code for strides, formats, samplers and policy as requested; throws Unsupported where the program cannot be compiled. */
  *#pipelineInParts(
    shader: WasmShader,
    variant: Variant,
    strides: ReadonlyMap<number, number> | undefined,
    texels: TexelBindings,
    request: CodeRequest,
  ): Generator<void, Pipeline> {
    const { traps, isLimited } = request
    const { lowered } = variant
    const bound = strides === undefined ? '' : [...strides].join(';')
    const key = `${variant.key} ${traps} ${bound} ${texelKey(lowered, texels)}`
    const known = shader.pipelines.get(key)
    if (known !== undefined) return currentCode(known, isLimited)
    const refused = shader.refusals.get(key)
    if (refused !== undefined) throw refused
    const expand = usesTexels(lowered.root) ? texelExpander(texels) : undefined
    const isSpecialized = strides !== undefined || expand !== undefined
    try {
      const special = isSpecialized ? yield* specialize(lowered, { strides, expand }) : lowered
      return yield* this.#codeInParts(special, request, (made) => {
        shader.pipelines.set(key, made)
        return made
      })
    } catch (e) {
      if (e instanceof Unsupported || e instanceof CodeTooLarge) shader.refusals.set(key, e)
      throw e
    }
  }

  *#codeInParts(
    lowered: Lowered,
    { traps, isLimited }: CodeRequest,
    keep: (made: Pipeline) => Pipeline,
  ): Generator<void, Pipeline> {
    yield
    const waiting = findSpinLoop(lowered, NARROWEST_WAVE)
    if (waiting !== undefined) throw new Unsupported('a loop waits for what other threads write', waiting)
    const optimized = this.#optimizedInParts(lowered, traps, keep)
    const baseline = isLimited ? undefined : yield* this.#baselineOf(lowered, traps, optimized)
    return baseline === undefined ? yield* optimized : keep(baseline)
  }

  *#optimizedInParts(lowered: Lowered, traps: boolean, keep: (made: Pipeline) => Pipeline): Generator<void, Pipeline> {
    const kernel = yield* this.#compileInParts(lowered, traps)
    yield
    return keep(this.#instantiate(kernel, lowered))
  }

  /**
   * Baseline code of a stage of draws; undefined where there is to be none. Shaders that may be found wrong have none: in which order and of which
   * invocation something is found first depends on the width of waves, and when optimized code takes its turn on the clock. Of some that shows
   * only in the code, which is thrown away then.
   */
  *#baselineOf(
    lowered: Lowered,
    traps: boolean,
    optimized: Generator<void, Pipeline>,
  ): Generator<void, Pipeline | undefined> {
    const { baselineMs } = this.#options
    const ms = baselineMs ?? enoughFor(lowered.builder.valueCount)
    if (lowered.declarations.stage.kind === 'compute' || ms === 0 || reports(lowered.root.items)) return undefined
    const kernel = yield* this.#compileBaseline(lowered, traps)
    if (kernel.sites.length > 0 || kernel.callsHost) return undefined
    yield
    return this.#instantiate(
      kernel,
      lowered,
      new Baseline(ms, inLongerParts(optimized, CODE_PART_MS), baselineMs !== undefined),
    )
  }

  /** Code whose waves are of four threads and run one after the other. Programs of quads have no attempts without flushes: their loops store. */
  *inOrderInParts(lowered: Lowered): Generator<void, Pipeline> {
    const { assertions, vectorRuns, packsPairs } = this.#options
    const options: KernelOptions = {
      width: 1,
      scratchWidth: 1,
      pairs: false,
      packsPairs,
      sharedMemory: true,
      sharedAtomics: false,
      traps: false,
      assertions,
      vectorRuns,
      speculates: false,
    }
    return this.#instantiate(yield* compileKernelInParts(lowered, options), lowered)
  }

  #instantiate(kernel: CompiledKernel, lowered: Lowered, baseline?: Baseline<Pipeline>): Pipeline {
    const wasm = webAssembly()!
    const { memory } = this.#memory
    const bindings = { views: [], samplers: [], findings: undefined }
    const host: Pipeline['host'] = { bindings, deadline: Number.POSITIVE_INFINITY }
    const overdue = (): number => (performance.now() > host.deadline ? 1 : 0)
    const texel = (call: number, at: number): void => {
      const { item, width } = kernel.hostCalls[call]!
      const words = new Uint32Array(memory.buffer)
      performTexel(item, host.bindings, words, at >> 2, width * 4)
    }
    const instance = new wasm.Instance(moduleOf(wasm, kernel), {
      env: { memory, fusedFloat, fusedDouble, texel, overdue },
    })
    const run = instance.exports.run as Pipeline['run']
    const mayShare = this.#mayShare(lowered)
    const number = this.#pipelines++
    return { kernel, lowered, run, host, number, mayShare, isRepeatable: isRepeatable(lowered), baseline }
  }
}

/** Hosts have limits: bytes of a function, its locals. */
function moduleOf(wasm: WebAssemblyHost, kernel: CompiledKernel): WebAssemblyModule {
  try {
    return new wasm.Module(kernel.bytes)
  } catch (e) {
    throw new Unsupported(`the host rejected the compiled module: ${e instanceof Error ? e.message : String(e)}`, 0)
  }
}
