import type { PipelineDescription, PrimitiveTopology, ShaderStage } from '../../../src/pipeline/index.ts'
import { Random } from '../random/random.ts'
import { DEPTH_FORMATS, formatOf, TARGET_FORMATS } from './formats.ts'
import { type InputPlan, randomInput, randomLayout, TOPOLOGIES, topologyFor } from './input.ts'
import type { FrameCommand, FrameDraw, FramePipeline, FrameShaders, RandomFrame } from './model.ts'
import { isPlainSeed, plainFrame } from './plain.ts'
import {
  type GeometryChoice,
  type PatchChoice,
  type PixelChoice,
  poolOf,
  primitiveOf,
  type ShaderPool,
  verticesOf,
} from './pool.ts'
import { blendOf, depthStencilOf, rasterizerOf } from './state.ts'
import { mipLevelsOf, sourceOf, withSurfaceCommands } from './surfaces.ts'
import { MEMORY_WORDS } from './templates.ts'

/** Random frames: several draws of several pipelines and clears, over the same targets. */

/** A pipeline with what its draws have to know. */
interface PipelinePlan {
  readonly pipeline: FramePipeline
  readonly input: InputPlan
  readonly primitiveSize: number
  readonly targets: FrameDraw['targets']
  readonly hasDepth: boolean
}

type Frame = Omit<RandomFrame, 'pipelines' | 'commands'>

interface Chosen {
  readonly shaders: FrameShaders
  readonly topology: PrimitiveTopology
  readonly patch: PatchChoice | undefined
  readonly geometry: GeometryChoice | undefined
  readonly pixel: PixelChoice | undefined
}

/** The first choice that fits, of so many; none where they do not. */
function fitting<T>(choose: () => T, fits: (choice: T) => boolean, tries = 16): T | undefined {
  for (let n = 0; n < tries; n++) {
    const choice = choose()
    if (fits(choice)) return choice
  }
  return undefined
}

/** Stages that fit each other. At most one shader has UAVs of its own: those of a draw are one set. */
function chooseStages(r: Random, pool: ShaderPool): Chosen {
  let hasUavs = false
  const take = <T extends { readonly usesUavs: boolean }>(choice: T | undefined): T | undefined => {
    hasUavs ||= choice?.usesUavs === true
    return choice
  }
  const any = <T extends { readonly usesUavs: boolean }>(choose: () => T, tries?: number): T | undefined =>
    take(fitting(choose, (choice) => !(hasUavs && choice.usesUavs), tries))
  const ofPixels = (): PixelChoice | undefined => (r.chance(0.06) ? undefined : any(() => pool.pixel(r)))
  // Who is asked first may have UAVs.
  const isPixelFirst = r.chance(0.5)
  const first = isPixelFirst ? ofPixels() : undefined
  const patch = r.chance(0.35) ? any(() => pool.patch(r)) : undefined
  const before = patch === undefined ? undefined : primitiveOf('TRIANGLELIST', patch.shape)
  const isRead = (g: GeometryChoice): boolean => before === undefined || g.primitive === before
  const geometry = r.chance(0.35)
    ? take(
        fitting(
          () => pool.geometry(r),
          (g) => isRead(g) && !(hasUavs && g.usesUavs),
        ),
      )
    : undefined
  const pixel = isPixelFirst ? first : ofPixels()
  // The only stage that no draw is without.
  const vertex = any(() => pool.vertex(r), 1000)!
  const topology =
    patch !== undefined
      ? topologyFor(r, `patch${patch.shape.inputPoints}`)
      : geometry !== undefined
        ? topologyFor(r, geometry.primitive)
        : r.pick(TOPOLOGIES)
  const shaders: FrameShaders = {
    vertex: vertex.shader,
    ...(patch === undefined ? {} : { hull: patch.hull, domain: patch.domain }),
    ...(geometry === undefined ? {} : { geometry: geometry.shader }),
    ...(pixel === undefined ? {} : { pixel: pixel.shader }),
  }
  return { shaders, topology, patch, geometry, pixel }
}

/** Outputs of the last stage before the rasterizer to the buffers of the frame. */
function streamOutputOf(r: Random, { geometry }: Chosen): PipelineDescription['streamOutput'] {
  const streams = geometry?.streams ?? 1
  if (!r.chance(streams > 1 ? 0.8 : 0.25)) return undefined
  const used = Array.from({ length: streams }, (_, n) => n).filter((n) => n === 0 || r.chance(0.8))
  const isTemplate = geometry?.shader.text.includes('o8.xyzw') === false
  const declaration = used.flatMap((stream) => {
    const position = {
      stream,
      semanticName: 'SV',
      semanticIndex: 1,
      startComponent: 0,
      componentCount: 4,
      outputSlot: stream,
    }
    const semanticIndex = stream === 0 || isTemplate ? 1 : 7 + stream
    const startComponent = r.below(2)
    const some = { ...position, semanticName: 'R', semanticIndex, startComponent, componentCount: 1 + r.below(3) }
    const gap = { ...position, semanticName: null, componentCount: 1 + r.below(2) }
    return [...(stream === 0 || isTemplate ? [position] : []), ...(r.chance(0.3) ? [gap] : []), some]
  })
  const rasterizedStream = r.chance(0.15) ? null : streams > 1 && r.chance(0.3) ? r.below(streams) : 0
  return { declaration, rasterizedStream, ...(r.chance(0.2) ? { strides: used.map(() => 64) } : {}) }
}

