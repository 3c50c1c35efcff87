import { parseProgram } from '../../src/asm/index.ts'
import { type Diagnostic, hasErrors, ShaderError, valueOrThrow } from '../../src/diagnostic/index.ts'
import type { ClassInstances, DispatchOptions, Engine, LoadedShader } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { FILE } from '../../src/isa/index.ts'
import {
  type Bindings,
  createBuffer,
  createTexture,
  type DepthStencilView,
  dsv,
  type Memory,
  type RenderTargetView,
  rtv,
  type TextureOptions,
  targetOffset,
} from '../../src/machine/index.ts'
import {
  beginDraw,
  createPipeline,
  type DrawCall,
  type DrawOptions,
  type DrawResources,
  type DrawResult,
  type Pipeline,
  type PipelineDescription,
  type PipelineShader,
  refusedDraw,
  type ShaderStage,
  type SignatureRegister,
  type Viewport,
} from '../../src/pipeline/index.ts'

/** Draws from assembly text on the reference engine, for tests of the pipeline: one call sets up everything. */

const ENGINE = createReferenceEngine({})
const F32 = new Float32Array(1)
const WORD = new Int32Array(F32.buffer)

/** Bits of a float32. */
export function bits(x: number): number {
  F32[0] = x
  return WORD[0]!
}

/** The float32 of bits. */
export function float(word: number): number {
  WORD[0] = word
  return F32[0]!
}

const caches = new WeakMap<Engine, Map<string, PipelineShader>>()

/** The shader of an assembly text. */
export function shaderOf(text: string, engine: Engine = ENGINE): PipelineShader {
  const cache = caches.get(engine) ?? new Map<string, PipelineShader>()
  caches.set(engine, cache)
  const known = cache.get(text)
  if (known !== undefined) return known
  const parsed = parseProgram(text)
  if (hasErrors(parsed.diagnostics)) throw new ShaderError(parsed.diagnostics)
  const made = pipelineShaderOf(valueOrThrow(engine.load(valueOrThrow(parsed))))
  cache.set(text, made)
  return made
}

/** A loaded shader with signatures that name register n of each file R, index n, and system values SV, index the value. */
export function pipelineShaderOf(loaded: LoadedShader, classInstances: ClassInstances = {}): PipelineShader {
  const names = (side: 'inputs' | 'outputs', kinds: readonly string[], file: number): SignatureRegister[] =>
    loaded.declarations.entries
      .filter((e) => kinds.includes(e.kind))
      .flatMap((e) => e[side])
      .filter((d) => d.file === file)
      .map((d) => ({
        semanticName: d.systemValue === 0 ? 'R' : 'SV',
        semanticIndex: d.systemValue === 0 ? d.register : d.systemValue,
        register: d.register,
        mask: d.mask,
        stream: d.stream,
        systemValue: d.systemValue,
      }))
  const points = ['main', 'control-point']
  return {
    loaded,
    inputSignature: names('inputs', points, FILE.input),
    outputSignature: names('outputs', points, FILE.output),
    patchConstantSignature: names('outputs', ['fork', 'join'], FILE.output),
    classInstances,
  }
}

/** A vertex shader that passes v0 on as the position and v1 and following to o1 and following. */
export function passVertices(registers: number): string {
  const n = Array.from({ length: registers }, (_, i) => i)
  return [
    'vs_5_0',
    ...n.map((i) => `dcl_input v${i}.xyzw`),
    ...n.map((i) => (i === 0 ? 'dcl_output_siv o0.xyzw, position' : `dcl_output o${i}.xyzw`)),
    ...n.map((i) => `mov o${i}.xyzw, v${i}.xyzw`),
    'ret',
    '',
  ].join('\n')
}

/** A pixel shader that writes 1 to o0.x. */
export const WHITE = 'ps_5_0\ndcl_output o0.xyzw\nmov o0.xyzw, l(1.0,1.0,1.0,1.0)\nret\n'

