import { INSTRUCTIONS } from '../../../src/isa/index.ts'
import type { PrimitiveTopology } from '../../../src/pipeline/index.ts'
import type { PatchShape, SystemOutput } from '../random/linked-outputs.ts'
import type { Model } from '../random/plan.ts'
import { Random } from '../random/random.ts'
import type { Linkage } from '../random/stage-entries.ts'
import { assembled } from '../random-program.ts'
import {
  type GraphicsStage,
  randomStageProgram,
  GRAPHICS_STAGES as STAGES,
  stageOptionsOf,
} from '../random-stage-program.ts'
import { ATTRIBUTES } from './input.ts'
import type { FrameShader } from './model.ts'
import type { PixelTraits } from './state.ts'
import {
  domainTemplate,
  geometryTemplate,
  hullTemplate,
  pixelTemplate,
  vertexTemplate,
  verticesOf,
} from './templates.ts'

/**
 * The shaders of frames. Frames whose seeds lie side by side choose from the same few, since most of what a frame costs is
 * compiling them: a shader is then compiled once for many draws. What the pool of a seed holds depends on the seed alone.
 */

/** Frames that have the same shaders to choose from. */
export const FRAMES_OF_POOL = 64
/** Shaders of a stage in a pool; every second is made of random instructions. */
export const SHADERS_OF_STAGE = 8

export interface VertexChoice {
  readonly shader: FrameShader
  readonly usesUavs: boolean
}
export interface PatchChoice {
  readonly hull: FrameShader
  readonly domain: FrameShader
  readonly shape: PatchShape
  readonly usesUavs: boolean
}
export interface GeometryChoice {
  readonly shader: FrameShader
  readonly primitive: string
  readonly streams: number
  readonly usesUavs: boolean
}
export interface PixelChoice extends PixelTraits {
  readonly shader: FrameShader
  readonly readsInner: boolean
  readonly usesUavs: boolean
  /** Targets that it writes. */
  readonly outputs: number
}

/** UAVs of random shaders, behind all render targets; the memory that templates share comes after them. */
const FIRST_UAV = 4

/** A seed of its own for every shader of every pool. */
const seedOf = (pool: number, stage: GraphicsStage, n: number): number =>
  (pool * SHADERS_OF_STAGE + n) * 5 + STAGES.indexOf(stage)

export function templateOf(seed: number, text: string): FrameShader {
  return { text, program: assembled(text), seed, numbers: 'tame', hints: {}, classInstances: {} }
}

const UNCYCLED: ReadonlySet<string> = new Set(['declaration', 'flow', 'custom-data', 'debug', 'phase', 'stream'])
const EMPHASES = ['values', 'texels', 'memory', 'flow'] as const

/** Instructions without flow that a stage has, some in each shader of a pool, so that a few pools have them all. */
function rowsFor(pool: number, stage: GraphicsStage, n: number): (typeof INSTRUCTIONS)[number][] {
  const rows = INSTRUCTIONS.filter((row) => !UNCYCLED.has(row.traits.kind) && row.stages.includes(stage))
  const shares = SHADERS_OF_STAGE / 2
  return rows.filter((_, i) => (i + pool) % shares === (n >> 1) % shares)
}

/** Every model that a stage has; what is new in 5.0 has most of them. */
function modelOf(pool: number, stage: GraphicsStage, emphasis: (typeof EMPHASES)[number]): Model {
  const isTessellation = stage === 'hull' || stage === 'domain'
  const isAny = emphasis === 'values' && !isTessellation
  if (isAny) return (['4_0', '4_1', '5_0', '5_1'] as const)[pool % 4]!
  return pool % 3 === 0 ? '5_1' : '5_0'
}

