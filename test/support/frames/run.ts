import { type Diagnostic, hasErrors, ShaderError, valueOrThrow } from '../../../src/diagnostic/index.ts'
import type { Engine, SharedWork } from '../../../src/engine/index.ts'
import {
  type Bindings,
  type Buffer,
  createSrv,
  createTexture,
  createUav,
  type DepthStencilView,
  dsv,
  type Memory,
  type RenderTargetView,
  rtv,
  type Storage,
  type Texture,
  type Uav,
} from '../../../src/machine/index.ts'
import {
  automaticCall,
  clearDepthStencil,
  clearRenderTarget,
  clearUnorderedAccessUint,
  compileThresholds,
  createPipeline,
  type DrawCall,
  type DrawOptions,
  type DrawResources,
  type DrawResult,
  drawParts,
  indirectCall,
  type Pipeline,
  type PipelineShader,
  type ShaderStage,
  type StreamBuffer,
  setFilledBytes,
} from '../../../src/pipeline/index.ts'
import { drawAtOnce, pipelineShaderOf, wordsBuffer } from '../draw-text.ts'
import { Random } from '../random/random.ts'
import { type Output, randomBindings } from '../random-bindings.ts'
import { stagesOf } from './frame.ts'
import type { FrameCommand, FrameDraw, FramePipeline, FrameShader, FrameTexture, RandomFrame } from './model.ts'
import { isPlainSeed } from './plain.ts'
import { runSurfaceCommand } from './run-surfaces.ts'
import { MEMORY, MEMORY_WORDS, SOURCE } from './templates.ts'

/** Runs a random frame on an engine. */

/** Why a draw did not run, or what it gave. */
export type DrawOutcome = { readonly refused: readonly Diagnostic[] } | DrawResult

/** What a frame left: contents by name, then what each draw gave. */
export interface FrameRun {
  readonly contents: ReadonlyMap<string, Uint32Array>
  readonly draws: readonly DrawOutcome[]
}

interface BoundShader {
  readonly shader: PipelineShader
  /** What the stage reads, and its UAVs, which belong to all stages. */
  readonly bindings: Bindings
  readonly unorderedAccess: Bindings
  readonly outputs: readonly Output[]
}

/** Size of the first mip of a target: that of a frame is the mip's that is drawn to. */
function sizeOf({ kind, width, height, arraySize }: RandomFrame, sampleCount: RandomFrame['sampleCount']) {
  const { dimension, mipSlice } = kind
  const base = { dimension, width: width << mipSlice, mipLevels: sampleCount > 1 ? 1 : kind.mipLevels }
  if (dimension === 'texture1d') return { ...base, arraySize }
  if (dimension === 'texture3d') return { ...base, height: height << mipSlice, depth: arraySize << mipSlice }
  return { ...base, height: height << mipSlice, arraySize, sampleCount }
}

/** The resources of a frame on one engine. */
class FrameResources {
  readonly frame: RandomFrame
  readonly engine: Engine
  readonly pictures: readonly Texture[]
  readonly depth: Texture | undefined
  /** Those that are copied to, as far as they are used. */
  readonly spares: (Texture | undefined)[] = []
  readonly memory: Buffer
  readonly streams: readonly (Buffer & StreamBuffer)[]
  readonly #where: { readonly memory?: Memory }
  readonly #owned: Storage[] = []
  readonly #released: (() => void)[] = []
  readonly #shaders = new Map<FrameShader, BoundShader>()
  readonly #pipelines = new Map<number, Pipeline | readonly Diagnostic[]>()
  readonly outputs: Output[] = []

