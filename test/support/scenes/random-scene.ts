import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Random } from '../random/random.ts'

/**
 * The scenes of `draws/` with random states, formats and sizes: as many triangles and pixels as frames of games have, of which small random
 * frames fill no chunk, list or batch.
 */

export const SCENE_FOLDER = fileURLToPath(new URL('../../draws/', import.meta.url))

const NAMES = ['billboards', 'blend', 'deferred', 'foliage', 'grid', 'msaa', 'shadow', 'tess', 'texture'] as const
const COMPARISONS = ['NEVER', 'LESS', 'EQUAL', 'LESS_EQUAL', 'GREATER', 'NOT_EQUAL', 'GREATER_EQUAL', 'ALWAYS']
const STENCIL_OPERATIONS = ['KEEP', 'ZERO', 'REPLACE', 'INCR_SAT', 'DECR_SAT', 'INVERT', 'INCR', 'DECR']
const ALPHA_FACTORS = ['ZERO', 'ONE', 'SRC_ALPHA', 'INV_SRC_ALPHA', 'DEST_ALPHA', 'INV_DEST_ALPHA']
const FACTORS = [
  ...ALPHA_FACTORS,
  ...['SRC_COLOR', 'INV_SRC_COLOR', 'DEST_COLOR', 'INV_DEST_COLOR', 'SRC_ALPHA_SAT', 'BLEND_FACTOR'],
]
const OPERATIONS = ['ADD', 'SUBTRACT', 'REV_SUBTRACT', 'MIN', 'MAX']
const COLOR_FORMATS = [
  ...['R8G8B8A8_UNORM', 'R8G8B8A8_UNORM_SRGB', 'B8G8R8A8_UNORM', 'R16G16B16A16_FLOAT', 'R32G32B32A32_FLOAT'],
  ...['R10G10B10A2_UNORM', 'R16G16B16A16_UNORM', 'R11G11B10_FLOAT'],
]
const STENCIL_FORMATS = ['D24_UNORM_S8_UINT', 'D32_FLOAT_S8X24_UINT']
const DEPTH_FORMATS = [...STENCIL_FORMATS, 'D32_FLOAT', 'D16_UNORM']
const SIDES = [64, 200, 333, 512, 777, 1024, 1024, 1500]
/** Cells a side of terrains, of two triangles each. */
const CELLS = [40, 100, 160, 224, 317]
const TOPOLOGIES = ['TRIANGLESTRIP', 'TRIANGLESTRIP', 'LINELIST', 'POINTLIST']

/** What is changed of a scene's description. */
interface Resource {
  readonly id: string
  readonly BindFlags?: readonly string[]
  readonly init: { readonly kind: string; n?: number }
  Format?: string
  Width?: number
  Height?: number
  ByteWidth?: number
  SampleDesc?: { Count: number; Quality: number }
}
type Fields<Names extends string> = Record<Names, unknown>
type RasterizerField =
  | 'CullMode'
  | 'FrontCounterClockwise'
  | 'FillMode'
  | 'DepthClipEnable'
  | 'ScissorEnable'
  | 'MultisampleEnable'
  | 'AntialiasedLineEnable'
type DepthStencilField = 'DepthFunc' | 'DepthEnable' | 'DepthWriteMask' | 'StencilEnable'
interface ScenePipeline {
  readonly IA: { PrimitiveTopology: string }
  readonly RS: {
    readonly Viewports: readonly [object]
    ScissorRects: object[]
    readonly State: Fields<RasterizerField>
  }
  readonly OM: {
    readonly DepthStencil: string | null
    readonly DepthStencilState: Fields<DepthStencilField>
    readonly BlendState: {
      readonly RenderTarget: readonly Fields<'RenderTargetWriteMask'>[]
      AlphaToCoverageEnable: boolean
    }
    StencilRef: number
    BlendFactor: number[]
    SampleMask: number
  }
}
interface Scene {
  readonly resources: readonly Resource[]
  readonly pipelines: Readonly<Record<string, ScenePipeline>>
  readonly commands: readonly { readonly op: string; IndexCount?: number }[]
  check: readonly object[]
}

export interface RandomScene {
  readonly name: string
  readonly precision: 'exact' | 'fast'
  /** As a file has it. */
  readonly text: string
}

const isTarget = ({ BindFlags }: Resource): boolean =>
  BindFlags?.some((f) => f === 'RENDER_TARGET' || f === 'DEPTH_STENCIL') === true

const fraction = (r: Random): number => r.next() / 2 ** 32

function changeTargets(r: Random, { resources, pipelines, commands }: Scene): void {
  const targets = resources.filter(isTarget)
  const isRead = targets.some((t) => t.BindFlags?.includes('SHADER_RESOURCE'))
  // Shaders and copies say what they take.
  if (isRead || commands.some((c) => c.op === 'ResolveSubresource')) return
  const [width, height] = [r.pick(SIDES), r.pick(SIDES)]
  const count = r.chance(0.3) ? r.pick([2, 4, 8]) : 1
  const usesStencil = Object.values(pipelines).some((p) => p.OM.DepthStencilState.StencilEnable === true)
  for (const t of targets) {
    Object.assign(t, { Width: width, Height: height, SampleDesc: { Count: count, Quality: 0 } })
    if (t.BindFlags?.includes('DEPTH_STENCIL')) {
      if (r.chance(0.4)) t.Format = r.pick(usesStencil ? STENCIL_FORMATS : DEPTH_FORMATS)
    } else if (t.Format?.endsWith('UNORM') && r.chance(0.3)) t.Format = r.pick(COLOR_FORMATS)
  }
  for (const p of Object.values(pipelines)) Object.assign(p.RS.Viewports[0], { Width: width, Height: height })
}

