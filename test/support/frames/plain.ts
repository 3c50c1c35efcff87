import { codecOf } from '../../../src/machine/index.ts'
import type {
  BlendDescription,
  ComparisonFunc,
  DepthStencilState,
  DrawCall,
  PrimitiveTopology,
} from '../../../src/pipeline/index.ts'
import { at, bits, wordsBuffer } from '../draw-text.ts'
import { Random } from '../random/random.ts'
import { formatOf, TARGET_FORMATS } from './formats.ts'
import { indirectCall } from './input.ts'
import type { FrameCommand, FrameDraw, FramePipeline, FrameShader, FrameShaders, RandomFrame } from './model.ts'
import {
  codePixelShader,
  PLAIN_ATTRIBUTES,
  type PlainPixelShader,
  plainGeometryShader,
  plainPixelShader,
  plainVertexShader,
} from './plain-shaders.ts'
import { templateOf } from './pool.ts'
import { blendOf, COMPARISONS, depthStencilOf } from './state.ts'
import { mipLevelsOf, sourceOf, withSurfaceCommands } from './surfaces.ts'
import { SOURCE } from './templates.ts'

/**
 * Frames of plain draws: few states, simple shaders, many small triangles or some large ones, over targets of several bands and tiles. What
 * is done in code for draws of many triangles or pixels is not reached by small frames of every state.
 */

/** Which frames are plain: a share that has every width, with and without decoded textures. */
export const isPlainSeed = (seed: number): boolean => ![0, 3, 5, 7].includes(seed % 10)

type Shape = Omit<RandomFrame, 'pipelines' | 'commands'>

/**
 * What a frame is about: whole quads that go from interpolation to store in one program, samples in blocks of depth, shaders that decide
 * over samples, depth without colors, what geometry shaders put out, or any of them.
 */
const THEMES = [
  ...(['any', 'any', 'runs', 'runs', 'runs', 'runs', 'blocks', 'blocks', 'blocks', 'blocks'] as const),
  ...(['decides', 'decides', 'decides', 'decides', 'depth', 'depth', 'depth'] as const),
  ...(['streams', 'streams', 'streams', 'streams', 'streams'] as const),
] as const
/** And seeds of their own: runs of pixels whose codes are computed approximately first, and small triangles of few operations that are tested early. */
type Theme = (typeof THEMES)[number] | 'codes' | 'early'
const themeOf = (r: Random, seed: number): Theme =>
  (({ 18: 'codes', 8: 'early' }) as const)[seed % 20] ?? r.pick(THEMES)

/** Shaders of plain frames whose seeds lie side by side. */
const VERTEX_SHADERS = 3
const PIXEL_SHADERS = 8
const GEOMETRY_SHADERS = 2
const CODE_SHADERS = 3

interface PlainPool {
  readonly geometry: readonly { readonly shader: FrameShader; readonly primitive: 'point' | 'triangle' }[]
  readonly vertex: readonly FrameShader[]
  readonly pixel: readonly (Omit<PlainPixelShader, 'text'> & { readonly shader: FrameShader })[]
  /** Those of sums and products alone. */
  readonly codes: PlainPool['pixel']
}

/** Textures of a few bits and filters that blend their texels: code reads decoded copies of these. */
function filteredHints(seed: number) {
  const r = new Random(seed ^ 0x5bd1e995)
  const address = (): string => r.pick(['WRAP', 'WRAP', 'CLAMP'])
  const filter = r.pick(['MIN_MAG_MIP_LINEAR', 'MIN_MAG_MIP_LINEAR', 'MIN_MAG_LINEAR_MIP_POINT', 'ANISOTROPIC'])
  const sampler = { filter, addressU: address(), addressV: address() }
  const formats = ['R8G8B8A8_UNORM', 'R8G8B8A8_UNORM', 'R8G8B8A8_UNORM_SRGB', 'B8G8R8A8_UNORM', 'R10G10B10A2_UNORM']
  return { texture: { formats }, samplers: { s0: { sampler } } }
}

