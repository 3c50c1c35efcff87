import type { Outcome } from '../../diagnostic/index.ts'
import type { ClassBinding } from '../class-instances.ts'
import type { LoadedShader } from '../contract.ts'
import { optimise, specialise } from '../lower/optimise.ts'
import { type TexelBindings, texelExpander } from '../lower/texel-code.ts'
import { type Lowered, translate } from '../lower/translate.ts'
import { fixedBytes } from './descriptor.ts'
import { fusedDouble, fusedFloat } from './fused.ts'
import { type HostBindings, performTexel } from './host.ts'
import { compileKernel, type Kernel, type KernelOptions } from './kernel.ts'
import type { WasmMemory } from './memory.ts'
import { orderMatters } from './order.ts'
import { NO_TEXELS, texelKey, usesTexels, widthFor } from './specialisation.ts'
import { webAssembly } from './web-assembly.ts'

/** Code of a shader for one way of running it. */
export interface Pipeline {
  readonly kernel: Kernel
  readonly lowered: Lowered
  readonly run: (descriptor: number, first: number, end: number, scratch: number) => void
  /** What host calls of this pipeline run on; set for each dispatch. */
  readonly host: { bindings: HostBindings }
  /** By which workers know the code again. */
  readonly number: number
  /** Workers may run groups of it. */
  readonly mayShare: boolean
}

export interface WasmShader extends LoadedShader {
  readonly pipelines: Map<string, Pipeline>
  readonly lowered: Lowered
  /** The program with interface pointers bound, by what they point to. */
  readonly variants: Map<string, Lowered>
}

/** A program with its interface pointers bound. */
export interface Variant {
  readonly lowered: Lowered
  readonly key: string
  readonly classes: ClassBinding | undefined
}

/** What an engine decides for all its code. */
export interface CompilerOptions {
  /** v128 per word; chosen by the program where absent. */
  readonly width: 1 | 2 | 4 | undefined
  /** Programs of which workers may run groups: none, those where the order of groups never shows, or all. */
  readonly sharing: 'none' | 'unordered' | 'all'
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

  #mayShare(lowered: Lowered): boolean {
    const { sharing } = this.#options
    return sharing === 'all' || (sharing === 'unordered' && !orderMatters(lowered))
  }

  #kernelOptions(lowered: Lowered): KernelOptions {
    return {
      width: this.#options.width ?? widthFor(lowered),
      sharedMemory: true,
      // Atomics on UAVs are real ones where other threads may run groups of the same dispatch.
      sharedAtomics: this.#mayShare(lowered),
      reportOffset: fixedBytes(lowered),
    }
  }

  /** Compiles what can be compiled before bindings are known; throws Unsupported where the program cannot be. */
  check(shader: WasmShader): void {
    const { lowered } = shader
    if (usesTexels(lowered.root)) compileKernel(lowered, this.#kernelOptions(lowered))
    else this.pipeline(shader, { lowered, key: '', classes: undefined }, undefined, NO_TEXELS)
  }

  /** The program with its interface pointers bound, or what of it is not compiled. */
  variant(shader: WasmShader, classes: ClassBinding): Outcome<Variant> {
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

  /** The code for strides, formats and samplers as bound; throws Unsupported where the program cannot be compiled. */
  pipeline(
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
    const pipeline = this.#instantiate(compileKernel(lowered, this.#kernelOptions(lowered)), lowered)
    shader.pipelines.set(key, pipeline)
    return pipeline
  }

  #instantiate(kernel: Kernel, lowered: Lowered): Pipeline {
    const wasm = webAssembly()!
    const { memory } = this.#memory
    const host: Pipeline['host'] = { bindings: { views: [], samplers: [] } }
    const texel = (call: number, at: number): void => {
      const { item, width } = kernel.hostCalls[call]!
      const words = new Uint32Array(memory.buffer)
      performTexel(item.request, item.args.length, item.results.length, host.bindings, words, at >> 2, width * 4)
    }
    const module = new wasm.Module(kernel.bytes)
    const instance = new wasm.Instance(module, { env: { memory, fusedFloat, fusedDouble, texel } })
    const run = instance.exports.run as Pipeline['run']
    return { kernel, lowered, run, host, number: this.#pipelines++, mayShare: this.#mayShare(lowered) }
  }
}