function randomShader(pool: number, stage: GraphicsStage, n: number, linkage: Linkage): FrameShader {
  const seed = seedOf(pool, stage, n)
  const emphasis = EMPHASES[(n >> 1) % EMPHASES.length]!
  const isFlow = emphasis === 'flow'
  const known = stageOptionsOf(new Random(seed).below(2 ** 20), stage)
  const model = modelOf(pool, stage, emphasis)
  const isRanged = model === '5_1'
  const options = {
    ...known,
    model,
    preferred: rowsFor(pool, stage, n),
    emphasis,
    statements: isFlow ? 24 : 32,
    flow: known.flow || isFlow,
    calls: known.calls === true || isFlow,
    interfaces: model === '5_0' && isFlow,
    texels: emphasis === 'texels' || (!isFlow && known.texels === true),
    memory: emphasis === 'memory' || emphasis === 'texels' || known.memory,
    dynamicRanges: isRanged && pool % 2 === 0,
    chains: isRanged && pool % 4 < 2,
  }
  const program = randomStageProgram(seed, options, linkage)
  const { text, numbers, hints, classInstances } = program
  return { text, program: program.program, seed, numbers, hints, classInstances }
}

const isRandom = (n: number): boolean => n % 2 === 0
const usesOwnUavs = (s: FrameShader): boolean => isMadeOfRandom(s) && /^dcl_uav/m.test(s.text)
const isMadeOfRandom = (s: FrameShader): boolean => Object.keys(s.hints).length > 0

const SYSTEMS: readonly (readonly SystemOutput[])[] = [
  [],
  [],
  ['clip'],
  ['cull'],
  ['clip', 'cull'],
  ['slice'],
  ['viewport'],
  ['slice', 'viewport'],
  ['clip', 'slice', 'viewport'],
]

function linkageOf(r: Random, more: Partial<Linkage> = {}): Linkage {
  const system = r.pick(SYSTEMS)
  return { attributes: ATTRIBUTES + 1, primitive: 'triangle', firstUav: FIRST_UAV, system, ...more }
}

function makeVertex(pool: number, n: number): VertexChoice {
  const seed = seedOf(pool, 'vertex', n)
  const r = new Random(seed)
  const linkage = linkageOf(r)
  const shader = isRandom(n)
    ? randomShader(pool, 'vertex', n, linkage)
    : templateOf(seed, vertexTemplate(r, linkage.system!))
  return { shader, usesUavs: usesOwnUavs(shader) }
}

const PARTITIONINGS = ['integer', 'pow2', 'fractional_odd', 'fractional_even'] as const
const DOMAINS = ['tri', 'quad', 'isoline'] as const

const outputsOf = (domain: PatchShape['domain']): PatchShape['outputPrimitive'][] =>
  domain === 'isoline' ? ['point', 'line'] : ['point', 'triangle_cw', 'triangle_ccw']

/** What a tessellator can do: the pools go through all of it. */
export const TESSELLATIONS: readonly Pick<PatchShape, 'domain' | 'partitioning' | 'outputPrimitive'>[] =
  DOMAINS.flatMap((domain) =>
    outputsOf(domain).flatMap((outputPrimitive) =>
      PARTITIONINGS.map((partitioning) => ({ domain, partitioning, outputPrimitive })),
    ),
  )

function shapeOf(r: Random, n: number): PatchShape {
  const points = (): number => (r.chance(0.1) ? 1 + r.below(32) : 1 + r.below(6))
  const inputPoints = points()
  return {
    inputPoints,
    outputPoints: r.chance(0.6) ? inputPoints : points(),
    ...TESSELLATIONS[n % TESSELLATIONS.length]!,
    ...(r.chance(0.3) ? { maxFactor: r.pick(['2.0', '3.5', '64.0']) } : {}),
  }
}

function makePatch(pool: number, n: number): PatchChoice {
  const seed = seedOf(pool, 'hull', n)
  const r = new Random(seed)
  // A step that has no divisor in common with their number: pools differ in which are random.
  const shape = shapeOf(r, (pool * SHADERS_OF_STAGE + n) * 5)
  const linkage = linkageOf(r, { patch: shape })
  // One of the two may have UAVs of its own: in turn, after pools that have all atomics between them.
  const [ofHull, ofDomain] = (pool >> 2) % 2 === 0 ? [linkage, withoutUavs(linkage)] : [withoutUavs(linkage), linkage]
  const hull = isRandom(n) ? randomShader(pool, 'hull', n, ofHull) : templateOf(seed, hullTemplate(r, shape))
  const domain = isRandom(n)
    ? randomShader(pool, 'domain', n, ofDomain)
    : templateOf(seed, domainTemplate(r, shape, linkage.system!))
  return { hull, domain, shape, usesUavs: usesOwnUavs(hull) || usesOwnUavs(domain) }
}

