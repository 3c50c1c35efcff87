import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { type Engine, type LoadOptions, matchBindings } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import {
  createBuffer,
  createSampler,
  createSrv,
  createTexture,
  createUav,
  type SamplerOptions,
  type TextureOptions,
} from '../../src/machine/index.ts'
import { programOf } from './run-text.ts'

/** Programs whose threads each sample a texture with numbers of their own, on the reference engine and in compiled code. */

const THREADS_OF_A_GROUP = 16

/** Texture t0, sampler s0, the numbers of the threads in the raw buffer t1, results in the raw buffer u0, three temporary registers. */
export const samplingText = (body: string): string => `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_sampler s0, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_resource_raw t1
dcl_uav_raw u0
dcl_input vThreadID.x
dcl_temps 3
dcl_thread_group ${THREADS_OF_A_GROUP}, 1, 1
${body}
ret
`

export interface SamplingRun {
  readonly text: string
  readonly texture: Omit<TextureOptions, 'memory'>
  readonly sampler: SamplerOptions
  /** What threads load from t1; those that fill the last group load from the beginning again. */
  readonly numbers: readonly (readonly number[])[]
  /** Words of u0 for each thread. */
  readonly resultWords: number
  /** Compiled code reads decoded copies of textures that may have them. */
  readonly alwaysDecodes?: boolean
  readonly load?: LoadOptions
}

/** The words of u0 after a run. Textures and buffers lie in the engine's memory where it has one. */
export async function sampledWords(engine: Engine, run: SamplingRun): Promise<readonly number[]> {
  const { text, texture, sampler, numbers, resultWords } = run
  const groups = Math.ceil(numbers.length / THREADS_OF_A_GROUP)
  const threads = groups * THREADS_OF_A_GROUP
  const perThread = Array.from({ length: threads }, (_, n) => numbers[n % numbers.length]!)
  const data = new Uint8Array(Float32Array.from(perThread.flat()).buffer)
  const shared = engine.memory === undefined ? {} : { memory: engine.memory }
  const given = valueOrThrow(createBuffer({ byteLength: data.length, data, ...shared }))
  const out = valueOrThrow(createBuffer({ byteLength: threads * resultWords * 4, ...shared }))
  const shader = valueOrThrow(engine.load(programOf(text), run.load))
  const bound = {
    t1: valueOrThrow(createSrv(given, { raw: true })),
    // Allocated last: nothing lies behind its last texel.
    t0: valueOrThrow(createSrv(valueOrThrow(createTexture({ ...texture, ...shared })))),
    u0: valueOrThrow(createUav(out, { raw: true })),
    s0: valueOrThrow(createSampler(sampler)),
  }
  await engine.dispatch(shader, valueOrThrow(matchBindings(shader.declarations, bound)), [groups, 1, 1])
  return [...out.storage.words]
}

export interface SampledWords {
  readonly reference: readonly number[]
  /** With 1, 2 and 4 vectors for each word. */
  readonly compiled: readonly (readonly number[])[]
}

/** The words of u0 after a run on the reference engine, and in compiled code of each width. */
export async function sampledOnAll(run: SamplingRun): Promise<SampledWords> {
  const reference = await sampledWords(createReferenceEngine({}), run)
  const compiled: (readonly number[])[] = []
  for (const width of [1, 2, 4] as const) {
    const engine = createWasmEngineWith({ width, threads: 1, alwaysDecodes: run.alwaysDecodes })
    compiled.push(await sampledWords(engine, run))
    engine.dispose?.()
  }
  return { reference, compiled }
}