function makePool(number: number): PlainPool {
  const seedOf = (n: number): number => (number * (VERTEX_SHADERS + PIXEL_SHADERS + GEOMETRY_SHADERS) + n) ^ 0x2f6e2b1
  const vertex = Array.from({ length: VERTEX_SHADERS }, (_, n) =>
    templateOf(seedOf(n), plainVertexShader(new Random(seedOf(n)))),
  )
  const pixel = Array.from({ length: PIXEL_SHADERS }, (_, n) => {
    const seed = seedOf(VERTEX_SHADERS + n)
    const { text, ...traits } = plainPixelShader(new Random(seed), n)
    const { textureSize } = traits
    const size = { width: textureSize, height: textureSize + 4 * (n % 3) }
    const texture = text.includes(SOURCE) ? SOURCE : 't0'
    const filtered = new Random(seed).chance(0.6) ? filteredHints(seed) : { texture: {}, samplers: {} }
    const hints = textureSize > 0 ? { [texture]: { ...size, ...filtered.texture }, ...filtered.samplers } : {}
    return { ...traits, shader: { ...templateOf(seed, text), hints } }
  })
  const geometry = Array.from({ length: GEOMETRY_SHADERS }, (_, n) => {
    const seed = seedOf(VERTEX_SHADERS + PIXEL_SHADERS + n)
    const { text, primitive } = plainGeometryShader(number * GEOMETRY_SHADERS + n)
    return { shader: templateOf(seed, text), primitive }
  })
  const codes = Array.from({ length: CODE_SHADERS }, (_, n) => {
    const seed = (number * CODE_SHADERS + n) ^ 0x51ed270b
    return { textureSize: 0, isSampleFrequency: false, shader: templateOf(seed, codePixelShader(new Random(seed))) }
  })
  return { vertex, pixel, geometry, codes }
}

let last: { readonly number: number; readonly pool: PlainPool } | undefined
const poolOf = (number: number): PlainPool => {
  if (last?.number !== number) last = { number, pool: makePool(number) }
  return last.pool
}

const COMMON_FORMATS = [
  ...['R8G8B8A8_UNORM', 'R8G8B8A8_UNORM', 'R8G8B8A8_UNORM_SRGB', 'R16G16B16A16_FLOAT', 'R32G32B32A32_FLOAT'],
  ...['R11G11B10_FLOAT', 'R10G10B10A2_UNORM', 'R16G16_SNORM', 'R32_FLOAT', 'R32G32_UINT'],
]
const CODE_FORMATS = ['R8G8B8A8_UNORM', 'B8G8R8A8_UNORM', 'B8G8R8X8_UNORM', 'R10G10B10A2_UNORM']
const DEPTHS = ['D32_FLOAT', 'D32_FLOAT', 'D24_UNORM_S8_UINT', 'D24_UNORM_S8_UINT', 'D16_UNORM', 'D32_FLOAT_S8X24_UINT']

const pictures = (r: Random): string[] => [r.pick(COMMON_FORMATS), r.pick(COMMON_FORMATS)]

function shapeOf(r: Random, seed: number, theme: Theme): Shape {
  const isWide = theme === 'runs' || theme === 'codes' || r.chance(0.12)
  const formats = theme === 'codes' ? CODE_FORMATS : COMMON_FORMATS
  const isWhole = theme === 'blocks' || r.chance(0.6)
  const hasDepth = theme !== 'runs' && theme !== 'codes' && r.chance(theme === 'any' ? 0.75 : 1)
  const extent = (): number => {
    const size = isWide ? 136 + r.below(60) : 32 + r.below(56)
    return isWhole ? size & ~7 : size
  }
  const isVolume = !hasDepth && r.chance(0.15)
  const sampleCount = isWide || isVolume || theme === 'blocks' ? 1 : r.pick([1, 1, 1, 2, 4, 4, 8] as const)
  const mipSlice = sampleCount === 1 && r.chance(0.1) ? 1 : 0
  const shape: Shape = {
    seed,
    kind: { dimension: isVolume ? 'texture3d' : 'texture2d', mipSlice, mipLevels: 1 },
    width: extent(),
    height: extent(),
    arraySize: isVolume || r.chance(0.1) ? 2 : 1,
    sampleCount,
    pictures: [r.chance(0.15) ? r.pick(TARGET_FORMATS) : r.pick(formats), ...pictures(r)],
    depth: hasDepth ? r.pick(theme === 'blocks' ? DEPTHS.slice(0, 4) : DEPTHS) : undefined,
    inEngine: r.chance(0.95),
    streamBytes: r.pick([4096, 16384]),
  }
  return { ...shape, kind: { ...shape.kind, mipLevels: mipLevelsOf(r, shape) } }
}