export interface Scene {
  /** Default: passVertices of as many registers as the vertices have. */
  readonly vs?: string
  readonly hs?: string
  readonly ds?: string
  readonly gs?: string
  /** null for none; default WHITE. */
  readonly ps?: string | null
  /** Words of each vertex, 4 for each register, as float32 bits or numbers. */
  readonly vertices?: readonly (readonly number[])[]
  /** The numbers of `vertices` are bits already. */
  readonly asBits?: boolean
  readonly call?: DrawCall
  readonly state?: Partial<Omit<PipelineDescription, ShaderStage>>
  readonly resources?: Partial<DrawResources>
  /** Formats of render targets; default one R32G32B32A32_FLOAT. */
  readonly targets?: readonly (string | undefined)[]
  readonly depth?: string
  /** What depth holds at first: default 1. */
  readonly depthValue?: number
  readonly width?: number
  readonly height?: number
  readonly sampleCount?: 1 | 2 | 4 | 8 | 16
  readonly arraySize?: number
  readonly options?: DrawOptions & DispatchOptions
}

export interface Drawn {
  readonly result: DrawResult
  readonly targets: readonly (RenderTargetView | undefined)[]
  readonly depth: DepthStencilView | undefined
  /** Codes of all diagnostics of pipeline and draw. */
  readonly codes: readonly string[]
  /** Word `component` of a texel of a target of 32-bit components. */
  word(x: number, y: number, component?: number, target?: number, sample?: number, slice?: number): number
  /** The same as a float. */
  value(x: number, y: number, component?: number, target?: number, sample?: number, slice?: number): number
  /** Bit y * width + x for each texel whose first float is not 0, of a target of at most 32 texels. */
  mask(target?: number): number
  /** 32 bits of the depth buffer. */
  depthWord(x: number, y: number, sample?: number, slice?: number): number
}

export const viewportOf = (width: number, height: number, more: Partial<Viewport> = {}): Viewport => ({
  topLeftX: 0,
  topLeftY: 0,
  width,
  height,
  minDepth: 0,
  maxDepth: 1,
  ...more,
})

/** A position in clip space whose place on a target is (x, y) in pixels; exact where sizes are powers of two. */
export const at = (x: number, y: number, width: number, height: number, z = 0, w = 1): number[] => [
  ((2 * x) / width - 1) * w,
  (1 - (2 * y) / height) * w,
  z * w,
  w,
]

/** Two triangles over a target of 4 x 4, from beyond its left edge to `x`. */
export const leftOf = (x: number): number[][] =>
  [[-8, -8] as const, [x, -8] as const, [-8, 24] as const, [-8, 24] as const, [x, -8] as const, [x, 24] as const].map(
    ([a, b]) => at(a, b, 4, 4),
  )

const texture = (o: TextureOptions) => valueOrThrow(createTexture(o))

/** Pipeline and resources of a scene, before the draw. */
export function prepare(scene: Scene, engine: Engine = ENGINE) {
  const { width = 4, height = 4, sampleCount = 1, arraySize = 1, vertices = [] } = scene
  const registers = Math.max(1, Math.ceil((vertices[0]?.length ?? 4) / 4))
  const layout = Array.from({ length: registers }, (_, i) => ({
    semanticName: 'R',
    semanticIndex: i,
    format: 'R32G32B32A32_UINT',
  }))
  const stages = {
    vertex: shaderOf(scene.vs ?? passVertices(registers), engine),
    hull: scene.hs === undefined ? undefined : shaderOf(scene.hs, engine),
    domain: scene.ds === undefined ? undefined : shaderOf(scene.ds, engine),
    geometry: scene.gs === undefined ? undefined : shaderOf(scene.gs, engine),
    pixel: scene.ps === null ? undefined : shaderOf(scene.ps ?? WHITE, engine),
  }
  const pipeline = createPipeline({ topology: 'TRIANGLELIST', inputLayout: layout, ...stages, ...scene.state })
  const words = Int32Array.from(vertices.flatMap((v) => v.map((n) => (scene.asBits === true ? n | 0 : bits(n)))))
  const data = words.length === 0 ? new Int32Array(4) : words
  const buffer = valueOrThrow(createBuffer({ data, memory: engine.memory }))
  // Code of an engine reaches what lies in its memory.
  const size = { dimension: 'texture2d', width, height, sampleCount, arraySize, memory: engine.memory } as const
  const { depth } = scene
  const targets = (scene.targets ?? ['R32G32B32A32_FLOAT']).map((format) =>
    format === undefined ? undefined : valueOrThrow(rtv(texture({ ...size, format }))),
  )
  const depthView = depth === undefined ? undefined : valueOrThrow(dsv(texture({ ...size, format: depth })))
  if (depthView !== undefined) fillDepth(depthView, scene.depthValue ?? 1)
  const resources: DrawResources = {
    bindings: {},
    unorderedAccess: {},
    vertexBuffers: [{ storage: buffer.storage, byteLength: buffer.byteLength, stride: registers * 16, offset: 0 }],
    indexBuffer: undefined,
    streamOutputBuffers: [],
    renderTargets: targets,
    depthStencil: depthView,
    viewports: [viewportOf(width, height)],
    scissors: [],
    blendFactor: [1, 1, 1, 1],
    stencilReference: 0,
    ...scene.resources,
  }
  return { pipeline, resources, call: scene.call ?? { vertexCount: vertices.length } }
}