  constructor(frame: RandomFrame, engine: Engine) {
    this.frame = frame
    this.engine = engine
    const { memory } = engine
    this.#where = memory === undefined || !frame.inEngine ? {} : { memory }
    const r = new Random(frame.seed ^ 0x1b873593)
    this.pictures = frame.pictures.map((format) => this.#texture(format, r))
    this.depth = frame.depth === undefined ? undefined : this.#texture(frame.depth)
    this.memory = this.buffer(new Uint32Array(MEMORY_WORDS))
    this.streams = Array.from({ length: 4 }, () => {
      return { ...this.buffer(new Uint32Array(frame.streamBytes / 4)), filled: 0 }
    })
  }

  buffer(words: Uint32Array): Buffer {
    const made = wordsBuffer(0, words, this.#where.memory)
    this.#owned.push(made.storage)
    return made
  }

  /** A target with any bits, or with zeros. */
  #texture(format: string, r?: Random, sampleCount = this.frame.sampleCount): Texture {
    const made = valueOrThrow(createTexture({ ...sizeOf(this.frame, sampleCount), format, ...this.#where }))
    this.#owned.push(made.storage)
    if (r !== undefined) for (let i = 0; i < made.storage.words.length; i++) made.storage.words[i] = r.next()
    return made
  }

  textureOf({ of, picture }: FrameTexture): Texture {
    if (of === 'target') return this.pictures[picture]!
    const known = this.spares[picture]
    const { seed, pictures } = this.frame
    const made = known ?? this.#texture(pictures[picture]!, new Random(seed ^ 0x3243f6a8 ^ picture), 1)
    this.spares[picture] = made
    return made
  }

  get work(): SharedWork | undefined {
    return this.engine.sharedWork
  }

  counters(): readonly Uav[] {
    const views = [...this.#shaders.values()].flatMap((s) => Object.values(s.unorderedAccess))
    return views.flatMap((v) => (v !== undefined && v !== null && 'counter' in v && v.counter !== undefined ? [v] : []))
  }

  /** A shader with its bindings, made once for all draws of the frame. */
  #bind(s: FrameShader): BoundShader {
    const known = this.#shaders.get(s)
    if (known !== undefined) return known
    const { memory } = this.engine
    const shader = loadedOn(this.engine, s)
    const own = memory === undefined ? {} : { memory }
    const options = { numbers: s.numbers, hints: s.hints, integers: 0.5, unbound: 0.1, isOwn: true, ...own }
    const made = randomBindings(shader.loaded.declarations, s.seed, options)
    this.#released.push(made.release)
    const isUav = (name: string): boolean => name.startsWith('u')
    const some = (test: (name: string) => boolean): Bindings =>
      Object.fromEntries(Object.entries(made.bindings).filter(([name]) => test(name) && name !== MEMORY))
    const outputs = made.outputs.filter((o) => o.name !== MEMORY)
    const bound = { shader, bindings: some((n) => !isUav(n)), unorderedAccess: some(isUav), outputs }
    this.outputs.push(...outputs.map((o) => ({ ...o, name: `${o.name} of shader ${s.seed}` })))
    this.#shaders.set(s, bound)
    return bound
  }

  shaderOf(pipeline: number, stage: ShaderStage): BoundShader | undefined {
    const shader = this.frame.pipelines[pipeline]!.shaders[stage]
    return shader === undefined ? undefined : this.#bind(shader)
  }

  pipeline(n: number): Pipeline | readonly Diagnostic[] {
    const known = this.#pipelines.get(n)
    if (known !== undefined) return known
    const { shaders, state, outputTypes } = this.frame.pipelines[n]!
    const made = Object.fromEntries(stagesOf(shaders).map((stage) => [stage, this.shaderOf(n, stage)!.shader]))
    const pixel = made.pixel && withTypes(made.pixel, outputTypes)
    const outcome = createPipeline({ vertex: made.vertex!, ...made, pixel, ...state })
    const pipeline = outcome.value ?? outcome.diagnostics
    this.#pipelines.set(n, pipeline)
    return pipeline
  }

  release(): void {
    for (const release of this.#released) release()
    for (const storage of this.#owned) this.#where.memory?.release?.(storage)
  }
}

function withTypes(shader: PipelineShader, types: FramePipeline['outputTypes']): PipelineShader {
  const outputSignature = shader.outputSignature.map((o) => ({ ...o, type: types[o.register] }))
  return { ...shader, outputSignature }
}

/** Shaders by engine: those of a pool go from frame to frame. */
const LOADED = new WeakMap<Engine, WeakMap<FrameShader, PipelineShader>>()

function loadedOn(engine: Engine, s: FrameShader): PipelineShader {
  const known = LOADED.get(engine) ?? new WeakMap<FrameShader, PipelineShader>()
  LOADED.set(engine, known)
  const shader = known.get(s) ?? pipelineShaderOf(valueOrThrow(engine.load(s.program)), s.classInstances)
  known.set(s, shader)
  return shader
}

function callOf(f: FrameResources, d: FrameDraw): DrawCall | readonly Diagnostic[] {
  const { call } = d
  if (call.kind === 'direct') return call.call
  if (call.kind === 'indirect') {
    const given = indirectCall(f.buffer(Uint32Array.from(call.words)), call.offset, call.indexed)
    return given.value ?? given.diagnostics
  }
  const first = d.vertexBuffers[0]!
  const given = automaticCall({ storage: f.streams[0]!.storage, stride: first.stride, offset: first.offset })
  return given.value ?? given.diagnostics
}

function viewsOf(f: FrameResources, d: FrameDraw): Pick<DrawResources, 'renderTargets' | 'depthStencil'> {
  const renderTargets = d.targets.map((t): RenderTargetView | undefined => {
    if (t === undefined) return undefined
    const { firstArraySlice, arraySize } = t
    return valueOrThrow(rtv(f.pictures[t.picture]!, { firstArraySlice, arraySize, ...partOf(f.frame) }))
  })
  const { depth } = f
  if (depth === undefined || d.depth === undefined) return { renderTargets, depthStencil: undefined }
  const view: DepthStencilView = valueOrThrow(dsv(depth, { ...d.depth, ...partOf(f.frame) }))
  return { renderTargets, depthStencil: view }
}

/** The dimension and the mip of views of a frame's targets: a cube is drawn to as an array of its faces. */
function partOf({ kind, sampleCount, arraySize }: RandomFrame) {
  const { dimension, mipSlice } = kind
  if (dimension === 'texture3d') return { dimension, mipSlice }
  const name = dimension === 'texture1d' ? dimension : (`texture2d${sampleCount > 1 ? 'ms' : ''}` as const)
  return { dimension: arraySize > 1 ? (`${name}array` as const) : name, mipSlice }
}

function resourcesOf(f: FrameResources, d: FrameDraw): DrawResources {
  const { shaders } = f.frame.pipelines[d.pipeline]!
  const bound = stagesOf(shaders).map((stage) => [stage, f.shaderOf(d.pipeline, stage)!] as const)
  const memory = createUav(f.memory, { raw: true })
  d.streamOffsets.forEach((offset, n) => {
    if (offset !== undefined && offset >= 0) f.streams[n]!.filled = offset
  })
  const read = d.source && f.textureOf(d.source)
  return {
    bindings: Object.fromEntries(
      bound.map(([stage, b]) => [
        stage,
        SOURCE in b.bindings && read !== undefined ? withSource(b.bindings, read) : b.bindings,
      ]),
    ),
    unorderedAccess: Object.assign({ [MEMORY]: valueOrThrow(memory) }, ...bound.map(([, b]) => b.unorderedAccess)),
    vertexBuffers: d.vertexBuffers.map((b) => {
      if (b === undefined) return undefined
      const { storage, byteLength } = 'words' in b ? f.buffer(Uint32Array.from(b.words)) : f.streams[0]!
      return { storage, byteLength, stride: b.stride, offset: b.offset }
    }),
    indexBuffer: indexBufferOf(f, d),
    streamOutputBuffers: d.streamOffsets.map((offset, n) => (offset === undefined ? undefined : f.streams[n])),
    ...viewsOf(f, d),
    ...d.fixed,
  }
}

const withSource = (bindings: Bindings, texture: Texture): Bindings => ({
  ...bindings,
  [SOURCE]: valueOrThrow(createSrv(texture, { dimension: 'texture2d', arraySize: 1 })),
})

function indexBufferOf(f: FrameResources, { indexBuffer }: FrameDraw): DrawResources['indexBuffer'] {
  if (indexBuffer === undefined) return undefined
  const { storage, byteLength } = f.buffer(Uint32Array.from(indexBuffer.words))
  return { storage, byteLength, format: indexBuffer.format, offset: indexBuffer.offset }
}

/** Draws are cut short that cost more than they are worth. */
const MAX_INSTRUCTIONS = 200_000

/** A draw of a frame with everything that decides it. */
export interface PreparedDraw {
  readonly engine: Engine
  readonly pipeline: Pipeline
  readonly resources: DrawResources
  readonly call: DrawCall
  readonly options: Pick<DrawOptions, 'maxInstructionsPerThread' | 'undefinedPolicy'>
}

function prepareDraw(f: FrameResources, d: FrameDraw): PreparedDraw | { readonly refused: readonly Diagnostic[] } {
  const pipeline = f.pipeline(d.pipeline)
  if (!('vertex' in pipeline)) return { refused: pipeline }
  const call = callOf(f, d)
  if (!('vertexCount' in call || 'indexCount' in call)) return { refused: call as readonly Diagnostic[] }
  const options = { maxInstructionsPerThread: MAX_INSTRUCTIONS, undefinedPolicy: d.undefinedPolicy }
  return { engine: f.engine, pipeline, resources: resourcesOf(f, d), call, options }
}

function runPrepared(f: FrameResources, d: FrameDraw, prepared: ReturnType<typeof prepareDraw>): DrawOutcome {
  if ('refused' in prepared) return prepared
  const { engine, pipeline, resources, call, options } = prepared
  const result = drawAtOnce(engine, pipeline, resources, call, options)
  if (d.streamOffsets.length > 0) for (const s of f.streams) setFilledBytes(s.storage, s.filled)
  return result
}

/** Runs all commands, and shows each draw with memory as it finds it. A visit leaves memory as it was. */
export async function visitDraws(
  frame: RandomFrame,
  engine: Engine,
  visit: (draw: PreparedDraw) => Promise<void>,
): Promise<void> {
  const setSizesBack = chooseSizes(frame, engine)
  const f = new FrameResources(frame, engine)
  try {
    for (const c of frame.commands) {
      if (c.kind !== 'draw') {
        runOther(f, c)
        continue
      }
      const prepared = prepareDraw(f, c)
      if (!('refused' in prepared)) await visit(prepared)
      runPrepared(f, c, prepared)
    }
  } finally {
    setSizesBack()
    f.release()
  }
}

function runOther(f: FrameResources, c: Exclude<FrameCommand, FrameDraw>): void {
  const throwing = (found: readonly Diagnostic[]): void => {
    if (hasErrors(found)) throw new ShaderError(found)
  }
  const part = partOf(f.frame)
  if (c.kind === 'clear')
    throwing(clearRenderTarget(valueOrThrow(rtv(f.pictures[c.picture]!, part)), c.color, f.engine))
  else if (c.kind === 'clear-depth') {
    const { kind: _kind, ...values } = c
    throwing(clearDepthStencil(valueOrThrow(dsv(f.depth!, part)), values, f.engine))
  } else if (c.kind === 'clear-memory')
    throwing(clearUnorderedAccessUint(valueOrThrow(createUav(f.memory, { raw: true })), [c.word, 0, 0, 0]))
  else runSurfaceCommand(f, c)
}

/**
 * Sets sizes for a small frame, and answers what sets them back: compiled code has everything that it can, in half of the frames few quads
 * too, and takes draws apart that run whole on the reference engine. Frames with a hull shader have the same parts on both: its phases run one
 * after the other over a batch of patches, so that which finding is the first depends on where batches end. Parts of the
 * usual size are the same on all engines.
 */
function chooseSizes({ seed, pipelines }: RandomFrame, engine: Engine): () => void {
  const before = [drawParts.elements, { ...compileThresholds }] as const
  const elements = isPlainSeed(seed) ? 12 * (1 + (seed % 64)) : 12
  const runsWhole = engine.elementKernels === undefined && pipelines.every(({ shaders }) => shaders.hull === undefined)
  drawParts.elements = runsWhole ? Number.POSITIVE_INFINITY : elements
  const quads = seed % 4 < 2 ? 1 : 128
  const sizes = {
    triangles: 1,
    boundedQuads: 1,
    vertices: 1,
    vertexWords: 1,
    bandBytes: 1,
    farBytes: 1,
    resolved: 1,
    filledBytes: 1,
    filledAtOnce: 1,
  }
  const chunks = seed % 2 === 0 ? { firstChunkPixels: 1, chunkPixels: 128 } : {}
  Object.assign(compileThresholds, { ...sizes, ...chunks, quads })
  return () => {
    drawParts.elements = before[0]
    Object.assign(compileThresholds, before[1])
  }
}

/** Runs all commands; what is left are copies. */
export function runFrame(frame: RandomFrame, engine: Engine): FrameRun {
  const setSizesBack = chooseSizes(frame, engine)
  const f = new FrameResources(frame, engine)
  try {
    const draws: DrawOutcome[] = []
    for (const c of frame.commands) {
      if (c.kind === 'draw') draws.push(runPrepared(f, c, prepareDraw(f, c)))
      else runOther(f, c)
    }
    const contents = new Map<string, Uint32Array>()
    f.pictures.forEach((t, n) => {
      contents.set(`target ${n} (${t.format.name})`, t.storage.words.slice())
    })
    if (f.depth !== undefined) contents.set(`depth (${f.depth.format.name})`, f.depth.storage.words.slice())
    f.spares.forEach((t, n) => {
      if (t !== undefined) contents.set(`spare ${n} (${t.format.name})`, t.storage.words.slice())
    })
    contents.set('memory', f.memory.storage.words.slice())
    f.streams.forEach((s, n) => {
      contents.set(`stream buffer ${n}, ${s.filled} bytes`, s.storage.words.slice())
    })
    for (const o of f.outputs) contents.set(o.name, o.words().slice())
    return { contents, draws }
  } finally {
    setSizesBack()
    f.release()
  }
}