const POSITION = 'R32G32B32A32_FLOAT'
const ATTRIBUTE_FORMATS = [
  'R32G32B32A32_FLOAT',
  'R32G32_FLOAT',
  'R8G8B8A8_UNORM',
  'R16G16B16A16_FLOAT',
  'R32G32B32_FLOAT',
]

/** The shaders that a theme has, of those of a pool: operations, textures, decisions over samples and depth, and memory in this order. */
const PIXEL_SHADERS_OF: Readonly<Record<Theme, readonly [from: number, to: number]>> = {
  any: [0, 8],
  runs: [0, 2],
  blocks: [2, 5],
  decides: [5, 7],
  depth: [0, 8],
  streams: [0, 8],
  codes: [0, 8],
  early: [0, 2],
}

interface Plan {
  readonly pipeline: FramePipeline
  readonly hasDepth: boolean
  readonly targets: FrameDraw['targets']
  readonly topology: PrimitiveTopology
  readonly stride: number
}

const NEARER = ['LESS', 'LESS', 'LESS_EQUAL'] as const

function depthStateOf(r: Random, format: string | undefined, theme: Theme): Partial<DepthStencilState> {
  if (format === undefined) return { depthEnable: false }
  const isNearer = theme === 'blocks' || theme === 'decides' || theme === 'early'
  if (r.chance(isNearer ? 0.05 : 0.15)) return depthStencilOf(r, format)
  const depthFunc = r.pick<ComparisonFunc>(isNearer ? NEARER : [...NEARER, ...NEARER, 'GREATER', 'ALWAYS'])
  const face = () => ({
    stencilFunc: r.pick(COMPARISONS),
    stencilFailOp: 'KEEP' as const,
    stencilDepthFailOp: r.pick(['KEEP', 'INVERT'] as const),
    stencilPassOp: r.pick(['KEEP', 'REPLACE', 'INCR'] as const),
  })
  const stencil = { stencilEnable: r.chance(0.2), frontFace: face(), backFace: face() }
  return { depthEnable: r.chance(0.9), depthWriteMask: r.chance(0.8) ? 'ALL' : 'ZERO', depthFunc, ...stencil }
}

function blendStateOf(r: Random, formats: readonly (string | undefined)[], hasSecond: boolean): BlendDescription {
  const blends = formats.every((f) => f === undefined || formatOf(f).capabilities.blend !== 'none')
  const way = r.below(4)
  if (way === 0) {
    const made = blendOf(r, formats)
    // A second source needs a shader that writes it.
    return hasSecond || !JSON.stringify(made).includes('SRC1') ? made : {}
  }
  if (way === 1 || !blends) return {}
  const [srcBlend, destBlend, srcBlendAlpha, destBlendAlpha] = r.pick([
    ['SRC_ALPHA', 'INV_SRC_ALPHA', 'ONE', 'ZERO'],
    ['ONE', 'ONE', 'ONE', 'ONE'],
    ['DEST_COLOR', 'ZERO', 'DEST_ALPHA', 'ZERO'],
  ] as const)
  const factors = { srcBlend, destBlend, srcBlendAlpha, destBlendAlpha }
  const renderTargetWriteMask = r.chance(0.8) ? 15 : 7
  return {
    renderTarget: [{ blendEnable: true, blendOp: 'ADD', blendOpAlpha: 'ADD', ...factors, renderTargetWriteMask }],
  }
}

/** The pixel shader of a pipeline, the one after the other of those that decide. */
function pixelOf(r: Random, pool: PlainPool, theme: Theme, n: number): PlainPool['pixel'][number] {
  const some =
    theme === 'codes' || (theme === 'early' && r.chance(0.5))
      ? pool.codes
      : pool.pixel.slice(...PIXEL_SHADERS_OF[theme])
  return theme === 'decides' ? some[n % some.length]! : r.pick(some)
}

