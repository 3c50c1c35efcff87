import {
  appendAll,
  type Diagnostic,
  diagnostic,
  failure,
  hasErrors,
  type Outcome,
  outcomeOf,
} from '../../../../diagnostic/index.ts'
import type { ResolvedBindings, TextureSrv, Uav } from '../../../../machine/index.ts'
import { batchCapacity } from '../../../batch.ts'
import type { ClassBinding } from '../../../class-instances.ts'
import type { BatchExecution, DispatchOptions, LoadedShader, LoadOptions } from '../../../contract.ts'
import type { Declarations } from '../../../declarations.ts'
import type { BuilderOptions } from '../../../ir/index.ts'
import { translateInParts } from '../../../lower/index.ts'
import { inLongerParts } from '../../../next-task.ts'
import { entryLayout } from '../../../register-layout.ts'
import { checkStageRequest } from '../../../request.ts'
import { CODE_PART_MS } from '../baseline.ts'
import type { DecodedTextures } from '../decoded/decoded-textures.ts'
import type { SamplingHistory } from '../decoded/sampling-history.ts'
import { stageViews } from '../descriptor.ts'
import type { WasmMemory } from '../memory.ts'
import { type IsDecoded, type PipelineCompiler, requireWholeQuads, type WasmShader } from '../pipeline.ts'
import { budgetOf, notCompiledOf, notCompiledShader } from '../refusals.ts'
import type { ReusableRange } from '../reusable-range.ts'
import { simplifiedInParts } from '../specialization.ts'
import { Staging } from '../staging.ts'
import { WasmBatchExecution } from './batch-execution.ts'
import type { CompiledEntry } from './entry-memory.ts'
import type { StageMemories } from './stage-memories.ts'

/** Shaders of draws: each entry is a program of its own, whose thread group is a batch of invocations. */
export interface WasmStageShader extends LoadedShader {
  readonly compiledEntries: readonly WasmShader[]
}

export const isStageShader = (shader: LoadedShader): shader is WasmStageShader => 'compiledEntries' in shader

/** What stages are compiled with and run on. */
export interface StageHost {
  readonly memory: WasmMemory
  readonly memories: StageMemories
  readonly compiler: PipelineCompiler
  readonly decoded: DecodedTextures
  readonly history: SamplingHistory
  /** Where the code of a stage lies for other threads: a draw may share several. */
  readonly code: (stage: string) => ReusableRange
}

/** Makes the programs of a shader's entries; yields to the host between their passes. */
export function* loadStage(
  engine: string,
  declarations: Declarations,
  options: LoadOptions,
  builderOptions: Omit<BuilderOptions, 'threads'>,
): Generator<void, Outcome<WasmStageShader>> {
  const compiledEntries: WasmShader[] = []
  const found: Diagnostic[] = []
  for (let entry = 0; entry < declarations.entries.length; entry++) {
    const threads = [batchCapacity(declarations), 1, 1] as const
    const translation = translateInParts(declarations, { ...builderOptions, threads }, { entry })
    const { value, diagnostics } = yield* inLongerParts(translation, CODE_PART_MS)
    appendAll(found, diagnostics)
    if (value === undefined || hasErrors(diagnostics)) return failure(found)
    yield
    requireWholeQuads(value)
    const lowered = yield* inLongerParts(simplifiedInParts(value), CODE_PART_MS)
    const maps = { variants: new Map(), pipelines: new Map(), refusals: new Map() }
    compiledEntries.push({ engine, declarations, options, lowered, entry, ...maps })
  }
  return outcomeOf({ engine, declarations, options, compiledEntries }, found)
}

/** Compiles the entries of a shader for what is bound; throws Unsupported where one cannot be. */
function compileEntries(
  host: StageHost,
  shader: WasmStageShader,
  classes: ClassBinding,
  bindings: ResolvedBindings,
  options: DispatchOptions,
  staging: Staging,
  isDecoded: IsDecoded,
): Outcome<readonly CompiledEntry[]> {
  const entries: CompiledEntry[] = []
  const stores = { staging, decoded: host.decoded }
  for (let n = 0; n < shader.compiledEntries.length; n++) {
    const program = shader.compiledEntries[n]!
    let bound = host.compiler.forBindings(program, classes, bindings, options, isDecoded)
    if (bound.value === undefined) return failure(bound.diagnostics)
    let staged = stageViews(bound.value, host.memory, stores)
    if (staged === undefined && bound.value.decoded.size > 0) {
      // There may be room without copies.
      staging.discard()
      bound = host.compiler.forBindings(program, classes, bindings, options)
      if (bound.value === undefined) return failure(bound.diagnostics)
      staged = stageViews(bound.value, host.memory, stores)
    }
    if (staged === undefined) return failure([outOfMemory()])
    entries.push({ bound: bound.value, staged, layout: entryLayout(shader.declarations.entries[n]!) })
  }
  return outcomeOf(entries, [])
}