function changeTerrain(r: Random, { resources, commands }: Scene): void {
  const n = r.pick(CELLS)
  const terrains = resources.filter(({ init }) => init.kind === 'terrain' || init.kind === 'grid-indices')
  for (const t of terrains) {
    t.ByteWidth = t.init.kind === 'terrain' ? (n + 1) ** 2 * 32 : n * n * 24
    t.init.n = n
  }
  if (terrains.length === 0) return
  for (const c of commands) if (c.op === 'DrawIndexed') c.IndexCount = n * n * 6
}

function changeRasterizer(r: Random, { RS }: ScenePipeline, width: number, height: number): void {
  const { State, Viewports } = RS
  if (r.chance(0.25)) {
    const place = (size: number): number => Math.floor((fraction(r) * size) / 3) - size / 8
    const [TopLeftX, TopLeftY] = [place(width), place(height)]
    const sizes = { Width: width * (0.2 + fraction(r)), Height: height * (0.2 + fraction(r)) }
    Object.assign(Viewports[0], { TopLeftX, TopLeftY, ...sizes })
  }
  if (r.chance(0.15)) Object.assign(Viewports[0], { MinDepth: fraction(r) * 0.4, MaxDepth: 0.5 + fraction(r) * 0.5 })
  if (r.chance(0.3)) State.CullMode = r.pick(['NONE', 'FRONT', 'BACK'])
  if (r.chance(0.3)) State.FrontCounterClockwise = r.chance(0.5)
  if (r.chance(0.06)) State.FillMode = 'WIREFRAME'
  if (r.chance(0.25)) {
    const slopes = { SlopeScaledDepthBias: r.pick([0, 1, -2.5]), DepthBiasClamp: r.pick([0, 0.01, -0.01]) }
    Object.assign(State, { DepthBias: r.below(2000) - 1000, ...slopes })
  }
  if (r.chance(0.15)) State.DepthClipEnable = State.DepthClipEnable !== true
  if (r.chance(0.2)) State.MultisampleEnable = State.MultisampleEnable !== true
  if (r.chance(0.05)) State.AntialiasedLineEnable = true
  if (!r.chance(0.2)) return
  State.ScissorEnable = true
  const [halfWidth, halfHeight] = [width >> 1, height >> 1]
  const [right, bottom] = [halfWidth + r.below(halfWidth), halfHeight + r.below(halfHeight)]
  RS.ScissorRects = [{ left: r.below(halfWidth), top: r.below(halfHeight), right, bottom }]
}

function changeDepthStencil(r: Random, { OM }: ScenePipeline, format: string): void {
  const state = OM.DepthStencilState
  if (r.chance(0.4)) state.DepthFunc = r.pick(COMPARISONS)
  if (r.chance(0.2)) state.DepthEnable = state.DepthEnable !== true
  if (r.chance(0.2)) state.DepthWriteMask = r.pick(['ALL', 'ZERO'])
  if (!format.includes('S8') || !r.chance(0.3)) return
  const operation = (): string => r.pick(STENCIL_OPERATIONS)
  const face = (): object => ({
    StencilFailOp: operation(),
    StencilDepthFailOp: operation(),
    StencilPassOp: operation(),
    StencilFunc: r.pick(COMPARISONS),
  })
  const masks = { StencilReadMask: r.pick([255, 15, 1]), StencilWriteMask: r.pick([255, 7]) }
  Object.assign(state, { StencilEnable: true, ...masks, FrontFace: face(), BackFace: face() })
  OM.StencilRef = r.below(256)
}

function changeBlend(r: Random, { OM }: ScenePipeline): void {
  for (const target of OM.BlendState.RenderTarget) {
    if (r.chance(0.35)) {
      const alphas = { SrcBlendAlpha: r.pick(ALPHA_FACTORS), DestBlendAlpha: r.pick(ALPHA_FACTORS) }
      const colors = { SrcBlend: r.pick(FACTORS), DestBlend: r.pick(FACTORS), BlendOp: r.pick(OPERATIONS) }
      Object.assign(target, { BlendEnable: r.chance(0.8), ...colors, ...alphas, BlendOpAlpha: r.pick(OPERATIONS) })
    }
    if (r.chance(0.15)) target.RenderTargetWriteMask = r.below(16)
  }
  if (r.chance(0.1)) OM.BlendState.AlphaToCoverageEnable = true
  if (r.chance(0.1)) OM.SampleMask = r.next()
  if (r.chance(0.3)) OM.BlendFactor = [fraction(r), fraction(r), fraction(r), fraction(r)]
}

/** The scene of a seed. */
export function randomScene(seed: number): RandomScene {
  const r = new Random(seed)
  const name = r.pick(NAMES)
  const file = r.chance(0.2) ? 'small.json' : 'scene.json'
  const scene = JSON.parse(readFileSync(join(SCENE_FOLDER, name, file), 'utf8')) as Scene
  scene.check = []
  if (r.chance(0.6)) changeTargets(r, scene)
  changeTerrain(r, scene)
  const { Width: width = 1024, Height: height = 1024 } = scene.resources.find(isTarget) ?? {}
  for (const p of Object.values(scene.pipelines)) {
    changeRasterizer(r, p, width, height)
    const depth = scene.resources.find(({ id }) => id === p.OM.DepthStencil)
    if (depth?.Format !== undefined) changeDepthStencil(r, p, depth.Format)
    changeBlend(r, p)
    if (p.IA.PrimitiveTopology === 'TRIANGLELIST' && r.chance(0.12)) p.IA.PrimitiveTopology = r.pick(TOPOLOGIES)
  }
  return { name, precision: r.chance(0.3) ? 'fast' : 'exact', text: JSON.stringify(scene) }
}