function planOf(r: Random, f: Shape, theme: Theme, n: number): Plan {
  const pool = poolOf(Math.floor(f.seed / 64))
  const hasDepth = f.depth !== undefined && r.chance(0.9)
  const isAlone = hasDepth && r.chance(theme === 'depth' ? 0.9 : 0.1)
  const pixel = isAlone ? undefined : pixelOf(r, pool, theme, n)
  const outputs = pixel?.shader.text.match(/^dcl_output o\d/gm)?.length ?? 0
  const count = outputs > 1 && r.chance(0.3) ? 2 + r.below(outputs - 1) : Math.min(1, outputs)
  const geometry = theme === 'streams' && r.chance(0.95) ? r.pick(pool.geometry) : undefined
  const firstArraySlice = r.below(f.arraySize)
  const slices = { firstArraySlice, arraySize: f.arraySize - firstArraySlice }
  const targets = Array.from({ length: count }, (_, picture) => ({ picture, ...slices }))
  const formats = targets.map((t) => f.pictures[t.picture])
  const shaders: FrameShaders = {
    vertex: r.pick(pool.vertex),
    ...(geometry === undefined ? {} : { geometry: geometry.shader }),
    ...(pixel === undefined ? {} : { pixel: pixel.shader }),
  }
  const elements = Array.from({ length: 1 + PLAIN_ATTRIBUTES }, (_, n) => ({
    semanticName: 'R',
    semanticIndex: n,
    format: n === 0 ? POSITION : r.pick(ATTRIBUTE_FORMATS),
    inputSlot: 0,
  }))
  const triangles = r.chance(0.8) ? 'TRIANGLELIST' : 'TRIANGLESTRIP'
  const topology: PrimitiveTopology = geometry?.primitive === 'point' ? 'POINTLIST' : triangles
  const isStreaming = r.chance(theme === 'streams' ? 0.95 : 0.1)
  const state: FramePipeline['state'] = {
    topology,
    inputLayout: elements,
    rasterizer: {
      ...{ fillMode: 'SOLID', forcedSampleCount: 0, depthBias: 0, depthBiasClamp: 0, slopeScaledDepthBias: 0 },
      cullMode: theme === 'runs' ? 'NONE' : r.pick(['NONE', 'NONE', 'BACK', 'FRONT'] as const),
      multisampleEnable: f.sampleCount > 1,
      scissorEnable: r.chance(0.15),
      depthClipEnable: r.chance(0.9),
      ...(r.chance(0.15) ? { depthBias: 5, slopeScaledDepthBias: 1.5, depthBiasClamp: r.pick([0, 0.01]) } : {}),
    },
    depthStencil: depthStateOf(r, hasDepth ? f.depth : undefined, theme),
    blend: pixel === undefined ? {} : blendStateOf(r, formats, outputs > 1),
    ...(r.chance(0.1) ? { sampleMask: (r.next() | 1) >>> 0 } : {}),
    ...(isStreaming ? { streamOutput: streamOutputOf(r) } : {}),
  }
  const stride = elements.reduce((n, { format }) => n + formatOf(format).blockByteLength, 0)
  return { pipeline: { shaders, state, outputTypes: [] }, hasDepth, targets, topology, stride }
}

function streamOutputOf(r: Random): NonNullable<FramePipeline['state']['streamOutput']> {
  const entry = (semanticName: string | null, semanticIndex: number, componentCount: number, outputSlot = 0) => ({
    ...{ stream: 0, semanticName, semanticIndex, startComponent: 0, componentCount, outputSlot },
  })
  const way = r.below(4)
  const declarations = [
    [entry('SV', 1, 3), entry(null, 0, 2), entry('R', 1, 1), entry('R', 2, 3)],
    [entry('R', 1, 3), entry('R', 2, 1 + r.below(4), 1)],
  ]
  const declaration = declarations[way] ?? [entry('SV', 1, 4), entry('R', 1, 2)]
  const strides = way === 0 && r.chance(0.5) ? { strides: [52] } : {}
  return { declaration, rasterizedStream: r.chance(0.9) ? null : 0, ...strides }
}