/** Depth of every texel; stencil 0. */
function fillDepth(view: DepthStencilView, value: number): void {
  const { words, halves } = view.storage
  if (view.format.name === 'D32_FLOAT') words.fill(bits(value))
  else if (view.format.name === 'D24_UNORM_S8_UINT') words.fill(Math.floor(value * 0xffffff + 0.5))
  else if (view.format.name === 'D16_UNORM') halves.fill(Math.floor(value * 0xffff + 0.5))
  else for (let i = 0; i < words.length; i += 2) words[i] = bits(value)
}

/** Runs a draw to its end without yielding. */
export function drawAtOnce(
  engine: Engine,
  p: Pipeline,
  resources: DrawResources,
  call: DrawCall,
  options: DrawOptions = {},
): DrawResult {
  const begun = beginDraw(engine, p, resources, call, options)
  if (begun.value === undefined) return refusedDraw(begun.diagnostics)
  const deadline = performance.now() + (options.maxMilliseconds ?? Number.POSITIVE_INFINITY)
  if (!begun.value.run(deadline)) begun.value.stop('time')
  return begun.value.result()
}

export function draw(scene: Scene, engine: Engine = ENGINE): Drawn {
  const { pipeline, resources, call } = prepare(scene, engine)
  const p = valueOrThrow(pipeline)
  const result = drawAtOnce(engine, p, resources, call, scene.options)
  const { renderTargets, depthStencil } = resources
  const word = (x: number, y: number, component = 0, target = 0, sample = 0, slice = 0): number => {
    const view = renderTargets[target]!
    return view.storage.words[(targetOffset(view, x, y, slice, sample) >>> 2) + component]!
  }
  const width = scene.width ?? 4
  const height = scene.height ?? 4
  return {
    result,
    targets: renderTargets,
    depth: depthStencil,
    codes: [...p.diagnostics, ...result.diagnostics].map((d) => d.code),
    word,
    value: (...args) => float(word(...args)),
    mask(target = 0) {
      let mask = 0
      for (let i = 0; i < width * height; i++) {
        if (word(i % width, Math.floor(i / width), 0, target) !== 0) mask |= 1 << i
      }
      return mask >>> 0
    },
    depthWord: (x, y, sample = 0, slice = 0) =>
      depthStencil!.storage.words[targetOffset(depthStencil!, x, y, slice, sample) >>> 2]!,
  }
}

/** What a scene is refused with, by the pipeline or by the draw; empty where it runs. */
export function refusal(scene: Scene): readonly Diagnostic[] {
  const { pipeline, resources, call } = prepare(scene)
  if (pipeline.value === undefined) return pipeline.diagnostics
  const result = drawAtOnce(ENGINE, pipeline.value, resources, call, scene.options)
  return [...pipeline.diagnostics, ...result.diagnostics].filter((d) => d.severity === 'error')
}

/** A buffer of words with a raw view for u#. */
export const wordsBuffer = (count: number, data?: Uint32Array, memory?: Memory) => {
  const where = memory === undefined ? {} : { memory }
  return valueOrThrow(createBuffer(data === undefined ? { byteLength: count * 4, ...where } : { data, ...where }))
}

export type { Bindings }