function withoutUavs({ firstUav, ...linkage }: Linkage): Linkage {
  return linkage
}

const PRIMITIVES = ['point', 'line', 'triangle', 'triangle', 'lineadj', 'triangleadj'] as const

function makeGeometry(pool: number, n: number): GeometryChoice {
  const seed = seedOf(pool, 'geometry', n)
  const r = new Random(seed)
  const primitive = r.chance(0.1) ? `patch${r.chance(0.5) ? 1 + r.below(6) : 1 + r.below(32)}` : r.pick(PRIMITIVES)
  const linkage = linkageOf(r, { primitive })
  const shader = isRandom(n)
    ? randomShader(pool, 'geometry', n, linkage)
    : templateOf(seed, geometryTemplate(r, primitive, linkage.system!))
  const streams = new Set(shader.text.match(/^dcl_stream m\d/gm) ?? ['m0']).size
  return { shader, primitive, streams, usesUavs: usesOwnUavs(shader) }
}

function makePixel(pool: number, n: number): PixelChoice {
  const seed = seedOf(pool, 'pixel', n)
  const r = new Random(seed)
  const outputs = isRandom(n) ? 4 : 1 + r.below(4)
  const { system, ...linkage } = linkageOf(r)
  const shader = isRandom(n) ? randomShader(pool, 'pixel', n, linkage) : templateOf(seed, pixelTemplate(r, { outputs }))
  const { text } = shader
  return {
    shader,
    outputs,
    usesUavs: usesOwnUavs(shader),
    isSampleFrequency: /, sampleIndex|_sample v/.test(text),
    writesDepth: /^dcl_output (oDepth|oStencilRef)/m.test(text),
    readsInner: text.includes('vInnerCoverage'),
  }
}

/** The shaders of a pool, each made when it is first needed. */
export class ShaderPool {
  readonly #number: number
  readonly #made = new Map<string, unknown>()

  constructor(number: number) {
    this.#number = number
  }

  #choose<T>(r: Random, stage: GraphicsStage, make: (pool: number, n: number) => T): T {
    const n = r.below(SHADERS_OF_STAGE)
    const key = `${stage} ${n}`
    const made = (this.#made.get(key) as T | undefined) ?? make(this.#number, n)
    this.#made.set(key, made)
    return made
  }

  vertex(r: Random): VertexChoice {
    return this.#choose(r, 'vertex', makeVertex)
  }
  patch(r: Random): PatchChoice {
    return this.#choose(r, 'hull', makePatch)
  }
  geometry(r: Random): GeometryChoice {
    return this.#choose(r, 'geometry', makeGeometry)
  }
  pixel(r: Random): PixelChoice {
    return this.#choose(r, 'pixel', makePixel)
  }
}

let last: { readonly number: number; readonly pool: ShaderPool } | undefined

/** The pool of a frame; the last one is kept. */
export function poolOf(seed: number): ShaderPool {
  const number = Math.floor(seed / FRAMES_OF_POOL)
  if (last?.number !== number) last = { number, pool: new ShaderPool(number) }
  return last.pool
}

/** What a geometry shader reads of a topology, or of what a tessellator puts out. */
export function primitiveOf(topology: PrimitiveTopology, patch: PatchShape | undefined): string {
  if (patch !== undefined) {
    const { outputPrimitive } = patch
    return outputPrimitive.startsWith('triangle') ? 'triangle' : outputPrimitive
  }
  if (topology.includes('PATCH')) return `patch${Number.parseInt(topology, 10)}`
  const name = topology.startsWith('TRIANGLE') ? 'triangle' : topology.startsWith('LINE') ? 'line' : 'point'
  return topology.endsWith('ADJ') ? `${name}adj` : name
}

export { verticesOf }