/** Sizes of triangles as pixels from their middle; large ones are a multiple of the target. */
const SIZES = ['tiny', 'tiny', 'small', 'small', 'small', 'large', 'large', 'mixed'] as const
const SIZE_OF: { readonly [theme in Theme]?: (typeof SIZES)[number] } = {
  runs: 'large',
  codes: 'large',
  blocks: 'small',
  decides: 'small',
  early: 'small',
  streams: 'tiny',
}
const COUNTS = { tiny: [100, 900], small: [60, 160], large: [2, 5], mixed: [40, 80] } as const

interface Corner {
  readonly x: number
  readonly y: number
  readonly z: number
  readonly w: number
}

function cornersOf(r: Random, f: Shape, size: (typeof SIZES)[number], triangles: number, theme: Theme): Corner[] {
  const isFlat = r.chance(theme === 'codes' ? 0.9 : 0.5)
  // Vertices on whole and half pixels, where samples lie on edges.
  const grain = r.pick([256, 256, 4, 2])
  const odd = r.chance(0.25) ? 0.02 : 0
  const radius = size === 'tiny' ? r.pick([1, 2, 3]) : 5 + r.below(14)
  return Array.from({ length: triangles }, (_, n) => {
    const isLarge = size === 'large' || (size === 'mixed' && n % 16 === 15)
    const [rx, ry] = isLarge ? [f.width * 1.5, f.height * 1.5] : [radius, radius]
    const [x, y] = [r.below(f.width * 4) / 4, r.below(f.height * 4) / 4]
    const near = (middle: number, reach: number): number =>
      Math.round((middle + ((r.below(2049) - 1024) / 1024) * reach) * grain) / grain
    const nearest = r.below(1025) / 1024
    return Array.from({ length: 3 }, () => ({
      x: near(x, rx) + (r.chance(odd) ? 4000 : 0),
      y: near(y, ry),
      z: r.chance(odd) ? r.pick([-0.5, 1.5]) : Math.min(1, nearest + r.below(64) / 512),
      w: r.chance(odd) ? -0.5 : isFlat ? 1 : 1 + r.below(9) / 4,
    }))
  }).flat()
}

function vertexWords(
  r: Random,
  f: Shape,
  { pipeline, stride }: Plan,
  corners: readonly Corner[],
  theme: Theme,
): number[] {
  const { storage } = wordsBuffer(0, new Uint32Array(Math.ceil((stride * corners.length) / 4)))
  const isSame = r.chance(0.3)
  // Colors between 0 and 1, many in the middle between two codes.
  const color = (): number => (r.chance(0.01) ? 1.25 : r.chance(0.5) ? r.below(511) / 510 : r.below(257) / 256)
  const value = (): number => (theme === 'codes' ? color() : (r.below(257) - 64) / 128)
  corners.forEach(({ x, y, z, w }, n) => {
    let offset = n * stride
    // Of the same attributes in all three corners planes have no slope.
    const same = isSame && n % 3 > 0
    pipeline.state.inputLayout!.forEach(({ format: name }, i) => {
      const format = formatOf(name)
      const before = storage.bytes.subarray(offset - stride, offset - stride + format.blockByteLength)
      if (i > 0 && same) storage.bytes.set(before, offset)
      else {
        const numbers = i === 0 ? at(x, y, f.width, f.height, z, w) : [value(), value(), value(), value()]
        codecOf(format).encode!(
          storage,
          offset,
          Uint32Array.from(numbers, (number) => bits(number)),
          0,
        )
      }
      offset += format.blockByteLength
    })
  })
  return Array.from(storage.words.subarray(0, Math.ceil((stride * corners.length) / 4)))
}

/** Indices that name vertices again, as those of meshes do, and of strips some cuts. */
function indexWords(r: Random, count: number, isShort: boolean, isStrip: boolean): number[] {
  const reach = r.pick([0, 4, 24])
  const all = Array.from({ length: count }, (_, n) => {
    if (isStrip && r.chance(0.1)) return isShort ? 0xffff : 0xffffffff
    return Math.max(0, n - (reach === 0 ? 0 : r.below(reach)))
  })
  const words = isShort ? new Uint32Array(Math.ceil(count / 2)) : Uint32Array.from(all)
  if (isShort) new Uint16Array(words.buffer).set(all)
  return Array.from(words)
}