const outOfMemory = (): Diagnostic => diagnostic('engine-memory', 'there is no room for the bindings')

/** Copies of what lies in other memory are made for each stage: what one stage writes the next would not see. */
const isElsewhere = (memory: WasmMemory, view: { readonly storage: Uav['storage'] }): boolean =>
  !memory.owns(view.storage.buffer)

function notRunOf(host: StageHost, bindings: ResolvedBindings, options: DispatchOptions): string | undefined {
  const beyond = notCompiledOf(options)
  if (beyond !== undefined) return beyond
  if (bindings.u.size === 0) return undefined
  const isBeyond = [...bindings.u.values()].some((v) => isElsewhere(host.memory, v))
  return isBeyond ? 'a UAV lies in the memory of another engine' : undefined
}

/** Whether a stage reads copies of textures that it could read as they are. */
const mayReadCopies = (host: StageHost, { declarations }: WasmStageShader): boolean =>
  declarations.stage.kind === 'pixel' || host.history.isAlways

/** Decodes the textures that a shader of a draw reads from copies, and compiles its code, in parts that yield to the host. */
export function* prepareStage(
  host: StageHost,
  shader: WasmStageShader,
  bindings: ResolvedBindings,
  options: DispatchOptions,
): Generator<void, void> {
  const classes = checkStageRequest(shader.declarations, options).value
  if (classes === undefined || notRunOf(host, bindings, options) !== undefined) return
  for (const view of bindings.t.values()) {
    if (view.shape === 'texture' && view.format.layout !== 'linear') yield* host.decoded.prepare(view)
  }
  const mayRead = bindings.t.size > 0 && mayReadCopies(host, shader)
  const isDecoded: IsDecoded = (view, kind) => mayRead && host.history.isProfitable(shader, view, kind)
  for (const entry of shader.compiledEntries) {
    if (mayRead) yield* decodeFor(host, entry, classes, bindings, isDecoded)
    const code = host.compiler.forBindingsInParts(entry, classes, bindings, options, isDecoded)
    try {
      yield* inLongerParts(code, CODE_PART_MS)
    } catch {
      // To begin the stage meets the same, and says what it is.
      return
    }
  }
}

function* decodeFor(
  host: StageHost,
  entry: WasmShader,
  classes: ClassBinding,
  bindings: ResolvedBindings,
  isDecoded: IsDecoded,
): Generator<void, void> {
  for (const [view, kind] of host.compiler.decodedViews(entry, classes, bindings, isDecoded)) {
    yield* host.decoded.prepare(view, kind === 'codes')
  }
}

/** A shader of a draw, made ready with what is bound. */
export function beginWasmStage(
  host: StageHost,
  shader: WasmStageShader,
  bindings: ResolvedBindings,
  options: DispatchOptions,
): Outcome<BatchExecution> {
  const request = checkStageRequest(shader.declarations, options)
  if (request.value === undefined) return failure(request.diagnostics)
  const beyond = notRunOf(host, bindings, options)
  if (beyond !== undefined) return failure([diagnostic('engine-not-compiled', beyond)])
  const staging = new Staging(host.memory)
  const sampled: TextureSrv[] = []
  const mayRead = mayReadCopies(host, shader)
  const isDecoded: IsDecoded = (view, kind) => {
    if (!mayRead) return false
    sampled.push(view)
    return host.history.isProfitable(shader, view, kind)
  }
  let compiled: Outcome<readonly CompiledEntry[]>
  try {
    compiled = compileEntries(host, shader, request.value, bindings, options, staging, isDecoded)
  } catch (e) {
    compiled = failure(notCompiledShader(e, shader))
  }
  if (compiled.value === undefined) {
    staging.discard()
    return failure(compiled.diagnostics)
  }
  const value = WasmBatchExecution.create({
    shader,
    entries: compiled.value,
    staging,
    bindings,
    options,
    memory: host.memory,
    memories: host.memories,
    code: host.code,
    budget: budgetOf(options),
    history: host.history,
    sampled,
  })
  if (value !== undefined) return outcomeOf(value, request.diagnostics)
  staging.discard()
  return failure([outOfMemory()])
}