function targetsOf(r: Random, f: Frame, pixel: PixelChoice | undefined): FrameDraw['targets'] {
  if (pixel === undefined && r.chance(0.7)) return []
  const targets = f.pictures.flatMap((_, picture) => {
    if (!r.chance(0.8)) return r.chance(0.3) ? [undefined] : []
    const firstArraySlice = r.chance(0.2) ? r.below(f.arraySize) : 0
    return [{ picture, firstArraySlice, arraySize: f.arraySize - firstArraySlice }]
  })
  return r.chance(0.25) ? targets.slice(0, 1) : targets
}

/** What the signature of a pixel shader says of its outputs: mostly what the targets have. */
function outputTypesOf(r: Random, formats: readonly (string | undefined)[]): FramePipeline['outputTypes'] {
  if (r.chance(0.5)) return []
  return formats.map((name) => {
    const result = name === undefined ? 'none' : formatOf(name).result
    return result === 'none' || r.chance(0.15) ? r.pick(['float', 'uint', 'sint']) : result
  })
}

function pipelineOf(r: Random, f: Frame, pool: ShaderPool): PipelinePlan {
  const chosen = chooseStages(r, pool)
  const { pixel, topology, shaders } = chosen
  const targets = targetsOf(r, f, pixel)
  const formats = targets.map((t) => (t === undefined ? undefined : f.pictures[t.picture]))
  const hasDepth = f.depth !== undefined && r.chance(0.85)
  const input = randomLayout(r)
  const traits = pixel ?? { isSampleFrequency: false, writesDepth: false }
  const streamOutput = streamOutputOf(r, chosen)
  const state: FramePipeline['state'] = {
    topology,
    inputLayout: input.layout,
    rasterizer: rasterizerOf(r, hasDepth, f.sampleCount, traits, pixel?.readsInner === true),
    depthStencil: depthStencilOf(r, hasDepth ? f.depth : undefined),
    blend: blendOf(r, formats),
    ...(r.chance(0.25) ? { sampleMask: (r.next() | (r.chance(0.9) ? 1 : 0)) >>> 0 } : {}),
    ...(streamOutput === undefined ? {} : { streamOutput }),
    ...(r.chance(0.2) ? { cutOnLists: false } : {}),
  }
  const outputTypes = outputTypesOf(r, formats)
  return { pipeline: { shaders, state, outputTypes }, input, primitiveSize: sizeOf(topology), targets, hasDepth }
}

const sizeOf = (topology: PrimitiveTopology): number => verticesOf(primitiveOf(topology, undefined))

function viewportsOf(r: Random, f: Frame): Pick<FrameDraw['fixed'], 'viewports' | 'scissors'> {
  const count = r.pick([1, 1, 2, 4])
  const viewports = Array.from({ length: count }, (_, n) => {
    const isWhole = n === 0 && r.chance(0.7)
    const half = (size: number): number => r.below(size) / 2
    return {
      topLeftX: isWhole ? 0 : half(f.width) - 1,
      topLeftY: isWhole ? 0 : half(f.height) - 1,
      width: isWhole ? f.width : half(2 * f.width) + 2,
      height: isWhole ? f.height : half(2 * f.height) + 2,
      minDepth: r.chance(0.8) ? 0 : 0.25,
      maxDepth: r.chance(0.8) ? 1 : 0.5,
    }
  })
  const scissors = Array.from({ length: r.chance(0.1) ? r.below(count) : count }, () => {
    const [left, top] = [r.below(f.width >> 1) - 1, r.below(f.height >> 1) - 1]
    return { left, top, right: left + 2 + r.below(f.width), bottom: top + 2 + r.below(f.height) }
  })
  return { viewports, scissors }
}