function fixedOf(r: Random, { width, height }: Shape): FrameDraw['fixed'] {
  const isWhole = r.chance(0.8)
  const viewport = isWhole
    ? { topLeftX: 0, topLeftY: 0, width, height, minDepth: 0, maxDepth: 1 }
    : {
        ...{
          topLeftX: r.below(16) / 4,
          topLeftY: r.below(16) / 4,
          width: width - r.below(8),
          height: height - r.below(8),
        },
        ...{ minDepth: r.pick([0, 0.25]), maxDepth: r.pick([1, 0.75]) },
      }
  const scissor = { left: r.below(9), top: r.below(20), right: width - r.below(9), bottom: height - r.below(9) }
  return {
    viewports: [viewport],
    scissors: [scissor],
    blendFactor: [0.25, 0.5, 1, 0.125],
    stencilReference: r.below(3),
  }
}

function drawOf(r: Random, f: Shape, theme: Theme, plan: Plan, pipeline: number): FrameDraw {
  const size = r.chance(theme === 'runs' ? 0.9 : 0.75) ? (SIZE_OF[theme] ?? r.pick(SIZES)) : r.pick(SIZES)
  const [least, more] = COUNTS[size]
  const triangles = least + r.below(more)
  const corners = cornersOf(r, f, size, triangles, theme)
  const isIndexed = r.chance(0.4)
  const isShort = r.chance(0.5)
  const count = corners.length
  const instanceCount = size !== 'large' && r.chance(0.15) ? 2 : 1
  const call: DrawCall = isIndexed ? { indexCount: count, instanceCount } : { vertexCount: count, instanceCount }
  const isStreaming = plan.pipeline.state.streamOutput !== undefined
  return {
    kind: 'draw',
    pipeline,
    vertexBuffers: [{ words: vertexWords(r, f, plan, corners, theme), stride: plan.stride, offset: 0 }],
    indexBuffer: isIndexed
      ? {
          words: indexWords(r, count, isShort, plan.topology === 'TRIANGLESTRIP'),
          format: isShort ? 'R16_UINT' : 'R32_UINT',
          offset: 0,
        }
      : undefined,
    call: r.chance(0.1) ? indirectCall(r, call) : { kind: 'direct', call },
    targets: plan.targets,
    source: plan.pipeline.shaders.pixel?.text.includes(SOURCE) === true ? sourceOf(r, f, plan.targets) : undefined,
    undefinedPolicy: 'report',
    depth: plan.hasDepth
      ? { firstArraySlice: 0, arraySize: f.arraySize, readOnlyDepth: false, readOnlyStencil: false }
      : undefined,
    streamOffsets: isStreaming ? [r.pick([0, -1, 16]), 0, 0, 0] : [],
    fixed: fixedOf(r, f),
  }
}

/** The plain frame of a seed. */
export function plainFrame(seed: number): RandomFrame {
  const r = new Random(seed ^ 0x1f83d9ab)
  const theme = themeOf(r, seed)
  const f = shapeOf(r, seed, theme)
  const isPair = theme === 'decides' || r.chance(0.5)
  const plans = Array.from({ length: isPair ? 2 : 1 }, (_, n) => planOf(r, f, theme, n))
  const commands: FrameCommand[] = []
  if (f.depth !== undefined) commands.push({ kind: 'clear-depth', depth: r.pick([1, 1, 0.5]), stencil: r.below(3) })
  if (r.chance(0.5)) commands.push({ kind: 'clear', picture: 0, color: [0.25, 0.5, 0, 1] })
  for (let n = 1 + r.below(3) + (theme === 'any' ? 0 : 1); n > 0; n--) {
    const which = r.chance(0.7) ? n % plans.length : r.below(plans.length)
    commands.push(drawOf(r, f, theme, plans[which]!, which))
  }
  return { ...f, pipelines: plans.map((p) => p.pipeline), commands: withSurfaceCommands(f, commands) }
}