function drawOf(r: Random, f: Frame, plan: PipelinePlan, pipeline: number): FrameDraw {
  const { targets, hasDepth, input, primitiveSize } = plan
  const { vertexBuffers, indexBuffer, call } = randomInput(r, input, primitiveSize, f.width, f.height)
  const isStreaming = plan.pipeline.state.streamOutput !== undefined
  // What an earlier draw left in the first buffer, where this one does not write it.
  const isAuto = !isStreaming && r.chance(0.1) && vertexBuffers[0] !== undefined
  const readsOnly = (): boolean => r.chance(0.1)
  return {
    kind: 'draw',
    pipeline,
    vertexBuffers: isAuto
      ? [{ stride: r.pick([16, 20, 32]), offset: r.pick([0, 16]) }, ...vertexBuffers.slice(1)]
      : vertexBuffers,
    indexBuffer,
    call: isAuto ? { kind: 'auto' } : call,
    targets,
    source: sourceOf(r, f, targets),
    undefinedPolicy: r.chance(0.04) ? 'poison' : 'report',
    depth: hasDepth
      ? { firstArraySlice: 0, arraySize: f.arraySize, readOnlyDepth: readsOnly(), readOnlyStencil: readsOnly() }
      : undefined,
    streamOffsets: isStreaming
      ? Array.from({ length: 4 }, () => (r.chance(0.05) ? undefined : r.pick([0, 0, -1, -1, 16])))
      : [],
    fixed: {
      ...viewportsOf(r, f),
      blendFactor: [r.below(5) / 4, r.below(5) / 4, 1, r.below(9) / 4 - 0.5],
      stencilReference: r.below(256),
    },
  }
}

function clearOf(r: Random, f: Frame): FrameCommand {
  const component = (): number => r.pick([0, 0.25, 0.5, 1, 1, -1, 2, 300])
  const kind = r.below(4)
  if (kind === 0) return { kind: 'clear-memory', word: r.below(2 * MEMORY_WORDS) }
  if (kind === 1 && f.depth !== undefined) {
    const [depth, stencil] = [r.pick([0, 0.5, 0.5, 1]), r.below(256)]
    return r.chance(0.3) ? { kind: 'clear-depth', depth } : { kind: 'clear-depth', depth, stencil }
  }
  const color = [component(), component(), component(), component()] as const
  return { kind: 'clear', picture: r.below(f.pictures.length), color }
}

/** Now and then targets are lower mips, and textures of other dimensions: then of one sample, and volumes without depth. */
function ofKind(r: Random, f: Frame): Frame {
  if (f.sampleCount > 1 || !r.chance(0.4)) return f
  const dimension = r.pick(['texture1d', 'texture2d', 'texture2d', 'texture3d', 'texturecube'] as const)
  const kind = { dimension, mipSlice: r.pick([0, 1, 1, 2]), mipLevels: 1 }
  switch (dimension) {
    case 'texture1d':
      return { ...f, kind, height: 1 }
    case 'texture2d':
      return { ...f, kind }
    case 'texture3d':
      return { ...f, kind, depth: undefined, arraySize: 1 + r.below(3) }
    case 'texturecube':
      return { ...f, kind, height: f.width, arraySize: 6 }
  }
}

function frameOf(r: Random, seed: number): Frame {
  const other = new Random(seed ^ 0x51ed270b)
  const sampleCount = r.pick([1, 1, 1, 2, 4, 4, 8, 16] as const)
  // Large targets now and then, so that draws have several tiles.
  const extent = (): number => (r.chance(0.04) ? 33 + r.below(64) : 4 + r.below(9))
  const depth = r.chance(0.7) ? r.pick(DEPTH_FORMATS) : undefined
  const integers = TARGET_FORMATS.filter((name) => formatOf(name).capabilities.logicOp !== 'none')
  const from = r.chance(0.15) ? integers : TARGET_FORMATS
  const f = ofKind(other, {
    seed,
    kind: { dimension: 'texture2d', mipSlice: 0, mipLevels: 1 },
    width: extent(),
    height: extent(),
    arraySize: r.pick([1, 1, 1, 2, 3]),
    sampleCount,
    pictures: Array.from({ length: 1 + r.below(4) }, () => r.pick(from)),
    depth,
    inEngine: r.chance(0.5),
    streamBytes: r.pick([64, 256, 1024, 4096]),
  })
  return { ...f, kind: { ...f.kind, mipLevels: mipLevelsOf(other, f) } }
}

/** The frame of a seed. */
export function randomFrame(seed: number): RandomFrame {
  if (isPlainSeed(seed)) return plainFrame(seed)
  const r = new Random(seed ^ 0x3c6ef372)
  const pool = poolOf(seed)
  const f = frameOf(r, seed)
  const plans = Array.from({ length: 1 + r.below(2) }, () => pipelineOf(r, f, pool))
  const commands: FrameCommand[] = []
  if (f.depth !== undefined)
    commands.push({ kind: 'clear-depth', depth: r.pick([1, 0.5, 0.5, 0.25]), stencil: r.below(4) })
  for (let n = 1 + r.below(3); n >= 0; n--) {
    if (r.chance(0.3)) commands.push(clearOf(r, f))
    const at = r.below(plans.length)
    commands.push(drawOf(r, f, plans[at]!, at))
  }
  return { ...f, pipelines: plans.map((p) => p.pipeline), commands: withSurfaceCommands(f, commands) }
}

/** The stages that a pipeline has. */
export const stagesOf = (shaders: FrameShaders): ShaderStage[] => Object.keys(shaders) as ShaderStage[]
